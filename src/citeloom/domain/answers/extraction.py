"""Choosing the sentences of passages that answer a question best."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from citeloom.domain.passage import StoredChunk

_WORD = re.compile(r"[^\W\d_]+(?:[-'\u2019][^\W\d_]+)*")
_JOINED = re.compile(r"[a-z][A-Z]")
_PUNCTUATION = ".,;:!?()[]\"'\u2018\u2019\u201c\u201d\u201e«»…"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionPolicy:
    """How an extractive answer is chosen.

    The sentences of the best `passages` are scored by the cosine with the question, plus
    `term_weight` times the share of the weight of the question's terms that they hold, plus
    `rank_weight` / rank of their passage. Of these, `sentences` are taken one by one by maximal
    marginal relevance (Carbonell and Goldstein 1998): the best of `relevance` times its score less
    1 - `relevance` times its greatest cosine with one taken before.
    """

    passages: int = 4
    sentences: int = 4
    least_words: int = 5
    longest: int = 600
    term_weight: float = 0.1
    rank_weight: float = 0.05
    relevance: float = 0.9

    def __post_init__(self) -> None:
        if self.passages < 1 or self.sentences < 1:
            raise ValueError("an answer needs at least one passage and one sentence")
        if not 0.0 <= self.relevance <= 1.0:
            raise ValueError("relevance must lie in 0..1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A sentence of a passage: its span, the passage's rank from 1, its vector and its scores."""

    stored: StoredChunk
    start: int
    end: int
    rank: int
    vector: Sequence[float] = field(repr=False)
    similarity: float = 0.0
    terms: float = 0.0

    @property
    def text(self) -> str:
        """The sentence."""
        return self.stored.chunk.text[self.start : self.end]

    def score(self, policy: ExtractionPolicy) -> float:
        """How well the sentence answers by itself."""
        by_rank = policy.rank_weight / self.rank
        return self.similarity + policy.term_weight * self.terms + by_rank


def says_something(sentence: str, least_words: int) -> bool:
    """Whether a sentence has enough words, does not only announce what follows, and is no line of
    a program or formula: at least a third of its words are written as words are.
    """
    tokens = sentence.split()
    if len(tokens) < least_words or tokens[-1].endswith(":"):
        return False
    return 3 * sum(map(_is_word, tokens)) >= len(tokens)


def select_sentences(
    candidates: Sequence[Candidate], policy: ExtractionPolicy
) -> tuple[Candidate, ...]:
    """The chosen sentences, best first; of equal ones the earlier."""
    left, chosen = list(candidates), list[Candidate]()
    while left and len(chosen) < policy.sentences:
        best = max(left, key=_marginal(chosen, policy))
        chosen.append(best)
        left.remove(best)
    return tuple(chosen)


def _marginal(
    chosen: Sequence[Candidate], policy: ExtractionPolicy
) -> Callable[[Candidate], float]:
    def relevance(one: Candidate) -> float:
        alike = max((cosine(one.vector, other.vector) for other in chosen), default=0.0)
        return policy.relevance * one.score(policy) - (1 - policy.relevance) * alike

    return relevance


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors of unit length."""
    return sum(a * b for a, b in zip(one, other))


def _is_word(token: str) -> bool:
    bare = token.strip(_PUNCTUATION)
    return _WORD.fullmatch(bare) is not None and not _JOINED.search(bare)
