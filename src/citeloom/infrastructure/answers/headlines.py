"""The words that name a passage, its work and its place, the same in every form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import shorten

from citeloom.application.retrieval.result import QueryResult
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.documents.metadata import MetadataValue, as_text
from citeloom.domain.retrieval.passage import Passage, StoredChunk

NO_REFERENCE = "(no reference)"
_NAMED = 2
_LONGEST_VALUE = 200


def neighbours_once(passages: Sequence[Passage]) -> list[Passage]:
    """The passages without neighbours that are passages themselves, or stand by an earlier one."""
    shown = {passage.stored.chunk.id for passage in passages}
    without_repeats: list[Passage] = []
    for passage in passages:
        before, after = (
            tuple(stored for stored in side if stored.chunk.id not in shown)
            for side in (passage.before, passage.after)
        )
        shown |= {stored.chunk.id for stored in (*before, *after)}
        without_repeats.append(replace(passage, before=before, after=after))
    return without_repeats


def metadata_text(metadata: Mapping[str, MetadataValue]) -> str:
    """A document's front matter in a line: `module: Module 1 · tags: ros, slam`."""
    return " · ".join(
        f"{name}: {shorten(as_text(value), _LONGEST_VALUE, placeholder=' …')}"
        for name, value in metadata.items()
    )


def without_reference(result: QueryResult) -> str:
    """What is said beside a passage without a reference; nothing where the project has none."""
    return NO_REFERENCE if result.references_configured else ""


def headline(stored: StoredChunk, without: str = NO_REFERENCE) -> str:
    """The work in a few words: `Rule and Birmingham 2018, Ten simple rules`, and before it what
    the reader left there: `highlight in …`; of one without a reference its path, and `without`.
    """
    work, mark, what = stored.citation, stored.chunk.mark, ""
    if mark is not None and stored.chunk.kind is ChunkKind.NOTE:
        what = "quotation in a note on " if mark.quotes else "note on "
    elif mark is not None:
        what = "highlight in " if mark.quotes else "comment in "
    if work is None:
        return what + f"{stored.source_path or 'no work'} {without}".rstrip()
    who = in_short(
        [author.split(",")[0].strip() for author in work.authors], more=work.more_authors
    )
    when = str(work.year) if work.year else "n.d."
    attachment = f" [{work.attachment}]" if work.attachment else ""
    return what + (f"{who} {when}, {work.title}" if who else f"{work.title} ({when})") + attachment


def place(stored: StoredChunk) -> str:
    """The citation to the page, or the locator alone for a work without a citekey."""
    if stored.cited is None:
        return ", ".join(filter(None, (Path(stored.source_path).name, str(stored.locator))))
    return stored.cited


def cited_place(stored: StoredChunk) -> str:
    """Likewise, with a word on a generated citekey, and on what speaks against the text."""
    return f"{place(stored)}{remark_on(stored)}"


def remark_on(stored: StoredChunk) -> str:
    """What stands in parentheses behind a citation, if anything."""
    return f" ({stored.remark})" if stored.remark else ""


def doubts_on(stored: StoredChunk) -> str:
    """Likewise, what speaks against its words alone."""
    return f" ({stored.doubts})" if stored.doubts else ""


def comments(stored: StoredChunk) -> tuple[str, ...]:
    """What the reader said of a highlight, if anything."""
    mark = stored.chunk.mark
    return (mark.comment,) if mark and mark.comment else ()


def in_short(families: Sequence[str], *, more: bool = False) -> str:
    """`Rule`, `Rule and Birmingham`, or `Rule et al.` where there are `more`; empty without any."""
    if len(families) > _NAMED or (families and more):
        return f"{families[0]} et al."
    return " and ".join(families)
