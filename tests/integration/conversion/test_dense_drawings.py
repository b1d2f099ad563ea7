"""Pages whose drawings have too many parts to be parsed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pypdfium2 as pdfium
import pytest

from citeloom.application.ports.conversion import SourceFile
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom_pdf.parsing.dense_drawings import (
    without_dense_drawings,
)
from citeloom_pdf.parsing.opened_pages import OpenedPage
from tests.integration.conversion import documents


def opened(path: Path) -> Iterator[pdfium.PdfDocument]:
    document = pdfium.PdfDocument(path)
    yield document
    document.close()


@pytest.fixture
def figure(tmp_path: Path) -> Iterator[pdfium.PdfDocument]:
    yield from opened(documents.dense_drawing(tmp_path / "figure.pdf"))


@pytest.fixture
def wrapped(tmp_path: Path) -> Iterator[pdfium.PdfDocument]:
    yield from opened(documents.dense_drawing(tmp_path / "page.pdf", with_prose=True))


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[pdfium.PdfDocument]:
    yield from opened(documents.ruled_table(tmp_path / "table.pdf"))


def test_a_dense_figure_is_left_out_and_its_place_told(figure: pdfium.PdfDocument) -> None:
    light = without_dense_drawings(OpenedPage(figure, 1))
    assert light is not None
    (place,) = light.drawings
    assert (place.left, place.right) == pytest.approx((100, 399), abs=2)
    assert place.bottom == pytest.approx(842 - 290, abs=5)
    copy = pdfium.PdfDocument(light.pdf)
    text = copy[0].get_textpage().get_text_range()
    copy.close()
    assert text.count("A river carries gravel") == 8
    assert "slope\n" not in text


def test_a_form_that_holds_the_text_of_the_page_stays(wrapped: pdfium.PdfDocument) -> None:
    assert without_dense_drawings(OpenedPage(wrapped, 1)) is None


def test_an_ordinary_page_stays(plain: pdfium.PdfDocument) -> None:
    assert without_dense_drawings(OpenedPage(plain, 1)) is None


def test_the_text_around_a_dense_figure_is_converted(tmp_path: Path) -> None:
    path = documents.dense_drawing(tmp_path / "figure.pdf")
    result = PdfConverter().convert(SourceFile(path=path, doc_id="doc", content_hash=""))
    prose, caption = map(result.text_of, result.blocks)
    assert prose.count("A river carries gravel") == 8
    assert caption == "Figure 1: Strokes of gravel."
