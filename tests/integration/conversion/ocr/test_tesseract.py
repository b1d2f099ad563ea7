"""The program called Tesseract, here a script that says what a test wants it to."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.application.ports.conversion import OcrFailure
from citeloom.infrastructure.conversion.ocr import tesseract
from citeloom.infrastructure.conversion.ocr.tesseract import TesseractEngine
from tests.fakes.ocr_engine import image_of

HOCR = """<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"><body>
<div class="ocr_page"><div class="ocr_carea"><p class="ocr_par">
<span class="ocr_line" title="bbox 100 100 900 150; baseline 0 -10; x_size 40; x_descenders 8">
 <span class="ocrx_word" title="bbox 100 100 300 150; x_wconf 90"><strong>Fluß</strong></span>
 <span class="ocrx_word" title="bbox 310 110 400 140; x_wconf 50">und</span>
 <span class="ocrx_word" title="bbox 410 110 420 140; x_wconf 5"> </span>
 <span class="ocrx_word" title="bbox 700 110 900 150; x_wconf 80">17.5</span>
</span></p></div></div></body></html>"""


def program(
    folder: Path,
    languages: str = "deu eng osd",
    page: str = HOCR,
    status: int = 0,
    seconds: float = 0.0,
) -> str:
    """A `tesseract` that has these languages, prints this page and notes how it is called."""
    (folder / "page.html").write_text(page, encoding="utf-8")
    script = folder / "tesseract"
    script.write_text(
        f"""#!/bin/sh
case "$1" in
--version) echo "tesseract 9.9.9"; exit;;
--list-langs) echo "List of languages:"; printf '%s\\n' {languages}; exit;;
esac
echo "$@" > "{folder}/called"; cat > "{folder}/image.pgm"
[ {status} = 0 ] || {{ echo "cannot go on" >&2; exit {status}; }}
sleep {seconds}
cat "{folder}/page.html"
"""
    )
    script.chmod(0o755)
    return str(script)


def test_a_line_is_parted_at_wide_gaps_and_its_words_are_weighed(tmp_path: Path) -> None:
    words, number = TesseractEngine(program(tmp_path)).read(image_of(), ("de",))
    assert (words.text, number.text) == ("Fluß und", "17.5")
    assert words.confidence == pytest.approx((4 * 0.9 + 3 * 0.5) / 7)
    assert (words.unsure, number.unsure) == (("und",), ())
    assert words.box.left == pytest.approx(100 * 72 / 200)
    assert words.box.right == pytest.approx(400 * 72 / 200)
    assert words.size == number.size == pytest.approx(40 * 1.1 * 72 / 200)


def test_it_is_told_the_languages_and_the_resolution(tmp_path: Path) -> None:
    TesseractEngine(program(tmp_path)).read(image_of(), ("de-AT", "en"))
    assert (tmp_path / "called").read_text().split() == "- - -l deu+eng --dpi 200 hocr".split()
    assert (tmp_path / "image.pgm").read_bytes() == b"P5 1000 300 255\n" + b"\xff" * 300_000


@pytest.mark.parametrize(
    ("wanted", "readable"),
    [
        (("de-CH", "fr", "en-GB"), ("de-CH", "en-GB")),
        (("deu",), ("deu",)),
        (("zh-Hant", "zh"), ("zh-Hant",)),
        (("osd",), ()),
    ],
)
def test_it_reads_the_languages_it_has_data_for(
    tmp_path: Path, wanted: tuple[str, ...], readable: tuple[str, ...]
) -> None:
    engine = TesseractEngine(program(tmp_path, languages="deu eng chi_tra osd"))
    assert engine.readable(wanted) == readable
    assert engine.version == "tesseract-9.9.9"


def test_a_program_that_is_not_there_reads_nothing() -> None:
    engine = TesseractEngine("no-such-tesseract")
    assert engine.readable(("en", "de")) == ()
    with pytest.raises(OcrFailure, match="no-such-tesseract"):
        engine.read(image_of(), ("en",))


def test_its_last_words_say_why_it_failed(tmp_path: Path) -> None:
    with pytest.raises(OcrFailure, match="cannot go on"):
        TesseractEngine(program(tmp_path, status=3)).read(image_of(), ("en",))


def test_a_page_cut_short_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(OcrFailure):
        TesseractEngine(program(tmp_path, page=HOCR[:300])).read(image_of(), ("en",))


def test_only_its_own_work_counts_against_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tesseract, "_SECONDS", 0.5)
    slow = TesseractEngine(program(tmp_path, seconds=1.5))
    assert slow.read(image_of(), ("en",)) != ()
    monkeypatch.setattr(tesseract, "_LONGEST", 0.5)
    with pytest.raises(OcrFailure, match=r"longer than 0\.5 s"):
        slow.read(image_of(), ("en",))
