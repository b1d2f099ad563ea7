"""What this processor multiplies small integers with."""

from __future__ import annotations

import platform
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
_BEST_FIRST = ("avx512_vnni", "avx_vnni", "avx512bw", "avx2", "asimddp")


def integer_arithmetic(cpuinfo: Path = _CPUINFO) -> str:
    """The machine and the best of the processor's instructions, such as `x86_64 avx2`; the machine
    alone where the system does not say.
    """
    machine = platform.machine()
    try:
        told = set(cpuinfo.read_text(encoding="utf-8", errors="replace").split())
    except OSError:
        return machine
    return " ".join([machine, *[name for name in _BEST_FIRST if name in told][:1]])
