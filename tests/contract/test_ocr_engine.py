"""What every `OcrEngine` promises."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable

import pytest

from citeloom.application.ports.conversion import OcrEngine
from citeloom.infrastructure.conversion.ocr.rapidocr import RapidOcrEngine
from citeloom.infrastructure.conversion.ocr.tesseract import TesseractEngine
from tests.fakes.ocr_engine import ScriptedOcr, image_of

LINES = ("The river carries gravel", "and sand to the sea")

without_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="tesseract is not installed"
)


def scripted() -> ScriptedOcr:
    return ScriptedOcr(*LINES)


@pytest.fixture(
    params=[
        scripted,
        RapidOcrEngine,
        pytest.param(TesseractEngine, marks=without_tesseract),
    ]
)
def engine(request: pytest.FixtureRequest) -> OcrEngine:
    make: Callable[[], OcrEngine] = request.param
    return make()


def test_it_names_its_version(engine: OcrEngine) -> None:
    assert engine.version == engine.version != ""


def test_it_says_which_of_the_languages_it_reads(engine: OcrEngine) -> None:
    assert engine.readable(("en",)) == ("en",)
    assert engine.readable(("my", "en")) == ("en",)
    assert engine.readable(()) == ()


def test_it_reads_the_lines_where_they_stand(engine: OcrEngine) -> None:
    image = image_of(*LINES)
    lines = engine.read(image, ("en",))
    assert tuple(line.text for line in lines) == LINES
    first, second = (line.box for line in lines)
    assert 25 < first.left < 50
    assert first.right < 1000 * 72 / 200
    assert 25 < first.top < first.bottom < second.bottom < 120
    assert all(0.5 < line.confidence <= 1 for line in lines)
    assert all(6 < line.size < 24 for line in lines)


def test_the_same_image_gives_the_same_lines_in_another_process_too(engine: OcrEngine) -> None:
    sent: OcrEngine = pickle.loads(pickle.dumps(engine))
    image = image_of(LINES[0], size=(1000, 240))
    assert sent.read(image, ("en",)) == engine.read(image, ("en",)) != ()


def test_a_blank_image_has_no_lines(engine: OcrEngine) -> None:
    assert engine.read(image_of(size=(400, 300)), ("en",)) == ()
