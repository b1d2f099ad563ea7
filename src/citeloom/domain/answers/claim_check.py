"""Whether a sentence that a model wrote says what its quotes say, as far as rules and vectors can
tell; and whether words claim anything at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from citeloom.domain.answers import lexicon
from citeloom.domain.answers.answer import Fault
from citeloom.domain.answers.claim_comparison import (
    ClaimComparison,
    adds_names,
    adds_numbers,
    adds_things,
    adds_words,
    copies_with_other_words,
    lows,
    negations_in,
    replaced_words,
    replaces_words,
    shared,
    shared_pairs,
    stems,
    unknown_words,
)
from citeloom.domain.answers.claim_order import reverses, turns_around
from citeloom.domain.answers.claim_words import ClaimWord, Statement, stem
from citeloom.domain.answers.extraction import cosine
from citeloom.domain.answers.quotes import is_quotation
from citeloom.domain.answers.word_groups import opposed
from citeloom.domain.retrieval.passage import DenseVector

Embed = Callable[[Sequence[str]], Sequence[DenseVector]]
"""The vectors of texts, of unit length."""
_MOST_CONNECTING = 8
_WORD = re.compile(r"\w+")


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
    rules = (
        (Fault.OTHER_NAMES, case, adds_names),
        (Fault.OTHER_NUMBERS, case, adds_numbers),
        (Fault.OTHER_WORDS, case, adds_words),
        (Fault.OTHER_WORDS, case, replaces_words),
        (Fault.ORDER, case, reverses),
        (Fault.TWO_QUOTES, case, mixes_quotes),
        (Fault.OTHER_WORDS, context, adds_things),
        (Fault.OTHER_WORDS, context, copies_with_other_words),
        (Fault.NEGATION, context, turns_around),
        (Fault.SCOPE, context, changes_scope),
    )
    faults = tuple(dict.fromkeys(fault for fault, read, fails in rules if fails(read)))
    if embed is None or faults not in {(), (Fault.OTHER_WORDS,)}:
        return faults
    if faults and not copies_with_other_words(context):
        return () if says_the_same(sentence, whole, embed) else faults
    foreign = faults or adds_foreign_words(sentence, whole, embed)
    return (Fault.OTHER_WORDS,) if foreign else ()


def only_connects(words: str) -> bool:
    """Whether words join statements and claim nothing themselves."""
    tokens = [token.casefold() for token in _WORD.findall(words)]
    return 0 < len(tokens) <= _MOST_CONNECTING and lexicon.CONNECTING.issuperset(tokens)


# Whether a sentence widens what its quotes say, or mixes several.


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
    pairs = [pair for pair in pairs if pair != ("how", "many")]
    words = {" ".join(pair) if pair == ("a", "few") else pair[1] for pair in pairs}
    pieces = {piece for word in words for piece in word.split("-")}
    return (words | pieces) - ({"all"} if _says_no_quantity(text) else set())


def _says_no_quantity(text: Statement) -> bool:
    """Whether `all` is part of a phrase such as *at all*, which *at all levels* is not."""
    behind = (*text.words[1:], None)
    return any(
        (word.low, after.low) in lexicon.NO_QUANTITY and not (then and then.carries)
        for word, after, then in zip(text.words, behind, (*behind[1:], None))
        if after
    )


def _turns_bound(case: ClaimComparison) -> bool:
    """Whether `least` stands where the quotes have `most` alone, or the other way round: behind
    `at`, or before the same word.
    """
    claim, quote = (
        {("at", b.low) for a, b in pairs if a.low == "at" and b.low in _ENDS}
        | {(b.stem, a.low) for a, b in pairs if a.low in _ENDS}
        for pairs in (list(zip(text.words, text.words[1:])) for text in (case.claim, case.quote))
    )
    beside = {word for word, _ in claim} & {word for word, _ in quote}
    return any(
        {e for w, e in claim if w == word}.isdisjoint({e for w, e in quote if w == word})
        for word in beside
    )


def _says_any(case: ClaimComparison) -> bool:
    """Whether the sentence says `any` of what its quotes say of fewer."""
    any_added = "any" in lows(case.claim.words) - lows(case.quote.words)
    each = lows(case.quote.words) & lexicon.UNIVERSAL_ANY
    return any_added and not each and not negations_in(case.claim.words)


_BEARING_OUT = {
    lexicon.MOST: lexicon.OFTEN,
    lexicon.MANY: lexicon.SEVERAL,
    lexicon.UNIVERSAL: lexicon.NO_ONE | lexicon.CONSTANT,
}
"""Words of quotes, of another kind, that bear out one of a kind."""


def _allows(kind: frozenset[str], claim: set[str], quote: set[str]) -> bool:
    """Whether quotes with such words bear out a sentence with a word of the kind."""
    if quote & kind:
        return True
    if kind is lexicon.ONLY:
        return bool(claim & lexicon.FEW and quote & lexicon.FEW)
    if kind is lexicon.FEW:
        return "a few" in claim and bool(quote & lexicon.SOME)
    certain = kind is lexicon.CERTAIN and claim & kind == {"must"}
    return bool(quote & (lexicon.HAVE_TO if certain else _BEARING_OUT.get(kind, frozenset())))


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


_ENDS = frozenset("least most".split())
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
        if word.low in kind
        and not (at and other[at - 1].low in _NO_LIMIT)
        and (word.low != "some" or lows(other[at + 1 : at + 2]) == {"of"})
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
        if "if" in lows(clause) and shared(condition, own) and not _is_conditional(case.claim):
            return True
    return False


def _is_conditional(text: Statement) -> bool:
    """Whether a sentence says on what condition, or of what case, something is so."""
    first = lows(text.words[:1])
    return "for" in first or not lows(text.words).isdisjoint(lexicon.CONDITIONAL)


def mixes_quotes(case: ClaimComparison) -> bool:
    """Whether a clause has words of several quotes that none of them has together."""
    for clause in case.claim.clauses:
        words = [word for word in clause if word.carries or word.text[0].isdigit()]
        places = [case.quotes_of(partners) for partners in map(case.same, words) if partners]
        if places and not set.intersection(*places):
            return True
    return False


# Whether words that the quotes lack only say the same in other words, by what a sentence embedding
# makes of the sentence with and without them.


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
