"""Remote embedders of both families, as a test wants them."""

from __future__ import annotations

from pathlib import Path

from citeloom.infrastructure.embedding.dense_service import (
    Asking,
    EstimatedTokens,
    RemoteDense,
    RequestLimits,
)
from citeloom.infrastructure.embedding.dialects import CohereDialect, Dialect, OpenAiDialect
from citeloom.infrastructure.embedding.vector_cache import VectorCache
from citeloom.infrastructure.remote.endpoint import ServiceEndpoint
from citeloom.infrastructure.remote.service import RemoteService
from tests.fakes.embedding_server import KEY, ServedEmbeddings

FAMILIES = ("openai", "cohere")


def remote_dense(  # one parameter a setting
    served: ServedEmbeddings,
    folder: Path,
    family: str = "openai",
    *,
    texts: int = 8,
    tokens: int = 100_000,
    at_once: int = 2,
    dimension: int | None = None,
    seconds: float = 5.0,
    key: str = KEY,
    inputs: str = "",
) -> RemoteDense:
    """An embedder that asks a served service, and keeps vectors in the folder."""
    name = f"{family}/served"
    dialect: Dialect = OpenAiDialect("served") if family == "openai" else CohereDialect("served")
    url = served.openai if family == "openai" else served.url
    endpoint = ServiceEndpoint(
        model=name,
        base_url=url,
        place=("models", name),
        timeout=60,
        key=key,
        variable="SERVED_API_KEY",
    )
    return RemoteDense(
        name,
        service=RemoteService(endpoint, first_pause=0.01),
        dialect=dialect,
        counter=EstimatedTokens(window=512),
        cache=VectorCache(folder / "vectors.sqlite"),
        asking=Asking(
            inputs=inputs or family,
            limits=RequestLimits(texts=texts, tokens=tokens, at_once=at_once),
            dimension=dimension,
            seconds=seconds,
        ),
    )
