"""How much of a draft was read: what is written in it, and what of that a check has seen."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from citeloom.domain.manuscript.draft import (
    Draft,
    DraftCitation,
    DraftLocation,
    DraftParagraph,
    IncludedFile,
    ParagraphKind,
    WrittenCitation,
)
from citeloom.domain.manuscript.quotations import Quotation, spans_in_quotation_marks
from citeloom.domain.text.tokens import word_count

_OPENS = re.compile(r'(?<!\w)(?:["\u201c\u201e](?=\S)|\u00ab)|[\u300c\u300e]')
_LEAST_WORDS = 3
"""Fewer words in quotation marks are a term rather than a quotation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingCoverage:
    """What of a draft was read. `written` counts the citations that a scan of its text finds;
    `unread` are those of them that its reader has not, `unreadable` the paragraphs that it could
    not read, `unread_files` the files it includes that were not read with it, `unclosed` the
    quotation marks that never close, `uncited` the quotations without a citation, `unmatched` the
    citations by author and year that name no work.
    """

    written: int = 0
    unread: tuple[WrittenCitation, ...] = ()
    paragraphs: int = 0
    unreadable: tuple[DraftLocation, ...] = ()
    unread_files: tuple[IncludedFile, ...] = ()
    unclosed: tuple[DraftLocation, ...] = ()
    uncited: tuple[DraftLocation, ...] = ()
    unmatched: tuple[DraftCitation, ...] = ()

    @property
    def read(self) -> int:
        """How many of the written citations were read."""
        return self.written - len(self.unread)

    @property
    def share(self) -> float:
        """The share of the written citations that were read, or of the paragraphs, if that is
        smaller; a file that was not read counts as one paragraph.
        """
        citations = self.read / self.written if self.written else 1.0
        unreadable = len(self.unreadable) + len(self.unread_files)
        every = self.paragraphs + unreadable
        return min(citations, self.paragraphs / every if unreadable else 1.0)


COMPLETE = ReadingCoverage()
"""That of a draft in which nothing is written."""


def coverage(
    draft: Draft,
    quoted: Sequence[Quotation],
    known: Iterable[str],
) -> ReadingCoverage:
    """The coverage of a draft whose quotations with citations are `quoted`; what may be a citation
    counts where its citekey is one of the `known` ones.
    """
    citekeys = {*known, *draft.citekeys}
    written = [one for one in draft.written if one.is_certain or one.citekey in citekeys]
    return ReadingCoverage(
        written=len(written),
        unread=tuple(one for one in written if not one.is_read),
        paragraphs=len(draft.paragraphs),
        unreadable=draft.unreadable,
        unread_files=draft.unread_files,
        unclosed=tuple(_unclosed(draft)),
        uncited=tuple(_uncited(draft, quoted)),
        unmatched=draft.unmatched,
    )


def with_reading(
    written: Sequence[WrittenCitation], citations: Iterable[DraftCitation]
) -> Iterator[WrittenCitation]:
    """Each written citation with whether it was read: where a citation that was read has its place,
    or as many more with its citekey were read.
    """
    read: dict[str, Counter[int]] = defaultdict(Counter)
    for citation in citations:
        read[citation.citekey][citation.place.start] += 1
    places = Counter((one.citekey, one.place.start) for one in written)
    for citekey, start in places:
        read[citekey][start] -= 1
    left = {key: sum(n for n in counts.values() if n > 0) for key, counts in read.items()}
    for one in written:
        is_placed = read[one.citekey][one.place.start] >= 0
        if not is_placed and left[one.citekey] > 0:
            left[one.citekey] -= 1
            is_placed = True
        yield replace(one, is_read=is_placed)


def _unclosed(draft: Draft) -> Iterator[DraftLocation]:
    """The quotation marks that open outside of every quotation."""
    for paragraph in draft.paragraphs:
        text, at = paragraph.text, 0
        for start, end in (*spans_in_quotation_marks(text), (len(text), len(text))):
            for opening in _OPENS.finditer(text, at, start - 1 if start < len(text) else start):
                yield draft.place_in(paragraph, opening.start(), len(text))
            at = end + 1


def _uncited(draft: Draft, quoted: Sequence[Quotation]) -> Iterator[DraftLocation]:
    cited = {quotation.place for quotation in quoted}
    blocks = {quotation.place.start for quotation in quoted if quotation.is_block}
    for block, members in groupby(draft.paragraphs, key=lambda paragraph: paragraph.block):
        inside = [one for one in members if one.kind is not ParagraphKind.NOTE]
        if block and inside:
            place = draft.place_in(inside[0], 0, len(inside[0].text))
            if place.start not in blocks:
                yield place
            continue
        for paragraph in inside:
            yield from _uncited_spans(draft, paragraph, cited)


def _uncited_spans(
    draft: Draft, paragraph: DraftParagraph, cited: set[DraftLocation]
) -> Iterator[DraftLocation]:
    if paragraph.kind is ParagraphKind.HEADING:
        return
    for start, end in spans_in_quotation_marks(paragraph.text):
        place = draft.place_in(paragraph, start, end)
        if place in cited or draft.calls_no_quotation(place):
            continue
        if word_count(paragraph.text[start:end]) >= _LEAST_WORDS:
            yield place
