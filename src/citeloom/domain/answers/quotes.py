"""Whether words stand in a text: a quote word for word or nearly so, a sentence as a quotation with
words left out, or a share of its words; and the numbers and negations that tell texts apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, floor

from citeloom.domain.documents.text import NormalText, content_words
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
    candidates = (
        _piece(quote, passage.text, first, at, len(core)) for at in _occurrences(core, passage.text)
    )
    pieces = sorted(
        (piece for piece in candidates if piece[2] >= least), key=lambda piece: -piece[2]
    )
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
    return any(piece is not None and negations(piece[1]) for piece in (before, after))


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


# What turns a statement into another one by a single word: numbers and negations.

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_NUMBER = re.compile(r"(?<![\w.,])[-+]?\d+(?:[.,]\d+)*|\d+(?:[.,]\d+)*|[²³¹⁰-⁹₀-₉¼-¾]")


def negations(text: str) -> Counter[str]:
    """The negating words of a text, English contractions as `not`."""
    counts: Counter[str] = Counter()
    for word in _words(text):
        if word.endswith("n't") or word == "cannot":
            counts["not"] += 1
        elif word in word_list("not", "en", "de", "pt", "fr", "es"):
            counts[word] += 1
    return counts


def numbers(text: str) -> Counter[str]:
    """The numbers of a text as they are written, in digits and in words."""
    digits = (number.replace(",", ".").removeprefix("+") for number in _NUMBER.findall(text))
    return Counter(digits) + Counter(
        word for word in _words(text) if word in word_list("number", "en", "de", "pt")
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.replace("\u2019", "'").casefold())


# How much of a sentence its quotes have, word for word.

_STEM = 5


def support(sentence: str, quotes: Iterable[str]) -> float:
    """The share of the sentence's content words that are in the quotes, up to their endings.

    1 for a sentence without content words.
    """
    stems = [word[:_STEM] for word in content_words(sentence)]
    quote_stems = {word[:_STEM] for quote in quotes for word in content_words(quote)}
    return sum(word in quote_stems for word in stems) / len(stems) if stems else 1.0


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
    return any(_is_part(sentence, quote) for quote in quotes)


def _is_part(sentence: str, quote: str) -> bool:
    own, quote_tokens = _tokens(sentence), _tokens(quote)
    if not own:
        return False
    for start, token in enumerate(quote_tokens):
        end = _end(own, quote_tokens, start) if token == own[0] else None
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
    before, first = (_beginning(quote_tokens, start, marks) for marks in (",;:.!?", ".!?"))
    conditional = first < start and quote_tokens[first] in word_list("conditional of a quotation")
    return conditional or any(
        word in word_list("limiting") or negations(word) for word in quote_tokens[before:start]
    )


def _beginning(quote_tokens: Sequence[str], start: int, marks: str) -> int:
    """The place behind the last mark before a place."""
    places = range(start, 0, -1)
    return next((at for at in places if quote_tokens[at - 1] in marks), 0)


def _end(own: Sequence[str], quote_tokens: Sequence[str], start: int) -> int | None:
    """Where the tokens end that stand in `quote_tokens` from `start` on, with nothing left out that
    counts; None if they do not.
    """
    at = start
    for token in own:
        gap = next((end for end in _ends(quote_tokens, at) if quote_tokens[end] == token), None)
        if gap is None:
            return None
        at = gap + 1
    return at


def _ends(quote_tokens: Sequence[str], at: int) -> Iterator[int]:
    """The places at which a quotation may go on that has come to `at`."""
    if at < len(quote_tokens):
        yield at
    for end in range(at + 1, len(quote_tokens)):
        if _may_go(quote_tokens[at:end]):
            yield end


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
