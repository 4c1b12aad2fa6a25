"""
Runs every notebook of this folder from an empty data folder: a backtest and a small study on the recording that
ships with sarraf come first. Ends with 1 where a cell fails, and says which.

    python docs/research/run.py
"""

import json
import os
import sys
import tempfile
import traceback
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
RECORDING = FOLDER.parents[1] / "data" / "example"
DATA = ["--market", "BTCUSDT", "--timeframe", "5m", "--catalogue", str(RECORDING), "--cash", "10000", "--fee", "0.1%"]


def run(notebook: Path) -> int:
    """The number of cells that ran; throws what a cell throws, with its place."""
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    names: dict[str, object] = {}
    for number, cell in enumerate(cells, start=1):
        exec(compile("".join(cell["source"]), f"{notebook.name}, cell {number}", "exec"), names)
    return len(cells)


def main() -> int:
    os.environ["MPLBACKEND"] = "Agg"
    os.environ["SARRAF_CATALOGUE"] = str(RECORDING)
    sys.path.insert(0, str(FOLDER))
    from sarraf_sql import sarraf

    with tempfile.TemporaryDirectory() as data:
        os.environ["SARRAF_DATA"] = data
        sarraf("backtest", "mean-reversion", *DATA, "--data", data)
        sarraf("study", "run", "mean-reversion", *DATA, "--data", data, "--trials", "12", "--seed", "7", "--workers", "1")
        for notebook in sorted(FOLDER.glob("*.ipynb")):
            try:
                print(f"{notebook.name}: {run(notebook)} cells ran", flush=True)
            except Exception:
                traceback.print_exc()
                print(f"{notebook.name}: a cell failed", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
