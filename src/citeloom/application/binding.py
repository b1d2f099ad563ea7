"""Checks before a collection is used: it exists, belongs to the project and has its models."""

from __future__ import annotations

from citeloom.application.ports.vector_index import VectorReader
from citeloom.domain.errors import EmbeddingMismatch, InvalidProject
from citeloom.domain.project import Collection, Project


def existing_collection(index: VectorReader, project: Project) -> Collection:
    """The project's collection, found without opening it.

    Raises `InvalidProject` when there is none yet, or it is another project's.
    """
    bound = owned_collection(index, project)
    if bound is None:
        raise InvalidProject(
            f"nothing has been ingested into project '{project.id}' yet",
            f"Ingest something first: citeloom ingest --project {project.id} FOLDER",
        )
    return bound


def owned_collection(index: VectorReader, project: Project) -> Collection | None:
    """The project's collection, or None where there is none yet.

    Raises `InvalidProject` when it is another project's.
    """
    bound = index.binding(project.collection)
    if bound is not None and bound.project_id != project.id:
        raise InvalidProject(
            f"collection '{bound.name}' belongs to project '{bound.project_id}', "
            f"not to '{project.id}'",
            f'Give this project a collection of its own: collection = "…" under '
            f'[project."{project.id}"].',
        )
    return bound


def bound_collection(index: VectorReader, project: Project) -> Collection:
    """The project's collection, checked for the project's models.

    Raises `InvalidProject` when there is none yet or it is another project's, `EmbeddingMismatch`
    when it has other models.
    """
    bound = existing_collection(index, project)
    check_binding(bound, project)
    return bound


def check_binding(bound: Collection, project: Project) -> None:
    """Raise `EmbeddingMismatch` unless the collection is bound to the project's models."""
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
    _check_vectors(bound, project)


def check_dimension(bound: Collection, dimension: int) -> None:
    """Raise `EmbeddingMismatch` unless the collection's vectors have that many dimensions."""
    if bound.dimension != dimension:
        raise EmbeddingMismatch(
            f"collection '{bound.name}' holds vectors of {bound.dimension} dimensions; "
            f"{bound.dense_model} gives {dimension}",
            "Set the model's dimension back, or rebuild the collection: "
            f"citeloom ingest --project {bound.project_id} --rebuild",
        )


def _check_vectors(bound: Collection, project: Project) -> None:
    """Raise `EmbeddingMismatch` unless the same text would have the same vector as before."""
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
