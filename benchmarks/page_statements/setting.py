"""How a sheet becomes a PDF: by Typst, as a scan with or without a text layer, or by ReportLab."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pypdfium2 as pdfium
from benchmarks.page_statements.sheets import Sheet, by_typst
from PIL import Image, ImageFilter
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

_DPI = 200
_CID_FONTS = {"zh": "STSong-Light", "ja": "HeiseiMin-W3", "ko": "HYSMyeongJo-Medium"}


def as_scan(sheet: Sheet, path: Path) -> None:
    """Typeset the sheet, and print its pages as images alone."""
    _scan(sheet, path, layered=False)


def as_scan_with_text(sheet: Sheet, path: Path) -> None:
    """Typeset the sheet, and print its pages as images over a text that is not seen."""
    _scan(sheet, path, layered=True)


def _scan(sheet: Sheet, path: Path, *, layered: bool) -> None:
    by_typst(sheet, path)
    tilt = 0.0 if layered else (0, 0.4, -0.6, 0.9)[sheet.form // 2]
    with closing(pdfium.PdfDocument(path.read_bytes())) as document:
        canvas = Canvas(str(path), invariant=1)
        for page in document:
            width, height = page.get_size()
            canvas.setPageSize((width, height))
            if layered:
                _put_words(canvas, page)
            image = _worn(page.render(scale=_DPI / 72).to_pil(), tilt, sheet.random)
            canvas.drawImage(ImageReader(image), 0, 0, width, height)
            canvas.showPage()
        canvas.save()


def _worn(image: Image.Image, tilt: float, random: Random) -> Image.Image:
    """A page as a copier leaves it: grey, tilted, a little blurred, with specks."""
    grey = image.convert("L").rotate(tilt, Image.Resampling.BICUBIC, fillcolor=255)
    grey = grey.filter(ImageFilter.GaussianBlur(0.6))
    for _ in range(150):
        grey.putpixel((random.randrange(grey.width), random.randrange(grey.height)), 90)
    packed = io.BytesIO()
    grey.save(packed, "JPEG", quality=70)
    packed.seek(0)
    return Image.open(packed)


def _put_words(canvas: Canvas, page: pdfium.PdfPage) -> None:
    for word, (left, bottom, right, top) in _words(page):
        text = canvas.beginText(left, bottom)
        text.setTextRenderMode(3)
        text.setFont("Times-Roman", max(1.0, top - bottom))
        wide = pdfmetrics.stringWidth(word, "Times-Roman", max(1.0, top - bottom))
        text.setHorizScale(100 * (right - left) / max(wide, 1))
        text.textOut(word + " ")
        canvas.drawText(text)


def _words(page: pdfium.PdfPage) -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    """The words of a page with their boxes."""
    with closing(page.get_textpage()) as text:
        word, boxes = "", []
        for index in range(text.count_chars()):
            character = text.get_text_range(index, 1)
            if character.strip():
                word += character
                boxes.append(text.get_charbox(index, loose=True))
            elif word:
                yield word, _around(boxes)
                word, boxes = "", []
        if word:
            yield word, _around(boxes)


def _around(
    boxes: list[tuple[float, float, float, float]],
) -> tuple[float, float, float, float]:
    left, bottom, right, top = zip(*boxes)
    return min(left), min(bottom), max(right), max(top)


def by_reportlab(sheet: Sheet, path: Path) -> None:
    """Set the sheet's parts, each a paragraph of plain text, in a font that the PDF only names."""
    font = _CID_FONTS[sheet.look.language]
    pdfmetrics.registerFont(UnicodeCIDFont(font))
    size, columns = sheet.look.size, sheet.look.columns
    canvas = Canvas(str(path), (595, 842), invariant=1)
    width = (475 - 20 * (columns - 1)) / columns
    lines = [line for part in sheet.parts for line in _broken(part, font, size, width)]
    deep = int(680 / (1.6 * size))
    canvas.setFont(font, 8)
    canvas.drawString(60, 800, sheet.look.head)
    canvas.setFont(font, size)
    for number, line in enumerate(lines[: deep * columns]):
        across, down = divmod(number, deep)
        canvas.drawString(60 + across * (width + 20), 770 - 1.6 * size * down, line)
    canvas.save()


def _broken(text: str, font: str, size: float, width: float) -> Iterator[str]:
    """The lines of a paragraph: between words where it has spaces, else between letters."""
    units = [f"{word} " for word in text.split()] if " " in text else list(text)
    line = ""
    for unit in units:
        if line and pdfmetrics.stringWidth(line + unit.rstrip(), font, size) > width:
            yield line.rstrip()
            line = ""
        line += unit
    yield line.rstrip()
