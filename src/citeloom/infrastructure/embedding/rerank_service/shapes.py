"""The shapes in which services are asked for a rerank: that of Cohere and Jina, and that of TEI."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

import msgspec

from citeloom.infrastructure.remote.exchange import InvalidAnswer

_T = TypeVar("_T")


class Shape(Protocol):
    """How one family of services is asked, with at most `most_texts` in a request."""

    most_texts: int

    @property
    @abstractmethod
    def path(self) -> str:
        """Where requests go, below the service's address."""
        ...

    @abstractmethod
    def body(self, question: str, texts: Sequence[str]) -> Mapping[str, object]:
        """The request for the scores of `texts`."""
        ...

    @abstractmethod
    def read(self, body: bytes) -> list[tuple[int, float]]:
        """The places and scores of an answer, as they come. Raises `InvalidAnswer`."""
        ...


class _Result(msgspec.Struct):
    index: int
    relevance_score: float


class _Results(msgspec.Struct):
    results: list[_Result]


class _Listed(Shape):
    """A model's name, a query and documents; a list of results comes back."""

    most_texts = 1000

    def __init__(self, model: str) -> None:
        self._model = model

    def body(self, question: str, texts: Sequence[str]) -> Mapping[str, object]:
        documents = list(texts)
        return {
            "model": self._model,
            "query": question,
            "documents": documents,
            "top_n": len(documents),
        }

    def read(self, body: bytes) -> list[tuple[int, float]]:
        results = _decoded(body, _Results).results
        return [(result.index, result.relevance_score) for result in results]


class CohereShape(_Listed):
    """Cohere's rerank API, version 2."""

    @property
    def path(self) -> str:
        return "/v2/rerank"


class JinaShape(_Listed):
    """Jina's rerank API, which vLLM and llama.cpp have as well."""

    @property
    def path(self) -> str:
        return "/v1/rerank"

    def body(self, question: str, texts: Sequence[str]) -> Mapping[str, object]:
        return {**super().body(question, texts), "return_documents": False}


class _Scored(msgspec.Struct):
    index: int
    score: float


class TeiShape(Shape):
    """Text Embeddings Inference, which serves one model and takes 32 texts unless started
    otherwise.
    """

    most_texts = 32

    @property
    def path(self) -> str:
        return "/rerank"

    def body(self, question: str, texts: Sequence[str]) -> Mapping[str, object]:
        return {"query": question, "texts": list(texts), "truncate": True, "return_text": False}

    def read(self, body: bytes) -> list[tuple[int, float]]:
        return [(result.index, result.score) for result in _decoded(body, list[_Scored])]


def _decoded(body: bytes, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidAnswer(f"it is not that of a rerank API ({error})") from error
