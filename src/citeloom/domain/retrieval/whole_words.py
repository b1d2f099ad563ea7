"""Whole words as they stand in a text, and the parts of text that no spaces part into words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from citeloom.domain.answers.text_match import NormalText

UNSEGMENTED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0edf\u1000-\u109f\u1780-\u17d3"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc-\u30ff"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Chinese characters
    "\uac00-\ud7a3"  # Korean, whose words have endings
)
"""The letters, as of a character class, of scripts that do not part words by spaces."""

_RUN = re.compile(rf"[{UNSEGMENTED}]+")
_EDGE = re.compile(rf"(?![{UNSEGMENTED}])\w")


def has_unsegmented(text: str) -> bool:
    """Whether a text has a letter of a script that does not part words by spaces."""
    return _RUN.search(text) is not None


def unsegmented_letters(text: str) -> int:
    """How many such letters a text has."""
    return sum(map(len, _RUN.findall(text)))


def pairs_of_letters(word: str) -> list[str]:
    """The parts of a word: each two letters side by side of a run that has no spaces, a single
    letter by itself, and what is between runs as it is. Marks stay with their letter.
    """
    parts: list[str] = []
    at = 0
    for run in _RUN.finditer(word):
        parts += [word[at : run.start()], *_pairs(run[0])]
        at = run.end()
    return [part for part in (*parts, word[at:]) if part]


def _pairs(run: str) -> list[str]:
    letters: list[str] = []
    for char in run:
        if letters and unicodedata.category(char).startswith("M"):
            letters[-1] += char
        else:
            letters.append(char)
    return [first + second for first, second in zip(letters, letters[1:])] or letters


def holds_word(text: str, word: str) -> bool:
    """Whether a text has the word as a whole word."""
    return next(word_spans(text, word), None) is not None


def word_spans(text: str, word: str) -> Iterator[tuple[int, int]]:
    """The span of each occurrence of a word, or of several in a row, as whole words.

    A letter of a script that does not part words by spaces needs no boundary beside it.
    """
    pattern = _whole(NormalText.of(word).text)
    normal = NormalText.of(text)
    for match in pattern.finditer(normal.text):
        yield normal.span(*match.span())


@lru_cache(maxsize=256)
def _whole(word: str) -> re.Pattern[str]:
    """The pattern of a word in normal form; one that matches nothing where there is none."""
    if not word:
        return re.compile(r"(?!)")
    before = r"(?<!\w)" if _EDGE.match(word[0]) else ""
    after = r"(?!\w)" if _EDGE.match(word[-1]) else ""
    return re.compile(f"{before}{re.escape(word)}{after}")
