#!/usr/bin/env python3
"""sarraf beside its peers: the same bars, the same rule, each in processes of its own.

Every peer gets a virtual environment with pinned versions from PyPI. What is measured is kept in the cache
folder as soon as a peer is done, so that --only measures one again and keeps the rest. A run over all bars
writes its tables into docs/performance.md; a shorter one only prints them.
"""

import argparse
import datetime
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from goals import goal_lines
from machine import machine_facts
from measured_process import ProcessFailed, measure
from page import PEERS, peer_lines, write_between
from phases import measure_bare, measure_bench, measure_peer, measure_sarraf

TREE = Path(__file__).resolve().parents[2]
PAGE = TREE / "docs" / "performance.md"
BARS = 1_051_200
BENCHES = ["matching", "engine", "decision", "backtest", "many-runs", "poll", "start", "idle", "soak"]
NAMES = ["bare", "sarraf", *PEERS, *(f"bench:{name}" for name in BENCHES)]

EPILOG = f"""names: {", ".join(NAMES)}

examples:
  python3 bench/peers/run.py --cache /tmp/peers            everything, some hours; writes the page
  python3 bench/peers/run.py --only sarraf --only bare     these again, and the page with the rest as it was
  python3 bench/peers/run.py --bars 100000 --rounds 2      a trial of some minutes, which writes no page

exit codes: 0 all of it was measured, 1 something could not be measured, 2 an option is wrong.
"""


class Setup:
    """What all measurements share."""

    def __init__(self, args, work):
        self.tree = TREE
        self.node = TREE / "node_modules" / "node" / "bin" / "node"
        self.cache = args.cache
        self.bars = args.bars
        self.rounds = args.rounds
        self.seconds = args.seconds
        self.timeout_s = args.timeout
        self.work = work
        self.csv = work / "bars.csv"

    def fresh_folder(self):
        return Path(tempfile.mkdtemp(dir=self.work))


def read_arguments():
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sarraf-peers"
    parser = argparse.ArgumentParser(
        prog="python3 bench/peers/run.py",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--only", metavar="NAME", action="append", choices=NAMES, help="repeatable")
    parser.add_argument("--bars", type=int, default=BARS, help=f"the first so many minutes, {BARS:,} at most")
    parser.add_argument("--rounds", type=int, default=5, help="most rounds of a measurement (default: 5)")
    parser.add_argument(
        "--seconds", type=float, default=120, help="CPU seconds after which no round begins (default: 120)"
    )
    parser.add_argument(
        "--timeout", type=float, default=1800, help="seconds that one process may take (default: 1800)"
    )
    parser.add_argument(
        "--cache", type=Path, default=cache, help=f"environments and results (default: {cache})"
    )
    parser.add_argument("--json", action="store_true", help="print what was measured as JSON, and no table")
    args = parser.parse_args()
    if not 1_000 <= args.bars <= BARS:
        parser.error(f"expected 1000 to {BARS} for --bars, was {args.bars}")
    if args.rounds < 1 or args.seconds <= 0 or args.timeout <= 0:
        parser.error("expected more than 0 for --rounds, --seconds and --timeout")
    args.cache = args.cache.expanduser().resolve()
    return args


def measured(name, setup):
    if name == "bare":
        return measure_bare(setup)
    if name == "sarraf":
        return measure_sarraf(setup)
    if name.startswith("bench:"):
        return {"rows": measure_bench(name.removeprefix("bench:"), setup)}
    return measure_peer(name, PEERS[name], setup)


def problems_of(figures):
    """The phases that could not be measured."""
    if "problem" in figures:
        return ["all"]
    return [name for name, part in figures.items() if isinstance(part, dict) and "problem" in part]


def commit_of_tree():
    """The commit, and whether anything that is measured differs from it."""
    git = ["git", "-C", str(TREE)]
    read = {"capture_output": True, "text": True, "check": False}
    commit = subprocess.run([*git, "describe", "--always"], **read).stdout.strip() or "unknown"
    measured_files = ["--", "src", "bin", "strategies", "bench", "package.json"]
    changed = subprocess.run([*git, "status", "--porcelain", *measured_files], **read).stdout.strip()
    return f"{commit} with changes" if changed else commit


def main():
    args = read_arguments()
    # Ends the process that is measured too, and removes the work folder.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    args.cache.mkdir(parents=True, exist_ok=True)
    path = args.cache / f"results-{args.bars}.json"
    results = json.loads(path.read_text()) if path.exists() else {}
    if args.json:
        # What is said on the way is for people.
        out, sys.stdout = sys.stdout, sys.stderr
    failed = False
    work = Path(tempfile.mkdtemp(prefix="sarraf-peers-"))
    try:
        setup = Setup(args, work)
        whole = {"timeout_s": args.timeout, "folder": TREE}
        # sarraf as it is installed: a checkout without a build loads its sources, which takes longer.
        measure(["npm", "run", "--silent", "build"], **whole)
        measure([setup.node, "bench/write-bars.ts", setup.csv, args.bars], **whole)
        for name in args.only or NAMES:
            print(f"measuring {name} ...", flush=True)
            begun = {"date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}", "commit": commit_of_tree()}
            begun["load"] = os.getloadavg()[0]
            try:
                figures = measured(name, setup)
            except ProcessFailed as failure:
                figures = {"problem": str(failure)}
                print(f"  {figures}", flush=True)
            failed = failed or len(problems_of(figures)) > 0
            results[name] = {**begun, **figures}
            path.write_text(json.dumps(results, indent=2))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    peers = peer_lines(results, args.bars, machine_facts(setup.node))
    goals = goal_lines(results, args.bars)
    if args.json:
        print(json.dumps({"bars": args.bars, "results": results}), file=out)
    else:
        print("\n".join([*peers, "", *goals]))
    if args.bars == BARS:
        write_between(PAGE, "peers", peers)
        write_between(PAGE, "goals", goals)
        measure([TREE / "node_modules" / ".bin" / "oxfmt", PAGE], **whole)
    return 1 if failed else 0


sys.exit(main())
