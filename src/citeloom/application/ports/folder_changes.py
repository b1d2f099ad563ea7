"""Changes in folders, as a port."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol


class FolderChanges(Protocol):
    """Notices that something below the watched folders has changed.

    It may miss a change, e.g. on a network drive, so whoever waits looks now and then anyway.
    """

    @abstractmethod
    def wait(self, seconds: float) -> bool:
        """Return True once something has changed, False when `seconds` have passed. A change
        since the last call returns at once.
        """
        ...

    @abstractmethod
    def are_intact(self) -> bool:
        """Whether every watched folder is there and on the same disk as at the first look, so
        that a file missing from it has been deleted.
        """
        ...

    @abstractmethod
    def close(self) -> None:
        """Stop watching. May be called twice."""
        ...
