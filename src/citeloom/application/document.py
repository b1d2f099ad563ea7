"""The use case `document`: one document with its outline, its pages and its chunks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citeloom.application.binding import existing_collection
from citeloom.application.listing import ListedDocument, listed, unlisted
from citeloom.application.ports.manifest_store import ManifestStore
from citeloom.application.ports.vector_reader import VectorReader
from citeloom.domain.chunk import MARKS, Chunk
from citeloom.domain.errors import NotFound
from citeloom.domain.filters import check_text
from citeloom.domain.passage import Selection, StoredChunk
from citeloom.domain.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineEntry:
    """A heading, its level from 1, the page it is on where there are pages, and the first chunk
    below it.
    """

    level: int
    title: str
    page: int | None
    chunk_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPage:
    """A physical page, counted from 1, its printed label where that is certain, and the number of
    chunks on it.
    """

    page: int
    label: str | None
    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentDetail:
    """A document, its headings as far as chunks stand under them, its pages, and all its chunks in
    reading order.
    """

    document: ListedDocument
    outline: tuple[OutlineEntry, ...]
    pages: tuple[DocumentPage, ...]
    chunks: tuple[StoredChunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeDocument:
    """Describes a document from the index and the manifest; changes nothing."""

    project: Project
    index: VectorReader
    manifest: ManifestStore
    machine: str | None = None

    def __call__(self, doc_id: str) -> DocumentDetail:
        """The document of that id. Raises `NotFound` for an unknown one."""
        check_text("document id", doc_id)
        existing_collection(self.index, self.project)
        selection = Selection(project_id=self.project.id, doc_id=doc_id)
        found = self.index.scroll(self.project.collection, selection)
        chunks = tuple(sorted(found, key=lambda stored: stored.chunk.chunk_idx))
        document = self._listed(doc_id, chunks)
        body = [stored.chunk for stored in chunks if stored.chunk.kind not in MARKS]
        return DocumentDetail(
            document=document,
            outline=tuple(_outline(body)),
            pages=tuple(_pages(body, document.pages)),
            chunks=chunks,
        )

    def _listed(self, doc_id: str, chunks: Sequence[StoredChunk]) -> ListedDocument:
        entries = [one for one in self.manifest.entries(self.project.id) if one.doc_id == doc_id]
        if entries:
            firsts = {doc_id: chunks[0]} if chunks else {}
            return listed(entries[0], {doc_id: len(chunks)}, firsts)
        if chunks:
            return unlisted(doc_id, len(chunks), chunks[0], self.machine)
        raise NotFound(
            f"project '{self.project.id}' has no document '{doc_id}'",
            "The ids of documents are in the list of documents.",
        )


def _outline(chunks: Sequence[Chunk]) -> Iterator[OutlineEntry]:
    """Each heading once, where the first chunk below it stands."""
    before: tuple[str, ...] = ()
    for chunk in chunks:
        path = chunk.section_path
        for level, title in enumerate(path, start=1):
            if before[:level] != path[:level]:
                page = chunk.page_span[0] if chunk.page_span else None
                yield OutlineEntry(level=level, title=title, page=page, chunk_id=chunk.id)
        before = path


def _pages(chunks: Sequence[Chunk], count: int) -> Iterator[DocumentPage]:
    numbers: defaultdict[int, int] = defaultdict(int)
    labels: dict[int, str] = {}
    for chunk in chunks:
        first, last = chunk.page_span or (1, 0)
        for page in range(first, last + 1):
            numbers[page] += 1
        labels |= zip(range(first, last + 1), chunk.page_labels)
    for page in range(1, max(count, *numbers, 0) + 1):
        yield DocumentPage(page=page, label=labels.get(page), chunks=numbers[page])
