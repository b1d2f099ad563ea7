"""Whether a question needs what was said before it, and what of that it needs.

A question is a follow-up if it has a word that stands for something said before (`it`, `dort`,
`dele`), begins as an ellipsis does (`And in winter?`), or names no subject of its own: no name, and
few words that carry content. Names and the rarest other words of the question before are then
carried over; what that question itself carried is part of it, so a subject lasts for several turns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from citeloom.domain.answers import question_forms as forms
from citeloom.domain.fit import Wording
from citeloom.domain.function_words import languages_of_question

_WORD = re.compile(r"[^\W_](?:[\w.'\u2019/+-]*[^\W_])?[+#]*")
_DOTTED = re.compile(r"\w{2,}\.[^\W\d_]\w*")
_STEM = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CarryPolicy:
    """How many content words still name no subject, and how many terms are carried at most, also
    beside a question that has names of its own.
    """

    few_words: int = 3
    most_terms: int = 6
    beside_names: int = 2


def is_follow_up(question: str, policy: CarryPolicy | None = None) -> bool:
    """Whether the question needs what was said before it."""
    few = (policy or CarryPolicy()).few_words
    if _refers(question, few):
        return True
    content = content_words(question)
    if content and forms.DEFINING.match(question):
        return False
    if forms.OPENINGS.match(question):
        return True
    return not names(question) and len(content) <= few


def carried_terms(
    question: str, before: str, wording: Wording, policy: CarryPolicy | None = None
) -> tuple[str, ...]:
    """The names and rarest words of the question asked before, in their order there, that the
    question itself has not. `wording` is how that question stands in the library.
    """
    policy = policy or CarryPolicy()
    own = {_stem(word) for word in _WORD.findall(question)}
    named = names(before)
    known = dict.fromkeys(
        word for word in (*named, *content_words(before)) if _stem(word) not in own
    )
    by_weight = sorted(known, key=lambda word: (word not in named, -wording.weights.get(word, 0.0)))
    most = policy.beside_names if names(question) else policy.most_terms
    chosen = set(by_weight[:most])
    return tuple(dict.fromkeys(word for word in _WORD.findall(before) if word in chosen))


def with_terms(question: str, terms: tuple[str, ...]) -> str:
    """The question with terms behind it."""
    return f"{question} ({', '.join(terms)})" if terms else question


def content_words(question: str) -> list[str]:
    """The words of a question that carry content, without names and numbers."""
    empty = _of_its_languages(forms.FUNCTION_WORDS, question)
    empty |= _of_its_languages(forms.ANAPHORS, question)
    return [
        word
        for word in _WORD.findall(question)
        if len(word) > 1 and word.casefold() not in empty and not word.isnumeric()
    ]


def names(question: str) -> list[str]:
    """The words of a question that name something: with a capital behind its first letter, with
    letters and digits, or with a capital behind the first word where that means a name.
    """
    words = _WORD.findall(question)
    german = "de" in languages_of_question(question)
    empty = _of_its_languages(forms.FUNCTION_WORDS, question)
    return [
        word
        for place, word in enumerate(words)
        if _looks_like_a_name(word)
        or (place and not german and word[0].isupper() and word.casefold() not in empty)
    ]


def _refers(question: str, few_words: int) -> bool:
    """Whether a word stands for something said before, and not for something in the question."""
    anaphors = _of_its_languages(forms.ANAPHORS, question) | forms.IT
    if forms.EXPLETIVES.search(question):
        anaphors -= forms.IT
    phrases = {found.start() for found in forms.REFERRING.finditer(question)}
    named, content = set(names(question)), set(content_words(question))
    passed = 0
    for found in _WORD.finditer(question):
        word = found[0]
        if found.start() in phrases or (word.casefold() in anaphors and word not in forms.FORMAL):
            return True
        passed += word in content
        if word in named or passed > few_words:
            return False
    return False


def _looks_like_a_name(word: str) -> bool:
    """Whether a word is written as no other word is: `nbGrader`, `h5py`, `causal.jl`."""
    letters = any(char.isalpha() for char in word)
    digits = any(char.isdigit() for char in word)
    capital = any(char.isupper() for char in word[1:])
    return capital or (letters and digits) or _DOTTED.fullmatch(word) is not None


def _of_its_languages(words: Mapping[str, frozenset[str]], question: str) -> frozenset[str]:
    """The words of the languages that a question is in, of all where none tells."""
    known = [code for code in languages_of_question(question) if code in words]
    return frozenset().union(*(words[code] for code in known or words))


def _stem(word: str) -> str:
    return word.casefold()[:_STEM]
