"""Statements about a page, and whether a reader's text of it bears them out.

Their form is that of olmOCR-bench: a text that is present or absent, a text before another, a cell
of a table with its neighbours and headings. Each is true or false, and a few letters may differ.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from rapidfuzz import fuzz

Side = Literal["up", "down", "left", "right", "top_heading", "left_heading"]
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ", "0123456789+-ni")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₙ", "0123456789+-ijn")
_UP = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ]+")
_DOWN = re.compile(r"[₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₙ]+")
_BRACES = re.compile(r"([\^_])[({]([^(){}]*)[)}]")
_LINE_END = re.compile(r"[\ufffe\x02\xad]\s*")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-\r?\n(?=[^\W\d_])")
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_HAN = r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uff60]"
_BETWEEN_HAN = re.compile(rf"(?<={_HAN})\s+|\s+(?={_HAN})")
_SIGNS = re.compile(r"\s*([=+<>≤≥\u00b7\u00d7/^_-])\s*")
_ALIKE = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-"),
    0x22C5: "\u00b7",  # two dots that multiply
    0x06A9: "\u0643",  # two forms of kaf
}


def normalised(text: str) -> str:
    """The text without what readers may rightly say otherwise: spaces, dashes, forms of letters."""
    text = _HYPHEN.sub("", _LINE_END.sub("", _UNSEEN.sub("", text)))
    text = _UP.sub(lambda found: f"^{found[0].translate(_RAISED)}", text)
    text = _DOWN.sub(lambda found: f"_{found[0].translate(_LOWERED)}", text)
    text = _BRACES.sub(r"\1\2", unicodedata.normalize("NFKC", text)).translate(_ALIKE)
    return _SIGNS.sub(r"\1", _BETWEEN_HAN.sub("", " ".join(text.split())))


@dataclass(frozen=True)
class Reading:
    """What a reader yields of a page: passages in their order, rows of tables as `a | b`."""

    passages: Sequence[str]

    @cached_property
    def text(self) -> str:
        return normalised("\n".join(self.passages))

    @cached_property
    def tables(self) -> Sequence[Sequence[Sequence[str]]]:
        return [table for passage in self.passages for table in _tables(passage)]


def _tables(passage: str) -> Iterator[list[list[str]]]:
    rows: list[list[str]] = []
    for line in (*passage.splitlines(), ""):
        bare = line.strip()
        if bare.startswith("|") and bare.endswith("|"):  # Markdown's; else the first cell is empty
            bare = bare[1:-1]
        cells = [normalised(cell) for cell in bare.split("|")]
        if len(cells) > 1 and not set(line) <= set("|-: "):
            rows.append(cells)
        elif len(cells) == 1 and rows:
            yield rows
            rows = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What must be so of a page of a document."""

    page: int = 1
    max_diffs: int = 0
    type: str = ""

    def holds(self, reading: Reading) -> bool:
        """Whether it is so of what was read."""
        raise NotImplementedError

    def said(self) -> Mapping[str, object]:
        """Its keys in a file of statements."""
        return {"page": self.page, "max_diffs": self.max_diffs, "type": self.type}


@dataclass(frozen=True, slots=True, kw_only=True)
class Present(Statement):
    """A text that must be there; one that must not, where `absent`."""

    text: str
    absent: bool = False

    def holds(self, reading: Reading) -> bool:
        place = _place(self.text, reading.text, self.max_diffs, folded=self.absent)
        return (place is None) == self.absent

    def said(self) -> Mapping[str, object]:
        return {**Statement.said(self), "text": self.text, "case_sensitive": not self.absent}


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(Statement):
    """A text that stands before another."""

    before: str
    after: str

    def holds(self, reading: Reading) -> bool:
        first = _place(self.before, reading.text, self.max_diffs)
        second = _place(self.after, reading.text, self.max_diffs)
        return first is not None and second is not None and first < second

    def said(self) -> Mapping[str, object]:
        return {**Statement.said(self), "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell(Statement):
    """A cell of a table, and what stands on some of its sides."""

    cell: str
    sides: tuple[tuple[Side, str], ...]

    def holds(self, reading: Reading) -> bool:
        return any(
            all(
                any(_alike(text, other) for other in _on(side, table, row, column))
                for side, text in self.sides
            )
            for table in reading.tables
            for row, cells in enumerate(table)
            for column, cell in enumerate(cells)
            if _alike(self.cell, cell)
        )

    def said(self) -> Mapping[str, object]:
        return {**Statement.said(self), "cell": self.cell, **dict(self.sides)}


def _on(side: Side, table: Sequence[Sequence[str]], row: int, column: int) -> Iterable[str]:
    above = [cells[column] for cells in table[:row] if column < len(cells)]
    below = [cells[column] for cells in table[row + 1 :] if column < len(cells)]
    match side:
        case "up":
            return above[-1:]
        case "down":
            return below[:1]
        case "left":
            return table[row][:column][-1:]
        case "right":
            return table[row][column + 1 : column + 2]
        case "top_heading":
            return above
        case "left_heading":
            return table[row][:1] if column else ()


def _alike(text: str, cell: str) -> bool:
    text = normalised(text)
    return fuzz.ratio(text, cell) >= 100 * (1 - _leeway(text) / len(text))


def _leeway(text: str) -> int:
    return len(text) // 12


def _place(text: str, whole: str, max_diffs: int, *, folded: bool = False) -> int | None:
    """Where the text stands, but for a few letters; None if it does not."""
    text = normalised(text)
    if folded:
        text, whole = text.casefold(), whole.casefold()
    if (at := whole.find(text)) >= 0 or not max_diffs or len(whole) < len(text) - max_diffs:
        return at if at >= 0 else None
    least = 100 * (1 - max_diffs / len(text))
    found = fuzz.partial_ratio_alignment(text, whole, score_cutoff=least)
    return found.dest_start if found else None
