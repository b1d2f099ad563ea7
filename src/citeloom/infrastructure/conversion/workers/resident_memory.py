"""How much memory another process holds."""

from __future__ import annotations

import os
from pathlib import Path


def resident_bytes(pid: int | None) -> int:
    """The bytes a process holds in memory; 0 where the system does not say or it has ended."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if len(fields) > 1 else 0
