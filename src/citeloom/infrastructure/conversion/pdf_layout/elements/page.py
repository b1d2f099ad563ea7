"""What is on a page before and after its layout is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from docling_core.types.doc.labels import DocItemLabel

from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect, Rule


class Word(NamedTuple):
    """A word as it stands on the page."""

    box: Rect
    text: str
    font: str


@dataclass(frozen=True, slots=True)
class Style:
    """How a stretch of text looks: its size in points and the share of it in each kind of font."""

    size: float
    font: str = ""
    bold: float = 0.0
    italic: float = 0.0
    mono: float = 0.0
    math: float = 0.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, or a part of one where the page has a gap."""

    box: Rect
    text: str
    style: Style
    words: tuple[Word, ...] = ()
    rotated: bool = False

    @property
    def size(self) -> float:
        """Its font size in points."""
        return self.style.size


@dataclass(frozen=True, slots=True)
class PageContent:
    """A parsed page: its lines and everything drawn on it."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
    horizontal: tuple[Rule, ...] = ()
    vertical: tuple[Rule, ...] = ()
    bitmaps: tuple[Rect, ...] = ()
    drawings: tuple[Rect, ...] = ()

    @property
    def area(self) -> float:
        """The page's area in square points."""
        return self.width * self.height


@dataclass(slots=True)
class LayoutBlock:
    """A paragraph, heading, table, figure or the like on one page.

    The label is a first guess from the page alone until the whole document has been looked at.
    `lines` are the text's lines as printed; `rows` are a table's rows of cells. `level` is that
    of a heading which the outline declares, else 0.
    """

    label: DocItemLabel
    box: Rect
    style: Style
    lines: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    level: int = 0
    text: str = field(init=False)

    def __post_init__(self) -> None:
        self.text = " ".join(line.strip() for line in self.lines)


@dataclass(frozen=True, slots=True)
class PageLayout:
    """A page's blocks; all that is kept of a page until the document is put together.

    `confidence` is that of an OCR engine in what it read on the page; text needs none.
    """

    number: int
    width: float
    height: float
    blocks: tuple[LayoutBlock, ...]
    confidence: float | None = None
