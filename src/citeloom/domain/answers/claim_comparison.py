"""A sentence beside its quotes: which words of theirs its own words stand for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from citeloom.domain.answers import lexicon
from citeloom.domain.answers.claim_words import Statement, Word, statement
from citeloom.domain.answers.word_groups import alike, opposed

_NOUN_ENDINGS = ("y", "tion", "ment", "ness", "ics", "ism")
_VERB_ENDINGS = ("ed", "izes", "ises", "ates", "ifies")
_STATES = frozenset("is are was were be been from".split())
_BEFORE_NEGATION, _NEGATED = 2, 3
"""A negation is of so many words of content before it, and of so many behind it."""
_LEAST_ENDED = 7
_NO_COMPLEMENT = frozenset("of and or as is was are were has have had".split())
_BEFORE_VERBS = frozenset("to not may can could might will would must did does".split())


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claimed sentence and its quotes, taken apart; `ends` are the places where quotes end."""

    claim: Statement
    quote: Statement
    ends: tuple[int, ...]

    @classmethod
    def of(cls, sentence: str, quotes: Sequence[str]) -> Comparison:
        """The comparison of a sentence with at least one quote."""
        lengths = (len(statement(one).words) for one in quotes)
        return cls(statement(sentence), statement(" ; ".join(quotes)), tuple(accumulate(lengths)))

    def same(self, word: Word) -> tuple[Word, ...]:
        """The words of the quotes that this one may stand for: its own forms, else synonyms."""
        forms = tuple(one for one in self.quote.words if one.stem == word.stem)
        return forms or tuple(o for o in self.quote.content if alike(word.stem, o.stem))

    def opposite(self, word: Word) -> tuple[Word, ...]:
        """The words of the quotes that mean the opposite."""
        return tuple(one for one in self.quote.words if opposed(word.stem, one.stem))

    def quotes_of(self, words: Iterable[Word]) -> set[int]:
        """The numbers of the quotes that some of their words stand in."""
        return {sum(end <= word.place for end in self.ends) for word in words}

    def nearest(self, clause: Sequence[Word]) -> list[tuple[Word, ...]]:
        """The clauses of the quotes that have most of a clause's words, or their opposites."""
        scores = [(_likeness(clause, other), other) for other in self.quote.clauses]
        best = max((score for score, _ in scores), default=0.0)
        return [other for score, other in scores if score == best > 0]


def shared(one: Iterable[str], other: Iterable[str]) -> int:
    """How many stems have a counterpart among the others."""
    held = tuple(other)
    return sum(any(alike(stem, another) for another in held) for stem in one)


def stems(words: Iterable[Word]) -> list[str]:
    """The stems of the words that carry content."""
    return [word.stem for word in words if word.carries]


def lows(words: Iterable[Word]) -> set[str]:
    """The words in lower case."""
    return {word.low for word in words}


def negations_in(words: Sequence[Word]) -> int:
    """How many of the words negate."""
    return sum(_negates(at, words) for at in range(len(words)))


def negations_about(words: Sequence[Word], about: Iterable[str]) -> int:
    """How many of the words negate something near them that has a counterpart among stems."""
    held = [*about]
    places = [at for at in range(len(words)) if _negates(at, words)]
    near = [stems(words[:at])[-_BEFORE_NEGATION:] + stems(words[at:])[:_NEGATED] for at in places]
    return sum(shared(one, held) > 0 for one in near)


def _negates(at: int, words: Sequence[Word]) -> bool:
    low = words[at].low
    if low == "missing":
        return any(word.low in _STATES for word in words[max(at - 1, 0) : at + 2])
    if low == "not" and at + 1 < len(words) and words[at + 1].low == "only":
        return False
    ending = low.endswith("less") and len(low) > _LEAST_ENDED and low not in lexicon.NO_NEGATION
    return ending or low in lexicon.NEGATORS or low.endswith("n't")


def is_verb(word: Word, text: Statement) -> bool:
    """Whether a word looks like a verb where it stands."""
    if word.low.endswith(_VERB_ENDINGS) or word.low in lexicon.IRREGULAR:
        return True
    if word.low.endswith("s") and not word.low.endswith("ss"):
        return word.place > 0 and _has_complement(text.words[word.place : word.place + 2])
    before = text.words[word.place - 1].low if word.place else ""
    return before in _BEFORE_VERBS and not word.low.endswith(_NOUN_ENDINGS)


def _has_complement(words: Sequence[Word]) -> bool:
    """Whether a word is followed, in its clause, by what can be the object of a verb."""
    if len(words) < 2 or words[0].clause != words[1].clause or words[1].low in _NO_COMPLEMENT:
        return False
    return words[1].low in lexicon.FUNCTION or not words[1].carries


def _likeness(clause: Sequence[Word], other: Sequence[Word]) -> float:
    """How many words of a clause another has: a synonym or an opposite counts a little less."""
    held = [word.stem for word in other]
    return sum(_match(stem, held) for stem in stems(clause))


def _match(stem: str, held: Sequence[str]) -> float:
    if stem in held:
        return 1.0
    return 0.9 if any(alike(stem, one) or opposed(stem, one) for one in held) else 0.0
