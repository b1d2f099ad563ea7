"""The numbers of headings: which of them are one sequence, and what it says of the levels."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence, Set
from typing import NamedTuple

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.direction import weight
from citeloom_pdf.structure.chapters import LABEL
from citeloom_pdf.structure.reading_order import ReadingItem

# The numbers of titles, and the sequence that they are.

Number = tuple[int, ...]
"""The parts of a number; letters of appendices stand behind all numbers."""

_NUMBER = re.compile(r"\s*((?:\d{1,3}|[A-Z])(?:\.\d{1,3})*)(?:[.:)]\s|\.?\s)\s*\S")
_LETTERED = re.compile(r"[A-Z]((?:\.\d{1,2})+)")
_APPENDICES = 1000  # more than the chapters of any book

_LEAST_DOTTED = 2  # headings such as `1.1`, from which a document has numbered sections
_IN_SEQUENCE = 0.7  # of them: with fewer, each part of the document is numbered anew
_NEAR = (-1, 0, 1)  # a chapter's number is so far from that of chapters with numbered sections


def number_of(title: str) -> Number | None:
    """The number at the head of a title: `5.7 Soils`, `Chapter 3: Soils`, `Appendix A`."""
    label = LABEL.match(title)
    if label is not None and not label["part"]:
        text = label["number"].upper()
        return _parts(text) if text.isdigit() or len(text) == 1 else None
    match = _NUMBER.match(title)
    return _parts(match[1]) if match else None


def _parts(text: str) -> Number:
    first, *others = text.split(".")
    number = int(first) if first.isdigit() else _APPENDICES + ord(first)
    return (number, *map(int, others))


class _Sequence(NamedTuple):
    """The numbers of titles that are one sequence, with None for all others, and the indexes of
    those that count something else, such as the steps of a list.
    """

    numbers: Sequence[Number | None]
    strays: Set[int] = frozenset()


def _sequence(titles: Sequence[str]) -> _Sequence:
    """The sequence that most titles make: empty without numbered subsections, and where the parts
    of a document are numbered anew.

    Where letters are read from the right, the parts of a number may be, too.
    """
    numbers = [number_of(title) for title in titles]
    found = _most(numbers)
    if any(weight(title) > 0 for title in titles):
        turned = _most([number[::-1] if number else None for number in numbers])
        found = max(found, turned, key=lambda each: len([*filter(None, each.numbers)]))
    return found


def _most(numbers: Sequence[Number | None]) -> _Sequence:
    """The longest sequence of sections, with the chapters that stand in their places in it."""
    dotted = [number if number and len(number) > 1 else None for number in numbers]
    sections = _increasing(dotted)
    found = sum(map(bool, sections))
    if found < max(_LEAST_DOTTED, _IN_SEQUENCE * sum(map(bool, dotted))):
        return _Sequence([None] * len(numbers))
    near = {number[0] + step for number in dotted if number for step in _NEAR}
    before: Number = ()
    fitting = []
    for number, section, behind in zip(numbers, sections, _following(sections)):
        before = section or before
        chapter = number if number and len(number) == 1 and number[0] in near else None
        fits = chapter and before < chapter and (behind is None or chapter < behind)
        fitting.append(chapter if fits else section)
    kept = _increasing(fitting)
    strays = {
        index
        for index, number in enumerate(numbers)
        if number and number[0] in near and not kept[index]
    }
    return _Sequence(kept, strays)


def _increasing(numbers: Sequence[Number | None]) -> list[Number | None]:
    """The longest sequence of increasing numbers, with None for all others."""
    ends: list[Number] = []
    last: list[int] = []
    before: dict[int, int] = {}
    for index, number in enumerate(numbers):
        if number is None:
            continue
        place = bisect_left(ends, number)
        if place:
            before[index] = last[place - 1]
        ends[place : place + 1], last[place : place + 1] = [number], [index]
    kept, here = list[Number | None]([None] * len(numbers)), last[-1] if last else None
    while here is not None:
        kept[here] = numbers[here]
        here = before.get(here)
    return kept


def _following(numbers: Sequence[Number | None]) -> list[Number | None]:
    """For each the next number behind it."""
    following, behind = list[Number | None](), None
    for number in reversed(numbers):
        following.append(behind)
        behind = number or behind
    return following[::-1]


def _begins(number: Number, other: Number | None) -> bool:
    """Whether a number is that of a section around the other's."""
    return other is not None and len(number) < len(other) and other[: len(number)] == number


# Headings that the sequence lacks.

_LONGEST = 120  # characters: a longer line is no heading
_MOST_LINES = 2  # a heading has at most


def mark_missing(items: Sequence[ReadingItem], body_size: float) -> None:
    """Make headings of short lines with the numbers that the sequence of headings lacks there.

    First of those that are large or bold; then of those that look like text and whose number is
    the only one between its neighbours'.
    """
    for is_plain in (False, True):
        headings = [i for i, it in enumerate(items) if it.label == DocItemLabel.SECTION_HEADER]
        numbers, _ = _sequence([items[index].parts[0].block.text for index in headings])
        placed = dict(zip(headings, numbers))
        following = _following([placed.get(index) for index in range(len(items))])
        before: Number | None = None
        for index, item in enumerate(items):
            if placed.get(index):
                before = placed[index]
            elif before and _may_be_heading(item, body_size, is_plain=is_plain):
                number, behind = number_of(item.parts[0].block.text), following[index]
                if number and _fits(before, number, behind, is_plain=is_plain):
                    item.parts[0].block.label = DocItemLabel.SECTION_HEADER
                    before = number


def _may_be_heading(item: ReadingItem, body_size: float, *, is_plain: bool) -> bool:
    block = item.parts[0].block
    return (
        item.label == DocItemLabel.TEXT
        and len(item.parts) == 1
        and len(block.lines) <= _MOST_LINES
        and len(block.text) <= _LONGEST
        and not block.text.endswith((".", ",", ";", ":"))
        and (is_plain or block.style.bold > 0.8 or block.style.is_large(body_size))
    )


def _fits(before: Number, number: Number, behind: Number | None, *, is_plain: bool) -> bool:
    """Whether a number is between two of the sequence; that of a chapter, or of a line that looks
    like text, only where it is the next one.
    """
    if not before < number or (behind is not None and not number < behind):
        return False
    *around, last = number
    follows = number == (*before, 1) or (*around, last - 1) == before[: len(number)]
    precedes = _begins(number, behind) or behind == (*around, last + 1)
    if is_plain:
        return len(number) > 1 and follows and precedes
    return len(number) > 1 or follows or _begins(number, behind)


# The levels of headings with numbers.


def numbered_alike(titles: Sequence[str]) -> list[str]:
    """The titles with their numbers in a form that Docling's numbering rules rank correctly.

    Appendices rank with the chapters, or with the sections if there are no chapters. What counts
    something else than sections has no number.
    """
    labels = [LABEL.match(title) for title in titles]
    has_chapters = any(label and label["chapter"] for label in labels)
    numbers, strays = _sequence(titles)
    alike = []
    for index, (title, label, number) in enumerate(zip(titles, labels, numbers)):
        match = _NUMBER.match(title)
        rest = title[match.end(1) :].lstrip(" .:)") if match else title
        if label is not None:
            alike.append(_relabelled(title, label, has_chapters))
        elif index in strays:
            alike.append(rest)
        elif number and len(number) == 1:
            alike.append(f"1. {rest}")
        else:
            alike.append(_LETTERED.sub(r"1\1", title) if _LETTERED.match(title) else title)
    return alike


def _relabelled(title: str, label: re.Match[str], has_chapters: bool) -> str:
    rest = title[label.end() :]
    if label["part"]:
        return f"Part 1 {rest}"
    return f"Chapter 1 {rest}" if label["chapter"] or has_chapters else f"1. {rest}"


def nested(levels: Sequence[int], titles: Sequence[str]) -> list[int]:
    """The levels, so that each numbered heading stands below those whose number begins its own,
    and below no other.

    No other heading between two sections of a chapter ends the chapter.
    """
    numbers, strays = _sequence(titles)
    opened: list[tuple[Number, int]] = []
    placed = []
    for index, behind in enumerate(_following(numbers)):
        level, number = levels[index], numbers[index]
        if number is None:
            around = [each for each in opened if _begins(each[0], behind)]
            if around:
                level = max(level, (opened if index in strays else around)[-1][1] + 1)
            opened = [each for each in opened if each[1] < level]
        else:
            while opened and not _begins(opened[-1][0], number):
                level = min(level, opened.pop()[1])
            if opened:
                level = max(level, opened[-1][1] + 1)
            opened.append((number, level))
        placed.append(level)
    return placed
