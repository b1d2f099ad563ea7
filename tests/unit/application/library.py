"""A whole project in memory, to be ingested, changed, interrupted and looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from citeloom.application.events import shown_by
from citeloom.application.ingest.ingest_run import ingest
from citeloom.application.ingest.plan import IngestParts
from citeloom.application.ingest.prepare import Tools
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.conversion import ocr_fingerprint
from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
from citeloom.application.ports.records import ManifestStore
from citeloom.application.ports.runtime import Cancellation, Clock
from citeloom.application.ports.sources import SourceFiles
from citeloom.application.ports.vector_index import IndexDescription, MetadataUpdate, VectorIndex
from citeloom.application.reports import CalibrationOutcome, IngestReport
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.language import KNOWN_LANGUAGES
from citeloom.domain.documents.manifest import ManifestEntry, Tombstone, WriteIntent
from citeloom.domain.policies import ChunkingPolicy
from citeloom.domain.project import Collection, Project
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import (
    DenseVector,
    EmbeddedChunk,
    Selection,
    SparseVector,
    StoredChunk,
)
from citeloom.infrastructure.conversion.workers.processes import InlineExecutor
from citeloom.testing.in_memory import InMemoryIndex
from tests.fakes.audit_log import InMemoryAuditLog
from tests.fakes.clock import SetClock
from tests.fakes.disk_space import SetDiskSpace
from tests.fakes.document_converter import Canned, FakeDocumentConverter
from tests.fakes.embedders import HashingDense, PieceCounter, TermHashSparse
from tests.fakes.manifest_store import InMemoryManifest
from tests.fakes.ocr_engine import ScriptedOcr
from tests.fakes.progress import RecordedProgress
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.fakes.source_files import InMemorySourceFiles
from tests.fakes.write_lease import InMemoryLease

PROJECT = Project(
    id="lab/wheat",
    sources=("papers",),
    embedding_model="fake/hashing-dense",
    sparse_model="fake/term-hash-sparse",
    chunking=ChunkingPolicy(max_tokens=60, overlap_tokens=0, min_chunk_tokens=5),
)
EVERYTHING = Selection(project_id=PROJECT.id)
RYE = CitationMeta(citekey="rye2001", title="Winter rye", authors=("Ry, A.",), year=2001, doi="d")
TOPICS = ("rainfall", "sowing dates", "winter rye", "nitrogen", "grain moisture")
A, B = "papers/a.txt", "papers/b.txt"
NOISE = ". , ; : " * 20
"""A text of which nothing is worth a chunk."""
INDEXED_FIELDS = ("project_id", "doc_id", "citekey", "tags", "year", "kind")


def paper(subject: str, *, sections: int = 3) -> str:
    """A text of some sections, a chunk each and a page each, all about `subject`."""
    told = [
        f"# {topic.title()}\n\n"
        + " ".join(f"Plot {n} of {subject} was measured for {topic}." for n in range(1, 4))
        for topic in TOPICS[:sections]
    ]
    return "\n\n\f".join(told)


class PowerCut(BaseException):
    """What no code can catch by accident."""


class Fuse:
    """Counts the steps adapters take, tells `watch` of each, and blows when told to."""

    def __init__(self) -> None:
        self.journal: list[str] = []
        self.left: int | None = None
        self.watch: Callable[[], None] | None = None

    def step(self, name: str) -> None:
        """One more step is about to be taken."""
        if self.watch is not None:
            self.watch()
        if self.left is not None:
            if self.left == 0:
                raise PowerCut(name)
            self.left -= 1
        self.journal.append(name)


class WatchedIndex(InMemoryIndex):
    """Steps with every change, chunk by chunk."""

    def __init__(self, fuse: Fuse) -> None:
        super().__init__()
        self._fuse = fuse

    def create(self, collection: Collection) -> None:
        self._fuse.step("create")
        super().create(collection)

    def upsert(self, name: str, chunks: Sequence[EmbeddedChunk]) -> None:
        for chunk in chunks:
            self._fuse.step("upsert")
            super().upsert(name, [chunk])

    def delete(self, name: str, selection: Selection, *, keep: frozenset[str] = frozenset()) -> int:
        self._fuse.step("delete")
        return super().delete(name, selection, keep=keep)

    def update_metadata(self, name: str, selection: Selection, update: MetadataUpdate) -> None:
        self._fuse.step("update_metadata")
        super().update_metadata(name, selection, update)

    def flush(self, name: str) -> None:
        self._fuse.step("flush")
        super().flush(name)

    def optimize(self, name: str) -> None:
        self._fuse.step("optimize")
        super().optimize(name)

    def stage(self, collection: Collection) -> str:
        self._fuse.step("stage")
        return super().stage(collection)

    def promote(self, name: str) -> None:
        self._fuse.step("promote")
        super().promote(name)

    def drop(self, name: str) -> None:
        self._fuse.step("drop")
        super().drop(name)

    def describe(self, name: str) -> IndexDescription:
        return replace(
            super().describe(name), indexed_fields=dict.fromkeys(INDEXED_FIELDS, "keyword")
        )


class WatchedManifest(InMemoryManifest):
    """Steps with every change."""

    def __init__(self, fuse: Fuse) -> None:
        super().__init__()
        self._fuse = fuse

    def put(self, *entries: ManifestEntry) -> None:
        self._fuse.step("put " + " ".join(sorted({entry.status.value for entry in entries})))
        super().put(*entries)

    def remove(self, project_id: str, *paths: str) -> None:
        self._fuse.step("remove")
        super().remove(project_id, *paths)

    def put_tombstones(self, *tombstones: Tombstone) -> None:
        self._fuse.step("put tombstones")
        super().put_tombstones(*tombstones)

    def remove_tombstones(self, project_id: str, *doc_ids: str) -> None:
        self._fuse.step("remove tombstones")
        super().remove_tombstones(project_id, *doc_ids)

    def put_intents(self, *intents: WriteIntent) -> None:
        self._fuse.step("put intents")
        super().put_intents(*intents)

    def remove_intents(self, *intents: WriteIntent) -> None:
        self._fuse.step("remove intents")
        super().remove_intents(*intents)


class WatchedDense(HashingDense):
    """Steps with every batch; gives any model the same vectors, each worked out once."""

    def __init__(self, fuse: Fuse, model_id: str = PROJECT.embedding_model) -> None:
        super().__init__(model_id)
        self._fuse = fuse

    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        self._fuse.step("embed")
        return super().embed_passages(texts)

    def embed_query(self, text: str) -> DenseVector:
        return _vector(text)


@cache
def _vector(text: str) -> DenseVector:
    return HashingDense().embed_query(text)


class WatchedSparse(TermHashSparse):
    """Steps with every batch."""

    def __init__(self, fuse: Fuse) -> None:
        super().__init__()
        self._fuse = fuse

    def embed_passages(
        self, texts: Sequence[str], language: str | None = None
    ) -> list[SparseVector]:
        self._fuse.step("embed sparse")
        return super().embed_passages(texts, language)


class Library:
    """A project with its files and stores; `canned` conversions come before the files' texts."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        self.fuse = Fuse()
        self.files = InMemorySourceFiles(texts or {})
        self.index = WatchedIndex(self.fuse)
        self.manifest = WatchedManifest(self.fuse)
        self.audit = InMemoryAuditLog()
        self.clock = SetClock(tick=0.5)
        self.lease = InMemoryLease()
        self.space = SetDiskSpace()
        self.progress = RecordedProgress()
        self.references = MemoryReferenceLibrary()
        self.counter = PieceCounter(window=128)
        self.dense: HashingDense = WatchedDense(self.fuse)
        self.sparse: SparseEmbedder = WatchedSparse(self.fuse)
        self.project = PROJECT
        self.canned: dict[str, Canned] = {}
        self.converter_version = "fake-1"
        self.ocr_languages: tuple[str, ...] | None = None
        self.limits = "120 seconds"
        self.machine: str | None = None
        self.calibrate: Callable[[Cancellation, bool], CalibrationOutcome | None] | None = None
        self.converter = FakeDocumentConverter()

    def ingest(self, request: IngestRequest | None = None) -> IngestReport:
        """Run an ingest."""
        parts = self.parts()
        return ingest(parts, request or IngestRequest(), shown_by(self.progress))

    def parts(self) -> IngestParts:
        """What a run is made of; `converter` and `progress` are new for each."""
        self.converter = self.new_converter()
        self.progress = RecordedProgress()
        self.fuse.journal.clear()
        tools = Tools(
            converter=self.converter,
            references=self.references,
            counter=self.counter,
            dense=self.dense,
            sparse=self.sparse if self.project.bound_sparse_model else None,
            clock=self.clock,
        )
        return IngestParts(
            project=open_project(self),
            tools=tools,
            executor=InlineExecutor(lambda: tools),
            audit=self.audit,
            lease=self.lease,
            space=self.space,
            ocr_fingerprint=lambda wanted: ocr_fingerprint(
                (ScriptedOcr(languages=KNOWN_LANGUAGES, version="reader-1"),), wanted
            ),
            ocr_languages=self.ocr_languages,
            limits=self.limits,
            calibrate=self.calibrate,
            machine=self._machine if self.machine is not None else None,
        )

    def doc_id(self, path: str) -> str:
        entry = self.manifest.get(PROJECT.id, path)
        assert entry is not None
        return entry.doc_id

    def _machine(self) -> str:
        return self.machine or ""

    def new_converter(self) -> FakeDocumentConverter:
        """A converter of the files as they are now."""
        return FakeDocumentConverter(
            {**self.files.texts(), **self.canned},
            version=self.converter_version,
            content_hash=self.files.digest,
        )

    def ingest_until(self, step: int, request: IngestRequest | None = None) -> bool:
        """Run an ingest that loses power before its n-th step; whether it got so far."""
        return self.until(step, lambda: self.ingest(request))

    def until(self, step: int, run: Callable[[], object]) -> bool:
        """Do something that loses power before its n-th step; whether it got so far."""
        self.fuse.left = step
        try:
            run()
        except PowerCut:
            return True
        finally:
            self.fuse.left = None
        return False

    @property
    def converted(self) -> list[str]:
        """The files the last run converted."""
        return [source.path.name for source in self.converter.converted]

    @property
    def embedded(self) -> int:
        """How many batches the last run embedded."""
        return self.fuse.journal.count("embed")

    def stored(self, name: str = "") -> dict[str, StoredChunk]:
        """The chunks in the project's collection, or the one named, by id."""
        chunks = self.index.scroll(name or self.project.collection, EVERYTHING)
        return {stored.chunk.id: stored for stored in chunks}

    def sources(self) -> dict[str, int]:
        """How many chunks each source has."""
        return self.index.facets(self.project.collection, "source_path", EVERYTHING)

    def entries(self) -> dict[str, ManifestEntry]:
        """The catalogue by path, without what differs from run to run."""
        return {
            entry.path: replace(entry, created_at=None, updated_at=None, generation="")
            for entry in self.manifest.entries(self.project.id)
        }


def open_project(library: Library, **changes: Any) -> OpenProject:
    """The project of a library as use cases work with it, with some fields changed."""
    project = OpenProject(
        settings=library.project,
        index=library.index,
        files=library.files,
        clock=library.clock,
        open_manifest=lambda: library.manifest,
        open_embedders=lambda: (
            library.dense,
            library.sparse if library.project.hybrid_enabled else None,
        ),
        find_machine=lambda: library.machine,
    )
    return replace(project, **changes)


def project_in(
    index: VectorIndex,
    *,
    settings: Project = PROJECT,
    manifest: ManifestStore | None = None,
    files: SourceFiles | None = None,
    clock: Clock | None = None,
    dense: DenseEmbedder | None = None,
    sparse: SparseEmbedder | None = None,
) -> OpenProject:
    """A project over an index; whatever else is not given is empty."""
    entries, embedders = manifest or InMemoryManifest(), (dense or HashingDense(), sparse)
    return OpenProject(
        settings=settings,
        index=index,
        files=files or InMemorySourceFiles({}),
        clock=clock or SetClock(tick=0.5),
        open_manifest=lambda: entries,
        open_embedders=lambda: embedders,
    )


def with_models(
    project: OpenProject, dense: DenseEmbedder | None = None, sparse: SparseEmbedder | None = None
) -> OpenProject:
    """The project with other models, each of which takes the place of one."""
    models = (dense or project.dense, sparse or project.sparse)
    return replace(project, open_embedders=lambda: models)


def two_papers(sections: int = 3) -> Library:
    """Papers at `A` and `B` that are ingested, the first with a reference and so many sections, a
    page and a chunk each, the second with three.
    """
    library = Library({A: paper("wheat", sections=sections), B: paper("barley")})
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    library.ingest()
    return library
