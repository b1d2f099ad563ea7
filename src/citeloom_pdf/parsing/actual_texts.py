"""Letters that a PDF gives for some glyphs as their actual text: those of a ligature, or a letter
and its marks, whose glyphs have codes of other letters or none.

Browsers, word processors and Typst write it (ISO 32000-1, 14.9.4). PDFium says it once for each
piece that is drawn of it, the parser not at all.
"""

from __future__ import annotations

import codecs
import ctypes
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_raw

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Word
from citeloom_pdf.elements.text import NON_JOINER
from citeloom_pdf.parsing.drawn_letters import with_own_codes
from citeloom_pdf.parsing.letter_rows import without_marks
from citeloom_pdf.parsing.opened_pages import Turning

_KEY, _UNDECODED = b"ActualText", "\ufffd"
_LONGEST = 64  # bytes: that of a word is hardly longer
_Buffer = ctypes.c_ubyte * _LONGEST
_ENCODINGS = {codecs.BOM_UTF16_BE: "utf-16-be", codecs.BOM_UTF8: "utf-8"}
_SAME_PLACE = 0.1  # points between where PDFium and the parser have a glyph
_EMPTY_PLACE = 0.2  # and between an empty glyph and the one that is drawn for it
_STEP = 2.0  # times the width of its ink: how far the pen is moved on for a glyph at most
_TALLER = 2.0  # times as high as a mark: ink of its letter, too
_FEW = 120  # letters: no more are in a piece
_LEVEL = 0.1  # of the height of a letter: how far out of its box its baseline may be


class _Drawn(NamedTuple):
    """A piece of text as it is drawn: where it begins, and if it is of an actual text where it
    ends, its ink, a number that all pieces of this text share, and the text.
    """

    x: float
    y: float
    end: float
    ink: Rect
    span: int
    text: str


def with_actual_texts(
    letters: Sequence[Word], page: pdfium.PdfPage, turning: Turning
) -> list[Word]:
    """The letters in the order of drawing; those of glyphs with an actual text as one with that,
    as wide as these. Where a page has none, the codes may be those of several glyphs.
    """
    drawn = _up_to_the_next(list(_drawn(page, turning)))
    if not any(piece.span for piece in drawn):
        return with_own_codes(letters)
    firsts = _first_letters(drawn, letters)
    starts = sorted(at for at in firsts if at is not None)
    places: dict[int, list[int]] = {}
    pieces: dict[int, list[_Drawn]] = {}
    leads: dict[int, _Drawn] = {}
    left_out: dict[int, list[_Drawn]] = {}  # pieces of which the parser has no letter
    for piece, first in zip(drawn, firsts):
        if not piece.span:
            continue
        pieces.setdefault(piece.span, []).append(piece)
        if first is None:
            left_out.setdefault(piece.span, []).append(piece)
        else:
            leads.setdefault(piece.span, piece)
            behind = bisect_left(starts, first + 1)
            end = starts[behind] if behind < len(starts) else len(letters)
            places.setdefault(piece.span, []).extend(
                at for at in range(first, end) if at == first or _is_drawn_of(letters[at], piece)
            )
    spelled: list[Word | None] = [*letters]
    for span, drawn_of in places.items():
        found = drawn_of
        if not without_marks(leads[span].text)[0]:  # the stroke before a mark is none of it
            found = [at for at in drawn_of if letters[at].text != _UNDECODED] or drawn_of
        inside = [letters[at] for at in sorted(found)]
        whole = _whole(inside, pieces[span], leads[span], left_out.get(span, ()))
        for at in found:
            spelled[at] = None
        spelled[min(found)] = whole
    return [letter for letter in spelled if letter is not None]


def _whole(
    letters: Sequence[Word], pieces: Sequence[_Drawn], lead: _Drawn, left_out: Sequence[_Drawn]
) -> Word:
    """The letters that the pieces draw as one, as high as the widest of them is beside the largest
    piece, and as wide, too, unless the parser leaves glyphs out for which the text has no letter.
    The `lead` is the piece of the first letter.
    """
    widest = max(letters, key=lambda letter: letter.box.width)
    flat = widest.box.width <= 0  # a mark: the letter is among what is left out
    largest = max((flat and left_out) or pieces, key=lambda piece: piece.ink.height)
    boxes = [letter.box for letter in letters if letter.box.width > 0] or [widest.box]
    if len(letters) < len(pieces):
        boxes = [*boxes[: not flat], Rect(largest.x, 0, largest.end, 0)]
    elif flat and largest.ink.height > _TALLER * widest.box.height:  # one piece draws them all
        return Word(largest.ink, largest.text, widest.font)
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    down = largest.y - lead.y if widest is letters[0] else 0.0
    level = Rect(left, widest.box.top + down, right, widest.box.bottom + down)
    is_apart = level.shared_height(largest.ink) <= 0
    is_low = flat and largest.ink.height > _TALLER * level.height
    # the height of a mark, whose letter is what the parser leaves out
    if len(letters) < len(pieces) and (is_apart or is_low):
        level = level._replace(top=largest.ink.top, bottom=largest.ink.bottom)
    return Word(level, pieces[0].text, widest.font)


def _is_drawn_of(letter: Word, piece: _Drawn) -> bool:
    """Whether a letter that no other piece begins with may be of this one, rather than of one that
    the parser has elsewhere: one with a width stands where it is drawn, is in the actual text, and
    no space.
    """
    if letter.box.width > 0 and (letter.text.isspace() or not _is_at(letter.box, piece.ink)):
        return False
    bases, _ = without_marks(unicodedata.normalize("NFD", letter.text))
    is_in = set(filter(str.isalpha, bases)) <= set(unicodedata.normalize("NFD", piece.text))
    near = letter.box.left <= piece.ink.right + _SAME_PLACE
    return near and (is_in or letter.box.width <= 0)


def _is_at(letter: Rect, ink: Rect) -> bool:
    return letter.right >= ink.left - _SAME_PLACE and letter.shared_height(ink) > 0


def _first_letters(drawn: Sequence[_Drawn], letters: Sequence[Word]) -> list[int | None]:
    """For each piece its first letter, by the place where it begins; no letter is two pieces', and
    that of an actual text is not far behind the letters of the piece before, and next to those of
    the same text, as one that the parser left out would find a letter of another line.
    """
    places = sorted((letter.box.left, at) for at, letter in enumerate(letters))
    lefts = [left for left, _ in places]
    taken: set[int] = set()
    firsts: list[int | None] = []
    last, span, few = -1, 0, _FEW
    for piece, behind in zip(drawn, [*drawn[1:], None]):
        near = places[
            bisect_left(lefts, piece.x - _SAME_PLACE) : bisect_left(lefts, piece.x + _SAME_PLACE)
        ]
        of_marks = piece.span and not without_marks(piece.text)[0]
        found = min(
            (
                at
                for _, at in near
                if at not in taken
                and _is_level(letters[at].box, piece)
                and not (of_marks and letters[at].box.width > 0 and letters[at].text.isalpha())
            ),
            default=None,
        )
        reach = _length(piece.text) if piece.span == span else few
        if piece.span and found is not None and not last < found <= last + reach:
            found = None
        if piece.span and behind is not None and _is_empty_before(piece, behind):
            found = None
        if found is not None:
            taken.add(found)
            last, span, few = found, piece.span, _FEW
        elif not piece.span:  # it begins with a mark, and how many letters it has is not known
            few += _FEW
        firsts.append(found)
    return firsts


def _is_empty_before(piece: _Drawn, behind: _Drawn) -> bool:
    """Whether a piece without ink ends an actual text where the next piece begins, whose the letter
    there is: fonts have an empty glyph for an alef that is drawn as part of the lam before it.
    """
    same = max(abs(piece.x - behind.x), abs(piece.y - behind.y)) < _EMPTY_PLACE
    return same and piece.ink.area <= 0 and piece.span != behind.span


def _length(text: str) -> int:
    """How many letters and marks a text has."""
    return len(unicodedata.normalize("NFD", text))


def _up_to_the_next(drawn: list[_Drawn]) -> list[_Drawn]:
    """The pieces, each up to the next one that is drawn behind it, where the pen is for that."""
    return [
        piece._replace(end=behind.x)
        if piece.span and 0 < behind.x - piece.x <= _STEP * piece.ink.width
        else piece
        for piece, behind in zip(drawn, [*drawn[1:], *drawn[-1:]])
    ]


def _is_level(box: Rect, piece: _Drawn) -> bool:
    """Whether the baseline of a piece is in a letter's box or, as that of a mark whose box is no
    higher than its ink is not, this ink.
    """
    out = _LEVEL * box.height
    on_line = box.top - out <= piece.y <= box.bottom + out
    return on_line or (piece.span > 0 and box.shared_height(piece.ink) > 0)


def _drawn(page: pdfium.PdfPage, turning: Turning) -> Iterator[_Drawn]:
    """The pieces of text of a page, in points from its top left corner as it is shown."""
    matrix = pdfium_raw.FS_MATRIX()
    sides = [ctypes.c_float() for _ in range(4)]
    for index in range(pdfium_raw.FPDFPage_CountObjects(page)):
        piece = pdfium_raw.FPDFPage_GetObject(page, index)
        if pdfium_raw.FPDFPageObj_GetType(piece) != pdfium_raw.FPDF_PAGEOBJ_TEXT:
            continue
        pdfium_raw.FPDFPageObj_GetMatrix(piece, matrix)
        start = turning.shown(matrix.e, matrix.f, matrix.e, matrix.f)
        span, text = actual_text(piece)
        ink = start
        if span and pdfium_raw.FPDFPageObj_GetBounds(piece, *map(ctypes.byref, sides)):
            ink = turning.shown(*(side.value for side in sides))
        yield _Drawn(start.left, start.top, ink.right, ink, span, text)


def actual_text(piece: pdfium_raw.FPDF_PAGEOBJECT) -> tuple[int, str]:
    """A number that all pieces with the same actual text share, and this text; 0 and nothing for
    a piece without one, or with one of more than a word.
    """
    count = pdfium_raw.FPDFPageObj_CountMarks(piece)
    if count <= 0:
        return 0, ""
    buffer, length = _Buffer(), ctypes.c_ulong()
    for index in range(count):
        mark = pdfium_raw.FPDFPageObj_GetMark(piece, index)
        has_text = pdfium_raw.FPDFPageObjMark_GetParamBlobValue(
            mark, _KEY, buffer, _LONGEST, ctypes.byref(length)
        )
        if has_text and 0 < length.value <= _LONGEST:
            text = "".join(filter(_is_seen, _decoded(bytes(buffer[: length.value]))))
            if text and not any(map(str.isspace, text)):
                return ctypes.cast(mark, ctypes.c_void_p).value or 0, text
    return 0, ""


def _is_seen(letter: str) -> bool:
    """Whether it is no sign that says how its neighbours join or where they belong; one that parts
    letters which would be joined is seen.
    """
    return letter == NON_JOINER or unicodedata.category(letter) != "Cf"


def _decoded(text: bytes) -> str:
    """A text string of a PDF, in one of the encodings of Unicode; nothing in any other."""
    for start, encoding in _ENCODINGS.items():
        if text.startswith(start):
            return text.removeprefix(start).decode(encoding, "ignore")
    return text.decode("ascii", "ignore")
