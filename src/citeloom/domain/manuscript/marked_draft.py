"""A draft with its checks where they stand: paragraphs in pieces, and which check comes first."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from citeloom.domain.manuscript.draft import (
    Draft,
    DraftCitation,
    DraftLocation,
    DraftParagraph,
    Mark,
    ParagraphKind,
)
from citeloom.domain.manuscript.verdicts import CitationCheck, CitationVerdict, Reason
from citeloom.domain.text.near import Remark

# Paragraphs in pieces.


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPiece:
    """A part of a paragraph: words, of a check where `check` is its number; or the citation that
    stands there; or the mark of a footnote.
    """

    text: str = ""
    check: int | None = None
    citation: DraftCitation | None = None
    is_note: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedParagraph:
    """A paragraph, its pieces in order, the numbers of its checks and the lines it stands on."""

    kind: ParagraphKind
    line: int
    last_line: int
    pieces: tuple[DraftPiece, ...]
    checks: tuple[int, ...]


def marked_paragraphs(draft: Draft, checks: Sequence[CitationCheck]) -> list[MarkedParagraph]:
    """The paragraphs of a draft with the checks whose words stand in them, in its order."""
    spans = _spans_by_paragraph(draft, (check.place for check in checks))
    by_citation = {
        check.citation.place: number
        for number, check in reversed([*enumerate(checks)])
        if check.citation is not None
    }
    marked = []
    for number, paragraph in enumerate(draft.paragraphs):
        cited = {
            by_citation[one.place]
            for mark in paragraph.marks
            for one in mark.citations
            if not mark.is_note and one.place in by_citation
        }
        spans_here = spans.get(number, [])
        first, last = _lines_of(draft, paragraph)
        marked.append(
            MarkedParagraph(
                kind=paragraph.kind,
                line=first,
                last_line=last,
                pieces=tuple(_pieces(paragraph, spans_here, by_citation)),
                checks=tuple(sorted({*cited, *(check for _, _, check in spans_here)})),
            )
        )
    return marked


_Span = tuple[int, int, int]
"""Where a piece begins and ends in its paragraph, and the number of its check."""


def _spans_by_paragraph(draft: Draft, places: Iterable[DraftLocation]) -> Mapping[int, list[_Span]]:
    """The spans of places in the paragraphs that their words are in."""
    words = sorted(
        (at, number, offset, length)
        for number, paragraph in enumerate(draft.paragraphs)
        for offset, at, length in paragraph.anchors
    )
    spans: dict[int, list[_Span]] = defaultdict(list)
    for check, place in enumerate(places):
        within: dict[int, tuple[int, int]] = {}
        for at in range(bisect_left(words, (place.start,)), bisect_left(words, (place.end,))):
            _, number, offset, length = words[at]
            start, end = within.get(number, (offset, offset))
            within[number] = min(start, offset), max(end, offset + length)
        for number, (start, end) in within.items():
            spans[number].append((start, end, check))
    return spans


def _lines_of(draft: Draft, paragraph: DraftParagraph) -> tuple[int, int]:
    places = [at for _, at, _ in paragraph.anchors]
    places += [one.place.start for one in paragraph.citations]
    if not places:
        return 0, 0
    return draft.place(min(places), 0).line, draft.place(max(places), 0).line


def _pieces(
    paragraph: DraftParagraph, spans: Sequence[_Span], by_citation: Mapping[DraftLocation, int]
) -> Iterator[DraftPiece]:
    """The pieces of a paragraph; of spans that overlap, the first counts."""
    at = 0
    marks = sorted(paragraph.marks, key=lambda mark: mark.offset)
    for start, end, check in sorted(spans):
        if start >= at:
            yield from _words(paragraph, marks, at, start, None, by_citation)
            yield from _words(paragraph, marks, start, end, check, by_citation)
            at = end
    yield from _words(paragraph, marks, at, len(paragraph.text), None, by_citation)


def _words(
    paragraph: DraftParagraph,
    marks: Sequence[Mark],
    start: int,
    end: int,
    check: int | None,
    by_citation: Mapping[DraftLocation, int],
) -> Iterator[DraftPiece]:
    """The words of a span, cut where its citations and footnotes are."""
    at = start
    first = bisect_left(marks, start, key=lambda mark: mark.offset)
    last = bisect_left(marks, end, key=lambda mark: mark.offset)
    for mark in marks[first:last]:
        if mark.offset > at:
            yield DraftPiece(text=paragraph.text[at : mark.offset], check=check)
        if mark.is_note:
            yield DraftPiece(is_note=True)
        else:
            for one in mark.citations:
                yield DraftPiece(citation=one, check=by_citation.get(one.place))
        at = mark.offset + 1
    if at < end:
        yield DraftPiece(text=paragraph.text[at:end], check=check)


# What comes first.

_REVERSED = frozenset({Remark.NEGATION, Remark.OPPOSITE, Remark.NUMBER, Remark.NAME})
_ORDER = (
    CitationVerdict.ABSENT,
    CitationVerdict.OTHER_WORK,
    CitationVerdict.WRONG_PAGE,
    CitationVerdict.NEAR,
    CitationVerdict.UNVERIFIABLE,
    CitationVerdict.EXACT,
)


def severity(check: CitationCheck) -> int:
    """How urgent a finding is, 0 the most: what says something else than the work, or is of a
    retracted one, what no work has, what stands elsewhere, what differs in words, what is of an
    unknown work, what could not be verified; behind these what is no fault.
    """
    is_reversed = check.verdict is CitationVerdict.NEAR and not _REVERSED.isdisjoint(check.remarks)
    if check.fails and (check.retracted or is_reversed):
        return 0
    if check.is_of_unknown_work:
        return len(_ORDER) - 1
    place = 1 + _ORDER.index(check.verdict)
    is_settled = check.verdict in {CitationVerdict.UNVERIFIABLE, CitationVerdict.EXACT}
    is_open = check.fails or check.reason is Reason.UNREAD_LOCATOR
    return place + (len(_ORDER) if is_settled or not is_open else 0)


def worst_first(checks: Sequence[CitationCheck]) -> list[int]:
    """The numbers of the findings among checks, the most urgent first."""
    findings = (number for number, check in enumerate(checks) if check.is_finding)
    return sorted(findings, key=lambda number: (severity(checks[number]), number))
