"""The use cases `bundle` and `bundle verify`: the evidence for a draft's citations, and whether it
still holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from citeloom.application.manuscript.works import CitedWorks
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.ports.sources import SourceFiles
from citeloom.domain.documents.printed_pages import are_of_page_list
from citeloom.domain.errors import NotFound, SourceChanged, UnreadableDocument, UnsupportedFormat
from citeloom.domain.manuscript.draft import Draft, DraftCitation, DraftLocation
from citeloom.domain.manuscript.evidence_bundle import (
    FORMAT,
    BundledDraft,
    BundledSource,
    BundleReplay,
    CitationEvidence,
    EvidenceBundle,
    EvidenceChange,
    FileState,
    NoPicture,
    PagePicture,
    Replayed,
)
from citeloom.domain.manuscript.named_works import with_citekeys
from citeloom.domain.manuscript.verdicts import (
    CitationCheck,
    CitationVerdict,
    DraftReport,
    FoundText,
    Lookup,
    found_text,
)
from citeloom.domain.manuscript.work_text import WorkText
from citeloom.domain.retrieval.locator import Locator
from citeloom.domain.text.verbatim import quotation_spans

_MOST_PAGES = 10
_FIRST_DAY = datetime(1980, 1, 1, tzinfo=UTC)


# Gathering the evidence.


def gather_evidence(
    works: CitedWorks,
    drafts: Sequence[tuple[Draft, BundledDraft, DraftReport]],
    *,
    keep: Callable[[bytes], str],
    draw: Callable[..., bytes] | None,
    versions: Mapping[str, str],
    date: datetime | None = None,
    cancellation: Cancellation | None = None,
) -> EvidenceBundle:
    """What a project's works have for every quotation and citation of checked drafts.

    `draw` draws pages as `draw_page` does; None leaves the pictures out. `keep` stores a picture
    and returns its name. Without a `date` it is that of the newest source. Raises what
    `cancellation` raises.
    """
    run = _Gathering(works, draw, keep)
    evidence: list[CitationEvidence] = []
    for draft, bundled, report in drafts:
        for check, citation in _cited(with_citekeys(draft, works.references), report):
            if cancellation is not None:
                cancellation.check()
            evidence.append(run.evidence_of(bundled.name, check, citation))
    sources = sorted(run.sources.values(), key=lambda source: (source.citekey or "", source.doc_id))
    newest = max(datetime.fromtimestamp(run.newest_ns // 1_000_000_000, UTC), _FIRST_DAY)
    return EvidenceBundle(
        format=FORMAT,
        project=works.project.id,
        date=(date or newest).strftime("%Y-%m-%dT%H:%M:%SZ"),
        versions=dict(sorted(versions.items())),
        drafts=tuple(bundled for _, bundled, _ in drafts),
        sources=tuple(sources),
        evidence=tuple(evidence),
    )


def _cited(
    draft: Draft, report: DraftReport
) -> list[tuple[CitationCheck | None, DraftCitation | None]]:
    """The checks of a draft, and its citations that no check is of, in its order."""
    checked = {(one.citation.citekey, one.citation.place) for one in report.checks if one.citation}
    others = [
        citation
        for citation in draft.citations
        if (citation.citekey, citation.place) not in checked
    ]
    cited: list[tuple[DraftLocation, CitationCheck | None, DraftCitation | None]] = [
        *((check.place, check, check.citation) for check in report.checks),
        *((citation.place, None, citation) for citation in others),
    ]
    return [(check, one) for _, check, one in sorted(cited, key=lambda entry: entry[0])]


class _Gathering:
    """The gathering for some drafts: their sources, and the pictures drawn so far."""

    def __init__(
        self, works: CitedWorks, draw: Callable[..., bytes] | None, keep: Callable[[bytes], str]
    ) -> None:
        self.works = works
        self.draw = draw
        self.keep = keep
        self.sources: dict[str, BundledSource] = {}
        self.newest_ns = 0
        self.picture = cache(self._picture)

    def evidence_of(
        self, draft: str, check: CitationCheck | None, citation: DraftCitation | None
    ) -> CitationEvidence:
        """The evidence for a check, or for a citation without one."""
        cited = check if check is not None else citation
        assert cited is not None
        passage = self._passage(check, citation, cited.citekey)
        documents = self.works.of(cited.citekey)
        for work in documents:
            self._source(work)
        pictures, missing = self._pictures(passage)
        quotation = passage.found if passage else None
        only = documents[0].chunks[0].chunk.doc_id if len(documents) == 1 else None
        locator = citation.locator if citation else None
        return CitationEvidence(
            draft=draft,
            line=cited.place.line,
            column=cited.place.column,
            citekey=cited.citekey,
            page=str(locator) if locator else None,
            quote=check.quote if check else None,
            verdict=check.verdict if check else None,
            reason=check.reason if check else None,
            doc_id=quotation.doc_id if quotation else only,
            chunk_id=quotation.chunk_id if quotation else None,
            words=quotation.text if quotation else None,
            passage=passage.work.chunks[passage.at].chunk.text if passage else None,
            page_span=quotation.locator.page_span if quotation else None,
            page_labels=quotation.locator.page_labels if quotation else (),
            locator=str(quotation.locator) if quotation else "",
            pictures=pictures,
            no_picture=missing,
        )

    def _passage(
        self, check: CitationCheck | None, citation: DraftCitation | None, citekey: str
    ) -> _Passage | None:
        """The words of a quotation in the work that has it, or else those on the cited pages."""
        works = self.works
        if check is not None and check.quote is not None:
            quotation = check.found
            if quotation is None:
                return None
            among = (
                [*works.of(quotation.citekey)]
                if quotation.citekey
                else works.candidates(quotation.text)
            )
            return next(
                (
                    _Passage(work, at, quotation, is_quoted=True)
                    for work in among
                    for at, stored in enumerate(work.chunks)
                    if stored.chunk.id == quotation.chunk_id
                ),
                None,
            )
        if citation is None or citation.locator is None:
            return None
        for work in works.of(citekey):
            cited = work.pages.physical(citation.locator)
            pages = _with_words(work, min(cited), max(cited)) if cited else []
            if pages:
                at = work.chunks_on(pages)[0]
                return _Passage(work, at, _on_pages(work, pages), is_quoted=False)
        return None

    def _pictures(
        self, passage: _Passage | None
    ) -> tuple[tuple[PagePicture, ...], NoPicture | None]:
        """The pictures of a passage's pages, and why one is missing."""
        if passage is None:
            return (), NoPicture.NO_PASSAGE
        self._source(passage.work)
        span = passage.found.locator.page_span
        if span is None:
            return (), NoPicture.NO_PAGES
        results = []
        for page in range(span[0], min(span[1], span[0] + _MOST_PAGES - 1) + 1):
            on_page = passage.work.chunks_on([page])
            if passage.is_quoted:
                at = next((at for at in on_page if at >= passage.at), passage.at)
            else:
                at = on_page[0]
            words = passage.found.text if passage.is_quoted else None
            results.append(self.picture(passage.work.chunks[at].chunk.id, page, words))
        drawn = tuple(result for result in results if isinstance(result, PagePicture))
        return drawn, next((result for result in results if isinstance(result, NoPicture)), None)

    def _picture(self, chunk_id: str, page: int, words: str | None) -> PagePicture | NoPicture:
        """The picture of a page with the words of a quotation highlighted, or nothing without."""
        marked = words is not None
        if self.draw is None:
            return NoPicture.LEFT_OUT
        try:
            picture = self.draw(chunk_id, page=page, marked=marked, words=words or "")
        except NotFound:
            return NoPicture.FILE_GONE
        except SourceChanged:
            return NoPicture.FILE_CHANGED
        except (UnsupportedFormat, UnreadableDocument):
            return NoPicture.NOT_DRAWN
        return PagePicture(page=page, file=self.keep(picture), marked=marked)

    def _source(self, work: WorkText) -> None:
        """Note the file of a work."""
        doc_id = work.chunks[0].chunk.doc_id
        if doc_id in self.sources:
            return
        project, reference = self.works.project, work.citation
        entry = project.manifest.get(project.id, work.chunks[0].source_path)
        sha256 = entry.content_hash if entry else ""
        if entry is not None:
            self.newest_ns = max(self.newest_ns, entry.modified_ns)
        self.sources[doc_id] = BundledSource(
            doc_id=doc_id,
            citekey=reference.citekey if reference else None,
            title=reference.title if reference else "",
            authors=reference.authors if reference else (),
            year=reference.year if reference else None,
            doi=reference.doi if reference else None,
            file=file_name(work),
            sha256=sha256,
            state=_file_state(project.files, work, sha256),
            policies=entry.fingerprint if entry else "",
        )


@dataclass(frozen=True, slots=True)
class _Passage:
    """Words of a work, and the chunk in which they begin."""

    work: WorkText
    at: int
    found: FoundText
    is_quoted: bool


def file_name(work: WorkText) -> str:
    """The name of a work's file, without its folder."""
    return work.chunks[0].source_path.replace("\\", "/").rpartition("/")[2]


def _file_state(files: SourceFiles, work: WorkText, sha256: str) -> FileState:
    """Whether a work's file has this hash."""
    listing = files.find([work.chunks[0].source_path], frozenset())
    if not listing.files:
        return FileState.GONE
    try:
        now = files.content_hash(listing.files[0].path)
    except UnreadableDocument:
        return FileState.GONE
    return FileState.UNCHANGED if now == sha256 else FileState.CHANGED


def _with_words(work: WorkText, first: int, last: int) -> list[int]:
    """The pages of a range, ten at most, that have text."""
    pages = range(first, min(last, first + _MOST_PAGES - 1) + 1)
    return [page for page in pages if work.chunks_on([page])]


def _on_pages(work: WorkText, pages: Sequence[int]) -> FoundText:
    """The words on pages of a work, as a place in it."""
    stored = work.chunks[work.chunks_on(pages)[0]]
    labels = tuple(work.pages.labels[page] for page in pages if page in work.pages.labels)
    return FoundText(
        citekey=stored.citation.citekey if stored.citation else None,
        doc_id=stored.chunk.doc_id,
        chunk_id=stored.chunk.id,
        locator=Locator(
            page_start=pages[0],
            page_end=pages[-1],
            page_labels=labels if len(labels) == len(pages) else (),
            of_page_list=are_of_page_list(stored.source_path),
        ),
        text=work.words_on(pages),
        source_path=stored.source_path,
    )


# Replaying it.


def replay_evidence(
    works: CitedWorks,
    bundle: EvidenceBundle,
    *,
    damaged: Sequence[str] = (),
    versions: Mapping[str, str],
    cancellation: Cancellation | None = None,
) -> BundleReplay:
    """What has changed of each citation's evidence in the library as it is now.

    Raises `InvalidProject` if nothing has been ingested yet, and what `cancellation` raises.
    """
    sources = {source.doc_id: source for source in bundle.sources}
    keys = {evidence.citekey for evidence in bundle.evidence}
    works.load(sorted(works.citekeys() & keys))
    citations: list[Replayed] = []
    for evidence in bundle.evidence:
        if cancellation is not None:
            cancellation.check()
        source = sources.get(evidence.doc_id or "")
        changes, now = _changes(works, evidence, source) if source else ((), "")
        citations.append(
            Replayed(
                draft=evidence.draft,
                line=evidence.line,
                column=evidence.column,
                citekey=evidence.citekey,
                quote=evidence.quote,
                replayed=source is not None,
                changes=changes,
                locator=evidence.locator,
                locator_now=now,
            )
        )
    return BundleReplay(
        citations=tuple(citations),
        damaged=tuple(damaged),
        versions={
            name: (before, versions.get(name, ""))
            for name, before in bundle.versions.items()
            if before != versions.get(name, "")
        },
    )


def _changes(
    works: CitedWorks, evidence: CitationEvidence, source: BundledSource
) -> tuple[tuple[EvidenceChange, ...], str]:
    """What has changed of the evidence from a source, and where its words stand now. They are
    looked up in the documents of the work, its own first, that of before, or of the same name.
    """
    if source.citekey is not None:
        documents = works.of(source.citekey)
    else:
        candidates = works.candidates(evidence.words or "")
        documents = tuple(work for work in candidates if _distance(work, source) < _OTHER)
    if not documents:
        return (EvidenceChange.GONE,), ""
    documents = tuple(sorted(documents, key=lambda work: _distance(work, source)))
    changes, now = _word_changes(evidence, documents) if evidence.words else ((), "")
    state = _file_state(works.project.files, documents[0], source.sha256)
    if state not in {FileState.UNCHANGED, source.state}:
        is_gone = state is FileState.GONE
        changes = (*changes, EvidenceChange.FILE_GONE if is_gone else EvidenceChange.FILE)
    return changes, now


_OTHER = 2


def _distance(work: WorkText, source: BundledSource) -> int:
    """How far a document is from a source: 0 for the same, 1 for a file of that name."""
    if work.chunks[0].chunk.doc_id == source.doc_id:
        return 0
    return 1 if file_name(work) == source.file else _OTHER


def _word_changes(
    one: CitationEvidence, works: Sequence[WorkText]
) -> tuple[tuple[EvidenceChange, ...], str]:
    """What has changed of the words and their pages, and where the words stand now."""
    if one.quote is None:
        return _page_changes(one, works[0])
    lookups = (
        Lookup(work=work, verdict=CitationVerdict.EXACT, span=span)
        for work in works
        for span in quotation_spans(one.words or "", work)
    )
    places = [place for lookup in lookups if (place := found_text(lookup)) is not None]
    same = next((place for place in places if _stands_at(one, place)), None)
    if same is not None:
        return (), str(same.locator)
    if places:
        return (EvidenceChange.PAGE,), str(places[0].locator)
    return (EvidenceChange.WORDS,), ""


def _page_changes(one: CitationEvidence, work: WorkText) -> tuple[tuple[EvidenceChange, ...], str]:
    """What has changed of the words on pages that a draft cites without quoting."""
    pages = _with_words(work, *(one.page_span or (1, 1)))
    if not pages:
        return (EvidenceChange.GONE,), ""
    text = _on_pages(work, pages)
    changes = {
        EvidenceChange.WORDS: text.text != one.words,
        EvidenceChange.PAGE: not _stands_at(one, text),
    }
    return tuple(change for change, is_so in changes.items() if is_so), str(text.locator)


def _stands_at(one: CitationEvidence, text: FoundText) -> bool:
    """Whether words stand on the pages, physical and printed, on which they stood."""
    return text.locator.page_span == one.page_span and text.locator.page_labels == one.page_labels
