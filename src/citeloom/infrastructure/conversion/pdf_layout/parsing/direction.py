"""The order of words in lines that mix scripts read from the right and from the left."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from citeloom.infrastructure.conversion.pdf_layout.elements.page import Line, Word

_FROM_RIGHT = ("R", "AL")


def in_logical_order(lines: Sequence[Line]) -> list[Line]:
    """The lines with the words of each in the order they are read in.

    The parser takes a line with any word from the right for one from the right as a whole. The
    page's letters say which way its lines go; words of the other direction form runs within them.
    """
    mixed = {id(line) for line in lines if _is_mixed(line)}
    if not mixed:
        return list(lines)
    rightwards = sum(_weight(line.text) for line in lines) >= 0
    return [
        replace(line, text=_reordered(line.words, rightwards=rightwards))
        if id(line) in mixed
        else line
        for line in lines
    ]


def _is_mixed(line: Line) -> bool:
    weights = {_direction(word.text) for word in line.words}
    return not line.rotated and {1, -1} <= weights


def _weight(text: str) -> int:
    """The letters read from the left, less those read from the right."""
    kinds = [unicodedata.bidirectional(character) for character in text]
    return kinds.count("L") - sum(kind in _FROM_RIGHT for kind in kinds)


def _direction(text: str) -> int:
    """1 for a word read from the left, -1 for one from the right, 0 for signs and numbers."""
    weight = _weight(text)
    return (weight > 0) - (weight < 0)


def _reordered(words: Iterable[Word], *, rightwards: bool) -> str:
    """The words' text: runs against the line's direction turned round."""
    ahead = 1 if rightwards else -1
    ordered = sorted(words, key=lambda word: ahead * word.box.left)
    directed = _with_signs(ordered, ahead)
    read: list[str] = []
    for direction, run in groupby(directed, key=lambda found: found[0]):
        texts = [word.text for _, word in run]
        read += texts if direction == ahead else reversed(texts)
    return " ".join(read)


def _with_signs(words: Sequence[Word], ahead: int) -> list[tuple[int, Word]]:
    """Each word with its direction; what has none goes with both neighbours, or with the line."""
    directions = [_direction(word.text) for word in words]
    for index, direction in enumerate(directions):
        if direction == 0:
            before = directions[index - 1] if index else ahead
            behind = next(filter(None, directions[index:]), ahead)
            directions[index] = before if before == behind else ahead
    return list(zip(directions, words))
