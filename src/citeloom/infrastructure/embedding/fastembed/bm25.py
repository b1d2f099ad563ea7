"""FastEmbed's BM25 without FastEmbed, whose import alone takes longer than a question; the stop
words are our own.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from citeloom.domain.errors import ConfigError
from citeloom.domain.passage import SparseVector
from citeloom.infrastructure.embedding.fastembed.stop_words import ENGLISH_STOP_WORDS
from citeloom.infrastructure.embedding.fastembed.word_forms import STEMMERS, WordForms

MODEL_ID = "Qdrant/bm25"

LANGUAGES = (
    "arabic danish dutch english finnish french german greek hungarian italian norwegian "
    "portuguese romanian russian spanish swedish tamil turkish"
).split()

_WORD = re.compile(r"\w+")
_LONGEST = 40

# Invisible characters at which the tokenizer would split a word: the soft hyphen and characters
# of zero width.
_INVISIBLE = dict.fromkeys([0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25Settings:
    """The constants of BM25, which stored vectors depend on.

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
    """Whether each text is taken in its own language: by BM25 that no language is named of."""
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
        self._stop_words = ENGLISH_STOP_WORDS if settings.language == "english" else frozenset()
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
        """The weight of each term of a passage."""
        terms = self._terms(text, language)
        k, b = self._settings.k, self._settings.b
        length = k * (1 - b + b * len(terms) / self._settings.average_length)
        counted = Counter(terms)
        return _ascending({_hash(t): n * (k + 1) / (n + length) for t, n in counted.items()})

    def query(self, text: str, language: str | None = None) -> SparseVector:
        """The terms of a question, all of the same weight, without stop words."""
        if language is None and self._own_code is not None:
            text = self._without_stop_words(text, self._forms(self._own_code))
        return _ascending({_hash(term): 1.0 for term in self._terms(text, language)})

    def _without_stop_words(self, text: str, forms: WordForms) -> str:
        words = _WORD.findall(normalised(text).lower())
        return " ".join(word for word in words if not forms.is_stop_word(word))

    def _terms(self, text: str, language: str | None) -> list[str]:
        term = self._forms(language).term if language else self._stem
        words = (word for word in _WORD.findall(normalised(text).lower()) if word != "_")
        return [stem for stem in (term(word) for word in words if len(word) <= _LONGEST) if stem]

    def _stem(self, word: str) -> str:
        return "" if word in self._stop_words else self._stemmer.stem_word(word)

    def _forms(self, language: str) -> WordForms:
        if language not in self._languages:
            self._languages[language] = WordForms(language)
        return self._languages[language]


def _hash(term: str) -> int:
    import mmh3  # noqa: PLC0415 - only who searches by words

    return abs(mmh3.hash(term))


def _ascending(weights: Mapping[int, float]) -> SparseVector:
    terms = sorted(weights.items())
    return SparseVector(
        indices=tuple(index for index, _ in terms), values=tuple(value for _, value in terms)
    )


def normalised(text: str) -> str:
    """`text` with composed letters, ligatures and widths normalised, and invisible characters
    removed, so that the same word always gives the same term.
    """
    return unicodedata.normalize("NFKC", text.translate(_INVISIBLE))
