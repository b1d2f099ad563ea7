"""Whether the words that a sentence has and its quotes lack only say the same in other words, by
what a sentence embedding makes of the sentence with and without them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citeloom.domain.answers.claim_comparison import (
    ClaimComparison,
    replaced_words,
    shared_pairs,
    unknown_words,
)
from citeloom.domain.answers.claim_words import ClaimWord
from citeloom.domain.answers.extraction import cosine
from citeloom.domain.answers.word_groups import opposed
from citeloom.domain.retrieval.passage import DenseVector

Embed = Callable[[Sequence[str]], Sequence[DenseVector]]
"""The vectors of texts, of unit length."""


@dataclass(frozen=True, slots=True)
class Paraphrasing:
    """How like its quotes a sentence must be that has words which they lack.

    Found for the default model, on claims of which each half of the evidence was held back.
    """

    least: float = 0.75
    """The cosine of the sentence and its quotes."""
    loss: float = -0.02
    """How much of that cosine a word may cost: without a foreign word it is higher by more."""
    foreign: float = -0.03
    """The same for a word that no rule speaks against."""
    words: int = 3
    """How many such words there may be."""
    pairs: float = 0.35
    """A word that stands in another's place may be one of them only in a sentence that has fewer
    than this share of its pairs of neighbours from the quotes.
    """


def says_the_same(
    sentence: str,
    sources: Sequence[str],
    embed: Embed,
    policy: Paraphrasing = Paraphrasing(),
) -> bool:
    """Whether a sentence of other words than its sources is as like them with those as without."""
    case = ClaimComparison.of(sentence, sources)
    unknown = unknown_words(case)
    if not 0 < len(unknown) <= policy.words or _takes_a_place(case, policy):
        return False
    likeness, without = _likeness(sentence, unknown, sources, embed)
    return likeness >= policy.least and likeness - max(without) >= policy.loss


def adds_foreign_words(
    sentence: str,
    sources: Sequence[str],
    embed: Embed,
    policy: Paraphrasing = Paraphrasing(),
) -> bool:
    """Whether a sentence is less like its sources by a word that they lack."""
    unknown = unknown_words(ClaimComparison.of(sentence, sources))
    if not unknown:
        return False
    likeness, without = _likeness(sentence, unknown, sources, embed)
    return likeness - max(without) < policy.foreign


def _likeness(
    sentence: str, unknown: Sequence[ClaimWord], sources: Sequence[str], embed: Embed
) -> tuple[float, list[float]]:
    """The cosines of a sentence with its sources: as it is, and without each of some words."""
    without = [_without(sentence, word) for word in unknown]
    quotes, *vectors = embed([" ".join(sources), sentence, *without])
    likeness, *others = (cosine(vector, quotes) for vector in vectors)
    return likeness, others


def _takes_a_place(case: ClaimComparison, policy: Paraphrasing) -> bool:
    """Whether a word stands where the sources have its opposite, or another one in a sentence that
    is otherwise much as theirs.
    """
    replaced = replaced_words(case)
    if any(opposed(word.stem, other.stem) for word, others in replaced for other in others):
        return True
    return bool(replaced) and shared_pairs(case) >= policy.pairs


def _without(sentence: str, word: ClaimWord) -> str:
    """The sentence without the first place of a word."""
    pattern = rf"(?<!\w){re.escape(word.text)}(?!\w)"
    return " ".join(re.sub(pattern, "", sentence, count=1).split())
