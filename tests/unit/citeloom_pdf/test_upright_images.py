"""How the image of a page lay on the scanner."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw, ImageFont

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.upright_images import likely_turns, turned, without_specks

LINES = (
    "The river carries barley past the old mill in spring,",
    "and the farmers of the valley count what is left of it",
    "before the rain comes down from the hills in autumn.",
) * 4


@pytest.fixture(scope="module")
def page() -> Image.Image:
    image = Image.new("L", (900, 1200), 255)
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(LINES):
        draw.text((100, 150 + 60 * number), line, fill=0, font=ImageFont.load_default(26))
    return image


@pytest.mark.parametrize(
    ("laid", "turns"), [(0, (0,)), (1, (3, 1, 0)), (2, (2, 0)), (3, (1, 3, 0))]
)
def test_lines_and_the_ink_above_them_tell_how_a_page_was_laid(
    page: Image.Image, laid: int, turns: tuple[int, ...]
) -> None:
    assert likely_turns(turned(page, laid)) == turns


@pytest.mark.parametrize("skew", [-2.0, 2.0])
def test_a_tilted_page_is_no_turned_one(page: Image.Image, skew: float) -> None:
    tilted = page.rotate(skew, Image.Resampling.BICUBIC, fillcolor=255)
    assert likely_turns(tilted) == (0,)


def test_a_page_without_lines_is_left_as_it_is() -> None:
    assert likely_turns(Image.new("L", (900, 1200), 255)) == (0,)


@pytest.mark.parametrize("quarters", range(4))
def test_a_box_is_where_the_turned_image_has_it_and_back(quarters: int) -> None:
    image = Image.new("L", (40, 60), 0)
    image.paste(255, (3, 5, 10, 20))
    box = Rect(3, 5, 10, 20).turned(40, 60, quarters)
    after = turned(image, quarters)
    assert after.getbbox() == tuple(box)
    assert box.turned(*after.size, -quarters) == Rect(3, 5, 10, 20)


def test_specks_are_taken_out_and_letters_stay(page: Image.Image) -> None:
    clear = page.resize((1800, 2400))
    speckled = clear.copy()
    for at in range(40, 1700, 90):
        speckled.paste(0, (at, 2300, at + 3, 2303))
    cleaned = without_specks(speckled)
    ink = [sum(image.histogram()[:128]) for image in (clear, cleaned)]
    assert cleaned.crop((0, 2250, 1800, 2350)).getextrema()[0] == 255
    assert ink[1] > 0.8 * ink[0]
