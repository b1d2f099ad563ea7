"""The content of a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from citeloom_pdf.elements.geometry import PlacedGlyphs, Rect, Rule, enclosing

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

    def turned(self, width: float, height: float, quarters: int) -> Line:
        """The line where a page of this size has it once it is turned counter-clockwise."""
        words = (w._replace(box=w.box.turned(width, height, quarters)) for w in self.words)
        return replace(self, box=self.box.turned(width, height, quarters), words=tuple(words))

    def part_of(self, words: Sequence[Word]) -> Line:
        """The part of the line that some of its words are."""
        text = " ".join(word.text for word in words)
        return replace(
            self, box=enclosing(word.box for word in words), text=text, words=tuple(words)
        )


@dataclass(frozen=True, slots=True)
class HiddenText:
    """Words on a page that a reader does not see, why not, and the box of each."""

    text: str
    reason: str
    boxes: tuple[Rect, ...]


class FormulaPlaces(NamedTuple):
    """Where on a page formulas are not as they are printed, `doubtful` lines, and what in others
    stands above or below their rows, but was read in its place: `stacked` fractions and signs with
    their limits, and `scripts`.
    """

    doubtful: tuple[Rect, ...] = ()
    stacked: tuple[Rect, ...] = ()
    scripts: tuple[Rect, ...] = ()


NO_FORMULAS = FormulaPlaces()


@dataclass(frozen=True, slots=True)
class PageContent:
    """A parsed page: its lines and everything drawn on it, and each letter if they were read.

    The words of `hidden` texts are in no line. The lines of a scan may be its `is_layer`, the text
    that a program read in its image, upright after `turn` quarters counter-clockwise; `formulas`
    says where parts of formulas are.
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
    formulas: FormulaPlaces = NO_FORMULAS
    hidden: tuple[HiddenText, ...] = ()
    is_layer: bool = False
    turn: int = 0

    @property
    def area(self) -> float:
        return self.width * self.height


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
