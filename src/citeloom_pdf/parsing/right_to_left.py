"""Text that is read from the right: the order of its words, of numbers in it, and its brackets.

A PDF has the glyphs of such a line where they stand. The parser turns a word round letter by
letter, numbers with it, though these are read from the left; and a bracket has the shape it is
drawn with, which from the right is that of its counterpart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from citeloom_pdf.elements.page import Line, Word
from citeloom_pdf.parsing.accents import Character, HasText, Piece, holds

# Numbers and words read from the left within text from the right.

_DIGITS = "0-9\u0660-\u0669\u06f0-\u06f9"
# a stop between digits may part a section's numbers, which are read from the right
_FROM_LEFT = re.compile(
    rf"(?=[{_DIGITS}]*[A-Za-z])[A-Za-z{_DIGITS}]+(?:[-_./:][A-Za-z{_DIGITS}]+)*"
    rf"|[{_DIGITS}]+(?:[/:,\u066b\u066c][{_DIGITS}]+)*"
)
# Hebrew, Arabic and their neighbours, with their digits and the shapes of their letters
_SCRIPT_FROM_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def is_from_right(text: str) -> bool:
    """Whether a text has letters that are read from the right, or digits that stand in such."""
    return _SCRIPT_FROM_RIGHT.search(text) is not None


def with_numbers_ahead(pieces: Sequence[Piece], characters: Sequence[Character]) -> list[Piece]:
    """The words or parts of lines, numbers and words from the left in the order they stand in."""
    ordered = sorted(characters, key=lambda character: character.box.left)
    return [
        piece._replace(text=_ahead(piece, ordered)) if _may_be_turned(piece.text) else piece
        for piece in pieces
    ]


def _may_be_turned(text: str) -> bool:
    runs = (match[0] for match in _FROM_LEFT.finditer(text))
    return is_from_right(text) and any(run != run[::-1] for run in runs)


def _ahead(piece: HasText, ordered: Sequence[Character]) -> str:
    printed = "".join(c.text for c in ordered if holds(piece.box, c.box)).replace(" ", "")

    def turned(match: re.Match[str]) -> str:
        backwards = match[0][::-1]
        return backwards if match[0] not in printed and backwards in printed else match[0]

    return _FROM_LEFT.sub(turned, piece.text)


# Brackets, which are drawn mirrored in text from the right.

_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("\u00ab", "\u00bb"), ("\u2039", "\u203a"))
_COUNTERPART = {right: left for left, right in _PAIRS}


def with_brackets_facing(lines: Sequence[Line]) -> list[Line]:
    """The lines, brackets that are closed before they are opened turned to face each other.

    One whose counterpart is on another line is turned where those of the page are.
    """
    turned = [line if not is_from_right(line.text) else _facing(line) for line in lines]
    changed = sum(line is not new for line, new in zip(lines, turned))
    if changed <= sum(_has_facing(line.text) for line in lines if is_from_right(line.text)):
        return turned
    return [_alone_turned(line) if is_from_right(line.text) else line for line in turned]


def _facing(line: Line) -> Line:
    letters = list(line.text)
    for left, right in _PAIRS:
        places = [at for at, letter in enumerate(letters) if letter in (left, right)]
        for first, second in zip(places, places[1:]):
            if letters[first] == right and letters[second] == left and _is_open(letters, first):
                letters[first], letters[second] = left, right
    text = "".join(letters)
    return replace(line, text=text) if text != line.text else line


def _is_open(letters: Sequence[str], at: int) -> bool:
    """Whether nothing before is closed by the bracket."""
    right, left = letters[at], _COUNTERPART[letters[at]]
    before = letters[:at]
    return before.count(left) <= before.count(right)


def _has_facing(text: str) -> bool:
    return any(re.search(rf"\{left}[^\{left}\{right}]+\{right}", text) for left, right in _PAIRS)


def _alone_turned(line: Line) -> Line:
    """The line with a bracket turned whose counterpart it does not have."""
    text = line.text
    for left, right in _PAIRS:
        if text.count(left) + text.count(right) == 1:
            text = text.translate({ord(left): right, ord(right): left})
    return replace(line, text=text) if text != line.text else line


# The order of words in lines that mix scripts read from the right and from the left.

_FROM_RIGHT = ("R", "AL")


def in_logical_order(lines: Sequence[Line]) -> list[Line]:
    """The lines with the words of each in the order they are read in.

    The parser takes a line with any word from the right for one from the right as a whole. The
    page's letters say which way its lines go; words of the other direction form runs within them.
    """
    letters = set[str]().union(*(word.text for line in lines for word in line.words))
    if not any(unicodedata.bidirectional(letter) in _FROM_RIGHT for letter in letters):
        return list(lines)
    mixed = {
        id(line)
        for line in lines
        if not line.rotated and {_direction(word.text) for word in line.words} >= {1, -1}
    }
    if not mixed:
        return list(lines)
    rightwards = sum(_weight(line.text) for line in lines) >= 0
    return [
        replace(line, text=_reordered(line.words, rightwards=rightwards))
        if id(line) in mixed
        else line
        for line in lines
    ]


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
    directions = [_direction(word.text) for word in ordered]
    for index, direction in enumerate(directions):
        if direction == 0:
            before = directions[index - 1] if index else ahead
            behind = next(filter(None, directions[index:]), ahead)
            directions[index] = before if before == behind else ahead
    directed = list(zip(directions, ordered))
    read: list[str] = []
    for direction, run in groupby(directed, key=lambda pair: pair[0]):
        texts = [word.text for _, word in run]
        read += texts if direction == ahead else reversed(texts)
    return " ".join(read)
