"""The blocks of a page, and its layout."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import HiddenText, Style

BODY = (DocItemLabel.TEXT, DocItemLabel.LIST_ITEM)
FURNITURE = (DocItemLabel.PAGE_HEADER, DocItemLabel.PAGE_FOOTER)


@dataclass(slots=True)
class LayoutBlock:
    """A paragraph, heading, table, figure or the like on one page.

    The label is preliminary, from the page alone, until the whole document has been analysed.
    `lines` are the lines as printed; `rows` are a table's rows of cells, a line feed where
    perhaps no space belongs between two lines of a cell, or the lines of each text that is set in a
    picture. A block is `doubtful` where the words of a table do not fit its columns, or a formula
    in a text is not as it is printed. `level` is the heading level that the
    outline declares, else 0, and `confidence` an OCR engine's, None for text that was not read by
    one; `unsure` are the words that the engine is likely to have misread, and it is `disputed` if a
    second reading of the image has other words. Blocks `from_right` are set in lines that go down
    the page: the right one is read first.
    """

    label: DocItemLabel
    box: Rect
    style: Style
    lines: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    level: int = 0
    doubtful: bool = False
    confidence: float | None = None
    unsure: tuple[str, ...] = ()
    disputed: bool = False
    from_right: bool = False
    text: str = field(init=False)

    def __post_init__(self) -> None:
        self.text = " ".join(line.strip() for line in self.lines)

    @property
    def is_empty_picture(self) -> bool:
        """Whether it is a picture without text that is set in it."""
        return self.label == DocItemLabel.PICTURE and not self.rows


@dataclass(frozen=True, slots=True)
class PageLayout:
    """A page's blocks; all that is kept of a page until the document is assembled.

    `confidence` is the OCR engine's for the page, None for a page with text, and `is_layer` says
    that the page is a scan with a text of its own, from which OCR may have found another. In no
    block are the texts `left_out`: numbers of lines, readings of characters, and those in a figure.
    The boxes are those of the page as it is read, after `turn` quarters counter-clockwise: a scan
    may have been laid on its side, or upside down.
    """

    number: int
    width: float
    height: float
    blocks: tuple[LayoutBlock, ...]
    confidence: float | None = None
    hidden: tuple[HiddenText, ...] = ()
    is_layer: bool = False
    left_out: tuple[str, ...] = ()
    turn: int = 0

    def turned_back(self) -> PageLayout:
        """The page as it is shown, with its blocks where they stand on that."""
        if not self.turn:
            return self
        blocks = tuple(replace(block, box=self.shown(block.box)) for block in self.blocks)
        width, height = self.shown_size
        return replace(self, width=width, height=height, blocks=blocks, turn=0)

    @property
    def shown_size(self) -> tuple[float, float]:
        """The width and the height of the page as it is shown."""
        return (self.height, self.width) if self.turn % 2 else (self.width, self.height)

    def shown(self, box: Rect) -> Rect:
        """A box of the page where it stands as the page is shown."""
        return box.turned(self.width, self.height, -self.turn)

    @property
    def has_contents(self) -> bool:
        """Whether a list of contents or an index stands on it."""
        return any(block.label == DocItemLabel.DOCUMENT_INDEX for block in self.blocks)

    @property
    def is_scan(self) -> bool:
        """Whether a program read its text in an image, so that sizes are measured."""
        return self.is_layer or self.confidence is not None
