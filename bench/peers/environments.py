"""A virtual environment for each peer, with the versions that its file of requirements pins."""

import json
import subprocess
import sys

from measured_process import ProcessFailed, measure


def prepare(name, requirements, cache, timeout_s):
    """Makes the environment of a peer, unless it is there. Answers its Python and the versions of it."""
    folder = cache / name
    python = folder / "bin" / "python"
    done = folder / "requirements.installed"
    # Another interpreter has other modules of its own.
    wanted = f"{requirements.read_text()}# {sys.version}\n"
    if not done.exists() or done.read_text() != wanted:
        measure([sys.executable, "-m", "venv", "--clear", folder], timeout_s=timeout_s, folder=cache)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        measure([*pip, "--requirement", requirements], timeout_s=timeout_s, folder=cache)
        done.write_text(wanted)
    pinned = {normal(line.split("==")[0]) for line in wanted.splitlines() if "==" in line}
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"],
        capture_output=True,
        check=True,
    )
    found = {normal(package["name"]): package["version"] for package in json.loads(listed.stdout)}
    missing = sorted(name for name in pinned if name not in found)
    if missing:
        raise ProcessFailed(f"expected {', '.join(missing)} in {folder}; remove that folder and start again")
    return python, {name: found[name] for name in sorted(pinned)}

def normal(name):
    """A package's name as registries compare it."""
    return name.lower().replace("_", "-")
