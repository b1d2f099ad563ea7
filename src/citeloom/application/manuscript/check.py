"""The use case `check`: every quotation and citation of a draft, against the cited works."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from citeloom.application.events import (
    DocumentDone,
    ReadEvent,
    StageReached,
    no_reader,
    reported_run,
)
from citeloom.application.manuscript.works import WorkTexts
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.errors import nearest
from citeloom.domain.manuscript.cited_place import PageLocator
from citeloom.domain.manuscript.draft import Draft, DraftCitation, with_citekeys
from citeloom.domain.manuscript.quotations import Quotation, quotations
from citeloom.domain.manuscript.verdicts import (
    SURE_ELSEWHERE,
    CitationCheck,
    CitationVerdict,
    DraftReport,
    Lookup,
    Reason,
    best,
    found_text,
    has_text,
    is_of_another,
    is_too_short,
    look_up,
)
from citeloom.domain.references.citation import CitationMeta


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDraft:
    """Checks drafts against a project's works.

    `references` are those of the bibliography, whether or not their works are in the index;
    `retractions` says by citekey what is known of retracted works.
    """

    works: WorkTexts
    references: Callable[[], Sequence[CitationMeta]]
    retractions: Callable[[], Mapping[str, str]]

    def __call__(
        self,
        draft: Draft,
        cancellation: Cancellation | None = None,
        events: ReadEvent = no_reader,
    ) -> DraftReport:
        """The checks of a draft, in its order; `events` are of its quotations.

        Raises `InvalidProject` if nothing has been ingested yet, and what `cancellation` raises.
        """
        references = self.references()
        draft = with_citekeys(draft, references)
        quoted, citations = quotations(draft), draft.citations
        ingested = self.works.citekeys()
        cited = ingested & {*draft.citekeys}
        checks: list[CitationCheck] = []
        with reported_run(len(quoted), events):
            events(StageReached(document=f"{len(cited)} works", stage="loading"))
            self.works.load(sorted(cited))
            run = _Run(
                works=self.works,
                ingested=ingested,
                references=frozenset(reference.citekey for reference in references),
                retracted=self._retracted(cited),
            )
            for quotation in quoted:
                if cancellation is not None:
                    cancellation.check()
                place = f"{draft.name}:{quotation.place.line}:{quotation.place.column}"
                events(StageReached(document=place, stage="checking"))
                checks.append(run.quotation(quotation))
                events(DocumentDone(document=place, state="checked"))
        with_quotation = {id(one) for quotation in quoted for one in quotation.citations}
        unknown = {id(one.citation) for one in checks if one.reason is Reason.UNKNOWN_CITEKEY}
        for citation in citations:
            if id(citation) not in unknown:
                check = run.citation(citation, with_pages=id(citation) not in with_quotation)
                checks += [check] if check is not None else []
        return DraftReport(
            draft=draft.name,
            checks=tuple(sorted(checks, key=lambda check: check.place)),
            citations=len(citations),
            warnings=draft.warnings,
        )

    def _retracted(self, citekeys: Iterable[str]) -> Mapping[str, str]:
        """What is known of retracted works: by the index, else by the bibliography."""
        works = ((key, work.citation) for key in citekeys for work in self.works.of(key))
        indexed = {key: one.retracted for key, one in works if one and one.retracted}
        return {**self.retractions(), **indexed}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """The check of one draft: what is known of its citekeys, and what was looked up for it, since
    a draft may quote the same words again.
    """

    works: WorkTexts
    ingested: frozenset[str]
    references: frozenset[str]
    retracted: Mapping[str, str]
    _lookups: dict[tuple[str, str, PageLocator | None], list[Lookup]] = field(default_factory=dict)
    _others: dict[tuple[str, frozenset[str]], Lookup | None] = field(default_factory=dict)
    _near_citekeys: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def quotation(self, quotation: Quotation) -> CitationCheck:
        """The verdict on a quotation: of all works cited for it, the one that says most for it
        counts.
        """
        first = quotation.citations[0]
        if quotation.is_translation:
            return replace(_check_of(first, quotation), reason=Reason.TRANSLATION)
        lookups = [
            (citation, lookup)
            for citation in quotation.citations
            for lookup in self._in_work(quotation.text, citation)
        ]
        best_lookup = best(lookup for _, lookup in lookups)
        citation = next((one for one, lookup in lookups if lookup is best_lookup), first)
        if best_lookup is not None and best_lookup.verdict is not CitationVerdict.ABSENT:
            return _found(_check_of(citation, quotation), best_lookup.verdict, best_lookup)
        return self._in_no_cited_work(quotation, citation)

    def _in_no_cited_work(self, quotation: Quotation, citation: DraftCitation) -> CitationCheck:
        """The verdict on a quotation that no cited work has: these may not be readable, another
        work may have it, or it may be of a kind that cannot be looked up.
        """
        for one in quotation.citations:
            reason = self._unreadable(one.citekey)
            if reason is Reason.UNKNOWN_CITEKEY:
                return replace(self._unknown(one), quote=quotation.text)
            if reason is not None:
                return replace(_check_of(one, quotation), reason=reason)
        is_short = is_too_short(quotation.text)
        other = None if is_short else self._in_others(quotation)
        check = _check_of(citation, quotation)
        if other is not None:
            return _found(check, CitationVerdict.OTHER_WORK, other)
        if quotation.has_formula:
            return replace(check, reason=Reason.FORMULA)
        if is_short:
            return replace(check, reason=Reason.TOO_SHORT)
        return replace(check, verdict=CitationVerdict.ABSENT)

    def citation(self, citation: DraftCitation, *, with_pages: bool) -> CitationCheck | None:
        """What is wrong with a citation itself: its key, that the work has been retracted, or its
        pages; None where nothing is.
        """
        key, locator = citation.citekey, citation.locator
        if key not in self.ingested and key not in self.references:
            return self._unknown(citation)
        if key in self.retracted:
            return replace(_check_of(citation), retracted=self.retracted[key])
        if locator is None or not with_pages:
            return None
        works = [work for work in self.works.of(key) if work.pages.count]
        if not works or any(work.pages.physical(locator) for work in works):
            return None
        return replace(
            _check_of(citation), verdict=CitationVerdict.WRONG_PAGE, reason=Reason.NO_SUCH_PAGE
        )

    def _in_work(self, quote: str, citation: DraftCitation) -> list[Lookup]:
        """What each document of a cited work has of a quotation."""
        key = quote, citation.citekey, citation.locator
        if key not in self._lookups:
            works = self.works.of(citation.citekey)
            self._lookups[key] = [look_up(quote, work, citation.locator) for work in works]
        return self._lookups[key]

    def _in_others(self, quotation: Quotation) -> Lookup | None:
        """What a work that is not cited has of a quotation, if it is of that work."""
        cited = frozenset(citation.citekey for citation in quotation.citations)
        key = quotation.text, cited
        if key not in self._others:
            lookups = (
                look_up(quotation.text, work, at_least=SURE_ELSEWHERE)
                for work in self.works.candidates(quotation.text)
                if work.citation is None or work.citation.citekey not in cited
            )
            self._others[key] = best(lookup for lookup in lookups if is_of_another(lookup))
        return self._others[key]

    def _unreadable(self, citekey: str) -> Reason | None:
        """Why quotations of a work cannot be verified."""
        works = self.works.of(citekey)
        if not works:
            known = citekey in self.references
            return Reason.NOT_IN_LIBRARY if known else Reason.UNKNOWN_CITEKEY
        return None if has_text(works) else Reason.NO_TEXT

    def _unknown(self, citation: DraftCitation) -> CitationCheck:
        """The verdict on a citation whose citekey no reference has."""
        key = citation.citekey
        if key not in self._near_citekeys:
            self._near_citekeys[key] = nearest(key, self.ingested | self.references)
        return replace(
            _check_of(citation),
            reason=Reason.UNKNOWN_CITEKEY,
            near_citekeys=self._near_citekeys[key],
        )


def _check_of(citation: DraftCitation, quotation: Quotation | None = None) -> CitationCheck:
    """A check of a citation, or of a quotation with it, that verifies nothing as yet."""
    return CitationCheck(
        place=quotation.place if quotation else citation.place,
        citekey=citation.citekey,
        quote=quotation.text if quotation else None,
        verdict=CitationVerdict.UNVERIFIABLE,
        page=str(citation.locator) if citation.locator else None,
        citation=citation,
    )


def _found(check: CitationCheck, verdict: CitationVerdict, lookup: Lookup) -> CitationCheck:
    """The check of a quotation that a work has, word for word or nearly so."""
    return replace(
        check,
        verdict=verdict,
        on_page=lookup.on_page or verdict is not CitationVerdict.NEAR,
        found=found_text(lookup),
        difference=lookup.changes,
        share=round(lookup.share, 3),
    )
