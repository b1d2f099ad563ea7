"""Places on a page that is shown turned, as PDFium counts them and as they are seen."""

from __future__ import annotations

from dataclasses import dataclass

import pypdfium2 as pdfium

from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect


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
