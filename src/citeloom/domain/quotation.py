"""Whether a query is a quotation, and whether texts hold it word for word."""

from __future__ import annotations

import re
import unicodedata

_LEAST_WORDS = 5
_BETWEEN = re.compile(r"[\W_]+")


def may_be_quotation(query: str) -> bool:
    """Whether somebody may have pasted the query from a text: a few words, and no question."""
    return len(query.split()) >= _LEAST_WORDS and not query.rstrip().endswith("?")


def holds_verbatim(text: str, query: str) -> bool:
    """Whether the letters and digits of `query` stand in `text` in their order, one by one.

    White space, punctuation, hyphens, case and ligatures do not count: no two programs copy them
    out of a PDF alike.
    """
    return _letters(query) in _letters(text)


def may_run_on(text: str, query: str) -> bool:
    """Whether `text` holds the first or the second half of `query`, and so may hold its larger
    part.
    """
    letters, wanted = _letters(text), _letters(query)
    half = len(wanted) // 2
    return bool(half) and (wanted[:half] in letters or wanted[half:] in letters)


def runs_on(before: str, after: str, query: str) -> bool:
    """Whether `query` stands word for word over the border of two neighbours, of which the second
    may repeat the end of the first.
    """
    first, second = _letters(before), _letters(after)
    repeated = next(
        (size for size in range(len(second), 0, -1) if first.endswith(second[:size])), 0
    )
    return _letters(query) in first + second[repeated:]


def _letters(text: str) -> str:
    return _BETWEEN.sub("", unicodedata.normalize("NFKC", text)).casefold()
