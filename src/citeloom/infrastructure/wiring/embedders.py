"""Embedding models by the family that their names begin with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder, TokenCounter
from citeloom.infrastructure.wiring.registry import Registry

if TYPE_CHECKING:
    from citeloom.application.available import AvailableModel
    from citeloom.domain.project import Project
    from citeloom.infrastructure.settings import Settings

_HERE = "citeloom.infrastructure.wiring.embedders"
FASTEMBED = "fastembed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedders:
    """What turns a project's text into vectors and counts its tokens; each loads at first use."""

    counter: TokenCounter
    dense: DenseEmbedder
    sparse: SparseEmbedder | None


EMBEDDERS: Registry[Embedders] = Registry("family of models", {FASTEMBED: f"{_HERE}:fastembed"})


def open_embedders(settings: Settings, project: Project) -> Embedders:
    """The embedders of a project's models: FastEmbed's unless the name begins with another
    family there is.
    """
    family = project.embedding_model.partition("/")[0]
    return EMBEDDERS[family if family in EMBEDDERS else FASTEMBED](settings, project)


def fastembed(settings: Settings, project: Project) -> Embedders:
    """Models that run in this process."""
    from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense
    from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse
    from citeloom.infrastructure.embedding.fastembed.tokenizer import ModelTokenizer

    cache, threads = settings.models.cache_dir, settings.models.threads
    sparse = project.bound_sparse_model
    return Embedders(
        counter=ModelTokenizer(project.embedding_model, cache_dir=cache),
        dense=FastEmbedDense(project.embedding_model, cache_dir=cache, threads=threads),
        sparse=FastEmbedSparse(sparse, cache_dir=cache, threads=threads) if sparse else None,
    )


def list_models(settings: Settings) -> list[AvailableModel]:
    """The embedding models there are."""
    from citeloom.infrastructure.embedding.fastembed.catalogue import available_models

    return available_models(cache_dir=settings.models.cache_dir)
