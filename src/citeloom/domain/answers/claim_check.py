"""Whether a sentence that a model wrote agrees with its quotes, is to be compared with them, or
contradicts them, as far as rules over words can tell; and whether words claim anything at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, combinations

from citeloom.domain.answers.answer import Agreement, Fault
from citeloom.domain.answers.claim_words import (
    ClaimWord,
    Quantity,
    Statement,
    alike,
    irregular_forms,
    is_number,
    negators,
    opposed,
    statement,
    stem,
    stems,
    units,
)
from citeloom.domain.answers.quotes import is_quotation
from citeloom.domain.text.near import Remark, WordChange
from citeloom.domain.text.word_lists import word_list


@dataclass(frozen=True, slots=True)
class ClaimedQuote:
    """Words that a model says are in a passage, named by the id it was given with."""

    passage: str
    quote: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a model's answer, with what it says supports it. Nothing of it is verified."""

    text: str
    quotes: tuple[ClaimedQuote, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """How a sentence stands to its quotes, None without any, and what speaks against it."""

    agreement: Agreement | None
    faults: tuple[Fault, ...] = ()


def check_claim(sentence: str, quotes: Sequence[str], sources: Sequence[str] = ()) -> ClaimCheck:
    """How a sentence stands to its quotes, read with the whole sentences that these are of, the
    `sources`. A quotation agrees.

    It contradicts them by a name or a number that they lack; by a negation or an opposite; by
    `only`, `always`, `all` and the like, which they do not say; or if it is copied but for a word.
    Else it agrees if most of its words have a counterpart there, none stands in the place of
    another, and who does what to whom is not exchanged.
    """
    whole = sources or quotes
    if is_quotation(sentence, quotes) and is_quotation(sentence, whole):
        return ClaimCheck(Agreement.AGREES)
    case, context = ClaimComparison.of(sentence, quotes), ClaimComparison.of(sentence, whole)
    rules: tuple[tuple[Fault, bool], ...] = (
        (Fault.OTHER_NAMES, bool(new_names(case))),
        (Fault.OTHER_NUMBERS, bool(new_numbers(case))),
        (Fault.OTHER_WORDS, copies_with_other_words(context) or is_about_something_else(case)),
    )
    in_close = (
        (Fault.OTHER_NUMBERS, counts_other_things(case)),
        (Fault.NEGATION, turns_around(context)),
        (Fault.SCOPE, widens(context)),
    )
    faults = tuple(fault for fault, fails in rules if fails)
    doubts = tuple(fault for fault, fails in in_close if fails)
    if faults or (doubts and context.copied >= _CLOSE):
        return ClaimCheck(Agreement.CONTRADICTS, tuple(dict.fromkeys((*faults, *doubts))))
    blocks = (
        lacks_words,
        has_opposites,
        mixes_quotes,
        exchanges,
        drops_limits,
        negates_otherwise,
    )
    agrees = not doubts and not any(fails(context) for fails in blocks)
    return ClaimCheck(Agreement.AGREES if agrees else Agreement.COMPARE)


def differences(sentence: str, source: str) -> tuple[WordChange, ...]:
    """The words by which a sentence may say something else than the one it is like: numbers, names,
    opposites and negations, and where it is close to that one any word of content.
    """
    case = ClaimComparison.of(sentence, [source])
    names, numbers = new_names(case), {quantity.place for quantity in new_numbers(case)}
    close = [word for word in case.unknown if not _is_verb(word)] if case.copied >= _CLOSE else []
    changes = []
    for word in case.claim.words:
        opposites = _opposites_in(word, case)
        if word.place in numbers:
            changes.append(WordChange(quote=word.text, work="", remarks=(Remark.NUMBER,)))
        elif word in names:
            changes.append(WordChange(quote=word.text, work="", remarks=(Remark.NAME,)))
        elif opposites:
            other = opposites[0].text
            changes.append(WordChange(quote=word.text, work=other, remarks=(Remark.OPPOSITE,)))
        elif word in close:
            changes.append(WordChange(quote=word.text, work=""))
    if turns_around(case) or negates_otherwise(case):
        changes += _other_negations(case)
    return tuple(changes)


def is_altered_copy(sentence: str, source: str) -> bool:
    """Whether a sentence has most of its words from another, and contradicts it by one of them: a
    number, a name, an opposite, a negation.
    """
    case = ClaimComparison.of(sentence, [source])
    if case.copied < _COPIED:
        return False
    if any(_opposites_in(word, case) for word in case.claim.words):
        return True
    check = check_claim(sentence, [source])
    # a negation of a sentence that is longer may be that of another clause
    is_as_long = len(case.quote.words) <= _AS_LONG * len(case.claim.words)
    is_elsewhere = not is_as_long and {*check.faults} <= {Fault.NEGATION, Fault.SCOPE}
    return check.agreement is Agreement.CONTRADICTS and not is_elsewhere


def _opposites_in(word: ClaimWord, case: ClaimComparison) -> list[ClaimWord]:
    """The opposites of a word that its quotes have, and not the word itself nor the sentence."""
    if any(form.stem == word.stem for form in case.quote.words):
        return []
    return [
        other
        for other in case.quote.words
        if opposed(word.stem, other.stem) and other.low not in case.claim.lows
    ]


def _other_negations(case: ClaimComparison) -> list[WordChange]:
    """The words that negate on one side alone."""
    own, others = (
        {word.low: word.text for at, word in enumerate(text.words) if _negates(at, text.words)}
        for text in (case.claim, case.quote)
    )
    added = [(word, "") for low, word in own.items() if low not in others]
    left_out = [("", word) for low, word in others.items() if low not in own]
    return [
        WordChange(quote=quote, work=work, remarks=(Remark.NEGATION,))
        for quote, work in (*added, *left_out)
    ]


_MOST_CONNECTING = 8
_WORD = re.compile(r"\w+")


def only_connects(words: str) -> bool:
    tokens = [token.casefold() for token in _WORD.findall(words)]
    connecting = word_list("connecting", "en", "de", "pt")
    return 0 < len(tokens) <= _MOST_CONNECTING and connecting.issuperset(tokens)


@dataclass(frozen=True)
class ClaimComparison:
    """A claimed sentence beside its quotes."""

    claim: Statement
    quote: Statement
    ends: tuple[int, ...]
    """The places where quotes end."""

    @classmethod
    def of(cls, sentence: str, quotes: Sequence[str]) -> ClaimComparison:
        lengths = (len(statement(quote).words) for quote in quotes)
        return cls(statement(sentence), statement(" ; ".join(quotes)), tuple(accumulate(lengths)))

    def quotes_of(self, words: Iterable[ClaimWord]) -> set[int]:
        """The numbers of the quotes that some of their words stand in."""
        return {sum(end <= word.place for end in self.ends) for word in words}

    def same(self, word: ClaimWord) -> list[ClaimWord]:
        """The words of the quotes that this one may stand for: its own forms, else synonyms."""
        forms = [form for form in self.quote.words if form.stem == word.stem]
        return forms or [other for other in self.quote.content if alike(word.stem, other.stem)]

    def opposite(self, word: ClaimWord) -> list[ClaimWord]:
        """The words of the quotes that mean the opposite."""
        return [other for other in self.quote.content if opposed(word.stem, other.stem)]

    @cached_property
    def counted(self) -> list[ClaimWord]:
        """The words of the sentence that need a counterpart: those of content that limit nothing
        and are no numbers or units, but for those that any paraphrase may add.
        """
        numbers = {quantity.place for quantity in self.claim.quantities}
        kinds = ("universal", "most", "some", "many", "few", "only")
        limits = frozenset().union(*map(word_list, kinds))
        return [
            word
            for word in self.claim.content
            if word.low not in limits
            and word.low not in units()
            and word.place not in numbers
            and (word.stem not in _generic() or self.same(word))
        ]

    @cached_property
    def unknown(self) -> list[ClaimWord]:
        return [word for word in self.counted if not self.same(word) and not self.opposite(word)]

    @cached_property
    def copied(self) -> float:
        """The share of the sentence's pairs of neighbouring words that the quotes have, too."""
        pairs, others = (
            [(a.stem, b.stem) for a, b in zip(words, words[1:])]
            for words in (self.claim.content, self.quote.content)
        )
        common = sum(any(alike(a, c) and alike(b, d) for c, d in others) for a, b in pairs)
        return common / max(len(pairs), 1)

    def nearest(self, clause: Sequence[ClaimWord]) -> list[tuple[ClaimWord, ...]]:
        """The clauses of the quotes that have most of a clause's words, or their opposites."""
        own = stems(clause)
        scores = [
            (sum(_match(stem, [word.stem for word in other]) for stem in own), other)
            for other in self.quote.clauses
        ]
        best = max((score for score, _ in scores), default=0.0)
        return [other for score, other in scores if score == best > 0]


def _match(own: str, others: Sequence[str]) -> float:
    """1 for a word that is among others, a little less for a synonym or an opposite of one."""
    if own in others:
        return 1.0
    return 0.9 if any(alike(own, other) or opposed(own, other) for other in others) else 0.0


def shared(first: Iterable[str], second: Iterable[str]) -> int:
    """How many stems have a counterpart among the others."""
    others = tuple(second)
    return sum(any(alike(stem, other) for other in others) for stem in first)


@cache
def _generic() -> frozenset[str]:
    return frozenset(map(stem, word_list("generic")))


# Names and numbers.

_APOSTROPHE_S = re.compile("['\u2019\u02bc]s$")
_MIXED_KINDS = ({"ordinal", "count"}, {"fraction", "multiple"})
_WINDOW = 8
"""What a number counts stands within so many words of it."""


def new_names(case: ClaimComparison) -> list[ClaimWord]:
    """The names that the quotes do not have."""
    forms = [word.stem for word in case.quote.words]
    return [
        word
        for before, word in zip((None, *case.claim.words), case.claim.words)
        if _is_name(word)
        and _APOSTROPHE_S.sub("", word.low) not in case.quote.lows
        and not is_number(word)
        and not (word.text[1:].islower() and word.stem in forms)
        and not _has_pieces(word, case.quote.lows, forms)
        and not (
            word.low in units()
            and (len(word.low) > 1 or (before is not None and before.text[0].isdigit()))
        )
    ]


def _is_name(word: ClaimWord) -> bool:
    first, rest = word.text[0], word.text[1:]
    if not first.isalpha():
        return False
    if any(letter.isupper() or letter.isdigit() for letter in rest):
        return True
    return word.place > 0 and first.isupper() if rest else word.low not in {"a", "i"}


def _has_pieces(word: ClaimWord, lows: frozenset[str], forms: Sequence[str]) -> bool:
    """Whether the quotes have each piece of a word with hyphens, the last in any form."""
    *pieces, last = word.low.split("-")
    return bool(pieces) and lows.issuperset(pieces) and any(alike(stem(last), f) for f in forms)


def new_numbers(case: ClaimComparison) -> list[Quantity]:
    """The numbers that the quotes do not have with their units, nor as `both`."""
    return [
        own
        for own in case.claim.quantities
        if not _equal(own, case)
        and not ((own.value, own.unit) == (2, "") and "both" in case.quote.lows)
        and not (own.kind == "ordinal" and case.claim.words[own.place].low in case.quote.lows)
    ]


def counts_other_things(case: ClaimComparison) -> bool:
    """Whether a number of the quotes is said of something that does not stand near it there."""
    return any(
        own.noun
        and not (own.unit and own.noun in _generic())
        and (equal := _equal(own, case))
        and not any(not other.noun or shared([own.noun], _near(other, case)) for other in equal)
        for own in case.claim.quantities
    )


def _equal(own: Quantity, case: ClaimComparison) -> list[Quantity]:
    return [other for other in case.quote.quantities if _same_number(own, other)]


def _near(number: Quantity, case: ClaimComparison) -> list[str]:
    clause = case.quote.clauses[number.clause]
    return [word.stem for word in clause if abs(word.place - number.place) <= _WINDOW]


def _same_number(own: Quantity, other: Quantity) -> bool:
    kinds = {own.kind, other.kind}
    if own.value != other.value or (len(kinds) > 1 and kinds not in _MIXED_KINDS):
        return False
    unit_is_noun = (
        unit and alike(unit.casefold(), noun)
        for unit, noun in ((own.unit, other.noun), (other.unit, own.noun))
    )
    is_bare = not own.unit and not own.noun
    return is_bare or own.unit == other.unit or any(unit_is_noun)


# Words.

_COPIED, _CLOSE, _ABOUT, _UNKNOWN = 0.6, 0.35, 0.2, 0.3
_AS_LONG = 1.5
"""How much longer than a sentence one may be of which it is a copy."""


def copies_with_other_words(case: ClaimComparison) -> bool:
    """Whether a sentence that is otherwise copied has words that its quotes lack: a paraphrase
    takes other words for many, a forgery for one.
    """
    return case.copied >= _COPIED and not all(map(_is_verb, case.unknown))


def is_about_something_else(case: ClaimComparison) -> bool:
    """Whether hardly any of the words have a counterpart in the quotes."""
    return len(case.counted) - len(case.unknown) < _ABOUT * len(case.counted)


def lacks_words(case: ClaimComparison) -> bool:
    """Whether the quotes lack a word of a sentence that is close to them, or that stands in the
    place of one of theirs; or lack too many.
    """
    unknown = [word for word in case.unknown if not _is_verb(word)]
    allowed = 0 if case.copied >= _CLOSE else _UNKNOWN * len(case.counted)
    too_many = len(unknown) > allowed or len(case.unknown) > _UNKNOWN * len(case.counted)
    return too_many or any(_replaces(word, case) for word in unknown)


def _replaces(word: ClaimWord, case: ClaimComparison) -> bool:
    """Whether the quotes have a word that the sentence lacks between the same neighbours."""
    own, claimed, quote = case.claim.content, stems(case.claim.words), case.quote.content
    at = own.index(word)
    if not 0 < at < len(own) - 1:
        return False
    return any(
        alike(own[at - 1].stem, first.stem)
        and alike(own[at + 1].stem, last.stem)
        and not shared([middle.stem], claimed)
        for first, middle, last in zip(quote, quote[1:], quote[2:])
    )


def _is_verb(word: ClaimWord) -> bool:
    """Whether a word looks like a verb: a paraphrase may take another one."""
    return word.low.endswith("ed") or word.low in irregular_forms()


def has_opposites(case: ClaimComparison) -> bool:
    """Whether the quotes have only the opposite of a word, where neither side negates anything and
    nothing is compared: `slower than` may stand for `faster than`.
    """
    if "than" in case.claim.lows or _negated(case.claim.words) or _negated(case.quote.words):
        return False
    return any(not case.same(word) and case.opposite(word) for word in case.counted)


def mixes_quotes(case: ClaimComparison) -> bool:
    """Whether a clause has words of several quotes that none of them has together."""
    for clause in case.claim.clauses:
        words = [word for word in clause if word.carries or is_number(word)]
        places = [case.quotes_of(partners) for partners in map(case.same, words) if partners]
        if places and not set.intersection(*places):
            return True
    return False


# Negations and opposites.

_BEFORE_NEGATION, _NEGATED = 2, 3
"""A negation is of so many words of content before it, and of so many behind it."""
_LEAST_ENDED = 7
_NO_NEGATIONS = frozenset({("not", "only"), ("nothing", "but"), ("none", "but")})
_BOUNDS = frozenset("more less fewer later earlier sooner farther further longer".split())


def _negates(at: int, words: Sequence[ClaimWord]) -> bool:
    low = words[at].low
    after, then = [*(word.low for word in words[at + 1 : at + 3]), "", ""][:2]
    if (low, after) in _NO_NEGATIONS or (low == "no" and after in _BOUNDS and then == "than"):
        return False
    if low == "nor" and any(word.low == "neither" for word in words[:at]):
        return False
    if low == "instead":
        return after == "of"
    ending = (
        low.endswith("less") and len(low) > _LEAST_ENDED and low not in word_list("no negation")
    )
    return ending or low in negators() or low.endswith("n't")


def _negated(words: Sequence[ClaimWord]) -> list[list[str]]:
    """For each word that negates, the stems of the words of content that it is about."""
    groups = []
    for at in (at for at in range(len(words)) if _negates(at, words)):
        low = words[at].low
        if low.endswith("less"):
            groups.append([words[at].stem, stem(low.removesuffix("less"))])
            continue
        joined = low == "not" and at > 0 and words[at - 1].low in {"but", "and"}
        before = [] if joined else stems(words[:at])[-_BEFORE_NEGATION:]
        groups.append(before + stems(words[at:])[:_NEGATED])
    return groups


def turns_around(case: ClaimComparison) -> bool:
    """Whether negations and opposites make a clause say the contrary of its nearest one."""
    for clause in case.claim.clauses:
        nearest = case.nearest(clause)
        if nearest and all(_is_contrary(clause, other, case) for other in nearest):
            return True
    return False


def _is_contrary(
    clause: Sequence[ClaimWord], other: Sequence[ClaimWord], case: ClaimComparison
) -> bool:
    own, claimed = stems(clause), {word.stem for word in case.claim.words}
    lacked = {word.stem for word in other} - claimed
    quote = {word.stem for word in other}
    flips = sum(
        word.low not in negators()
        and word.stem not in quote
        and not any(alike(word.stem, stem) for stem in lacked)
        and any(opposed(word.stem, stem) for stem in lacked)
        for word in clause
    )
    negations = len(_negated(clause)) + sum(shared(near, own) > 0 for near in _negated(other))
    first, second = _compared(clause), _compared(other)
    if first is None or second is None:
        return (negations + flips) % 2 == 1 or (flips > 1 and not negations)
    straight = shared(first.left, second.left) + shared(first.right, second.right)
    crossed = shared(first.left, second.right) + shared(first.right, second.left) > straight
    same_sides = first.negations == second.negations or sum(first.negations) != sum(
        second.negations
    )
    return (negations + flips + crossed) % 2 == 1 or not (crossed or same_sides)


@dataclass(frozen=True, slots=True)
class _Compared:
    """What stands before and behind `than` alone, and how many negations are on either side."""

    left: list[str]
    right: list[str]
    negations: tuple[int, int]


def _compared(clause: Sequence[ClaimWord]) -> _Compared | None:
    at = next((n for n, word in enumerate(clause) if word.low == "than"), None)
    if at is None:
        return None
    sides = clause[:at], clause[at + 1 :]
    left, right = (
        [w.stem for w in side if w.carries and not w.low.endswith("er") and not _is_verb(w)]
        for side in sides
    )
    return _Compared(
        [stem for stem in left if stem not in right],
        [stem for stem in right if stem not in left],
        (len(_negated(sides[0])), len(_negated(sides[1]))),
    )


def negates_otherwise(case: ClaimComparison) -> bool:
    """Whether sentence or quotes negate a word that the other has and does not negate."""
    claim, quote = (
        [near for clause in text.clauses for near in _negated(clause)]
        for text in (case.claim, case.quote)
    )
    own, others = stems(case.claim.words), stems(case.quote.words)
    return _negates_alone(claim, quote, others) or _negates_alone(quote, claim, own)


def _negates_alone(
    groups: Sequence[Sequence[str]], others: Sequence[Sequence[str]], words: Sequence[str]
) -> bool:
    """Whether a group of negated words is among `words`, not negated and without an opposite."""
    return any(
        shared(group, words)
        and not any(shared(group, other) for other in others)
        and not any(opposed(one, word) for one in group for word in words)
        for group in groups
    )


# Limits.

_STRONG = {
    "universal": ("bears out universal",),
    "most": ("bears out most",),
    "many": ("bears out many",),
    "only": (),
    "certain": ("bears out certain",),
    "few": (),
}


def widens(case: ClaimComparison) -> bool:
    """Whether the sentence says more than its quotes: of more things, or more surely."""
    claim, quote = _quantifiers(case.claim), _quantifiers(case.quote)
    for kind, others in _STRONG.items():
        bearing = word_list(kind).union(*map(word_list, others))
        if claim & word_list(kind) and not quote & bearing:
            return True
    part = word_list("many") | word_list("some") | word_list("few")
    every, some = word_list("universal"), word_list("some")
    if claim & every and quote & part:
        return not claim & part
    return bool(claim & some and quote & every) and not quote & some


_NO_QUANTITY = {("at", "most"), ("at", "least"), ("how", "many")} | {
    (before, "all") for before in ("at", "above", "after")
}
_LIMITING = ("hedge", "most", "some", "few", "only")


def _quantifiers(text: Statement) -> set[str]:
    """The words of a text in lower case, `a few` as `several`, without those of `at most`, `at all`
    and `how many`.
    """
    words: set[str] = set()
    for at, word in enumerate(text.words):
        before = text.words[at - 1].low if at else ""
        followed = at + 1 < len(text.words) and text.words[at + 1].carries
        is_phrase = (before, word.low) in _NO_QUANTITY
        if not is_phrase or (word.low == "all" and followed):
            words.add("several" if (before, word.low) == ("a", "few") else word.low)
    return words


def drops_limits(case: ClaimComparison) -> bool:
    """Whether a clause lacks a kind of limit that its nearest one has: `may`, `if`, `most`."""
    for clause in case.claim.clauses:
        for other in case.nearest(clause)[:1]:
            quote = {word.low for word in other}
            for kind in _LIMITING:
                if quote & word_list(kind) and not case.claim.lows & word_list(kind):
                    return True
    conditions = word_list("condition")
    keeping = conditions | (word_list("conditional") - case.quote.lows)
    return not case.quote.lows.isdisjoint(conditions) and case.claim.lows.isdisjoint(keeping)


# Roles.

_GAIN, _HALF, _WHOLE, _LONGEST_RUN = 2, 0.5, 0.75, 3
"""An exchange of two groups is seen by so many more pairs of neighbours as in the quotes, or by one
more if then nearly all are.
"""
_BE = frozenset("is are was were be been being".split())


def exchanges(case: ClaimComparison) -> bool:
    """Whether the quotes say nearly the same with two groups of words in each other's place, as who
    does what to whom.
    """
    claim, quote = (
        [
            # the stem of the word in the quotes that a word stands for
            next((same.stem for same in case.same(word) if word.carries), word.stem)
            for word in text.words
            if word.carries or is_number(word) or word.low == "than"
        ]
        for text in (case.claim, case.quote)
    )
    if _is_passive(case.claim) != _is_passive(case.quote):
        return False
    pairs = set(zip(quote, quote[1:]))
    present = _neighbours(claim, pairs)
    sizes = range(1, _LONGEST_RUN + 1)
    known = {tuple(quote[at : at + size]) for size in sizes for at in range(len(quote))}
    runs = [
        (at, at + size)
        for at in range(len(claim))
        for size in sizes
        if at + size <= len(claim) and tuple(claim[at : at + size]) in known
    ]
    for (a, b), (c, d) in combinations(runs, 2):
        numbers = all(stem[0].isdigit() for stem in claim[a:b] + claim[c:d])
        if b > c - (not numbers) or claim[a:b] == claim[c:d] or "than" in claim[a:b] + claim[c:d]:
            continue
        exchange = claim[:a] + claim[c:d] + claim[b:c] + claim[a:b] + claim[d:]
        neighbours = _neighbours(exchange, pairs)
        gained = neighbours - present
        share = neighbours / (len(claim) - 1)
        if (gained >= _GAIN and share >= _HALF) or (gained > 0 and share >= _WHOLE):
            return True
    return False


def _is_passive(text: Statement) -> bool:
    places = [word.place for word in text.words if word.low == "by"]
    return any(_BE & {word.low for word in text.words[max(at - 6, 0) : at]} for at in places)


def _neighbours(words: Sequence[str], pairs: set[tuple[str, str]]) -> int:
    return sum(pair in pairs for pair in zip(words, words[1:]))
