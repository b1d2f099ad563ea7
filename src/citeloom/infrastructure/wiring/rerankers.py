"""Rerankers by the family that their names begin with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from citeloom.application.ports.embedders import Reranker
from citeloom.application.retrieval.reranking import Reranking
from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.extensions import Registry
from citeloom.infrastructure.settings.models import LATE_INTERACTION

if TYPE_CHECKING:
    from citeloom.application.models import AvailableModel
    from citeloom.domain.project import Project
    from citeloom.infrastructure.embedding.rerank_service import Shape
    from citeloom.infrastructure.remote.endpoint import ServiceEndpoint
    from citeloom.infrastructure.settings import Settings

_HERE = "citeloom.infrastructure.wiring.rerankers"
_CROSS_ENCODER = "cross-encoder"

RERANKERS: Registry[Reranker] = Registry(
    "family of rerankers",
    {
        LATE_INTERACTION: f"{_HERE}:late_interaction",
        _CROSS_ENCODER: f"{_HERE}:cross_encoder",
        "cohere": f"{_HERE}:cohere",
        "jina": f"{_HERE}:jina",
        "tei": f"{_HERE}:tei",
    },
)
"""A cross-encoder's name begins with none of the others."""


def open_reranking(settings: Settings, project: Project, name: str | None = None) -> Reranking:
    """The reranking of a project's queries, by the configured reranker or the one of that name.

    Raises `ConfigError` for one that cannot be used with the project.
    """
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


def cohere(settings: Settings, _: Project, name: str) -> Reranker:
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
    from citeloom.infrastructure.wiring.models import service_available

    listed = available_rerankers(cache_dir=settings.models.cache_dir)
    service = settings.rerank_service
    if service is None:
        return listed
    return [service_available(service, ModelKind.RERANKER), *listed]
