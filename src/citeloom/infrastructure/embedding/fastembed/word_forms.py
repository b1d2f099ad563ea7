"""The terms of words in languages other than English: folded, without stop words, stemmed.

A word is folded before it is stemmed, so that it gives the same term whether or not it is typed
with its accents; endings that a stemmer knows only with an accent get it back first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Protocol

Fold = Callable[[str], str]

STEMMERS: Mapping[str, str] = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}
"""The Snowball stemmer of each language."""

_WORD = re.compile(r"\w+")

_TELLING: Mapping[str, frozenset[str]] = {
    "es": frozenset("estado estados fuerza largo lugar tiempo trabajo valor verdad".split()),
    "fr": frozenset(
        "début essai force mine mot nom parole personne personnes pièce point sujet valeur voie "
        "état".split()
    ),
    "pt": frozenset(
        "caminho comprido corrente direita estado horas nome povo tempo trabalho valor "
        "verdade".split()
    ),
}
"""Nouns in the package's lists that a question may be about."""


class Stemmer(Protocol):
    """A Snowball stemmer."""

    def stem_word(self, word: str) -> str:
        """The stem of a word in lower case."""
        ...


class WordForms:
    """Makes the words of a language into terms."""

    def __init__(self, code: str) -> None:
        from py_rust_stemmers import SnowballStemmer  # noqa: PLC0415 - only who searches by words

        self._stemmer: Stemmer = SnowballStemmer(STEMMERS[code])
        self._folds = code in _FOLDS
        self._fold = _FOLDS.get(code, _as_it_is)
        self._stop_words = frozenset(map(self._fold, _stop_words(code)))

    def term(self, word: str) -> str:
        """The term of a word in lower case; empty for a stop word."""
        if self.is_stop_word(word):
            return ""
        stem = self._stemmer.stem_word(self._fold(word))
        return _without_accents(stem) if self._folds else stem

    def is_stop_word(self, word: str) -> bool:
        """Whether a word in lower case is one of those that are left out."""
        return self._fold(word) in self._stop_words


def _stop_words(code: str) -> frozenset[str]:
    """The stop words, split at apostrophes and hyphens as texts are; none without a list."""
    from stop_words import StopWordError, get_stop_words  # noqa: PLC0415 - only other languages

    try:
        listed = get_stop_words(STEMMERS[code])
    except StopWordError:
        return frozenset()
    parts = {part for word in listed for part in _WORD.findall(word.lower())}
    return frozenset(parts - _TELLING.get(code, frozenset()))


def _as_it_is(word: str) -> str:
    """For languages whose letters with marks are letters of their own."""
    return word


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    parted = unicodedata.normalize("NFD", word)
    latin = "".join(char for char in parted if not unicodedata.combining(char))
    return latin if latin.isascii() else word


_UMLAUTS = (
    (re.compile("ae"), "ä"),
    (re.compile("oe"), "ö"),
    (re.compile("(?<![aeiouqäöü])ue"), "ü"),
)
_KEPT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def _german(word: str) -> str:
    """Umlauts however they are typed; the stemmer makes them plain in the end."""
    folded = _without_accents(word.translate(_KEPT))
    for digraph, umlaut in _UMLAUTS:
        folded = digraph.sub(umlaut, folded)
    return folded


def _russian(word: str) -> str:
    """The letter io as ie, as it is mostly printed."""
    return word.replace("\u0451", "\u0435")


def _restoring(*endings: tuple[str, str]) -> Fold:
    """Folding that gives some endings the form back that the stemmer knows, or the singular that it
    does not.
    """
    patterns = tuple((re.compile(f"(?:{plain})$"), known) for plain, known in endings)

    def fold(word: str) -> str:
        folded = _without_accents(word)
        for pattern, known in patterns:
            folded, found = pattern.subn(known, folded)
            if found:
                break
        return folded

    return fold


_FOLDS: Mapping[str, Fold] = {
    "de": _german,
    "fr": _restoring(("ite", "ité"), ("ites", "ités"), ("ee", "ée"), ("ees", "ées")),
    "es": _restoring(
        ("acion", "ación"), ("ucion", "ución"), ("logia", "logía"), ("(?<=[aeiou])ces", "z")
    ),
    "pt": _restoring(
        ("cao|coes", "ção"),
        ("ao|oes|aes", "ão"),
        ("ancia", "ância"),
        ("encia", "ência"),
        ("avel|aveis", "ável"),
        ("ivel|iveis", "ível"),
        ("ais", "al"),
        ("eis", "el"),
        ("ns", "m"),
    ),
    "it": _restoring(("ita", "ità")),
    "nl": _without_accents,
    "ru": _russian,
}
