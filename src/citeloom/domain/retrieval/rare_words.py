"""The rule about rare words: they are searched for by themselves, and keep a place."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.candidates import Candidates, StageName
from citeloom.domain.retrieval.coverage import WeighedWords
from citeloom.domain.retrieval.passage import Hit, IndexQuery, SparseVector
from citeloom.domain.retrieval.sparse import in_either_field
from citeloom.domain.retrieval.words import PASSAGES_READ
from citeloom.domain.text.verbatim import holds_word

FEW = 3
"""A word is rare that no more chunks have, and of a small library no more than one in twenty."""
RARE_WEIGHT = 3.0
"""About the weight of a word that one chunk in twenty has: ln(20)."""

SHORT = 3
"""A question is short that has no more words that carry content."""

_MOST_WRITTEN = 2
_NAME_DEPTH = 12
"""How many passages are looked through for a name as it is written."""
_FORM_DEPTH = 300
"""How many are looked through for the form of an ordinary word in a short question: with 100, the
forms of stems that a tenth of 84 papers' passages have were missed (0 of 30 first, with 300 all).
"""
_PLAIN = re.compile(r"[^\W\d_]+")
RareWordQueries = Mapping[str, IndexQuery]
"""The search for the passages that have a word, by the word."""


def rare_word_queries(query: IndexQuery, words: WeighedWords) -> RareWordQueries:
    """The searches for passages with words that few passages have: by their terms, or, of the two
    weightiest names, numbers and compounds and, in a short question, of all other words, perhaps
    as they are written. Those of rare words bring of the vectors the terms of the question alone,
    the others none, of which many passages are looked through for few.
    """
    ordered = sorted(words.forms, key=lambda word: (-words.weights[word], word))
    frequent = [word for word in ordered if word not in words.unknown | words.rare]
    named = [
        word for word in frequent if is_told_by_letters(word) and words.weights[word] >= RARE_WEIGHT
    ]
    others = [word for word in frequent if not is_told_by_letters(word)]
    limits = dict.fromkeys(sorted(words.rare), FEW)
    limits.update(dict.fromkeys(named[:_MOST_WRITTEN], _NAME_DEPTH))
    if len(words.weights) <= SHORT:
        limits.update(dict.fromkeys(others, _FORM_DEPTH))
    base = replace(query, terms=in_either_field(words.term_weights), sparse_alone=True)
    searches = {}
    for word, limit in limits.items():
        terms = (index for form in words.forms[word] for index in form.indices)
        sparse = SparseVector.of(dict.fromkeys(terms, 1.0))
        searches[word] = replace(
            base,
            mode=Mode.SPARSE,
            sparse=sparse,
            limit=limit,
            with_vectors=query.with_vectors and limit == FEW,
        )
    return searches


def is_told_by_letters(word: str) -> bool:
    """Whether a word's letters tell more than its terms do: a name, a number or a compound."""
    return word != word.lower() or _PLAIN.fullmatch(word) is None


def rare_word_holders(
    hits: Mapping[str, Sequence[Hit]], words: WeighedWords
) -> dict[str, tuple[Hit, ...]]:
    """The hits that have each rare word, of those that were found by it: as it is written, else, of
    one whose terms are rare, in any form.
    """
    holders: dict[str, tuple[Hit, ...]] = {}
    for word, of_word in hits.items():
        having = [hit for hit in of_word if holds_word(hit.stored.chunk.text, word)]
        if len(of_word) >= _FORM_DEPTH and words.weights[word] < RARE_WEIGHT:
            continue  # more may have it than were looked through
        if not having and word in words.rare:
            having = [hit for hit in of_word if words.has(words.own_terms(hit), word)]
        if 0 < len(having) <= FEW:
            holders[word] = tuple(having)
    return holders


def rare_form_weights(
    hits: Mapping[str, Sequence[Hit]], holders: Mapping[str, Sequence[Hit]], words: WeighedWords
) -> dict[str, float]:
    """What each ordinary word weighs of which a few of the hits that share its stem have the form:
    the weight of the stem plus ln(hits / holders), about the weight of the form.
    """
    return {
        word: words.weights[word] + math.log((len(hits[word]) + 0.5) / (len(having) + 0.5))
        for word, having in holders.items()
        if not is_told_by_letters(word)
    }


# The places.

_MUCH = 0.2
"""The share of a question's weight that an ordinary rare word must have to be given a place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RareWords:
    """Gives passages that have rare words of the question a place; quotations stay first.

    Expansion by the first hits drowns a name that one passage has, and fusion prefers what both
    sides find (ADR 47).
    Of a question with at most `short` words that carry content, a passage that has a rare one and
    the most weight of all comes first; the order of a reranker stays. Where the first six passages
    lack a rare word that tells something, one that has it is the last of them, if as many are
    shown.
    """

    words: Callable[[], WeighedWords]
    top_k: int
    short: int = SHORT
    name: ClassVar[StageName] = StageName.RARE

    def __call__(self, candidates: Candidates) -> Candidates:
        if not candidates.rare:
            return replace(candidates, detail="no word that only a few passages have")
        first, rest = candidates.quoted_and_rest()
        carried = _Carried.of(candidates, self.words())
        reranked = candidates.reranked is not None and candidates.reranked.done
        leader: Hit | None = None
        if not reranked and len(carried.weights) <= self.short:
            holders = [hit for hit in rest if carried.rare_words(hit)]
            best = max(holders, key=carried.share, default=None)
            if best is not None and carried.share(best) > carried.share(rest[0]):
                leader = best
                rest = [best, *(hit for hit in rest if hit is not best)]
        before = [*first, *rest]
        hits = self._with_place(before, carried)
        done = "a passage with it comes first" if leader else "the first stays"
        if hits != before:
            done += f", and one has place {PASSAGES_READ}"
        names = ", ".join(f"'{word}'" for word in candidates.rare)
        return replace(
            candidates, hits=tuple(hits), detail=f"{names} in {FEW} passages or fewer: {done}"
        )

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
    and it weighs as much as any other of them, or as its form does.
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
        forms = candidates.form_weights
        weights = {**words.weights, **{w: max(most, forms.get(w, 0.0)) for w in holders}}
        return cls(words=words, holders=holders, weights=weights)

    def rare_words(self, hit: Hit) -> frozenset[str]:
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
