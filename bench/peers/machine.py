"""The machine of a run."""

import os
import platform
import subprocess
from pathlib import Path


def machine_facts(node):
    """Lines that say what was measured on."""
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    model = fact("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()
    memory_kib = fact("/proc/meminfo", "MemTotal").split(" ")[0] or "0"
    return [
        f"- Machine: {model}, {os.cpu_count()} cores, {int(memory_kib) * 1024 / 1e9:.0f} GB of memory, "
        f"{platform.system()} {platform.release()}.",
        f"- Node {version.removeprefix('v')}, Python {platform.python_version()}.",
    ]


def fact(path, name):
    """The first value of that name; empty on another system."""
    file = Path(path)
    lines = file.read_text().splitlines() if file.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(name)), "")
