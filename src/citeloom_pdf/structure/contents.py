"""Lists of contents, figures or tables without leaders: titles that later pages have, with the
numbers of these pages behind them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import BODY, LayoutBlock, PageLayout
from citeloom_pdf.elements.geometry import enclosing
from citeloom_pdf.elements.patterns import (
    CONTENTS,
    PAGE_BEHIND,
    PAGES_ALONE,
    tight,
    unnumbered,
)
from citeloom_pdf.structure.chapters import without_label

_ENTRIES = (*BODY, DocItemLabel.SECTION_HEADER, DocItemLabel.CODE, DocItemLabel.CAPTION)
_TITLES = (*_ENTRIES, DocItemLabel.TITLE, DocItemLabel.FORMULA)
_LONGEST = 220  # characters of a title
_LEAST_NUMBERS = 5  # at the ends of lines or alone: with fewer a page has no such list
_LEAST_ENTRIES = 5  # of a list on a page
_SHARE = 0.6  # of the lines from the first entry to the last are entries
_RISING = 0.9  # of the numbers are no smaller than the one before, as those of a table are
_MOST_LINES = 3  # of an entry


def mark_contents(pages: Sequence[PageLayout]) -> None:
    """Label the blocks of such lists, so that they are no text of a section."""
    candidates = [page for page in pages if sum(map(len, _numbers(page))) >= _LEAST_NUMBERS]
    if not candidates:
        return
    last = {
        form: page.number
        for page in pages
        for block in page.blocks
        if block.label in _TITLES and 0 < len(block.text) <= _LONGEST
        for form in _forms(block.text)
    }
    for page in candidates:
        _mark(page, last)


def _numbers(page: PageLayout) -> list[list[int]]:
    """The numbers at the ends of lines from top to bottom, then those of each block of numbers."""
    ends: list[int] = []
    columns = [ends]
    for block in _texts(page):
        if PAGES_ALONE.fullmatch(block.text):
            columns.append([*map(int, re.findall(r"\d+", block.text))])
        else:
            found = filter(None, map(PAGE_BEHIND.search, block.lines))
            ends.extend(int(end[1]) for end in found if end[1].isdecimal())
    return columns


def _texts(page: PageLayout) -> list[LayoutBlock]:
    texts = [block for block in page.blocks if block.label in _ENTRIES and block.lines]
    return sorted(texts, key=lambda block: (block.box.top, block.box.left))


def _rise(numbers: Sequence[int]) -> bool:
    rising = sum(upper <= lower for upper, lower in pairwise(numbers))
    return rising >= _RISING * (len(numbers) - 1)


def _mark(page: PageLayout, last: Mapping[str, int]) -> None:
    """Label the blocks from the first entry to the last, if most of their lines are of entries."""
    blocks = _texts(page)
    found = [sum(_entries(block, page.number, last)) for block in blocks]
    with_entries = [index for index, count in enumerate(found) if count]
    if sum(found) < _LEAST_ENTRIES:
        return
    within = blocks[with_entries[0] : with_entries[-1] + 1]
    box = enclosing(block.box for block in within)
    numbers = [
        block
        for block in blocks
        if PAGES_ALONE.fullmatch(block.text) and block.box.shared_height(box) > 0
    ]
    lines = sum(len(block.lines) for block in within if block not in numbers)
    if sum(found) >= _SHARE * lines and all(map(_rise, _numbers(page))):
        for block in (*within, *numbers):
            if not CONTENTS.match(block.text):
                block.label = DocItemLabel.DOCUMENT_INDEX


def _entries(block: LayoutBlock, number: int, last: Mapping[str, int]) -> Iterator[int]:
    """The lines of each entry in a block."""
    at = 0
    while at < len(block.lines):
        for count in range(1, _MOST_LINES + 1):
            title = " ".join(block.lines[at : at + count])
            if any(last.get(form, 0) > number for form in _forms(title)):
                yield count
                at += count
                break
        else:
            at += 1


def _forms(title: str) -> set[str]:
    """The letters of a title with and without its own number and that of its page."""
    bare = without_label(title)
    forms = {title, bare, PAGE_BEHIND.sub("", title), PAGE_BEHIND.sub("", bare)}
    return {tight(form) for each in forms for form in (each, unnumbered(each))} - {""}
