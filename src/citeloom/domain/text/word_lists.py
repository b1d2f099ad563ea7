"""The lists of words that the rules on text read: a file a language in `words/`, in sections."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

_WORDS = Path(__file__).with_name("words")


@cache
def word_list(section: str, *languages: str) -> frozenset[str]:
    """The words of a section in some languages, English if none is named."""
    listed = (_sections(code).get(section, "").split() for code in languages or ("en",))
    return frozenset().union(*listed)


@cache
def all_words(language: str) -> frozenset[str]:
    """The words of every section of a language; none if it has no list."""
    listed = _sections(language) if (_WORDS / f"{language}.txt").is_file() else {}
    return frozenset(" ".join(listed.values()).casefold().split())


@cache
def listed_languages() -> tuple[str, ...]:
    """The codes of the languages that have a list."""
    return tuple(sorted(file.stem for file in _WORDS.glob("*.txt")))


@cache
def words_of_all_languages(section: str) -> frozenset[str]:
    """The words of a section in every language that has it."""
    return word_list(section, *listed_languages())


def list_lines(section: str, language: str = "en", separator: str = "\n") -> list[str]:
    """The lines of a section, or what stands between other separators."""
    return [line.strip() for line in _sections(language)[section].split(separator) if line.strip()]


@cache
def _sections(language: str) -> Mapping[str, str]:
    text = (_WORDS / f"{language}.txt").read_text(encoding="utf-8")
    parts = (part.partition("]\n") for part in text.removeprefix("[").split("\n["))
    return {name: words for name, _, words in parts}
