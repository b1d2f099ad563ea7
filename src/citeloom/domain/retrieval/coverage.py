"""The rule about coverage: how many of a question's words passages have, and which one leads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from operator import mul
from typing import ClassVar

from citeloom.domain.retrieval.candidates import Candidates, StageName, with_others
from citeloom.domain.retrieval.passage import DenseVector, Hit, SparseVector
from citeloom.domain.retrieval.sparse import matched_terms
from citeloom.domain.retrieval.words import PASSAGES_READ, WordCoverage, content_words_of, names_of
from citeloom.domain.text.tokens import content_words


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedWords:
    """The content words of a question, weighed by a collection.

    `forms` are the sparse terms of each word in each language held, `weights` the inverse document
    frequency, `unknown` the words that no chunk has, `rare` those that few chunks have, `names`
    those that name something.
    """

    forms: Mapping[str, tuple[SparseVector, ...]]
    weights: Mapping[str, float]
    unknown: frozenset[str]
    names: frozenset[str]
    rare: frozenset[str] = frozenset()

    @property
    def term_weights(self) -> dict[int, float]:
        return {
            index: self.weights[word]
            for word, forms in self.forms.items()
            for vector in forms
            for index in vector.indices
        }

    def has(self, indices: AbstractSet[int], word: str) -> bool:
        """Whether the terms `indices` are those of the word in any language."""
        return any(indices >= set(vector.indices) for vector in self.forms[word])

    def wording(
        self, passages: Sequence[AbstractSet[int]], works: Sequence[str | None] = ()
    ) -> WordCoverage:
        """How the words stand in passages that have these terms each and are of these works."""
        lacking = [self._lacking(terms) for terms in passages]
        fullest = _least([self._weight_of(words) for words in lacking])
        return WordCoverage(
            weights=self.weights,
            unknown=self.unknown,
            missing=self._lacking(set().union(*passages)),
            names=self.names,
            lacking=None if fullest is None else lacking[fullest],
            work_share=_work_share(works, fullest),
        )

    def _lacking(self, indices: AbstractSet[int]) -> frozenset[str]:
        return frozenset(word for word in self.forms if not self.has(indices, word))

    def _weight_of(self, words: Iterable[str]) -> float:
        return sum(self.weights[word] for word in words)

    def coverage_of(self, hits: Sequence[Hit]) -> float:
        """The share of the words' weight that the hits, which need their vectors, have together."""
        indices: set[int] = set()
        for hit in hits:
            if hit.sparse is not None:
                indices.update(matched_terms(hit.sparse, self.term_weights).own)
        return self.wording([indices]).coverage

    def own_terms(self, hit: Hit) -> frozenset[int]:
        """The words' terms that a hit, which needs its vectors, has in its own text."""
        if hit.sparse is None:
            return frozenset()
        return frozenset(matched_terms(hit.sparse, self.term_weights).own)

    def match(self, hit: Hit) -> float:
        """The score of a hit by the words' terms in its own text."""
        weights = self.term_weights
        own = matched_terms(hit.sparse, weights).own if hit.sparse is not None else {}
        return sum(weights[index] * value for index, value in own.items())


NO_WORDS = WeighedWords(forms={}, weights={}, unknown=frozenset(), names=frozenset())


def terms_of_work(hits: Iterable[Hit], terms: Collection[int]) -> set[int]:
    """The terms that any of a work's hits has, in its text or in its opening; hits must have their
    vectors.
    """
    present: set[int] = set()
    for hit in hits:
        if hit.sparse is not None:
            matched = matched_terms(hit.sparse, terms)
            present.update(matched.own, matched.opening)
    return present


def _least(lacking: Sequence[float]) -> int | None:
    """The place of the passage that lacks least, the first one of several."""
    return lacking.index(min(lacking)) if lacking else None


def _work_share(works: Sequence[str | None], one: int | None) -> float:
    """The share of passages, by their works, that are of the work of one of them."""
    if one is None or not works or works[one] is None:
        return 0.0
    return works.count(works[one]) / len(works)


def wording_by_letters(
    question: str, texts: Sequence[str], works: Sequence[str | None] = ()
) -> WordCoverage:
    """The wording without sparse terms: all content words alike, and none known to be unknown."""
    words = content_words_of(question)
    names = frozenset(names_of(question, words))
    counted = [word for word in words if content_words(word) or word in names]
    weights: Mapping[str, float] = dict.fromkeys(counted, 1.0)
    lacking = [
        frozenset(word for word in counted if word.casefold() not in text)
        for text in map(str.casefold, texts)
    ]
    fullest = _least([len(words) for words in lacking])
    return WordCoverage(
        weights=weights,
        missing=frozenset(counted).intersection(*lacking),
        names=names.intersection(weights),
        lacking=None if fullest is None else lacking[fullest],
        work_share=_work_share(works, fullest),
    )


# The stage.

WHOLE = 0.8
"""The share of the words' weight from which a passage has what was asked (ADR 37)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Leans to words or to meaning by how much of the question's words the passages have;
    quotations stay first.

    A passage that has at least `whole` of the words' weight comes first: fusion prefers what both
    sides find fairly good to what one is sure of. Where the first six together have less than
    `little`, the words are of no use, and the passage nearest by meaning is among the first two
    (ADR 37; what else was tried is in ADR 47).
    """

    question: DenseVector
    words: Callable[[], WeighedWords]
    whole: float = WHOLE
    little: float = 0.35
    name: ClassVar[StageName] = StageName.COVERAGE

    def __call__(self, candidates: Candidates) -> Candidates:
        first, rest = candidates.quoted_and_rest()
        words = self.words()
        if not rest or not words.weights:
            return replace(candidates, detail="no words that carry content")
        together = words.coverage_of(rest[:PASSAGES_READ])
        compared = with_others(rest, candidates.unexpanded)
        shares = [words.coverage_of([hit]) for hit in compared]
        most = max(shares)
        leaders, why = compared[:1], "the order stays"
        if most >= self.whole and shares[0] >= most:
            why = "the first has most of them"
        elif most >= self.whole:
            fullest = [hit for hit, share in zip(compared, shares) if share >= most]
            leaders = [max(fullest, key=words.match)]
            why = f"first comes a passage with {most:.0%} of them"
        elif together < self.little:
            nearest = max(compared, key=lambda hit: sum(map(mul, self.question, hit.dense or ())))
            leaders = with_others(leaders, [nearest])
            why = "the nearest by meaning is among the first two"
        hits = (*first, *with_others(leaders, rest))
        return replace(
            candidates,
            hits=hits,
            pool=hits,
            detail=f"{together:.0%} of the question's words in the first passages: {why}",
        )
