"""An open project: its settings, and the index, manifest, files and models that use cases need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar, cast

from citeloom.application.ports.vector_index import Capability
from citeloom.domain.errors import EmbeddingMismatch, InvalidProject, NotFound
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import Selection, StoredChunk

if TYPE_CHECKING:
    from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
    from citeloom.application.ports.records import ManifestStore
    from citeloom.application.ports.runtime import Clock
    from citeloom.application.ports.sources import SourceFiles
    from citeloom.application.ports.vector_index import VectorIndex
    from citeloom.application.retrieval.reranking import Reranking
    from citeloom.domain.documents.manifest import ManifestEntry
    from citeloom.domain.project import Collection, Project
    from citeloom.domain.retrieval.ordering import Fusion

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class OpenProject:
    """A project as use cases work with it; what is called `open_…` is opened when it is needed.

    Without a `fusion`, reciprocal rank fusion is used, inside the store if it supports that. With a
    reranking, a reranker puts the best passages in order.
    """

    settings: Project
    index: VectorIndex
    files: SourceFiles
    clock: Clock
    open_manifest: Callable[[], ManifestStore]
    open_embedders: Callable[[], tuple[DenseEmbedder, SparseEmbedder | None]]
    open_reranking: Callable[[], Reranking | None] = lambda: None
    find_machine: Callable[[], str | None] = lambda: None
    fusion: Fusion | None = None
    _kept: dict[object, object] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def id(self) -> str:
        return self.settings.id

    @property
    def collection(self) -> str:
        return self.settings.collection

    @property
    def manifest(self) -> ManifestStore:
        return self.open_manifest()

    @property
    def machine(self) -> str | None:
        """The id of this machine in a store that several share, else None."""
        return self.find_machine()

    @property
    def dense(self) -> DenseEmbedder:
        """Embeds questions by meaning."""
        return self.open_embedders()[0]

    @property
    def sparse(self) -> SparseEmbedder | None:
        """Embeds questions by words; None where the project is not hybrid."""
        return self.open_embedders()[1]

    @property
    def modes(self) -> tuple[Mode, ...]:
        return (Mode.DENSE,) if self.sparse is None else tuple(Mode)

    def kept(self, kind: type[T]) -> T:
        """The object of that class that is kept from one call to the next."""
        if kind not in self._kept:
            self._kept.setdefault(kind, kind())
        return cast("T", self._kept[kind])

    # -- the project's part of the manifest and of the index

    def entries(self) -> list[ManifestEntry]:
        return self.manifest.entries(self.id)

    @property
    def everything(self) -> Selection:
        """All chunks of the project."""
        return Selection(project_id=self.id)

    def chunks(self, selection: Selection | None = None) -> Iterator[StoredChunk]:
        return self.index.scroll(self.collection, selection or self.everything)

    def facets(self, key: str, selection: Selection | None = None) -> dict[str, int]:
        """How many chunks have each value of a field."""
        return self.index.facets(self.collection, key, selection or self.everything)

    def passage(self, chunk_id: str) -> StoredChunk:
        """The chunk of that id. Raises `NotFound` where there is none."""
        name = self.existing_collection().name
        stored = self.index.fetch(name, self.everything, [chunk_id])
        if not stored:
            raise NotFound(
                f"project '{self.id}' has no passage '{chunk_id}'",
                "A query returns the ids of passages; `citeloom query` prints them with --format "
                "json.",
            )
        return stored[0]

    # -- its collection

    def find_collection(self) -> Collection | None:
        """The project's collection, found without opening it; None where there is none yet.

        Raises `InvalidProject` when it is another project's.
        """
        bound = self.index.binding(self.collection)
        if bound is not None and bound.project_id != self.id:
            raise InvalidProject(
                f"collection '{bound.name}' belongs to project '{bound.project_id}', "
                f"not to '{self.id}'",
                f'Give this project a collection of its own: collection = "…" under '
                f'[project."{self.id}"].',
            )
        return bound

    def existing_collection(self) -> Collection:
        """The same; raises `InvalidProject` when there is none yet, too."""
        bound = self.find_collection()
        if bound is None:
            hint = f"Ingest something first: citeloom ingest --project {self.id} FOLDER"
            if Capability.RESTORE in self.index.capabilities:
                hint += (
                    ". If you have, its collection lost its name in the store: `citeloom repair`"
                )
            raise InvalidProject(f"nothing has been ingested into project '{self.id}' yet", hint)
        return bound

    def bound_collection(self) -> Collection:
        """The same; raises `EmbeddingMismatch` where it has other models, too."""
        bound = self.existing_collection()
        check_binding(bound, self.settings)
        return bound


def check_binding(bound: Collection, project: Project) -> None:
    """Raise `EmbeddingMismatch` unless the collection is bound to the project's models, and the
    same text would have the same vector as before.
    """
    for what, has, configured in (
        ("embedding model", bound.dense_model, project.embedding_model),
        ("sparse model", bound.sparse_model, project.bound_sparse_model),
    ):
        if has != configured:
            raise EmbeddingMismatch(
                f"collection '{bound.name}' is bound to the {what} {has or 'none'}, "
                f"but project '{project.id}' asks for {configured or 'none'}",
                "Set the project's model back, or rebuild the collection with the new model: "
                f"citeloom ingest --project {project.id} --rebuild",
            )
    if bound.dense_inputs != project.dense_inputs:
        raise EmbeddingMismatch(
            f"collection '{bound.name}' is bound to {bound.dense_model} asked as "
            f"{bound.dense_inputs or 'a local model'}, but project '{project.id}' asks it as "
            f"{project.dense_inputs or 'a local model'}",
            "Set the model's prefixes back, or rebuild the collection: "
            f"citeloom ingest --project {project.id} --rebuild",
        )
    if project.remote is not None and project.remote.dimension is not None:
        check_dimension(bound, project.remote.dimension)


def check_dimension(bound: Collection, dimension: int) -> None:
    """Raise `EmbeddingMismatch` unless the collection's vectors have that many dimensions."""
    if bound.dimension != dimension:
        raise EmbeddingMismatch(
            f"collection '{bound.name}' holds vectors of {bound.dimension} dimensions; "
            f"{bound.dense_model} gives {dimension}",
            "Set the model's dimension back, or rebuild the collection: "
            f"citeloom ingest --project {bound.project_id} --rebuild",
        )
