"""The use case `eval pages`: does each chunk stand on the pages it is cited by?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from citeloom.application.collection import existing_collection
from citeloom.application.outcomes import DocumentFailure
from citeloom.application.ports.conversion import PageTexts
from citeloom.application.ports.records import ManifestStore
from citeloom.application.ports.sources import SourceFiles
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import CiteloomError, SourceUnavailable, UnreadableDocument
from citeloom.domain.evaluation.page_truth import Letters, PageCheck, PageVerdict, check_page_span
from citeloom.domain.project import Project
from citeloom.domain.retrieval.passage import Selection

GOOD = (PageVerdict.EXACT, PageVerdict.NEAR)
"""The verdicts under which a citation to the page is right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedChunk:
    """A chunk and the verdict on its pages."""

    chunk: Chunk
    check: PageCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPages:
    """How many chunks of a document have which verdict, with the worst that are not good."""

    path: str
    citekey: str | None
    verdicts: Mapping[PageVerdict, int]
    examples: tuple[CheckedChunk, ...] = ()
    citekey_made_up: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReport:
    """Every document that could be compared, and those that could not, with the reason."""

    project: str
    documents: tuple[DocumentPages, ...]
    skipped: tuple[DocumentFailure, ...]

    @property
    def totals(self) -> dict[PageVerdict, int]:
        """Chunks by verdict over all documents."""
        return {v: sum(d.verdicts[v] for d in self.documents) for v in PageVerdict}

    @property
    def share(self) -> float | None:
        """The share of exact and near among the chunks whose pages have text, if there are any."""
        totals = self.totals
        compared = sum(totals.values()) - totals[PageVerdict.NO_TEXT]
        return sum(totals[verdict] for verdict in GOOD) / compared if compared else None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatePages:
    """Looks every stored chunk up in the raw text of the pages it claims; changes nothing."""

    project: Project
    index: VectorIndex
    manifest: ManifestStore
    files: SourceFiles
    page_texts: PageTexts

    def __call__(self, *, examples: int = 3) -> PageReport:
        """Check every chunk, with at most so many `examples` a document.

        Raises `InvalidProject` when nothing was ingested yet.
        """
        existing_collection(self.index, self.project)
        documents: list[DocumentPages] = []
        skipped: list[DocumentFailure] = []
        for entry in self._entries():
            try:
                documents.append(self._document(entry, examples))
            except CiteloomError as error:
                skipped.append(DocumentFailure.of(entry.path, error))
        return PageReport(
            project=self.project.id, documents=tuple(documents), skipped=tuple(skipped)
        )

    def _entries(self) -> Iterator[ManifestEntry]:
        """The indexed documents, each content once."""
        seen: set[str] = set()
        for entry in self.manifest.entries(self.project.id):
            if entry.status is Status.INDEXED and entry.doc_id not in seen:
                seen.add(entry.doc_id)
                yield entry

    def _document(self, entry: ManifestEntry, examples: int) -> DocumentPages:
        pages = self._pages(entry)
        selection = Selection(project_id=self.project.id, doc_id=entry.doc_id)
        stored = list(self.index.scroll(self.project.collection, selection))
        chunks = sorted((found.chunk for found in stored), key=lambda chunk: chunk.chunk_idx)
        checked = [
            CheckedChunk(chunk=chunk, check=check_page_span(chunk, pages)) for chunk in chunks
        ]
        return DocumentPages(
            path=entry.path,
            citekey=entry.citekey,
            verdicts={v: sum(j.check.verdict is v for j in checked) for v in PageVerdict},
            examples=tuple(_worst(checked)[:examples]),
            citekey_made_up=any(
                stored_chunk.citation and stored_chunk.citation.citekey_made_up
                for stored_chunk in stored
            ),
        )

    def _pages(self, entry: ManifestEntry) -> list[Letters]:
        listing = self.files.find([entry.path], frozenset())
        if not listing.files:
            raise SourceUnavailable("the file is no longer there", "Run ingest --prune.")
        path = listing.files[0].path
        if self.files.content_hash(path) != entry.content_hash:
            raise UnreadableDocument("the file has changed since", "Run ingest on it again.")
        return [Letters(text) for text in self.page_texts.pages(path)]


def _worst(checked: Iterable[CheckedChunk]) -> list[CheckedChunk]:
    """Chunks on a wrong page, then those not found, the least found first."""
    bad = (PageVerdict.WRONG_PAGE, PageVerdict.NOT_FOUND)
    return sorted(
        (page for page in checked if page.check.verdict in bad),
        key=lambda page: (bad.index(page.check.verdict), page.check.share),
    )
