"""Whole words as they stand in a text, whatever their case, width and ligatures."""

from __future__ import annotations

import re
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

_EDGE = re.compile(rf"(?![{UNSEGMENTED}])\w")


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
