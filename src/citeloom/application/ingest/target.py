"""The collection an ingest fills: the project's own, a new one, or its successor."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from citeloom.application.binding import check_binding, owned_collection
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.embedders import DenseEmbedder
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.project import Collection, Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where chunks go: `name` is what the index is told, `generation` what entries record.

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
