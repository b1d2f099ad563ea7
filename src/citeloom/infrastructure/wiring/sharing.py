"""Sharing a project's index and models with other processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeloom.application.library_parts import Serving
from citeloom.domain.errors import ConfigError
from citeloom.domain.passage import Selection
from citeloom.infrastructure.stores.shared.embedders import SharedDense, SharedSparse
from citeloom.infrastructure.stores.shared.index import SharedIndex
from citeloom.infrastructure.stores.shared.models import Models

if TYPE_CHECKING:
    from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
    from citeloom.infrastructure.wiring.opened_project import OpenedProject


def question_embedders(wiring: OpenedProject) -> tuple[DenseEmbedder, SparseEmbedder | None]:
    """The embedders of questions, which use the models of the index's holder; a remote model is
    asked by this process, with its own key.
    """
    index, project = wiring.library.index, wiring.project
    sparse = project.bound_sparse_model
    if not isinstance(index, SharedIndex):
        return wiring.embedders.dense, wiring.embedders.sparse
    index.share_models(_models(wiring))
    return (
        wiring.embedders.dense
        if project.remote
        else SharedDense(
            project.embedding_model, lambda: wiring.embedders.dense, index, project.collection
        ),
        SharedSparse(sparse, lambda: wiring.embedders.sparse, index, project.collection)
        if sparse
        else None,
    )


def serve(wiring: OpenedProject) -> Serving:
    """Become the holder of the project's index, with its models loaded."""
    index, project = wiring.library.index, wiring.project
    if not isinstance(index, SharedIndex):
        raise ConfigError(
            f"the index of project '{project.id}' is on a server, or read-only",
            "Processes share only an index in a data folder that may be written.",
        )
    models = _models(wiring)
    index.share_models(models)
    serving = index.serve(project.collection)
    if index.binding(project.collection) is not None:
        index.count(project.collection, Selection(project_id=project.id))
    models.load()
    return serving


def load_models(wiring: OpenedProject) -> None:
    """Load the models that questions need, unless another process holds the index; a remote model
    has nothing to load, and is not asked.

    Raises `IndexUnavailable` where the store does not answer.
    """
    index = wiring.library.index
    index.binding(wiring.project.collection)
    if wiring.embedders.remote is None and not (
        isinstance(index, SharedIndex) and index.is_held_elsewhere(wiring.project.collection)
    ):
        _models(wiring).load()


def _models(wiring: OpenedProject) -> Models:
    project = wiring.project
    sparse = project.bound_sparse_model
    return Models(
        dense={} if project.remote else {project.embedding_model: lambda: wiring.embedders.dense},
        sparse={sparse: lambda: wiring.embedders.sparse} if sparse else {},
    )
