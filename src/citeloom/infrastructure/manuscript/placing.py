"""Finds the words of a draft's paragraphs again in its file."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from citeloom.domain.manuscript.draft import (
    MARK,
    Draft,
    DraftCitation,
    DraftLocation,
    DraftParagraph,
    Mark,
)
from citeloom.domain.manuscript.page_locator import pages_behind
from citeloom.domain.manuscript.quotations import spans_in_quotation_marks
from citeloom.infrastructure.manuscript.flattening import FlatDraft, FlatMark, FlatParagraph

_WORD = re.compile(r"[^\W_]+")
_NEAR, _FAR = 12, 600
"""How many words of the file may lie between two words of a paragraph, and where it goes on after
some that cannot be found.
"""
_MOST_STARTS = 12
_AROUND = 2_000
_SURE = 0.9


def placed(
    name: str,
    text: str,
    flat: FlatDraft,
) -> Draft:
    """The draft with the places of its words and citations in the text of its file."""
    draft = Draft(
        name=name,
        text=text,
        paragraphs=(),
        bibliographies=flat.bibliographies,
    )
    source = _Source.of(text)
    aligned = []
    for paragraph in flat.paragraphs:
        items = _items(paragraph)
        aligned.append(_Aligned(paragraph, items, source.align(items)))
    return _assembled(draft, aligned)


def placed_by_paragraph(name: str, flat: FlatDraft) -> Draft:
    """The draft of a file without lines: each of its paragraphs is one."""
    draft = Draft(
        name=name,
        text="\n".join(paragraph.text for paragraph in flat.paragraphs),
        paragraphs=(),
        bibliographies=flat.bibliographies,
        works=flat.works,
        is_plain_text=False,
    )
    aligned = []
    start = 0
    for paragraph in flat.paragraphs:
        items = _items(paragraph)
        spans = [(start + item.start, start + max(item.end, item.start + 1)) for item in items]
        aligned.append(_Aligned(paragraph, items, spans))
        start += paragraph.length + 1
    return _assembled(draft, aligned)


# What of a paragraph is looked for in the file: its words, and the keys of its citations.


@dataclass(frozen=True, slots=True)
class _Item:
    word: str
    start: int
    end: int
    citation: tuple[int, int] | None = None
    """The mark and the citation in it that a word is of the key of."""


def _items(paragraph: FlatParagraph) -> list[_Item]:
    words = [_Item(w[0], w.start(), w.end()) for w in _WORD.finditer(paragraph.text)]
    keys = [
        _Item(word[0], mark.offset, mark.offset, (number, at))
        for number, mark in enumerate(paragraph.marks)
        for at, citation in enumerate(mark.citations)
        for word in _WORD.finditer(citation.citekey)
    ]
    return sorted([*words, *keys], key=lambda item: (item.start, item.citation or (0, 0)))


@dataclass(slots=True)
class _Source:
    """The words of a file and where each stands; the next paragraph is looked for from `cursor`,
    the number of a word, on.
    """

    spans: list[tuple[int, int]]
    places: dict[str, list[int]]
    cursor: int = 0

    @classmethod
    def of(cls, text: str) -> _Source:
        matches = list(_WORD.finditer(text))
        places: dict[str, list[int]] = defaultdict(list)
        for at, word in enumerate(matches):
            places[word[0]].append(at)
        return cls([word.span() for word in matches], dict(places))

    def align(self, items: Sequence[_Item]) -> list[tuple[int, int] | None]:
        """Where each word of a paragraph stands in the file; None where that is not known.

        A paragraph follows the one before it; a footnote may stand elsewhere.
        """
        if not items:
            return []
        best = self._from(items, self.cursor)
        if _share(best) < _SURE:
            best = max((best, *(self._from(items, at) for at in self._starts(items))), key=_share)
        last = next((at for at in reversed(best) if at is not None), -1)
        self.cursor = max(self.cursor, last + 1)
        return [None if at is None else self.spans[at] for at in best]

    def _starts(self, items: Sequence[_Item]) -> Iterable[int]:
        """Where the paragraph may begin, by its rarest word."""
        words = [(self.places.get(item.word, []), at) for at, item in enumerate(items)]
        known = [(len(places), at, places) for places, at in words if places]
        _, at, places = min(known, default=(0, 0, []))
        return (max(place - at - _NEAR, 0) for place in places[:_MOST_STARTS])

    def _from(self, items: Sequence[_Item], start: int) -> list[int | None]:
        places: list[int | None] = []
        at, missed = start, 0
        for number, item in enumerate(items):
            reach = _NEAR if places and missed < 3 else _FAR
            place = self._next(item.word, at, reach)
            if place is not None and reach == _FAR and number + 1 < len(items):
                goes_on = self._next(items[number + 1].word, place + 1, _NEAR) is not None
                place = place if goes_on else None
            places.append(place)
            missed = missed + 1 if place is None else 0
            at = at if place is None else place + 1
        return places

    def _next(self, word: str, start: int, reach: int) -> int | None:
        places = self.places.get(word, [])
        at = bisect_left(places, start)
        return places[at] if at < len(places) and places[at] - start <= reach else None


def _share(places: Sequence[int | None]) -> float:
    return sum(at is not None for at in places) / len(places)


# Putting the draft together.


@dataclass(frozen=True)
class _Aligned:
    """A paragraph, its words and the keys of its citations, and where each stands in the file."""

    paragraph: FlatParagraph
    items: Sequence[_Item]
    spans: Sequence[tuple[int, int] | None]

    @cached_property
    def known(self) -> list[tuple[_Item, tuple[int, int]]]:
        """Those whose place is known."""
        return [(item, span) for item, span in zip(self.items, self.spans) if span is not None]

    @cached_property
    def keys(self) -> Mapping[tuple[int, int], int]:
        """Where the key of each citation begins, by its mark and its place in this."""
        starts: dict[tuple[int, int], int] = {}
        for item, span in self.known:
            if item.citation is not None:
                starts.setdefault(item.citation, span[0])
        return starts

    def near(self, offset: int) -> int:
        """Where the last word before an offset of the paragraph stands, or else its first."""
        if not self.known:
            return 0
        at = bisect_right(self.known, offset, key=lambda one: one[0].start)
        return self.known[at - 1][1][0]


def _assembled(draft: Draft, aligned: Sequence[_Aligned]) -> Draft:
    def citations_of(one: _Aligned, number: int, mark: FlatMark) -> tuple[DraftCitation, ...]:
        every = [_placed_citation(draft, one, (number, at)) for at in range(len(mark.citations))]
        return _with_pages_behind(one.paragraph.text, mark, tuple(every))

    cited = [
        [citations_of(one, number, mark) for number, mark in enumerate(one.paragraph.marks)]
        for one in aligned
    ]

    def mark_of(mark: FlatMark, citations: tuple[DraftCitation, ...]) -> Mark:
        if mark.citations and not mark.notes:
            return Mark(offset=mark.offset, citations=citations)
        texts = [aligned[number].paragraph.text for number in mark.notes]
        return Mark(
            offset=mark.offset,
            citations=tuple(one for number in mark.notes for its in cited[number] for one in its),
            is_note=True,
            has_quotations=any(any(spans_in_quotation_marks(text)) for text in texts),
        )

    paragraphs = tuple(
        DraftParagraph(
            text=text,
            kind=one.paragraph.kind,
            marks=tuple(mark_of(mark, its) for mark, its in zip(one.paragraph.marks, citations)),
            anchors=tuple(
                (item.start, start, end - start)
                for item, (start, end) in one.known
                if item.citation is None
            ),
            formulas=tuple(one.paragraph.formulas),
            block=one.paragraph.block,
            row=one.paragraph.row,
        )
        for one, citations in zip(aligned, cited)
        for text in [one.paragraph.text]
    )
    return replace(draft, paragraphs=paragraphs)


def _with_pages_behind(
    text: str, mark: FlatMark, citations: tuple[DraftCitation, ...]
) -> tuple[DraftCitation, ...]:
    """The citations of a mark; a single one without pages has those that the text behind it names,
    as in `[@key] (p. 45)`.
    """
    if len(citations) != 1 or citations[0].suffix:
        return citations
    return (replace(citations[0], suffix=pages_behind(text, mark.offset + len(MARK))),)


def _placed_citation(draft: Draft, aligned: _Aligned, number: tuple[int, int]) -> DraftCitation:
    """A citation, by the number of its mark and its own there, with the place of its key: where
    this stands whole, nearest to where it is expected.
    """
    mark = aligned.paragraph.marks[number[0]]
    citation = mark.citations[number[1]]
    near = aligned.keys[number] if number in aligned.keys else aligned.near(mark.offset)
    if not draft.is_plain_text:
        return replace(citation, place=draft.place(near, near + 1))
    if citation.place.end:
        return replace(citation, place=draft.place(citation.place.start, citation.place.end))
    return replace(citation, place=_key_place(draft, citation.citekey, near))


def _key_place(draft: Draft, citekey: str, near: int) -> DraftLocation:
    if draft.text.startswith(citekey, near):
        return draft.place(near, near + len(citekey))
    whole = re.compile(rf"(?<![^\W_]){re.escape(citekey)}(?![^\W_])")
    window = max(near - _AROUND, 0)
    starts = [match.start() for match in whole.finditer(draft.text, window, near + _AROUND)]
    start = min(starts, key=lambda at: abs(at - near), default=None)
    return draft.place(near, near) if start is None else draft.place(start, start + len(citekey))
