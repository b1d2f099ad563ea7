"""Embedding models by the family that their names begin with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder, TokenCounter
from citeloom.application.ports.remote_embedder import RemoteEmbedder
from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.wiring.registry import Registry

if TYPE_CHECKING:
    from citeloom.application.available import AvailableModel
    from citeloom.domain.project import Project
    from citeloom.infrastructure.embedding.remote.dialect import Dialect
    from citeloom.infrastructure.settings import Settings
    from citeloom.infrastructure.settings.remote_models import RemoteModelSettings

_HERE = "citeloom.infrastructure.wiring.embedders"
FASTEMBED = "fastembed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedders:
    """What turns a project's text into vectors and counts its tokens; each loads at first use.

    `remote` is the dense embedder where that is a service.
    """

    counter: TokenCounter
    dense: DenseEmbedder
    sparse: SparseEmbedder | None
    remote: RemoteEmbedder | None = None


EMBEDDERS: Registry[Embedders] = Registry(
    "family of models",
    {
        FASTEMBED: f"{_HERE}:fastembed",
        "openai": f"{_HERE}:openai_compatible",
        "cohere": f"{_HERE}:cohere",
    },
)


def open_embedders(settings: Settings, project: Project) -> Embedders:
    """The embedders of a project's models: FastEmbed's unless the name begins with another
    family there is.
    """
    family = project.embedding_model.partition("/")[0]
    return EMBEDDERS[family if family in EMBEDDERS else FASTEMBED](settings, project)


def openai_compatible(settings: Settings, project: Project) -> Embedders:
    """A model of a service with OpenAI's embeddings API."""
    from citeloom.infrastructure.embedding.openai_compatible.dialect import OpenAiDialect

    model = remote_model(settings, project.embedding_model)
    dialect = OpenAiDialect(
        model.service_name,
        passage_prefix=model.table.passage_prefix,
        query_prefix=model.table.query_prefix,
        dimensions=_asked_dimension(model),
    )
    return _remote(settings, project, model, dialect)


def cohere(settings: Settings, project: Project) -> Embedders:
    """A model of Cohere's embed API."""
    from citeloom.infrastructure.embedding.cohere.dialect import CohereDialect

    model = remote_model(settings, project.embedding_model)
    dialect = CohereDialect(model.service_name, dimensions=_asked_dimension(model))
    return _remote(settings, project, model, dialect)


def _remote(
    settings: Settings, project: Project, model: RemoteModelSettings, dialect: Dialect
) -> Embedders:
    from citeloom.infrastructure.embedding.cache.vector_cache import VectorCache
    from citeloom.infrastructure.embedding.remote.batches import RequestLimits
    from citeloom.infrastructure.embedding.remote.remote_dense import Asking, RemoteDense
    from citeloom.infrastructure.embedding.remote.token_estimate import EstimatedTokens
    from citeloom.infrastructure.remote.service import Access, Service

    table, counter = model.table, EstimatedTokens(model.table.window)
    access = Access(
        url=table.base_url,
        table=f'[models."{model.name}"]',
        key=model.key.get_secret_value() if model.key else "",
        variable=model.variable,
    )
    dense = RemoteDense(
        model.name,
        service=Service(model.name, access),
        dialect=dialect,
        counter=counter,
        cache=VectorCache(settings.data_dir / "cache" / "embeddings.sqlite"),
        asking=Asking(
            inputs=model.remote().inputs,
            limits=RequestLimits(
                texts=model.texts, tokens=table.tokens_per_request, at_once=table.requests_at_once
            ),
            dimension=table.dimension,
            seconds=table.timeout,
        ),
    )
    return Embedders(counter=counter, dense=dense, sparse=_sparse(settings, project), remote=dense)


def remote_model(settings: Settings, name: str) -> RemoteModelSettings:
    """The settings of a remote model. Raises `ConfigError` where no table says who runs it."""
    if name not in settings.remote_models:
        raise ConfigError(
            f"{name} is run by a service, and nothing says which",
            f'Add a table [models."{name}"] with a base_url to citeloom.toml.',
        )
    return settings.remote_models[name]


def _asked_dimension(model: RemoteModelSettings) -> int | None:
    return model.table.dimension if model.table.shorten else None


def fastembed(settings: Settings, project: Project) -> Embedders:
    """Models that run in this process."""
    from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense
    from citeloom.infrastructure.embedding.fastembed.tokenizer import ModelTokenizer

    cache, threads = settings.models.cache_dir, settings.models.threads
    return Embedders(
        counter=ModelTokenizer(project.embedding_model, cache_dir=cache),
        dense=FastEmbedDense(project.embedding_model, cache_dir=cache, threads=threads),
        sparse=_sparse(settings, project),
    )


def _sparse(settings: Settings, project: Project) -> SparseEmbedder | None:
    from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse

    models, sparse = settings.models, project.bound_sparse_model
    if sparse is None:
        return None
    return FastEmbedSparse(sparse, cache_dir=models.cache_dir, threads=models.threads)


def list_models(settings: Settings) -> list[AvailableModel]:
    """The embedding models there are, the configured remote ones first."""
    from citeloom.infrastructure.embedding.fastembed.catalogue import available_models

    remote = [_available(model) for model in settings.remote_models.values()]
    return [*remote, *available_models(cache_dir=settings.models.cache_dir)]


def _available(model: RemoteModelSettings) -> AvailableModel:
    """A remote model, usable unless the key it is configured for is missing; nothing is asked."""
    from citeloom.application.available import AvailableModel, ModelKind

    usable = model.key is not None or not model.variable
    return AvailableModel(
        name=model.name,
        kind=ModelKind.DENSE,
        dimension=model.table.dimension,
        size_gb=0.0,
        usable=usable,
        needs="" if usable else f"a key in {model.variable}",
        sends_text_to=model.table.base_url,
    )
