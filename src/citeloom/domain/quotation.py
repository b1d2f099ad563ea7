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
    out of a PDF alike. A query without a letter or digit is held by no text.
    """
    wanted = letters_of(query)
    return bool(wanted) and wanted in letters_of(text)


def may_run_on(text: str, query: str) -> bool:
    """Whether `text` holds the first or the second half of `query`, and so may hold its larger
    part.
    """
    letters, wanted = letters_of(text), letters_of(query)
    half = len(wanted) // 2
    return bool(half) and (wanted[:half] in letters or wanted[half:] in letters)


def runs_on(before: str, after: str, query: str) -> bool:
    """Whether `query` stands word for word over the border of two neighbours, of which the second
    may repeat the end of the first.
    """
    first, second = letters_of(before), letters_of(after)
    repeated = next(
        (size for size in range(len(second), 0, -1) if first.endswith(second[:size])), 0
    )
    wanted = letters_of(query)
    return bool(wanted) and wanted in first + second[repeated:]


def letters_of(text: str) -> str:
    """The letters and digits of a text, without case, ligatures and what stands between them."""
    return _BETWEEN.sub("", unicodedata.normalize("NFKC", text)).casefold()
