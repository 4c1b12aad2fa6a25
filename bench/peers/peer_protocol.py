"""What the scripts of all peers share: their arguments, their rounds, and the line that they print.

A script is started as `PHASE --bars FILE --rounds N --seconds S --out FOLDER`. The phases:

  start   loads the peer's modules and ends
  cross   runs the cross of averages so often, and measures each run without the loading of bars
  idle    the same with a strategy that does nothing
  whole   loads the bars, runs the cross once, and saves what the peer can save
"""

import argparse
import json
import time
from pathlib import Path

FAST = 10
SLOW = 30
SHARE = 0.01
CASH = 10_000
FEE = 0.001


def main(load, run, save=None):
    """Does one phase.

    load(path) answers the bars in the peer's own form. run(bars, phase) answers how many orders it placed,
    and its result. save(result, folder) writes the result; without it the phase `whole` saves nothing.
    """
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("phase", choices=["start", "cross", "idle", "whole"])
    parser.add_argument("--bars", type=Path, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    if args.phase == "start":
        return
    bars = load(args.bars)
    if args.phase == "whole":
        orders, result = run(bars, "cross")
        if save is not None:
            save(result, args.out)
        print(json.dumps({"orders": orders}))
        return
    cpu_s = []
    orders = 0
    # A slow peer gets fewer rounds, so that all of them end on one evening.
    while len(cpu_s) < args.rounds and sum(cpu_s) < args.seconds:
        begun = time.process_time()
        orders, _ = run(bars, args.phase)
        cpu_s.append(time.process_time() - begun)
    print(json.dumps({"orders": orders, "cpu_s": cpu_s}))


def read_frame(path):
    """The bars as a frame of pandas, by the time of their open.

    The times have no zone: peers that compare indexes would turn zoned ones into objects at every step. Those
    that want a zone add it when they load.
    """
    import pandas

    frame = pandas.read_csv(path)
    frame.index = pandas.to_datetime(frame.pop("time_ms"), unit="ms")
    return frame
