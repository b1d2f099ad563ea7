"""A claim beside its quotes: which words stand for which, and whether both say it alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from citeloom.domain.answers import lexicon
from citeloom.domain.answers.claim_words import ClaimWord, Quantity, Statement, statement, stem
from citeloom.domain.answers.word_groups import alike, known, opposed

# A sentence beside its quotes: which words of theirs its own words stand for.

_NOUN_ENDINGS = ("y", "tion", "ment", "ness", "ics", "ism")
_VERB_ENDINGS = ("ed", "izes", "ises", "ates", "ifies")
_STATES = frozenset("is are was were be been from".split())
_BEFORE_NEGATION, _NEGATED = 2, 3
"""A negation is of so many words of content before it, and of so many behind it."""
_LEAST_ENDED = 7
_JOINING = frozenset("but and".split())
_NO_NEGATIONS = frozenset({("not", "only"), ("nothing", "but"), ("none", "but")})
_BOUNDS = frozenset("more less fewer later earlier sooner farther further longer".split())
_NO_COMPLEMENT = frozenset("of and or as is was are were has have had who whose whom".split())
_BEFORE_NOUNS = frozenset("the a an its their this these those our his her each every".split())
_BEFORE_VERBS = frozenset("to not may can could might will would must did does".split())


@dataclass(frozen=True, slots=True)
class ClaimComparison:
    """A claimed sentence and its quotes, taken apart; `ends` are the places where quotes end."""

    claim: Statement
    quote: Statement
    ends: tuple[int, ...]

    @classmethod
    def of(cls, sentence: str, quotes: Sequence[str]) -> ClaimComparison:
        """The comparison of a sentence with at least one quote."""
        lengths = (len(statement(quote).words) for quote in quotes)
        return cls(statement(sentence), statement(" ; ".join(quotes)), tuple(accumulate(lengths)))

    def same(self, word: ClaimWord) -> tuple[ClaimWord, ...]:
        """The words of the quotes that this one may stand for: its own forms, else synonyms."""
        forms = tuple(form for form in self.quote.words if form.stem == word.stem)
        return forms or tuple(o for o in self.quote.content if alike(word.stem, o.stem))

    def opposite(self, word: ClaimWord) -> tuple[ClaimWord, ...]:
        """The words of the quotes that mean the opposite."""
        return tuple(form for form in self.quote.words if opposed(word.stem, form.stem))

    def quotes_of(self, words: Iterable[ClaimWord]) -> set[int]:
        """The numbers of the quotes that some of their words stand in."""
        return {sum(end <= word.place for end in self.ends) for word in words}

    def nearest(self, clause: Sequence[ClaimWord]) -> list[tuple[ClaimWord, ...]]:
        """The clauses of the quotes that have most of a clause's words, or their opposites."""
        scores = [(_likeness(clause, other), other) for other in self.quote.clauses]
        best = max((score for score, _ in scores), default=0.0)
        return [other for score, other in scores if score == best > 0]


def shared(first: Iterable[str], second: Iterable[str]) -> int:
    """How many stems have a counterpart among the others."""
    others = tuple(second)
    return sum(any(alike(stem, another) for another in others) for stem in first)


def shared_pairs(case: ClaimComparison) -> float:
    """The share of the pairs of neighbouring words that the quotes have, too."""
    own, theirs = _pairs(case.claim.content), _pairs(case.quote.content)
    shared = sum(any(alike(a, c) and alike(b, d) for c, d in theirs) for a, b in own)
    return shared / max(len(own), 1)


def _pairs(words: Sequence[ClaimWord]) -> list[tuple[str, str]]:
    return [(first.stem, second.stem) for first, second in zip(words, words[1:])]


def stems(words: Iterable[ClaimWord]) -> list[str]:
    """The stems of the words that carry content."""
    return [word.stem for word in words if word.carries]


def lows(words: Iterable[ClaimWord]) -> set[str]:
    """The words in lower case."""
    return {word.low for word in words}


def negations_in(words: Sequence[ClaimWord]) -> int:
    """How many of the words negate."""
    return sum(_negates(at, words) for at in range(len(words)))


def negations_about(words: Sequence[ClaimWord], about: Iterable[str]) -> int:
    """How many of the words negate something near them that has a counterpart among stems."""
    targets = [*about]
    near = negated(words, _BEFORE_NEGATION, _NEGATED)
    return sum(shared(each, targets) > 0 for each in near)


def negated(words: Sequence[ClaimWord], before: int = 1, behind: int = 1) -> list[list[str]]:
    """For each word that negates, the stems of so many words of content before and behind it; for
    one that lacks something by its ending, as *wireless*, its own and that of what it lacks.
    """
    places = [at for at in range(len(words)) if _negates(at, words)]
    return [_negated_by(at, words, before, behind) for at in places]


def _negated_by(at: int, words: Sequence[ClaimWord], before: int, behind: int) -> list[str]:
    if words[at].low.endswith("less"):
        return [words[at].stem, stem(words[at].low.removesuffix("less"))]
    follows = words[at].low == "not" and at > 0 and words[at - 1].low in _JOINING
    return stems(words[:at])[-before:] * (not follows) + stems(words[at:])[:behind]


def _negates(at: int, words: Sequence[ClaimWord]) -> bool:
    low, (after, then) = words[at].low, _two_behind(at, words)
    if low == "missing":
        return any(word.low in _STATES for word in words[max(at - 1, 0) : at + 2])
    if (low, after) in _NO_NEGATIONS or (low == "no" and after in _BOUNDS and then == "than"):
        return False
    if low == "nor" and any(word.low == "neither" for word in words[:at]):
        return False
    if low == "instead":
        return after == "of"
    ending = low.endswith("less") and len(low) > _LEAST_ENDED and low not in lexicon.NO_NEGATION
    return ending or low in lexicon.NEGATORS or low.endswith("n't")


def _two_behind(at: int, words: Sequence[ClaimWord]) -> tuple[str, str]:
    """The two words behind a place, empty where the words end."""
    after, then = [*(word.low for word in words[at + 1 : at + 3]), "", ""][:2]
    return after, then


def is_verb(word: ClaimWord, text: Statement) -> bool:
    """Whether a word looks like a verb where it stands."""
    if word.low.endswith(_VERB_ENDINGS) or word.low in lexicon.IRREGULAR:
        return True
    if is_determined(word, text):
        return False
    if word.low.endswith("s") and not word.low.endswith("ss"):
        return word.place > 0 and _has_complement(text.words[word.place : word.place + 2])
    before = text.words[word.place - 1].low if word.place else ""
    return before in _BEFORE_VERBS and not word.low.endswith(_NOUN_ENDINGS)


def is_determined(word: ClaimWord, text: Statement) -> bool:
    """Whether a word stands behind an article or the like, as a noun does."""
    return word.place > 0 and text.words[word.place - 1].low in _BEFORE_NOUNS


def _has_complement(words: Sequence[ClaimWord]) -> bool:
    """Whether a word is followed, in its clause, by what can be the object of a verb."""
    if len(words) < 2 or words[0].clause != words[1].clause or words[1].low in _NO_COMPLEMENT:
        return False
    return words[1].low in lexicon.FUNCTION or not words[1].carries


def _likeness(clause: Sequence[ClaimWord], other: Sequence[ClaimWord]) -> float:
    """How many words of a clause another has: a synonym or an opposite counts a little less."""
    others = [word.stem for word in other]
    return sum(_match(stem, others) for stem in stems(clause))


def _match(stem: str, others: Sequence[str]) -> float:
    if stem in others:
        return 1.0
    return 0.9 if any(alike(stem, other) or opposed(stem, other) for other in others) else 0.0


# Whether the words, names and numbers of a sentence stand in its quotes.

LEAST_SUPPORT = 0.5
"""The share of a sentence's content words that must have a counterpart in its quotes."""
LEAST_IN_CLAUSE = 0.25
"""The same for each clause alone."""
_COPIED = 0.6
"""The share of pairs of neighbours from the quotes from which a sentence is copied."""
_NO_NOUN = ("ed", "ly", "est", "able", "ible", "ful", "ous", "ive", "al", "ic")
"""Endings of words that are seldom nouns."""
_WINDOW = 8
_MIXED_KINDS = ({"ordinal", "count"}, {"fraction", "multiple"})


def adds_names(case: ClaimComparison) -> bool:
    """Whether a name, a symbol or an acronym is nowhere in the quotes."""
    quote_words = {word.low for word in case.quote.words}
    known_words = quote_words | lexicon.NUMBER_WORDS.keys()
    forms = {word.stem for word in case.quote.words}
    unknown = (word for word in case.claim.words if word.low not in known_words)
    return any(
        _is_name(word)
        and not (word.text[1:].islower() and word.stem in forms)
        and not _has_pieces(word, quote_words, forms)
        and not _is_unit(word, case.claim)
        for word in unknown
    )


def _has_pieces(word: ClaimWord, quote_words: set[str], forms: set[str]) -> bool:
    """Whether the quotes have each piece of a word with hyphens, the last in any form."""
    *pieces, last = word.low.split("-")
    end = stem(last)
    return (
        quote_words.issuperset(pieces) and bool(pieces) and any(alike(end, form) for form in forms)
    )


def _is_unit(word: ClaimWord, text: Statement) -> bool:
    """Whether a word is a unit; a letter is one behind a number, and a symbol elsewhere."""
    behind_number = word.place > 0 and text.words[word.place - 1].text[0].isdigit()
    return word.low in lexicon.UNITS and (len(word.low) > 1 or behind_number)


def _is_name(word: ClaimWord) -> bool:
    first, rest = word.text[0], word.text[1:]
    if not first.isalpha():
        return False
    if any(letter.isupper() or letter.isdigit() for letter in rest):
        return True
    if not rest:
        return word.low not in {"a", "i"}
    return word.place > 0 and first.isupper()


def adds_numbers(case: ClaimComparison) -> bool:
    """Whether a number is not in the quotes so: with its unit, noun and bound, about the same."""
    parts, wholes = _parts(case.claim), _parts(case.quote)
    if any((whole, part) in wholes and (part, whole) not in wholes for part, whole in parts):
        return True
    return any(not _stands(own, case) for own in case.claim.quantities)


def _parts(text: Statement) -> set[tuple[float, float]]:
    """The pairs of numbers of which the first is said to be of the second: *four of its twelve*."""
    pairs = ((a, b) for a in text.quantities for b in text.quantities if a.place < b.place)
    between = {(a.value, b.value): text.words[a.place + 1 : b.place] for a, b in pairs}
    return {
        pair
        for pair, words in between.items()
        if "of" in lows(words[:2]) and not any(word.carries for word in words)
    }


def _stands(own: Quantity, case: ClaimComparison) -> bool:
    equal = [quantity for quantity in case.quote.quantities if _same_number(own, quantity)]
    if not equal:
        return any(_says_number(word, own) for word in case.quote.words)
    fitting = [quantity for quantity in equal if _same_noun(own, quantity, case)]
    if not fitting:
        return False
    best = max(shared(own.around, quantity.around) for quantity in fitting)
    return all(shared(own.around, rival.around) <= best for rival in _rivals(own, case))


def _says_number(word: ClaimWord, own: Quantity) -> bool:
    """Whether a word says a number without being one: `both`, or an ordinal of its own."""
    if word.low == "both":
        return (own.value, own.kind, own.unit, own.bound) == (2, "count", "", "")
    return own.kind == "ordinal" and lexicon.ORDINALS.get(word.low) == own.value


def _rivals(own: Quantity, case: ClaimComparison) -> Iterator[Quantity]:
    """Other numbers of the quotes that are of a kind with this one and are not beside it."""
    beside = {quantity.value for quantity in case.claim.quantities if quantity.clause == own.clause}
    for quantity in case.quote.quantities:
        if (quantity.kind, quantity.unit) == (own.kind, own.unit) and quantity.value not in beside:
            yield quantity


def _same_number(own: Quantity, other: Quantity) -> bool:
    if (own.value, own.bound) != (other.value, other.bound):
        return False
    if own.kind != other.kind and {own.kind, other.kind} not in _MIXED_KINDS:
        return False
    if own.unit == other.unit:
        return True
    return alike(own.unit.casefold(), other.noun) or alike(own.noun, other.unit.casefold())


def _same_noun(own: Quantity, other: Quantity, case: ClaimComparison) -> bool:
    if not own.noun or not other.noun or (own.unit and own.noun in _generic()):
        return True
    clause = case.quote.clauses[other.clause]
    near = [word.stem for word in clause if abs(word.place - other.place) <= _WINDOW]
    return shared([own.noun], near) > 0


def adds_words(case: ClaimComparison) -> bool:
    """Whether too few of the words, in all or in one clause, have a counterpart in the quotes."""
    supported = counted = 0
    for number, clause in enumerate(case.claim.clauses):
        words = [word for word in clause if _counts(word, case)]
        matched = sum(_has_counterpart(word, case) for word in words)
        required = len(words) - sum(_is_spare(word, case) for word in words)
        if matched < LEAST_IN_CLAUSE * required or (words and not matched and (number or required)):
            return True
        supported, counted = supported + matched, counted + required
    return supported < LEAST_SUPPORT * counted


def adds_things(case: ClaimComparison) -> bool:
    """Whether a word that looks like a noun has no counterpart in the quotes: a paraphrase may take
    another verb, but not another thing.
    """
    return any(_is_thing(word, case) for word in unknown_words(case))


def unknown_words(case: ClaimComparison) -> list[ClaimWord]:
    """The words of content that have no counterpart in the quotes, but for those that any
    paraphrase may add.
    """
    counted = (word for word in case.claim.content if _counts(word, case))
    lacking = (word for word in counted if not _has_counterpart(word, case))
    return [word for word in lacking if not _is_spare(word, case)]


def copies_with_other_words(case: ClaimComparison) -> bool:
    """Whether a sentence that is otherwise copied has words that its quotes lack: a paraphrase
    takes other words for many, a forgery for one.
    """
    return bool(unknown_words(case)) and shared_pairs(case) >= _COPIED


def _is_thing(word: ClaimWord, case: ClaimComparison) -> bool:
    if word.low in lexicon.COMPARATIVES or word.low in lexicon.UNITS:
        return False
    if word.low.endswith("ing"):
        return is_determined(word, case.claim)
    return not word.low.endswith(_NO_NOUN) and not is_verb(word, case.claim)


def _has_counterpart(word: ClaimWord, case: ClaimComparison) -> bool:
    return bool(case.same(word) or case.opposite(word))


def _is_spare(word: ClaimWord, case: ClaimComparison) -> bool:
    """Whether any paraphrase may add a word; a sentence may begin with a clause of such words."""
    return word.stem in _generic() and not case.same(word)


def _counts(word: ClaimWord, case: ClaimComparison) -> bool:
    number = any(quantity.place == word.place for quantity in case.claim.quantities)
    return word.carries and word.low not in lexicon.LIMITS and not number


@cache
def _generic() -> frozenset[str]:
    return frozenset(map(stem, lexicon.GENERIC))


def replaces_words(case: ClaimComparison) -> bool:
    """Whether a word stands where the quotes have another one, between the same neighbours."""
    return bool(replaced_words(case))


def replaced_words(case: ClaimComparison) -> list[tuple[ClaimWord, list[ClaimWord]]]:
    """The words that stand where the quotes have others, with these."""
    words = enumerate(case.claim.content)
    pairs = [(word, _replaced_by(at, case)) for at, word in words]
    return [(word, others) for word, others in pairs if others]


def _replaced_by(at: int, case: ClaimComparison) -> list[ClaimWord]:
    """The words of the quotes that a word stands in the place of and may not stand for."""
    word = case.claim.content[at]
    if word.stem in _generic() or word.low in lexicon.UNITS or word.low in lexicon.LIMITS:
        return []
    replaced = _replaced(at, case)
    if case.same(word):
        return [other for other in replaced if opposed(word.stem, other.stem)]
    if case.opposite(word):
        return []
    return [other for other in replaced if _differ(word, other, case)]


def _differ(word: ClaimWord, other: ClaimWord, case: ClaimComparison) -> bool:
    """Whether two words may not stand for one another: verbs may, where one of them is unknown."""
    both = known(word.stem) and known(other.stem)
    return both or not (is_verb(word, case.claim) and is_verb(other, case.quote))


def _replaced(at: int, case: ClaimComparison) -> Iterator[ClaimWord]:
    """The words of the quotes, none of the sentence's own, that stand between the neighbours of one
    of its words, beside one neighbour where the other ends a clause, or between an article and the
    same word.
    """
    own = [word.stem for word in case.claim.content]
    neighbours = _beside(case.claim.content, at)
    qualified = _qualified(at, case.claim)
    for place, word in enumerate(case.quote.content):
        others = _beside(case.quote.content, place)
        same = _same_slot(neighbours, others, word) or (
            qualified and _qualified(place, case.quote) and _fits(neighbours[1], others[1])
        )
        if same and not shared([word.stem], own):
            yield word


def _qualified(at: int, text: Statement) -> bool:
    """Whether a word of content stands between an article and another one."""
    word, (_, behind) = text.content[at], _beside(text.content, at)
    return behind is not None and behind.place == word.place + 1 and is_determined(word, text)


_Neighbours = tuple[ClaimWord | None, ClaimWord | None]


def _same_slot(own: _Neighbours, others: _Neighbours, word: ClaimWord) -> bool:
    """Whether a word of the quotes with such neighbours may be what stands between `own`."""
    (before, after), (left, right) = own, others
    parted = before is not None and after is not None and before.clause != after.clause
    if _fits(before, left):
        return _fits(after, right) or after is None or parted
    begins = before is None and (left is None or word.clause != left.clause)
    return _fits(after, right) and (begins or parted)


def _beside(words: Sequence[ClaimWord], at: int) -> _Neighbours:
    return words[at - 1] if at else None, words[at + 1] if at + 1 < len(words) else None


def _fits(first: ClaimWord | None, second: ClaimWord | None) -> bool:
    return first is not None and second is not None and alike(first.stem, second.stem)
