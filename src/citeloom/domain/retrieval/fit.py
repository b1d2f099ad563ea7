"""How well passages fit a question, by how its words stand in them and in the library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

PASSAGES_READ = 6
"""How many of the nearest passages the coverage of a question's words is that of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCoverage:
    """How the words of a question stand in the library.

    `weights` is the inverse document frequency of each word that carries content; `unknown` are the
    words that are nowhere in the library, `missing` those that are not in the nearest passages,
    `names` those of the question's words that name something.
    """

    weights: Mapping[str, float]
    unknown: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    @property
    def coverage(self) -> float:
        """The share of the words' weight that is in the nearest passages; 1 without words."""
        return max(1.0 - self._share(self.missing), 0.0)

    @property
    def unknown_share(self) -> float:
        """The share of the words' weight that is nowhere in the library."""
        return self._share(self.unknown)

    def absent(self) -> tuple[str, ...]:
        """The words that the nearest passages lack: names first, then the rarest."""
        lacking = self.missing | self.unknown
        return tuple(sorted(lacking, key=lambda w: (w not in self.names, -self.weights[w], w)))

    def _share(self, words: frozenset[str]) -> float:
        total = sum(self.weights.values())
        share = sum(weight for word, weight in self.weights.items() if word in words)
        return share / total if total else 0.0


_STRONG = 0.7


_WEAK = 0.25


_MOST_NAMED = 4


class Strength(StrEnum):
    """How well passages fit a question, in three steps."""

    STRONG = "strong"
    FAIR = "fair"
    WEAK = "weak"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryCoverage:
    """How well the passages of a work fit a question, with reasons in plain words.

    `value` is the share of the weight of the question's words that the work has, less the share of
    the words that are nowhere in the library: -1 to 1, None for a question without words that carry
    content.
    """

    strength: Strength
    value: float | None
    reasons: tuple[str, ...] = ()


VERBATIM = QueryCoverage(
    strength=Strength.STRONG, value=1.0, reasons=("the passage has the question word for word",)
)


def fit_of(wording: WordCoverage, work: str) -> QueryCoverage:
    """The fit of passages of the work so named, by how the words of the question stand in them and
    in the library.
    """
    if not wording.weights:
        reason = "the question has no words that carry content"
        return QueryCoverage(strength=Strength.FAIR, value=None, reasons=(reason,))
    unknown_words = len(wording.unknown) / len(wording.weights)
    value = round(wording.coverage - unknown_words, 4)
    return QueryCoverage(
        strength=_strength(value), value=value, reasons=tuple(_reasons(wording, work))
    )


def _strength(value: float) -> Strength:
    if value >= _STRONG:
        return Strength.STRONG
    return Strength.FAIR if value >= _WEAK else Strength.WEAK


def _reasons(wording: WordCoverage, work: str) -> Iterable[str]:
    absent = wording.absent()
    unknown = [word for word in absent if word in wording.unknown]
    missing = [word for word in absent if word not in wording.unknown]
    if unknown:
        yield f"{_named(unknown)} {_occur(unknown)} nowhere in the library"
    if missing:
        yield f"{_named(missing)} {_occur(missing)} in none of the passages found of {work}"


def _occur(words: list[str]) -> str:
    return "occurs" if len(words) == 1 else "occur"


def _named(words: list[str]) -> str:
    """The first words in quotes: `'a', 'b' and 'c'`."""
    listed = [f"'{word}'" for word in words[:_MOST_NAMED]]
    if len(words) > _MOST_NAMED:
        listed.append(f"{len(words) - _MOST_NAMED} more")
    return " and ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))
