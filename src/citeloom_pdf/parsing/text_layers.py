"""The text layer of a scan: words that a program read in the image of a page, unseen with it.

Fonts, sizes and places of its letters are that program's and not the print's. So lines, words and
spaces are taken as PDFium reads them, and no font says anything.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise
from statistics import median

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_raw

from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Line, Style, Word
from citeloom_pdf.elements.patterns import PAGE_NUMBER
from citeloom_pdf.parsing.characters import PageCharacters
from citeloom_pdf.parsing.opened_pages import OpenedPage
from citeloom_pdf.parsing.plain_pages import printed_lines

SCAN = 0.7  # of the page's area: images that large are the page

_UNSEEN = 0.5  # of a page's pieces of text: with fewer unseen, it is no text layer
_HIDES = 0.5  # of the page's area: an image that large hides the text drawn before it
_WIDE_GAP = 1.3  # of the font size: what is farther apart may not be one line
_SAME_START = 3.0  # points: words behind a gap that start as near to one another start a column
_LEAST_ROWS, _ROWS = 8, 0.8  # of these, and of the lines from the first to the last of them
_UNSPACED = re.compile("[\u3000-\u30ff\u3400-\u9fff\uff01-\uff60]")  # with signs of full width
_LETTER_GAP = 0.9  # of the font size: how far apart such letters may be
_HANGUL = re.compile("[\uac00-\ud7a3]")  # of Korean, which parts Chinese words, too
_DEPTH = 4  # forms within forms whose pieces are counted
_TURNED = 0.9  # of the letters of a layer that stand turned as its page does
_INVISIBLE = (pdfium_raw.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium_raw.FPDF_TEXTRENDERMODE_CLIP)


def covered_share(bitmaps: Sequence[Rect], width: float, height: float) -> float:
    """How much of a page of this size its images cover; strips of one image count together."""
    return sum(box.clipped(width, height).area for box in bitmaps) / (width * height or 1.0)


def has_text_layer(page: OpenedPage) -> bool:
    """Whether most text of a page that is an image is drawn invisibly, or below the image."""
    seen = unseen = 0
    width, height = page.page.get_size()
    kinds = [pdfium_raw.FPDF_PAGEOBJ_TEXT, pdfium_raw.FPDF_PAGEOBJ_IMAGE]
    for drawn in page.page.get_objects(filter=kinds, max_depth=_DEPTH):
        if drawn.type == pdfium_raw.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = drawn.get_bounds()
            if (right - left) * (top - bottom) >= _HIDES * width * height:
                seen, unseen = 0, unseen + seen
        elif pdfium_raw.FPDFTextObj_GetTextRenderMode(drawn.raw) in _INVISIBLE:
            unseen += 1
        else:
            seen += 1
    return unseen > 0 and unseen >= _UNSEEN * (seen + unseen)


def layer_turn(page: OpenedPage) -> int:
    """How many quarters counter-clockwise a page is turned until its text layer is upright: most
    programs lay the words of a page that was scanned upside down as its image does.
    """
    try:
        letters = [at for at, letter in enumerate(page.letters) if not letter.isspace()]
        angles = (pdfium_raw.FPDFText_GetCharAngle(page.text.raw, at) for at in letters)
        quarters = Counter(round(angle / (math.pi / 2)) % 4 for angle in angles)
    except pdfium.PdfiumError:
        return 0
    clockwise, count = max(quarters.items(), key=lambda each: each[1], default=(0, 0))
    is_whole = count >= _TURNED * len(letters)
    return (page.turning.angle // 90 + clockwise) % 4 if is_whole else 0


def layer_lines(page: OpenedPage, turn: int) -> list[Line]:
    """The lines of a text layer that is upright after so many quarters counter-clockwise, with
    PDFium's words, each divided at the gutters of the page; none if PDFium fails.
    """
    width, height = page.page.get_size()
    sides = (height, width) if turn % 2 else (width, height)
    return [line.turned(*sides, -turn) for line in _upright_lines(page.turned(turn))]


def _upright_lines(page: OpenedPage) -> list[Line]:
    try:
        characters = PageCharacters(page)
        lines = [
            (words, median(characters.size_of(word) or word.box.height for word in words))
            for words in printed_lines(page)
        ]
    except pdfium.PdfiumError:
        return []
    gutters, outermost = _gutters(lines), _outermost(lines)
    return [
        _line(part, size)
        for number, (words, size) in enumerate(lines)
        for part in _parts(words, size, gutters, is_edge=number in outermost)
    ]


def _outermost(lines: Sequence[tuple[Sequence[Word], float]]) -> Set[int]:
    """The numbers of the first and the last line on the page, where its number may stand beside a
    running head.
    """
    tops = [(words[0].box.top, number) for number, (words, _) in enumerate(lines)]
    return {min(tops)[1], max(tops)[1]} if tops else set()


def _gutters(lines: Iterable[tuple[Sequence[Word], float]]) -> Set[int]:
    """Where columns start whose lines were read as one with those beside them."""
    starts: dict[int, list[int]] = defaultdict(list)  # by place, the lines that go on there
    over: dict[int, list[int]] = defaultdict(list)  # and those that run over it
    for number, (words, size) in enumerate(lines):
        behind = {_start(b) for a, b in pairwise(words) if _is_wide(a, b, size)}
        for place in {place + by for place in behind for by in (-1, 0, 1)}:
            starts[place].append(number)
        for place in range(_start(words[0]) + 1, int(words[-1].box.right / _SAME_START)):
            over[place].append(number)
    return {place for place, rows in starts.items() if _is_gutter(rows, over[place])}


def _is_gutter(rows: Sequence[int], over: Sequence[int]) -> bool:
    between = bisect_right(over, rows[-1]) - bisect_left(over, rows[0])
    return len(rows) >= max(_LEAST_ROWS, _ROWS * between)


def _start(word: Word) -> int:
    return round(word.box.left / _SAME_START)


def _is_wide(left: Word, right: Word, size: float) -> bool:
    return right.box.left - left.box.right > _WIDE_GAP * size


def _parts(
    words: Sequence[Word], size: float, gutters: Set[int], *, is_edge: bool
) -> Iterator[Sequence[Word]]:
    first = 0
    for index, (left, right) in enumerate(pairwise(words), start=1):
        wide = _is_wide(left, right, size)
        numbered = (index == 1 and PAGE_NUMBER.match(left.text)) or (
            index == len(words) - 1 and PAGE_NUMBER.match(right.text)
        )
        parted = wide and (_start(right) in gutters or (is_edge and numbered))
        if parted or right.box.right < left.box.left:
            yield words[first:index]
            first = index
    yield words[first:]


def _line(words: Sequence[Word], size: float) -> Line:
    if not any(_HANGUL.search(word.text) for word in words):
        words = _without_spaces(words, size)
    box, text = enclosing(word.box for word in words), " ".join(word.text for word in words)
    tall = box.height > 3 * box.width and len(text) > 3
    return Line(box, text, Style(size), tuple(words), rotated=tall)


def _without_spaces(words: Iterable[Word], size: float) -> list[Word]:
    """The words, as one where letters of Chinese or Japanese meet, which no space parts in print:
    programs that read images part them where they are set apart.
    """
    whole: list[Word] = []
    for word in words:
        before = whole[-1] if whole else None
        near = before and word.box.left - before.box.right < _LETTER_GAP * size
        if before and near and _UNSPACED.match(before.text[-1]) and _UNSPACED.match(word.text):
            box = before.box.union(word.box)
            whole[-1] = before._replace(box=box, text=before.text + word.text)
        else:
            whole.append(word)
    return whole


# How a page is tilted, by the words of its text layer, which stand where the image has them.

STEEPEST = 4.0  # degrees: the largest skew of a page that is straightened

_TELLING = 12.0  # times its height: a shorter line does not tell how the page is tilted
_LEAST_LINES = 5  # that tell it
_STRAIGHT = 0.2  # degrees: less moves no word to another line


def layer_skew(lines: Sequence[Line]) -> float:
    """The skew in degrees of lines with words of their own, positive if they rise to the right; 0
    if these do not tell it.
    """
    ends = [(line.words[0].box, line.words[-1].box) for line in lines if len(line.words) > 1]
    angles = [
        math.degrees(math.atan2(first.bottom - last.bottom, last.middle_x - first.middle_x))
        for first, last in ends
        if last.middle_x - first.middle_x > _TELLING * first.height
    ]
    skew = median(angles) if len(angles) >= _LEAST_LINES else 0.0
    return skew if _STRAIGHT < abs(skew) < STEEPEST else 0.0
