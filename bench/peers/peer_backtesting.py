"""backtesting.py: a loop over bars in Python, with averages made beforehand."""

import pandas
from backtesting import Strategy
from backtesting.lib import FractionalBacktest
from peer_protocol import CASH, FAST, FEE, SHARE, SLOW, main, read_frame


def average(prices, length):
    return pandas.Series(prices).rolling(length).mean()


class Cross(Strategy):
    fast_length = FAST
    slow_length = SLOW

    def init(self):
        self.fast = self.I(average, self.data.Close, self.fast_length)
        self.slow = self.I(average, self.data.Close, self.slow_length)
        self.placed = 0

    def next(self):
        fast, slow = self.fast[-1], self.slow[-1]
        if fast > slow and not self.position:
            self.buy(size=SHARE)
            self.placed += 1
        elif fast < slow and self.position:
            self.position.close()
            self.placed += 1


class Idle(Strategy):
    placed = 0

    def init(self):
        pass

    def next(self):
        pass


def load(path):
    return read_frame(path).rename(columns=str.title)


def run(bars, phase):
    strategy = Cross if phase == "cross" else Idle
    stats = FractionalBacktest(bars, strategy, cash=CASH, commission=FEE).run()
    return stats["_strategy"].placed, stats


def save(stats, folder):
    stats["_trades"].to_csv(folder / "trades.csv")
    stats["_equity_curve"].to_csv(folder / "equity.csv")
    (folder / "summary.txt").write_text(str(stats))


if __name__ == "__main__":
    main(load, run, save)
