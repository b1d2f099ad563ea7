"""The boxes of passages lie where PDFium draws their text, on cropped and turned pages too."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import Box
from citeloom.infrastructure.conversion.pdfium import PdfiumPageImages
from citeloom.infrastructure.settings import load_settings
from citeloom.infrastructure.wiring.conversion import open_converter

CROP = (50, 60, 380, 560)
DARK = 100


def written(path: Path, *, crop: bool, turned: int) -> Path:
    """A page of six lines of text."""
    canvas = Canvas(str(path), pagesize=(400, 600))
    if crop:
        canvas.setCropBox(CROP)
    canvas.setPageRotation(turned)
    canvas.setFont("Helvetica", 11)
    for line in range(6):
        canvas.drawString(100, 380 - 14 * line, "Plot one of rainfall was measured in the field.")
    canvas.showPage()
    canvas.save()
    return path


def boxes_of(path: Path) -> list[Box]:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    source = SourceFile(path=path, doc_id=digest[:32], content_hash=digest)
    converted = open_converter(load_settings(cwd=path.parent)).convert(source, lambda _: None)
    fragments = (one for block in converted.result.blocks for one in block.fragments)
    return [one.box for one in fragments if one.box is not None]


def ink(png: bytes) -> list[tuple[int, int]]:
    """The places of dark pixels."""
    image = Image.open(io.BytesIO(png)).convert("L")
    pixels = image.load()
    assert pixels is not None
    return [
        (x, y)
        for y in range(image.height)
        for x in range(image.width)
        if isinstance(value := pixels[x, y], int) and value < DARK
    ]


@pytest.mark.parametrize("turned", [0, 180])
@pytest.mark.parametrize("crop", [False, True])
def test_the_text_lies_within_its_boxes(tmp_path: Path, crop: bool, turned: int) -> None:
    path = written(tmp_path / "page.pdf", crop=crop, turned=turned)
    boxes = boxes_of(path)
    dark = ink(PdfiumPageImages().draw(path, 1, [], scale=1.0))
    inside = [
        any(
            box.left - 2 <= x <= box.right + 2 and box.top - 2 <= y <= box.bottom + 2
            for box in boxes
        )
        for x, y in dark
    ]
    assert len(inside) > 1000
    assert sum(inside) == len(inside)


@pytest.mark.parametrize("turned", [90, 270])
def test_boxes_lie_on_text_that_stands_upright(tmp_path: Path, turned: int) -> None:
    path = written(tmp_path / "page.pdf", crop=True, turned=turned)
    dark = ink(PdfiumPageImages().draw(path, 1, [], scale=1.0))
    for box in boxes_of(path):
        assert any(box.left <= x <= box.right and box.top <= y <= box.bottom for x, y in dark)
