"""Explanations of a passage's rank, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from citeloom.application.retrieval.candidates import Candidates
from citeloom.application.retrieval.coverage import NO_WORDS, WeighedWords
from citeloom.application.retrieval.search import Search
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.feedback import matched_terms
from citeloom.domain.retrieval.passage import Hit, IndexQuery, Ranked

Ranks = Mapping[str, Ranked]
"""The ranks of chunks in one side of the search, by chunk id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Explains the passages of one answer: `dense` and `sparse` are the ranks in either side."""

    candidates: Candidates
    dense: Ranks
    sparse: Ranks
    words: Callable[[], WeighedWords] | None

    def __call__(self, hit: Hit) -> tuple[str, ...]:
        """The reasons for the place of a hit, the most telling first."""
        return tuple(self._reasons(hit))

    def _reasons(self, hit: Hit) -> Iterator[str]:
        chunk_id = hit.stored.chunk.id
        if chunk_id in self.candidates.quoted:
            yield "has the question word for word, and such passages come first"
        yield f"in the whole search {self._sides(chunk_id)}"
        yield from self._place(chunk_id)
        yield from self._matched_words(hit)
        yield from self._rare_words(chunk_id)
        yield from self._reranked(chunk_id)
        yield from self._turn(chunk_id)
        if chunk_id in self.candidates.feedback:
            count = len(self.candidates.feedback)
            yield f"one of the {count} passages the question was expanded by"

    def _sides(self, chunk_id: str) -> str:
        sides = (("by meaning", self.dense), ("by words", self.sparse))
        ranked = [(how, ranks.get(chunk_id)) for how, ranks in sides]
        return ", ".join(
            f"{ordinal(rank.rank)} {how} ({rank.score:.3f})" if rank else f"not found {how}"
            for how, rank in ranked
        )

    def _place(self, chunk_id: str) -> Iterator[str]:
        placing = self.candidates.placings.get(chunk_id)
        if placing is None:
            return
        if placing.of == 1:
            yield "the only passage found of its work"
            return
        words = f"{ordinal(placing.by_words)} by words" if placing.by_words else "without its words"
        yield (
            f"among the {placing.of} passages found of its work "
            f"{ordinal(placing.by_meaning)} by meaning, {words}"
        )

    def _matched_words(self, hit: Hit) -> Iterator[str]:
        vector = next(
            (
                candidate.sparse
                for candidate in self.candidates.pool
                if candidate.stored is hit.stored
            ),
            None,
        )
        if vector is None or self.words is None:
            return
        matched = matched_terms(vector, self.words().term_weights)
        own = self._named(matched.own.keys())
        opening = [word for word in self._named(matched.opening) if word not in own]
        if own:
            yield f"has {_quoted(own)}"
        if opening:
            yield f"its work's opening has {_quoted(opening)}"

    def _rare_words(self, chunk_id: str) -> Iterator[str]:
        for word, holders in self.candidates.rare.items():
            if chunk_id in {hit.stored.chunk.id for hit in holders}:
                others = len(holders) - 1
                which = "no other passage has" if not others else f"{others} more have"
                yield f"has '{word}', which {which}: such a word keeps a place"

    def _named(self, indices: AbstractSet[int]) -> list[str]:
        """The question's words whose terms are held."""
        words = self.words() if self.words else NO_WORDS
        return [word for word in words.forms if words.has(indices, word)]

    def _reranked(self, chunk_id: str) -> Iterator[str]:
        done = self.candidates.reranked
        ranked = done.ranks.get(chunk_id) if done else None
        if done and ranked:
            before = ordinal(done.before.index(chunk_id) + 1)
            yield (
                f"{ordinal(ranked.rank)} of {done.passages} by {done.by} ({ranked.score:.3f}), "
                f"{before} before"
            )

    def _turn(self, chunk_id: str) -> Iterator[str]:
        before, after = _rank(self.candidates.pool, chunk_id), _rank(self.candidates.hits, chunk_id)
        if before is None or after is None or before == after:
            return
        yield f"{ordinal(before)} before the pages took turns and repeated texts were folded"


def ranks(query: IndexQuery, search: Search, mode: Mode) -> dict[str, Ranked]:
    """The ranks of chunks in one side alone, up to the query's number of candidates."""
    vector = query.dense if mode is Mode.DENSE else query.sparse
    if vector is None:
        return {}
    matches = search.match(_ranking(query, mode))
    return {
        match.chunk_id: Ranked(rank=rank, score=match.score)
        for rank, match in enumerate(matches, start=1)
    }


def rankings(query: IndexQuery) -> list[IndexQuery]:
    """The searches for the ranks in the sides of a query."""
    sides = ((Mode.DENSE, query.dense), (Mode.SPARSE, query.sparse))
    return [_ranking(query, mode) for mode, vector in sides if vector is not None]


def _ranking(query: IndexQuery, mode: Mode) -> IndexQuery:
    return replace(query, mode=mode, limit=query.candidates, with_vectors=False)


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`, `11th`, `21st`."""
    teen = number % 100 in range(11, 14)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _rank(hits: Sequence[Hit], chunk_id: str) -> int | None:
    ids = [hit.stored.chunk.id for hit in hits]
    return ids.index(chunk_id) + 1 if chunk_id in ids else None


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
