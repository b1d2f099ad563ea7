"""The full text of a work, searched for quotations by character, with the page of each."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from citeloom.domain.chunks.chunk import MARKS, ChunkKind
from citeloom.domain.documents.printed_pages import are_of_page_list
from citeloom.domain.manuscript.page_locator import CitedPages, PageLocator
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import StoredChunk
from citeloom.domain.text.citation_marks import blanked, citation_marks
from citeloom.domain.text.normal_form import KeyedText, TextSpan

_LEAST_OVERLAP, _LONGEST_OVERLAP = 12, 3_000


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPages:
    """The pages of a work: how many its file has, their printed labels where these are known, and
    the pages that its reference gives, such as `101-110`. Those of a page list have no other name
    than their label.
    """

    count: int
    labels: Mapping[int, str]
    reference: str = ""
    of_page_list: bool = False

    def physical(self, locator: PageLocator) -> frozenset[int]:
        """The physical pages that a locator may mean: those with the printed labels; where no page
        has such a label, those that follow from the pages of the reference, and the number of the
        page in the file.
        """
        return frozenset(page for one in locator.ranges for page in self._pages(one))

    def _pages(self, pages: CitedPages) -> Iterable[int]:
        if pages.first == pages.last and not pages.following:
            named = pages.first.casefold()
            labelled = [page for page, label in self.labels.items() if label.casefold() == named]
            if labelled:
                return labelled
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
        if self.of_page_list or not name.isdecimal():
            return None
        number = int(name)
        # The pages of the reference count where they are as many as those of the file.
        match = re.fullmatch(r"\s*(\d+)\s*[-\u2013]+\s*(\d+)\s*", self.reference)
        first, last = (int(match[1]), int(match[2])) if match else (1, 0)
        if last - first + 1 == self.count and first <= number <= last:
            return number - first + 1
        return number if 1 <= number <= self.count else None


@dataclass(frozen=True, kw_only=True)
class WorkText(KeyedText):
    """All text of one document in reading order, without what chunks repeat of one another.

    Its parts are those of its `chunks`; `skipped` is how much of each chunk is repeated.
    """

    chunks: tuple[StoredChunk, ...]
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
        return self.chunks[0].citation if self.chunks else None

    @cached_property
    def pages(self) -> WorkPages:
        labels: dict[int, str] = {}
        count = 0
        for stored in self.chunks:
            span = stored.chunk.page_span
            if span:
                count = max(count, span[1])
                labels |= zip(range(span[0], span[1] + 1), stored.chunk.page_labels)
        reference = self.citation.pages if self.citation else None
        return WorkPages(
            count=count,
            labels=labels,
            reference=reference or "",
            of_page_list=bool(self.chunks) and are_of_page_list(self.chunks[0].source_path),
        )

    @cached_property
    def _marks(self) -> list[tuple[int, int]]:
        return self.marks_of(self.text)

    @cached_property
    def _references(self) -> str:
        kept = (one.chunk.text for one in self.chunks if one.chunk.kind is ChunkKind.REFERENCE)
        return "\n".join(kept)

    def marks_of(self, text: str) -> list[tuple[int, int]]:
        """The spans of the marks of citations and footnotes in a text of the work, or of it."""
        return citation_marks(text, self._references)

    @cached_property
    def without_marks(self) -> KeyedText:
        """The text with spaces in place of the marks of its citations and footnotes."""
        if not self._marks:
            return self
        return KeyedText(text=blanked(self.text, self._marks), starts=self.starts)

    def marks_in(self, span: TextSpan) -> list[str]:
        """The marks of citations and footnotes within a span, in their order."""
        low, high = (
            bisect_left(self._marks, (span.start, -1)),
            bisect_left(self._marks, (span.end,)),
        )
        return [self.text[start:end] for start, end in self._marks[low:high]]

    def pages_of(self, span: TextSpan) -> tuple[int, int] | None:
        """The first and last physical page of characters of the text; None without pages."""
        first, last = self.part_at(span.start), self.part_at(max(span.end - 1, span.start))
        spans = [self._pages_in(at, span) for at in range(first, last + 1)]
        known = [pages for pages in spans if pages is not None]
        return (min(known)[0], max(high for _, high in known)) if known else None

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
        return " ".join(" ".join(map(self.part, self.chunks_on(pages))).split())

    def _pages_in(self, at: int, span: TextSpan) -> tuple[int, int] | None:
        chunk, skipped, begin = self.chunks[at].chunk, self.skipped[at], self.starts[at]
        start = max(span.start - begin, 0) + skipped
        end = min(span.end - begin + skipped, len(chunk.text))
        return chunk.pages_between(min(start, len(chunk.text) - 1), max(end, start + 1))


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
