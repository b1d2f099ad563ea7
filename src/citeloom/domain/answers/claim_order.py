"""Whether a sentence turns round what its quotes say: by negations and opposites, or by an exchange
of what does something with what it is done to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from citeloom.domain.answers import lexicon
from citeloom.domain.answers.claim_comparison import (
    ClaimComparison,
    is_determined,
    is_verb,
    lows,
    negated,
    negations_about,
    negations_in,
    shared,
    shared_pairs,
    stems,
)
from citeloom.domain.answers.claim_words import ClaimWord, Statement, is_number
from citeloom.domain.answers.word_groups import alike, opposed

_ARTICLES = frozenset("a an the".split())
_LESS = frozenset("less least".split())
_BE = frozenset("is are was were be been being".split())
_MEASURES = lexicon.UNITS.keys() | lexicon.SCALES.keys()
_GAIN, _WHOLE, _LONGEST_RUN = 2, 0.9, 4
"""An exchange of two groups is seen by so many more pairs of neighbours as in the quotes, or by one
more if then nearly all are.
"""
_CLOSE = 0.35
"""The share of pairs of neighbours from the quotes from which a sentence keeps their clauses."""
_COMPLEMENTS = {
    "from": ("to", "into"),
    "to": ("from",),
    "into": ("from",),
    "before": ("after",),
    "after": ("before",),
    "under": ("over", "above"),
    "below": ("over", "above"),
    "over": ("under", "below"),
    "above": ("under", "below"),
    "unlike": (),
    "because": (),
    "despite": (),
}
"""Words whose complements cannot be exchanged with others, and their opposites."""


def turns_around(case: ClaimComparison) -> bool:
    """Whether negations and opposites make a clause say the contrary of its nearest one."""
    if _negates_another(case) or _has_what_is_lacking(case):
        return True
    for clause in case.claim.clauses:
        others = [_with_opposites(clause, other, case) for other in case.nearest(clause)]
        if others and not any(_agrees(clause, other, case) for other in others):
            return True
    return False


def _with_opposites(
    clause: Sequence[ClaimWord], other: tuple[ClaimWord, ...], case: ClaimComparison
) -> tuple[ClaimWord, ...]:
    """A clause of the quotes with the opposites, elsewhere in them, of words that they lack."""
    lacking = [word for word in clause if word.carries and not case.same(word)]
    return (*other, *(one for word in lacking for one in case.opposite(word) if one not in other))


def _agrees(clause: Sequence[ClaimWord], other: Sequence[ClaimWord], case: ClaimComparison) -> bool:
    flips = _flips(clause, other, case)
    claim, quote = negations_in(clause), negations_about(other, stems(clause))
    if not flips and _negates_other_side(clause, other):
        return False
    if (claim + quote + flips) % 2:
        return _crossed(clause, other) is True if flips else _negates_the_same(clause, case)
    return flips < 2 or claim != quote or _crossed(clause, other) is True


def _negates_the_same(clause: Sequence[ClaimWord], case: ClaimComparison) -> bool:
    """Whether what a clause negates is what the quotes negate of its words, wherever they do."""
    content = stems(clause)
    own = negated(clause)
    theirs = [near for other in case.quote.clauses for near in negated(other)]
    count = sum(negations_about(other, content) for other in case.quote.clauses)
    return len(own) == count and all(any(shared(a, b) for b in theirs) for a in own)


def _negates_another(case: ClaimComparison) -> bool:
    """Whether the sentence negates other words than the quotes do, each of which the other has
    without a negation, or has a word that they say is not so.
    """
    claim, quote = _negated_groups(case.claim), _negated_groups(case.quote)
    added = _in_none(claim, quote, stems(case.quote.words))
    lost = _in_none(quote, claim, stems(case.claim.words))
    return (added and lost) or (not claim and _says_denied(case))


def _has_what_is_lacking(case: ClaimComparison) -> bool:
    """Whether *with* stands where the quotes have *without*, or the other way round."""
    for word in case.claim.words:
        opposite = {"with": "without", "without": "with"}.get(word.low, "")
        own, others = _behind(case.claim, word.place), _complements(case.quote, (opposite,))
        kept = shared(own, _complements(case.quote, (word.low,)))
        if opposite and own and not kept and shared(own, others) == len(own):
            return True
    return False


def _negated_groups(text: Statement) -> list[list[str]]:
    """The stems of the words near each negation."""
    return [near for clause in text.clauses for near in negated(clause, 2, 3)]


def _in_none(
    groups: Sequence[Sequence[str]], others: Sequence[Sequence[str]], words: Sequence[str]
) -> bool:
    """Whether some group of negated words is among `words`, and none of them in other groups."""
    return any(
        shared(group, words) and not any(shared(group, other) for other in others)
        for group in groups
    )


def _says_denied(case: ClaimComparison) -> bool:
    """Whether a sentence has the word behind a *not* of the quotes, which they have only there."""
    quote, own = case.quote.words, stems(case.claim.words)
    denied = [
        next((other.stem for other in quote[word.place + 1 :] if other.carries), "")
        for word in quote
        if negations_in(quote[word.place : word.place + 2]) and _denies(word)
    ]
    everywhere = stems(quote)
    return any(everywhere.count(stem) == 1 and shared([stem], own) for stem in denied if stem)


def _denies(word: ClaimWord) -> bool:
    """Whether a word negates the verb or word behind it."""
    return word.low in lexicon.DENIALS or word.low.endswith("n't")


def _negates_other_side(clause: Sequence[ClaimWord], other: Sequence[ClaimWord]) -> bool:
    """Whether two comparisons, not the other way round, negate different sides of `than`."""
    if _crossed(clause, other) is True:
        return False
    claim, quote = _negations_by_side(clause), _negations_by_side(other)
    return claim is not None and quote is not None and claim != quote and sum(claim) == sum(quote)


def _negations_by_side(clause: Sequence[ClaimWord]) -> tuple[int, int] | None:
    at = next((n for n, word in enumerate(clause) if word.low == "than"), None)
    return None if at is None else (negations_in(clause[:at]), negations_in(clause[at:]))


def _flips(clause: Sequence[ClaimWord], other: Sequence[ClaimWord], case: ClaimComparison) -> int:
    """How many words of a clause are the opposite of one that the sentence lacks."""
    claim = {word.stem for word in case.claim.words}
    quote = {word.stem for word in other}
    lacked = quote - claim
    plain = [
        (at, word)
        for at, word in enumerate(clause)
        if word.stem not in quote
        and word.low not in lexicon.NEGATORS
        and not any(alike(word.stem, stem) for stem in lacked)
    ]
    return sum(
        any(opposed(word.stem, stem) for stem in lacked)
        and not (at and clause[at - 1].low in _LESS)
        for at, word in plain
    )


def _crossed(clause: Sequence[ClaimWord], other: Sequence[ClaimWord]) -> bool | None:
    """Whether what two clauses compare stands the other way round; None if they compare nothing."""
    claim, quote = _compared(clause), _compared(other)
    if claim is None or quote is None:
        return None
    straight = shared(claim[0], quote[0]) + shared(claim[1], quote[1])
    cross = shared(claim[0], quote[1]) + shared(claim[1], quote[0])
    return None if straight == cross else cross > straight


def _compared(clause: Sequence[ClaimWord]) -> tuple[list[str], list[str]] | None:
    """The stems before and behind `than`, or the second `as`, without those on both sides."""
    words = [word.low for word in clause]
    at = words.index("than") if "than" in words else -1
    if at < 0 and words.count("as") > 1:
        at = words.index("as", words.index("as") + 1)
    if at < 0:
        return None
    left = stems(word for word in clause[:at] if not _says_how(word))
    right = stems(word for word in clause[at + 1 :] if word.low not in _MEASURES)
    return [word for word in left if word not in right], [
        word for word in right if word not in left
    ]


def _says_how(word: ClaimWord) -> bool:
    """Whether a word is the comparative or the verb of a comparison, which stays in its place."""
    return word.low.endswith(("er", "ed")) or word.low in lexicon.IRREGULAR


def reverses(case: ClaimComparison) -> bool:
    """Whether what does something, or is compared, is exchanged with what it is done to."""
    if _complement_moved(case):
        return True
    if any(_flips(clause, o, case) for clause in case.claim.clauses for o in case.nearest(clause)):
        return False
    pairs = ((clause, other) for clause in case.claim.clauses for other in case.quote.clauses)
    if any(_crossed(clause, other) for clause, other in pairs):
        return True
    return _verb_reversed(case) or _exchanged(case) or _clauses_exchange(case)


def _clauses_exchange(case: ClaimComparison) -> bool:
    """Whether two clauses each have words of the same two clauses of the quotes, in a sentence that
    has many of its pairs of words from there.
    """
    if shared_pairs(case) < _CLOSE:
        return False
    sources: dict[int, set[int]] = {}
    for word in case.claim.words:
        places = {other.clause for other in case.quote.words if other.stem == word.stem}
        once = sum(other.stem == word.stem for other in case.claim.words) == 1
        if (word.carries or is_number(word)) and once and len(places) == 1:
            sources.setdefault(word.clause, set()).update(places)
    return any(len(one & other) > 1 for one, other in combinations(sources.values(), 2))


def _exchanged(case: ClaimComparison) -> bool:
    """Whether the quotes say the same with two groups of words in each other's place."""
    if _is_passive(case.claim) != _is_passive(case.quote):
        return False
    words = [word for word in case.claim.words if word.low not in _ARTICLES]
    quote = [word.stem for word in case.quote.words if word.low not in _ARTICLES]
    claim = [_canonical(word, case) for word in words]
    pairs = set(zip(quote, quote[1:]))
    present = _neighbours(claim, pairs)
    runs = _runs(claim, quote)
    exchanges = (
        claim[:a] + claim[c:d] + claim[b:c] + claim[a:b] + claim[d:]
        for a, b in runs
        for c, d in runs
        if _parted(claim[b:c])
        and claim[a:b] != claim[c:d]
        and not _are_at_home(words[a:b], words[c:d], case)
    )
    return any(
        _is_nearer(_neighbours(exchange, pairs), present, len(claim)) for exchange in exchanges
    )


def _are_at_home(
    first: Sequence[ClaimWord], second: Sequence[ClaimWord], case: ClaimComparison
) -> bool:
    """Whether two groups of words in two clauses have the clauses in the quotes, too."""
    homes = _home(first, case), _home(second, case)
    return first[0].clause != second[0].clause and None not in homes and homes[0] != homes[1]


def _home(group: Sequence[ClaimWord], case: ClaimComparison) -> int | None:
    """The clause of the quotes that alone has most of a group's clause, if it has the group."""
    own = {word.stem for word in group}
    rest = [stem for stem in stems(case.claim.clauses[group[0].clause]) if stem not in own]
    counts = [shared(rest, stems(clause)) for clause in case.quote.clauses]
    best = counts.index(max(counts))
    is_there = shared(own, stems(case.quote.clauses[best])) > 0
    return best if len(rest) > 1 and is_there and counts.count(counts[best]) == 1 else None


def _is_nearer(neighbours: int, present: int, length: int) -> bool:
    gained = neighbours - present
    return gained >= _GAIN or (gained > 0 and neighbours >= _WHOLE * (length - 1))


def _parted(between: Sequence[str]) -> bool:
    """Whether something stands between two groups that is no mere preposition."""
    return any(word == "than" or word not in lexicon.FUNCTION for word in between)


def _canonical(word: ClaimWord, case: ClaimComparison) -> str:
    """The stem of the word in the quotes that a word stands for."""
    same = [match.stem for match in case.same(word)] if word.carries else []
    own = {word.stem for word in case.claim.words}
    others = (stem for stem in same if stem not in own)
    return word.stem if word.stem in same else next(others, word.stem)


def _runs(claim: Sequence[str], quote: Sequence[str]) -> list[tuple[int, int]]:
    """Where words of the sentence stand together that do so in the quotes, content at both ends."""
    sizes = range(1, _LONGEST_RUN + 1)
    known = {tuple(quote[at : at + size]) for size in sizes for at in range(len(quote))}
    spans = (
        (at, at + size) for at in range(len(claim)) for size in sizes if at + size <= len(claim)
    )
    content = [stem not in lexicon.FUNCTION for stem in claim]
    return [
        (a, b) for a, b in spans if content[a] and content[b - 1] and tuple(claim[a:b]) in known
    ]


def _neighbours(words: Sequence[str], pairs: set[tuple[str, str]]) -> int:
    return sum(pair in pairs for pair in zip(words, words[1:]))


def _is_passive(text: Statement) -> bool:
    """Whether a sentence says by whom something is done."""
    places = [word.place for word in text.words if word.low == "by"]
    return any(lows(text.words[max(at - 6, 0) : at]) & _BE for at in places)


def _verb_reversed(case: ClaimComparison) -> bool:
    """Whether a verb has the object of the quotes for its subject, or the other way round."""
    return any(
        _sides_exchanged(verb, other, case)
        for verb in case.claim.content
        for other in case.quote.content
        if _same_verb(verb, other, case)
    )


def _same_verb(word: ClaimWord, other: ClaimWord, case: ClaimComparison) -> bool:
    """Whether two words look like verbs of one meaning; a plain form does beside another
    form of the same verb.
    """
    verbs = is_verb(word, case.claim), is_verb(other, case.quote)
    if all(verbs):
        return alike(word.stem, other.stem)
    if not any(verbs):
        return False
    verb, plain, text = (word, other, case.quote) if verbs[0] else (other, word, case.claim)
    return verb.low in _forms_of(plain.low) and not is_determined(plain, text)


def _forms_of(verb: str) -> set[str]:
    """The regular forms of a verb."""
    ended = verb[:-1] + "i" if verb.endswith("y") else verb.removesuffix("e")
    return {f"{verb}s", f"{ended}es", f"{ended}ed"}


def _sides_exchanged(verb: ClaimWord, other: ClaimWord, case: ClaimComparison) -> bool:
    claim, quote = _sides(verb, case.claim), _sides(other, case.quote)
    if claim is None or quote is None:
        return False
    straight = shared(claim[0], quote[0]) + shared(claim[1], quote[1])
    cross = shared(claim[0], quote[1]) + shared(claim[1], quote[0])
    before = stems(word for word in case.quote.words if word.place < other.place)
    both = min(shared(claim[0], quote[1]), shared(claim[1], {*before, *quote[0]})) > 0
    return cross > straight and both and not claim[0] & quote[0]


def _sides(verb: ClaimWord, text: Statement) -> tuple[set[str], set[str]] | None:
    """The stems of subject and object; None for a passive that does not say by whom."""
    clause = text.clauses[verb.clause]
    left = stems(word for word in clause if word.place < verb.place)[-4:]
    behind = [word for word in clause if word.place > verb.place]
    passive = any(word.low in _BE for word in clause if verb.place - 4 < word.place < verb.place)
    if not passive:
        return set(left), set(stems(behind)[:4])
    agent = next((at for at, word in enumerate(behind) if word.low == "by"), None)
    return None if agent is None else (set(stems(behind[agent:])), set(left))


def _complement_moved(case: ClaimComparison) -> bool:
    """Whether words behind a preposition stand elsewhere in the quotes, where it has others."""
    quote = [word.stem for word in case.quote.words]
    for word in case.claim.words:
        opposite = _COMPLEMENTS.get(word.low)
        others = _complements(case.quote, (word.low,))
        own = _behind(case.claim, word.place)
        if opposite is None or not own or not others:
            continue
        if shared(own, others) or shared(own, quote) < len(own):
            continue
        if not opposite or shared(own, _complements(case.quote, opposite)):
            return True
    return False


def _complements(text: Statement, prepositions: Iterable[str]) -> list[str]:
    places = [word.place for word in text.words if word.low in set(prepositions)]
    return [word for place in places for word in _behind(text, place)]


def _behind(text: Statement, place: int) -> list[str]:
    """The stems of up to three words together behind a preposition: content or numbers."""
    words: list[str] = []
    for word in text.words[place + 1 : place + 7]:
        counts = word.carries or word.text[0].isdigit()
        if word.clause != text.words[place].clause or (words and not counts):
            break
        words += [word.stem] * counts
    return words[:3]
