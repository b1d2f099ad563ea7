"""The blocks of a document, each with its place in the file, made into a conversion."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from citeloom.domain.authors import with_authors
from citeloom.domain.conversion import (
    Block,
    BlockKind,
    Fragment,
    Heading,
    SourcePlace,
    SourceRun,
)
from citeloom.infrastructure.conversion.markdown.placed_text import Part, PlacedText

_SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftBlock:
    """A block's text and the characters `[start, end)` of the file it is made of; `level` is a
    heading's.
    """

    kind: BlockKind
    text: PlacedText
    start: int
    end: int
    level: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedBody:
    """A document's text, its blocks and headings, and how they map to the file."""

    plain_text: str
    blocks: tuple[Block, ...]
    headings: tuple[Heading, ...]
    runs: tuple[SourceRun, ...]


@dataclass(slots=True)
class _Body:
    texts: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    runs: list[SourceRun] = field(default_factory=list)
    length: int = 0


class FileOffsets:
    """From offsets in a text whose line ends were made LF to those in the file as it is."""

    def __init__(self, original: str) -> None:
        self._passed: list[int] = []
        position = -1
        while (position := original.find("\r\n", position + 1)) >= 0:
            self._passed.append(position - len(self._passed))

    def __call__(self, offset: int) -> int:
        """Where the character stands in the file."""
        return offset + bisect_left(self._passed, offset)


def body_from(drafts: Sequence[DraftBlock], offsets: FileOffsets) -> PlacedBody:
    """The body of a document; a single heading of the first level is its title, and the section
    that holds all others.
    """
    drafts = [one for one in drafts if one.text.finish().parts]
    titles = sum(one.level == 1 for one in drafts)
    body = _Body()
    for draft in drafts:
        _append(body, draft, offsets, is_title=draft.level == 1 and titles == 1)
    text = _SEPARATOR.join(body.texts)
    return PlacedBody(
        plain_text=text,
        blocks=tuple(with_authors(body.blocks, text)),
        headings=tuple(body.headings),
        runs=tuple(body.runs),
    )


def _append(body: _Body, draft: DraftBlock, offsets: FileOffsets, *, is_title: bool) -> None:
    text, start = draft.text.text, body.length
    if draft.level:
        heading = _heading(body.headings, draft.level, text, start)
        body.headings.append(replace(heading, is_title=is_title))
    body.blocks.append(
        Block(
            kind=BlockKind.TITLE if is_title else draft.kind,
            fragments=(Fragment(start=start, end=start + len(text)),),
            section=len(body.headings) - 1 if body.headings else None,
            source=SourcePlace(
                start_position=offsets(draft.start), end_position=offsets(draft.end)
            ),
        )
    )
    body.runs += _runs(draft.text.parts, start, offsets)
    body.texts.append(text)
    body.length = start + len(text) + len(_SEPARATOR)


def _runs(parts: Sequence[Part], start: int, offsets: FileOffsets) -> list[SourceRun]:
    """The parts as runs, neighbours that stand side by side in the file as one."""
    runs: list[SourceRun] = []
    for part in parts:
        run = SourceRun(
            start=start,
            end=start + len(part.text),
            source_start=offsets(part.start),
            source_end=offsets(part.end),
        )
        start = run.end
        last = runs[-1] if runs else None
        if last and last.is_verbatim and run.is_verbatim and last.source_end == run.source_start:
            runs[-1] = SourceRun(
                start=last.start,
                end=run.end,
                source_start=last.source_start,
                source_end=run.source_end,
            )
        else:
            runs.append(run)
    return runs


def _heading(before: Sequence[Heading], level: int, title: str, start: int) -> Heading:
    parent = next(
        (index for index in range(len(before) - 1, -1, -1) if before[index].level < level), None
    )
    return Heading(level=level, title=title, start=start, parent=parent)
