"""`citeloom ingest` on a scan: whether and in which languages its image is read."""

from __future__ import annotations

import pytest

from citeloom.infrastructure.conversion.ocr.rapidocr import RapidOcrEngine
from citeloom.infrastructure.conversion.ocr.tesseract import TesseractEngine
from tests.e2e.command import SMALL, Desk, MakeDesk, project_table
from tests.e2e.papers import CLAY, write_papers
from tests.integration.conversion.scanned import scan

SCAN = "library/scan.pdf"
engines = (TesseractEngine(), RapidOcrEngine())


@pytest.fixture(scope="module")
def scanned(make_desk: MakeDesk, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A project whose one document is a scan of a page."""
    if not any(engine.readable(("en",)) for engine in engines):
        pytest.skip("no OCR engine reads English here")
    desk, made = make_desk("scanned"), tmp_path_factory.mktemp("printed")
    write_papers(made, CLAY)
    desk.library.mkdir()
    scan(made / CLAY.file_name, desk.folder / SCAN, dpi=200)
    desk.configure(project_table(SMALL))
    return desk


def test_options_say_whether_and_how_images_are_read(scanned: Desk) -> None:
    refused = scanned.run("ingest", "--no-ocr", "--json")
    assert refused.code == 3
    (failure,) = refused.json["failed"]
    assert failure["code"] == "EMPTY_DOCUMENT"
    assert "--no-ocr" in failure["hint"]

    read = scanned.must("ingest", "--json").json
    assert read["indexed"] == [SCAN]
    assert read["images_read"][SCAN]["languages"] == ["en", "de"]
    assert read["images_read"][SCAN]["source"] == "default"
    assert read["images_read"][SCAN]["pages"] == read["pages"] > 0
    assert CLAY.title.lower() in " ".join(c.chunk.embedding_text for c in scanned.chunks()).lower()
    assert scanned.must("ingest", "--json").json["unchanged"] == [SCAN]

    anew = scanned.must("ingest", "--ocr", "--ocr-lang", "en", "--json").json
    assert anew["indexed"] == [SCAN]
    assert anew["images_read"][SCAN]["languages"] == ["en"]
    assert anew["images_read"][SCAN]["source"] == "explicit_config"


def test_a_language_that_is_none_is_a_usage_error(scanned: Desk) -> None:
    refused = scanned.run("ingest", "--ocr-lang", "not a language")
    assert refused.code == 14
    assert "must be the code of a known language" in refused.err
    assert "Traceback" not in refused.err
