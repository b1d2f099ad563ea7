"""An in-memory `PageTexts`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from citeloom.application.ports.conversion import PageTexts
from citeloom.domain.errors import CiteloomError, UnreadableDocument
from citeloom.domain.evaluation.line_order import PrintedLine, PrintedPage

Told = Sequence[str] | CiteloomError
_LEADING = 12.0


class InMemoryPageTexts(PageTexts):
    """The pages of each file by its name, or the error it raises."""

    def __init__(self, told: Mapping[str, Told] | None = None) -> None:
        self.told = dict(told or {})

    def pages(self, path: Path) -> Sequence[PrintedPage]:
        pages = self.told.get(path.name, UnreadableDocument(f"{path.name} is not there"))
        if isinstance(pages, CiteloomError):
            raise pages
        return [printed(text) for text in pages]


def printed(text: str, *, tagged: bool = False) -> PrintedPage:
    """A page of lines of one size below one another, in their order."""
    lines = tuple(
        PrintedLine(
            text=line,
            left=72.0,
            top=at * _LEADING,
            right=500.0,
            bottom=(at + 0.8) * _LEADING,
            size=10.0,
        )
        for at, line in enumerate(text.splitlines())
        if line.strip()
    )
    return PrintedPage(text=text, lines=lines, tagged=tagged)
