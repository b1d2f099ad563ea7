"""Whether words stand in a text: normal form, negation and numbers, support, and quotes with words
left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from citeloom.domain.documents.text import NormalText, content_words

# What turns a statement into another one by a single word: numbers and negations.

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


_NUMBER = re.compile(r"(?<![\w.,])[-+]?\d+(?:[.,]\d+)*|\d+(?:[.,]\d+)*|[²³¹⁰-⁹₀-₉¼-¾]")


_NEGATIONS = frozenset(
    """
    not no never none neither nor nobody nothing nowhere cannot without hardly barely except
    nicht kein keine keinen keinem keiner keines nie niemals niemand nichts weder ohne kaum
    não nao nunca nenhum nenhuma nem sem jamais ninguém nada
    pas sans ni nunca sin jamás ningún ninguna
    """.split()
)


_NUMBER_WORDS = frozenset(
    """
    one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred
    thousand million billion half twice once double
    zwei drei vier fünf sechs sieben acht neun zehn elf zwölf hundert tausend halb doppelt
    dois duas três quatro cinco seis sete oito nove dez onze doze cem mil metade dobro
    """.split()
)


def negations(text: str) -> Counter[str]:
    """The negating words of a text, English contractions as `not`."""
    found: Counter[str] = Counter()
    for word in _words(text):
        if word.endswith("n't") or word == "cannot":
            found["not"] += 1
        elif word in _NEGATIONS:
            found[word] += 1
    return found


def numbers(text: str) -> Counter[str]:
    """The numbers of a text as they are written, in digits and in words."""
    digits = (found.replace(",", ".").removeprefix("+") for found in _NUMBER.findall(text))
    return Counter(digits) + Counter(word for word in _words(text) if word in _NUMBER_WORDS)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.replace("\u2019", "'").casefold())


# Whether a sentence says what its quotes say, as far as words can tell.

LEAST_SUPPORT = 0.5
"""The share of a sentence's content words that must be in its quotes."""


_STEM = 5


def support(sentence: str, quotes: Iterable[str]) -> float:
    """The share of the sentence's content words that are in the quotes, up to their endings.

    1 for a sentence without content words.
    """
    stems = [_stem(word) for word in content_words(sentence)]
    quote_stems = {_stem(word) for quote in quotes for word in content_words(quote)}
    return sum(word in quote_stems for word in stems) / len(stems) if stems else 1.0


def adds_numbers(sentence: str, quotes: Sequence[str]) -> bool:
    """Whether the sentence has a number that none of the quotes has."""
    quote_numbers = numbers("\n".join(quotes))
    return any(number not in quote_numbers for number in numbers(sentence))


def superfluous(sentence: str, quote: str, others: Sequence[str]) -> bool:
    """Whether the other quotes support the sentence as well without this one."""
    return bool(others) and support(sentence, others) >= support(sentence, (quote, *others))


def _stem(word: str) -> str:
    return word[:_STEM]


# Whether a sentence is a quotation: a quote word for word, or with words left out of it.

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
        if word in _CONDITIONS:
            return True
    return False


def _is_governed(quote_tokens: Sequence[str], start: int) -> bool:
    """Whether words before a place, in its clause, say how much, on what condition, or not; or
    whether its sentence begins with a condition.
    """
    before, first = (_beginning(quote_tokens, start, marks) for marks in (",;:.!?", ".!?"))
    conditional = first < start and quote_tokens[first] in _CONDITIONS
    return conditional or any(
        word in _LIMITING or negations(word) for word in quote_tokens[before:start]
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
