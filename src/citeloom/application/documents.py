"""The contents of a project: the use cases `list`, `show` for a document, and `inspect`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
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
from citeloom.domain.chunks.chunk import MARKS, Chunk
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


def list_documents(
    project: OpenProject, request: DocumentsRequest = ALL_DOCUMENTS
) -> list[ListedDocument]:
    """The documents that match every given filter, sorted by path. Each word of `text` stands,
    in any case, in the title, the authors, the citekey or the path.

    Raises `InvalidProject` if nothing has been ingested yet, and `InvalidFilter` for a
    condition on an unknown field of front matter.
    """
    filters, words = request.filters, (request.text or "").casefold().split()
    known = sorted(_documents(project), key=lambda document: (document.path, document.doc_id))
    chosen = _selected(project, replace(filters, citekey=None))
    return [
        document
        for document in known
        if request.state in (None, document.state)
        and not (request.missing_reference and document.citekey is not None)
        and filters.citekey in {None, document.citekey}
        and (chosen is None or document.doc_id in chosen)
        and _mentions(document, words)
    ]


def _selected(project: OpenProject, filters: Filters) -> frozenset[str] | None:
    """The documents whose reference and front matter meet the filters; None without filters."""
    if filters == Filters():
        return None
    project.existing_collection()
    firsts = replace(selection_of(project, filters), without_kinds=MARKS, chunks=(0, 0))
    return frozenset(stored.chunk.doc_id for stored in project.chunks(firsts))


def _documents(project: OpenProject) -> Iterator[ListedDocument]:
    entries, tombstones = project.entries(), project.manifest.tombstones(project.id)
    bound = project.find_collection()
    if bound is None and not entries and not tombstones:
        project.existing_collection()
    stored: dict[str, int] = {}
    firsts: dict[str, StoredChunk] = {}
    if bound is not None:
        stored = stored_documents(project.index, bound.name, project.id)
        first = replace(project.everything, without_kinds=MARKS, chunks=(0, 0))
        firsts = {chunk.chunk.doc_id: chunk for chunk in project.chunks(first)}
    deleted = {tombstone.doc_id for tombstone in tombstones}
    yield from (listed(e, stored, firsts) for e in entries if e.doc_id not in deleted)
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
        yield unlisted(doc_id, stored[doc_id], firsts.get(doc_id), project.machine)


def listed(
    entry: ManifestEntry, stored: Mapping[str, int], firsts: Mapping[str, StoredChunk]
) -> ListedDocument:
    """A document of the manifest; `stored` and `firsts` have the number of its chunks in the index
    and the first of them.
    """
    chunks, first = stored.get(entry.doc_id, 0), firsts.get(entry.doc_id)
    citation = first.citation if first else None
    lost = entry.status is Status.INDEXED and chunks < max(entry.chunks, 1)
    return ListedDocument(
        path=entry.path,
        doc_id=entry.doc_id,
        title=_title(first),
        citekey=entry.citekey,
        pages=entry.pages,
        chunks=chunks,
        state=DocumentState.MISSING if lost else DocumentState(entry.status.value),
        authors=citation.authors if citation else (),
        year=citation.year if citation else None,
        citekey_generated=bool(citation and citation.citekey_generated),
        content_hash=entry.content_hash,
        size=entry.size,
        created_at=entry.created_at,
        modified_at=datetime.fromtimestamp(entry.modified_ns / 1e9, UTC)
        if entry.modified_ns
        else None,
        updated_at=entry.updated_at,
        error_code=entry.error_code,
        error=entry.error,
        metadata=first.metadata if first else {},
    )


def unlisted(
    doc_id: str, chunks: int, first: StoredChunk | None, machine: str | None = None
) -> ListedDocument:
    """A document that the index holds and the manifest does not know; `machine` is this one."""
    citation = first.citation if first else None
    return ListedDocument(
        path=first.source_path if first else "",
        doc_id=doc_id,
        title=_title(first),
        citekey=citation.citekey if citation else None,
        pages=0,
        chunks=chunks,
        state=(
            DocumentState.OTHER_MACHINE if is_of_others(first, machine) else DocumentState.UNLISTED
        ),
        authors=citation.authors if citation else (),
        year=citation.year if citation else None,
        citekey_generated=bool(citation and citation.citekey_generated),
        metadata=first.metadata if first else {},
    )


def _title(first: StoredChunk | None) -> str:
    if first is None:
        return ""
    path = PurePath(first.source_path)
    named = path.name if path.suffix.lower() == ".txt" else ""
    return first.citation.title if first.citation else str(first.metadata.get("title", named))


def _mentions(document: ListedDocument, words: Sequence[str]) -> bool:
    texts = (document.title, *document.authors, document.citekey or "", document.path)
    everything = "\n".join(texts).casefold()
    return all(word in everything for word in words)


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
    """A document, its headings as far as chunks stand under them, its pages, and all its chunks in
    reading order.
    """

    document: ListedDocument
    outline: tuple[OutlineEntry, ...]
    pages: tuple[DocumentPage, ...]
    chunks: tuple[StoredChunk, ...]


def describe_document(project: OpenProject, doc_id: str) -> DocumentDetail:
    """The document of that id. Raises `NotFound` for an unknown one."""
    check_text("document id", doc_id)
    project.existing_collection()
    found = project.chunks(replace(project.everything, doc_id=doc_id))
    chunks = tuple(sorted(found, key=lambda stored: stored.chunk.chunk_idx))
    entry = next((entry for entry in project.entries() if entry.doc_id == doc_id), None)
    if entry is not None:
        document = listed(entry, {doc_id: len(chunks)}, {doc_id: chunks[0]} if chunks else {})
    elif chunks:
        document = unlisted(doc_id, len(chunks), chunks[0], project.machine)
    else:
        raise NotFound(
            f"project '{project.id}' has no document '{doc_id}'",
            "`citeloom list --json` prints the ids of documents.",
        )
    body = [stored.chunk for stored in chunks if stored.chunk.kind not in MARKS]
    return DocumentDetail(
        document=document,
        outline=tuple(_outline(body)),
        pages=tuple(_pages(body, document.pages)),
        chunks=chunks,
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


# The use case `inspect`: describes a project and its index.


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
    """How many documents."""
    by_kind: dict[str, int]
    """How many chunks: `text`, `table`, `reference` and so on."""
    staged: Collection | None
    """The collection that a rebuild has not finished."""
    sample: tuple[StoredChunk, ...]
    """With `--sample`, some chunks."""
    other_machines: dict[str, int] = field(default_factory=dict)
    """How many documents other machines ingested, by the id of the machine."""


def inspect_project(project: OpenProject, *, sample: int = 0) -> Inspection:
    """Describe a project without changing it, with `sample` of its chunks."""
    project.existing_collection()
    index, name, documents = project.index, project.collection, project.entries()
    others = documents_of_others(project, {entry.doc_id for entry in documents})
    return Inspection(
        project=project.settings,
        description=index.describe(name),
        documents=tuple(documents),
        by_status=dict(Counter(entry.status.value for entry in documents)),
        by_kind=project.facets("kind"),
        staged=index.staged(name),
        sample=tuple(islice(project.chunks(), sample)),
        other_machines=dict(Counter(chain.from_iterable(others.values()))),
    )
