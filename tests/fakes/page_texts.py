"""An in-memory `PageTexts`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from citeloom.application.ports.conversion import PageTexts
from citeloom.domain.errors import CiteloomError, UnreadableDocument

Told = Sequence[str] | CiteloomError


class InMemoryPageTexts(PageTexts):
    """The pages of each file by its name, or the error it raises."""

    def __init__(self, told: Mapping[str, Told] | None = None) -> None:
        self.told = dict(told or {})

    def pages(self, path: Path) -> Sequence[str]:
        pages = self.told.get(path.name, UnreadableDocument(f"{path.name} is not there"))
        if isinstance(pages, CiteloomError):
            raise pages
        return pages
