"""Processes at work in a folder, and the moments at which they are disturbed."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_PATIENCE = 120
"""Seconds after which a process counts as hanging."""


def wait_until(holds: Callable[[], bool], process: subprocess.Popen[Any] | None = None) -> None:
    """Wait until something holds, or the process has ended."""
    deadline = time.monotonic() + _PATIENCE
    while not holds() and (process is None or process.poll() is None):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


def processes_in(folder: Path) -> list[str]:
    """The command lines of the running processes whose working directory is the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").resolve(strict=True) == folder.resolve():
                found.append((process / "cmdline").read_text(encoding="utf-8", errors="replace"))
        except OSError:
            continue  # it has ended, or is another user's
    return [line.replace("\0", " ") for line in found if line]
