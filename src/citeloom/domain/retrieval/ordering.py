"""How candidates are put in order: fusion of both sides, and the stages that order and choose."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from operator import mul
from statistics import fmean, stdev
from typing import ClassVar

from citeloom.domain.answers.untrusted import addresses_a_model
from citeloom.domain.retrieval.candidates import Candidates, Placing, StageName
from citeloom.domain.retrieval.coverage import WeighedWords
from citeloom.domain.retrieval.passage import DenseVector, Hit, work_of
from citeloom.domain.retrieval.sparse import matched_terms
from citeloom.domain.text.normal_form import words_of
from citeloom.domain.text.verbatim import holds_word

# Fusion of the ranking by meaning and the ranking by words into one.

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
            if self.method is FusionMethod.RRF:
                parts = reciprocal_ranks(side, self.k)
            else:
                by_score = self.method is FusionMethod.MIN_MAX
                parts = min_max(side) if by_score else distribution_based(side)
            for name, part in parts.items():
                fused[name] = fused.get(name, 0.0) + weight * part
        return sorted(fused.items(), key=lambda scored: (-scored[1], scored[0]))


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


# Work, then place.


@dataclass(frozen=True, slots=True, kw_only=True)
class WithinDocumentRerank:
    """Puts the hits of each work in an order of their own, on the places that the work has;
    quotations stay first.

    The fused list tells which work answers, but leans to the work's first page, where its subject
    is named; what the hits themselves say tells which page (ADR 31). `question` is the dense vector
    of the question as asked, `words` gives its words.
    """

    question: DenseVector
    words: Callable[[], WeighedWords]
    name: ClassVar[StageName] = StageName.PLACES

    def __call__(self, candidates: Candidates) -> Candidates:
        first, rest = candidates.quoted_and_rest()
        placed, placings = place_hits(rest, self.question, self.words().term_weights)
        hits = (*first, *placed)
        return replace(
            candidates, hits=hits, placings=placings, pool=hits, detail=_moved(candidates, hits)
        )


_K = 10
"""The constant of the fusion within a work; 3 to 40 differ by no more than chance (ADR 35)."""
_OPENING_SHARE = 0.3
"""How much a word of the question counts in a chunk of a work that has it in its opening."""


def place_hits(
    hits: Sequence[Hit], question: DenseVector, weights: Mapping[int, float]
) -> tuple[list[Hit], Mapping[str, Placing]]:
    """The hits with those of each work reordered among the places that the work has, and the
    placing of each by its chunk id.

    Within a work its hits are ordered by reciprocal rank fusion, the sum of 1 / (10 + rank), of
    their cosine and of the BM25 sum of the question's words, in which a word of the work's opening
    counts 0.3. Hits have their vectors; `weights` are those of the question's terms.
    """
    works: dict[str, list[Hit]] = {}
    for hit in hits:
        works.setdefault(hit.stored.chunk.doc_id, []).append(hit)
    placings: dict[str, Placing] = {}
    ordered: dict[str, Iterator[Hit]] = {}

    def score(hit: Hit) -> float:
        placing = placings[hit.stored.chunk.id]
        ranks = (placing.by_meaning, placing.by_words)
        return sum(1 / (_K + rank) for rank in ranks if rank is not None)

    for doc_id, work in works.items():
        cosines = {hit.stored.chunk.id: _cosine(question, hit.dense or ()) for hit in work}
        terms = {hit.stored.chunk.id: _terms_score(hit, weights) for hit in work}
        by_words = _ranks({chunk_id: value for chunk_id, value in terms.items() if value > 0})
        placings |= {
            chunk_id: Placing(of=len(work), by_meaning=rank, by_words=by_words.get(chunk_id))
            for chunk_id, rank in _ranks(cosines).items()
        }
        ordered[doc_id] = iter(sorted(work, key=score, reverse=True))
    return [next(ordered[hit.stored.chunk.doc_id]) for hit in hits], placings


def _ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """The rank of each chunk by its id, from 1, ties by id."""
    ordered = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
    return {chunk_id: rank for rank, chunk_id in enumerate(ordered, start=1)}


def _terms_score(hit: Hit, weights: Mapping[int, float]) -> float:
    if hit.sparse is None:
        return 0.0
    matched = matched_terms(hit.sparse, weights)
    return sum(
        weights[index] * value * (_OPENING_SHARE if index in matched.opening else 1.0)
        for index, value in matched.own.items()
    )


def _cosine(first: DenseVector, second: DenseVector) -> float:
    """The cosine of two vectors; 0 where one is missing or has no length."""
    lengths = math.hypot(*first) * math.hypot(*second)
    return sum(map(mul, first, second)) / lengths if lengths else 0.0


# Pages and works in turn.


@dataclass(frozen=True, slots=True, kw_only=True)
class DiversifyByPage:
    """Puts the best hit of each page before the second best of any; quotations stay first.

    Else the hits of one page crowd out the others: with the pages as they come, MRR falls by .02
    (ADR 8, ADR 35).
    """

    name: ClassVar[StageName] = StageName.DIVERSIFY

    def __call__(self, candidates: Candidates) -> Candidates:
        first, rest = candidates.quoted_and_rest()
        hits = (*first, *diversify_by_page(rest))
        return replace(candidates, hits=hits, detail=_moved(candidates, hits))


def diversify_by_page(hits: Sequence[Hit]) -> list[Hit]:
    """The best hit of each page before the second best of any, in their order otherwise.

    A hit counts for the page it begins on; one without pages for itself.
    """
    seen: dict[Hashable, int] = {}
    turns: list[int] = []
    for hit in hits:
        chunk = hit.stored.chunk
        page = (chunk.doc_id, chunk.page_span[0]) if chunk.page_span else chunk.id
        turns.append(seen.get(page, 0))
        seen[page] = turns[-1] + 1
    return [hit for _, hit in sorted(zip(turns, hits), key=lambda pair: pair[0])]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiversifyByWork:
    """Puts the first hit of another work before the third of one, where both fit alike, since a
    reader wants to know that there is another; quotations stay first, and so does the order of a
    reranker.
    """

    name: ClassVar[StageName] = StageName.WORKS

    def __call__(self, candidates: Candidates) -> Candidates:
        if candidates.reranked is not None and candidates.reranked.done:
            return replace(candidates, detail="the reranker's order stays")
        first, rest = candidates.quoted_and_rest()
        hits = (*first, *diversify_by_work(rest))
        return replace(candidates, hits=hits, detail=_moved(candidates, hits))


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


# A text that several documents have is shown once.


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Folds hits with nearly the same text under the best of them: a preprint and its article, or
    a paragraph that its author used twice, are one answer (ADR 20, ADR 31).
    """

    name: ClassVar[StageName] = StageName.FOLD

    def __call__(self, candidates: Candidates) -> Candidates:
        hits, folded = fold_duplicates(candidates.hits)
        count = sum(map(len, folded.values()))
        detail = f"{count} of nearly the same text as a better one"
        return replace(candidates, hits=tuple(hits), folded=folded, detail=detail)


_RUN = 4
"""Words in a row that two texts are compared by."""
_NEARLY = 0.8
"""The share of a text's runs of four words that another must have to be nearly the same."""
_LEAST_RUNS = 12
"""Texts with fewer runs are the same only where all their letters are."""


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
        if self._letters == other._letters:
            return True
        runs = len(other._in_order) - _RUN + 1
        if runs < _LEAST_RUNS or len(other._words - self._words) >= runs * (1 - _NEARLY) + _RUN:
            return False
        return len(self._runs & other._runs) >= _NEARLY * len(other._runs)

    def replaces(self, other: _Text) -> None:
        self._replaced = (*other._replaced, other)

    def stands_for(self, other: _Text) -> bool:
        """Whether this, or one that it replaces, has the other's text or nearly all of it."""
        return any(text.has(other) for text in (self, *self._replaced))

    @cached_property
    def gives_orders(self) -> bool:
        return addresses_a_model(self.hit.stored.chunk.text)

    @cached_property
    def _runs(self) -> frozenset[tuple[str, ...]]:
        return frozenset(zip(*(self._in_order[start:] for start in range(_RUN))))


# What is left out.


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeWords:
    """Keeps the hits that have each of the required words as a whole word."""

    required: tuple[str, ...]
    name: ClassVar[StageName] = StageName.WORDS

    def __call__(self, candidates: Candidates) -> Candidates:
        hits = tuple(
            hit
            for hit in candidates.hits
            if all(holds_word(hit.stored.chunk.text, word) for word in self.required)
        )
        named = ", ".join(f"'{word}'" for word in self.required)
        done = replace(candidates, hits=hits, detail=f"{len(hits)} have {named}")
        if hits:
            return done
        note = f"no passage found has {named} as a whole word; see citeloom find"
        return replace(done, notes=(*candidates.notes, note))


@dataclass(frozen=True, slots=True, kw_only=True)
class MinScore:
    """Removes hits with a score below `least`, with a note if none is left."""

    least: float
    name: ClassVar[StageName] = StageName.FLOOR

    def __call__(self, candidates: Candidates) -> Candidates:
        hits = tuple(hit for hit in candidates.hits if hit.score >= self.least)
        done = replace(candidates, hits=hits, detail=f"scores of at least {self.least:g}")
        if hits or not candidates.hits:
            return done
        best = max(hit.score for hit in candidates.hits)
        count = len(candidates.hits)
        every = "the only passage" if count == 1 else f"all {count} passages"
        note = f"the floor of {self.least:g} removed {every}; the best had {best:.4f}"
        return replace(done, notes=(*candidates.notes, note))


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    name: ClassVar[StageName] = StageName.GROUP

    def __call__(self, candidates: Candidates) -> Candidates:
        best: dict[str, Hit] = {}
        for hit in candidates.hits:
            best.setdefault(hit.stored.chunk.doc_id, hit)
        return replace(candidates, hits=tuple(best.values()), detail="the best of each document")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    top_k: int
    name: ClassVar[StageName] = StageName.LIMIT

    def __call__(self, candidates: Candidates) -> Candidates:
        hits, works = candidates.hits[: self.top_k], {work_of(h.stored) for h in candidates.hits}
        return replace(candidates, hits=hits, works=len(works), detail=f"the first {self.top_k}")


def _moved(candidates: Candidates, hits: Sequence[Hit]) -> str:
    moved = sum(before is not after for before, after in zip(candidates.hits, hits))
    return f"{moved} in another place"
