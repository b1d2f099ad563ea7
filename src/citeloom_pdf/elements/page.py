"""The content of a page, and its layout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.geometry import PlacedGlyphs, Rect, Rule

BODY = (DocItemLabel.TEXT, DocItemLabel.LIST_ITEM)
FURNITURE = (DocItemLabel.PAGE_HEADER, DocItemLabel.PAGE_FOOTER)

_LARGE = 1.13  # of the body's size


class Word(NamedTuple):
    """A word with its box and font."""

    box: Rect
    text: str
    font: str


UPWARDS, DOWNWARDS = 90, 270  # degrees: the direction of lines on their side


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a piece of text: its size in points and its share in each kind of font."""

    size: float
    font: str = ""
    bold: float = 0.0
    italic: float = 0.0
    mono: float = 0.0
    math: float = 0.0

    def is_large(self, body_size: float) -> bool:
        """Whether it is set apart from body text of this size by its own."""
        return self.size >= _LARGE * body_size


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, or a part of one where the page has a gap.

    A `rotated` line that is set on its side has the `angle` of its direction, 90 upwards and 270
    downwards.
    """

    box: Rect
    text: str
    style: Style
    words: tuple[Word, ...] = ()
    rotated: bool = False
    angle: int = 0

    @property
    def size(self) -> float:
        """Its font size in points."""
        return self.style.size


@dataclass(frozen=True, slots=True)
class HiddenText:
    """Words on a page that a reader does not see, why not, and the box of each."""

    text: str
    reason: str
    boxes: tuple[Rect, ...]


@dataclass(frozen=True, slots=True)
class PageContent:
    """A parsed page: its lines and everything drawn on it, and each letter if they were read.

    The words of `hidden` texts are in no line. The lines of a scan may be its `is_layer`, the text
    that a program read in its image; `doubtful` are the places of lines in which a formula is not
    as it is printed.
    """

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
    horizontal: tuple[Rule, ...] = ()
    vertical: tuple[Rule, ...] = ()
    bitmaps: tuple[Rect, ...] = ()
    drawings: tuple[Rect, ...] = ()
    glyphs: PlacedGlyphs | None = None
    doubtful: tuple[Rect, ...] = ()
    hidden: tuple[HiddenText, ...] = ()
    is_layer: bool = False

    @property
    def area(self) -> float:
        return self.width * self.height


@dataclass(slots=True)
class LayoutBlock:
    """A paragraph, heading, table, figure or the like on one page.

    The label is preliminary, from the page alone, until the whole document has been analysed.
    `lines` are the lines as printed; `rows` are a table's rows of cells, or the lines of each text
    that is set in a picture. A block is `doubtful` where the words of a table do not fit its
    columns, or a formula in a text is not as it is printed. `level` is the heading level that the
    outline declares, else 0, and `confidence` an OCR engine's, None for text that was not read by
    one; `unsure` are the words that the engine is likely to have misread. Blocks `from_right` are
    set in lines that go down the page: the right one is read first.
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
    block are the texts `left_out`: numbers of lines, and those in a figure.
    """

    number: int
    width: float
    height: float
    blocks: tuple[LayoutBlock, ...]
    confidence: float | None = None
    hidden: tuple[HiddenText, ...] = ()
    is_layer: bool = False
    left_out: tuple[str, ...] = ()

    @property
    def has_contents(self) -> bool:
        """Whether a list of contents or an index stands on it."""
        return any(block.label == DocItemLabel.DOCUMENT_INDEX for block in self.blocks)

    @property
    def is_scan(self) -> bool:
        """Whether a program read its text in an image, so that sizes are measured."""
        return self.is_layer or self.confidence is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFailure:
    """A page without text in the result, and why."""

    page: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMetadata:
    """What a file says about itself, empty where it says nothing, and the raw text of its first
    pages, running headers included.
    """

    title: str = ""
    author: str = ""
    doi: str = ""
    front_text: str = ""


# Rules on a page, merged from their pieces.

# a plot drawn point by point has more shapes than any table or frame has lines
_MOST_RULES = 4000
_THICKEST = 2.6  # points: what is thicker is no rule
_SHORTEST_HORIZONTAL = 8.0  # points
_SHORTEST_VERTICAL = 5.0  # points
_SAME_PLACE = 2.0  # pieces of one line are at most this far apart across it
_SAME_RUN = 4.0  # and at most this far apart along it


def find_rules(
    shapes: Iterable[Rect], width: float, height: float
) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """The horizontal and the vertical rules on a page of this size, none on a dense drawing."""
    page = Rect(0, 0, width, height)
    horizontal, vertical = [], []
    for shape in shapes:
        if shape.shared_width(page) < 0 or shape.shared_height(page) < 0:
            continue
        if shape.width >= _SHORTEST_HORIZONTAL and shape.height <= _THICKEST:
            horizontal.append(Rule(shape.middle_y, shape.left, shape.right))
        elif shape.height >= _SHORTEST_VERTICAL and shape.width <= _THICKEST:
            vertical.append(Rule(shape.middle_x, shape.top, shape.bottom))
    if max(len(horizontal), len(vertical)) > _MOST_RULES:
        return (), ()
    # the second pass joins what the first has brought together
    return tuple(_merged(_merged(horizontal))), tuple(_merged(_merged(vertical)))


def _merged(rules: Sequence[Rule]) -> list[Rule]:
    merged: list[Rule] = []
    for rule in sorted(rules):
        for index in range(len(merged) - 1, -1, -1):
            other = merged[index]
            if rule.at - other.at > _SAME_PLACE:
                merged.append(rule)
                break
            if rule.start <= other.end + _SAME_RUN and rule.end >= other.start - _SAME_RUN:
                merged[index] = Rule(
                    other.at, min(other.start, rule.start), max(other.end, rule.end)
                )
                break
        else:
            merged.append(rule)
    return merged
