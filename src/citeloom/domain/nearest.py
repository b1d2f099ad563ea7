"""The known names that come nearest to one that is not known."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

_MOST = 3
_SHORTEST = 3
_ALIKE = 0.75
_LETTERS = re.compile(r"[^\W\d_]+")


def nearest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known names most like `name`, at most three: those that differ in a few letters, then
    those that begin with it, or with the author in it, whatever the case.
    """
    by_fold = {one.casefold(): one for one in sorted(known) if one}
    folded = name.casefold().removeprefix("@")
    found = dict.fromkeys(get_close_matches(folded, by_fold, n=_MOST))
    if len(folded) >= _SHORTEST:
        found |= dict.fromkeys(one for one in by_fold if one.startswith(folded))
    found |= dict.fromkeys(_with_author_of(folded, by_fold))
    return tuple(by_fold[one] for one in found)[:_MOST]


def _with_author_of(citekey: str, known: Iterable[str]) -> list[str]:
    """The citekeys that begin with the same author, or one spelt nearly so."""
    author = _leading_letters(citekey)
    if len(author) < _SHORTEST:
        return []
    begin = {one: _leading_letters(one)[: len(author)] for one in known}
    close = get_close_matches(author, set(begin.values()), n=_MOST, cutoff=_ALIKE)
    return [one for spelt in close for one, its in begin.items() if its == spelt]


def _leading_letters(citekey: str) -> str:
    letters = _LETTERS.match(citekey)
    return letters[0] if letters else ""
