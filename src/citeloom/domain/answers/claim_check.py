"""Whether a sentence that a model wrote says what its quotes say, as far as rules can tell; and
whether words claim anything at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from citeloom.domain.answers import lexicon
from citeloom.domain.answers.claim_clauses import (
    changes_scope,
    mixes_quotes,
    reverses,
    turns_around,
)
from citeloom.domain.answers.claim_comparison import Comparison
from citeloom.domain.answers.claim_wording import (
    adds_names,
    adds_numbers,
    adds_things,
    adds_words,
    replaces_words,
)
from citeloom.domain.answers.elision import is_quotation
from citeloom.domain.answers.faults import Fault

MOST_CONNECTING = 8
_WORD = re.compile(r"\w+")
_Rule = tuple[Fault, Callable[[Comparison], bool]]
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
    sentence: str, quotes: Sequence[str], sources: Sequence[str] = ()
) -> tuple[Fault, ...]:
    """What speaks against a sentence being supported by its quotes; nothing if it is.

    Its names, symbols and acronyms stand in the quotes; so do its numbers, with unit, noun and
    bound, about the same things. Most of its words have a counterpart there, in every clause, and
    none takes the place of another. What does something to what else is not exchanged, and no
    clause is made of two quotes. Things, and by clause negations, opposites and limits, agree with
    the `sources`, the whole sentences that the quotes are of. A quotation is supported by itself.
    """
    whole = sources or quotes
    if is_quotation(sentence, quotes) and is_quotation(sentence, whole):
        return ()
    case, context = Comparison.of(sentence, quotes), Comparison.of(sentence, whole)
    faults = [fault for fault, fails in _ON_QUOTES if fails(case)]
    faults += [fault for fault, fails in _ON_SENTENCES if fails(context)]
    return tuple(dict.fromkeys(faults))


def only_connects(words: str) -> bool:
    """Whether words join statements and claim nothing themselves."""
    tokens = [token.casefold() for token in _WORD.findall(words)]
    return 0 < len(tokens) <= MOST_CONNECTING and lexicon.CONNECTING.issuperset(tokens)
