"""jesse: a loop over bars in Python; a strategy computes its averages at each bar."""

import os
import tempfile
from pathlib import Path

# It takes the folder in which it starts for a project, and writes into it.
PEERS = Path(__file__).resolve().parent
FOLDER = Path(tempfile.mkdtemp(prefix="jesse-"))

import json  # noqa: E402

import numpy  # noqa: E402

os.chdir(FOLDER)

import jesse.indicators as ta  # noqa: E402
from jesse import research  # noqa: E402
from jesse.strategies import Strategy  # noqa: E402
from peer_protocol import CASH, FAST, FEE, SHARE, SLOW, main, read_frame  # noqa: E402

EXCHANGE = "Sandbox"
SYMBOL = "BTC-USDT"


class Idle(Strategy):
    placed = 0

    def should_long(self):
        return False

    def go_long(self):
        pass


class Cross(Strategy):
    placed = 0

    @property
    def averages(self):
        return ta.sma(self.candles, FAST), ta.sma(self.candles, SLOW)

    def should_long(self):
        fast, slow = self.averages
        return fast > slow

    def go_long(self):
        Cross.placed += 1
        self.buy = self.balance * SHARE / self.price, self.price

    def update_position(self):
        fast, slow = self.averages
        if fast < slow:
            Cross.placed += 1
            self.liquidate()


def load(path):
    frame = read_frame(path)
    milliseconds = frame.index.as_unit("ms").asi8.astype(float)
    columns = [milliseconds, *(frame[name] for name in ["open", "close", "high", "low", "volume"])]
    return numpy.column_stack(columns)


def run(bars, phase):
    Cross.placed = 0
    strategy = Cross if phase == "cross" else Idle
    # 240 is what it warms up with unless told otherwise. With 0 it hands all past bars to every average.
    result = research.backtest(
        config={
            "starting_balance": CASH, "fee": FEE, "type": "spot", "exchange": EXCHANGE, "warm_up_candles": 240,
        },
        routes=[{"exchange": EXCHANGE, "strategy": strategy, "symbol": SYMBOL, "timeframe": "1m"}],
        data_routes=[],
        candles={f"{EXCHANGE}-{SYMBOL}": {"exchange": EXCHANGE, "symbol": SYMBOL, "candles": bars}},
        generate_equity_curve=True,
    )  # fmt: skip
    return Cross.placed, result


def save(result, folder):
    (folder / "result.json").write_text(json.dumps(result, default=str))


main(load, run, save)
