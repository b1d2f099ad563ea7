"""Scores by a service."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from citeloom.application.ports.reranker import Reranker
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.embedding.rerank_service.shapes import Shape
from citeloom.infrastructure.remote.exchange import InvalidAnswer
from citeloom.infrastructure.remote.service import Patience, RequestRefused, Service

_TRIES = 2
_LONGEST_WAIT = 1.0


class RerankService(Reranker):
    """A reranker that a service runs, asked in a request or, for many texts, one after another.

    A request that may well succeed is tried once more, within the same time.
    """

    def __init__(self, model_id: str, *, service: Service, shape: Shape) -> None:
        self._model_id = model_id
        self._service = service
        self._shape = shape

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def destination(self) -> str:
        return self._service.host

    def score(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        until, most = time.monotonic() + seconds, self._shape.most_texts
        scores: list[float] = []
        for start in range(0, len(texts), most):
            left = until - time.monotonic()
            if left <= 0:
                raise self._service.unavailable(
                    f"it was not done within {seconds:g} s", "Lower candidates under [rerank]."
                )
            scores += self._asked(question, texts[start : start + most], left)
        return scores

    def _asked(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        patience = Patience(tries=_TRIES, seconds=seconds, longest_wait=min(seconds, _LONGEST_WAIT))
        body = self._shape.body(question, texts)
        try:
            answer = self._service.post(self._shape.path, body, patience)
            return _in_order(self._shape.read(answer), len(texts))
        except RequestRefused as error:
            raise self._service.unavailable(
                f"it refuses the request: {error}",
                "See the model's name and base_url under [rerank]; a passage may be too long.",
            ) from error
        except InvalidAnswer as error:
            raise ModelUnavailable(
                f"{self._model_id} gave an answer that cannot be used: {error}",
                "See that base_url under [rerank] is that of a service that reranks.",
            ) from error


def _in_order(found: Sequence[tuple[int, float]], count: int) -> list[float]:
    """The scores by place. Raises `InvalidAnswer` unless there is one number for each."""
    scores = dict(found)
    if len(found) != count or scores.keys() != set(range(count)):
        raise InvalidAnswer(f"it has no score for each of {count} texts, and no other")
    if not all(map(math.isfinite, scores.values())):
        raise InvalidAnswer("a score is no number")
    return [scores[place] for place in range(count)]
