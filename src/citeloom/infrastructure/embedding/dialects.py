"""The embeddings APIs of services: OpenAI's, which many servers share, and Cohere's."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import msgspec

from citeloom.infrastructure.remote.service import InvalidAnswer


class Role(StrEnum):
    """What a text is embedded as."""

    PASSAGE = "passage"
    QUERY = "query"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingReply:
    """The vectors in the order of the texts, and the token count where the service reports one."""

    vectors: Sequence[Sequence[float]]
    tokens: int | None


class Dialect(Protocol):
    """The requests and answers of one family of embedding services."""

    path: str
    """Where requests go, below the service's address."""

    @abstractmethod
    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:
        """The request for the vectors of `texts`."""

    @abstractmethod
    def read(self, body: bytes, count: int) -> EmbeddingReply:
        """The answer to a request of `count` texts. Raises `InvalidAnswer` unless it has one vector
        for each.
        """


# Cohere's embed API, version 2, for its models v3 and v4.

_INPUT_TYPES = {Role.PASSAGE: "search_document", Role.QUERY: "search_query"}


class _Embeddings(msgspec.Struct):
    float_: list[list[float]] = msgspec.field(name="float")


class _Units(msgspec.Struct):
    input_tokens: float | None = None


class _Meta(msgspec.Struct):
    billed_units: _Units | None = None


class _CohereBody(msgspec.Struct):
    embeddings: _Embeddings
    meta: _Meta | None = None


class CohereDialect(Dialect):
    """Distinguishes passages and questions by input type, and forbids silent truncation."""

    def __init__(self, model: str, *, dimensions: int | None = None) -> None:
        self._model = model
        self._dimensions = dimensions

    path = "/v2/embed"

    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:
        body: dict[str, object] = {
            "model": self._model,
            "texts": list(texts),
            "input_type": _INPUT_TYPES[role],
            "embedding_types": ["float"],
            "truncate": "NONE",
        }
        return body if self._dimensions is None else {**body, "output_dimension": self._dimensions}

    def read(self, body: bytes, count: int) -> EmbeddingReply:
        try:
            answer = msgspec.json.decode(body, type=_CohereBody)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InvalidAnswer(f"it is not that of Cohere's embed API ({error})") from error
        vectors = answer.embeddings.float_
        if len(vectors) != count:
            raise InvalidAnswer(f"{len(vectors)} vectors for {count} texts")
        units = answer.meta.billed_units if answer.meta else None
        tokens = units.input_tokens if units else None
        return EmbeddingReply(vectors=vectors, tokens=None if tokens is None else int(tokens))


# The embeddings API of OpenAI, which many servers share: Ollama, vLLM, TEI, LM Studio.


class _Item(msgspec.Struct):
    index: int
    embedding: list[float]


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    total_tokens: int | None = None


class _OpenAIBody(msgspec.Struct):
    data: list[_Item]
    usage: _Usage | None = None


class OpenAiDialect(Dialect):
    """Requests numbers instead of base64, which servers misunderstand, and sorts by `index`.

    Prefixes distinguish passages and questions, where a model needs them.
    """

    def __init__(
        self,
        model: str,
        *,
        passage_prefix: str = "",
        query_prefix: str = "",
        dimensions: int | None = None,
    ) -> None:
        self._model = model
        self._prefixes = {Role.PASSAGE: passage_prefix, Role.QUERY: query_prefix}
        self._dimensions = dimensions

    path = "/embeddings"

    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:
        body: dict[str, object] = {
            "model": self._model,
            "input": [self._prefixes[role] + text for text in texts],
            "encoding_format": "float",
        }
        return body if self._dimensions is None else {**body, "dimensions": self._dimensions}

    def read(self, body: bytes, count: int) -> EmbeddingReply:
        try:
            answer = msgspec.json.decode(body, type=_OpenAIBody)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InvalidAnswer(f"it is not that of an embeddings API ({error})") from error
        items = sorted(answer.data, key=lambda item: item.index)
        if [item.index for item in items] != list(range(count)):
            raise InvalidAnswer(f"{len(items)} vectors for {count} texts, or not one for each")
        usage = answer.usage or _Usage()
        tokens = usage.total_tokens if usage.total_tokens is not None else usage.prompt_tokens
        return EmbeddingReply(vectors=[item.embedding for item in items], tokens=tokens)
