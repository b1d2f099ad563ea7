"""The full text of a work, searched for quotations by character, with the page of each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from citeloom.domain.chunks.chunk import MARKS, ChunkKind
from citeloom.domain.manuscript.cited_place import CitedPages, PageLocator
from citeloom.domain.manuscript.quotation_key import KeyOffsets, QuotedPart, quotation_key
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import StoredChunk

_LEAST_OVERLAP, _LONGEST_OVERLAP = 12, 3_000
_MOST_OCCURRENCES = 200


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Characters `[start, end)` of a work's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPages:
    """The pages of a work: how many its file has, their printed labels where these are known, and
    the pages that its reference gives, such as `101-110`.
    """

    count: int
    labels: Mapping[int, str]
    reference: str = ""

    def physical(self, locator: PageLocator) -> frozenset[int]:
        """The physical pages that a locator may mean: those with the printed labels; where no page
        has such a label, those that follow from the pages of the reference, and the number of the
        page in the file.
        """
        return frozenset(page for one in locator.ranges for page in self._pages(one))

    def _pages(self, pages: CitedPages) -> Iterable[int]:
        first, last = self._page(pages.first), self._page(pages.last)
        if first is None and last is None:
            return ()
        low = first if first is not None else last or 1
        high = last if last is not None else low
        return range(low, min(high + pages.following, max(self.count, low)) + 1)

    def _page(self, name: str) -> int | None:
        folded = name.casefold()
        for page, label in self.labels.items():
            if label.casefold() == folded:
                return page
        number = int(name) if name.isdecimal() else None
        if number is None:
            return None
        first = self._first
        if first is not None and first <= number < first + self.count:
            return number - first + 1
        return number if 1 <= number <= self.count else None

    @property
    def _first(self) -> int | None:
        """The number of the first page by the reference, where its range is as long as the file."""
        match = re.fullmatch(r"\s*(\d+)\s*[-\u2013]+\s*(\d+)\s*", self.reference)
        if not match or int(match[2]) - int(match[1]) + 1 != self.count:
            return None
        return int(match[1])


@dataclass(frozen=True, kw_only=True)
class WorkText:
    """All text of one document in reading order, without what chunks repeat of one another.

    `starts` are the offsets of the chunks in it, `skipped` how much of each chunk is repeated.
    """

    chunks: tuple[StoredChunk, ...]
    text: str
    starts: tuple[int, ...]
    skipped: tuple[int, ...]

    @classmethod
    def of(cls, stored: Sequence[StoredChunk]) -> WorkText:
        """The text of a document's chunks, in any order; annotations, notes and hidden text are
        none of it.
        """
        left_out = {*MARKS, ChunkKind.HIDDEN}
        chunks = sorted(
            (one for one in stored if one.chunk.kind not in left_out),
            key=lambda one: one.chunk.chunk_idx,
        )
        parts: list[str] = []
        starts: list[int] = []
        skipped: list[int] = []
        at, before = 0, ""
        for current in chunks:
            text = current.chunk.text
            repeated = overlap(before, text)
            part = text[repeated:] + "\n"
            starts.append(at)
            skipped.append(repeated)
            parts.append(part)
            at += len(part)
            before = text
        return cls(
            chunks=tuple(chunks), text="".join(parts), starts=tuple(starts), skipped=tuple(skipped)
        )

    @property
    def citation(self) -> CitationMeta | None:
        """The reference of the work."""
        return self.chunks[0].citation if self.chunks else None

    @cached_property
    def pages(self) -> WorkPages:
        """The pages of the work, physical and printed."""
        labels: dict[int, str] = {}
        count = 0
        for stored in self.chunks:
            span = stored.chunk.page_span
            if span:
                count = max(count, span[1])
                labels |= zip(range(span[0], span[1] + 1), stored.chunk.page_labels)
        reference = self.citation.pages if self.citation else None
        return WorkPages(count=count, labels=labels, reference=reference or "")

    @cached_property
    def key(self) -> str:
        """The key of the text, as quotations are looked up in it."""
        return "".join(self._keys)

    def chunk_at(self, offset: int) -> int:
        """The index of the chunk that a character of the text is of."""
        return max(bisect_right(self.starts, offset) - 1, 0)

    def pages_of(self, span: TextSpan) -> tuple[int, int] | None:
        """The first and last physical page of characters of the text; None without pages."""
        first, last = self.chunk_at(span.start), self.chunk_at(max(span.end - 1, span.start))
        spans = [self._pages_in(at, span) for at in range(first, last + 1)]
        known = [pages for pages in spans if pages is not None]
        if not known:
            return None
        return min(low for low, _ in known), max(high for _, high in known)

    def chunks_on(self, pages: Collection[int]) -> list[int]:
        """The chunks that are on any of some pages, by their index."""
        return [
            at
            for at, stored in enumerate(self.chunks)
            if (span := stored.chunk.page_span)
            and any(span[0] <= page <= span[1] for page in pages)
        ]

    def words_on(self, pages: Collection[int]) -> str:
        """The text of the chunks on some pages, in one line, without what they repeat."""
        return " ".join(" ".join(map(self._part, self.chunks_on(pages))).split())

    def occurrences(self, parts: Sequence[QuotedPart]) -> Iterator[TextSpan]:
        """Where the parts of a quotation stand, one after another, character for character."""
        if not parts:
            return
        for start, end in self._in_key(parts):
            yield self.from_key(start, end)

    def from_key(self, start: int, end: int) -> TextSpan:
        """Where in the text the characters `[start, end)` of the key are."""
        return TextSpan(self._offset(start, False), self._offset(max(end, start + 1), True))

    @cached_property
    def _keys(self) -> tuple[str, ...]:
        keys = [quotation_key(self._part(at)) for at in range(len(self.chunks))]
        for at in range(len(keys) - 1):
            if keys[at][-1:].isdigit() and keys[at + 1][:1].isdigit():
                keys[at] += " "
        return tuple(keys)

    @cached_property
    def _key_starts(self) -> tuple[int, ...]:
        starts, at = [], 0
        for key in self._keys:
            starts.append(at)
            at += len(key)
        return tuple(starts)

    def _part(self, at: int) -> str:
        end = self.starts[at + 1] if at + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[at] : end]

    def _offset(self, place: int, is_end: bool) -> int:
        chunk = max(bisect_right(self._key_starts, place - is_end) - 1, 0)
        offsets = _offsets(self._part(chunk))
        local = place - self._key_starts[chunk]
        start, end = offsets.span(local - is_end, local - is_end + 1)
        return self.starts[chunk] + (end if is_end else start)

    def _pages_in(self, at: int, span: TextSpan) -> tuple[int, int] | None:
        chunk, skipped, begin = self.chunks[at].chunk, self.skipped[at], self.starts[at]
        start = max(span.start - begin, 0) + skipped
        end = min(span.end - begin + skipped, len(chunk.text))
        return chunk.pages_between(min(start, len(chunk.text) - 1), max(end, start + 1))

    def _in_key(self, parts: Sequence[QuotedPart]) -> Iterator[tuple[int, int]]:
        """The spans in the key in which the parts follow one another."""
        first = parts[0]
        for number, start in enumerate(_places(self.key, first, 0, len(self.key))):
            if number >= _MOST_OCCURRENCES:
                return
            end = start + len(first.key)
            for part in parts[1:]:
                near = _places(self.key, part, end, end + part.gap + len(part.key))
                at = next(near, None)
                if at is None:
                    break
                end = at + len(part.key)
            else:
                yield start, end


@lru_cache(maxsize=8_192)
def _offsets(text: str) -> KeyOffsets:
    return KeyOffsets.of(text)


def _places(key: str, part: QuotedPart, start: int, end: int) -> Iterator[int]:
    """Where in `key[start:end]` the part stands."""
    if not part.loose or len(part.key) <= len(part.loose):
        yield from _all(key, part.key, start, end)
        return
    skip = _firm(part)
    core = part.key[skip[0] : skip[1]]
    for at in _all(key, core, start + skip[0], end):
        begin = at - skip[0]
        if begin >= start and begin + len(part.key) <= min(end, len(key)) and _is(key, part, begin):
            yield begin


def _firm(part: QuotedPart) -> tuple[int, int]:
    """The longest run of a part whose case counts."""
    ends = [-1, *sorted(part.loose), len(part.key)]
    runs = [(low + 1, high) for low, high in zip(ends, ends[1:])]
    return max(runs, key=lambda run: run[1] - run[0])


def _is(key: str, part: QuotedPart, begin: int) -> bool:
    key_part = key[begin : begin + len(part.key)]
    return key_part == part.key or all(
        have == want or (at in part.loose and have.casefold() == want.casefold())
        for at, (have, want) in enumerate(zip(key_part, part.key))
    )


def _all(key: str, part: str, start: int, end: int) -> Iterator[int]:
    at = key.find(part, max(start, 0), end)
    while at >= 0:
        yield at
        at = key.find(part, at + 1, end)


def overlap(before: str, text: str) -> int:
    """How many characters at the beginning of a chunk repeat the end of the chunk before it."""
    head = text[:_LEAST_OVERLAP]
    if len(head) < _LEAST_OVERLAP:
        return 0
    at = before.find(head, max(len(before) - _LONGEST_OVERLAP, 0))
    while at >= 0:
        size = len(before) - at
        if text.startswith(before[at:]):
            return size
        at = before.find(head, at + 1)
    return 0
