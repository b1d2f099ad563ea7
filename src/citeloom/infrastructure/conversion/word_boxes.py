"""Where words stand on a page of a PDF, by PDFium's boxes of its characters."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence

import pypdfium2
from pypdfium2 import raw

from citeloom.domain.chunks.chunk import Rect
from citeloom.domain.documents.conversion import Box
from citeloom.domain.text.normal_form import NormalText, quotation_key

_LEAST_RUN = 16
"""How many letters of longer words must stand together: fewer stand anywhere."""
_LEAST_SHARE = 0.25
_SLACK = 3.0  # points that a character may lie outside the boxes of its passage


def word_boxes(
    page: pypdfium2.PdfPage,
    words: str,
    within: Sequence[Box],
    *,
    least_share: float = _LEAST_SHARE,
) -> list[Box]:
    """The lines of the words on a page as it is shown, one box each; of words that are on several
    pages those on this one. Only characters `within` boxes count, where there are any.

    White space, hyphens, ligatures and quotation marks do not count. Empty where less than the
    `least_share` of the words is found.
    """
    text = page.get_textpage()
    try:
        letters = []
        for index in range(text.count_chars()):
            char = chr(raw.FPDFText_GetUnicode(text, index))
            if char.isspace() or not within or _is_within(_shown(page, _box(text, index)), within):
                letters.append((index, char))
        key = NormalText.key_of("".join(char for _, char in letters))
        sought = quotation_key(words)
        spans = list(_runs(sought, key.text))
        if sum(end - start for start, end in spans) < least_share * len(sought):
            return []
        boxes = [
            letters[at][0] for span in spans for at in dict.fromkeys(key.offsets[span[0] : span[1]])
        ]
        return [_shown(page, line) for line in _lines(_box(text, index) for index in boxes)]
    finally:
        text.close()


def box_on_page(page: pypdfium2.PdfPage, rectangle: Rect) -> Box:
    """Where a rectangle of the file is on the page as it is shown."""
    (x1, x2), (y1, y2) = sorted(rectangle[::2]), sorted(rectangle[1::2])
    return _shown(page, Box(left=x1, top=-y2, right=x2, bottom=-y1))


def _is_within(box: Box, boxes: Sequence[Box]) -> bool:
    x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    return any(
        around.left - _SLACK <= x <= around.right + _SLACK
        and around.top - _SLACK <= y <= around.bottom + _SLACK
        for around in boxes
    )


def _box(text: pypdfium2.PdfTextPage, index: int) -> Box:
    """The box of a character in the file, counted downwards."""
    left, bottom, right, top = text.get_charbox(index, loose=True)
    return Box(left=left, top=-top, right=right, bottom=-bottom)


_PARTS = 100  # of a point: PDFium gives places in whole numbers


def _shown(page: pypdfium2.PdfPage, box: Box) -> Box:
    """A box of the file in points from the upper left of the page as it is cropped and turned."""
    width, height = (round(side * _PARTS) for side in page.get_size())
    places = []
    for x, y in ((box.left, -box.bottom), (box.right, -box.top)):
        at_x, at_y = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, at_x, at_y)
        places.append((at_x.value / _PARTS, at_y.value / _PARTS))
    (x1, y1), (x2, y2) = places
    return Box(left=min(x1, x2), top=min(y1, y2), right=max(x1, x2), bottom=max(y1, y2))


def _runs(words: str, text: str) -> Iterator[tuple[int, int]]:
    """The spans of the text in which the words stand, in runs as long as can be; each is looked for
    behind the one before it, else anywhere.
    """
    least = min(_LEAST_RUN, len(words))
    at = place = 0
    while least and at + least <= len(words):
        size = _longest(words[at:], text)
        if size < least:
            at += 1
            continue
        run = words[at : at + size]
        position = text.find(run, place)
        start = text.find(run) if position < 0 else position
        yield start, start + size
        at, place = at + size, start + size


def _longest(words: str, text: str) -> int:
    """How many of the first letters stand together in the text."""
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if words[:middle] in text:
            low = middle
        else:
            high = middle - 1
    return low


def _lines(boxes: Iterable[Box]) -> list[Box]:
    """Boxes of characters in reading order, joined to one a line."""
    lines: list[Box] = []
    for box in boxes:
        if box.right <= box.left or box.bottom <= box.top:
            continue
        if lines and _is_beside(lines[-1], box):
            lines[-1] = Box(
                left=min(lines[-1].left, box.left),
                top=min(lines[-1].top, box.top),
                right=max(lines[-1].right, box.right),
                bottom=max(lines[-1].bottom, box.bottom),
            )
        else:
            lines.append(box)
    return lines


def _is_beside(line: Box, box: Box) -> bool:
    height = min(line.bottom - line.top, box.bottom - box.top)
    overlap = min(line.bottom, box.bottom) - max(line.top, box.top)
    gap = max(box.left - line.right, line.left - box.right)
    return overlap > height / 2 and gap < 2 * height
