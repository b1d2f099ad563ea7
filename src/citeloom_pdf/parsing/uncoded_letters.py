"""Letters of fonts that map their codes to nothing, or to U+0000: the parser has an empty text for
each, and none of them in its words and lines.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.accents import Character, holds
from citeloom_pdf.parsing.lines import Cell

_SIGN = "\ufffd"  # what stands for such a letter, as for one that cannot be decoded
_APART = 0.3  # of their height: letters that are farther apart are of two words
_SAME_ROW = 0.1  # of their height
_SPACE = 0.12  # of their height: the same of a letter and a sign
_BESIDE = 1.0  # of their height: how far from the letters of a part the middle of a sign is
_THINNEST = 0.1  # points: what is narrower is not seen


def uncoded_words(letters: Iterable[Word]) -> Iterator[Word]:
    """The runs of letters without a code, in the order of drawing, each as a word of its own."""
    run: list[Word] = []
    for letter in letters:
        if letter.text or letter.box.width < _THINNEST:
            continue
        if run and not _goes_on(run[-1], letter):
            yield _joined(run)
            run = []
        run.append(letter)
    if run:
        yield _joined(run)


def missing_signs(cells: Iterable[Cell], signs: Iterable[Word]) -> list[Word]:
    """The signs that the parser has left out, but those that a part of a line has from PDFium."""
    missing = list(signs)
    for cell in cells:
        near = [sign for sign in missing if holds(cell.box, sign.box)]
        if near:
            text, counts = _plain(cell.text), Counter(_plain(sign.text) for sign in near)
            read = [
                sign for sign in near if text.count(plain := _plain(sign.text)) >= counts[plain]
            ]
            missing = [sign for sign in missing if sign not in read]
    return missing


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def with_left_out(
    cells: Iterable[Cell], signs: Iterable[Word], letters: Sequence[Character]
) -> list[Cell]:
    """The parts of lines with the signs that the parser has left out: those between or right
    beside letters of a part in it, each other as a part of its own.
    """
    written = []
    alone = sorted(signs, key=lambda sign: -sign.box.left)
    for cell in cells:
        around = cell.box.grown(_BESIDE * cell.box.height, 0.0)
        near = [sign for sign in alone if not cell.angle and holds(around, sign.box)]
        part = cell
        if near and (own := _letters_of(cell, letters)):
            for sign in near:
                part = _with_sign(part, sign, own)
                alone.remove(sign)
        written.append(part)
    return written + [Cell(sign.box, sign.text, sign.font, 0.0) for sign in alone]


def _letters_of(cell: Cell, letters: Sequence[Character]) -> Sequence[Character]:
    """The letters of a part of a line, among which are those of scripts in the rows beside it; none
    where they are not those of its text.
    """
    inside = [c for c in letters if c.text.strip() and holds(cell.box, c.box)]
    text = "".join(cell.text.split())
    drawn = "".join(c.text if c.text.isprintable() else _SIGN for c in inside)
    if len(drawn) == len(text):
        return inside
    at = drawn.find(text) if len(drawn) == len(inside) else -1
    return inside[at : at + len(text)] if at >= 0 else ()


def _with_sign(cell: Cell, sign: Word, letters: Sequence[Character]) -> Cell:
    """A part of a line with one of its signs, behind which it has others already."""
    before = [c for c in letters if c.box.middle_x < sign.box.middle_x]
    behind = [c for c in letters if c.box.middle_x >= sign.box.middle_x]
    first, rest = _parted(cell.text, sum(len(letter.text) for letter in before))
    least = _SPACE * cell.box.height
    end = max((c.box.right for c in before), default=sign.box.left)
    start = min((c.box.left for c in behind), default=sign.box.right)
    left, right = " " * (sign.box.left - end > least), " " * (start - sign.box.right > least)
    text = f"{first}{left}{sign.text}{right}{rest.lstrip()}"
    return cell._replace(box=cell.box.union(sign.box), text=text)


def _parted(text: str, letters: int) -> tuple[str, str]:
    """A text up to so many letters, and the rest."""
    at = 0
    while letters:
        letters -= not text[at].isspace()
        at += 1
    return text[:at], text[at:]


def _goes_on(before: Word, letter: Word) -> bool:
    size = before.box.height
    return (
        letter.font == before.font
        and abs(letter.box.bottom - before.box.bottom) <= _SAME_ROW * size
        and abs(letter.box.left - before.box.right) <= _APART * size
    )


def _joined(run: list[Word]) -> Word:
    box: Rect = enclosing(letter.box for letter in run)
    return Word(box, _SIGN * len(run), run[0].font)
