"""Recognising quotations: queries that may be one, and texts that contain them verbatim."""

from __future__ import annotations

import re
import unicodedata

_LEAST_WORDS = 5
_BETWEEN = re.compile(r"[\W_]+")


def may_be_quotation(query: str) -> bool:
    """Whether the query may be a quotation: at least five words, and not a question."""
    return len(query.split()) >= _LEAST_WORDS and not query.rstrip().endswith("?")


def holds_verbatim(text: str, query: str) -> bool:
    """Whether `text` contains the letters and digits of `query` in sequence.

    White space, punctuation, hyphens, case and ligatures are ignored, since PDF readers copy them
    differently. A query without letters and digits is in no text.
    """
    wanted = letters_of(query)
    return bool(wanted) and wanted in letters_of(text)


def may_run_on(text: str, query: str) -> bool:
    """Whether `text` contains the first or the second half of `query`."""
    letters, wanted = letters_of(text), letters_of(query)
    half = len(wanted) // 2
    return bool(half) and (wanted[:half] in letters or wanted[half:] in letters)


def runs_on(before: str, after: str, query: str) -> bool:
    """Whether `query` is verbatim in two neighbouring texts joined; the second may repeat the end
    of the first.
    """
    first, second = letters_of(before), letters_of(after)
    repeated = next(
        (size for size in range(len(second), 0, -1) if first.endswith(second[:size])), 0
    )
    wanted = letters_of(query)
    return bool(wanted) and wanted in first + second[repeated:]


def letters_of(text: str) -> str:
    """The letters and digits of a text, case-folded and without ligatures."""
    return _BETWEEN.sub("", unicodedata.normalize("NFKC", text)).casefold()


def words_of(text: str) -> list[str]:
    """The words of a text, likewise: what is between anything but letters and digits."""
    return _BETWEEN.sub(" ", unicodedata.normalize("NFKC", text)).casefold().split()
