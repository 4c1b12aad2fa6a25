"""Our samplers against Optuna's on standard test functions, by hand:

    python3 -m venv /tmp/optuna && /tmp/optuna/bin/pip install -r bench/peers/requirements/samplers.txt
    nice -n 19 /tmp/optuna/bin/python bench/peers/samplers.py --keep /tmp/optuna-runs.json > table.md

Each row is the median over 50 seeds of the best value (ZDT: of the hypervolume's complement) after a
number of trials: Optuna one trial after the other (`by-8`: 8 at a time), ours in generations of 1 and of
8. `p` is the chance of a difference as large against us, were both equal (Mann and Whitney, one-sided):
below 0.05 ours is worse. `--keep` stores Optuna's runs, which take most of the time, and reads them
again.
"""

import argparse
import json
import math
import os
import subprocess
import sys

import numpy as np
import optuna
from scipy.stats import mannwhitneyu

optuna.logging.set_verbosity(optuna.logging.ERROR)
import warnings

warnings.simplefilter("ignore")

SEEDS = 50

HARTMANN_A = np.array(
    [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
)
HARTMANN_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)
HARTMANN_ALPHA = np.array([1, 1.2, 3, 3.2])


def box(trial, count, low, high):
    return np.array([trial.suggest_float(f"x{i}", low, high) for i in range(count)])


def sphere(trial):
    return float((box(trial, 5, -3, 7) ** 2).sum())


def rosenbrock(trial):
    x = box(trial, 5, -3, 5)
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


def rastrigin(trial):
    x = box(trial, 5, -4, 6)
    return float((x * x - 10 * np.cos(2 * np.pi * x) + 10).sum())


def branin(trial):
    x, y = trial.suggest_float("x0", -5, 10), trial.suggest_float("x1", 0, 15)
    bent = y - 5.1 / (4 * math.pi**2) * x * x + 5 / math.pi * x - 6
    return bent**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def hartmann6(trial):
    x = box(trial, 6, 0, 1)
    return float(-(HARTMANN_ALPHA * np.exp(-(HARTMANN_A * (x - HARTMANN_P) ** 2).sum(axis=1))).sum())


def mixed(trial):
    length = trial.suggest_int("length", 2, 100)
    rate = trial.suggest_float("rate", 0.0001, 1, log=True)
    share = trial.suggest_float("share", 0, 1, step=0.05)
    mode = trial.suggest_categorical("mode", ["none", "near", "far"])
    base = ((length - 37) / 20) ** 2 + math.log10(rate / 0.003) ** 2 + (share * 4 - 1.2) ** 2
    if mode == "near":
        return base + 0.5 + ((trial.suggest_int("near", 1, 20) - 4) / 5) ** 2
    if mode == "far":
        far, late = trial.suggest_float("far", 0, 5), trial.suggest_categorical("late", [False, True])
        return base + (far - 2.25) ** 2 + (0 if late else 0.3)
    return base + 1


def integers(trial):
    x = [*box(trial, 3, -3, 7), *(trial.suggest_int(f"x{i}", -10, 15) for i in range(3, 6))]
    return float(sum((i + 1) * v * v for i, v in enumerate(x)))


def zdt(shape):
    def function(trial):
        x = box(trial, 10, 0, 1)
        g = 1 + 9 * x[1:].sum() / 9
        return float(x[0]), float(g * shape(x[0], g))

    return function


FUNCTIONS = {
    "sphere": sphere,
    "rosenbrock": rosenbrock,
    "rastrigin": rastrigin,
    "branin": branin,
    "hartmann6": hartmann6,
    "mixed": mixed,
    "integers": integers,
    "zdt1": zdt(lambda f, g: 1 - math.sqrt(f / g)),
    "zdt2": zdt(lambda f, g: 1 - (f / g) ** 2),
    "zdt3": zdt(lambda f, g: 1 - math.sqrt(f / g) - f / g * math.sin(10 * math.pi * f)),
}

SINGLE = ["sphere", "rosenbrock", "rastrigin", "branin", "hartmann6"]
SAMPLERS = {
    "random": lambda seed: optuna.samplers.RandomSampler(seed=seed),
    "sobol": lambda seed: optuna.samplers.QMCSampler(qmc_type="sobol", scramble=True, seed=seed),
    "tpe": lambda seed: optuna.samplers.TPESampler(seed=seed),
    "tpe-by-8": lambda seed: optuna.samplers.TPESampler(seed=seed),
    "cmaes": lambda seed: optuna.samplers.CmaEsSampler(seed=seed),
    "cmaes-margin": lambda seed: optuna.samplers.CmaEsSampler(seed=seed, with_margin=True),
    "nsga2": lambda seed: optuna.samplers.NSGAIISampler(seed=seed),
}
#: sampler, function, trials that are run, budgets that are compared
RUNS = (
    [("random", name, 200, [200]) for name in [*SINGLE, "mixed"]]
    + [("sobol", name, 200, [200]) for name in [*SINGLE, "mixed"]]
    + [("tpe", name, 200, [60, 200]) for name in [*SINGLE, "mixed", "integers"]]
    + [("tpe-by-8", name, 200, [60, 200]) for name in ["sphere", "integers", "rastrigin"]]
    + [("cmaes", name, 400, [200, 400]) for name in SINGLE]
    + [("cmaes-margin", "integers", 400, [200, 400])]
    + [("nsga2", name, 1000, [400, 1000]) for name in ["zdt1", "zdt2", "zdt3"]]
)
#: of each objective: nothing beyond it counts
REFERENCE = (1.1, 10.0)


def optuna_run(kind, name, trials, seed):
    directions = ["minimize"] * (2 if name.startswith("zdt") else 1)
    study = optuna.create_study(sampler=SAMPLERS[kind](seed), directions=directions)
    if kind.endswith("-by-8"):
        for _ in range(0, trials, 8):
            asked = [study.ask() for _ in range(8)]
            values = [FUNCTIONS[name](trial) for trial in asked]
            for trial, value in zip(asked, values):
                study.tell(trial, value)
    else:
        study.optimize(FUNCTIONS[name], n_trials=trials)
    return [trial.values for trial in study.trials]


def our_runs(kind, name, generation, trials):
    command = ["bench/samplers/quality.ts", kind.split("-")[0], name, str(generation), str(trials), str(SEEDS)]
    return json.loads(subprocess.check_output(["node", *command]))


def merit(values):
    """What is compared, the smaller the better."""
    if len(values[0]) == 1:
        return min(value for (value,) in values)
    front, best = 0.0, REFERENCE[1]
    inside = sorted(pair for pair in values if pair[0] < REFERENCE[0] and pair[1] < REFERENCE[1])
    for first, second in inside:
        if second < best:
            front += (REFERENCE[0] - first) * (best - second)
            best = second
    return REFERENCE[0] * REFERENCE[1] - front


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--keep")
    arguments.add_argument("--only", default="", help="samplers, with commas")
    options = arguments.parse_args()
    kept = json.load(open(options.keep)) if options.keep and os.path.exists(options.keep) else {}
    print(f"Optuna {optuna.__version__}\n")
    print("| sampler | function | trials | Optuna | ours, 1 | p | ours, 8 | p |")
    print("| --- | --- | --: | --: | --: | --: | --: | --: |")
    for kind, name, trials, budgets in RUNS:
        if options.only and kind not in options.only.split(","):
            continue
        key = f"{kind}/{name}/{trials}"
        if key not in kept:
            kept[key] = [optuna_run(kind, name, trials, seed) for seed in range(SEEDS)]
            if options.keep:
                with open(options.keep, "w") as file:
                    json.dump(kept, file)
        runs = {1: our_runs(kind, name, 1, trials), 8: our_runs(kind, name, 8, trials)}
        for budget in budgets:
            theirs = [merit(run[:budget]) for run in kept[key]]
            cells = [f"{np.median(theirs):.4g}"]
            for ours in runs.values():
                merits = [merit(run[:budget]) for run in ours]
                p = mannwhitneyu(merits, theirs, alternative="greater").pvalue
                cells += [f"{np.median(merits):.4g}", f"{p:.2f}"]
            print(f"| {kind} | {name} | {budget} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
