"""Whether a query is a quotation, and whether a text holds it word for word."""

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


def _letters(text: str) -> str:
    return _BETWEEN.sub("", unicodedata.normalize("NFKC", text)).casefold()
