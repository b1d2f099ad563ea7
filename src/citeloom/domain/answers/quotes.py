"""Whether a quote is in a passage: word for word, or nearly so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, floor

from citeloom.domain.answers.text_match import negations, numbers
from citeloom.domain.documents.text import NormalText

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
    normal_quote, normal_passage = NormalText.of(quote), NormalText.of(passage)
    if len(normal_quote.text) < LEAST_CHARACTERS:
        return None
    return _exact(normal_quote.text, normal_passage) or _near(normal_quote.text, normal_passage)


def _exact(quote: str, passage: NormalText) -> FoundQuote | None:
    for start in _occurrences(quote, passage.text):
        end = start + len(quote)
        if _is_whole(passage.text, start, end) and not _leaves_negation(passage.text, start, end):
            return FoundQuote(QuoteMatch.EXACT, *passage.span(start, end))
    return None


def _near(quote: str, passage: NormalText) -> FoundQuote | None:
    """The longest piece that is long enough and says the same.

    A piece of 85 % holds the middle 70 % of the quote, wherever it begins.
    """
    least = max(ceil(NEAR_SHARE * len(quote)), LEAST_CHARACTERS)
    first, last = len(quote) - least, least
    core = quote[first : max(last, first + 1)]
    found = (
        _piece(quote, passage.text, first, at, len(core)) for at in _occurrences(core, passage.text)
    )
    pieces = sorted((piece for piece in found if piece[2] >= least), key=lambda piece: -piece[2])
    meaning = _meaning(quote)
    said = (
        candidate
        for candidate in pieces[:_MOST_PIECES]
        if _says_the_same(quote, passage.text, meaning, candidate)
    )
    piece = next(said, None)
    if piece is None:
        return None
    _, at, size = piece
    start, end = _whole_words(passage.text, at, at + size)
    return FoundQuote(
        QuoteMatch.NEAR, *passage.span(start, end), share=floor(size / len(quote) * 1e4) / 1e4
    )


_Piece = tuple[int, int, int]
"""Where a common piece begins in the quote and in the passage, and its length."""
_Meaning = tuple[Counter[str], Counter[str]]
"""The numbers and the negations of a text."""


def _meaning(text: str) -> _Meaning:
    return numbers(text), negations(text)


def _piece(quote: str, passage: str, own: int, at: int, size: int) -> _Piece:
    """The piece that begins so, made as long as it can be at both ends."""
    before = _common_length(quote[:own][::-1], passage[max(at - own, 0) : at][::-1])
    rest = quote[own + size :]
    after = _common_length(rest, passage[at + size : at + size + len(rest)])
    return own - before, at - before, before + size + after


def _common_length(first: str, second: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _says_the_same(quote: str, passage: str, meaning: _Meaning, piece: _Piece) -> bool:
    """Whether what the quote has beside the piece leaves numbers, negations and words their own."""
    own, at, size = piece
    before, after = own, len(quote) - own - size
    if _leaves_negation(passage, at, at + size):
        return False
    if not _same_word(quote, passage, own, at) or not _same_ending(
        quote, passage, own + size, at + size
    ):
        return False
    start, end = _whole_words(
        passage,
        max(at - before - (_SLACK if before else 0), 0),
        min(at + size + after + (_SLACK if after else 0), len(passage)),
    )
    counted, negated = meaning
    there, denied = _meaning(passage[start:end])
    return not counted - there and negated == denied


def _same_word(quote: str, passage: str, own: int, at: int) -> bool:
    """Whether the piece begins with a word: another beginning is another word, as of impossible."""
    return not _is_inside(quote, own) and not _is_inside(passage, at)


def _same_ending(quote: str, passage: str, own: int, at: int) -> bool:
    """Whether the piece ends with a word, give or take an inflection."""
    endings = (quote[own : _word_end(quote, own)], passage[at : _word_end(passage, at)])
    return all(ending.isalpha() and len(ending) <= _INFLECTION for ending in endings if ending)


def _word_end(text: str, place: int) -> int:
    while place < len(text) and _is_inside(text, place):
        place += 1
    return place


def _occurrences(part: str, text: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether the span neither begins nor ends within a word or a number."""
    return not _is_inside(text, start) and not _is_inside(text, end)


def _leaves_negation(text: str, start: int, end: int) -> bool:
    """Whether the word before or behind the span, in the same sentence, is a negation."""
    before = _BEFORE.search(text[max(start - _LONGEST_WORD, 0) : start])
    after = _AFTER.match(text[end : end + _LONGEST_WORD])
    return any(found is not None and negations(found[1]) for found in (before, after))


def _is_inside(text: str, place: int) -> bool:
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    if before.isalnum() and after.isalnum():
        return True
    return _splits_number(text[max(place - 2, 0) : place], text[place : place + 2])


def _splits_number(before: str, after: str) -> bool:
    """Whether a number goes on from one text to the other: `3.` and `5`, or `-` and `5`."""
    if after[0].isdigit():
        return before[-1] in "-+" or (before[-1] in ".," and before[0].isdigit())
    return before[-1].isdigit() and after[0] in ".," and after[-1].isdigit()


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The span made longer until it ends at word ends."""
    while start > 0 and _is_inside(text, start):
        start -= 1
    while end < len(text) and _is_inside(text, end):
        end += 1
    return start, end
