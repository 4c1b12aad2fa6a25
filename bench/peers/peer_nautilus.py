"""nautilus_trader: an engine of events in Rust and Cython, with strategies in Python."""

from decimal import Decimal

from nautilus_trader.backtest.config import BacktestEngineConfig
from nautilus_trader.backtest.engine import BacktestEngine
from nautilus_trader.config import LoggingConfig
from nautilus_trader.indicators import SimpleMovingAverage
from nautilus_trader.model.currencies import USDT
from nautilus_trader.model.data import BarType
from nautilus_trader.model.enums import AccountType, OmsType, OrderSide
from nautilus_trader.model.objects import Money
from nautilus_trader.persistence.wranglers import BarDataWrangler
from nautilus_trader.test_kit.providers import TestInstrumentProvider
from nautilus_trader.trading.strategy import Strategy
from peer_protocol import CASH, FAST, SHARE, SLOW, main, read_frame

# Steps of 0.01 and 0.000001, and a fee of 0.1 %.
INSTRUMENT = TestInstrumentProvider.btcusdt_binance()
BARS = BarType.from_str(f"{INSTRUMENT.id}-1-MINUTE-LAST-EXTERNAL")
MINUTE_NS = 60_000_000_000


class Idle(Strategy):
    placed = 0

    def on_start(self):
        self.subscribe_bars(BARS)

    def on_bar(self, bar):
        pass


class Cross(Strategy):
    def __init__(self):
        super().__init__()
        self.fast = SimpleMovingAverage(FAST)
        self.slow = SimpleMovingAverage(SLOW)
        self.placed = 0

    def on_start(self):
        self.register_indicator_for_bars(BARS, self.fast)
        self.register_indicator_for_bars(BARS, self.slow)
        self.subscribe_bars(BARS)

    def on_bar(self, bar):
        if not self.slow.initialized:
            return
        is_flat = self.portfolio.is_flat(INSTRUMENT.id)
        if self.fast.value > self.slow.value and is_flat:
            free = self.portfolio.account(INSTRUMENT.venue).balance_free(USDT).as_decimal()
            amount = INSTRUMENT.make_qty(free * Decimal(str(SHARE)) / bar.close.as_decimal())
            self.submit_order(self.order_factory.market(INSTRUMENT.id, OrderSide.BUY, amount))
            self.placed += 1
        elif self.fast.value < self.slow.value and not is_flat:
            self.close_all_positions(INSTRUMENT.id)
            self.placed += 1


def load(path):
    # A bar is known when it ends.
    return BarDataWrangler(BARS, INSTRUMENT).process(read_frame(path), ts_init_delta=MINUTE_NS)


def run(bars, phase):
    # Its analysis after a run takes longer than the run, and nothing of it is saved here.
    config = BacktestEngineConfig(logging=LoggingConfig(bypass_logging=True), run_analysis=False)
    engine = BacktestEngine(config)
    engine.add_venue(
        venue=INSTRUMENT.venue,
        oms_type=OmsType.NETTING,
        account_type=AccountType.CASH,
        base_currency=None,
        starting_balances=[Money(CASH, USDT)],
    )
    engine.add_instrument(INSTRUMENT)
    engine.add_data(bars)
    strategy = Cross() if phase == "cross" else Idle()
    engine.add_strategy(strategy)
    engine.run()
    return strategy.placed, engine


def save(engine, folder):
    engine.trader.generate_order_fills_report().to_csv(folder / "fills.csv")
    engine.trader.generate_positions_report().to_csv(folder / "positions.csv")
    engine.trader.generate_account_report(INSTRUMENT.venue).to_csv(folder / "account.csv")


main(load, run, save)
