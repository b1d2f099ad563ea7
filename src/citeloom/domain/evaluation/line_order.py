"""Whether a page's lines stand in their order, by a second reader of the page.

That reader has the order of the tags of a tagged PDF, else that in which the page was drawn, which
in nearly every program is the order of reading. A text is compared with it line by line: out of
order are the fewest lines without which both orders are the same. Tables, figures' captions and
notes at the head or the foot of a column move against the text by custom; they are counted apart.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from statistics import median

from citeloom.domain.chunks.chunk import Chunk, ChunkKind
from citeloom.domain.evaluation.page_truth import RUN, Letters

_HALF = RUN // 2 + 2  # letters: a shorter part of a line may stand anywhere
_TORN = 4 * RUN  # letters between two parts of a line from which they are apart
_ASIDE = 1e-3  # of a line's weight: which of a text and a table has moved is no question
_LEAST_BACK, _BACK = 3, 0.1  # lines, and of a page's lines: as many are drawn anyhow
_MOST_MOVED = 0.3  # of a page's lines: with more, it is drawn in an order of its own
_SMALLER = 0.95  # of the size of most lines: that of captions and notes
_CAPTION = re.compile(
    r"\s*(?:fig(?:ure|\.)?|tab(?:le|\.|elle|leau|ela|la)?|abb(?:ildung|\.)?|figura|listing|scheme)"
    r"\s*[\dA-Z][\w.]{0,5}[.:]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedLine:
    """A line with its place on the page in points from the top left, and its font size."""

    text: str
    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0
    size: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedPage:
    """All text of a page, and its lines in the order of its tags where it is `tagged`, else in the
    order in which they are drawn; `untagged` are lines of a tagged page that have no place in it.
    """

    text: str
    lines: tuple[PrintedLine, ...] = ()
    tagged: bool = False
    untagged: tuple[PrintedLine, ...] = ()

    @property
    def all_lines(self) -> tuple[PrintedLine, ...]:
        """Its lines, the untagged ones last."""
        return (*self.lines, *self.untagged)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """A part of a page's text as it is stored; what is `aside`, such as a table, may stand
    anywhere.
    """

    text: str
    aside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOrder:
    """How many lines of a page were compared; those out of order, those of floats and notes that
    have moved, and those whose beginning and end stand apart.
    """

    lines: int = 0
    moved: tuple[str, ...] = ()
    floats: tuple[str, ...] = ()
    torn: tuple[str, ...] = ()
    tagged: bool = False

    @property
    def is_doubtful(self) -> bool:
        return bool(self.moved or self.torn)


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A printed line whose letters stand once in the stored text: their position there, -1 where
    they do not stand together, and whether what holds them is aside.
    """

    line: PrintedLine
    position: int
    aside: bool = False


class StoredText:
    """The stored text of a page as letters, and which of them are of tables and captions."""

    def __init__(self, parts: Sequence[PageText]) -> None:
        blocks = [(block, part.aside) for part in parts for block in part.text.split("\n\n")]
        letters = [Letters(block).joined for block, _ in blocks]
        self.letters = "".join(letters)
        self._ends = list(accumulate(map(len, letters)))
        self._aside = [aside or _CAPTION.match(block) is not None for block, aside in blocks]

    def block(self, position: int) -> int:
        """The index of the block that has the letter there."""
        return bisect_right(self._ends, position)

    def is_aside(self, position: int) -> bool:
        """Whether the letter there is of a table or a caption."""
        return self._aside[self.block(position)]

    def only(self, letters: str) -> int | None:
        """Where the letters stand, if they do once; -1 if they do not at all."""
        position = self.letters.find(letters)
        again = position >= 0 and self.letters.find(letters, position + 1) >= 0
        return None if again else position

    def found(self, lines: Iterable[PrintedLine]) -> Iterator[FoundLine]:
        """The lines, but for those of fewer than `RUN` letters, and those that are on the page more
        than once.
        """
        said = [(line, Letters(line.text).joined) for line in lines]
        printed = "".join(letters for _, letters in said)
        for line, letters in said:
            position = self.only(letters) if len(letters) >= RUN else None
            if position is not None and printed.find(letters) == printed.rfind(letters):
                yield FoundLine(line, position, position >= 0 and self.is_aside(position))


def texts_by_page(chunks: Iterable[Chunk]) -> dict[int, list[PageText]]:
    """What the chunks of a document, in their order, have on each page."""
    texts: dict[int, list[PageText]] = defaultdict(list)
    for chunk in chunks:
        if chunk.page_span is None or chunk.mark is not None or chunk.kind is ChunkKind.HIDDEN:
            continue
        first, last = chunk.page_span
        edges = [0, *chunk.page_starts, len(chunk.text)]
        for page in range(first, last + 1):
            at = page - first if chunk.page_starts else 0
            text = chunk.text[edges[at] : edges[at + 1]]
            texts[page].append(PageText(text=text, aside=chunk.kind is ChunkKind.TABLE))
    return texts


def page_order(page: PrintedPage, parts: Sequence[PageText]) -> PageOrder:
    """Compare the order of the page's lines with that of the stored parts of its text.

    A page drawn from the bottom to the top, or here and there, says nothing.
    """
    # many lines stand above the one drawn before, and not in a column beside it
    back = sum(
        later.bottom < earlier.top and later.left < earlier.right and later.right > earlier.left
        for earlier, later in pairwise(page.lines)
    )
    if not page.tagged and back > max(_LEAST_BACK, _BACK * len(page.lines)):
        return PageOrder()
    stored = StoredText(parts)
    lines = list(stored.found(page.lines))
    found_lines = [line for line in lines if line.position >= 0]
    torn = [line.line.text for line in lines if line.position < 0 and _is_torn(line.line, stored)]
    moved, floats = _parted(found_lines, _in_order(found_lines))
    if not page.tagged and len(moved) > _MOST_MOVED * len(lines):
        return PageOrder()
    return PageOrder(
        lines=len(found_lines) + len(torn),
        moved=tuple(moved),
        floats=tuple(floats),
        torn=tuple(torn),
        tagged=page.tagged,
    )


def parts_in_doubt(page: PrintedPage, order: PageOrder, parts: Sequence[str]) -> set[int]:
    """The indexes of the parts of the page's text that hold a line out of order or torn, or the
    line printed before or behind such: where its text goes on wrongly.
    """
    wrong = {*order.moved, *order.torn}
    lines = [line.text for line in page.lines if len(Letters(line.text).joined) >= RUN]
    near = {
        text
        for around in zip(["", *lines], lines, [*lines[1:], ""])
        if around[1] in wrong
        for text in around
    }
    letters = [Letters(part).joined for part in parts]
    doubtful: set[int] = set()
    for line in (Letters(text).joined for text in near if text):
        # those that hold a line whole, or else those that hold its beginning or its end
        ends = (line[:_HALF], line[-_HALF:])
        whole = [index for index, part in enumerate(letters) if line in part]
        doubtful.update(
            whole or (i for i, part in enumerate(letters) if any(end in part for end in ends))
        )
    return doubtful


def _is_torn(line: PrintedLine, stored: StoredText) -> bool:
    """Whether the line's beginning and its end stand apart in two blocks, each once."""
    letters = Letters(line.text).joined
    if len(letters) < 2 * _HALF:
        return False
    begins, ends = stored.only(letters[:_HALF]), stored.only(letters[-_HALF:])
    if begins is None or ends is None or min(begins, ends) < 0:
        return False
    apart = abs(ends + _HALF - begins - len(letters)) > _TORN
    return apart and stored.block(begins) != stored.block(ends)


def _in_order(lines: Sequence[FoundLine]) -> frozenset[int]:
    """The indexes of the most lines that follow one another in both orders, those aside counting
    least.
    """
    best: list[float] = []
    before: list[int] = []
    for index, line in enumerate(lines):
        earlier = (at for at in range(index) if lines[at].position < line.position)
        last = max(earlier, key=best.__getitem__, default=-1)
        before.append(last)
        best.append((best[last] if last >= 0 else 0.0) + (_ASIDE if line.aside else 1.0))
    kept = set()
    index = max(range(len(lines)), key=best.__getitem__, default=-1)
    while index >= 0:
        kept.add(index)
        index = before[index]
    return frozenset(kept)


def _parted(lines: Sequence[FoundLine], kept: frozenset[int]) -> tuple[list[str], list[str]]:
    """The lines that are out of order, and those that only floats and notes have passed."""
    moved: list[str] = []
    floats: list[str] = []
    for is_kept, group in groupby(range(len(lines)), key=kept.__contains__):
        if is_kept:
            continue
        run = list(group)
        passed = [
            at
            for at in kept
            if any((at < n) != (lines[at].position < lines[n].position) for n in run)
        ]
        apart = any(_is_float([lines[at] for at in places], lines) for places in (run, passed))
        for at in run:
            (floats if apart or lines[at].aside else moved).append(lines[at].line.text)
    return moved, floats


def _is_float(run: Sequence[FoundLine], lines: Sequence[FoundLine]) -> bool:
    """Whether the lines are set as a caption or a note, and stand at the head or the foot of a
    column or in one of their own.
    """
    usual = median(found.line.size for found in lines)
    text = [found.line for found in run if not found.aside]
    if not text or any(line.size >= _SMALLER * usual for line in text):
        return not text
    left, right = min(line.left for line in text), max(line.right for line in text)
    top, bottom = min(line.top for line in text), max(line.bottom for line in text)
    around = [found.line for found in lines if found not in run and not found.aside]
    body = [line for line in around if line.size >= _SMALLER * usual]
    column = [line for line in body if line.left < right and line.right > left]
    above = any(line.bottom <= top for line in column)
    below = any(line.top >= bottom for line in column)
    return not (above and below)
