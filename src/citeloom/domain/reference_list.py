"""Detecting the reference lists of a document."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeloom.domain.conversion import Block, BlockKind, ConversionResult
from citeloom.domain.section_roles import SectionRole, section_roles

_LEAST_UNTITLED = 4
"""Least number of consecutive entries that make a list without a heading."""
_PROSE = 200
"""A block longer than this without a year is prose, not an entry."""
_NO_ENTRIES = (BlockKind.TABLE, BlockKind.CAPTION, BlockKind.TITLE)

_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d[a-z]?\b")
_MARK = re.compile(r"(?:\[[\w+]{1,12}\]|\d{1,3}[.)])\s+\S")
_AUTHOR = re.compile(r"[^\W\d_][\w'\u2019 -]+,(?: ?[^\W\d_]\.)+")
_SOURCE = re.compile(
    r"doi|https?:|arxiv|isbn|\bpp?\. ?\d|\bpages? \d|\d ?\(\d+\)|\bvol(?:ume|\.)? ?\d|\bin: "
    r"|\bpress\b|\bjournal\b|\bproceedings\b|\bverlag\b",
    re.IGNORECASE,
)


def reference_blocks(result: ConversionResult) -> frozenset[int]:
    """The indexes of the blocks, headings included, that make up reference lists.

    A list is a section titled as one, without its tables and the prose after it; without such a
    section, several consecutive entries at the document's end.
    """
    roles = section_roles(result.headings)
    titled = [
        index
        for index, block in enumerate(result.blocks)
        if block.section is not None
        and roles[block.section] is SectionRole.REFERENCES
        and block.kind not in _NO_ENTRIES
    ]
    if not titled:
        return frozenset(_untitled(result))
    prose = _prose_behind(result, titled)
    return frozenset(titled) - prose


def _prose_behind(result: ConversionResult, listed: Sequence[int]) -> frozenset[int]:
    """The prose blocks that follow the last entry of their section."""
    prose: set[int] = set()
    ended: set[int | None] = set()
    for index in reversed(listed):
        block = result.blocks[index]
        if block.section not in ended and _is_prose(result.text_of(block), block):
            prose.add(index)
        else:
            ended.add(block.section)
    return frozenset(prose)


def _is_prose(text: str, block: Block) -> bool:
    plain = block.kind is BlockKind.PARAGRAPH and not _MARK.match(text)
    return plain and len(text) > _PROSE and not _YEAR.search(text)


def _untitled(result: ConversionResult) -> list[int]:
    """The entries at the document's end, if they are enough to be a list."""
    entries: list[int] = []
    for index in range(len(result.blocks) - 1, -1, -1):
        block = result.blocks[index]
        if block.kind in _NO_ENTRIES:
            continue
        if not _is_entry(result.text_of(block)):
            break
        entries.append(index)
    return entries if len(entries) >= _LEAST_UNTITLED else []


def _is_entry(text: str) -> bool:
    """Whether a text looks like an entry: a mark or an author first, then year and source."""
    opens = _MARK.match(text) or _AUTHOR.match(text)
    return bool(opens and _YEAR.search(text) and _SOURCE.search(text))
