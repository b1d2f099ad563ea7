"""Rankings: fusion, diversification by page, folding of duplicates, and the weights of terms."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from statistics import fmean, stdev

from citeloom.domain.answers.untrusted import addresses_a_model
from citeloom.domain.documents.text import words_of
from citeloom.domain.retrieval.passage import Hit, SparseVector, StoredChunk

# Fusion of a dense and a sparse ranking: pure functions over scored ids.

Scored = tuple[str, float]
"""A chunk's id and its score on one side; a side lists them best first."""


class FusionMethod(StrEnum):
    """How the scores of the two sides are normalised."""

    RRF = "rrf"
    MIN_MAX = "minmax"
    DBSF = "dbsf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """A weighted fusion of two rankings, by ranks (with constant `k`) or by scores."""

    method: FusionMethod = FusionMethod.RRF
    """By ranks or by scores."""
    k: int = 60
    """The constant of a fusion by ranks."""
    dense_weight: float = 1.0
    """Of the dense side."""
    sparse_weight: float = 1.0
    """Of the sparse side."""

    def __str__(self) -> str:
        """The fusion in a few words: `rrf k=60`, `minmax dense 2 : sparse 1`."""
        name = f"rrf k={self.k}" if self.method is FusionMethod.RRF else self.method.value
        if self.dense_weight == self.sparse_weight:
            return name
        return f"{name} dense {self.dense_weight:g} : sparse {self.sparse_weight:g}"

    def merge(self, dense: Sequence[Scored], sparse: Sequence[Scored]) -> list[Scored]:
        """The ids of both sides with fused scores, best first, ties by id.

        An id that a side does not list scores 0 there.
        """
        fused: dict[str, float] = {}
        for side, weight in ((dense, self.dense_weight), (sparse, self.sparse_weight)):
            for name, part in self._parts(side).items():
                fused[name] = fused.get(name, 0.0) + weight * part
        return sorted(fused.items(), key=lambda scored: (-scored[1], scored[0]))

    def _parts(self, side: Sequence[Scored]) -> Mapping[str, float]:
        if self.method is FusionMethod.RRF:
            return reciprocal_ranks(side, self.k)
        return min_max(side) if self.method is FusionMethod.MIN_MAX else distribution_based(side)


def reciprocal_ranks(side: Sequence[Scored], k: int) -> dict[str, float]:
    """1 / (k + rank) with ranks from 1 (Cormack, Clarke and Büttcher 2009)."""
    return {name: 1 / (k + rank) for rank, (name, _) in enumerate(side, start=1)}


def min_max(side: Sequence[Scored]) -> dict[str, float]:
    """Scores scaled to 0..1; all 1 if they are equal."""
    if not side:
        return {}
    scores = [score for _, score in side]
    least, most = min(scores), max(scores)
    spread = most - least
    return {name: (score - least) / spread if spread else 1.0 for name, score in side}


def distribution_based(side: Sequence[Scored]) -> dict[str, float]:
    """Scores scaled so that three standard deviations around the mean are 0..1 (Mazzeschi 2023);
    all 0.5 if they are equal.
    """
    if not side:
        return {}
    scores = [score for _, score in side]
    mean, deviation = fmean(scores), stdev(scores) if len(scores) > 1 else 0.0
    if not deviation:
        return {name: 0.5 for name, _ in side}
    placed = {name: 0.5 + (score - mean) / (6 * deviation) for name, score in side}
    return {name: min(max(value, 0.0), 1.0) for name, value in placed.items()}


# Diversifying hits, so that those of one page, or of one work, do not crowd out the others.

_OF_ONE_WORK = 2
"""How many passages of a work come before another work that fits alike."""
_ALIKE = 0.95
"""The share of a passage's score from which a passage of another work fits alike."""
_COMPARED = 10
"""How many of the first hits are compared, so that no passage leaves the first ten."""


def diversify_by_work(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, where the third and each further one of a work gives way to the first of another
    work that has at least 0.95 of its score; only the first ten change places.
    """
    waiting, rest = list(hits[:_COMPARED]), hits[_COMPARED:]
    placed: list[Hit] = []
    taken: Counter[str] = Counter()
    while waiting:
        following = waiting[0]
        if taken[work_of(following.stored)] >= _OF_ONE_WORK:
            firsts: dict[str, Hit] = {}
            for hit in waiting:
                firsts.setdefault(work_of(hit.stored), hit)
            others = (hit for work, hit in firsts.items() if not taken[work])
            alike = (hit for hit in others if hit.score >= _ALIKE * following.score)
            following = next(alike, following)
        waiting.remove(following)
        placed.append(following)
        taken[work_of(following.stored)] += 1
    return [*placed, *rest]


def work_of(stored: StoredChunk) -> str:
    """What a chunk's work is known by: its citekey, or else its document's id."""
    return stored.citation.citekey if stored.citation else stored.chunk.doc_id


def diversify_by_page(hits: Sequence[Hit]) -> list[Hit]:
    """The best hit of each page before the second best of any, in their order otherwise.

    A hit counts for the page it begins on; one without pages for itself.
    """
    seen: dict[Hashable, int] = {}
    turns: list[int] = []
    for hit in hits:
        page = _page(hit)
        turns.append(seen.get(page, 0))
        seen[page] = turns[-1] + 1
    return [hit for _, hit in sorted(zip(turns, hits), key=lambda pair: pair[0])]


def _page(hit: Hit) -> Hashable:
    chunk = hit.stored.chunk
    return (chunk.doc_id, chunk.page_span[0]) if chunk.page_span else chunk.id


# Showing a text once that several documents hold, word for word or nearly so.

_RUN = 4
_NEARLY = 0.8
"""The share of a text's runs of four words that another must have to be nearly the same."""
_LEAST_RUNS = 12


def fold_duplicates(hits: Sequence[Hit]) -> tuple[list[Hit], Mapping[str, tuple[Hit, ...]]]:
    """The hits without those whose text a better one of another document has, or nearly has, and
    those left out by the id of the chunk they are folded under.

    Only letters and digits count. What a reader marked or noted is never folded. A text that gives
    orders to a language model does not hide one that gives none, which takes its place.
    """
    remaining: list[_Text] = []
    folded: dict[str, tuple[Hit, ...]] = {}
    for text in map(_Text, hits):
        at = next((n for n, better in enumerate(remaining) if better.stands_for(text)), None)
        if at is None:
            remaining.append(text)
            continue
        first, second = remaining[at], text
        if first.gives_orders and not second.gives_orders:
            first, second = second, first
            first.replaces(second)
        remaining[at] = first
        others = folded.pop(second.hit.stored.chunk.id, ())
        chunk_id = first.hit.stored.chunk.id
        folded[chunk_id] = (*folded.get(chunk_id, ()), second.hit, *others)
    return [text.hit for text in remaining], folded


class _Text:
    """A hit by its words; their runs are made when they are first compared."""

    def __init__(self, hit: Hit) -> None:
        chunk = hit.stored.chunk
        self.hit = hit
        self._of = (chunk.kind, chunk.doc_id)
        self._in_order = [] if chunk.mark else words_of(chunk.text)
        self._words = frozenset(self._in_order)
        self._letters = "".join(self._in_order)
        self._replaced: tuple[_Text, ...] = ()

    def has(self, other: _Text) -> bool:
        """Whether this is of another document and has the other's text, or nearly all of it."""
        (kind, doc_id), (other_kind, other_doc_id) = self._of, other._of
        if kind is not other_kind or doc_id == other_doc_id or not other._letters:
            return False
        return self._letters == other._letters or self._nearly_has(other)

    def _nearly_has(self, other: _Text) -> bool:
        runs = len(other._in_order) - _RUN + 1
        if runs < _LEAST_RUNS or len(other._words - self._words) >= runs * (1 - _NEARLY) + _RUN:
            return False
        return len(self._runs & other._runs) >= _NEARLY * len(other._runs)

    def replaces(self, other: _Text) -> None:
        """Stand for whatever another stood for."""
        self._replaced = (*other._replaced, other)

    def stands_for(self, other: _Text) -> bool:
        """Whether this, or one that it replaces, has the other's text or nearly all of it."""
        return any(one.has(other) for one in (self, *self._replaced))

    @cached_property
    def gives_orders(self) -> bool:
        """Whether the text gives orders to a language model."""
        return addresses_a_model(self.hit.stored.chunk.text)

    @cached_property
    def _runs(self) -> frozenset[tuple[str, ...]]:
        return frozenset(zip(*(self._in_order[start:] for start in range(_RUN))))


# How much each term of a sparse query counts, for stores that do not know how rare terms are.


@dataclass(frozen=True, slots=True, kw_only=True)
class TermStatistics:
    """How many chunks there are, and how many of them have each term."""

    chunks: int
    having: Mapping[int, int]

    @classmethod
    def of(cls, vectors: Iterable[SparseVector]) -> TermStatistics:
        """The statistics of chunks with these vectors."""
        chunks, having = 0, Counter[int]()
        for vector in vectors:
            chunks += 1
            having.update(vector.indices)
        return cls(chunks=chunks, having=having)

    def weigh(self, query: SparseVector) -> SparseVector:
        """The query with each term's value times its inverse document frequency."""
        values = (
            value * inverse_document_frequency(self.chunks, self.having.get(index, 0))
            for index, value in zip(query.indices, query.values)
        )
        return replace(query, values=tuple(values))


def inverse_document_frequency(chunks: int, having: int) -> float:
    """ln(1 + (chunks - having + 0.5) / (having + 0.5)), never negative (Robertson and Zaragoza
    2009, with 1 added as in Lucene).
    """
    return math.log(1 + (chunks - having + 0.5) / (having + 0.5))
