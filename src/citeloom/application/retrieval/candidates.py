"""The request of a query, the candidates that pass through its stages, and the `Stage` protocol."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import isfinite
from typing import Protocol

from citeloom.domain.errors import InvalidFilter
from citeloom.domain.policies import MAX_TOP_K, Mode
from citeloom.domain.retrieval.feedback import Placing
from citeloom.domain.retrieval.filters import Filters, check_text
from citeloom.domain.retrieval.passage import Hit, IndexQuery, Ranked

# The candidates that pass through the stages of retrieval, and the `Stage` protocol.


class StageName(StrEnum):
    """The stages of retrieval, in the order they run."""

    QUOTATIONS = "quotations"
    EXPAND = "expand"
    RETRIEVE = "retrieve"
    FUSE = "fuse"
    PLACES = "places"
    COVERAGE = "coverage"
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
class Reranked:
    """What a reranker did for an answer: `by` which model, with how many `passages`, and how long
    it took.

    `sent_to` is where they were sent, if anywhere; `ranks` are its own by chunk id, empty where it
    failed and the order stayed as it was; `before` are the ids in the order of the search.
    """

    by: str
    passages: int
    sent_to: str | None
    duration_ms: float
    ranks: Mapping[str, Ranked] = field(default_factory=dict)
    before: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether it put the passages in order."""
        return bool(self.ranks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The hits so far, best first, for the question `text`, and the query for further ones.

    `sides` are rankings that are not fused yet; `unexpanded` are the best hits of the query before
    its expansion; `rare` are the hits that have each word that few have, `required` those with the
    terms of words that a passage must have; `further` are those that follow behind the hits once
    these are in order. `quoted` are the ids of hits that contain the text verbatim; they come
    first. `settled` ends the search.
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
    required: tuple[Hit, ...] = ()
    further: tuple[Hit, ...] = ()
    quoted: frozenset[str] = frozenset()
    settled: bool = False
    feedback: tuple[str, ...] = ()
    placings: Mapping[str, Placing] = field(default_factory=dict)
    pool: tuple[Hit, ...] = ()
    reranked: Reranked | None = None
    folded: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)
    works: int = 0
    detail: str = ""
    notes: tuple[str, ...] = ()
    trace: tuple[StageTrace, ...] = ()

    @property
    def count(self) -> int:
        """The number of distinct chunks."""
        rankings = (self.hits, self.further, *self.sides)
        return len({name for ranking in rankings for name in _ids(ranking)})

    @property
    def rare_hits(self) -> tuple[Hit, ...]:
        """The hits that have a rare word, each once."""
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

    def quoted_and_rest(self) -> tuple[list[Hit], list[Hit]]:
        """The hits that are quotations, and the others."""
        first = [hit for hit in self.hits if hit.stored.chunk.id in self.quoted]
        return first, [hit for hit in self.hits if hit.stored.chunk.id not in self.quoted]


def _ids(hits: Iterable[Hit]) -> set[str]:
    return {hit.stored.chunk.id for hit in hits}


class Stage(Protocol):
    """One step of retrieval: candidates in, candidates out, with a `detail` of what it did."""

    @property
    @abstractmethod
    def name(self) -> StageName:
        """The stage's name in a trace."""
        ...

    @abstractmethod
    def __call__(self, candidates: Candidates) -> Candidates:
        """The candidates after this stage."""
        ...


# The request of a query.

MAX_CONTEXT = 100
"""The maximum number of neighbours on each side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRequest:
    """A question and its options; None means the project's retrieval policy.

    `filters` select the chunks; reference lists are excluded unless `kinds` includes them or the
    text quotes one. `context` is the number of neighbours on each side; `explain` adds each
    passage's rank in the dense and the sparse search; stages in `without` are switched off. Each of
    `words` stands in a passage as a whole word.
    Raises `InvalidFilter` for an empty, impossible or out-of-range value.
    """

    text: str
    filters: Filters = field(default_factory=Filters)
    mode: Mode | None = None
    top_k: int | None = None
    min_score: float | None = None
    by_document: bool = False
    context: int = 0
    explain: bool = False
    full_text: bool = False
    without: frozenset[StageName] = frozenset()
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_text("question", self.text)
        for word in self.words:
            check_text("word", word)
        if self.top_k is not None:
            _check_within("number of passages", self.top_k, 1, MAX_TOP_K)
        _check_within("number of neighbours", self.context, 0, MAX_CONTEXT)
        if self.min_score is not None and not isfinite(self.min_score):
            raise InvalidFilter(
                f"the least score must be a number, not {self.min_score}",
                "Leave it out to see every passage with its score.",
            )
        if self.without & ESSENTIAL:
            names = ", ".join(sorted(stage.value for stage in self.without & ESSENTIAL))
            raise InvalidFilter(
                f"there is no answer without the stages {names}", "Leave out others only."
            )


def _check_within(what: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InvalidFilter(
            f"the {what} must lie in {least}..{most}, not {value}",
            "Give one of these, or leave it out.",
        )
