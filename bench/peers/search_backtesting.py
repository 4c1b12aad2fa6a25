"""backtesting.py's `optimize` over the grid, as `--bars FILE --processes N`; 0 processes: as many as it takes itself."""

import argparse
import functools
import json
import multiprocessing
from pathlib import Path

import backtesting
from backtesting.lib import FractionalBacktest
from peer_backtesting import Cross, load
from peer_protocol import CASH, FEE
from search_grid import FAST_LENGTHS, SLOW_LENGTHS

parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("--bars", type=Path, required=True)
parser.add_argument("--processes", type=int, required=True)
args = parser.parse_args()
if args.processes > 0:
    backtesting.Pool = functools.partial(multiprocessing.Pool, args.processes)
stats, heatmap = FractionalBacktest(load(args.bars), Cross, cash=CASH, commission=FEE).optimize(
    fast_length=FAST_LENGTHS,
    slow_length=SLOW_LENGTHS,
    maximize="Return [%]",
    return_heatmap=True,
)
print(
    json.dumps(
        {
            "trials": int(heatmap.count()),
            "fast": int(stats["_strategy"].fast_length),
            "slow": int(stats["_strategy"].slow_length),
            "trades": int(stats["# Trades"]),
            "profit": float(stats["Return [%]"]) / 100,
        }
    )
)
