#!/usr/bin/env python3
"""sarraf's studies beside backtesting.py's `optimize` and freqtrade's hyperopt: the same bars, rule and grid.

Each tries the same 200 pairs of lengths, each once, in a whole command: from the file of bars to the best pair.
The best pair, its trades and its profit stand beside the times, as they must agree. What is measured is kept in
the cache folder, so that --only measures one again and keeps the rest.
"""

import argparse
import datetime
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from environments import prepare
from machine import machine_facts
from measured_process import ProcessFailed, measure
from page import table, write_between
from peer_protocol import CASH, SHARE
from phases import last_line
from search_grid import FAST_LENGTHS, SLOW_LENGTHS, TRIALS

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[1]
PAGE = TREE / "docs" / "performance-studies.md"
NODE = TREE / "node_modules" / "node" / "bin" / "node"

BARS = 58_419
"""As many as six years and eight months have hours."""
TIMES_AS_FAST = 20
"""The goal of the project, over each peer."""

PROGRAMS = {
    "sarraf-2": "sarraf, 2 workers",
    "sarraf-1": "sarraf, 1 worker",
    "backtesting-0": "backtesting.py 0.6.6, its own pool",
    "backtesting-1": "backtesting.py 0.6.6, 1 process",
    "freqtrade-2": "freqtrade 2026.9, 2 jobs",
}

EPILOG = f"""names: {", ".join(PROGRAMS)}

examples:
  python3 bench/peers/searches.py                              generated bars
  python3 bench/peers/searches.py --bars hours.csv --timeframe 1h --page
  python3 bench/peers/searches.py --only sarraf-1 --only sarraf-2

exit codes: 0 all of it was measured, 1 something could not be measured, 2 an option is wrong.
"""


def read_arguments():
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sarraf-peers"
    parser = argparse.ArgumentParser(
        prog="python3 bench/peers/searches.py",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--bars", type=Path, help="a CSV of BTCUSDT with time_ms; without it, generated ones")
    parser.add_argument("--timeframe", default="1m", help="length of the bars (default: 1m)")
    parser.add_argument("--only", metavar="NAME", action="append", choices=list(PROGRAMS), help="repeatable")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of sarraf (default: 3); a peer has one")
    parser.add_argument("--timeout", type=float, default=7200, help="seconds of one process (default: 7200)")
    parser.add_argument("--page", action="store_true", help="write the table into docs/performance-studies.md")
    parser.add_argument("--cache", type=Path, default=cache, help=f"environments (default: {cache})")
    args = parser.parse_args()
    if args.rounds < 1 or args.timeout <= 0:
        parser.error("expected more than 0 for --rounds and --timeout")
    if args.bars is not None and not args.bars.is_file():
        parser.error(f"expected a file for --bars, found none at {args.bars}")
    args.cache = args.cache.expanduser().resolve()
    return args


def study_of(bars, timeframe):
    """The study file; JSON is YAML too."""
    return {
        "strategy": "ma-cross", "markets": "BTCUSDT", "timeframe": timeframe, "csv": str(bars),
        "balances": {"usdt": CASH}, "fee": "0.1%", "params": {"share": SHARE},
        "steps": {"price": "0.01", "amount": "0.000001"},
        "space": {
            name: {"kind": "integer", "min": of[0], "max": of[-1], "step": of[1] - of[0]}
            for name, of in (("fast", FAST_LENGTHS), ("slow", SLOW_LENGTHS))
        },
        "objectives": ["totalReturn"], "sampler": {"kind": "grid"}, "budget": {"trials": TRIALS},
    }  # fmt: skip


def search_sarraf(workers, args, work):
    """The least of some rounds, each a new study. Compiled code is there from a start before."""
    file = work / "search.yaml"
    file.write_text(json.dumps(study_of(args.bars, args.timeframe)))
    environment = {"NODE_COMPILE_CACHE": str(work / "compiled"), "XDG_CACHE_HOME": str(work / "cache")}

    def once(trials):
        data = tempfile.mkdtemp(dir=work)
        command = [NODE, TREE / "bin" / "sarraf.js", "study", "run", file, "--data", data, "--json"]
        options = ["--workers", workers, "--trials", trials]
        return measure([*command, *options], timeout_s=args.timeout, folder=work, environment=environment)

    once(1)
    measured = min((once(TRIALS) for _ in range(args.rounds)), key=lambda one: one.cpu_s)
    result = last_line(measured)
    best = result["best"]
    return measured, {
        "trials": result["counts"]["complete"],
        "fast": best["params"]["fast"],
        "slow": best["params"]["slow"],
        "trades": best["metrics"]["trades"],
        "profit": best["metrics"]["totalReturn"],
    }


def search_peer(name, workers, args, work):
    python, _ = prepare(name, HERE / "requirements" / f"{name}.txt", args.cache, args.timeout)
    own = {
        "backtesting": ["--processes", workers],
        "freqtrade": ["--jobs", workers, "--timeframe", args.timeframe],
    }[name]
    command = [python, HERE / f"search_{name}.py", "--bars", args.bars, *own]
    # Strategies of freqtrade find the grid there; what a peer leaves behind goes with the work folder.
    environment = {"PYTHONPATH": str(HERE), "TMPDIR": str(work)}
    measured = measure(command, timeout_s=args.timeout, folder=work, environment=environment)
    return measured, last_line(measured)


def searched(program, args, work):
    name, workers = program.split("-")
    if name == "sarraf":
        measured, found = search_sarraf(workers, args, work)
    else:
        measured, found = search_peer(name, workers, args, work)
    return {"cpu_s": measured.cpu_s, "wall_s": measured.wall_s, **found}


def rows_of(results):
    """Beside what was found: trials a second, and how many times those of the peer sarraf has, like with like."""
    for program, title in PROGRAMS.items():
        found = results.get(program)
        if found is None or "problem" in found:
            yield [title, "-", "-", "-", "-", "-", (found or {}).get("problem", "not measured")]
            continue
        of_cpu = found["trials"] / found["cpu_s"]
        ours = results.get("sarraf-1" if program.endswith("-1") else "sarraf-2", {})
        times = ours["trials"] / ours["cpu_s"] / of_cpu if "cpu_s" in ours else None
        is_peer = not program.startswith("sarraf")
        yield [
            title,
            f"{found['trials']}",
            f"{found['cpu_s']:.1f}",
            f"{of_cpu:.3g}",
            f"{found['trials'] / found['wall_s']:.3g}",
            f"{times:.1f}" if is_peer and times is not None else "-",
            f"{found['fast']} and {found['slow']}: {found['trades']} trades, {found['profit']:.2%}",
        ]


def lines_of(results, bars):
    load = max(found["load"] for found in results.values())
    dates = sorted({found["date"] for found in results.values()})
    head = ["program", "trials", "CPU s", "trials a CPU s", "trials a second", "sarraf: times", "best pair"]
    measured = [(row[0], float(row[5])) for row in rows_of(results) if row[5] != "-"]
    goals = [
        f"- At least {TIMES_AS_FAST} times the trials of {title}: "
        f"{'met' if times >= TIMES_AS_FAST else '**missed**'}, with {times:.1f} times."
        for title, times in measured
    ]
    return [
        *machine_facts(NODE),
        f"- {', '.join(dates)}, load of the machine before {load:.1f} at most.",
        f"- {bars}",
        "",
        *table(head, list(rows_of(results))),
        "",
        *goals,
    ]


def main():
    args = read_arguments()
    is_generated = args.bars is None
    args.cache.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="sarraf-searches-"))
    path = args.cache / f"searches-{'generated' if is_generated else args.bars.stem}.json"
    results = json.loads(path.read_text()) if path.exists() else {}
    failed = False
    try:
        whole = {"timeout_s": args.timeout, "folder": TREE}
        measure(["npm", "run", "--silent", "build"], **whole)
        if is_generated:
            args.bars = work / "bars.csv"
            measure([NODE, "bench/write-bars.ts", args.bars, BARS], **whole)
        args.bars = args.bars.resolve()
        for program in args.only or PROGRAMS:
            print(f"measuring {PROGRAMS[program]} ...", file=sys.stderr, flush=True)
            begun = {
                "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
                "load": os.getloadavg()[0],
            }
            try:
                found = searched(program, args, work)
            except ProcessFailed as failure:
                found = {"problem": " ".join(str(failure).split())[-200:]}
                failed = True
            results[program] = {**begun, **found}
            path.write_text(json.dumps(results, indent=2))
        count = sum(1 for line in args.bars.read_text().splitlines() if line) - 1
    finally:
        shutil.rmtree(work, ignore_errors=True)
    kind = "generated bars" if is_generated else f"bars of {args.timeframe}"
    lines = lines_of(results, f"{count:,} {kind}.")
    print("\n".join(lines))
    if args.page:
        write_between(PAGE, "searches", lines, script="searches.py")
        measure([TREE / "node_modules" / ".bin" / "oxfmt", PAGE], **whole)
    return 1 if failed else 0


sys.exit(main())
