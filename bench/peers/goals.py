"""The goals of the project for speed and memory, beside what was measured."""

from dataclasses import dataclass
from typing import Callable

from page import part, table


@dataclass(frozen=True)
class Goal:
    """A figure that should be at most, or at least, the limit."""

    text: str
    command: str
    measured: Callable
    """From all results and the number of bars; none where nothing was measured."""
    shown: str
    at_most: float | None = None
    at_least: float | None = None


def whole(phase, figure):
    def measured(results, _):
        figures = part(results, "sarraf", phase)
        return None if figures is None else figure(figures)

    return measured


def ratio_of_whole(results, _):
    ours, theirs = part(results, "sarraf", "whole"), part(results, "backtesting", "whole")
    if ours is None or theirs is None:
        return None
    return min(theirs["cpu_s"]) / min(ours["cpu_s"])


def idle_rate(results, bars):
    idle = part(results, "sarraf", "idle")
    return None if idle is None else bars / min(idle["cpu_s"]) / 1e6


def row(bench, begins, field="value", factor=1.0):
    """A figure of a row of one of the project's benchmarks, found by its name or how that begins."""

    def measured(results, _):
        rows = results.get(f"bench:{bench}", {}).get("rows")
        if rows is None:
            return None
        named = [one for one in rows if one["name"] == begins]
        begun = named or [one for one in rows if one["name"].startswith(begins)]
        found = [one[field] for one in begun if one[field] is not None]
        if len(found) != 1:
            raise LookupError(f"expected one row '{begins}' of {bench}, found {len(found)}")
        return found[0] * factor

    return measured


def later_run(results, _):
    sweep = part(results, "sarraf", "sweep")
    if sweep is None or len(sweep["cpu_s"]) < 2:
        return None
    later = sorted(sweep["cpu_s"][1:])
    return later[len(later) // 2]


RUN = "`bench/peers/run.py --only sarraf`"


def least(figures):
    return min(figures["cpu_s"])


def bench(name):
    return f"`npm run bench -- {name}`"


GOALS = [
    Goal("the whole command on a million bars of CSV, report saved: at most 3 s of CPU", RUN,
         whole("whole", least), "{:.1f} s", at_most=3),
    Goal("the same: at least 4 times as fast as backtesting.py",
         "`bench/peers/run.py --only sarraf --only backtesting`", ratio_of_whole, "{:.1f} times", at_least=4),
    Goal("the run phase of the cross: at least 0.2 of the bare loop", bench("backtest"),
         row("backtest", "backtest: cross", field="ratio"), "{:.3f}", at_least=0.2),
    Goal("the same: 0.37 of the bare loop", bench("backtest"),
         row("backtest", "backtest: cross", field="ratio"), "{:.3f}", at_least=0.37),
    Goal("a strategy that does nothing: at least 10 million bars/s of CPU", RUN, idle_rate, "{:.1f} million",
         at_least=10),
    Goal("recorded rows with two quotes: at least 2 million rows/s of CPU", bench("poll"),
         row("poll", "poll: 10000000 books", factor=1e-6), "{:.2f} million", at_least=2),
    Goal("a request on recorded rows: at most 30 µs of CPU", bench("poll"),
         row("poll", "poll: a request"), "{:.0f} µs", at_most=30),
    Goal("a day at the fastest rates: at most 1 s of CPU", bench("poll"),
         row("poll", "poll: a day", factor=1e-3), "{:.1f} s", at_most=1),
    Goal("the engine alone: 1 million polls/s of CPU", bench("engine"),
         row("engine", "engine/two-resting-quotes", factor=1e-6), "{:.2f} million", at_least=1),
    Goal("200 runs in one process: at most 0.06 s of CPU for each after the first", RUN, later_run, "{:.3f} s",
         at_most=0.06),
    Goal("a million bars from the catalogue: at most 300 ms", bench("backtest"),
         row("backtest", "backtest: a million bars"), "{:.0f} ms", at_most=300),
    Goal("matching with accounts: at least 1 million operations/s of CPU", bench("matching"),
         row("matching", "matching/with-accounts", factor=1e-6), "{:.2f} million", at_least=1),
    Goal("memory of the whole command: under 250 MB", RUN, whole("whole", lambda of: of["rss_mb"]), "{:.0f} MB",
         at_most=250),
    Goal("memory of ten runs in one process: no more than of one", bench("many-runs"),
         row("many-runs", "many-runs: most memory", field="ratio"), "{:.2f} times", at_most=1),
    Goal("`sarraf --help`: at most 120 ms of CPU", bench("start"), row("start", "start: sarraf --help"),
         "{:.0f} ms", at_most=120),
    Goal("`sarraf status`: at most 150 ms of CPU", bench("start"), row("start", "start: sarraf status"),
         "{:.0f} ms", at_most=150),
    Goal("`sarraf run` to its first poll: at most 500 ms of CPU", bench("start"),
         row("start", "start: sarraf run"), "{:.0f} ms", at_most=500),
    Goal("a decision to durable rows: under 2 commits", bench("decision"),
         row("decision", "decision/book-to-encoded-order/median", field="ratio"), "{:.2f} commits", at_most=2),
    Goal("lag of the loop with 30 markets: under 5 ms, 99 of 100", bench("idle"),
         row("idle", "idle: lag"), "{:.1f} ms", at_most=5),
    Goal("an idle daemon: under 1 % of a core", bench("idle"), row("idle", "idle: share"), "{:.2f} %",
         at_most=1),
    Goal("30 markets over 24 virtual hours: under 150 MB", bench("soak"), row("soak", "soak/most-rss"),
         "{:.0f} MB", at_most=150),
    Goal("the same: the heap of the last hour as that of the second", bench("soak"),
         row("soak", "soak/heap-of-last-hour", field="ratio"), "{:.2f} times", at_most=1.1),
]  # fmt: skip


def goal_lines(results, bars):
    return table(["goal", "measured", "", "command"], [line(goal, results, bars) for goal in GOALS])


def line(goal, results, bars):
    try:
        value = goal.measured(results, bars)
    except LookupError as error:
        return [goal.text, "-", str(error), goal.command]
    if value is None:
        return [goal.text, "-", "not measured", goal.command]
    is_met = value <= goal.at_most if goal.at_most is not None else value >= goal.at_least
    return [goal.text, goal.shown.format(value), "met" if is_met else "**missed**", goal.command]
