"""Hidden text behind the body of a converted document, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citeloom.domain.conversion import Block, BlockKind, Box, ConversionResult, Fragment

_SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenPassage:
    """Words that no reader sees, why not, and where they stand in a format with pages."""

    text: str
    reason: str
    page: int | None = None
    box: Box | None = None


def with_hidden(result: ConversionResult, hidden: Sequence[HiddenPassage]) -> ConversionResult:
    """The document with hidden text behind all else, and a note on it."""
    hidden = [one for one in hidden if one.text.strip()]
    if not hidden:
        return result
    text, blocks = result.plain_text, list(result.blocks)
    for one in hidden:
        text += _SEPARATOR if text else ""
        fragment = Fragment(page=one.page, box=one.box, start=len(text), end=len(text + one.text))
        blocks.append(Block(kind=BlockKind.HIDDEN, fragments=(fragment,)))
        text += one.text
    return replace(
        result, plain_text=text, blocks=tuple(blocks), notes=(*result.notes, _note(hidden))
    )


def _note(hidden: Sequence[HiddenPassage]) -> str:
    words = sum(len(one.text.split()) for one in hidden)
    pages = sorted({one.page for one in hidden if one.page is not None})
    listed = ", ".join(map(str, pages))
    where = f" on page{'s' * (len(pages) > 1)} {listed}" if pages else ""
    reasons = ", ".join(dict.fromkeys(one.reason for one in hidden))
    return f"{words} words{where} are hidden from readers ({reasons}): answers leave them out"
