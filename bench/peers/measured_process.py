"""A process, and what it took of the processor and of memory."""

import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

# What of a failed process's output is told.
TOLD_CHARACTERS = 600


class ProcessFailed(Exception):
    """It ended with another code than zero, or was ended because it took too long."""


@dataclass(frozen=True)
class Measured:
    cpu_s: float
    """User and system time of the process and of all that it started and waited for."""
    rss_mb: float
    """The most memory that one of them had, in millions of bytes."""
    wall_s: float
    """Time of the clock, which other programs on the machine change."""
    output: str


def measure(command, *, timeout_s, folder, environment=None, expected=(0,)):
    """Runs a command to its end. Throws ProcessFailed, also where it takes longer than the timeout."""
    begun = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
        is_late = threading.Event()

        def end():
            is_late.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(timeout_s, end)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            timer.cancel()
        code = process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if is_late.is_set():
        raise ProcessFailed(f"took longer than {timeout_s:g} s")
    if code not in expected:
        raise ProcessFailed(f"ended with {code}: {text.strip()[-TOLD_CHARACTERS:]}")
    wall_s = time.monotonic() - begun
    return Measured(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6, wall_s, text)
