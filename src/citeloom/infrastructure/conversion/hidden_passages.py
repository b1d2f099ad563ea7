"""Hidden text behind the body of a converted document, text left out, and what is said of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from citeloom.domain.documents.conversion import (
    Block,
    BlockKind,
    Box,
    ConversionResult,
    Fragment,
    LeftOut,
    LeftOutKind,
    named_pages,
)
from citeloom.domain.evaluation.page_recall import count_words, words_of

_SEPARATOR = "\n\n"
_LEADER = re.compile(r"\s*(?:\.\s?){4,}")
_LONGEST = 4000  # characters of a text that is left out, as of a page of contents
_WORD = re.compile(r"\w+")
_UNSET = re.compile("[\u00ad\u200b-\u200d\ufeff]")  # hyphens and joints that are not set
_NAMED = 8  # words that a note names


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


def left_out_texts(texts: Iterable[tuple[LeftOutKind, str]]) -> Iterator[LeftOut]:
    """The texts that have words, with their number."""
    for kind, text in texts:
        if count := count_words(words_of(text)):
            whole = _LEADER.sub(" … ", " ".join(text.split()))
            cut = whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}…"
            yield LeftOut(kind=kind, count=count, text=cut)


def left_out_of(texts: Iterable[tuple[LeftOutKind, str]]) -> Mapping[int, tuple[LeftOut, ...]]:
    """The texts of a format without pages, those of a kind as one, as of page 0."""
    by_kind: dict[LeftOutKind, list[str]] = {}
    for kind, text in texts:
        by_kind.setdefault(kind, []).append(text)
    found = tuple(left_out_texts((kind, " / ".join(each)) for kind, each in by_kind.items()))
    return {0: found} if found else {}


def note_of_lost(text: str, arrived: str) -> tuple[str, ...]:
    """A note of the words of a document's text that have not arrived, if there are any."""
    words = Counter(_WORD.findall(_UNSET.sub("", text)))
    lost = words - Counter(_WORD.findall(_UNSET.sub("", arrived)))
    if not lost:
        return ()
    named = ", ".join(list(lost)[:_NAMED]) + (" …" if len(lost) > _NAMED else "")
    count = lost.total()
    return (f"{count} {'word is' if count == 1 else 'words are'} in no passage: {named}",)
