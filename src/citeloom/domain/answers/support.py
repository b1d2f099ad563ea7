"""Whether a sentence says what its quotes say, as far as words can tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from citeloom.domain.answers.polarity import numbers

LEAST_SUPPORT = 0.5
"""The share of a sentence's content words that must be in its quotes."""
_STEM = 5
_LEAST_LETTERS = 4
_WORD = re.compile(r"[^\W_][\w'\u2019-]*")
_FUNCTION_WORDS = frozenset(
    """
    about after also among because been before being between both could does doing during each from
    further have having here into more most much only other over same should some such than that
    their them then there these they this those through under until very were what when where which
    while whom will with would your
    aber alle auch auf aus bei dass dem den der des die diese dieser dieses durch eine einem einen
    einer eines für haben hat ist mit nach oder sich sind über und unter vom von war waren werden
    wird wurde zum zur
    como com das dos ela ele eles essa esse esta este foi foram mais mas muito para pela pelo pelos
    por que são ser seu sua também uma umas uns
    """.split()
)


def content_words(text: str) -> list[str]:
    """The words of a text that carry its content, without function words."""
    words = (word.strip("'\u2019-").casefold() for word in _WORD.findall(text))
    return [word for word in words if len(word) >= _LEAST_LETTERS and word not in _FUNCTION_WORDS]


def support(sentence: str, quotes: Iterable[str]) -> float:
    """The share of the sentence's content words that are in the quotes, up to their endings.

    1 for a sentence without content words.
    """
    wanted = [_stem(word) for word in content_words(sentence)]
    held = {_stem(word) for quote in quotes for word in content_words(quote)}
    return sum(word in held for word in wanted) / len(wanted) if wanted else 1.0


def adds_numbers(sentence: str, quotes: Sequence[str]) -> bool:
    """Whether the sentence has a number that none of the quotes has."""
    held = numbers("\n".join(quotes))
    return any(number not in held for number in numbers(sentence))


def superfluous(sentence: str, quote: str, others: Sequence[str]) -> bool:
    """Whether the other quotes support the sentence as well without this one."""
    return bool(others) and support(sentence, others) >= support(sentence, (quote, *others))


def _stem(word: str) -> str:
    return word[:_STEM]
