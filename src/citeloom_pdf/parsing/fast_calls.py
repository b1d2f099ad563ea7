"""PDFium's functions that are called for each letter, with addresses as plain integers.

That takes half the time of a call with typed pointers, of which each letter needs several.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any

import pypdfium2.raw as pdfium_raw

_ADDRESS = ctypes.c_void_p
_LONGEST_NAME = 128  # bytes: no font's name is longer


def address_of(handle: Any) -> int:
    """The address that a pointer points to; 0 for none."""
    return ctypes.cast(handle, _ADDRESS).value or 0


def _fast(function: Any, result: Any, *arguments: Any) -> Any:
    return ctypes.CFUNCTYPE(result, *arguments)(address_of(function))


loose_box = _fast(
    pdfium_raw.FPDFText_GetLooseCharBox, ctypes.c_int, _ADDRESS, ctypes.c_int, _ADDRESS
)
"""Write the box of a letter, with the height of its font, as four floats to an address."""

char_at = _fast(
    pdfium_raw.FPDFText_GetCharIndexAtPos, ctypes.c_int, _ADDRESS, *[ctypes.c_double] * 4
)
"""The position of the letter at a place of the page, within so many points across and down."""

text_object = _fast(pdfium_raw.FPDFText_GetTextObject, _ADDRESS, _ADDRESS, ctypes.c_int)
"""The address of the text object that draws a letter."""

has_no_letter = _fast(pdfium_raw.FPDFText_HasUnicodeMapError, ctypes.c_int, _ADDRESS, ctypes.c_int)
"""1 where a letter's font names or maps no letter for its code, which PDFium has in its place."""

render_mode = _fast(pdfium_raw.FPDFTextObj_GetTextRenderMode, ctypes.c_int, _ADDRESS)
"""How a text object is drawn: filled, stroked, invisible."""

clip_path = _fast(pdfium_raw.FPDFPageObj_GetClipPath, _ADDRESS, _ADDRESS)
"""The address of what an object is clipped to."""

count_marks = _fast(pdfium_raw.FPDFPageObj_CountMarks, ctypes.c_int, _ADDRESS)
"""How many marks the content has for an object, such as that of a layer; -1 if it has none."""

count_clips = _fast(pdfium_raw.FPDFClipPath_CountPaths, ctypes.c_int, _ADDRESS)
"""How many paths clip an object; -1 if it has none."""

_fill_color = _fast(
    pdfium_raw.FPDFText_GetFillColor, ctypes.c_int, _ADDRESS, ctypes.c_int, *[_ADDRESS] * 4
)
_font_info = _fast(
    pdfium_raw.FPDFText_GetFontInfo,
    ctypes.c_ulong,
    _ADDRESS,
    ctypes.c_int,
    _ADDRESS,
    ctypes.c_ulong,
    _ADDRESS,
)
_font_size = _fast(pdfium_raw.FPDFText_GetFontSize, ctypes.c_double, _ADDRESS, ctypes.c_int)
_origin = _fast(
    pdfium_raw.FPDFText_GetCharOrigin, ctypes.c_int, _ADDRESS, ctypes.c_int, _ADDRESS, _ADDRESS
)
_char_box = _fast(
    pdfium_raw.FPDFText_GetCharBox, ctypes.c_int, _ADDRESS, ctypes.c_int, *[_ADDRESS] * 4
)
_matrix = _fast(pdfium_raw.FPDFText_GetMatrix, ctypes.c_int, _ADDRESS, ctypes.c_int, _ADDRESS)


class LetterLooks:
    """How the letters of a page are drawn; what one object draws has one font and size."""

    def __init__(self, page: int) -> None:
        self._page = page
        self._sizes: dict[int | None, float] = {}
        self._color = (ctypes.c_uint * 4)()
        first = ctypes.addressof(self._color)
        self._channels = [first + 4 * channel for channel in range(4)]
        self._transform = pdfium_raw.FS_MATRIX()
        self._transform_address = ctypes.addressof(self._transform)
        self._name = ctypes.create_string_buffer(_LONGEST_NAME)
        self._name_address = ctypes.addressof(self._name)
        self._origin = (ctypes.c_double * 2)()
        self._origin_x = ctypes.addressof(self._origin)
        self._origin_y = self._origin_x + ctypes.sizeof(ctypes.c_double)
        self._box = (ctypes.c_double * 4)()
        side = ctypes.addressof(self._box)
        self._sides = [side + ctypes.sizeof(ctypes.c_double) * at for at in range(4)]

    def color(self, position: int) -> Sequence[int] | None:
        """Red, green, blue and opacity of a letter's inside, of 255; None if it has none."""
        if not _fill_color(self._page, position, *self._channels):
            return None
        return self._color[:]

    def font(self, position: int) -> str:
        """The name of a letter's font; empty if it has none."""
        length = _font_info(self._page, position, self._name_address, _LONGEST_NAME, None)
        known = 0 < length <= _LONGEST_NAME
        return self._name.value.decode("utf-8", "replace") if known else ""

    def size(self, position: int) -> float:
        """The size in points of a letter's font, as it is drawn."""
        drawn = text_object(self._page, position)
        if drawn not in self._sizes or not drawn:
            size = float(_font_size(self._page, position))
            if _matrix(self._page, position, self._transform_address):
                size *= math.hypot(self._transform.c, self._transform.d) or 1.0
            self._sizes[drawn] = size
        return self._sizes[drawn]

    def middle(self, position: int) -> tuple[float, float]:
        """The middle of a letter's ink, in the page's own points; 0 if PDFium cannot say."""
        left, bottom, right, top = self.ink(position) or (0.0, 0.0, 0.0, 0.0)
        return (left + right) / 2, (bottom + top) / 2

    def ink(self, position: int) -> tuple[float, float, float, float] | None:
        """Where a letter's ink is, left, bottom, right and top in the page's own points; None if
        PDFium cannot say.
        """
        if not _char_box(self._page, position, *self._sides):
            return None
        left, right, bottom, top = self._box
        return left, bottom, right, top

    def origin(self, position: int) -> tuple[float, float]:
        """Where a letter stands, in the page's own points; 0 if PDFium cannot say."""
        found = _origin(self._page, position, self._origin_x, self._origin_y)
        return (self._origin[0], self._origin[1]) if found else (0.0, 0.0)

    def height(self, position: int) -> float:
        """How high a letter stands across the direction of its line, in the page's own points."""
        x, y = self.origin(position)
        if not _matrix(self._page, position, self._transform_address):
            return y
        across, up = float(self._transform.a), float(self._transform.b)
        return (across * y - up * x) / (math.hypot(across, up) or 1.0)
