"""The blocks of a draft's source that can be read apart, and those that an edit has changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_BEGIN = re.compile(r"\\begin\{(?!document\})")
_END = re.compile(r"\\end\{(?!document\})")
_QUOTATION = re.compile(
    r"[ \t]*(?:>|\\begin\{(?:quote|quotation|display\w*quote)\*?\}|#quote\b|#\+begin_quote)",
    re.IGNORECASE,
)
_NOTE_MARK = re.compile(r"\[\^([^\]\s]+)\]")


@dataclass(frozen=True, slots=True)
class Block:
    """The characters `[start, end)` of a source, and the text there."""

    start: int
    end: int
    text: str


def blocks_of(source: str) -> list[Block]:
    """The source cut at blank lines; listings and environments stay whole, and a block quotation
    stays with the paragraphs beside it, where its citation may stand.
    """
    blocks: list[Block] = []
    start = 0
    cuts = [match.end() for match in _BLANK.finditer(source)]
    for end in [*cuts, len(source)]:
        text = source[start:end]
        if text and _is_whole(text):
            blocks.append(Block(start, end, text))
            start = end
    if start < len(source):
        blocks.append(Block(start, len(source), source[start:]))
    return _joined(blocks)


def _is_whole(text: str) -> bool:
    if len(_FENCE.findall(text)) % 2:
        return False
    return len(_BEGIN.findall(text)) <= len(_END.findall(text))


def _joined(blocks: Sequence[Block]) -> list[Block]:
    joined: list[Block] = []
    was_quotation = False
    for block in blocks:
        is_quotation = _QUOTATION.match(block.text) is not None
        if joined and (is_quotation or was_quotation):
            before = joined.pop()
            joined.append(Block(before.start, block.end, before.text + block.text))
        else:
            joined.append(block)
        was_quotation = is_quotation
    return joined


def changed_blocks(before: Sequence[Block], after: Sequence[Block]) -> tuple[int, int]:
    """How many blocks at the beginning and at the end have the same text in both."""
    shorter = min(len(before), len(after))
    same = (first.text == second.text for first, second in zip(before, after))
    head = next((at for at, equal in enumerate(same) if not equal), shorter)
    rest = shorter - head
    ends = (first.text == second.text for first, second in zip(before[::-1], after[::-1]))
    tail = next((at for at, equal in enumerate(ends) if at >= rest or not equal), rest)
    return head, min(tail, rest)


def with_its_notes(block: str, source: str) -> str:
    """A block of Markdown followed by the footnotes that it refers to."""
    notes = []
    for name in dict.fromkeys(_NOTE_MARK.findall(block)):
        definition = re.search(
            rf"^\[\^{re.escape(name)}\]:.*(?:\n(?!\s*\n|\[\^).*)*", source, re.MULTILINE
        )
        if definition and definition[0] not in block:
            notes.append(definition[0].rstrip())
    return "\n\n".join([block.rstrip("\n"), *notes]) if notes else block
