"""freqtrade: signals of whole columns, then a loop over bars in Python that trades them."""

import tempfile
from pathlib import Path

from freqtrade.data.history import get_datahandler
from freqtrade.enums import CandleType, RunMode
from freqtrade.exchange import Exchange
from freqtrade.optimize.backtesting import Backtesting
from freqtrade.optimize.optimize_reports import generate_backtest_stats, store_backtest_results
from peer_protocol import CASH, FEE, main, read_frame

PAIR = "BTC/USDT"
FOLDER = Path(tempfile.mkdtemp(prefix="freqtrade-"))

# What it would ask the exchange for, which is out of reach here.
MARKET = {
    "id": "BTCUSDT", "symbol": PAIR, "base": "BTC", "quote": "USDT", "settle": None,
    "type": "spot", "spot": True, "swap": False, "future": False, "margin": False, "contract": False,
    "active": True, "linear": None, "inverse": None, "contractSize": None,
    "precision": {"amount": 0.000001, "price": 0.01},
    "limits": {"amount": {"min": None, "max": None}, "cost": {"min": None, "max": None},
               "price": {"min": None, "max": None}, "leverage": {"min": None, "max": None}},
    "info": {},
}  # fmt: skip


def config_of(strategy, timeframe="1m"):
    return {
        "runmode": RunMode.BACKTEST, "original_config": {},
        "strategy": strategy,
        "strategy_path": str(Path(__file__).parent / "freqtrade_strategies"),
        "user_data_dir": FOLDER, "datadir": FOLDER, "exportdirectory": FOLDER,
        "exchange": {"name": "binance", "key": "", "secret": "", "pair_whitelist": [PAIR]},
        "pairlists": [{"method": "StaticPairList"}],
        "stake_currency": "USDT", "stake_amount": "unlimited", "tradable_balance_ratio": 1.0,
        "dry_run": True, "dry_run_wallet": CASH, "max_open_trades": 1, "fee": FEE, "timeframe": timeframe,
        "entry_pricing": {"price_side": "same"}, "exit_pricing": {"price_side": "same"},
        "dataformat_ohlcv": "feather", "amend_last_stake_amount": False, "trading_mode": "spot", "margin_mode": "",
        "candle_type_def": CandleType.SPOT,
    }  # fmt: skip


def load(path, timeframe="1m"):
    """It reads bars from files of its own form, so that they are made first."""
    frame = read_frame(path).tz_localize("UTC").rename_axis("date").reset_index()
    get_datahandler(FOLDER, "feather").ohlcv_store(PAIR, timeframe, frame, CandleType.SPOT)


def offline_exchange(config):
    """One that asks nobody for its market."""
    exchange = Exchange(config, validate=False)
    exchange._markets = {PAIR: MARKET}
    exchange._api.set_markets([MARKET])
    return exchange


def loaded(path):
    """It with both strategies, and the bars that it has read. One of it runs several strategies in turn."""
    load(path)
    config = {**config_of("Cross"), "strategy_list": ["Cross", "Idle"]}
    backtesting = Backtesting(config, offline_exchange(config))
    return config, backtesting, *backtesting.load_bt_data()


def run(bars, phase):
    config, backtesting, data, timerange = bars
    name = "Cross" if phase == "cross" else "Idle"
    [strategy] = [one for one in backtesting.strategylist if one.get_strategy_name() == name]
    min_date, max_date = backtesting.backtest_one_strategy(strategy, data, timerange)
    content = {name: backtesting.all_bt_content[name]}
    orders = content[name]["results"]["orders"].map(len).sum()
    return int(orders), (config, data, content, min_date, max_date)


def save(result, folder):
    config, data, content, min_date, max_date = result
    stats = generate_backtest_stats(data, content, min_date, max_date)
    store_backtest_results({**config, "exportdirectory": folder}, stats, "run")


if __name__ == "__main__":
    main(loaded, run, save)
