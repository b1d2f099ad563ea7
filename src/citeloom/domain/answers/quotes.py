"""Whether words that a model quotes stand in a passage, and whether a sentence is a quotation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, floor

from citeloom.domain.text.near import CommonPiece, negations, numbers, pieces_in_common
from citeloom.domain.text.normal_form import NormalText
from citeloom.domain.text.verbatim import is_inside, occurrences, whole_words
from citeloom.domain.text.word_lists import word_list

# Whether a quote is in a passage: word for word, or nearly so.

NEAR_SHARE = 0.85
LEAST_CHARACTERS = 12
LONGEST_QUOTE = 4_000
_INFLECTION = 3
_BEFORE = re.compile(r"([^\W\d_]+(?:'[^\W\d_]+)?)[ ,]*\Z")
_AFTER = re.compile(r"[ ,]*([^\W\d_]+(?:'[^\W\d_]+)?)")
_LONGEST_WORD = 40
_MOST_PIECES = 200
"""So many of the longest pieces are read for what they say: a passage that repeats itself more
often says the same each time.
"""
_SLACK = 12
"""How far beyond a near quote a word may stand that was left out of it."""


class QuoteMatch(StrEnum):
    """How a quote was found."""

    EXACT = "exact"
    NEAR = "near"


@dataclass(frozen=True, slots=True)
class FoundQuote:
    """Where in a passage a quote is, and how much of it is there in one piece."""

    match: QuoteMatch
    start: int
    end: int
    share: float = 1.0


def find_quote(quote: str, passage: str) -> FoundQuote | None:
    """Where `passage` holds the quote; None where it does not.

    Exact: whole words, equal in their normal form. Near: at least 85 % of the quote and 12
    characters in one piece, with no number that is not there and with just the negations that are
    there. In either case no negation stands right before or behind what is quoted.
    """
    if len(quote) > LONGEST_QUOTE:
        return None
    words, normal = NormalText.of(quote).text, NormalText.of(passage)
    if len(words) < LEAST_CHARACTERS:
        return None
    for start in occurrences(words, normal.text):
        end = start + len(words)
        cuts = is_inside(normal.text, start) or is_inside(normal.text, end)
        if not cuts and not _leaves_negation(normal.text, start, end):
            return FoundQuote(QuoteMatch.EXACT, *normal.span(start, end))
    least = max(ceil(NEAR_SHARE * len(words)), LEAST_CHARACTERS)
    meaning = numbers(words), negations(words)
    for piece in pieces_in_common(words, normal.text, least)[:_MOST_PIECES]:
        if _says_the_same(words, normal.text, meaning, piece):
            start, end = whole_words(normal.text, piece.place, piece.place + piece.size)
            share = floor(piece.size / len(words) * 1e4) / 1e4
            return FoundQuote(QuoteMatch.NEAR, *normal.span(start, end), share=share)
    return None


_Meaning = tuple[Counter[str], Counter[str]]
"""The numbers and the negations of a text."""


def _says_the_same(quote: str, passage: str, meaning: _Meaning, piece: CommonPiece) -> bool:
    """Whether what the quote has beside the piece leaves numbers, negations and words their own:
    the piece begins with a word, since impossible is not possible, and ends with one, give or take
    an inflection.
    """
    quote_end, end = piece.at + piece.size, piece.place + piece.size
    if (
        _leaves_negation(passage, piece.place, end)
        or is_inside(quote, piece.at)
        or is_inside(passage, piece.place)
    ):
        return False
    for text, place in ((quote, quote_end), (passage, end)):
        ending = text[place : whole_words(text, place, place)[1]]
        if ending and not (ending.isalpha() and len(ending) <= _INFLECTION):
            return False
    before, after = piece.at, len(quote) - quote_end
    start, end = whole_words(
        passage,
        max(piece.place - before - (_SLACK if before else 0), 0),
        min(end + after + (_SLACK if after else 0), len(passage)),
    )
    counted, negated = meaning
    there = passage[start:end]
    return not counted - numbers(there) and negated == negations(there)


def _leaves_negation(text: str, start: int, end: int) -> bool:
    """Whether the word before or behind the span, in the same sentence, is a negation."""
    before = _BEFORE.search(text[max(start - _LONGEST_WORD, 0) : start])
    after = _AFTER.match(text[end : end + _LONGEST_WORD])
    return any(piece is not None and negations(piece[1]) for piece in (before, after))


# Whether a sentence is a quotation: a quote word for word, or with words left out of it.

_TOKEN = re.compile(r"[^\W_]+(?:['.,/-][^\W_]+)*|[^\s\w]|_")
_PUNCTUATION = frozenset(".,;:!?\"'()[]{}…-")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def is_quotation(sentence: str, quotes: Sequence[str]) -> bool:
    """Whether a sentence stands in one of the quotes: in one piece, or in order with words left
    out that say neither how much, nor on what condition, nor that it is not so.

    What may be left out in the middle are words in brackets, words between commas, and adverbs
    that join sentences.
    """
    tokens = _tokens(sentence)
    if not tokens:
        return False
    for quote_tokens in map(_tokens, quotes):
        for start, token in enumerate(quote_tokens):
            end = _end(tokens, quote_tokens, start) if token == tokens[0] else None
            if (
                end is not None
                and not _is_governed(quote_tokens, start)
                and not _is_conditional(quote_tokens, end)
            ):
                return True
    return False


def _is_conditional(quote_tokens: Sequence[str], end: int) -> bool:
    """Whether words behind a place, in its clause, say on what condition."""
    for word in quote_tokens[end:]:
        if word in ",;:.!?":
            return False
        if word in word_list("conditional of a quotation"):
            return True
    return False


def _is_governed(quote_tokens: Sequence[str], start: int) -> bool:
    """Whether words before a place, in its clause, say how much, on what condition, or not; or
    whether its sentence begins with a condition.
    """
    before, first = (
        next((at for at in range(start, 0, -1) if quote_tokens[at - 1] in marks), 0)
        for marks in (",;:.!?", ".!?")
    )
    conditional = first < start and quote_tokens[first] in word_list("conditional of a quotation")
    return conditional or any(
        word in word_list("limiting") or negations(word) for word in quote_tokens[before:start]
    )


def _end(tokens: Sequence[str], quote_tokens: Sequence[str], start: int) -> int | None:
    """Where the tokens end that stand in `quote_tokens` from `start` on, with nothing left out that
    counts; None if they do not.
    """
    at = start
    for token in tokens:
        ends = (
            end
            for end in range(at, len(quote_tokens))
            if quote_tokens[end] == token and (end == at or _may_go(quote_tokens[at:end]))
        )
        end = next(ends, None)
        if end is None:
            return None
        at = end + 1
    return at


def _may_go(gap: Sequence[str]) -> bool:
    """Whether a sentence says the same without the words of a gap."""
    words = [token for token in gap if token not in _PUNCTUATION]
    if any(word in word_list("limiting") or negations(word) for word in words):
        return False
    bracketed = gap[0] in _OPENING and gap[-1] in _CLOSING
    enclosed = len(gap) > 1 and gap[0] == gap[-1] == ","
    return bracketed or enclosed or all(word in word_list("dropped") for word in words)


def _tokens(text: str) -> list[str]:
    """Words, numbers and signs of a text in normal form, without the stop at its end."""
    tokens = _TOKEN.findall(NormalText.of(text).text)
    while tokens and tokens[-1] in ".!?,;:":
        tokens.pop()
    return tokens
