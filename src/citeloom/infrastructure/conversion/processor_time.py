"""How much processor time another process has used."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

_USER, _SYSTEM = 11, 12  # places in /proc/PID/stat, counted behind the process's name


def processor_clock(pid: int | None) -> Callable[[], float]:
    """The seconds of processor time a process has used, as a clock; where the system does not say,
    the seconds that pass.
    """
    if processor_seconds(pid) is None:
        return time.monotonic
    return lambda: processor_seconds(pid) or 0.0


def processor_seconds(pid: int | None) -> float | None:
    """The seconds all threads of a process have used; nothing where the system does not say or
    the process has been reaped.
    """
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = status.rpartition(")")[2].split()
    return (int(fields[_USER]) + int(fields[_SYSTEM])) / os.sysconf("SC_CLK_TCK")
