"""The use case `list`: a project's documents, from its index and its manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from citeloom.application.binding import existing_collection, owned_collection
from citeloom.application.ingest.indexed_state import stored_documents
from citeloom.application.ports.manifest_store import ManifestStore
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.chunk import MARKS
from citeloom.domain.filters import LEAVE_OUT, check_text
from citeloom.domain.manifest import DocumentState, ManifestEntry, Status
from citeloom.domain.metadata import MetadataValue
from citeloom.domain.passage import Selection, StoredChunk
from citeloom.domain.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDocument:
    """A document in the list; `title` is that of its reference, whose citekey may be made up, or of
    its front matter, which is its `metadata`.

    `size` is in bytes. The path was first taken up at `created_at`, its file last modified at
    `modified_at`, and the state reached at `updated_at`. `error` says why a document failed.
    """

    path: str
    doc_id: str
    title: str
    citekey: str | None
    pages: int
    chunks: int
    state: DocumentState
    citekey_made_up: bool = False
    content_hash: str = ""
    size: int = 0
    created_at: datetime | None = None
    modified_at: datetime | None = None
    updated_at: datetime | None = None
    error_code: str | None = None
    error: str | None = None
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDocuments:
    """Lists a project's documents. The index counts the chunks."""

    project: Project
    index: VectorIndex
    manifest: ManifestStore

    def __call__(
        self,
        *,
        state: DocumentState | None = None,
        citekey: str | None = None,
        missing_reference: bool = False,
    ) -> list[ListedDocument]:
        """The documents that match every given filter, sorted by path; a citekey may have its @.

        Raises `InvalidProject` if nothing has been ingested yet, `InvalidFilter` for an empty
        citekey.
        """
        if citekey is not None:
            citekey = citekey.removeprefix("@")
            check_text("citekey", citekey, LEAVE_OUT)
        return [
            one
            for one in sorted(self._documents(), key=lambda one: (one.path, one.doc_id))
            if (state is None or one.state is state)
            and (citekey is None or one.citekey == citekey)
            and not (missing_reference and one.citekey is not None)
        ]

    def _documents(self) -> Iterator[ListedDocument]:
        entries = self.manifest.entries(self.project.id)
        tombstones = self.manifest.tombstones(self.project.id)
        bound = owned_collection(self.index, self.project)
        if bound is None and not entries and not tombstones:
            existing_collection(self.index, self.project)
        stored: dict[str, int] = {}
        firsts: dict[str, StoredChunk] = {}
        if bound is not None:
            stored = stored_documents(self.index, bound.name, self.project.id)
            firsts = self._first_chunks(bound.name)
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
            yield unlisted(doc_id, stored[doc_id], firsts.get(doc_id))

    def _first_chunks(self, name: str) -> dict[str, StoredChunk]:
        """The first chunk of each document."""
        first = Selection(project_id=self.project.id, without_kinds=MARKS, chunks=(0, 0))
        return {one.chunk.doc_id: one for one in self.index.scroll(name, first)}


def listed(
    entry: ManifestEntry, stored: Mapping[str, int], firsts: Mapping[str, StoredChunk]
) -> ListedDocument:
    """A document of the manifest; `stored` and `firsts` have the number of its chunks in the index
    and the first of them.
    """
    chunks = stored.get(entry.doc_id, 0)
    lost = entry.status is Status.INDEXED and chunks < max(entry.chunks, 1)
    return ListedDocument(
        path=entry.path,
        doc_id=entry.doc_id,
        title=_title(firsts.get(entry.doc_id)),
        citekey=entry.citekey,
        pages=entry.pages,
        chunks=chunks,
        state=DocumentState.MISSING if lost else DocumentState(entry.status.value),
        citekey_made_up=_is_made_up(firsts.get(entry.doc_id)),
        content_hash=entry.content_hash,
        size=entry.size,
        created_at=entry.created_at,
        modified_at=_moment(entry.modified_ns),
        updated_at=entry.updated_at,
        error_code=entry.error_code,
        error=entry.error,
        metadata=_metadata(firsts.get(entry.doc_id)),
    )


def unlisted(doc_id: str, chunks: int, first: StoredChunk | None) -> ListedDocument:
    """A document that the index holds and the manifest does not know."""
    citation = first.citation if first else None
    return ListedDocument(
        path=first.source_path if first else "",
        doc_id=doc_id,
        title=_title(first),
        citekey=citation.citekey if citation else None,
        pages=0,
        chunks=chunks,
        state=DocumentState.UNLISTED,
        citekey_made_up=_is_made_up(first),
        metadata=_metadata(first),
    )


def _moment(nanoseconds: int) -> datetime | None:
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC) if nanoseconds else None


def _is_made_up(first: StoredChunk | None) -> bool:
    return bool(first and first.citation and first.citation.citekey_made_up)


def _title(first: StoredChunk | None) -> str:
    if first is None:
        return ""
    return first.citation.title if first.citation else str(first.metadata.get("title", ""))


def _metadata(first: StoredChunk | None) -> Mapping[str, MetadataValue]:
    return first.metadata if first else {}
