"""PDFium's functions that are called for each letter, with addresses as plain integers.

That takes half the time of a call with typed pointers, of which each letter needs several.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pypdfium2.raw as pdfium_raw

_ADDRESS = ctypes.c_void_p


def address_of(handle: Any) -> int:
    """The address that a pointer points to; 0 for none."""
    return ctypes.cast(handle, _ADDRESS).value or 0


def _fast(function: Any, result: Any, *arguments: Any) -> Any:
    return ctypes.CFUNCTYPE(result, *arguments)(address_of(function))


loose_box = _fast(
    pdfium_raw.FPDFText_GetLooseCharBox, ctypes.c_int, _ADDRESS, ctypes.c_int, _ADDRESS
)
"""Write the box of a letter, with the height of its font, as four floats to an address."""

text_object = _fast(pdfium_raw.FPDFText_GetTextObject, _ADDRESS, _ADDRESS, ctypes.c_int)
"""The address of the text object that draws a letter."""
