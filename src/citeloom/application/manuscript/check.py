"""The use case `check`: every quotation and citation of a draft, against the cited works."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from citeloom.application.manuscript.works import WorkTexts
from citeloom.application.ports.runtime import Cancellation, NoProgress, Progress
from citeloom.domain.errors import nearest
from citeloom.domain.manuscript.cited_place import PageLocator
from citeloom.domain.manuscript.draft import Draft, DraftCitation, with_citekeys
from citeloom.domain.manuscript.quotations import Quotation, quotations
from citeloom.domain.manuscript.verdicts import (
    SURE_ELSEWHERE,
    Check,
    DraftReport,
    Lookup,
    Reason,
    Verdict,
    best,
    found_text,
    has_text,
    is_of_another,
    is_too_short,
    look_up,
)
from citeloom.domain.manuscript.work_text import WorkText
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
        progress: Progress | None = None,
    ) -> DraftReport:
        """The checks of a draft, in its order; `progress` counts its quotations.

        Raises `InvalidProject` if nothing has been ingested yet, and what `cancellation` raises.
        """
        shown = progress or NoProgress()
        references = self.references()
        draft = with_citekeys(draft, references)
        quoted = quotations(draft)
        known = frozenset(reference.citekey for reference in references)
        ingested = self.works.citekeys()
        cited = ingested & {*draft.citekeys}
        shown.start(len(quoted))
        try:
            shown.stage(f"{len(cited)} works", "loading")
            self.works.load(sorted(cited))
            run = _Run(self, ingested, known, self._retracted(cited))
            checks = run.quotations(draft.name, quoted, cancellation, shown)
        finally:
            shown.finish()
        checked = {id(one) for quotation in quoted for one in quotation.citations}
        unknown = {id(one.citation) for one in checks if one.reason is Reason.UNKNOWN_CITEKEY}
        for citation in draft.citations:
            if id(citation) in unknown:
                continue
            check = run.citation(citation, with_pages=id(citation) not in checked)
            if check is not None:
                checks.append(check)
        return DraftReport(
            draft=draft.name,
            checks=tuple(sorted(checks, key=lambda check: check.place)),
            citations=len(draft.citations),
            warnings=draft.warnings,
        )

    def _retracted(self, citekeys: Iterable[str]) -> Mapping[str, str]:
        """What is known of retracted works: by the index, else by the bibliography."""
        works = ((key, work.citation) for key in citekeys for work in self.works.of(key))
        indexed = {key: one.retracted for key, one in works if one and one.retracted}
        return {**self.retractions(), **indexed}


@dataclass(frozen=True, slots=True)
class _Run:
    """The check of one draft: what is known of its citekeys, and what was looked up for it, since
    a draft may quote the same words again.
    """

    use_case: CheckDraft
    ingested: frozenset[str]
    references: frozenset[str]
    retracted: Mapping[str, str]
    _lookups: dict[tuple[str, str, PageLocator | None], tuple[Lookup, ...]] = field(
        default_factory=dict
    )
    _others: dict[tuple[str, frozenset[str]], Lookup | None] = field(default_factory=dict)
    _near_citekeys: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def quotations(
        self,
        draft: str,
        quoted: Sequence[Quotation],
        cancellation: Cancellation | None,
        progress: Progress,
    ) -> list[Check]:
        """The verdicts on a draft's quotations. Raises what `cancellation` raises."""
        checks = []
        for quotation in quoted:
            if cancellation is not None:
                cancellation.check()
            place = f"{draft}:{quotation.place.line}:{quotation.place.column}"
            progress.stage(place, "checking")
            checks.append(self.quotation(quotation))
            progress.advance(place, "checked")
        return checks

    def quotation(self, quotation: Quotation) -> Check:
        """The verdict on a quotation: of all works cited for it, the one that speaks best for it
        counts.
        """
        if quotation.is_translation:
            return _check(quotation, quotation.citations[0], reason=Reason.TRANSLATION)
        lookups = [
            (citation, lookup)
            for citation in quotation.citations
            for lookup in self._in_work(quotation.text, citation)
        ]
        found = best(lookup for _, lookup in lookups)
        citation = next((one for one, lookup in lookups if lookup is found), quotation.citations[0])
        if found is not None and found.verdict is not Verdict.ABSENT:
            return _found(quotation, citation, found)
        return self._elsewhere(quotation, citation) or self._missing(quotation, citation)

    def _in_work(self, quote: str, citation: DraftCitation) -> tuple[Lookup, ...]:
        """What each document of a cited work has of a quotation."""
        key = quote, citation.citekey, citation.locator
        if key not in self._lookups:
            works = self.use_case.works.of(citation.citekey)
            self._lookups[key] = tuple(look_up(quote, work, citation.locator) for work in works)
        return self._lookups[key]

    def _elsewhere(self, quotation: Quotation, citation: DraftCitation) -> Check | None:
        """The verdict on a quotation that another work has."""
        if is_too_short(quotation.text) or not self._could_be_read(quotation):
            return None
        found = self._in_others(quotation.text, frozenset(c.citekey for c in quotation.citations))
        if found is None:
            return None
        return _check(quotation, citation, verdict=Verdict.OTHER_WORK, lookup=found)

    def _in_others(self, quote: str, own: frozenset[str]) -> Lookup | None:
        """What a work that is not cited has of a quotation, if it is of that work."""
        key = quote, own
        if key not in self._others:
            others = (
                work
                for work in self.use_case.works.candidates(quote)
                if work.citation is None or work.citation.citekey not in own
            )
            lookups = (look_up(quote, work, at_least=SURE_ELSEWHERE) for work in others)
            self._others[key] = best(lookup for lookup in lookups if is_of_another(lookup))
        return self._others[key]

    def _could_be_read(self, quotation: Quotation) -> bool:
        """Whether every work cited for a quotation has a text in which it was not found."""
        texts = [self.use_case.works.of(one.citekey) for one in quotation.citations]
        return all(has_text(works) for works in texts)

    def _missing(self, quotation: Quotation, citation: DraftCitation) -> Check:
        """The verdict on a quotation that no work has."""
        for one in quotation.citations:
            reason = self._unreadable(one, self.use_case.works.of(one.citekey))
            if reason is Reason.UNKNOWN_CITEKEY:
                return replace(self._unknown(one), quote=quotation.text)
            if reason is not None:
                return _check(quotation, one, reason=reason)
        if quotation.has_formula:
            return _check(quotation, citation, reason=Reason.FORMULA)
        if is_too_short(quotation.text):
            return _check(quotation, citation, reason=Reason.TOO_SHORT)
        return _check(quotation, citation, verdict=Verdict.ABSENT)

    def _unreadable(self, citation: DraftCitation, works: Sequence[WorkText]) -> Reason | None:
        """Why quotations of a work cannot be verified."""
        if not works:
            known = citation.citekey in self.references
            return Reason.NOT_IN_LIBRARY if known else Reason.UNKNOWN_CITEKEY
        return None if has_text(works) else Reason.NO_TEXT

    def citation(self, citation: DraftCitation, *, with_pages: bool) -> Check | None:
        """What is wrong with a citation itself: its key, its pages, or that the work has been
        retracted; None where nothing is.
        """
        key = citation.citekey
        if key not in self.ingested and key not in self.references:
            return self._unknown(citation)
        if key in self.retracted:
            return Check(
                place=citation.place,
                citekey=key,
                quote=None,
                verdict=Verdict.UNVERIFIABLE,
                page=_page(citation),
                retracted=self.retracted[key],
                citation=citation,
            )
        return self._pages(citation) if with_pages else None

    def _unknown(self, citation: DraftCitation) -> Check:
        """The verdict on a citation whose citekey no reference has."""
        return Check(
            place=citation.place,
            citekey=citation.citekey,
            quote=None,
            verdict=Verdict.UNVERIFIABLE,
            page=_page(citation),
            reason=Reason.UNKNOWN_CITEKEY,
            near_citekeys=self._nearest(citation.citekey),
            citation=citation,
        )

    def _nearest(self, citekey: str) -> tuple[str, ...]:
        if citekey not in self._near_citekeys:
            self._near_citekeys[citekey] = nearest(citekey, self.ingested | self.references)
        return self._near_citekeys[citekey]

    def _pages(self, citation: DraftCitation) -> Check | None:
        """That a work has no such pages."""
        locator = citation.locator
        works = [work for work in self.use_case.works.of(citation.citekey) if work.pages.count]
        if locator is None or not works or any(work.pages.physical(locator) for work in works):
            return None
        return Check(
            place=citation.place,
            citekey=citation.citekey,
            quote=None,
            verdict=Verdict.WRONG_PAGE,
            page=str(locator),
            reason=Reason.NO_SUCH_PAGE,
            citation=citation,
        )


def _found(quotation: Quotation, citation: DraftCitation, lookup: Lookup) -> Check:
    """The verdict on a quotation that a cited work has, word for word or nearly so."""
    return _check(quotation, citation, verdict=lookup.verdict, lookup=lookup)


def _check(
    quotation: Quotation,
    citation: DraftCitation,
    *,
    verdict: Verdict = Verdict.UNVERIFIABLE,
    lookup: Lookup | None = None,
    reason: Reason | None = None,
) -> Check:
    return Check(
        place=quotation.place,
        citekey=citation.citekey,
        quote=quotation.text,
        verdict=verdict,
        page=_page(citation),
        on_page=lookup.on_page if lookup and verdict is Verdict.NEAR else True,
        found=found_text(lookup) if lookup else None,
        difference=lookup.changes if lookup else (),
        share=round(lookup.share, 3) if lookup else None,
        reason=reason,
        citation=citation,
    )


def _page(citation: DraftCitation) -> str | None:
    return str(citation.locator) if citation.locator else None
