"""The tables of peers, and where they stand in the page."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    title: str
    script: str
    package: str
    saves: str
    phases: tuple = ("start", "cross", "idle", "whole")
    compiles: bool = False
    """Whether its first run of all compiles code, and keeps it."""


PEERS = {
    "vectorbt": Peer(
        "vectorbt", "peer_vectorbt.py", "vectorbt", "orders, equity and figures as CSV",
        # It calls nothing for a bar, so that nothing can do nothing.
        ("start", "cross", "whole"), compiles=True,
    ),
    "backtesting": Peer(
        "backtesting.py", "peer_backtesting.py", "backtesting", "trades and equity as CSV, figures as text"
    ),
    "nautilus": Peer(
        "nautilus_trader", "peer_nautilus.py", "nautilus-trader", "fills, positions and account as CSV"
    ),
    "freqtrade": Peer("freqtrade", "peer_freqtrade.py", "freqtrade", "its result as JSON in a zip file"),
    "jesse": Peer("jesse", "peer_jesse.py", "jesse", "its result as JSON"),
    "backtrader": Peer("backtrader", "peer_backtrader.py", "backtrader", "fills as CSV"),
}  # fmt: skip

WHOLE = {
    "whole": ("from CSV, for the first time", "report, result, and four CSV files"),
    "again": ("from the same CSV again", "the same"),
    "no-save": ("from CSV, with `--no-save`", "nothing"),
    "catalogue": ("from the catalogue, with `--no-save`", "nothing"),
}


def peer_lines(results, bars, machine):
    """What stands between the marks: the machine, and three tables."""
    return [
        *machine,
        *(f"- {line}" for line in dated(results)),
        f"- Command: `python3 bench/peers/run.py{'' if bars == 1_051_200 else f' --bars {bars}'}`.",
        "",
        f"The run phase alone, over {bars:,} bars, in bars a second of CPU time:",
        "",
        *table(
            ["program", "orders", "cross, first", "cross, best", "does nothing, first", "does nothing, best"],
            run_rows(results, bars),
        ),
        "",
        "The whole command, from the file to a saved result:",
        "",
        *table(
            ["program", "orders", "CPU s, first", "CPU s, least", "most memory, MB", "saves"],
            whole_rows(results),
        ),
        "",
        "The start alone: `sarraf --help`, or the import of a peer's modules:",
        "",
        *table(["program", "CPU s, least", "memory, MB"], start_rows(results)),
        "",
        *sweep_lines(results),
        *problem_lines(results),
    ]


def dated(results):
    """When the programs were measured: those that were measured again have a later line."""
    moments = {}
    for name, figures in results.items():
        if not name.startswith("bench:"):
            moments.setdefault((figures["date"], figures["commit"]), []).append(figures)
    for (date, commit), of in sorted(moments.items()):
        load = max(figures["load"] for figures in of)
        names = ", ".join(title_of(name, results) for name in results if results[name] in of)
        yield f"{date}, commit {commit}, load of the machine before {load:.1f} at most: {names}."


def title_of(name, results):
    if name == "bare":
        return "bare loop with the same averages"
    if name not in PEERS:
        return name
    peer = PEERS[name]
    return f"{peer.title} {results.get(name, {}).get('versions', {}).get(peer.package, '')}".strip()


def part(results, name, phase):
    """What was measured of a phase; none where nothing was."""
    figures = results.get(name, {}).get(phase, {})
    return figures if "cpu_s" in figures else None


def rate(figures, bars, choose):
    return "-" if figures is None else f"{three_digits(bars / choose(figures['cpu_s'])):,.0f}"


def first(values):
    return values[0]


def three_digits(value):
    return float(f"{value:.3g}")


def run_rows(results, bars):
    rows = []
    for name in ["bare", "sarraf", *PEERS]:
        cross, idle = part(results, name, "cross"), part(results, name, "idle")
        if cross is None and idle is None:
            continue
        # The bare loop only counts the crossings.
        orders = "-" if cross is None or name == "bare" else f"{orders_of(results, name, cross):,}"
        cells = [rate(figures, bars, choose) for figures in (cross, idle) for choose in (first, min)]
        least = float("inf") if cross is None else min(cross["cpu_s"])
        rows.append((least, [title_of(name, results), orders, *cells]))
    return [row for _, row in sorted(rows, key=lambda row: row[0])]


def orders_of(results, name, cross):
    """Those of the whole command where there is one: the run phase of sarraf counts its fills."""
    whole = part(results, name, "whole")
    return (whole or cross)["orders"]


def whole_rows(results):
    rows = []
    for phase, (text, saves) in WHOLE.items():
        rows.append((f"**sarraf**, {text}", part(results, "sarraf", phase), saves))
    for name, peer in PEERS.items():
        rows.append((title_of(name, results), part(results, name, "whole"), peer.saves))
    return [
        [
            title,
            f"{figures['orders']:,}" if "orders" in figures else "-",
            f"{figures['cpu_s'][0]:.1f}",
            f"{min(figures['cpu_s']):.1f}",
            f"{figures['rss_mb']:,.0f}",
            saves,
        ]
        for title, figures, saves in rows
        if figures is not None
    ]


def start_rows(results):
    rows = [(name, part(results, name, "start")) for name in ["sarraf", *PEERS]]
    return [
        [title_of(name, results), f"{min(figures['cpu_s']):.2f}", f"{figures['rss_mb']:,.0f}"]
        for name, figures in rows
        if figures is not None
    ]


def sweep_lines(results):
    sweep = part(results, "sarraf", "sweep")
    if sweep is None:
        return []
    one, *later = sweep["cpu_s"]
    middle = sorted(later)[len(later) // 2]
    return [
        f"{len(sweep['cpu_s'])} runs of {sweep['bars']:,} bars in one process of `sarraf/research`: "
        f"{one:.2f} s of CPU for the first, {middle:.3f} s for each later one, "
        f"{sweep['rss_mb']:,.0f} MB at the most.",
        "",
    ]


def problem_lines(results):
    """What could not be measured, and why: nothing is left out in silence."""
    lines = []
    for name in ["bare", "sarraf", *PEERS]:
        figures = results.get(name)
        if figures is None:
            lines.append(f"- {name}: not measured yet.")
        elif "problem" in figures:
            lines.append(f"- {title_of(name, results)}: {one_line(figures['problem'])}")
        else:
            for phase, of in figures.items():
                if isinstance(of, dict) and "problem" in of:
                    lines.append(f"- {title_of(name, results)}, {phase}: {one_line(of['problem'])}")
    return ["Could not be measured:", "", *lines, ""] if lines else []


def one_line(problem):
    """The end of a message, where the cause stands, as code of the page."""
    words = " ".join(problem.replace("`", "'").split())
    return f"`{words[-200:]}`"


def table(head, rows):
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def write_between(path, name, lines, script="run.py"):
    """Puts lines between two marks of a page. Throws where the marks are not there."""
    begin, end = f"<!-- {name}: written by bench/peers/{script} -->", f"<!-- end of {name} -->"
    page = path.read_text()
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"expected {begin} and {end} once each in {path}; put them where the tables belong")
    before, rest = page.split(begin)
    after = rest.split(end)[1]
    path.write_text("\n".join([f"{before}{begin}", "", *lines, "", f"{end}{after}"]))
