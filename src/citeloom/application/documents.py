"""The contents of a project: the use cases `list`, `show` for a document, and `inspect`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import chain, islice
from pathlib import PurePath

from citeloom.application.collection import (
    documents_of_others,
    is_of_others,
    selection_of,
    stored_documents,
)
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.vector_index import IndexDescription
from citeloom.application.requests.passages import ALL_DOCUMENTS, DocumentsRequest
from citeloom.domain.chunks.chunk import MARKS
from citeloom.domain.documents.conversion import LEAST_LOSS
from citeloom.domain.documents.manifest import DocumentState, ManifestEntry, Status
from citeloom.domain.documents.metadata import MetadataValue
from citeloom.domain.errors import NotFound
from citeloom.domain.project import Collection, Project
from citeloom.domain.retrieval.filters import Filters, check_text
from citeloom.domain.retrieval.passage import StoredChunk

# The use case `list`: a project's documents, from its index and its manifest.


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDocument:
    """A document in the list."""

    path: str
    """Relative to the folder of citeloom.toml where it lies below it."""
    doc_id: str
    """By its content."""
    title: str
    """That of its reference, else of its front matter, else empty; of plain text the file's name.
    """
    citekey: str | None
    """That of its reference."""
    pages: int
    """How many."""
    chunks: int
    """As many as the index holds."""
    state: DocumentState
    """`missing` is called indexed but not wholly in the index; `unlisted` is in the index but not
    in the manifest; `other-machine` likewise, and ingested on another machine; `deleted` is
    kept out until it is restored.
    """
    authors: tuple[str, ...] = ()
    """Those of its reference."""
    year: int | None = None
    """That of its reference."""
    citekey_generated: bool = False
    """Whether the citekey was generated."""
    content_hash: str = ""
    """SHA-256."""
    size: int = 0
    """In bytes."""
    created_at: datetime | None = None
    """When it was first taken up."""
    modified_at: datetime | None = None
    """When its file was last modified."""
    updated_at: datetime | None = None
    """When it got its state."""
    error_code: str | None = None
    """Why it failed, as a code."""
    error: str | None = None
    """Why it failed, in words."""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    """Its front matter, as for a passage."""
    item_type: str | None = None
    """That of its reference."""
    container: str | None = None
    """That of its reference."""
    language: str | None = None
    """That of its reference."""
    tags: tuple[str, ...] = ()
    """Those of its reference."""
    collections: tuple[str, ...] = ()
    """Those of its reference."""
    lost_words: int = 0
    """How many words are in no chunk, on pages that lost twenty or more."""
    ocr: str = ""
    """What read its images, or `text layer` where they come with a text; empty without any."""
    copy_of: str | None = None
    """The path of the document with the same content, as which it is cited; null if it is none."""


_OF_REFERENCES = (
    "authors year citekey_generated item_type container language tags collections"
).split()


_OF_ENTRIES = (
    "path citekey pages content_hash size created_at updated_at error_code error ocr copy_of"
).split()


def list_documents(
    project: OpenProject, request: DocumentsRequest = ALL_DOCUMENTS
) -> list[ListedDocument]:
    """The documents that match every given filter, sorted by path. Each word of `text` stands,
    in any case, in the title, the authors, the citekey or the path.

    Raises `InvalidProject` if nothing has been ingested yet, and `InvalidFilter` for a
    condition on an unknown field of front matter.
    """
    filters, words = request.filters, (request.text or "").casefold().split()
    documents = sorted(_documents(project), key=lambda document: (document.path, document.doc_id))
    conditions, chosen = replace(filters, citekey=None), {document.doc_id for document in documents}
    if conditions != Filters():
        project.existing_collection()
        firsts = selection_of(project, conditions)
        firsts = replace(firsts, without_kinds=MARKS, chunks=(0, 0))
        chosen = {stored.chunk.doc_id for stored in project.chunks(firsts)}

    def mentions(document: ListedDocument) -> bool:
        texts = (document.title, *document.authors, document.citekey or "", document.path)
        everything = "\n".join(texts).casefold()
        return all(word in everything for word in words)

    return [
        document
        for document in documents
        if request.state in (None, document.state)
        and not (request.missing_reference and document.citekey is not None)
        and filters.citekey in {None, document.citekey}
        and document.doc_id in chosen
        and mentions(document)
    ]


def _documents(project: OpenProject) -> Iterator[ListedDocument]:
    entries, tombstones = project.entries(), project.manifest.tombstones(project.id)
    bound = project.find_collection()
    if bound is None and not entries and not tombstones:
        project.existing_collection()
    stored: dict[str, int] = {}
    firsts: dict[str, StoredChunk] = {}
    if bound is not None:
        stored = stored_documents(project.index, bound.name, project.id)
        openings = replace(project.everything, without_kinds=MARKS, chunks=(0, 0))
        firsts = {opening.chunk.doc_id: opening for opening in project.chunks(openings)}
    deleted = {tombstone.doc_id for tombstone in tombstones}
    for entry in entries:
        if entry.doc_id not in deleted:
            chunks, first = stored.get(entry.doc_id, 0), firsts.get(entry.doc_id)
            yield listed(entry.doc_id, entry, chunks, first)
    for tombstone in tombstones:
        yield ListedDocument(
            path=tombstone.path,
            doc_id=tombstone.doc_id,
            title="",
            citekey=tombstone.citekey,
            pages=0,
            chunks=stored.get(tombstone.doc_id, 0),
            state=DocumentState.DELETED,
            updated_at=tombstone.created_at,
        )
    known = {e.doc_id for e in entries} | deleted
    for doc_id in stored.keys() - known:
        yield listed(doc_id, None, stored[doc_id], firsts.get(doc_id), project.machine)


def listed(
    doc_id: str,
    entry: ManifestEntry | None,
    chunks: int,
    first: StoredChunk | None,
    machine: str | None = None,
) -> ListedDocument:
    """A document of which the index holds so many chunks, and the first of them; without an `entry`
    the manifest does not know it. `machine` is this one.
    """
    citation = first.citation if first else None
    title = path = ""
    if first is not None:
        path, name = first.source_path, PurePath(first.source_path)
        plain = name.name if name.suffix.lower() == ".txt" else ""
        title = citation.title if citation else str(first.metadata.get("title", plain))
    is_others = is_of_others(first, machine)
    document = ListedDocument(
        path=path,
        doc_id=doc_id,
        title=title,
        citekey=citation.citekey if citation else None,
        pages=0,
        chunks=chunks,
        state=DocumentState.OTHER_MACHINE if is_others else DocumentState.UNLISTED,
        metadata=first.metadata if first else {},
        **{name: getattr(citation, name) for name in _OF_REFERENCES if citation},
    )
    if entry is None:
        return document
    lost = entry.status is Status.INDEXED and chunks < max(entry.chunks, 1)
    modified = datetime.fromtimestamp(entry.modified_ns / 1e9, UTC) if entry.modified_ns else None
    return replace(
        document,
        state=DocumentState.MISSING if lost else DocumentState(entry.status.value),
        modified_at=modified,
        metadata=document.metadata or entry.metadata,
        lost_words=sum(count for count in entry.lost_words.values() if count >= LEAST_LOSS),
        **{name: getattr(entry, name) for name in _OF_ENTRIES},
    )


# How much of a project is indexed, and as it should be.


class CoverageKind(StrEnum):
    """What can be said of a document, once of each: the first of these that holds."""

    FAILED = "failed"
    MISSING = "missing"
    WAITING = "waiting"
    APART = "apart"
    UNMATCHED = "unmatched"
    SCANNED = "scanned"
    INDEXED = "indexed"


_IN_NO_ORDER = {
    DocumentState.FAILED: CoverageKind.FAILED,
    DocumentState.MISSING: CoverageKind.MISSING,
    DocumentState.PENDING: CoverageKind.WAITING,
    DocumentState.PROCESSING: CoverageKind.WAITING,
    DocumentState.UNLISTED: CoverageKind.APART,
    DocumentState.OTHER_MACHINE: CoverageKind.APART,
}


def coverage_of(documents: Iterable[ListedDocument]) -> dict[CoverageKind, int]:
    """How many documents there are of each kind, the good ones first; deleted ones and copies of
    others do not count.
    """
    counts = Counter(
        _coverage_kind(document)
        for document in documents
        if document.state is not DocumentState.DELETED and document.copy_of is None
    )
    return {kind: counts[kind] for kind in reversed(CoverageKind) if counts[kind]}


def _coverage_kind(document: ListedDocument) -> CoverageKind:
    if kind := _IN_NO_ORDER.get(document.state):
        return kind
    if document.citekey is None:
        return CoverageKind.UNMATCHED
    return CoverageKind.SCANNED if document.ocr else CoverageKind.INDEXED


# The use case `document`: one document with its outline, its pages and its chunks.


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineEntry:
    """A heading."""

    level: int
    """From 1."""
    title: str
    """The heading."""
    page: int | None
    """Null without pages."""
    chunk_id: str
    """The first chunk below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPage:
    """A physical page."""

    page: int
    """Counted from 1."""
    label: str | None
    """What is printed on it, where that is certain."""
    chunks: int
    """How many chunks are on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentDetail:
    """A document, its headings, its pages, and all its chunks in reading order."""

    document: ListedDocument
    outline: tuple[OutlineEntry, ...]
    pages: tuple[DocumentPage, ...]
    chunks: tuple[StoredChunk, ...]


def describe_document(project: OpenProject, doc_id: str) -> DocumentDetail:
    """The document of that id. Raises `NotFound` for an unknown one."""
    check_text("document id", doc_id)
    project.existing_collection()
    stored_chunks = project.chunks(replace(project.everything, doc_id=doc_id))
    chunks = tuple(sorted(stored_chunks, key=lambda stored: stored.chunk.chunk_idx))
    entry = next((entry for entry in project.entries() if entry.doc_id == doc_id), None)
    if entry is None and not chunks:
        raise NotFound(
            f"project '{project.id}' has no document '{doc_id}'",
            "`citeloom list --json` prints the ids of documents.",
        )
    first = chunks[0] if chunks else None
    document = listed(doc_id, entry, len(chunks), first, project.machine)
    outline: list[OutlineEntry] = []
    numbers: defaultdict[int, int] = defaultdict(int)
    labels: dict[int, str] = {}
    above: tuple[str, ...] = ()
    for chunk in (stored.chunk for stored in chunks if stored.chunk.kind not in MARKS):
        begins, ends = chunk.page_span or (1, 0)
        for page in range(begins, ends + 1):
            numbers[page] += 1
        labels |= zip(range(begins, ends + 1), chunk.page_labels)
        for path in chunk.stands_in:
            for level, title in enumerate(path, start=1):
                if above[:level] != path[:level]:
                    at = max(chunk.text.find(f"{title}\n"), 0)
                    span = chunk.pages_between(at, at + 1)
                    outline.append(
                        OutlineEntry(
                            level=level,
                            title=title,
                            page=span[0] if span else None,
                            chunk_id=chunk.id,
                        )
                    )
            above = path
    pages = range(1, max(document.pages, *numbers, 0) + 1)
    return DocumentDetail(
        document=document,
        outline=tuple(outline),
        pages=tuple(
            DocumentPage(page=page, label=labels.get(page), chunks=numbers[page]) for page in pages
        ),
        chunks=chunks,
    )


# The use case `inspect`: describes a project and its index.


@dataclass(frozen=True, slots=True, kw_only=True)
class LossyPage:
    """A page whose conversion lost words."""

    path: str
    """The document."""
    page: int
    """The page of the PDF."""
    lost_words: int
    """How many of its words are in no chunk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """A project's collection and documents."""

    project: Project
    """Its configuration as it is in force."""
    description: IndexDescription
    """What the store holds."""
    documents: tuple[ManifestEntry, ...]
    """Each with its `path` and `status`."""
    by_status: dict[str, int]
    """How many documents, without the copies of others."""
    by_kind: dict[str, int]
    """How many chunks: `text`, `table`, `reference` and so on."""
    staged: Collection | None
    """The collection that a rebuild has not finished."""
    sample: tuple[StoredChunk, ...]
    """With `--sample`, some chunks."""
    lossy_pages: tuple[LossyPage, ...] = ()
    """Pages of which twenty words or more are in no chunk."""
    other_machines: dict[str, int] = field(default_factory=dict)
    """How many documents other machines ingested, by the id of the machine."""
    copies: int = 0
    """How many files have the content of another document and are cited as that."""


def inspect_project(project: OpenProject, *, sample: int = 0) -> Inspection:
    """Describe a project without changing it, with `sample` of its chunks."""
    project.existing_collection()
    index, name, documents = project.index, project.collection, project.entries()
    others = documents_of_others(project, {entry.doc_id for entry in documents})
    originals = [entry for entry in documents if entry.copy_of is None]
    return Inspection(
        project=project.settings,
        description=index.describe(name),
        documents=tuple(documents),
        by_status=dict(Counter(entry.status.value for entry in originals)),
        by_kind=project.facets("kind"),
        staged=index.staged(name),
        sample=tuple(islice(project.chunks(), sample)),
        lossy_pages=tuple(
            LossyPage(path=entry.path, page=page, lost_words=count)
            for entry in documents
            for page, count in sorted(entry.lost_words.items())
            if count >= LEAST_LOSS
        ),
        other_machines=dict(Counter(chain.from_iterable(others.values()))),
        copies=len(documents) - len(originals),
    )
