"""The candidates of a query on their way through the stages of retrieval."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from citeloom.domain.retrieval.passage import Hit, IndexQuery, Ranked


class StageName(StrEnum):
    """The stages of retrieval, in the order they run."""

    QUOTATIONS = "quotations"
    EXPAND = "expand"
    RETRIEVE = "retrieve"
    FUSE = "fuse"
    PLACES = "places"
    COVERAGE = "coverage"
    LANGUAGE = "language"
    RERANK = "rerank"
    DIVERSIFY = "diversify"
    WORDS = "words"
    FOLD = "fold"
    FLOOR = "floor"
    WORKS = "works"
    RARE = "rare"
    GROUP = "group"
    LIMIT = "limit"


ESSENTIAL = frozenset({StageName.RETRIEVE, StageName.FUSE, StageName.LIMIT})
"""The stages that cannot be switched off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTrace:
    """What a stage did: the number of hits before and after it, and a detail for people."""

    name: StageName
    hits_in: int
    hits_out: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankTrace:
    """What a reranker did for an answer. `ranks` are its own by chunk id, empty
    where it failed and the order stayed as it was; `before` are the ids in the order of the search.
    """

    model: str
    """Its name."""
    passages: int
    """How many passages it read."""
    sent_to: str | None
    """The host they were sent to."""
    duration_ms: float
    """How long it took."""
    ranks: Mapping[str, Ranked] = field(default_factory=dict)
    before: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """If not, the order is that of the search, and a note says why."""
        return bool(self.ranks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """A hit's ranks among the `of` hits of its work, from 1; None by words if it has none."""

    of: int
    by_meaning: int
    by_words: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The hits so far, best first, for the question `text`, and the query for further ones.

    `sides` are rankings that are not fused yet; `unexpanded` are the best hits of the query before
    its expansion; `rare` are the hits that have each word that few have, `form_weights` what those
    words weigh that few have in this form, `required` the hits with the terms of words that a
    passage must have; `further` are those that follow behind the hits once these are in order.
    `quoted` are the ids of hits that contain the text verbatim; they come first. `settled` ends the
    search.
    `feedback` are the ids of the chunks used for query expansion; `placings` are
    the ranks of chunks within their works, by chunk id; `pool` are the hits with vectors that the
    answer is chosen from; `reranked` is what a reranker did; `folded` maps a chunk id to its folded
    duplicates; `works` is the number of works among the hits before they were limited; `notes` are
    messages for the user.
    """

    text: str
    query: IndexQuery
    hits: tuple[Hit, ...] = ()
    sides: tuple[tuple[Hit, ...], ...] = ()
    unexpanded: tuple[Hit, ...] = ()
    rare: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)
    form_weights: Mapping[str, float] = field(default_factory=dict)
    required: tuple[Hit, ...] = ()
    further: tuple[Hit, ...] = ()
    quoted: frozenset[str] = frozenset()
    settled: bool = False
    feedback: tuple[str, ...] = ()
    placings: Mapping[str, Placing] = field(default_factory=dict)
    pool: tuple[Hit, ...] = ()
    reranked: RerankTrace | None = None
    folded: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)
    works: int = 0
    detail: str = ""
    notes: tuple[str, ...] = ()
    trace: tuple[StageTrace, ...] = ()

    @property
    def count(self) -> int:
        rankings = (self.hits, self.further, *self.sides)
        return len({name for ranking in rankings for name in _ids(ranking)})

    @property
    def rare_hits(self) -> tuple[Hit, ...]:
        hits = {hit.stored.chunk.id: hit for holders in self.rare.values() for hit in holders}
        return tuple(hits.values())

    def with_further(self) -> Candidates:
        """The candidates with the further hits behind the others; a work that has none among these
        is judged by its further ones.
        """
        hits, pool = _ids(self.hits), {hit.stored.chunk.doc_id for hit in self.pool}
        behind = tuple(hit for hit in self.further if hit.stored.chunk.id not in hits)
        apart = tuple(hit for hit in self.further if hit.stored.chunk.doc_id not in pool)
        return replace(
            self,
            hits=(*self.hits, *behind),
            pool=(*self.pool, *apart) if self.pool else (),
            further=(),
        )

    def after(self, stage: RetrievalStage) -> Candidates:
        done = stage(replace(self, detail=""))
        trace = StageTrace(
            name=stage.name, hits_in=self.count, hits_out=done.count, detail=done.detail
        )
        return replace(done, trace=(*done.trace, trace))

    def quoted_and_rest(self) -> tuple[list[Hit], list[Hit]]:
        """The hits that are quotations, and the others."""
        first = [hit for hit in self.hits if hit.stored.chunk.id in self.quoted]
        return first, [hit for hit in self.hits if hit.stored.chunk.id not in self.quoted]


def _ids(hits: Iterable[Hit]) -> set[str]:
    return {hit.stored.chunk.id for hit in hits}


class RetrievalStage(Protocol):
    """One step of retrieval: candidates in, candidates out, with a `detail` of what it did."""

    @property
    @abstractmethod
    def name(self) -> StageName: ...

    @abstractmethod
    def __call__(self, candidates: Candidates) -> Candidates: ...


def with_others(hits: Sequence[Hit], others: Sequence[Hit]) -> list[Hit]:
    """The hits, and behind them the others that are not among them."""
    known = {hit.stored.chunk.id for hit in hits}
    return [*hits, *(hit for hit in others if hit.stored.chunk.id not in known)]
