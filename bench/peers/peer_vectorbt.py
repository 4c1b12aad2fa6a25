"""vectorbt: whole columns at once, in compiled loops. Its orders have no life: they fill where they stand."""

import vectorbt
from peer_protocol import CASH, FAST, FEE, SHARE, SLOW, main, read_frame


def run(bars, phase):
    if phase == "idle":
        raise SystemExit("vectorbt calls no strategy for a bar")
    fast = vectorbt.MA.run(bars["close"], FAST).ma
    slow = vectorbt.MA.run(bars["close"], SLOW).ma
    # A signal of a close fills at the next open.
    portfolio = vectorbt.Portfolio.from_signals(
        bars["close"],
        entries=(fast > slow).vbt.fshift(1),
        exits=(fast < slow).vbt.fshift(1),
        price=bars["open"],
        size=SHARE,
        size_type="percent",
        init_cash=CASH,
        fees=FEE,
        freq="1min",
    )
    return int(portfolio.orders.count()), portfolio


def save(portfolio, folder):
    portfolio.orders.records_readable.to_csv(folder / "orders.csv")
    portfolio.value().to_csv(folder / "equity.csv")
    portfolio.stats().to_csv(folder / "summary.csv")


main(read_frame, run, save)
