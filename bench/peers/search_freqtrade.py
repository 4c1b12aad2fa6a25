"""freqtrade's hyperopt over the grid, as `--bars FILE --timeframe T --jobs N`."""

import argparse
import json
from pathlib import Path

from freqtrade.enums import RunMode
from freqtrade.optimize.hyperopt import Hyperopt
from freqtrade.resolvers import ExchangeResolver
from peer_freqtrade import FOLDER, config_of, load, offline_exchange
from search_grid import TRIALS

parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("--bars", type=Path, required=True)
parser.add_argument("--timeframe", required=True)
parser.add_argument("--jobs", type=int, required=True)
args = parser.parse_args()
load(args.bars, args.timeframe)
(FOLDER / "hyperopt_results").mkdir()
# Its own command does the same with an exchange that it asks.
ExchangeResolver.load_exchange = lambda config, **_: offline_exchange(config)
hyperopt = Hyperopt(
    {
        **config_of("SearchedCross", args.timeframe),
        "runmode": RunMode.HYPEROPT,
        "spaces": ["buy"],
        "epochs": TRIALS,
        "hyperopt_jobs": args.jobs,
        "hyperopt_loss": "OnlyProfitHyperOptLoss",
        "hyperopt_min_trades": 1,
        "hyperopt_random_state": 1,
        "disableparamexport": True,
        "verbosity": 0,
    }
)
hyperopt.start()
best = hyperopt.current_best_epoch
print(
    json.dumps(
        {
            "trials": hyperopt.num_epochs_saved,
            "fast": best["params_dict"]["fast_length"],
            "slow": best["params_dict"]["slow_length"],
            "trades": best["results_metrics"]["total_trades"],
            "profit": best["total_profit"],
        }
    )
)
