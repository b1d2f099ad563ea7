"""The port to the room there is on disk."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol


class DiskSpace(Protocol):
    """The room on the disk that a library's data lies on."""

    @abstractmethod
    def free_bytes(self) -> int | None:
        """How much may still be written; None where that is not known."""
        ...
