"""Dense drawings, which would cost the parser seconds and a gigabyte per page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_raw

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.parsing.opened_pages import OpenedPage

_MOST_PARTS = 10_000  # objects of a drawing: one with more is left out before parsing
_LABELS = 0.3  # of the page's characters: a form that holds more is the page rather than a drawing


class LightPage(NamedTuple):
    """A page without its dense drawings, as a PDF of one page, and the boxes of these."""

    pdf: BytesIO
    drawings: tuple[Rect, ...]


def without_dense_drawings(page: OpenedPage) -> LightPage | None:
    """The page without drawings that are too dense to parse; None if it has none.

    Only drawings that are form objects, as included figures are, can be left out.
    """
    try:
        if page.page.get_rotation() or not any(_dense_forms(page.page)):
            return None
    except pdfium.PdfiumError:
        return None
    with closing(pdfium.PdfDocument.new()) as copy:
        copy.import_pages(page.document, [page.number - 1])
        with closing(copy[0]) as lighter:
            drawings = _left_out(lighter)
        if not drawings:
            return None
        content = BytesIO()
        copy.save(content)
    return LightPage(content, drawings)


def _dense_forms(page: pdfium.PdfPage) -> Iterator[pdfium.PdfObject]:
    for index in range(pdfium_raw.FPDFPage_CountObjects(page)):
        drawn = pdfium_raw.FPDFPage_GetObject(page, index)
        kind = pdfium_raw.FPDFPageObj_GetType(drawn)
        if kind == pdfium_raw.FPDF_PAGEOBJ_FORM and _parts(drawn) > _MOST_PARTS:
            yield pdfium.PdfObject(drawn, page=page, pdf=page.pdf)


def _parts(form: pdfium_raw.FPDF_PAGEOBJECT) -> int:
    """The number of objects in a form, nested forms included; counting stops at the limit."""
    count = int(pdfium_raw.FPDFFormObj_CountObjects(form))
    for index in range(count):
        if count > _MOST_PARTS:
            break
        inner = pdfium_raw.FPDFFormObj_GetObject(form, index)
        if pdfium_raw.FPDFPageObj_GetType(inner) == pdfium_raw.FPDF_PAGEOBJ_FORM:
            count += _parts(inner)
    return count


def _left_out(page: pdfium.PdfPage) -> tuple[Rect, ...]:
    """The boxes of the removed dense drawings; none if they hold the page's text."""
    before, height = _characters(page), page.get_height()
    drawings = []
    for form in list(_dense_forms(page)):
        left, bottom, right, top = form.get_bounds()
        drawings.append(Rect(left, height - top, right, height - bottom))
        page.remove_obj(form)
    if before - _characters(page) > _LABELS * before:
        return ()
    page.gen_content()
    return tuple(drawings)


def _characters(page: pdfium.PdfPage) -> int:
    with closing(page.get_textpage()) as text:
        return int(text.count_chars())
