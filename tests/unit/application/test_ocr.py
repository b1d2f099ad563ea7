"""Which engine reads a document's images."""

from __future__ import annotations

import pytest

from citeloom.application.ports.conversion import OcrLine, PageImage, choose_engine, ocr_fingerprint
from citeloom.domain.documents.conversion import Box
from citeloom.domain.policies import OcrOptions
from tests.fakes.ocr_engine import ScriptedOcr

FAST = ScriptedOcr(languages=("en", "de"), version="fast")
BROAD = ScriptedOcr(languages=("en", "de", "fr"), version="broad")


def wanted(*languages: str) -> OcrOptions:
    return OcrOptions(languages=languages)


@pytest.mark.parametrize(
    ("languages", "fingerprint"),
    [
        (("en", "de"), "fast:en+de"),
        (("fr",), "broad:fr"),
        (("en", "fr"), "broad:en+fr"),
        (("ru", "de"), "fast:de"),
        (("ru",), "none"),
    ],
)
def test_the_first_engine_that_reads_most_of_the_languages_is_taken(
    languages: tuple[str, ...], fingerprint: str
) -> None:
    assert ocr_fingerprint((FAST, BROAD), wanted(*languages)) == fingerprint


def test_nothing_is_read_unwanted_or_without_an_engine() -> None:
    assert choose_engine((FAST,), None) is None
    assert choose_engine((), wanted("en")) is None
    assert ocr_fingerprint((FAST,), None) == "off"
    assert ocr_fingerprint((), wanted("en")) == "none"


def test_a_box_of_pixels_is_one_of_points_within_the_image() -> None:
    image = PageImage(width=300, height=150, pixels=bytes(45000), dpi=150)
    assert image.box(-5, 75, 320, 150) == Box(left=0, top=36, right=144, bottom=72)


def test_an_image_has_as_many_pixels_as_it_says() -> None:
    with pytest.raises(ValueError, match="7 pixels are not 2 x 4"):
        PageImage(width=2, height=4, pixels=bytes(7), dpi=72)


@pytest.mark.parametrize(("text", "confidence"), [(" ", 0.5), ("word", 1.5)])
def test_a_line_has_text_and_a_share_of_confidence(text: str, confidence: float) -> None:
    box = Box(left=0, top=0, right=1, bottom=1)
    with pytest.raises(ValueError, match=r"text|confidence"):
        OcrLine(text=text, box=box, size=10, confidence=confidence)
