"""What everything that draws pages promises."""

from __future__ import annotations

import io
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import PageGeometry, PageImages
from citeloom.domain.documents.conversion import Box
from citeloom.domain.errors import (
    NotFound,
)
from citeloom.infrastructure.conversion.pdfium import PdfiumPageImages
from tests.fakes.page_images import InMemoryPageImages
from tests.fakes.pageless_files import PAGELESS, REFUSED, write_pageless

SIZE = (300, 200)
WORD = Box(left=50, top=80, right=150, bottom=100)
SENTENCE = "Herons nest in tall alders."
LINE = Box(left=52, top=85, right=165, bottom=97)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A PDF of two pages, and files whose pages cannot be drawn."""
    canvas = Canvas(str(tmp_path / "two.pdf"), pagesize=SIZE)
    _draw(canvas)
    canvas.save()
    write_pageless(tmp_path, _draw)
    return tmp_path


def _draw(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 10)
    canvas.drawString(52, SIZE[1] - 95, SENTENCE)
    canvas.drawString(52, SIZE[1] - 155, "Another sentence of the page.")
    canvas.showPage()
    canvas.showPage()


@pytest.fixture(params=["pdfium", "memory"])
def images(request: pytest.FixtureRequest) -> PageImages:
    if request.param == "pdfium":
        return PdfiumPageImages()
    return InMemoryPageImages({"two.pdf": [SIZE, SIZE], **PAGELESS}, {SENTENCE: [LINE]})


def opened(png: bytes) -> Image.Image:
    assert png.startswith(b"\x89PNG")
    return Image.open(io.BytesIO(png)).convert("RGB")


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
def test_a_page_has_its_size(images: PageImages, folder: Path, scale: float) -> None:
    assert opened(images.draw(folder / "two.pdf", 1, [], scale=scale)).size == (
        SIZE[0] * scale,
        SIZE[1] * scale,
    )


def test_boxes_are_highlighted_and_nothing_else(images: PageImages, folder: Path) -> None:
    image = opened(images.draw(folder / "two.pdf", 2, [WORD], scale=1.0))
    inside = image.getpixel((100, 90))
    assert inside != (255, 255, 255)
    outside = [(10, 10), (100, 70), (100, 110), (40, 90), (160, 90)]
    assert {image.getpixel(place) for place in outside} == {(255, 255, 255)}


def test_boxes_are_highlighted_where_the_words_are_not_found(
    images: PageImages, folder: Path
) -> None:
    draw = images.draw
    with_words = draw(folder / "two.pdf", 2, [WORD], scale=1.0, words="no page has these words")
    assert with_words == draw(folder / "two.pdf", 2, [WORD], scale=1.0)


def test_a_page_has_a_size_in_points(images: PageImages, folder: Path) -> None:
    expected = PageGeometry(width=SIZE[0], height=SIZE[1])
    assert images.geometry(folder / "two.pdf", 2) == expected


def test_words_are_found_whole_within_the_boxes(images: PageImages, folder: Path) -> None:
    around = Box(left=50, top=80, right=200, bottom=100)
    [line] = images.geometry(folder / "two.pdf", 1, words=SENTENCE, within=[around]).words
    assert (line.left, line.right) == pytest.approx((LINE.left, LINE.right), abs=3)
    assert (line.top, line.bottom) == pytest.approx((LINE.top, LINE.bottom), abs=3)
    elsewhere = Box(left=50, top=140, right=290, bottom=170)
    for words, within in (
        (SENTENCE, elsewhere),
        (f"{SENTENCE} So do storks and egrets here.", around),
    ):
        found = images.geometry(folder / "two.pdf", 1, words=words, within=[within])
        assert found.words == ()


def test_rectangles_of_the_file_are_counted_from_its_foot(images: PageImages, folder: Path) -> None:
    rectangles = [(50.0, 100.0, 150.0, 120.0), (0.0, 0.0, 10.0, 20.0)]
    boxes = images.geometry(folder / "two.pdf", 2, rectangles=rectangles).rectangles
    assert boxes == (WORD, Box(left=0, top=180, right=10, bottom=200))


@pytest.mark.parametrize("page", [0, -1, 3])
def test_a_page_that_there_is_not_is_not_found(images: PageImages, folder: Path, page: int) -> None:
    with pytest.raises(NotFound):
        images.draw(folder / "two.pdf", page, [], scale=1.0)
    with pytest.raises(NotFound):
        images.geometry(folder / "two.pdf", page)


@pytest.mark.parametrize(("name", "error"), REFUSED)
def test_a_file_without_pages_is_refused(
    images: PageImages, folder: Path, name: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        images.draw(folder / name, 1, [], scale=1.0)
    with pytest.raises(error):
        images.geometry(folder / name, 1)


def test_many_threads_draw_at_the_same_time(images: PageImages, folder: Path) -> None:
    def draw(number: int) -> bytes:
        box = Box(left=number, top=0, right=number + 1, bottom=9)
        return images.draw(folder / "two.pdf", 1 + number % 2, [box], scale=1.0)

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(draw, range(40)))
    assert together == [draw(number) for number in range(40)]


def test_a_file_that_changed_is_drawn_anew(folder: Path) -> None:
    images, path = PdfiumPageImages(), folder / "two.pdf"
    before = images.draw(path, 1, [], scale=1.0)
    canvas = Canvas(str(path), pagesize=(100, 100))
    canvas.showPage()
    canvas.save()
    os.utime(path, (1, 1))
    assert opened(before).size == SIZE
    assert opened(images.draw(path, 1, [], scale=1.0)).size == (100, 100)


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_a_rectangle_is_where_a_cropped_and_turned_page_shows_it(
    tmp_path: Path, turned: int
) -> None:
    canvas = Canvas(str(tmp_path / "turned.pdf"), pagesize=SIZE)
    canvas.setCropBox((20, 10, 280, 190))
    canvas.setPageRotation(turned)
    canvas.setFillColorRGB(1, 0, 0)
    canvas.rect(40, 130, 60, 20, stroke=0, fill=1)
    canvas.save()
    images, path = PdfiumPageImages(), tmp_path / "turned.pdf"
    geometry = images.geometry(path, 1, rectangles=[(40, 130, 100, 150)])
    [box] = geometry.rectangles
    picture = opened(images.draw(path, 1, [], scale=1.0))
    assert list(picture.size) == [geometry.width, geometry.height]
    middle = (round((box.left + box.right) / 2), round((box.top + box.bottom) / 2))
    assert picture.getpixel(middle) == (255, 0, 0)
    assert picture.getpixel((round(box.right) + 3, middle[1])) == (255, 255, 255)
    assert picture.getpixel((middle[0], round(box.bottom) + 3)) == (255, 255, 255)


def test_a_page_without_colour_is_a_picture_in_grey(folder: Path) -> None:
    images, path = PdfiumPageImages(), folder / "two.pdf"
    assert Image.open(io.BytesIO(images.draw(path, 1, [], scale=1.0))).mode == "L"
    assert Image.open(io.BytesIO(images.draw(path, 1, [WORD], scale=1.0))).mode == "RGB"


def test_few_pictures_are_kept(folder: Path) -> None:
    images, path = PdfiumPageImages(most_bytes=3_000), folder / "two.pdf"
    first = images.draw(path, 1, [], scale=1.0)
    assert images.draw(path, 1, [], scale=1.0) is first
    for scale in (0.5, 0.6, 0.7, 0.8, 0.9):
        images.draw(path, 1, [], scale=scale)
    again = images.draw(path, 1, [], scale=1.0)
    assert again is not first
    assert again == first


def test_a_huge_page_is_drawn_smaller(folder: Path) -> None:
    path = folder / "huge.pdf"
    canvas = Canvas(str(path), pagesize=(14_000, 14_000))
    canvas.showPage()
    canvas.save()
    image = opened(PdfiumPageImages().draw(path, 1, [], scale=4.0))
    assert image.width * image.height < 9_000_000


def test_a_page_as_long_as_a_road_is_drawn_small(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "road.pdf"), pagesize=(5_000_000, 1))
    canvas.showPage()
    canvas.save()
    drawn = PdfiumPageImages().draw(tmp_path / "road.pdf", 1, [], scale=4.0)
    assert max(opened(drawn).size) <= 20_000
