"""Text that a page holds and a reader does not see: white on white, tiny, clipped, in a layer that
is not shown, or drawn invisibly.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_raw
from PIL import Image

from citeloom_pdf.elements.direction import has_from_right, order_of_words
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import HiddenText, Line, Word
from citeloom_pdf.parsing.fast_calls import (
    LetterLooks,
    address_of,
    clip_path,
    count_clips,
    count_marks,
    render_mode,
    text_object,
)
from citeloom_pdf.parsing.opened_pages import OpenedPage

INVISIBLE = "drawn invisibly"
WHITE = "in the colour of its background"
TINY = "too small to be read"
CLIPPED = "outside of what is drawn"
UNSHOWN = "in a layer that is not shown"

_WHITE = 225  # of 255, in each channel
_TRANSPARENT = 25  # of 255
_INKED = re.compile("[^ ]+")
_TINIEST = 3.2  # points
_LEAST_WORDS = 5  # of tiny text: fewer are a plot's labels
_PLAIN_WORDS = 0.7  # of tiny words: among labels there are more numbers and names of files
_PUNCTUATION = ".,;:!?()'\"-"
_MOST_SEGMENTS = 64  # segments of a path: a longer one is taken for boundless
_SCALE = 2.0  # pixels a point of the image in which suspects are looked up
_LONGEST_SIDE = 3000  # pixels
_CONTRAST = 24  # of 255 between the lightest and the darkest pixel: less is not seen
_LAYER = 0.5  # of the words are invisible where they are a text layer


class _Word(NamedTuple):
    """A word of a page that may be hidden, and why."""

    number: int
    text: str
    box: Rect
    sides: tuple[float, float, float, float]
    reason: str


def hidden_text(page: OpenedPage) -> tuple[HiddenText, ...]:
    """The hidden text of a page, a run of words at a time.

    The text layer of a scan is not hidden: it is drawn invisibly over the image of the same words.
    """
    try:
        text, letters = page.text, page.letters
        unseen = {ord(letter): " " for letter in set(letters) if not letter.isprintable()}
        reasons = _Reasons(text, page.page.get_bbox())
        words, suspects = 0, []
        for words, match in enumerate(_INKED.finditer(letters.translate(unseen)), start=1):
            if reason := reasons.of(match.start()):
                span = match.span()
                boxes = [text.get_charbox(position) for position in range(*span)]
                left, bottom, right, top = zip(*boxes)
                sides = min(left), min(bottom), max(right), max(top)
                loose = [text.get_charbox(position, loose=True) for position in range(*span)]
                box = enclosing(page.turning.shown(*char_box) for char_box in loose)
                word = _as_read(letters[slice(*span)], [at[0] for at in boxes])
                suspects.append(_Word(words, word, box, sides, reason))
        blank = _Blank(page.page)
        confirmed: dict[str, Callable[[_Word], bool]] = {
            WHITE: blank,
            CLIPPED: blank,
            UNSHOWN: blank,
            INVISIBLE: _NoTextLayer(page.page, words, suspects, blank),
            TINY: lambda _: True,
        }
        hidden_words = [word for word in suspects if confirmed[word.reason](word)]
    except pdfium.PdfiumError:
        return ()
    return tuple(_runs(hidden_words))


def _as_read(word: str, lefts: Sequence[float]) -> str:
    """A word whose letters begin at these places: of some programs, PDFium has one from the right
    as it is seen from the left.
    """
    if not (has_from_right(word) and word.isalpha()):
        return word
    steps = [behind - before for before, behind in pairwise(lefts)]
    return word[::-1] if sum(step > 0 for step in steps) > sum(step < 0 for step in steps) else word


def without_hidden(lines: Sequence[Line], hidden: Sequence[HiddenText]) -> list[Line]:
    """The lines without their hidden words, which are known by their place and their letters."""
    words = [pair for run in hidden for pair in zip(run.boxes, run.text.split(" "))]
    if not words:
        return list(lines)
    return [seen for line in lines if (seen := _visible_part(line, words))]


def _visible_part(line: Line, hidden_words: Sequence[tuple[Rect, str]]) -> Line | None:
    """What is seen of a line, None for nothing. A line that has few of the hidden words in its
    place is another, which they were drawn over.
    """
    seen = tuple(word for word in line.words if not _is_hidden(word, hidden_words))
    hidden = Counter(word.text for word in line.words if word not in seen)
    tokens = line.text.split()
    if (hidden & Counter(tokens)).total() * 2 < hidden.total():
        return replace(line, words=seen)
    visible = [token for token in tokens if not _take(token, hidden)]
    if len(visible) == len(tokens):
        return line
    box = enclosing(word.box for word in seen) if seen else line.box
    return replace(line, text=" ".join(visible), box=box, words=seen) if visible else None


def _take(token: str, hidden: Counter[str]) -> bool:
    """Whether a token is one of the hidden words, which is then used up."""
    hidden[token] -= 1
    return hidden[token] >= 0


def _is_hidden(word: Word, hidden_words: Sequence[tuple[Rect, str]]) -> bool:
    x, y, letters = word.box.middle_x, word.box.middle_y, word.text
    return any(
        box.left <= x <= box.right
        and box.top <= y <= box.bottom
        and (text in letters or letters in text or _has_same_letters(text, letters))
        for box, text in hidden_words
    )


def _has_same_letters(first: str, second: str) -> bool:
    """Whether all letters of one of two words from the right are in the other, in any order."""
    if not (has_from_right(first) and has_from_right(second)):
        return False
    one, other = (Counter(unicodedata.normalize("NFKC", text)) for text in (first, second))
    return one <= other or other <= one


_Sides = tuple[float, float, float, float]


class _Reasons:
    """Why letters may not be seen, which is looked up once for each object that draws some."""

    def __init__(self, text: pdfium.PdfTextPage, page: _Sides) -> None:
        self._text = text
        self._page_sides = page
        self._page = address_of(text.raw)
        self._looks = LetterLooks(self._page)
        self._drawn: dict[int, tuple[str, Sequence[_Sides]]] = {}

    def of(self, position: int) -> str:
        """Why a letter may not be seen; empty for one that is."""
        drawn = text_object(self._page, position)
        if drawn not in self._drawn or not drawn:
            self._drawn[drawn] = self._look(drawn, position)
        reason, clips = self._drawn[drawn]
        if reason:
            return reason
        return CLIPPED if _is_outside(self._looks.middle(position), clips) else ""

    def _look(self, drawn: int | None, position: int) -> tuple[str, Sequence[_Sides]]:
        """Why a letter may not be seen where it is drawn, and the boxes that it is clipped to, of
        which the page is one.
        """
        if drawn and render_mode(drawn) == pdfium_raw.FPDF_TEXTRENDERMODE_INVISIBLE:
            return INVISIBLE, ()
        color = self._looks.color(position)
        if color and (color[3] <= _TRANSPARENT or min(color[:3]) >= _WHITE):
            return WHITE, ()
        if 0 < self._looks.size(position) <= _TINIEST and self._is_tiny(position):
            return TINY, ()
        if drawn and _is_in_layer(drawn):
            return UNSHOWN, ()
        clip = clip_path(drawn) if drawn else None
        if not clip:
            return "", (self._page_sides,)
        path = ctypes.cast(clip, pdfium_raw.FPDF_CLIPPATH)
        clips = (_clip_box(path, number) for number in range(count_clips(clip)))
        return "", (self._page_sides, *clips)

    def _is_tiny(self, position: int) -> bool:
        """Whether a letter is drawn as small as its font says; in a Type 3 font it may not be."""
        left, bottom, right, top = self._text.get_charbox(position)
        return bool(max(right - left, top - bottom) <= _TINIEST)


def _is_in_layer(drawn: int) -> bool:
    """Whether what draws letters is part of a layer, which a viewer may show or not."""
    marks = range(count_marks(drawn))
    drawing = ctypes.cast(drawn, pdfium_raw.FPDF_PAGEOBJECT) if marks else None
    return any(_is_layer(pdfium_raw.FPDFPageObj_GetMark(drawing, mark)) for mark in marks)


def _is_layer(mark: Any) -> bool:
    name, size = (ctypes.c_ushort * 3)(), ctypes.c_ulong()
    pdfium_raw.FPDFPageObjMark_GetName(mark, name, ctypes.sizeof(name), size)
    return bytes(name) == "OC\0".encode("utf-16-le")


def _is_outside(middle: tuple[float, float], clips: Sequence[_Sides]) -> bool:
    """Whether the middle of a letter seems to be outside of the page, or of the box of a path that
    it is clipped to; a form may have moved it back.
    """
    x, y = middle
    for left, bottom, right, top in clips:
        if not (left <= x <= right and bottom <= y <= top):
            return True
    return False


def _clip_box(clip: Any, number: int) -> _Sides:
    """The box of the points of a path, of which a long one is taken for boundless."""
    count = pdfium_raw.FPDFClipPath_CountPathSegments(clip, number)
    if not 0 < count <= _MOST_SEGMENTS:
        return -math.inf, -math.inf, math.inf, math.inf
    xs, ys = [], []
    for place in range(count):
        segment = pdfium_raw.FPDFClipPath_GetPathSegment(clip, number, place)
        x, y = ctypes.c_float(), ctypes.c_float()
        pdfium_raw.FPDFPathSegment_GetPoint(segment, x, y)
        xs.append(x.value)
        ys.append(y.value)
    return min(xs), min(ys), max(xs), max(ys)


class _Blank:
    """Whether a word's place is blank on the page, which is rendered at the first call."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        self._page = page
        self._scale = min(_SCALE, _LONGEST_SIDE / max(*page.get_size(), 1.0))
        self._image: Image.Image | None = None

    def __call__(self, word: _Word) -> bool:
        if self._image is None:
            with closing(self._page.render(scale=self._scale, grayscale=True)) as bitmap:
                self._image = bitmap.to_pil().convert("L").copy()
        box = word.box
        area = (
            max(math.floor(box.left * self._scale), 0),
            max(math.floor(box.top * self._scale), 0),
            min(math.ceil(box.right * self._scale), self._image.width),
            min(math.ceil(box.bottom * self._scale), self._image.height),
        )
        if area[0] >= area[2] or area[1] >= area[3]:
            return True
        lightest_darkest = self._image.crop(area).getextrema()
        darkest, lightest = map(float, lightest_darkest)
        return lightest - darkest < _CONTRAST


class _NoTextLayer:
    """Whether an invisible word is no part of a text layer: that holds most words of a page, each
    over an image or over ink.
    """

    def __init__(
        self,
        page: pdfium.PdfPage,
        words: int,
        suspects: Sequence[_Word],
        blank: Callable[[_Word], bool],
    ) -> None:
        invisible = sum(word.reason == INVISIBLE for word in suspects)
        self._is_layer = invisible >= _LAYER * words
        self._blank = blank
        self._images: list[tuple[float, float, float, float]] = []
        if invisible and self._is_layer:
            images = page.get_objects(filter=[pdfium_raw.FPDF_PAGEOBJ_IMAGE], max_depth=5)
            self._images = [image.get_bounds() for image in images]

    def __call__(self, word: _Word) -> bool:
        if not self._is_layer:
            return True
        left, bottom, right, top = word.sides
        x, y = (left + right) / 2, (bottom + top) / 2
        on_image = any(a <= x <= c and b <= y <= d for a, b, c, d in self._images)
        return not on_image and self._blank(word)


def _runs(words: Sequence[_Word]) -> Iterator[HiddenText]:
    """Words that follow one another, hidden for the same reason, as one text."""
    numbered = enumerate(words)
    for (reason, _), run in groupby(
        numbered, lambda pair: (pair[1].reason, pair[1].number - pair[0])
    ):
        hidden_words = [word for _, word in run]
        if reason == TINY and not _may_be_read(hidden_words):
            continue
        read = [word for row in _rows(hidden_words) for word in row]
        text = " ".join(word.text for word in read)
        yield HiddenText(text=text, reason=reason, boxes=tuple(word.box for word in read))


def _rows(words: Sequence[_Word]) -> Iterator[Sequence[_Word]]:
    """The words of each row as they are read; those from the left alone as they follow."""
    row: list[_Word] = []
    for word in [*words, None]:
        if word is not None and row and word.box.is_level(row[-1].box):
            row.append(word)
            continue
        if any(has_from_right(each.text) for each in row):
            row.sort(key=lambda each: each.box.left)
            row = [row[at] for at in order_of_words([each.text for each in row])]
        yield row
        row = [word] if word else []


def _may_be_read(words: Sequence[_Word]) -> bool:
    """Whether tiny words say something: labels of a plot are few, or mixed with numbers."""
    plain = sum(word.text.strip(_PUNCTUATION).isalpha() for word in words)
    return len(words) >= _LEAST_WORDS and plain >= _PLAIN_WORDS * len(words)
