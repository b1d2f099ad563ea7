"""Whether passages say how many there are of what a question asks to count, and its figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, takewhile

from citeloom.domain.answers.claim_words import Statement, is_amount, statement, stem, units
from citeloom.domain.documents.language import clear_language
from citeloom.domain.text.word_lists import word_list

_HOW_MANY = re.compile(r"\bhow many\s+(\w.*)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_MOST_WORDS = 3
"""How many words may name what is counted: `how many interactive students`."""
_NEAR = 3
"""How many words a number may stand before what it counts: `four consecutive academic years`."""
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


def asked_to_count(question: str) -> tuple[str, ...]:
    """The words whose number a question in English asks for; none of any other question."""
    asked = _HOW_MANY.search(question)
    words = _WORD.findall(asked[1].casefold()) if asked else ()
    named = takewhile(lambda word: word not in word_list("question"), words)
    return tuple(islice(named, _MOST_WORDS))


def say_how_many(texts: Sequence[str], counted: Sequence[str]) -> bool:
    """Whether one of some texts has a number shortly before one of the words, in any of its forms,
    or with the unit that they are. A text in another language than English may say it otherwise.
    """
    stems = frozenset(map(stem, counted))
    asked_units = frozenset(units()[word] for word in counted if word in units())
    return any(
        clear_language(text) not in {None, "en"} or _counts(statement(text), stems, asked_units)
        for text in texts
    )


def unsaid_figures(
    lacking: Iterable[str], texts: Sequence[str], beside: Iterable[str]
) -> tuple[str, ...]:
    """Which of the words that a passage lacks are numbers in digits: but for those that one of some
    texts writes otherwise (`four`, `1,000`), and those in what stands beside these, such as a
    heading or the year of a reference.
    """
    figures = sorted(word for word in lacking if _FIGURE.fullmatch(word))
    said = {word for text in beside for word in _FIGURE.findall(text)} if figures else ()
    return tuple(word for word in figures if word not in said and not _otherwise(word, texts))


def _otherwise(figure: str, texts: Sequence[str]) -> bool:
    values = {quantity.value for quantity in statement(figure).quantities}
    return any(
        quantity.value in values and text.words[quantity.place].text != figure
        for text in map(statement, texts)
        for quantity in text.quantities
    )


def _counts(text: Statement, stems: frozenset[str], asked_units: frozenset[str]) -> bool:
    words = text.words
    return any(
        word.stem in stems and any(map(is_amount, words[max(at - _NEAR, 0) : at]))
        for at, word in enumerate(words)
    ) or any(
        (quantity.unit or ("%" if quantity.kind == "fraction" else "")) in asked_units
        for quantity in text.quantities
    )
