"""The files that passages are collected in, as a port."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Protocol


class ChapterFiles(Protocol):
    """Markdown files by name. What stands in one is never changed, only added to."""

    @abstractmethod
    def path(self, name: str) -> Path:
        """The path of the file of that name."""
        ...

    @abstractmethod
    def names(self) -> list[str]:
        """The names of the files there are, sorted."""
        ...

    @abstractmethod
    def read(self, name: str) -> str | None:
        """The text of a file; None where there is none. Raises `ConfigError`."""
        ...

    @abstractmethod
    def append(self, name: str, addition: Callable[[str], str]) -> bool:
        """Append what `addition` makes of the text of a file, while no other process appends;
        whether that was anything. Nothing or all of it is written.

        Raises `ConfigError` for a file that cannot be written, `DiskFull` for want of room.
        """
        ...
