"""backtrader: a loop over bars in Python, with averages made beforehand."""

import csv

import backtrader
from peer_protocol import CASH, FAST, FEE, SHARE, SLOW, main, read_frame


class Cross(backtrader.Strategy):
    def __init__(self):
        self.fast = backtrader.indicators.SimpleMovingAverage(period=FAST)
        self.slow = backtrader.indicators.SimpleMovingAverage(period=SLOW)
        self.placed = 0
        self.fills = []

    def notify_order(self, order):
        if order.status == order.Completed:
            fill = order.executed
            self.fills.append((self.data.num2date(fill.dt), order.isbuy(), fill.size, fill.price, fill.comm))

    def next(self):
        fast, slow = self.fast[0], self.slow[0]
        if fast > slow and not self.position:
            self.buy(size=self.broker.get_cash() * SHARE / self.data.close[0])
            self.placed += 1
        elif fast < slow and self.position:
            self.close()
            self.placed += 1


class Idle(backtrader.Strategy):
    placed = 0

    def next(self):
        pass


def run(bars, phase):
    cerebro = backtrader.Cerebro(stdstats=False)
    # The other feed of a frame, PandasData, looks each price up by itself: half of the time of a run.
    cerebro.adddata(backtrader.feeds.PandasDirectData(dataname=bars, openinterest=-1))
    cerebro.addstrategy(Cross if phase == "cross" else Idle)
    cerebro.broker.set_cash(CASH)
    cerebro.broker.setcommission(commission=FEE)
    [strategy] = cerebro.run()
    return strategy.placed, strategy


def save(strategy, folder):
    with open(folder / "fills.csv", "w", newline="") as file:
        csv.writer(file).writerows(strategy.fills)


main(read_frame, run, save)
