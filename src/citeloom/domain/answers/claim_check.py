"""Whether a sentence that a model wrote says what its quotes say, as far as rules can tell; and
whether words claim anything at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from citeloom.domain.answers import lexicon
from citeloom.domain.answers.answer import Fault
from citeloom.domain.answers.claim_comparison import (
    ClaimComparison,
    adds_names,
    adds_numbers,
    adds_things,
    adds_words,
    is_verb,
    lows,
    negated,
    negations_about,
    negations_in,
    replaces_words,
    shared,
    stems,
)
from citeloom.domain.answers.claim_words import ClaimWord, Statement, stem
from citeloom.domain.answers.paraphrase import Embed, adds_foreign_words, says_the_same
from citeloom.domain.answers.text_match import is_quotation
from citeloom.domain.answers.word_groups import alike, opposed

# Whether a sentence turns round, exchanges or widens what its quotes say.

_ARTICLES = frozenset("a an the".split())
_LESS = frozenset("less least".split())
_BE = frozenset("is are was were be been being".split())
_MEASURES = lexicon.UNITS.keys() | lexicon.SCALES.keys()
_GAIN, _WHOLE, _LONGEST_RUN = 2, 0.9, 3
"""An exchange of two groups is seen by so many more pairs of neighbours as in the quotes, or by one
more if then nearly all are.
"""
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
    return _verb_reversed(case) or _exchanged(case)


def _exchanged(case: ClaimComparison) -> bool:
    """Whether the quotes say the same with two groups of words in each other's place."""
    if _is_passive(case.claim) != _is_passive(case.quote):
        return False
    quote = [word.stem for word in case.quote.words if word.low not in _ARTICLES]
    claim = [_canonical(word, case) for word in case.claim.words if word.low not in _ARTICLES]
    pairs = set(zip(quote, quote[1:]))
    present = _neighbours(claim, pairs)
    runs = _runs(claim, quote)
    exchanges = (
        claim[:a] + claim[c:d] + claim[b:c] + claim[a:b] + claim[d:]
        for a, b in runs
        for c, d in runs
        if _parted(claim[b:c]) and claim[a:b] != claim[c:d]
    )
    return any(
        _is_nearer(_neighbours(exchange, pairs), present, len(claim)) for exchange in exchanges
    )


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
    verbs = [word for word in case.claim.content if is_verb(word, case.claim)]
    others = [word for word in case.quote.content if is_verb(word, case.quote)]
    for verb in verbs:
        for other in others:
            if alike(verb.stem, other.stem) and _sides_exchanged(verb, other, case):
                return True
    return False


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
    found: list[str] = []
    for word in text.words[place + 1 : place + 7]:
        counts = word.carries or word.text[0].isdigit()
        if word.clause != text.words[place].clause or (found and not counts):
            break
        found += [word.stem] * counts
    return found[:3]


def changes_scope(case: ClaimComparison) -> bool:
    """Whether the sentence says more than its quotes: of more things, more surely, or on no
    condition.
    """
    quote, claim = _quantified(case.quote), _quantified(case.claim)
    if any(claim & kind and not _allows(kind, claim, quote) for kind in lexicon.STRONG):
        return True
    rules = (_turns_bound, _says_any, _drops_hedge, _drops_limit, _drops_condition)
    return _changes_part(claim, quote) or any(fails(case) for fails in rules)


def _changes_part(claim: set[str], quote: set[str]) -> bool:
    """Whether `all` stands where the quotes have a part, or `some` where they have all."""
    if claim & lexicon.UNIVERSAL and quote & lexicon.PARTIAL:
        return not claim & lexicon.PARTIAL
    return bool(claim & lexicon.SOME and quote & lexicon.UNIVERSAL) and not quote & lexicon.SOME


def _quantified(text: Statement) -> set[str]:
    """The words of a text in lower case, with the pieces of those with hyphens, `a few` as one word
    and without those of `at all`.
    """
    before = ["", *(word.low for word in text.words)]
    pairs = [(low, word.low) for low, word in zip(before, text.words)]
    words = {" ".join(pair) if pair == ("a", "few") else pair[1] for pair in pairs}
    pieces = {piece for word in words for piece in word.split("-")}
    return (words | pieces) - ({"all"} if lexicon.NO_QUANTITY & set(pairs) else set())


def _turns_bound(case: ClaimComparison) -> bool:
    """Whether `at least` stands where the quotes have `at most` alone, or the other way round."""
    claim, quote = (
        {b.low for a, b in zip(text.words, text.words[1:]) if a.low == "at"} & {"least", "most"}
        for text in (case.claim, case.quote)
    )
    return bool(claim) and bool(quote) and not claim & quote


def _says_any(case: ClaimComparison) -> bool:
    """Whether the sentence says `any` of what its quotes say of fewer."""
    any_added = "any" in lows(case.claim.words) - lows(case.quote.words)
    each = lows(case.quote.words) & lexicon.UNIVERSAL_ANY
    return any_added and not each and not negations_in(case.claim.words)


def _allows(kind: frozenset[str], claim: set[str], quote: set[str]) -> bool:
    """Whether quotes with such words bear out a sentence with a word of the kind."""
    if quote & kind:
        return True
    if kind is lexicon.CERTAIN and claim & kind == {"must"}:
        return bool(quote & lexicon.HAVE_TO)
    if kind is lexicon.MANY:
        return bool(quote & lexicon.SEVERAL)
    if kind is lexicon.ONLY:
        return bool(claim & lexicon.FEW and quote & lexicon.FEW)
    if kind is lexicon.FEW:
        return "a few" in claim and bool(quote & lexicon.SOME)
    return kind is lexicon.UNIVERSAL and bool(quote & lexicon.NO_ONE)


def _drops_hedge(case: ClaimComparison) -> bool:
    """Whether a clause says for sure what its nearest one does not."""
    words = case.claim.words
    if lows(words) & (lexicon.HEDGES | {"can"}) or {w.stem for w in words} & _hedge_stems():
        return False
    return any(_hedges(other) for _, other in _beside(case))


@cache
def _hedge_stems() -> frozenset[str]:
    return frozenset(map(stem, lexicon.HEDGES))


def _hedges(words: Sequence[ClaimWord]) -> bool:
    """Whether words say that something is not certain: `could not` says that it is not, and what is
    possible to do is not in doubt.
    """
    behind = [*(word.low for word in words[1:]), ""]
    return any(
        word.low in lexicon.HEDGES
        and not (word.low == "could" and after == "not")
        and not (word.low == "possible" and after != "that")
        for word, after in zip(words, behind)
    )


def _drops_limit(case: ClaimComparison) -> bool:
    """Whether a clause lacks what limits a noun in its nearest one."""
    return any(
        not lows(clause) & weaker and _limits(kind, clause, other)
        for clause, other in _beside(case)
        for kind, weaker in _LIMITS
    )


def _beside(case: ClaimComparison) -> Iterator[tuple[Sequence[ClaimWord], Sequence[ClaimWord]]]:
    """Each clause of the sentence with the first of its nearest ones."""
    for clause in case.claim.clauses:
        for other in case.nearest(clause)[:1]:
            yield clause, other


_NO_LIMIT = frozenset("at as".split())
_LIMITS = (
    (lexicon.MOST, lexicon.MOST | lexicon.SOME | {"half"}),
    (lexicon.SOME - {"several"}, lexicon.SOME | lexicon.FEW),
    (lexicon.FEW, lexicon.SOME | lexicon.FEW),
)
"""Words that limit a noun, and those one of which a sentence must have for them."""


def _limits(kind: frozenset[str], clause: Sequence[ClaimWord], other: Sequence[ClaimWord]) -> bool:
    """Whether a clause has the noun that such words limit in the other."""
    limits = [
        at
        for at, word in enumerate(other)
        if word.low in kind and not (at and other[at - 1].low in _NO_LIMIT)
    ]
    nouns = stems(other[limits[0] + 1 :])[:1] if limits else []
    return shared(nouns, stems(clause)) > 0


def _drops_condition(case: ClaimComparison) -> bool:
    """Whether a condition is left out of which the sentence has the consequence."""
    own = stems(case.claim.words)
    for clause in case.quote.clauses:
        if not lows(clause) & lexicon.CONDITIONS:
            continue
        condition = stems(clause)
        rest = stems(word for word in case.quote.words if word.clause != clause[0].clause)
        has_condition = shared(condition, own) or any(opposed(a, b) for a in condition for b in own)
        if shared(rest, own) and not has_condition:
            return True
    return False


def mixes_quotes(case: ClaimComparison) -> bool:
    """Whether a clause has words of several quotes that none of them has together."""
    for clause in case.claim.clauses:
        words = [word for word in clause if word.carries or word.text[0].isdigit()]
        places = [case.quotes_of(found) for found in map(case.same, words) if found]
        if places and not set.intersection(*places):
            return True
    return False


MOST_CONNECTING = 8
_WORD = re.compile(r"\w+")
_Rule = tuple[Fault, Callable[[ClaimComparison], bool]]
_ON_QUOTES: tuple[_Rule, ...] = (
    (Fault.OTHER_NAMES, adds_names),
    (Fault.OTHER_NUMBERS, adds_numbers),
    (Fault.OTHER_WORDS, adds_words),
    (Fault.OTHER_WORDS, replaces_words),
    (Fault.ORDER, reverses),
    (Fault.TWO_QUOTES, mixes_quotes),
)
_ON_SENTENCES: tuple[_Rule, ...] = (
    (Fault.OTHER_WORDS, adds_things),
    (Fault.NEGATION, turns_around),
    (Fault.SCOPE, changes_scope),
)


def check_claim(
    sentence: str,
    quotes: Sequence[str],
    sources: Sequence[str] = (),
    embed: Embed | None = None,
) -> tuple[Fault, ...]:
    """What speaks against a sentence being supported by its quotes; nothing if it is.

    Its names, symbols and acronyms stand in the quotes; so do its numbers, with unit, noun and
    bound, about the same things. Most of its words have a counterpart there, in every clause, and
    none takes the place of another. What does something to what else is not exchanged, and no
    clause is made of two quotes. Things, and by clause negations, opposites and limits, agree with
    the `sources`, the whole sentences that the quotes are of. A quotation is supported by itself.
    With `embed`, the vectors of a sentence and its sources decide of words that these lack where no
    other rule speaks against it: whether they are a paraphrase, or foreign.
    """
    whole = sources or quotes
    if is_quotation(sentence, quotes) and is_quotation(sentence, whole):
        return ()
    case, context = ClaimComparison.of(sentence, quotes), ClaimComparison.of(sentence, whole)
    faults = [fault for fault, fails in _ON_QUOTES if fails(case)]
    faults += [fault for fault, fails in _ON_SENTENCES if fails(context)]
    found = tuple(dict.fromkeys(faults))
    if embed is None or found not in {(), (Fault.OTHER_WORDS,)}:
        return found
    if found:
        return () if says_the_same(sentence, whole, embed) else found
    return (Fault.OTHER_WORDS,) if adds_foreign_words(sentence, whole, embed) else ()


def only_connects(words: str) -> bool:
    """Whether words join statements and claim nothing themselves."""
    tokens = [token.casefold() for token in _WORD.findall(words)]
    return 0 < len(tokens) <= MOST_CONNECTING and lexicon.CONNECTING.issuperset(tokens)
