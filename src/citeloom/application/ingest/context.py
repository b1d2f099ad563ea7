"""The request of an ingest, its tools and parts, the collection it writes to, and the order of
documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import uuid4

from citeloom.application.collection import check_binding, owned_collection
from citeloom.application.ingest.manifest_editor import ManifestEditor
from citeloom.application.ingest.record import RunRecord
from citeloom.application.limits import DOCUMENT_LIMITS
from citeloom.application.ports.conversion import DocumentConverter
from citeloom.application.ports.embedders import (
    DenseEmbedder,
    RemoteEmbedder,
    SparseEmbedder,
    TokenCounter,
)
from citeloom.application.ports.records import AuditLog, ManifestStore
from citeloom.application.ports.runtime import (
    Cancellation,
    Clock,
    DiskSpace,
    Executor,
    Waiting,
    WriteLease,
)
from citeloom.application.ports.sources import ReferenceLibrary, SourceFiles
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.reports import WithheldRemoval, ZoteroReading
from citeloom.domain.policies import OcrOptions
from citeloom.domain.project import Collection, Project

# What a document is prepared with.


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The converter, the references and the models of a project, each in the process that works
    with it. A remote dense model is used only in the process that stores.
    """

    converter: DocumentConverter
    references: ReferenceLibrary
    counter: TokenCounter
    dense: DenseEmbedder
    sparse: SparseEmbedder | None
    clock: Clock


# The request of an ingest, and the parts it works with.


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRequest:
    """What to ingest, and how."""

    sources: tuple[str, ...] = ()
    """Files and folders; the project's configured sources when none is named."""
    force: bool = False
    """Process unchanged documents, too, and convert them anew."""
    dry_run: bool = False
    rebuild: bool = False
    """Fill a new collection and put it in the place of the old one."""
    prune: bool = False
    """Delete documents without a file, and those that are no longer in the Zotero selection."""
    drop_left: bool = False
    """Delete documents that are no longer in the Zotero selection."""
    yes: bool = False
    """Delete many at once without a confirmation."""
    confirm: Callable[[WithheldRemoval], bool] | None = None
    """Asked whether many may be deleted at once."""
    restore: bool = False
    """Index deleted documents again."""
    retry_failed: bool = False
    """Try unchanged documents again that failed before."""
    waiting: Waiting | None = None
    """Called with the owner while another process changes the project, and the run waits; without
    it the run is refused.
    """
    zotero: ZoteroReading | None = None
    """The Zotero snapshot that documents among the files come from."""
    limit: int | None = None
    """Process at most so many documents."""
    cancellation: Cancellation = field(default_factory=Cancellation)
    """Once it is requested the run ends in good order, between documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestParts:
    """The project and the adapters an ingest works with."""

    project: Project
    files: SourceFiles
    tools: Tools
    """Those of this process, which plans and stores."""
    executor: Executor[Tools]
    """Prepares documents, with tools of its own."""
    index: VectorIndex
    manifest: ManifestStore
    audit: AuditLog
    clock: Clock
    lease: WriteLease
    space: DiskSpace
    reading: Callable[[OcrOptions | None], str]
    """The fingerprint of OCR with such options."""
    ocr_languages: tuple[str, ...] | None = None
    """For images of documents whose reference names no language; English and German where empty,
    and None leaves images unread.
    """
    ocr_min_confidence: float = DOCUMENT_LIMITS.ocr_min_confidence
    """Pages read with less are reported."""
    limits: str = ""
    """The fingerprint of the limits on documents."""
    remote: RemoteEmbedder | None = None
    """The service that embeds, where one does."""
    machine: Callable[[], str] | None = None
    """This machine's id, made at the first call; None where the store is not shared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """What every step of one run works with."""

    parts: IngestParts
    request: IngestRequest
    catalogue: ManifestEditor
    record: RunRecord


# The collection an ingest fills: the project's own, a new one, or its successor.


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where chunks are written: `name` is the collection in the index, `generation` is recorded in
    the entries.

    `collection` is the project's, which a staged target is to replace.
    """

    name: str
    collection: str
    generation: str
    staged: bool = False


def current_target(index: VectorIndex, project: Project, *, rebuild: bool) -> Target | None:
    """The collection to fill if it is already there, or None if it has to be made first."""
    bound = owned_collection(index, project)
    if bound is None or rebuild:
        return None
    check_binding(bound, project)
    return Target(name=bound.name, collection=bound.name, generation=bound.generation)


def make_target(index: VectorIndex, project: Project, dense: DenseEmbedder, clock: Clock) -> Target:
    """Make the project's collection, or stage a successor beside the one there is."""
    collection = Collection(
        name=project.collection,
        project_id=project.id,
        generation=uuid4().hex,
        dense_model=project.embedding_model,
        dimension=dense.dimension,
        dense_inputs=project.dense_inputs,
        dense_arithmetic=dense.arithmetic,
        sparse_model=project.bound_sparse_model,
        on_disk_vectors=project.on_disk_vectors,
        on_disk_hnsw=project.on_disk_hnsw,
        created_at=clock.now(),
    )
    if index.binding(project.collection) is None:
        index.create(collection)
        made = index.binding(collection.name) or collection  # another client's, if it was first
        return Target(name=made.name, collection=made.name, generation=made.generation)
    name = index.stage(collection)
    staged = index.staged(project.collection) or collection
    return Target(name=name, collection=collection.name, generation=staged.generation, staged=True)


# The order in which documents are taken up.

_GOLDEN_RATIO = (5**0.5 - 1) / 2

T = TypeVar("T")


def mixed(documents: Sequence[T]) -> list[T]:
    """The documents in an order in which those done at any time are a fair sample of them all.

    Neighbours in a listing are alike, such as the papers of a journal: in their order, the time of
    the first would not predict the time of the rest.
    """
    places = sorted(range(len(documents)), key=lambda place: place * _GOLDEN_RATIO % 1)
    return [documents[place] for place in places]
