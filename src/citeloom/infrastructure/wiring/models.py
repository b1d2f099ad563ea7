"""The models that embed, rerank, write answers and judge them, by the family in their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.documents.language import DEFAULT_LANGUAGE
from citeloom.domain.errors import ConfigError
from citeloom.domain.policies import DEFAULT_DENSE_MODEL
from citeloom.domain.project import quantised_name
from citeloom.infrastructure.extensions import EMBEDDERS, RERANKERS
from citeloom.infrastructure.settings.service_tables import ANSWER_MODEL

if TYPE_CHECKING:
    from citeloom.application.answering.verification import EntailmentCheck
    from citeloom.application.models import AvailableModel, ModelKind
    from citeloom.application.ports.answer_model import AnswerModel, EntailmentModel
    from citeloom.application.ports.embedders import (
        Embedders,
        Reranker,
        SparseEmbedder,
    )
    from citeloom.application.ports.vector_index import VectorReader
    from citeloom.application.retrieval.reranking import Reranking
    from citeloom.domain.project import Project
    from citeloom.infrastructure.embedding.dialects import Dialect
    from citeloom.infrastructure.embedding.rerank_service import Shape
    from citeloom.infrastructure.remote.endpoint import ServiceEndpoint
    from citeloom.infrastructure.settings import Settings
    from citeloom.infrastructure.settings.service_tables import RemoteModelTable


# The model that writes answers and the one that judges them, where they are configured.


def open_answer_model(settings: Settings) -> AnswerModel | None:
    """The configured model; None where the passages' own sentences answer, and nothing is sent."""
    model = settings.answer_model
    if model is None:
        return None
    from citeloom.infrastructure.answering import (
        OpenAiAnswerModel,
        ReplyLimits,
    )
    from citeloom.infrastructure.remote.service import RemoteService

    table = settings.answers
    return OpenAiAnswerModel(
        model.service_name,
        service=RemoteService(model),
        limits=ReplyLimits(
            tokens=table.max_tokens, first_seconds=table.first_timeout, seconds=model.timeout
        ),
    )


def open_entailment(settings: Settings) -> EntailmentCheck | None:
    """The configured check of what quotes entail; None where rules alone decide."""
    table = settings.entailment
    if table.model is None:
        return None
    from citeloom.application.answering.verification import EntailmentCheck

    model = _entailment_model(settings, table.model)
    return EntailmentCheck(model=model, keep_unclear=table.keep_unclear)


def entailment_destination(settings: Settings) -> str | None:
    """The host that written sentences and their quotes are sent to to be judged, if any."""
    if settings.entailment.model == ANSWER_MODEL:
        return settings.answer_model.host if settings.answer_model else None
    return settings.entailment_service.host if settings.entailment_service else None


def _entailment_model(settings: Settings, name: str) -> EntailmentModel:
    from citeloom.application.answering.verification import AnswerModelEntailment
    from citeloom.infrastructure.embedding.entailment import OnnxEntailment, TeiEntailment
    from citeloom.infrastructure.remote.service import RemoteService

    if name == ANSWER_MODEL:
        model = open_answer_model(settings)
        if model is None:
            raise ConfigError("there is no model to ask", "Name one: model under [answers].")
        return AnswerModelEntailment(model)
    service = settings.entailment_service
    if service is None:
        models = settings.models
        return OnnxEntailment(
            name,
            folder=settings.resolve(name),
            cache_dir=models.cache_dir,
            threads=models.threads,
        )
    return TeiEntailment(name, service=RemoteService(service), seconds=service.timeout)


# The precision of the default model in a project that asks for none.


def in_its_precision(
    project: Project, settings: Settings, index: Callable[[], VectorReader]
) -> Project:
    """The project with its model in the precision of its collection, or, where there is none yet,
    quantised if the model can be made here.
    """
    model = project.embedding_model
    configured = settings.configured.get(project.id)
    has_precision = configured is not None and configured.table.precision is not None
    if has_precision or model != DEFAULT_DENSE_MODEL:
        return project
    bound = index().binding(project.collection)
    if bound is None:
        from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache

        is_quantised = ModelCache(settings.models.cache_dir).minilm_int8.is_usable()
    else:
        is_quantised = bound.dense_model == quantised_name(model)
    return replace(project, embedding_model=quantised_name(model)) if is_quantised else project


# Embedding models by the family that their names begin with.

FASTEMBED = "fastembed"


def open_embedders(settings: Settings, project: Project) -> Embedders:
    """The embedders of a project's models: FastEmbed's unless the name begins with another
    family there is.
    """
    family = project.embedding_model.partition("/")[0]
    return EMBEDDERS[family if family in EMBEDDERS else FASTEMBED](settings, project)


def openai_compatible(settings: Settings, project: Project) -> Embedders:
    """A model of a service with OpenAI's embeddings API."""
    from citeloom.infrastructure.embedding.dialects import OpenAiDialect

    model, table = remote_model(settings, project.embedding_model)
    dialect = OpenAiDialect(
        model.service_name,
        passage_prefix=table.passage_prefix,
        query_prefix=table.query_prefix,
        dimensions=table.requested_dimension,
    )
    return _remote(settings, project, dialect)


def cohere(settings: Settings, project: Project) -> Embedders:
    """A model of Cohere's embed API."""
    from citeloom.infrastructure.embedding.dialects import CohereDialect

    model, table = remote_model(settings, project.embedding_model)
    dialect = CohereDialect(model.service_name, dimensions=table.requested_dimension)
    return _remote(settings, project, dialect)


def _remote(settings: Settings, project: Project, dialect: Dialect) -> Embedders:
    from citeloom.application.ports.embedders import Embedders
    from citeloom.infrastructure.embedding.dense_service import (
        Asking,
        EstimatedTokens,
        RemoteDense,
        RequestLimits,
    )
    from citeloom.infrastructure.embedding.vector_cache import VectorCache
    from citeloom.infrastructure.remote.service import RemoteService

    model, table = remote_model(settings, project.embedding_model)
    dense = RemoteDense(
        model.model,
        service=RemoteService(model),
        dialect=dialect,
        counter=EstimatedTokens(table.window),
        cache=VectorCache(settings.data_dir / "cache" / "embeddings.sqlite"),
        asking=Asking(
            inputs=table.binding(model.model).inputs,
            limits=RequestLimits(
                texts=table.texts(model.family),
                tokens=table.tokens_per_request,
                at_once=table.requests_at_once,
            ),
            dimension=table.dimension,
            seconds=model.timeout,
        ),
    )
    return Embedders(
        counter=EstimatedTokens.for_chunks(project.chunking.size, table.window),
        dense=dense,
        sparse=_sparse(settings, project),
        remote=dense,
    )


def remote_model(settings: Settings, name: str) -> tuple[ServiceEndpoint, RemoteModelTable]:
    """Where a remote model runs, and its table. Raises `ConfigError` where no table says who runs
    it.
    """
    if name not in settings.remote_models:
        raise ConfigError(
            f"{name} is run by a service, and none is configured for it",
            f'Add a table [models."{name}"] with a base_url to citeloom.toml.',
        )
    return settings.remote_models[name], settings.models.remote[name]


def fastembed(settings: Settings, project: Project) -> Embedders:
    """Models that run in this process."""
    from citeloom.application.ports.embedders import Embedders
    from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense, ModelTokenizer

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


def multilingual_model(settings: Settings) -> str | None:
    """A dense model of many languages that is on this machine; None without one."""
    from citeloom.infrastructure.embedding.fastembed.catalogue import installed_multilingual

    return installed_multilingual(settings.models.cache_dir)


def model_for_languages(languages: Counter[str], config: Path | None) -> str | None:
    """A model of many languages that is on this machine, where documents ask for one: how many of
    them are in each language.
    """
    from citeloom.infrastructure.settings import load_settings

    if not asks_for_many_languages(languages):
        return None
    return multilingual_model(load_settings(config=config))


def asks_for_many_languages(languages: Counter[str]) -> bool:
    """Whether most documents are in other languages than that of the default model."""
    return languages.total() > 2 * languages[DEFAULT_LANGUAGE]


def list_models(settings: Settings) -> list[AvailableModel]:
    """The embedding models there are, the configured remote ones first."""
    from citeloom.application.models import ModelKind
    from citeloom.infrastructure.embedding.fastembed.catalogue import available_models

    remote = [
        service_available(model, ModelKind.DENSE, settings.models.remote[name].dimension)
        for name, model in settings.remote_models.items()
    ]
    return [*remote, *available_models(cache_dir=settings.models.cache_dir)]


def service_available(
    service: ServiceEndpoint, kind: ModelKind, dimension: int | None = None
) -> AvailableModel:
    """A model of a service, usable unless the key it is configured for is missing; nothing is
    asked.
    """
    from citeloom.application.models import AvailableModel

    return AvailableModel(
        name=service.model,
        kind=kind,
        dimension=dimension,
        size_gb=0.0,
        usable=not service.needs,
        needs=service.needs,
        sends_text_to=service.base_url,
    )


# Rerankers by the family that their names begin with.

_CROSS_ENCODER = "cross-encoder"


def open_reranking(settings: Settings, project: Project, name: str | None = None) -> Reranking:
    """The reranking of a project's queries, by the configured reranker or the one of that name.

    Raises `ConfigError` for one that cannot be used with the project.
    """
    from citeloom.application.retrieval.reranking import Reranking

    table, chosen = settings.rerank, name or settings.rerank.model
    if chosen is None:
        raise ConfigError("there is no reranker", "Name one: model under [rerank].")
    family = chosen.partition("/")[0]
    reranker = RERANKERS[family if family in RERANKERS else _CROSS_ENCODER]
    return Reranking(
        reranker=reranker(settings, project, chosen),
        candidates=table.candidates,
        seconds=table.timeout,
    )


def late_interaction(settings: Settings, project: Project, name: str) -> Reranker:
    """The token vectors of the project's own dense model, which has to be the default one."""
    from citeloom.infrastructure.embedding.fastembed.minilm import MODEL_ID, is_minilm
    from citeloom.infrastructure.embedding.fastembed.rerankers import LateInteraction

    if not is_minilm(project.embedding_model):
        raise ConfigError(
            f"{name} needs the token vectors of {MODEL_ID}, and project '{project.id}' has "
            f"{project.embedding_model}",
            "Choose another model under [rerank], or set rerank = false under the project's "
            "[retrieval].",
        )
    models = settings.models
    return LateInteraction(
        project.embedding_model, cache_dir=models.cache_dir, threads=models.threads
    )


def cross_encoder(settings: Settings, _: Project, name: str) -> Reranker:
    """One of FastEmbed's cross-encoders."""
    from citeloom.infrastructure.embedding.fastembed.rerankers import FastEmbedCrossEncoder

    models = settings.models
    return FastEmbedCrossEncoder(name, cache_dir=models.cache_dir, threads=models.threads)


def cohere_reranker(settings: Settings, _: Project, name: str) -> Reranker:
    """A model of a service with Cohere's rerank API."""
    from citeloom.infrastructure.embedding.rerank_service import CohereShape

    return _service(_configured(settings, name), CohereShape)


def jina(settings: Settings, _: Project, name: str) -> Reranker:
    """A model of a service with Jina's rerank API."""
    from citeloom.infrastructure.embedding.rerank_service import JinaShape

    return _service(_configured(settings, name), JinaShape)


def tei(settings: Settings, _: Project, name: str) -> Reranker:
    """The model that Text Embeddings Inference serves."""
    from citeloom.infrastructure.embedding.rerank_service import TeiShape

    return _service(_configured(settings, name), lambda _: TeiShape())


def _service(configured: ServiceEndpoint, shape: Callable[[str], Shape]) -> Reranker:
    from citeloom.infrastructure.embedding.rerank_service import RerankService
    from citeloom.infrastructure.remote.service import RemoteService

    service = RemoteService(configured)
    return RerankService(configured.model, service=service, shape=shape(configured.service_name))


def _configured(settings: Settings, name: str) -> ServiceEndpoint:
    """The service of that name. Raises `ConfigError` where no table says who runs it."""
    configured = settings.rerank_service
    if configured is None or configured.model != name:
        raise ConfigError(
            f"{name} is run by a service, and none is configured for it",
            "Name it and its base_url under [rerank] in citeloom.toml.",
        )
    return configured


def list_rerankers(settings: Settings) -> list[AvailableModel]:
    """The rerankers there are, a configured service first."""
    from citeloom.application.models import ModelKind
    from citeloom.infrastructure.embedding.fastembed.catalogue import available_rerankers

    listed = available_rerankers(cache_dir=settings.models.cache_dir)
    service = settings.rerank_service
    if service is None:
        return listed
    return [service_available(service, ModelKind.RERANKER), *listed]
