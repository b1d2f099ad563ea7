"""The pages of a PDF and their text, each loaded once for everything that is read of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from contextlib import closing
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_raw

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.parsing.tex_codes import codes_of

# Places on a page that is shown turned, as PDFium counts them and as they are seen.


@dataclass(frozen=True, slots=True)
class Turning:
    """Converts between a page's own points, up from its corner, and those of the page as shown,
    down from its top left corner.
    """

    angle: int
    left: float
    bottom: float
    right: float
    top: float

    def shown(self, left: float, bottom: float, right: float, top: float) -> Rect:
        """A box of the page's own points as it is shown."""
        match self.angle:
            case 0:
                return Rect(left - self.left, self.top - top, right - self.left, self.top - bottom)
            case 90:
                return Rect(
                    bottom - self.bottom,
                    left - self.left,
                    top - self.bottom,
                    right - self.left,
                )
            case 180:
                return Rect(
                    self.right - right,
                    bottom - self.bottom,
                    self.right - left,
                    top - self.bottom,
                )
            case _:
                return Rect(
                    self.top - top, self.right - right, self.top - bottom, self.right - left
                )

    def own(self, box: Rect) -> Rect:
        """A shown box in the page's own points: left, bottom, right, top."""
        left, top, right, bottom = box
        match self.angle:
            case 90:
                sides = (
                    self.left + top,
                    self.bottom + left,
                    self.left + bottom,
                    self.bottom + right,
                )
            case 180:
                sides = (
                    self.right - right,
                    self.bottom + top,
                    self.right - left,
                    self.bottom + bottom,
                )
            case 270:
                sides = (self.right - bottom, self.top - right, self.right - top, self.top - left)
            case _:
                sides = (self.left + left, self.top - bottom, self.left + right, self.top - top)
        return Rect(*sides)


def turning_of(page: pdfium.PdfPage) -> Turning:
    """How the page is shown."""
    return Turning(page.get_rotation(), *page.get_bbox())


# Pages and what is loaded of them.

_CONTROL = re.compile(r"[\x00\x01\x03-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # \x02 is a hyphen's
_THINNEST = 0.1  # points: what is narrower is not seen
_HEAVY = 20_000  # objects: a page with more is not held while others are read


class OpenedPage:
    """A page, loaded at the first use of anything on it; that raises `PdfiumError` if it fails."""

    def __init__(self, document: pdfium.PdfDocument, number: int) -> None:
        self.document = document
        self.number = number

    @cached_property
    def page(self) -> pdfium.PdfPage:
        """The page with all that is drawn on it."""
        return self.document[self.number - 1]

    @cached_property
    def text(self) -> pdfium.PdfTextPage:
        return self.page.get_textpage()

    @cached_property
    def count(self) -> int:
        return int(self.text.count_chars())

    @cached_property
    def codes(self) -> Callable[[str], str]:
        """What turns the codes of its fonts into letters."""
        return codes_of(self._raw)

    @cached_property
    def _raw(self) -> str:
        return str(self.text.get_text_range())

    @cached_property
    def whole(self) -> str:
        """All of its text; PDFium leaves letters out that it counts."""
        return self.codes(self._raw)

    @cached_property
    def letters(self) -> str:
        return self.codes(self._raw_letters)

    @cached_property
    def _raw_letters(self) -> str:
        if len(self._raw) == self.count:
            return self._raw
        positions = range(self.count)
        return "".join(chr(pdfium_raw.FPDFText_GetUnicode(self.text, n)) for n in positions)

    @cached_property
    def signs_of_controls(self) -> Mapping[int, str]:
        """By position, the letters with ink that have the codes of controls; those that cannot be
        decoded as `\ufffd`.
        """
        found = {}
        for control in _CONTROL.finditer(self._raw_letters):
            left, bottom, right, top = self.text.get_charbox(at := control.start())
            if right - left > _THINNEST and top > bottom:
                found[at] = _CONTROL.sub("\ufffd", self.letters[at])
        return found

    @cached_property
    def unread_controls(self) -> Set[str]:
        """The codes of controls under which the page has letters that cannot be decoded."""
        signs = self.signs_of_controls.items()
        return frozenset(self._raw_letters[at] for at, sign in signs if sign == "\ufffd")

    @cached_property
    def turning(self) -> Turning:
        return turning_of(self.page)

    def turned(self, quarters: int) -> OpenedPage:
        """The page as it is shown after so many quarters counter-clockwise, with what is loaded."""
        other, angle = copy(self), (self.turning.angle - 90 * quarters) % 360
        vars(other)["turning"] = replace(self.turning, angle=angle)
        return other

    @property
    def is_heavy(self) -> bool:
        """Whether it is loaded, and takes much memory."""
        page = vars(self).get("page")
        return page is not None and int(pdfium_raw.FPDFPage_CountObjects(page)) > _HEAVY

    def close(self) -> None:
        """Release it with its text; a later use loads both again."""
        loaded = vars(self)
        for name in ("text", "page"):
            if name in loaded:
                loaded[name].close()
        for name in set(loaded) - {"document", "number"}:
            del loaded[name]


class OpenedPages:
    """The pages of a document, each open from its first use until it is released."""

    def __init__(self, document: pdfium.PdfDocument) -> None:
        self.document = document
        self._open: dict[int, OpenedPage] = {}
        self._texts: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self.document)

    def __getitem__(self, number: int) -> OpenedPage:
        if number not in self._open:
            self._open[number] = OpenedPage(self.document, number)
        return self._open[number]

    def text(self, number: int) -> str:
        """All text of a page, which is kept; empty if PDFium cannot load the page."""
        if number not in self._texts:
            try:
                if number in self._open:
                    self._texts[number] = self._open[number].whole
                else:
                    with closing(OpenedPage(self.document, number)) as page:
                        self._texts[number] = page.whole
            except pdfium.PdfiumError:
                self._texts[number] = ""
        return self._texts[number]

    def release(self, number: int) -> None:
        """Close a page, if it is open; text that was read of it is kept."""
        if number in self._open:
            page = self._open.pop(number)
            if "_raw" in vars(page):
                self._texts[number] = page.whole
            page.close()

    def release_heavy(self) -> None:
        for number in [number for number, page in self._open.items() if page.is_heavy]:
            self.release(number)

    def close(self) -> None:
        """Close the pages that are still open."""
        for number in list(self._open):
            self.release(number)
