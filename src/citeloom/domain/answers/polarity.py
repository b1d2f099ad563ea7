"""What turns a statement into another one by a single word: numbers and negations."""

from __future__ import annotations

import re
from collections import Counter

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
