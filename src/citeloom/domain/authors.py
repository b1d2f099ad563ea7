"""The author block of a work: names and addresses between its title and its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeloom.domain.conversion import Block, BlockKind

_NAMES = 0.6
"""Least share of capitalised words in names and addresses."""


def with_authors(blocks: Sequence[Block], text: str) -> list[Block]:
    """The blocks of a document, with those that name its authors below the title labelled so."""
    marked = list(blocks)
    title = next((n for n, block in enumerate(blocks) if block.kind is BlockKind.TITLE), None)
    if title is None:
        return marked
    for index in range(title + 1, len(blocks)):
        block = blocks[index]
        if block.kind is not BlockKind.PARAGRAPH or not _reads_like_names(block, text):
            break
        marked[index] = replace(block, kind=BlockKind.AUTHORS)
    return marked


def _reads_like_names(block: Block, text: str) -> bool:
    words = [word for word in text[block.start : block.end].split() if word[0].isalpha()]
    words = [word for word in words if word != "and"]
    return len(words) > 1 and sum(w[0].isupper() for w in words) >= _NAMES * len(words)
