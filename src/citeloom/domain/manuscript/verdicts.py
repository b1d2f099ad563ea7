"""Verdicts on the quotations and citations of a draft, and the report of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from unicodedata import category, normalize

from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.documents.language import clear_language
from citeloom.domain.documents.misread import doubtful_words
from citeloom.domain.documents.printed_pages import are_of_page_list
from citeloom.domain.errors import CiteloomError
from citeloom.domain.manuscript.coverage import COMPLETE, ReadingCoverage
from citeloom.domain.manuscript.draft import DraftCitation, DraftLocation
from citeloom.domain.manuscript.hidden_words import (
    HiddenWords,
    hidden_words,
    scripts_written_otherwise,
)
from citeloom.domain.manuscript.page_locator import PageLocator
from citeloom.domain.manuscript.work_text import WorkText
from citeloom.domain.retrieval.locator import Locator
from citeloom.domain.text.citation_marks import blanked, has_marks_of
from citeloom.domain.text.near import (
    AlignedWords,
    Remark,
    WordChange,
    aligned_words,
    nearest_match,
)
from citeloom.domain.text.normal_form import TextSpan
from citeloom.domain.text.tokens import word_count
from citeloom.domain.text.verbatim import QuotedPlace, quotation_places


class CitationVerdict(StrEnum):
    """What a check says of a quotation, or of a citation without one."""

    EXACT = "exact"
    NEAR = "near"
    WRONG_PAGE = "wrong_page"
    OTHER_WORK = "other_work"
    ABSENT = "absent"
    UNVERIFIABLE = "unverifiable"


class Reason(StrEnum):
    """Why something cannot be verified, or what else is to be said of it."""

    UNKNOWN_CITEKEY = "unknown_citekey"
    UNKNOWN_WORK = "unknown_work"
    NOT_IN_LIBRARY = "not_in_library"
    NO_TEXT = "no_text"
    FORMULA = "formula"
    TOO_SHORT = "too_short"
    TRANSLATION = "translation"
    NO_SUCH_PAGE = "no_such_page"
    NO_PAGES = "no_pages"
    NO_PAGE_CITED = "no_page_cited"
    UNREAD_LOCATOR = "unread_locator"
    CITED_BEFORE = "cited_before"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundText:
    """Where a quotation stands: the work, its place there and the work's own words; the chunk that
    it begins in; what speaks against these words as they were read.
    """

    citekey: str | None
    doc_id: str
    chunk_id: str
    locator: Locator
    text: str
    source_path: str = ""
    doubts: tuple[Doubt, ...] = ()

    @property
    def pages(self) -> str:
        return self.locator.pages

    @property
    def doubtful_words(self) -> tuple[str, ...]:
        """The words that its doubts name."""
        return doubtful_words(self.doubts, self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationCheck:
    """What is said of one quotation, or of a citation without one, where `quote` is None.

    `page` is the locator as the draft has it; `on_page` is False for a near quotation that is on
    another one. `difference` is that of a near quotation, or the number or name that an ellipsis or
    brackets of an exact one hide or add, and the scripts that it has in the line; `share` is how
    much of it is there. `near_citekeys` are those most like an unknown one. A quotation of so few
    words that it may be a term `is_term`.
    """

    place: DraftLocation
    citekey: str
    quote: str | None
    verdict: CitationVerdict
    page: str | None = None
    on_page: bool = True
    found: FoundText | None = None
    difference: tuple[WordChange, ...] = ()
    share: float | None = None
    reason: Reason | None = None
    near_citekeys: tuple[str, ...] = ()
    retracted: str | None = None
    citation: DraftCitation | None = None
    is_term: bool = False

    @property
    def fails(self) -> bool:
        """Whether the author has to change something; what cannot be verified is no fault, nor is
        a term in quotation marks, an unknown citekey and a retracted work are.
        """
        if self.is_of_unknown_work or self.retracted:
            return True
        if self.verdict in {CitationVerdict.EXACT, CitationVerdict.UNVERIFIABLE}:
            return False
        return self.verdict is CitationVerdict.WRONG_PAGE or not self.is_term

    @property
    def is_of_unknown_work(self) -> bool:
        """Whether no reference has its citekey, or is the work that the draft describes."""
        return self.reason in {Reason.UNKNOWN_CITEKEY, Reason.UNKNOWN_WORK}

    @property
    def is_finding(self) -> bool:
        """Whether the author is told without asking: what fails, what could not be verified, a
        place in the work that was not read, a number or name that is hidden or added, a script, a
        formula of the work that may not be as it is printed.
        """
        return (
            self.fails
            or self.verdict is not CitationVerdict.EXACT
            or self.reason is Reason.UNREAD_LOCATOR
            or bool(self.difference)
            or (self.found is not None and Doubt.FORMULA in self.found.doubts)
        )

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What the differences change: a number, a negation."""
        return tuple(
            dict.fromkeys(remark for change in self.difference for remark in change.remarks)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotationCheck:
    """What is said of a quotation that was looked up in one document: as of a `CitationCheck`."""

    quote: str
    verdict: CitationVerdict
    found: FoundText | None = None
    difference: tuple[WordChange, ...] = ()
    share: float | None = None
    reason: Reason | None = None

    @property
    def beside(self) -> tuple[AlignedWords, ...]:
        """The quotation beside the words of the work, where it was found; the signs at its end do
        not count.
        """
        texts = (self.quote, self.found.text) if self.found else ("", "")
        return tuple(aligned_words(*(text.rstrip(_ENDS) for text in texts)))


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftReport:
    """The checks of one draft, in its order, how many citations it has, and how much of it was
    read: with an `error`, nothing. Less than `min_coverage` is a fault. `ignored` counts what the
    draft or the settings call no quotation.
    """

    draft: str
    checks: tuple[CitationCheck, ...]
    citations: int
    warnings: tuple[str, ...] = ()
    coverage: ReadingCoverage = COMPLETE
    min_coverage: float = 1.0
    error: CiteloomError | None = None
    ignored: int = 0

    @property
    def counts(self) -> dict[str, int]:
        counted = Counter(check.verdict for check in self.checks)
        return {verdict.value: counted[verdict] for verdict in CitationVerdict}

    @property
    def is_covered(self) -> bool:
        """Whether enough of the draft was read."""
        return self.error is None and self.coverage.share >= self.min_coverage

    @property
    def passed(self) -> bool:
        return self.is_covered and not any(check.fails for check in self.checks)


# Looking a quotation up in one work.

_ENDS = ' .,;:\u2026"\u201d\u2019\u00bb'
NEAR_SHARE = 0.6
"""The share of a quotation's letters that must stand in the work in words of their own."""
LEAST_WORDS = 3
"""A quotation of fewer words says too little to be called absent."""
_MOST_PLACES, _AROUND = 20, 1_000
"""Of how many places the best counts, and of how many characters around it the language."""
SURE_ELSEWHERE = 0.9
"""The share from which a quotation that is near in another work is said to be of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """What a work has of a quotation: character for character, nearly, or nothing (`verdict` is
    `ABSENT`). A verdict `WRONG_PAGE` is of an exact quotation.
    """

    work: WorkText
    verdict: CitationVerdict
    span: TextSpan | None = None
    share: float = 0.0
    changes: tuple[WordChange, ...] = ()
    on_page: bool = True


def look_up(
    quote: str,
    work: WorkText,
    locator: PageLocator | None = None,
    *,
    at_least: float = NEAR_SHARE,
) -> Lookup:
    """Look a quotation up in the text of a work; of several places, the one on the cited pages
    counts. It is near where a share `at_least` of its letters is there. Marks of citations and
    footnotes in the work may be left out.
    """
    places = _occurrences(quote, work)
    if places:
        return _lookup_at(quote, places, work, locator)
    own_marks = work.marks_of(quote)
    match = nearest_match(quote, work if own_marks else work.without_marks, at_least)
    if match is None:
        return Lookup(work=work, verdict=CitationVerdict.ABSENT)
    return Lookup(
        work=work,
        verdict=CitationVerdict.NEAR,
        span=match.span,
        share=match.share,
        changes=match.changes,
        on_page=is_on_pages(work, match.span, locator),
    )


def _lookup_at(
    quote: str, places: Sequence[QuotedPlace], work: WorkText, locator: PageLocator | None
) -> Lookup:
    """What a work has of a quotation that stands there character for character: on the cited page
    it is near where its ellipses and brackets hide or add what turns its meaning. Superscripts and
    subscripts that it has in the line are named.
    """
    on_page = [place for place in places if is_on_pages(work, place.span, locator)]
    lookups = ((place, _hidden_words(place, work)) for place in (on_page or places)[:_MOST_PLACES])
    place, hidden = min(lookups, key=lambda one: any(words.is_wrong for words in one[1]))
    verdict = CitationVerdict.EXACT if on_page else CitationVerdict.WRONG_PAGE
    if on_page and any(words.is_wrong for words in hidden):
        verdict = CitationVerdict.NEAR
    there = work.text[place.span.start : place.span.end]
    scripts = (
        WordChange(quote=quoted, work=printed)
        for quoted, printed in scripts_written_otherwise(quote, there)
    )
    return Lookup(
        work=work,
        verdict=verdict,
        span=place.span,
        share=1.0,
        changes=(*(words.change for words in hidden), *scripts),
        on_page=bool(on_page),
    )


def _hidden_words(place: QuotedPlace, work: WorkText) -> list[HiddenWords]:
    if not place.gaps:
        return []
    span = place.span
    around = work.text[max(span.start - _AROUND, 0) : span.end + _AROUND]
    return hidden_words(place, with_names=clear_language(around) not in {"de", None})


_POWER = re.compile(r"(?<=\d)\^\{?(\d+)\}?|(?<=\d)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")


def _occurrences(quote: str, work: WorkText) -> list[QuotedPlace]:
    """Where a quotation stands in a work character for character; the text of a PDF has 10¹² as
    `10 12`.
    """
    places = list(quotation_places(quote, work)) or list(_without_marks(quote, work))
    if places or not _POWER.search(quote):
        return places
    apart = _POWER.sub(lambda power: f" {power[1] or normalize('NFKC', power[2])}", quote)
    return list(quotation_places(apart, work))


def _without_marks(quote: str, work: WorkText) -> Iterator[QuotedPlace]:
    """Where a quotation stands that leaves out marks of citations and footnotes, and has none that
    the work has not.
    """
    if work.without_marks is work:
        return
    own_marks = work.marks_of(quote)
    written = [quote[start:end] for start, end in own_marks]
    for place in quotation_places(blanked(quote, own_marks), work.without_marks):
        if has_marks_of(written, work.marks_in(place.span)):
            yield place


def unproved_page(lookup: Lookup, citation: DraftCitation) -> Reason | None:
    """Why an exact quotation is not said to be on the cited page; None where it is there."""
    if citation.locator is None:
        return Reason.UNREAD_LOCATOR if citation.unread_locator else Reason.NO_PAGE_CITED
    has_pages = lookup.span is not None and lookup.work.pages_of(lookup.span) is not None
    return None if has_pages else Reason.NO_PAGES


def is_on_pages(work: WorkText, span: TextSpan, locator: PageLocator | None) -> bool:
    """Whether characters of a work are on the pages of a locator; so are all without a locator and
    in a work without pages.
    """
    pages = work.pages_of(span)
    if locator is None or pages is None:
        return True
    allowed = work.pages.physical(locator)
    return any(page in allowed for page in range(pages[0], pages[1] + 1))


def is_of_another(lookup: Lookup) -> bool:
    """Whether a quotation that the cited work does not have may be said to be of this one."""
    return lookup.verdict in {CitationVerdict.EXACT, CitationVerdict.WRONG_PAGE} or (
        lookup.verdict is CitationVerdict.NEAR and lookup.share >= SURE_ELSEWHERE
    )


_ORDER = (
    CitationVerdict.EXACT,
    CitationVerdict.WRONG_PAGE,
    CitationVerdict.NEAR,
    CitationVerdict.ABSENT,
)


def best(lookups: Iterable[Lookup]) -> Lookup | None:
    """The lookup that says most for the draft; None of none."""
    return min(
        lookups,
        key=lambda one: (_ORDER.index(one.verdict), not one.on_page, -one.share),
        default=None,
    )


def found_text(lookup: Lookup) -> FoundText | None:
    """Where a lookup has found the quotation, with the work's own words."""
    span, work = lookup.span, lookup.work
    if span is None:
        return None
    at = work.part_at(span.start)
    stored = work.chunks[at]
    pages = work.pages_of(span)
    labels: tuple[str, ...] = ()
    if pages is not None:
        known = [work.pages.labels.get(page) for page in range(pages[0], pages[1] + 1)]
        labels = tuple(label for label in known if label is not None)
        labels = labels if len(labels) == len(known) else ()
    locator = Locator(
        page_start=pages[0] if pages else None,
        page_end=pages[1] if pages else None,
        page_labels=labels,
        paragraphs=stored.chunk.paragraphs if pages is None else None,
        section=stored.chunk.section_titles,
        of_page_list=are_of_page_list(stored.source_path),
    )
    return FoundText(
        citekey=stored.citation.citekey if stored.citation else None,
        doc_id=stored.chunk.doc_id,
        chunk_id=stored.chunk.id,
        locator=locator,
        text=" ".join(work.text[span.start : span.end].split()),
        doubts=_doubts(work, span),
        source_path=stored.source_path,
    )


def is_too_short(quote: str) -> bool:
    """Whether a quotation has too few words to be called absent."""
    return word_count(quote) < LEAST_WORDS


def has_text(works: Sequence[WorkText]) -> bool:
    """Whether any document of a work has text that could be quoted."""
    return any(word_count(work.text) > LEAST_WORDS for work in works)


def _doubts(work: WorkText, span: TextSpan) -> tuple[Doubt, ...]:
    """What speaks against words of a work: of a formula, where signs of one are among them."""
    parts = work.chunks[work.part_at(span.start) : work.part_at(span.end - 1) + 1]
    doubts = {doubt for part in parts for doubt in part.chunk.doubts}
    if not any(map(_is_of_formula, work.text[span.start : span.end])):
        doubts.discard(Doubt.FORMULA)
    return tuple(doubt for doubt in Doubt if doubt in doubts)


def _is_of_formula(letter: str) -> bool:
    """Whether a letter is a sign of mathematics, a script or a variable."""
    if letter in "^_/":
        return True
    form = normalize("NFKC", letter)
    return category(letter) == "Sm" or (form != letter and len(form) == 1)
