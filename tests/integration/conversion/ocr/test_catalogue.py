"""What is said of engines that may read images."""

from __future__ import annotations

from citeloom.application.models import AvailableEngine
from citeloom.infrastructure.conversion.ocr.catalogue import available_engines
from citeloom.infrastructure.conversion.ocr.rapidocr import RapidOcrEngine
from citeloom.infrastructure.conversion.ocr.tesseract import TesseractEngine
from tests.fakes.ocr_engine import ScriptedOcr


def test_an_engine_that_is_not_installed_says_what_it_needs() -> None:
    (listed,) = available_engines([TesseractEngine("no-such-program")], ("en", "de"), None)
    assert listed == AvailableEngine(
        name="tesseract",
        version="tesseract",
        usable=False,
        languages=(),
        needs="the `tesseract` program with data for en, de",
        chosen=False,
    )


def test_an_engine_says_which_languages_it_lacks() -> None:
    (listed,) = available_engines([RapidOcrEngine()], ("ru", "de"), None)
    assert listed.usable
    assert "de" in listed.languages
    assert "ru" not in listed.languages
    assert listed.needs == "another engine for ru: its models lack that script"


def test_the_one_that_reads_is_marked() -> None:
    engines = [ScriptedOcr("a"), ScriptedOcr("b", languages=("fr",), version="other-1")]
    listed = available_engines(engines, ("fr",), engines[1])
    assert [(e.name, e.chosen, e.languages, e.needs) for e in listed] == [
        ("scripted", False, ("en", "de"), "data for fr"),
        ("other", True, ("fr",), ""),
    ]
