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
from citeloom.infrastructure.manuscript.citation_scan import NoteDefinition
from citeloom.infrastructure.manuscript.flattening import FlatDraft, FlatMark, FlatParagraph

_WORD = re.compile(r"[^\W_]+")
_NEAR, _FAR = 12, 600
"""How many words of the file may lie between two words of a paragraph, and where it goes on after
some that cannot be found.
"""
_MOST_STARTS = 12
"""How many places of its rarest word are tried behind where a paragraph is expected, and before."""
_AROUND = 2_000
_SURE = 0.9
_NOTE = re.compile(r"\^\[|\[\^(?P<markdown>[^\]\s]+)\]|\[fn:(?P<org>[\w-]*)[:\]]")
"""A footnote in the text of Markdown and Org, with its label if it is defined apart."""


def placed(
    name: str,
    text: str,
    flat: FlatDraft,
    *,
    unprinted: Sequence[tuple[int, int]] = (),
    notes: Sequence[NoteDefinition] = (),
) -> Draft:
    """The draft with the places of its words and citations in the text of its file, of which the
    spans that are `unprinted`, in order, are searched last, and `notes` by footnotes alone.
    """
    draft = Draft(
        name=name,
        text=text,
        paragraphs=(),
        bibliographies=flat.bibliographies,
    )
    source = _Source.of(text, unprinted, notes)
    aligned = []
    starts = dict[int, int | None]()
    for number, paragraph in enumerate(flat.paragraphs):
        items = _items(paragraph)
        if number in starts:
            spans = source.align_note(items, starts[number])
        else:
            spans = source.align(items)
        aligned.append(_Aligned(paragraph, items, spans))
        starts |= source.starts_of_notes(aligned[-1])
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
    """The words of a file and where each stands: first those of the text, then those of footnotes
    that are defined apart from it, then those that are not printed.

    The next paragraph is looked for from `cursor`, the number of a word, on; the next of a
    footnote from `note_cursor` on.
    """

    text: str
    spans: list[tuple[int, int]]
    places: dict[str, list[int]]
    of_text: int
    """How many of the words are of the text."""
    notes: Mapping[str, int]
    """The number of the first word of each footnote that is defined apart, by its label."""
    cursor: int = 0
    note_cursor: int = 0

    @classmethod
    def of(
        cls, text: str, unprinted: Sequence[tuple[int, int]], notes: Sequence[NoteDefinition]
    ) -> _Source:
        words = [word.span() for word in _WORD.finditer(text)]
        words, hidden = _parted(words, unprinted)
        words, of_notes = _parted(words, [(note.start, note.end) for note in notes])
        spans = [*words, *of_notes, *hidden]
        places: dict[str, list[int]] = defaultdict(list)
        for at, (start, end) in enumerate(spans):
            places[text[start:end]].append(at)
        firsts = {
            note.label: len(words) + bisect_left(of_notes, (note.start, 0)) for note in notes[::-1]
        }
        return cls(text, spans, dict(places), len(words), firsts)

    def align(self, items: Sequence[_Item]) -> list[tuple[int, int] | None]:
        """Where each word of a paragraph of the text stands in the file, behind the paragraph
        before it if it can be there; None where that is not known.
        """
        best, _ = self._best(items, self.cursor)
        last = next((at for at in reversed(best) if at is not None), -1)
        if last < self.of_text:
            self.cursor = max(self.cursor, last + 1)
        return self._spans(best)

    def align_note(self, items: Sequence[_Item], start: int | None) -> list[tuple[int, int] | None]:
        """As `align` for a paragraph of a footnote that begins at a word, or None where it goes on;
        the text goes on behind it only where the footnote stands in it.
        """
        begin = self.note_cursor if start is None else start
        best, is_there = self._best(items, begin)
        last = next((at for at in reversed(best) if at is not None), -1)
        self.note_cursor = last + 1 if last >= 0 else begin
        if is_there and last < self.of_text:
            self.cursor = max(self.cursor, last + 1)
        return self._spans(best)

    def starts_of_notes(self, one: _Aligned) -> dict[int, int | None]:
        """From which word on the paragraphs of the footnotes of one are looked for, by their
        numbers: where its label is defined or else from its mark on; None where one goes on.
        """
        starts = dict[int, int | None]()
        at = 0
        for mark in one.paragraph.marks:
            if not mark.notes:
                continue
            before, behind = one.gap(mark.offset)
            at = max(at, before)
            found = _NOTE.search(self.text, at, max(behind, at) if behind else at + _AROUND)
            label = (found["markdown"] or found["org"] or "") if found else ""
            if found and label in self.notes:
                at = found.end()
                starts[mark.notes[0]] = self.notes[label]
            else:
                starts[mark.notes[0]] = bisect_left(self.spans, (at, 0), 0, self.of_text)
            starts |= dict.fromkeys(mark.notes[1:])
        return starts

    def _spans(self, places: Sequence[int | None]) -> list[tuple[int, int] | None]:
        return [None if at is None else self.spans[at] for at in places]

    def _best(self, items: Sequence[_Item], start: int) -> tuple[list[int | None], bool]:
        """The number of each word, and whether they are found from the start on; of places that fit
        as well the first behind the start.
        """
        if not items:
            return [], False
        expected = self._from(items, start)
        if _share(expected) >= _SURE:
            return expected, True
        others = (self._from(items, at) for at in self._starts(items, start))
        best = max((expected, *others), key=_share)
        return best, best is expected

    def _starts(self, items: Sequence[_Item], start: int) -> Iterable[int]:
        """Where the paragraph may begin, by its rarest word: behind the start, then before it."""
        words = [(self.places.get(item.word, []), at) for at, item in enumerate(items)]
        known = [(len(places), at, places) for places, at in words if places]
        _, at, places = min(known, default=(0, 0, []))
        behind = bisect_left(places, start)
        ordered = (
            *places[behind : behind + _MOST_STARTS],
            *places[max(behind - _MOST_STARTS, 0) : behind],
        )
        return (max(place - at - _NEAR, 0) for place in ordered)

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


def _parted(
    words: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int]]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The words outside and those within spans, which are in order."""
    outside, at = list[tuple[int, int]](), 0
    within = list[tuple[int, int]]()
    for start, end in spans:
        first = bisect_left(words, (start, 0), at)
        outside += words[at:first]
        at = bisect_left(words, (end, 0), first)
        within += words[first:at]
    return [*outside, *words[at:]], within


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
        return self.known[max(at - 1, 0)][1][0]

    def gap(self, offset: int) -> tuple[int, int | None]:
        """Where the last word before an offset of the paragraph ends, and where the next begins."""
        at = bisect_right(self.known, offset, key=lambda one: one[0].start)
        behind = self.known[at][1][0] if at < len(self.known) else None
        return self.known[at - 1][1][1] if at else 0, behind


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
