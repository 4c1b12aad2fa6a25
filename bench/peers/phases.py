"""What is measured of each peer and of sarraf: one dictionary of plain figures each, as it is stored."""

import json

from environments import prepare
from measured_process import ProcessFailed, measure

PHASES = ["start", "cross", "idle", "whole"]
SWEEP_RUNS = 200
SWEEP_BARS = 105_000
# Parameters of the cross and the terms of its market, as the command line takes them.
CROSS = (
    "ma-cross --market BTCUSDT --timeframe 1m --param fast=10 --param slow=30 --param share=0.01 "
    "--cash 10000 --fee 0.1% --price-step 0.01 --amount-step 0.000001"
).split()


def repeated(once, *, rounds, seconds):
    """Measures until there are enough rounds, or they took so much of the processor."""
    measured = []
    while len(measured) < rounds and sum(one.cpu_s for one in measured) < seconds:
        measured.append(once())
    return measured


def usage(measured):
    """Of some processes: what each took of the processor, and the most memory of all."""
    return {
        "cpu_s": [one.cpu_s for one in measured],
        "rss_mb": max(one.rss_mb for one in measured),
    }


def last_line(measured):
    """What the program printed last, as JSON: others print before it."""
    return json.loads(measured.output.strip().splitlines()[-1])


def guarded(figures, name, work):
    """Stores what some work measured, or why it could not be measured."""
    try:
        figures[name] = work()
    except ProcessFailed as failure:
        figures[name] = {"problem": str(failure)}
    print(f"  {name}: {brief(figures[name])}", flush=True)


def brief(figures):
    """A line for who looks on."""
    if "problem" in figures:
        return figures["problem"]
    cpu_s = figures["cpu_s"]
    orders = f", {figures['orders']} orders" if "orders" in figures else ""
    return f"{cpu_s[0]:.2f} s of CPU first, {min(cpu_s):.2f} s least of {len(cpu_s)}{orders}"


def measure_peer(name, peer, setup):
    """All phases of one peer, each in processes of its own."""
    here = setup.tree / "bench" / "peers"
    requirements = here / "requirements" / f"{name}.txt"
    python, versions = prepare(name, requirements, setup.cache, setup.timeout_s)
    figures = {"versions": versions}

    def command_of(phase, out):
        # The rounds of a run are in one process, so that the later ones are warm.
        inner = [f"--rounds={setup.rounds}", f"--seconds={setup.seconds}"]
        return [python, here / peer.script, phase, f"--bars={setup.csv}", f"--out={out}", *inner]

    if peer.compiles:
        out = setup.fresh_folder()
        compiling = {"timeout_s": setup.timeout_s, "folder": out}
        guarded(figures, "compile", lambda: usage([measure(command_of("whole", out), **compiling)]))
    for phase in PHASES:
        if phase not in peer.phases:
            continue
        out = setup.fresh_folder()
        command = command_of(phase, out)

        def once(command=command, out=out):
            # What a peer leaves behind goes away with the folder.
            return measure(
                command, timeout_s=setup.timeout_s, folder=out, environment={"TMPDIR": str(out)}
            )

        def phase_of(phase=phase, once=once):
            if phase in ("cross", "idle"):
                measured = once()
                return {**last_line(measured), "rss_mb": measured.rss_mb}
            measured = repeated(once, rounds=setup.rounds, seconds=setup.seconds)
            orders = {"orders": last_line(measured[0])["orders"]} if phase == "whole" else {}
            return {**usage(measured), **orders}

        guarded(figures, phase, phase_of)
    return figures


def measure_bare(setup):
    """The same averages over the same array, in a loop without anything else."""
    figures = {}
    guarded(figures, "cross", lambda: run_phase("bare", setup))
    return figures


def run_phase(phase, setup):
    script = setup.tree / "bench" / "run-phase.ts"
    command = [setup.node, script, phase, setup.rounds, setup.bars]
    measured = measure(command, timeout_s=setup.timeout_s, folder=setup.tree)
    return {**last_line(measured), "rss_mb": measured.rss_mb}


def measure_sarraf(setup):
    """The run phase, and whole commands as a user types them."""
    figures = {}
    home = setup.fresh_folder()
    environment = {"NODE_COMPILE_CACHE": str(home / "compiled"), "XDG_CACHE_HOME": str(home / "cache")}

    def sarraf(*arguments, **changes):
        command = [setup.node, setup.tree / "bin" / "sarraf.js", *arguments]
        return measure(
            command,
            timeout_s=setup.timeout_s,
            folder=setup.tree,
            environment={**environment, **changes},
        )

    def rounds_of(*arguments):
        return usage(repeated(lambda: sarraf(*arguments), rounds=setup.rounds, seconds=setup.seconds))

    def cold(*arguments):
        """Each round with an empty cache of columns, as where no run has read the bars before."""

        def once():
            return sarraf(*arguments, XDG_CACHE_HOME=str(setup.fresh_folder()))

        return usage(repeated(once, rounds=setup.rounds, seconds=setup.seconds))

    def saved():
        data = setup.fresh_folder()
        figures = cold("backtest", *CROSS, "--csv", setup.csv, "--data", data)
        summary = next(data.glob("backtests/*/summary.json"))
        return {**figures, "orders": json.loads(summary.read_text())["summary"]["orders"]}

    def again():
        data = setup.fresh_folder()
        command = ["backtest", *CROSS, "--csv", setup.csv, "--data", data]
        sarraf(*command)
        return rounds_of(*command)

    def from_catalogue():
        catalogue = setup.fresh_folder() / "catalogue"
        kind = ["--market", "BTCUSDT", "--timeframe", "1m", "--catalogue", catalogue]
        sarraf("data", "import", setup.csv, *kind)
        return cold("backtest", *CROSS, "--catalogue", catalogue, "--no-save")

    def sweep():
        script = setup.tree / "bench" / "many-runs-process.ts"
        bars = min(SWEEP_BARS, setup.bars)
        measured = measure(
            [setup.node, script, SWEEP_RUNS, bars], timeout_s=setup.timeout_s, folder=setup.tree
        )
        return {**last_line(measured), "bars": bars}

    # The first start of all compiles the code, and keeps it.
    sarraf("backtest", "--help")
    guarded(figures, "start", lambda: rounds_of("--help"))
    guarded(figures, "cross", lambda: run_phase("cross", setup))
    guarded(figures, "idle", lambda: run_phase("idle", setup))
    guarded(figures, "whole", saved)
    guarded(figures, "again", again)
    guarded(figures, "no-save", lambda: cold("backtest", *CROSS, "--csv", setup.csv, "--no-save"))
    guarded(figures, "catalogue", from_catalogue)
    guarded(figures, "sweep", sweep)
    return figures


def measure_bench(name, setup):
    """The rows of one of the project's own benchmarks."""
    command = [setup.node, "--expose-gc", "--max-semi-space-size=128", "bench/main.ts", "--json", name]
    # A target that is missed makes it end with 1; the row says so too.
    measured = measure(command, timeout_s=setup.timeout_s, folder=setup.tree, expected=(0, 1))
    try:
        return last_line(measured)["results"]
    except (ValueError, KeyError, TypeError) as error:
        raise ProcessFailed(f"expected rows as JSON, was {measured.output.strip()[-300:]}") from error
