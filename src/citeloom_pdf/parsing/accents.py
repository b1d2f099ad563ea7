"""Accents that a font sets as characters of their own, composed with the letter they stand over.

TeX's older fonts have no accented letters: an é is an acute, a step back, and an `e`. A parser
reads two characters, and takes the step back for the end of a line's part. Which letter an accent
belongs to shows in their boxes alone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Generic, NamedTuple, Protocol, TypeVar

from citeloom_pdf.elements.fonts import font_kind
from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs, Rect
from citeloom_pdf.elements.page import Line, Word

COMBINING = {
    "`": "\u0300",
    "\u02cb": "\u0300",  # grave
    "\u00b4": "\u0301",
    "\u02ca": "\u0301",  # acute
    "^": "\u0302",
    "\u02c6": "\u0302",  # circumflex
    "~": "\u0303",
    "\u02dc": "\u0303",  # tilde
    "\u00af": "\u0304",
    "\u02c9": "\u0304",  # macron
    "\u02d8": "\u0306",  # breve
    "\u02d9": "\u0307",  # dot above
    "\u00a8": "\u0308",  # diaeresis
    "\u02da": "\u030a",  # ring
    "\u02dd": "\u030b",  # double acute
    "\u02c7": "\u030c",  # caron
    "\u00b8": "\u0327",  # cedilla
    "\u02db": "\u0328",  # ogonek
}
_TYPED = str.maketrans("\u02c6\u02dc", "^~")  # what keys have that fonts of TeX give as accents
_DOTLESS = {"\u0131": "i", "\u0237": "j"}
_OVER = 0.5  # of the narrower one's width: so much of an accent and its letter is shared
_LEVEL = 0.3  # of the lower one's height: the same upwards
_BEHIND, _AHEAD = 2, 4  # characters: so near to its letter in the text is an accent
_SAME_PLACE = 1.0  # points


class Character(NamedTuple):
    """A character as it is drawn."""

    text: str
    box: Rect


def holds(box: Rect, letter: Rect) -> bool:
    """Whether a letter stands in the box of a word or line, its middle a point below it at most."""
    return (
        box.left <= letter.middle_x <= box.right
        and box.top - 1 <= letter.middle_y <= box.bottom + 1
    )


class HasText(Protocol):
    """A word or a part of a line."""

    @property
    def box(self) -> Rect: ...

    @property
    def text(self) -> str: ...

    def _replace(self: Piece, *, box: Rect = ..., text: str = ...) -> Piece: ...


Piece = TypeVar("Piece", bound=HasText)


class _Accent(NamedTuple):
    """An accent with its letter; `follows` if it is drawn after that."""

    mark: str
    box: Rect
    letter: Character
    follows: bool


def with_accents(pieces: Sequence[Piece], characters: Sequence[Character]) -> list[Piece]:
    """The words or the parts of lines, each accent composed with its letter; parts that end
    between the two are joined.
    """
    accents = list(_accents(characters))
    if not accents:
        return list(pieces)
    drafts = [_draft(piece, accents) for piece in pieces]
    for index, draft in enumerate(drafts):
        if draft.before or draft.after:
            _join(drafts, index)
    return [draft.piece._replace(box=draft.box, text=draft.text) for draft in drafts if draft.text]


def with_typed_signs(line: Line, placed: PlacedGlyphs) -> Line:
    """A line, the accents over no letter in its code, its addresses and before the letters of its
    prose as the signs of ASCII that are meant: `~` and `^`.
    """
    if line.text.translate(_TYPED) == line.text:
        return line
    words = [_typed(word, placed.inside(word.box)) for word in line.words]
    if [word.text for word in line.words] != line.text.split():
        return line
    return replace(line, text=" ".join(word.text for word in words), words=tuple(words))


def _typed(word: Word, glyphs: Sequence[Glyph]) -> Word:
    kind = font_kind(word.font)
    is_typed = "://" in word.text or kind.mono
    is_typed |= not kind.math and any(
        ord(sign.text) in _TYPED and abs(letter.box.left - sign.box.right) <= _SAME_PLACE
        for sign, letter in pairwise(glyphs)
    )
    return word._replace(text=word.text.translate(_TYPED)) if is_typed else word


def composed_glyphs(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """The letters, accents composed with theirs, each glyph one character."""
    marks = _marks_of_letters(glyphs)
    if not marks:
        return list(glyphs)
    over = {accent for accents in marks.values() for accent in accents}
    composed: list[Glyph] = []
    for index, glyph in enumerate(glyphs):
        if index in over:
            continue
        text, spaced = glyph.text, glyph.spaced
        if index in marks:
            accents = [Character(glyphs[at].text, glyphs[at].box) for at in marks[index]]
            text = _accented(text, accents)
            spaced = glyphs[min(index, *marks[index])].spaced
        composed.append(Glyph(len(composed), text[0], glyph.box, spaced, glyph.at))
        end = Rect(glyph.box.right, glyph.box.top, glyph.box.right, glyph.box.bottom)
        for mark in text[1:]:  # a mark that is not in one character with its letter
            composed.append(Glyph(len(composed), mark, end, spaced=False, at=glyph.at))
    return composed


def composed_characters(characters: Sequence[Character]) -> list[Character]:
    """The characters, accents composed with their letters."""
    marks = _marks_of_letters(characters)
    over = {accent for accents in marks.values() for accent in accents}
    return [
        Character(_accented(text, [characters[at] for at in marks[index]]), box)
        if index in marks
        else Character(text, box)
        for index, (text, box) in enumerate(characters)
        if index not in over
    ]


def _marks_of_letters(characters: Sequence[Character | Glyph]) -> dict[int, list[int]]:
    """Where the accents of each accented letter are, by where it is."""
    marks: dict[int, list[int]] = {}
    for index, character in enumerate(characters):
        if character.text in COMBINING:
            letter = _letter_of(characters, index)
            if letter is not None:
                marks.setdefault(letter, []).append(index)
    return marks


def _accents(characters: Sequence[Character]) -> Iterable[_Accent]:
    for index, character in enumerate(characters):
        if character.text in COMBINING:
            at = _letter_of(characters, index)
            if at is not None:
                yield _Accent(character.text, character.box, characters[at], at < index)


def _letter_of(characters: Sequence[Character | Glyph], index: int) -> int | None:
    """Where the letter is that an accent stands over or under, if there is one."""
    accent, best, at = characters[index].box, _OVER, None
    for other in range(max(0, index - _BEHIND), min(len(characters), index + _AHEAD)):
        text, box = characters[other].text, characters[other].box
        if text[-1:].isalpha() and text not in COMBINING and _is_level(accent, box):
            shared = box.shared_width(accent) / max(min(box.width, accent.width), 0.1)
            if shared > best:
                best, at = shared, other
    return at


def _is_level(accent: Rect, letter: Rect) -> bool:
    return accent.shared_height(letter) > _LEVEL * min(accent.height, letter.height)


def _accented(letter: str, marks: Iterable[Character]) -> str:
    """The letter with its marks, the nearest to it first."""
    nearest = sorted(marks, key=lambda mark: -mark.box.bottom)
    whole = letter[:-1] + _DOTLESS.get(letter[-1], letter[-1])
    return unicodedata.normalize("NFC", whole + "".join(COMBINING[mark.text] for mark in nearest))


@dataclass(slots=True)
class _Draft(Generic[Piece]):
    """A piece with its accents composed; those `before` and `after` its text are over a letter
    of a neighbour.
    """

    piece: Piece
    box: Rect
    text: str = ""
    before: list[_Accent] = field(default_factory=list)
    after: list[_Accent] = field(default_factory=list)


def _draft(piece: Piece, accents: list[_Accent]) -> _Draft[Piece]:
    draft = _Draft(piece, piece.box, piece.text)
    if COMBINING.keys().isdisjoint(piece.text):
        return draft
    places: dict[int, _Accent] = {}
    for position, character in enumerate(piece.text):
        if character in COMBINING:
            here = (
                index
                for index, accent in enumerate(accents)
                if accent.mark == character and _holds(piece.box, accent.box)
            )
            index = next(here, None)
            if index is not None:
                places[position] = accents.pop(index)
    if places:
        letters: list[str] = []
        waiting: list[_Accent] = []
        for position, character in enumerate(draft.piece.text):
            accent = places.get(position)
            if accent is None:
                if waiting and character.isspace():
                    continue
                letters.append(_over(character, waiting))
                waiting = []
            elif not accent.follows:
                waiting.append(accent)
            elif letters:
                while letters[-1:] == [" "]:
                    letters.pop()
                letters[-1] = _over(letters[-1], [accent])
            else:
                draft.before.append(accent)
        draft.after = waiting
        draft.text = "".join(letters)
    return draft


def _holds(box: Rect, accent: Rect) -> bool:
    around = box.grown(_SAME_PLACE, _SAME_PLACE)
    return (
        around.left <= accent.middle_x <= around.right
        and around.top <= accent.middle_y <= around.bottom
    )


def _over(letter: str, accents: Sequence[_Accent]) -> str:
    """The letter with the accents, or all as they are if it is another one."""
    if not accents or not letter[-1:].isalpha():
        return "".join(accent.mark for accent in accents) + letter
    return _accented(letter, [Character(accent.mark, accent.box) for accent in accents])


def _join(drafts: Sequence[_Draft[Piece]], index: int) -> None:
    """Join a piece with the one that holds the letter of its first or its last accent."""
    draft = drafts[index]
    if draft.after:
        accents, draft.after = draft.after, []
        other = _neighbour(drafts, index, accents[0].letter, at_end=False)
        if other is None:
            draft.text += "".join(accent.mark for accent in accents)
            return
        whole = draft.text + _over(other.text[0], accents) + other.text[1:]
        box = _joined_box(draft, other)
        other.text, other.box, other.before = whole, box, draft.before
        draft.text = ""
    elif draft.before:
        accents, draft.before = draft.before, []
        other = _neighbour(drafts, index, accents[0].letter, at_end=True)
        if other is None:
            draft.text = "".join(accent.mark for accent in accents) + draft.text
            return
        other.text = other.text[:-1] + _over(other.text[-1], accents) + draft.text
        other.box = _joined_box(draft, other)
        draft.text = ""


def _joined_box(draft: _Draft[Piece], other: _Draft[Piece]) -> Rect:
    """The box of both; a raised accent alone does not make its line higher."""
    if draft.text:
        return draft.box.union(other.box)
    left, right = min(draft.box.left, other.box.left), max(draft.box.right, other.box.right)
    return Rect(left, other.box.top, right, other.box.bottom)


def _neighbour(
    drafts: Sequence[_Draft[Piece]], index: int, letter: Character, *, at_end: bool
) -> _Draft[Piece] | None:
    """The piece that begins or ends with the letter."""
    for other, draft in enumerate(drafts):
        if other == index or not draft.text:
            continue
        edge = draft.box.right if at_end else draft.box.left
        place = letter.box.right if at_end else letter.box.left
        last = draft.text[-1] if at_end else draft.text[0]
        alike = last == (letter.text[-1] if at_end else letter.text[0])
        if alike and abs(edge - place) <= _SAME_PLACE and _is_level(letter.box, draft.box):
            return draft
    return None
