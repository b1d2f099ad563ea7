"""The use case `check`: every quotation and citation of a draft, against the cited works."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache

from citeloom.application.events import (
    DocumentDone,
    ReadEvent,
    StageReached,
    no_reader,
    reported_run,
)
from citeloom.application.manuscript.works import CitedWorks
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.manuscript import check_length
from citeloom.domain.errors import NotFound, nearest
from citeloom.domain.manuscript.coverage import coverage
from citeloom.domain.manuscript.draft import Draft, DraftCitation
from citeloom.domain.manuscript.named_works import with_citekeys
from citeloom.domain.manuscript.page_locator import PageLocator
from citeloom.domain.manuscript.quotations import Quotation, quotations
from citeloom.domain.manuscript.verdicts import (
    SURE_ELSEWHERE,
    CitationCheck,
    CitationVerdict,
    DraftReport,
    Lookup,
    QuotationCheck,
    Reason,
    best,
    found_text,
    has_text,
    is_of_another,
    is_too_short,
    look_up,
    unproved_page,
)
from citeloom.domain.manuscript.work_text import WorkText
from citeloom.domain.text.normal_form import letters_of

LONGEST_QUOTATION = 4_000
"""How many characters a quotation may have that is checked alone."""


def check_draft(
    draft: Draft,
    works: CitedWorks,
    cancellation: Cancellation | None = None,
    events: ReadEvent = no_reader,
    *,
    min_coverage: float = 1.0,
    terms: Iterable[str] = (),
) -> DraftReport:
    """The checks of a draft against a project's works, in its order; `events` are of its
    quotations. What a comment in the draft calls no quotation is none, nor are the `terms`.

    Raises `InvalidProject` if nothing has been ingested yet, and what `cancellation` raises.
    """
    if draft.error is not None:
        return DraftReport(draft=draft.name, checks=(), citations=0, error=draft.error)
    draft = with_citekeys(draft, works.references)
    in_marks, citations = quotations(draft), draft.citations
    quoted = list(_without_terms(draft, in_marks, terms))
    run = _Run(works, {str(work) for work in draft.works})
    cited = run.ingested & {*draft.citekeys}
    checks: list[CitationCheck] = []
    with reported_run(len(quoted), events):
        events(StageReached(document=f"{len(cited)} works", stage="loading"))
        works.load(sorted(cited))
        for quotation in quoted:
            if cancellation is not None:
                cancellation.check()
            place = f"{draft.name}:{quotation.place.line}:{quotation.place.column}"
            events(StageReached(document=place, stage="checking"))
            checks.append(run.quotation(quotation))
            events(DocumentDone(document=place, state="checked"))
    with_quotation = {id(one) for quotation in quoted for one in quotation.citations}
    unknown = {id(one.citation) for one in checks if one.is_of_unknown_work}
    for citation in citations:
        if id(citation) not in unknown:
            check = run.citation(citation, with_pages=id(citation) not in with_quotation)
            checks += [check] if check is not None else []
    return DraftReport(
        draft=draft.name,
        checks=tuple(sorted(checks, key=lambda check: check.place)),
        citations=len(citations),
        warnings=draft.warnings,
        coverage=coverage(draft, in_marks, run.titles),
        min_coverage=min_coverage,
        ignored=len(in_marks) - len(quoted),
    )


def check_quotation(works: CitedWorks, quote: str, doc_id: str) -> QuotationCheck:
    """The verdict on words that are quoted from a document, whatever its page: where it does not
    have them, another work may, if there are enough of them.

    Raises `NotFound` for an unknown document, `InvalidProject` if nothing has been ingested yet.
    """
    check_length("quotation", quote, LONGEST_QUOTATION)
    works.project.existing_collection()
    text = works.document(doc_id)
    if text is None:
        raise NotFound(
            f"project '{works.project.id}' has no text of a document '{doc_id}'",
            "`citeloom list --json` prints the ids of documents.",
        )
    lookup = look_up(quote, text)
    if lookup.verdict is not CitationVerdict.ABSENT:
        return _quotation_found(quote, lookup, lookup.verdict)
    if is_too_short(quote):
        verdict = CitationVerdict.UNVERIFIABLE
        return QuotationCheck(quote=quote, verdict=verdict, reason=Reason.TOO_SHORT)
    others = (look_up(quote, work, at_least=SURE_ELSEWHERE) for work in works.candidates(quote))
    other = best(one for one in others if one.work is not text and is_of_another(one))
    if other is not None:
        return _quotation_found(quote, other, CitationVerdict.OTHER_WORK)
    return QuotationCheck(quote=quote, verdict=CitationVerdict.ABSENT)


def _quotation_found(quote: str, lookup: Lookup, verdict: CitationVerdict) -> QuotationCheck:
    return QuotationCheck(
        quote=quote,
        verdict=verdict,
        found=found_text(lookup),
        difference=lookup.changes,
        share=round(lookup.share, 3),
    )


def _without_terms(
    draft: Draft, quoted: Iterable[Quotation], terms: Iterable[str]
) -> Iterator[Quotation]:
    named = {letters_of(term) for term in terms}
    for quotation in quoted:
        if letters_of(quotation.text) not in named and not draft.calls_no_quotation(
            quotation.place
        ):
            yield quotation


_RETRACTED = ("retracted:", "retracted article", "[retracted]")
"""What the titles of retracted works begin with in a bibliography."""


class _Run:
    """The check of one draft: what is known of its citekeys, and what was looked up for it, since
    a draft may quote the same words again.
    """

    def __init__(self, works: CitedWorks, described: Set[str]) -> None:
        self.works, self.described = works, described
        self.ingested = works.citekeys()
        self.titles: Mapping[str, str] = {
            reference.citekey: reference.title for reference in works.references
        }
        self.in_work = cache(self._in_work)
        self.in_others = cache(self._in_others)
        self.near_citekeys = cache(lambda key: nearest(key, {*self.ingested, *self.titles}))

    def quotation(self, quotation: Quotation) -> CitationCheck:
        """The verdict on a quotation: of all works cited for it, the one that says most for it
        counts. Where none has it, these may not be readable, another work may have it, or it may be
        of a kind that cannot be looked up.
        """
        quote, citations = quotation.text, quotation.citations
        if quotation.is_translation:
            return replace(_check_of(citations[0], quotation), reason=Reason.TRANSLATION)
        lookups = [
            (citation, lookup)
            for citation in citations
            for lookup in self.in_work(quote, citation.citekey, citation.locator)
        ]
        lookup = best(lookup for _, lookup in lookups)
        check = _check_of(
            next((citation for citation, other in lookups if other is lookup), citations[0]),
            quotation,
        )
        if lookup is not None and lookup.verdict is not CitationVerdict.ABSENT:
            return _found(check, lookup.verdict, lookup)
        unverifiable = self._unverifiable(quotation, check)
        if unverifiable is not None:
            return unverifiable
        is_short = is_too_short(quote)
        cited = frozenset(citation.citekey for citation in citations)
        other = None if is_short else self.in_others(quote, cited)
        if other is not None:
            return _found(check, CitationVerdict.OTHER_WORK, other)
        why = Reason.TOO_SHORT if is_short else None
        why = Reason.FORMULA if quotation.has_formula else why
        verdict = check.verdict if why is not None else CitationVerdict.ABSENT
        return replace(check, verdict=verdict, reason=why)

    def _unverifiable(self, quotation: Quotation, check: CitationCheck) -> CitationCheck | None:
        """Why a quotation that no cited work has cannot be called absent; None where it can."""
        if quotation.is_cited_before:
            return replace(check, verdict=CitationVerdict.UNVERIFIABLE, reason=Reason.CITED_BEFORE)
        for citation in quotation.citations:
            works = self.works.of(citation.citekey)
            if not works and citation.citekey not in self.titles:
                return replace(self.unknown(citation), quote=quotation.text)
            if not has_text(works):
                reason = Reason.NO_TEXT if works else Reason.NOT_IN_LIBRARY
                return replace(_check_of(citation, quotation), reason=reason)
        return None

    def citation(self, citation: DraftCitation, *, with_pages: bool) -> CitationCheck | None:
        """What is wrong with a citation itself: its key, that the work has been retracted, or its
        pages; None where nothing is.
        """
        key = citation.citekey
        if key not in self.ingested and key not in self.titles:
            return self.unknown(citation)
        works = self.works.of(key) if key in self.ingested else ()
        for work in works:
            if work.citation is not None and work.citation.retracted:
                return replace(_check_of(citation), retracted=work.citation.retracted)
        title = self.titles.get(key, "")
        if title.casefold().startswith(_RETRACTED):
            return replace(_check_of(citation), retracted=title)
        paged = [work for work in works if work.pages.count]
        return _check_of_pages(citation, paged) if with_pages and paged else None

    def unknown(self, citation: DraftCitation) -> CitationCheck:
        """The verdict on a citation of a work that no reference is."""
        if citation.citekey in self.described:
            return replace(_check_of(citation), reason=Reason.UNKNOWN_WORK)
        near = self.near_citekeys(citation.citekey)
        return replace(_check_of(citation), reason=Reason.UNKNOWN_CITEKEY, near_citekeys=near)

    def _in_work(self, quote: str, citekey: str, locator: PageLocator | None) -> list[Lookup]:
        """What each document of a cited work has of a quotation."""
        return [look_up(quote, work, locator) for work in self.works.of(citekey)]

    def _in_others(self, quote: str, cited: frozenset[str]) -> Lookup | None:
        """What a work that is not cited has of a quotation, if it is of that work."""
        lookups = (
            look_up(quote, work, at_least=SURE_ELSEWHERE)
            for work in self.works.candidates(quote)
            if work.citation is None or work.citation.citekey not in cited
        )
        return best(lookup for lookup in lookups if is_of_another(lookup))


def _check_of(citation: DraftCitation, quotation: Quotation | None = None) -> CitationCheck:
    """A check of a citation, or of a quotation with it, that verifies nothing as yet."""
    return CitationCheck(
        place=quotation.place if quotation else citation.place,
        citekey=citation.citekey,
        quote=quotation.text if quotation else None,
        is_term=quotation.may_be_term if quotation else False,
        verdict=CitationVerdict.UNVERIFIABLE,
        page=str(citation.locator) if citation.locator else None,
        citation=citation,
    )


def _check_of_pages(citation: DraftCitation, works: Sequence[WorkText]) -> CitationCheck | None:
    """What is wrong with the pages of a citation without a quotation; None where nothing is."""
    check, locator = _check_of(citation), citation.locator
    if locator is None:
        is_unread = bool(citation.unread_locator)
        return replace(check, reason=Reason.UNREAD_LOCATOR) if is_unread else None
    if any(work.pages.physical(locator) for work in works):
        return None
    return replace(check, verdict=CitationVerdict.WRONG_PAGE, reason=Reason.NO_SUCH_PAGE)


def _found(check: CitationCheck, verdict: CitationVerdict, lookup: Lookup) -> CitationCheck:
    """The check of a quotation that a work has, word for word or nearly so."""
    citation = check.citation if verdict is CitationVerdict.EXACT else None
    return replace(
        check,
        verdict=verdict,
        reason=unproved_page(lookup, citation) if citation else None,
        on_page=lookup.on_page or verdict is not CitationVerdict.NEAR,
        found=found_text(lookup),
        difference=lookup.changes,
        share=round(lookup.share, 3),
    )
