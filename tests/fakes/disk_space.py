"""A `DiskSpace` that is as large as a test says."""

from __future__ import annotations

from citeloom.application.ports.runtime import DiskSpace


class SetDiskSpace(DiskSpace):
    """Has `free` bytes, and `per_look` less after each look; None is not known."""

    def __init__(self, free: int | None = None, *, per_look: int = 0) -> None:
        self.free = free
        self.per_look = per_look

    def free_bytes(self) -> int | None:
        free = self.free
        if free is not None:
            self.free = max(0, free - self.per_look)
        return free
