"""The stage that asks a reranker for the order of the first passages."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from citeloom.domain.errors import CiteloomError, ModelUnavailable
from citeloom.domain.retrieval.candidates import Candidates, RerankTrace, StageName
from citeloom.domain.retrieval.passage import Hit, Ranked

if TYPE_CHECKING:
    from citeloom.application.ports.embedders import Reranker
    from citeloom.application.ports.runtime import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranking:
    """A reranker, how many hits it puts in order, and how many seconds it has for that."""

    reranker: Reranker
    candidates: int
    seconds: float

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """The scores of the texts. Raises `ModelUnavailable`, also when the time is over; what the
        reranker then still does is left to end by itself.
        """
        call = _Call(self, question, texts)
        call.start()
        call.join(self.seconds)
        return call.scores()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerank:
    """Puts the first hits in the order of a reranker; quotations stay first (ADR 33).

    Where it fails or is late, the order stays as it is, and a note says so.
    """

    reranking: Reranking
    clock: Clock
    name: ClassVar[StageName] = StageName.RERANK

    def __call__(self, candidates: Candidates) -> Candidates:
        first, rest = candidates.quoted_and_rest()
        head, tail = rest[: self.reranking.candidates], rest[self.reranking.candidates :]
        if len(head) < 2:
            return replace(candidates, detail="fewer than two passages to put in order")
        started = self.clock.monotonic()
        texts = [hit.stored.chunk.embedding_text for hit in head]
        try:
            scores = self.reranking.score(candidates.text, texts)
        except ModelUnavailable as error:
            failed = self._done(head, started, {})
            note = f"not reranked, the order is that of the search: {error.message}"
            return replace(
                candidates,
                reranked=failed,
                notes=(*candidates.notes, f"{note}. {error.hint}" if error.hint else note),
                detail=f"{failed.model} failed, the order stays",
            )
        ordered = sorted(zip(scores, head, strict=True), key=lambda pair: -pair[0])
        ranks = {
            hit.stored.chunk.id: Ranked(rank=rank, score=score)
            for rank, (score, hit) in enumerate(ordered, start=1)
        }
        hits = (*first, *(hit for _, hit in ordered), *tail)
        done = self._done(head, started, ranks)
        return replace(
            candidates,
            hits=hits,
            pool=hits if candidates.pool else (),
            reranked=done,
            detail=f"the first {len(head)} by {done.model}, in {done.duration_ms:.0f} ms",
        )

    def _done(
        self, hits: Sequence[Hit], started: float, ranks: Mapping[str, Ranked]
    ) -> RerankTrace:
        reranker = self.reranking.reranker
        return RerankTrace(
            model=reranker.model_id,
            passages=len(hits),
            sent_to=reranker.destination,
            duration_ms=round((self.clock.monotonic() - started) * 1000, 1),
            ranks=ranks,
            before=tuple(hit.stored.chunk.id for hit in hits),
        )


class _Call(threading.Thread):
    """A call of a reranker, which may outlast the time there is for it."""

    def __init__(self, reranking: Reranking, question: str, texts: Sequence[str]) -> None:
        super().__init__(name="reranking", daemon=True)
        self._reranking = reranking
        self._request = question, texts
        self._outcome: list[float] | CiteloomError | None = None

    def run(self) -> None:
        try:
            self._outcome = self._reranking.reranker.score(*self._request, self._reranking.seconds)
        except CiteloomError as error:
            self._outcome = error

    def scores(self) -> list[float]:
        """The scores. Raises what went wrong, and `ModelUnavailable` while there are none."""
        late, name = self.is_alive(), self._reranking.reranker.model_id
        if isinstance(self._outcome, CiteloomError):
            raise self._outcome
        if self._outcome is not None:
            return self._outcome
        if late:
            raise ModelUnavailable(
                f"{name} was not done within {self._reranking.seconds:g} s",
                "Raise timeout under [rerank], or lower candidates.",
            )
        raise RuntimeError(f"{name} ended without scores")
