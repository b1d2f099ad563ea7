"""The blocks of a document, each with its place in the file, made into a conversion."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from citeloom.domain.documents.conversion import (
    Block,
    BlockKind,
    Fragment,
    Heading,
    SourcePlace,
    SourceRun,
    parent_of,
)
from citeloom.domain.documents.metadata import with_authors

# Text put together from parts of a file, each with its place there.

_SPACE = re.compile(r"[ \t\n\r\f]+")


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """A text and the characters `[start, end)` of the file that it stands for."""

    text: str
    start: int
    end: int


@dataclass(slots=True)
class PlacedText:
    """Text in parts; white space is one space, as a reader sees it, unless it is kept."""

    parts: list[PlacedPart] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)

    def add(self, text: str, start: int, end: int) -> None:
        if text:
            self.parts.append(PlacedPart(text, start, end))

    def add_words(self, text: str, start: int) -> None:
        """Add text that stands in the file word for word, its white space made single."""
        position = 0
        for space in _SPACE.finditer(text):
            self._add_verbatim(text[position : space.start()], start + position)
            self.add_space(" ", start + space.start(), start + space.end())
            position = space.end()
        self._add_verbatim(text[position:], start + position)

    def add_space(self, space: str, start: int, end: int) -> None:
        """Add white space behind a word; a line end takes the place of a space."""
        if not self.parts or not space:
            return
        last = self.parts[-1]
        if not last.text.isspace():
            self.add(space, start, end)
        elif space == "\n":
            self.parts[-1] = PlacedPart(space, last.start, end)

    @property
    def last(self) -> str:
        """What was added last."""
        return self.parts[-1].text if self.parts else ""

    def finish(self) -> PlacedText:
        """The text without white space at its end."""
        while self.parts and self.parts[-1].text.isspace():
            self.parts.pop()
        return self

    def _add_verbatim(self, text: str, start: int) -> None:
        self.add(text, start, start + len(text))


class Lines:
    """The lines of a text, and where in the file each begins."""

    def __init__(self, text: str, starts: Sequence[int]) -> None:
        self._begins = [0]
        for line in text.split("\n")[:-1]:
            self._begins.append(self._begins[-1] + len(line) + 1)
        self._starts = starts

    def place(self, position: int) -> int:
        """Where the character of the text stands in the file."""
        line = bisect_right(self._begins, position) - 1
        return self._starts[line] + position - self._begins[line]

    def place_in(self, line: int, column: int) -> int:
        """Likewise for a line, counted from 0, and a column in it."""
        return self._starts[line] + column


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
    """Maps offsets in a text whose line ends were made LF to offsets in the file."""

    def __init__(self, original: str) -> None:
        self._passed: list[int] = []
        position = -1
        while (position := original.find("\r\n", position + 1)) >= 0:
            self._passed.append(position - len(self._passed))

    def __call__(self, offset: int) -> int:
        """Where the character stands in the file."""
        return offset + bisect_left(self._passed, offset)


def body_from(drafts: Sequence[DraftBlock], offsets: FileOffsets) -> PlacedBody:
    """The body of a document. A single heading of the first level becomes the title, and the
    section that contains all others.
    """
    drafts = [draft for draft in drafts if draft.text.finish().parts]
    titles = sum(draft.level == 1 for draft in drafts)
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
        parent = parent_of(body.headings, draft.level)
        body.headings.append(
            Heading(level=draft.level, title=text, start=start, parent=parent, is_title=is_title)
        )
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


def _runs(parts: Sequence[PlacedPart], start: int, offsets: FileOffsets) -> list[SourceRun]:
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
