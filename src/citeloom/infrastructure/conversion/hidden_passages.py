"""Hidden text behind the body of a converted document, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citeloom.domain.documents.conversion import (
    Block,
    BlockKind,
    Box,
    ConversionResult,
    Fragment,
    named_pages,
)

_SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenPassage:
    """Text that is hidden from readers, the reason, and its place in a format with pages."""

    text: str
    reason: str
    page: int | None = None
    box: Box | None = None


def with_hidden(result: ConversionResult, hidden: Sequence[HiddenPassage]) -> ConversionResult:
    """The document with its hidden text at the end, and a note about it."""
    hidden = [passage for passage in hidden if passage.text.strip()]
    if not hidden:
        return result
    text, blocks = result.plain_text, list(result.blocks)
    for passage in hidden:
        text += _SEPARATOR if text else ""
        fragment = Fragment(
            page=passage.page, box=passage.box, start=len(text), end=len(text + passage.text)
        )
        blocks.append(Block(kind=BlockKind.HIDDEN, fragments=(fragment,)))
        text += passage.text
    words = sum(len(passage.text.split()) for passage in hidden)
    pages = sorted({passage.page for passage in hidden if passage.page is not None})
    where = f" on {named_pages(pages)}" if pages else ""
    are_hidden = "word{0} is hidden" if words == 1 else "words{0} are hidden"
    reasons = ", ".join(dict.fromkeys(passage.reason for passage in hidden))
    return replace(
        result,
        plain_text=text,
        blocks=tuple(blocks),
        notes=(
            *result.notes,
            f"{words} {are_hidden.format(where)} from readers ({reasons}): answers leave "
            f"{'it' if words == 1 else 'them'} out",
        ),
    )
