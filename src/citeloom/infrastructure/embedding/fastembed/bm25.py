"""FastEmbed's BM25 without FastEmbed, whose import would add a third to a cold question; the stop
words are our own.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from citeloom.domain.documents.language import LANGUAGE_NAMES, TERM_LANGUAGES
from citeloom.domain.errors import ConfigError
from citeloom.domain.retrieval.passage import SparseVector
from citeloom.domain.text.hebrew_arabic import unpointed
from citeloom.domain.text.normal_form import INVISIBLE
from citeloom.domain.text.tokens import (
    UNSEGMENTED,
    has_unsegmented,
    pairs_of_letters,
    parts_with_signs,
    words_with_signs,
)
from citeloom.domain.text.word_lists import word_list

# The terms of words in languages other than English: folded, without stop words, stemmed.

Fold = Callable[[str], str]
STEMMERS: Mapping[str, str] = {
    code: LANGUAGE_NAMES[code].lower() for code in sorted(TERM_LANGUAGES)
}
"""The Snowball stemmer of each language."""
_WORD = re.compile(r"\w+")


class WordForms:
    """Makes the words of a language into terms."""

    def __init__(self, code: str) -> None:
        from py_rust_stemmers import SnowballStemmer  # noqa: PLC0415 - only who searches by words

        self._stemmer = SnowballStemmer(STEMMERS[code])
        self._folds = code in _FOLDS
        self._fold = _FOLDS.get(code, str)
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
    """The stop words, split at apostrophes and hyphens as texts are, without nouns that a question
    may be about; none without a list.
    """
    from stop_words import StopWordError, get_stop_words  # noqa: PLC0415 - only other languages

    try:
        listed = get_stop_words(STEMMERS[code])
    except StopWordError:
        return frozenset()
    parts = frozenset(part for word in listed for part in _WORD.findall(unpointed(word).lower()))
    return parts - word_list("no stop word", code)


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
_TRANSLITERATION = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def _german(word: str) -> str:
    """Umlauts however they are typed; the stemmer makes them plain in the end."""
    folded = _without_accents(word.translate(_TRANSLITERATION))
    for digraph, umlaut in _UMLAUTS:
        folded = digraph.sub(umlaut, folded)
    return folded


def _restoring(*endings: tuple[str, str]) -> Fold:
    """Folding that gives some endings the form back that the stemmer knows, or the singular that it
    does not.
    """
    patterns = tuple((re.compile(f"(?:{plain})$"), known) for plain, known in endings)

    def fold(word: str) -> str:
        folded = _without_accents(word)
        for pattern, known in patterns:
            folded, count = pattern.subn(known, folded)
            if count:
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
    "ru": lambda word: word.replace("\u0451", "\u0435"),  # io is mostly printed as ie
}
"""Of other languages letters with marks are letters of their own."""
MODEL_ID = "Qdrant/bm25"
LANGUAGES = sorted(name.lower() for name in LANGUAGE_NAMES.values())
_LONGEST = 40
_TOKEN = re.compile(rf"[{UNSEGMENTED}]+|\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25Settings:
    """The constants of BM25, which stored vectors depend on, as on the list of English stop words.

    `k` limits the effect of term frequency, `b` is the strength of length normalisation, and
    `average_length` is the assumed mean length in terms without stop words, that of a chunk of
    200 tokens.
    `language` chooses the stemmer of texts that have no language of their own; stop words are left
    out of questions, and of passages in English.
    """

    k: float = 1.2
    b: float = 0.75
    average_length: float = 95.0
    language: str = "english"


def is_bm25(model_id: str) -> bool:
    """Whether the name is BM25's, of whatever language; case does not count, as with FastEmbed."""
    return model_id.partition(":")[0].lower() == MODEL_ID.lower()


def tells_languages_apart(model_id: str) -> bool:
    """Whether each text is stemmed in its own language: with BM25 whose name has no language."""
    return is_bm25(model_id) and language_of(model_id) is None


def language_of(model_id: str) -> str | None:
    """The language that follows the name: `Qdrant/bm25:portuguese`; None without one."""
    return model_id.partition(":")[2].lower() or None


class Bm25:
    """BM25's term weights without inverse document frequency, the same as FastEmbed's.

    A text with a `language` of its own is stemmed and folded as that language is. Raises
    `ConfigError` for settings that name one without a stemmer.
    """

    def __init__(self, settings: Bm25Settings) -> None:
        from py_rust_stemmers import SnowballStemmer  # noqa: PLC0415 - only who searches by words

        self._settings = settings
        self._languages: dict[str, WordForms] = {}
        is_english = settings.language == "english"
        self._stop_words = word_list("stop word of stored terms") if is_english else frozenset()
        self._own_code = next(
            (c for c, name in STEMMERS.items() if name == settings.language), None
        )
        try:
            self._stemmer = SnowballStemmer(settings.language)
        except ValueError as error:
            raise ConfigError(
                f"BM25 has no stemmer for '{settings.language}'",
                f"Choose one of {', '.join(LANGUAGES)}.",
            ) from error

    def passage(self, text: str, language: str | None = None) -> SparseVector:
        """The weight of each term of a passage. Words with signs do not count in its length, so
        that all others weigh the same with and without them.
        """
        terms = self._terms(text, language)
        k, b = self._settings.k, self._settings.b
        length = k * (1 - b + b * len(terms) / self._settings.average_length)
        counted = Counter([*terms, *_signed(text)])
        return SparseVector.of({_hash(t): n * (k + 1) / (n + length) for t, n in counted.items()})

    def query(self, text: str, language: str | None = None) -> SparseVector:
        """The terms of a question, all of the same weight, without stop words."""
        signed = _signed(text)
        if language is None and self._own_code is not None:
            forms = self._forms(self._own_code)
            words = _TOKEN.findall(normalised(text).lower())
            text = " ".join(word for word in words if not forms.is_stop_word(word))
        # Runs without spaces also as whole words, which is how passages had them at first.
        words = _WORD.findall(normalised(text).lower())
        whole = [word for word in words if len(word) <= _LONGEST and has_unsegmented(word)]
        terms = {*self._terms(text, language), *whole, *signed}
        return SparseVector.of({_hash(term): 1.0 for term in terms})

    def signs(self, text: str) -> SparseVector:
        """The terms of the words with signs alone, as they stand in a question."""
        words = words_with_signs(normalised(text).lower())
        return SparseVector.of({_hash(word): 1.0 for word in words})

    def _terms(self, text: str, language: str | None) -> list[str]:
        term = self._forms(language).term if language else self._stem
        words = (word for word in words_in(normalised(text).lower()) if word != "_")
        return [stem for stem in (term(word) for word in words if len(word) <= _LONGEST) if stem]

    def _stem(self, word: str) -> str:
        return "" if word in self._stop_words else self._stemmer.stem_word(word)

    def _forms(self, language: str) -> WordForms:
        if language not in self._languages:
            self._languages[language] = WordForms(language)
        return self._languages[language]


def _signed(text: str) -> list[str]:
    words = list(words_with_signs(normalised(text).lower()))
    return [*words, *(part for word in words for part in parts_with_signs(word))]


def words_in(text: str) -> Iterator[str]:
    """The words of a text; of scripts that do not part them by spaces, each two letters."""
    for token in _TOKEN.findall(text):
        yield from pairs_of_letters(token)


def _hash(term: str) -> int:
    import mmh3  # noqa: PLC0415 - only who searches by words

    return abs(mmh3.hash(term))


def normalised(text: str) -> str:
    """`text` with composed letters, ligatures and widths normalised, and invisible characters and
    the points of Hebrew and Arabic removed, so that the same word always gives the same term.
    """
    return unpointed(unicodedata.normalize("NFKC", text.translate(INVISIBLE)))
