"""Whether a sentence is a quotation: a quote word for word, or with words left out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from citeloom.domain.answers.normal_form import NormalText
from citeloom.domain.answers.polarity import negations

_TOKEN = re.compile(r"[^\W_]+(?:['.,/-][^\W_]+)*|[^\s\w]|_")
_PUNCTUATION = frozenset(".,;:!?\"'()[]{}…-")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_LIMITING = frozenset(
    """
    all almost alone any apparently at approximately both could conditional each either every except
    exclusively few fewer half hardly hypothesis hypothesize hypothesise if in just least less
    likely many may maybe might more most nearly only over partly perhaps possible possibly
    potentially presumably rarely roughly seldom should some sometimes suggest suggested suggests
    under unless unlikely until up usually when whether within would
    """.split()
)
"""Words that say how much, how often, or on what condition something holds."""
_CONDITIONS = frozenset("if unless except provided only".split())
_DROPPED = frozenset(
    """
    also additionally again clearly consequently finally furthermore further hence however
    importantly indeed interestingly moreover namely notably now obviously of course so then there
    therefore thus too
    """.split()
)
"""Words that may be missing from a quotation anywhere."""


def is_quotation(sentence: str, quotes: Sequence[str]) -> bool:
    """Whether a sentence stands in one of the quotes: in one piece, or in order with words left
    out that say neither how much, nor on what condition, nor that it is not so.

    What may be left out in the middle are words in brackets, words between commas, and adverbs
    that join sentences.
    """
    return any(_is_part(sentence, quote) for quote in quotes)


def _is_part(sentence: str, quote: str) -> bool:
    own, held = _tokens(sentence), _tokens(quote)
    if not own:
        return False
    for start, token in enumerate(held):
        end = _end(own, held, start) if token == own[0] else None
        if end is not None and not _is_governed(held, start) and not _is_conditional(held, end):
            return True
    return False


def _is_conditional(held: Sequence[str], end: int) -> bool:
    """Whether words behind a place, in its clause, say on what condition."""
    for word in held[end:]:
        if word in ",;:.!?":
            return False
        if word in _CONDITIONS:
            return True
    return False


def _is_governed(held: Sequence[str], start: int) -> bool:
    """Whether words before a place, in its clause, say how much, on what condition, or not."""
    before = start
    while before > 0 and held[before - 1] not in ",;:.!?":
        before -= 1
    return any(word in _LIMITING or negations(word) for word in held[before:start])


def _end(own: Sequence[str], held: Sequence[str], start: int) -> int | None:
    """Where the tokens end that stand in `held` from `start` on, with nothing left out that
    counts; None if they do not.
    """
    at = start
    for token in own:
        gap = next((end for end in _ends(held, at) if held[end] == token), None)
        if gap is None:
            return None
        at = gap + 1
    return at


def _ends(held: Sequence[str], at: int) -> Iterator[int]:
    """The places at which a quotation may go on that has come to `at`."""
    if at < len(held):
        yield at
    for end in range(at + 1, len(held)):
        if _may_go(held[at:end]):
            yield end


def _may_go(gap: Sequence[str]) -> bool:
    """Whether a sentence says the same without the words of a gap."""
    words = [token for token in gap if token not in _PUNCTUATION]
    if any(word in _LIMITING or negations(word) for word in words):
        return False
    bracketed = gap[0] in _OPENING and gap[-1] in _CLOSING
    enclosed = len(gap) > 1 and gap[0] == gap[-1] == ","
    return bracketed or enclosed or all(word in _DROPPED for word in words)


def _tokens(text: str) -> list[str]:
    """Words, numbers and signs of a text in normal form, without the stop at its end."""
    tokens = _TOKEN.findall(NormalText.of(text).text)
    while tokens and tokens[-1] in ".!?,;:":
        tokens.pop()
    return tokens
