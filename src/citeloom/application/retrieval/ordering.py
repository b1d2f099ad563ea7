"""The stages that put candidates in order and choose among them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from citeloom.application.ports.embedders import Reranker
from citeloom.application.ports.runtime import Clock
from citeloom.application.retrieval.candidates import (
    Candidates,
    Reranked,
    StageName,
    _all,
    is_told_by_letters,
)
from citeloom.application.retrieval.coverage import FEW, WeighedWords
from citeloom.domain.documents.text import holds_word
from citeloom.domain.errors import CiteloomError, ModelUnavailable
from citeloom.domain.retrieval.feedback import place_hits
from citeloom.domain.retrieval.passage import DenseVector, Hit, Ranked
from citeloom.domain.retrieval.ranking import (
    diversify_by_page,
    diversify_by_work,
    fold_duplicates,
    work_of,
)
from citeloom.domain.retrieval.words import PASSAGES_READ


@dataclass(frozen=True, slots=True, kw_only=True)
class WithinDocumentRerank:
    """Puts the hits of each work in the order of their places; quotations stay first.

    `question` is the dense vector of the question as asked, `weights` gives those of its terms.
    """

    question: DenseVector
    weights: Callable[[], Mapping[int, float]]
    name: ClassVar[StageName] = StageName.PLACES

    def __call__(self, candidates: Candidates) -> Candidates:
        first, rest = candidates.quoted_and_rest()
        placed, placings = place_hits(rest, self.question, self.weights())
        hits = (*first, *placed)
        return replace(
            candidates, hits=hits, placings=placings, pool=hits, detail=_moved(candidates, hits)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Weighs words against meaning by the coverage of the question's words; quotations stay first.

    A passage that has at least `whole` of the words' weight comes first. Where the first six
    together have less than `little`, that nearest by meaning is among the first two.
    """

    question: DenseVector
    words: Callable[[], WeighedWords]
    whole: float = 0.8
    little: float = 0.35
    name: ClassVar[StageName] = StageName.COVERAGE

    def __call__(self, candidates: Candidates) -> Candidates:
        first, rest = candidates.quoted_and_rest()
        words = self.words()
        if not rest or not words.weights:
            return replace(candidates, detail="no words that carry content")
        together = words.coverage_of(rest[:PASSAGES_READ])
        leaders, why = self._leaders(_all(rest, candidates.unexpanded), words, together)
        hits = (*first, *_all(leaders, rest))
        return replace(
            candidates,
            hits=hits,
            pool=hits,
            detail=f"{together:.0%} of the question's words in the first passages: {why}",
        )

    def _leaders(
        self, hits: Sequence[Hit], words: WeighedWords, together: float
    ) -> tuple[list[Hit], str]:
        """The hits that come first, and why."""
        shares = [words.coverage_of([hit]) for hit in hits]
        most = max(shares)
        if most >= self.whole:
            if shares[0] >= most:
                return [hits[0]], "the first has most of them"
            fullest = [hit for hit, share in zip(hits, shares) if share >= most]
            leader = max(fullest, key=words.match)
            return [leader], f"first comes a passage with {most:.0%} of them"
        if together < self.little:
            nearest = max(hits, key=self._similarity)
            return _all(hits[:1], [nearest]), "the nearest by meaning is among the first two"
        return [hits[0]], "the order stays"

    def _similarity(self, hit: Hit) -> float:
        return sum(a * b for a, b in zip(self.question, hit.dense or ()))


# A reranker.


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
    """Puts the first hits in the order of a reranker; quotations stay first.

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
        try:
            ranks = self._ranks(candidates.text, head)
        except ModelUnavailable as error:
            return self._unchanged(candidates, self._done(head, started, {}), error)
        ordered = sorted(head, key=lambda hit: ranks[hit.stored.chunk.id].rank)
        hits = (*first, *ordered, *tail)
        done = self._done(head, started, ranks)
        return replace(
            candidates,
            hits=hits,
            pool=hits if candidates.pool else (),
            reranked=done,
            detail=f"the first {len(head)} by {done.by}, in {done.duration_ms:.0f} ms",
        )

    def _ranks(self, question: str, hits: Sequence[Hit]) -> dict[str, Ranked]:
        """The rank of each hit by its chunk id; equal scores in the order of the hits."""
        scores = self.reranking.score(question, [hit.stored.chunk.embedding_text for hit in hits])
        ordered = sorted(zip(scores, hits, strict=True), key=lambda pair: -pair[0])
        return {
            hit.stored.chunk.id: Ranked(rank=rank, score=score)
            for rank, (score, hit) in enumerate(ordered, start=1)
        }

    def _done(self, hits: Sequence[Hit], started: float, ranks: Mapping[str, Ranked]) -> Reranked:
        reranker = self.reranking.reranker
        return Reranked(
            by=reranker.model_id,
            passages=len(hits),
            sent_to=reranker.destination,
            duration_ms=round((self.clock.monotonic() - started) * 1000, 1),
            ranks=ranks,
            before=tuple(hit.stored.chunk.id for hit in hits),
        )

    def _unchanged(
        self, candidates: Candidates, failed: Reranked, error: ModelUnavailable
    ) -> Candidates:
        note = f"not reranked, the order is that of the search: {error.message}"
        if error.hint:
            note = f"{note}. {error.hint}"
        return replace(
            candidates,
            reranked=failed,
            notes=(*candidates.notes, note),
            detail=f"{failed.by} failed, the order stays",
        )


class _Call(threading.Thread):
    """A call of a reranker, which may outlast the time there is for it."""

    def __init__(self, reranking: Reranking, question: str, texts: Sequence[str]) -> None:
        super().__init__(name="reranking", daemon=True)
        self._reranking = reranking
        self._request = question, texts
        self._outcome: list[float] | CiteloomError | None = None

    def run(self) -> None:
        """Keep the scores, or what went wrong."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversify:
    """Puts the best hit of each page before the second best of any; quotations stay first."""

    name: ClassVar[StageName] = StageName.DIVERSIFY

    def __call__(self, candidates: Candidates) -> Candidates:
        first, rest = candidates.quoted_and_rest()
        hits = (*first, *diversify_by_page(rest))
        return replace(candidates, hits=hits, detail=_moved(candidates, hits))


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
class Fold:
    """Folds hits with nearly the same text under the best of them."""

    name: ClassVar[StageName] = StageName.FOLD

    def __call__(self, candidates: Candidates) -> Candidates:
        hits, folded = fold_duplicates(candidates.hits)
        count = sum(map(len, folded.values()))
        detail = f"{count} of nearly the same text as a better one"
        return replace(candidates, hits=tuple(hits), folded=folded, detail=detail)


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
class Works:
    """Puts the first hit of another work before the third of one, where both fit alike; quotations
    stay first, and so does the order of a reranker.
    """

    name: ClassVar[StageName] = StageName.WORKS

    def __call__(self, candidates: Candidates) -> Candidates:
        if candidates.reranked is not None and candidates.reranked.done:
            return replace(candidates, detail="the reranker's order stays")
        first, rest = candidates.quoted_and_rest()
        hits = (*first, *diversify_by_work(rest))
        return replace(candidates, hits=hits, detail=_moved(candidates, hits))


# The places that passages with rare words are given.


_MUCH = 0.2
"""The share of a question's weight that an ordinary rare word must have to be given a place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RareWords:
    """Gives passages that have rare words of the question a place; quotations stay first.

    Of a question with at most `short` words that carry content, a passage that has a rare one and
    the most weight of all comes first; the order of a reranker stays. Where the first six passages
    lack a rare word that tells something, one that has it is the last of them, if as many are
    shown.
    """

    words: Callable[[], WeighedWords]
    top_k: int
    short: int = 3
    name: ClassVar[StageName] = StageName.RARE

    def __call__(self, candidates: Candidates) -> Candidates:
        if not candidates.rare:
            return replace(candidates, detail="no word that only a few passages have")
        first, rest = candidates.quoted_and_rest()
        carried = _Carried.of(candidates, self.words())
        reranked = candidates.reranked is not None and candidates.reranked.done
        may_lead = not reranked and len(carried.weights) <= self.short
        leader = self._leader(rest, carried) if may_lead else None
        if leader is not None:
            rest = [leader, *(hit for hit in rest if hit is not leader)]
        before = [*first, *rest]
        hits = self._with_place(before, carried)
        done = "a passage with it comes first" if leader else "the first stays"
        if hits != before:
            done += f", and one has place {PASSAGES_READ}"
        names = ", ".join(f"'{word}'" for word in candidates.rare)
        return replace(
            candidates, hits=tuple(hits), detail=f"{names} in {FEW} passages or fewer: {done}"
        )

    def _leader(self, hits: Sequence[Hit], carried: _Carried) -> Hit | None:
        """The hit that comes first, if it is another than the first."""
        holders = [hit for hit in hits if carried.rare_words(hit)]
        if not holders:
            return None
        best = max(holders, key=carried.share)
        return best if carried.share(best) > carried.share(hits[0]) else None

    def _with_place(self, hits: list[Hit], carried: _Carried) -> list[Hit]:
        """The hits, one of which has the last place of the first six if those lack a rare word."""
        last = PASSAGES_READ - 1
        known = frozenset().union(*map(carried.rare_words, hits[: last + 1]))
        lacked = carried.telling_words() - known
        lacking = [hit for hit in hits[last + 1 :] if carried.rare_words(hit) & lacked]
        if self.top_k <= last or not lacking:
            return hits
        placed = max(lacking, key=carried.share)
        return [*hits[:last], placed, *(hit for hit in hits[last:] if hit is not placed)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Carried:
    """How much of the weight of a question's words passages have: of a rare word its holders alone,
    and it weighs as much as any other of them.
    """

    words: WeighedWords
    holders: Mapping[str, frozenset[str]]
    weights: Mapping[str, float]

    @classmethod
    def of(cls, candidates: Candidates, words: WeighedWords) -> _Carried:
        holders = {
            word: frozenset(hit.stored.chunk.id for hit in hits)
            for word, hits in candidates.rare.items()
        }
        most = max(words.weights.values())
        weights = {**words.weights, **dict.fromkeys(holders, most)}
        return cls(words=words, holders=holders, weights=weights)

    def rare_words(self, hit: Hit) -> frozenset[str]:
        """The rare words that a hit has."""
        chunk_id = hit.stored.chunk.id
        return frozenset(word for word, ids in self.holders.items() if chunk_id in ids)

    def telling_words(self) -> frozenset[str]:
        """The rare words that are names, numbers or compounds, or have much of the weight."""
        least = _MUCH * sum(self.weights.values())
        return frozenset(
            w for w in self.holders if is_told_by_letters(w) or self.weights[w] >= least
        )

    def share(self, hit: Hit) -> float:
        """The share of the words' weight that a hit has in its own text."""
        own, rare = self.words.own_terms(hit), self.rare_words(hit)
        has = (
            word
            for word in self.words.forms
            if word in rare or (word not in self.holders and self.words.has(own, word))
        )
        total = sum(self.weights.values())
        return sum(self.weights[word] for word in has) / total if total else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Keeps the best hit of each document."""

    name: ClassVar[StageName] = StageName.GROUP

    def __call__(self, candidates: Candidates) -> Candidates:
        best: dict[str, Hit] = {}
        for hit in candidates.hits:
            best.setdefault(hit.stored.chunk.doc_id, hit)
        return replace(candidates, hits=tuple(best.values()), detail="the best of each document")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Keeps the first `top_k` hits."""

    top_k: int
    name: ClassVar[StageName] = StageName.LIMIT

    def __call__(self, candidates: Candidates) -> Candidates:
        hits, works = (
            candidates.hits[: self.top_k],
            len({work_of(hit.stored) for hit in candidates.hits}),
        )
        return replace(candidates, hits=hits, works=works, detail=f"the first {self.top_k}")


def _moved(candidates: Candidates, hits: Sequence[Hit]) -> str:
    moved = sum(before is not after for before, after in zip(candidates.hits, hits))
    return f"{moved} in another place"
