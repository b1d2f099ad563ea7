"""Reranking by a service."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

import msgspec

from citeloom.application.ports.embedders import Reranker
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.remote.retries import RetryPolicy
from citeloom.infrastructure.remote.service import InvalidAnswer, RemoteService, RequestRefused

# The shapes in which services are asked for a rerank: that of Cohere and Jina, and that of TEI.

_T = TypeVar("_T")


class Shape(Protocol):
    """The requests and answers of one family of rerank services; `most_texts` is the limit of a
    request.
    """

    most_texts: int

    path: str
    """Where requests go, below the service's address."""

    @abstractmethod
    def body(self, question: str, texts: Sequence[str]) -> Mapping[str, object]:
        """The request for the scores of `texts`."""

    @abstractmethod
    def read(self, body: bytes) -> list[tuple[int, float]]:
        """The places and scores in an answer, in its order. Raises `InvalidAnswer`."""


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

    path = "/v2/rerank"


class JinaShape(_Listed):
    """Jina's rerank API, which vLLM and llama.cpp have as well."""

    path = "/v1/rerank"

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

    path = "/rerank"

    def body(self, question: str, texts: Sequence[str]) -> Mapping[str, object]:
        return {"query": question, "texts": list(texts), "truncate": True, "return_text": False}

    def read(self, body: bytes) -> list[tuple[int, float]]:
        return [(result.index, result.score) for result in _decoded(body, list[_Scored])]


def _decoded(body: bytes, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidAnswer(f"it is not that of a rerank API ({error})") from error


_TRIES = 2
_LONGEST_WAIT = 1.0


class RerankService(Reranker):
    """A reranker that a service runs; many texts are scored in several requests, one after another.

    A request that may succeed at a second try is retried once, within the same time.
    """

    def __init__(self, model_id: str, *, service: RemoteService, shape: Shape) -> None:
        self.model_id = model_id
        self._service = service
        self.destination = service.host
        self._shape = shape

    def score(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        until, most = time.monotonic() + seconds, self._shape.most_texts
        scores: list[float] = []
        for start in range(0, len(texts), most):
            left = until - time.monotonic()
            if left <= 0:
                raise self._service.unavailable(
                    f"it was not done within {seconds:g} s", "Lower candidates under [rerank]."
                )
            scores += self._batch_scores(question, texts[start : start + most], left)
        return scores

    def _batch_scores(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        retry_policy = RetryPolicy(
            tries=_TRIES, seconds=seconds, longest_wait=min(seconds, _LONGEST_WAIT)
        )
        body = self._shape.body(question, texts)
        try:
            answer = self._service.post(self._shape.path, body, retry_policy)
            return _in_order(self._shape.read(answer), len(texts))
        except RequestRefused as error:
            raise self._service.unavailable(
                f"it refuses the request: {error}",
                "See the model's name and base_url under [rerank]; a passage may be too long.",
            ) from error
        except InvalidAnswer as error:
            raise ModelUnavailable(
                f"{self.model_id} gave an answer that cannot be used: {error}",
                "See that base_url under [rerank] is that of a service that reranks.",
            ) from error


def _in_order(pairs: Sequence[tuple[int, float]], count: int) -> list[float]:
    """The scores by place. Raises `InvalidAnswer` unless there is one number for each."""
    scores = dict(pairs)
    if len(pairs) != count or scores.keys() != set(range(count)):
        raise InvalidAnswer(f"it has no score for each of {count} texts, and no other")
    if not all(map(math.isfinite, scores.values())):
        raise InvalidAnswer("a score is no number")
    return [scores[place] for place in range(count)]
