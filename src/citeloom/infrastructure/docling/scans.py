"""Pages that are images: which they are, and what an OCR engine reads on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import pypdfium2 as pdfium
from PIL import Image, ImageChops

from citeloom.application.ports.ocr_engine import PageImage, ReadLine
from citeloom.domain.quality import signal_to_noise
from citeloom.infrastructure.docling.fonts import weighted_median
from citeloom.infrastructure.docling.geometry import Rect
from citeloom.infrastructure.docling.page import Line, PageContent, PageLayout, Style, Word

Read = Callable[[PageImage], Sequence[ReadLine]]

_SCAN = 0.7  # of the page's area: an image that large is the page
_LITTLE_TEXT = 400  # characters: a stamp or running heads beside the image of a page
_GARBLED = 0.35  # signal to noise: a text layer below it says nothing
_DPI = 300
_LONGEST_SIDE = 4000  # pixels
_STEP = 1.25  # sizes of type that are nearer to one another count as one
_COVERED = 0.5  # of a line that is read: it stands in the text layer already
_STEEPEST, _TURN = 4.0, 0.25  # degrees: how far a page may lie askew, and the steps tried
_SKETCH = 700  # pixels: the longer side of the image by which that is found


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page with the lines that were read on it, and how sure the engine is of them.

    The lines are straight; on the page they rise by `skew` degrees.
    """

    content: PageContent
    confidence: float
    skew: float


def needs_reading(page: PageContent) -> bool:
    """Whether the page's text is in an image: there is no other, or next to none, or the text
    layer over the image is rubbish.
    """
    text = "\n".join(line.text for line in page.lines)
    if not text.strip():
        return bool(page.bitmaps or page.drawings)
    covered = sum(box.clipped(page.width, page.height).area for box in page.bitmaps)
    if covered < _SCAN * page.area:
        return False
    return len(text) < _LITTLE_TEXT or is_garbled(text)


def is_garbled(text: str) -> bool:
    """Whether a text layer holds next to no words."""
    return signal_to_noise(text) < _GARBLED


def read_page(pdf: pdfium.PdfDocument, page: PageContent, read: Read) -> ReadPage | None:
    """The page with what is read on its image beside the text that it has; None where nothing is.

    Text that is rubbish gives way to what is read.
    """
    image = _rendered(pdf, page)
    skew = skew_of(image)
    straight = image.rotate(-skew, Image.Resampling.BILINEAR, fillcolor=255) if skew else image
    dpi = round(72 * image.width / page.width)
    found = read(
        PageImage(width=image.width, height=image.height, pixels=straight.tobytes(), dpi=dpi)
    )
    kept = () if is_garbled("\n".join(line.text for line in page.lines)) else page.lines
    new = [one for one in found if not _is_known(one, kept)]
    if not new:
        return None
    letters = sum(len(one.text) for one in new)
    confidence = sum(one.confidence * len(one.text) for one in new) / letters
    lines = (*kept, *_lines(new))
    content = PageContent(page.number, page.width, page.height, lines)
    return ReadPage(content, round(confidence, 3), skew)


def askew(layout: PageLayout, skew: float) -> PageLayout:
    """The layout with its blocks where they stand on a page that lies askew."""
    if not skew:
        return layout
    sine, cosine = math.sin(math.radians(skew)), math.cos(math.radians(skew))
    for block in layout.blocks:
        box = block.box
        right, down = box.middle_x - layout.width / 2, box.middle_y - layout.height / 2
        across = right * cosine + down * sine - right
        along = down * cosine - right * sine - down
        block.box = Rect(box.left + across, box.top + along, box.right + across, box.bottom + along)
    return layout


def skew_of(image: Image.Image) -> float:
    """By how many degrees the lines of text rise to the right; 0 where none tell.

    Turned upright, rows of pixels are either in a line of text or between two.
    """
    sketch = ImageChops.invert(image)
    sketch.thumbnail((_SKETCH, _SKETCH))
    steps = round(_STEEPEST / _TURN)
    best = max(
        range(-steps, steps + 1), key=lambda step: (_contrast(sketch, step * _TURN), -abs(step))
    )
    return best * _TURN if abs(best) < steps else 0.0


def _contrast(sketch: Image.Image, angle: float) -> float:
    turned = sketch.rotate(-angle, Image.Resampling.BILINEAR)
    rows = turned.resize((1, turned.height), Image.Resampling.BOX).tobytes()
    return sum((upper - lower) ** 2 for upper, lower in zip(rows, rows[1:]))


def _rendered(pdf: pdfium.PdfDocument, page: PageContent) -> Image.Image:
    scale = min(_DPI / 72, _LONGEST_SIDE / max(page.width, page.height))
    with (
        closing(pdf[page.number - 1]) as opened,
        closing(opened.render(scale=scale, grayscale=True)) as bitmap,
    ):
        image: Image.Image = bitmap.to_pil().convert("L")
    return image


def _is_known(line: ReadLine, lines: Sequence[Line]) -> bool:
    box = _rect(line)
    return sum(box.shared_area(known.box) for known in lines) > _COVERED * box.area


def _lines(found: Sequence[ReadLine]) -> Iterator[Line]:
    """The lines with sizes of type that are the same throughout, as an engine's are not."""
    usual = weighted_median((one.size, len(one.text)) for one in found)
    for one in found:
        size = usual * _STEP ** round(math.log(one.size / usual, _STEP))
        box = _rect(one)
        tall = box.height > 3 * box.width and len(one.text) > 3
        yield Line(box, one.text, Style(size), (Word(box, one.text, ""),), rotated=tall)


def _rect(line: ReadLine) -> Rect:
    return Rect(line.box.left, line.box.top, line.box.right, line.box.bottom)
