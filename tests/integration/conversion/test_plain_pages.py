"""Pages only PDFium can read: faults the parser gives up at, planted in sound documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pytest
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import PlainPages, SourceFile
from citeloom.application.reports import DocumentOutcome
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import UnreadableDocument
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom.infrastructure.interfaces.cli.ingest_commands import summary
from citeloom_pdf.elements.block import PageLayout
from citeloom_pdf.elements.page import FormulaPlaces
from citeloom_pdf.parsing.opened_pages import OpenedPage
from citeloom_pdf.parsing.plain_pages import lay_out_plainly, plain_content
from citeloom_pdf.scans import lay_out_or_read
from tests.fakes.ingest_reports import reported

FIRST = "Gravel lies where the river slows down."
SECOND = "Sand is carried on to the sea in floods."


@pytest.fixture
def sound(tmp_path: Path) -> bytes:
    """Two pages of a heading and two lines each, with nothing compressed."""
    path = tmp_path / "sound.pdf"
    canvas = Canvas(str(path), pageCompression=0)
    for heading, text in (("Gravel", FIRST), ("Sand", SECOND)):
        canvas.setFont("Helvetica", 18)
        canvas.drawString(72, 740, heading)
        canvas.setFont("Helvetica", 11)
        canvas.drawString(72, 700, text)
        canvas.drawString(72, 686, f"{heading} again, a line below.")
        canvas.showPage()
    canvas.save()
    return path.read_bytes()


def converted(tmp_path: Path, content: bytes) -> ConversionResult:
    path = tmp_path / "spoilt.pdf"
    path.write_bytes(content)
    return PdfConverter().convert(SourceFile(path=path, doc_id="doc", content_hash=""))


def pages_of(result: ConversionResult, text: str) -> set[int | None]:
    start = result.plain_text.index(text)
    return {
        fragment.page
        for block in result.blocks
        for fragment in block.fragments
        if fragment.start < start + len(text) and fragment.end > start
    }


def no_fonts(sound: bytes) -> bytes:
    """The fonts the text calls for are not to be found."""
    return sound.replace(b"/Font ", b"/Tnof ")


def looping_pages(sound: bytes) -> bytes:
    """The page tree is a child of itself."""
    return sound.replace(b"/Kids [ 3 0 R 4 0 R ]", b"/Kids [ 3 0 R 4 0 R 7 0 R ]")


@pytest.mark.parametrize("spoil", [no_fonts, looping_pages])
def test_what_the_parser_cannot_read_is_read_to_the_page(
    spoil: Callable[[bytes], bytes], sound: bytes, tmp_path: Path
) -> None:
    spoilt = spoil(sound)
    assert spoilt != sound
    result = converted(tmp_path, spoilt)
    assert (pages_of(result, FIRST), pages_of(result, SECOND)) == ({1}, {2})
    assert result.page_failures == ()


def test_words_stand_where_they_are_printed(sound: bytes) -> None:
    document = pdfium.PdfDocument(sound)
    content = plain_content(OpenedPage(document, 2))
    assert content is not None
    assert [line.text for line in content.lines] == ["Sand", SECOND, "Sand again, a line below."]
    heading, text, below = content.lines
    assert heading.size == pytest.approx(18)
    assert text.size == pytest.approx(11)
    assert text.box.left == pytest.approx(72, abs=1)
    assert text.box.top < content.height - 700 < text.box.bottom
    assert heading.box.bottom <= text.box.top <= below.box.top
    assert [word.text for word in text.words] == SECOND.split()


def test_places_count_from_the_corner_of_the_visible_page(sound: bytes) -> None:
    document = pdfium.PdfDocument(sound)
    whole = plain_content(OpenedPage(document, 1))
    document[0].set_cropbox(50, 100, 500, 800)
    cropped = plain_content(OpenedPage(document, 1))
    assert whole is not None
    assert cropped is not None
    assert (cropped.width, cropped.height) == (450, 700)
    left, top = 50, whole.height - 800
    for before, after in zip(whole.lines, cropped.lines):
        assert after.box == pytest.approx(
            (
                before.box.left - left,
                before.box.top - top,
                before.box.right - left,
                before.box.bottom - top,
            )
        )


def test_of_pages_that_are_to_be_plain_only_the_text_is_read(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(sound)
    plain = PlainPages(frozenset({2}))
    result = PdfConverter().convert(
        SourceFile(path=path, doc_id="doc", content_hash="", plain_pages=plain)
    )
    assert (pages_of(result, FIRST), pages_of(result, SECOND)) == ({1}, {2})
    (note,) = result.notes
    assert note.startswith("page 2 could not be laid out")


def test_powers_and_code_of_a_plain_page_are_read_by_their_fonts(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    canvas = Canvas(str(path))
    canvas.setFont("Helvetica", 11)
    canvas.drawString(72, 700, "Gravel of the volume 10")
    canvas.setFont("Helvetica", 7)
    canvas.drawString(72 + canvas.stringWidth("Gravel of the volume 10", "Helvetica", 11), 704, "3")
    canvas.setFont("Courier", 11)
    canvas.drawString(72, 640, "sift(gravel)")
    canvas.save()
    content = plain_content(OpenedPage(pdfium.PdfDocument(path), 1))
    assert content is not None
    assert [line.text for line in content.lines] == ["Gravel of the volume 10³", "sift(gravel)"]
    assert [line.style.mono for line in content.lines] == [0, 1]
    assert content.glyphs is not None


def test_a_doubtful_formula_of_a_plain_page_is_doubted(sound: bytes) -> None:
    content = plain_content(OpenedPage(pdfium.PdfDocument(sound), 1))
    assert content is not None
    first, second, *_ = lay_out_plainly(
        replace(content, formulas=FormulaPlaces((content.lines[0].box,)))
    ).blocks
    assert (first.doubtful, second.doubtful) == (True, False)


def test_a_lost_page_is_left_empty_and_named(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(sound)
    plain = PlainPages(first=1, lost=frozenset({1}))
    result = PdfConverter().convert(
        SourceFile(path=path, doc_id="doc", content_hash="", plain_pages=plain)
    )
    assert FIRST not in result.plain_text
    assert pages_of(result, SECOND) == {2}
    assert [failure.page for failure in result.page_failures] == [1]


def test_a_document_with_no_page_but_lost_ones_is_refused(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(sound)
    with pytest.raises(UnreadableDocument, match="none could be read within the limits"):
        PdfConverter().convert(
            SourceFile(
                path=path,
                doc_id="doc",
                content_hash="",
                plain_pages=PlainPages(lost_from=1, first=1),
            )
        )


def test_a_page_too_dense_to_be_laid_out_keeps_its_prose(tmp_path: Path) -> None:
    path = tmp_path / "dense.pdf"
    canvas = Canvas(str(path))
    canvas.drawString(72, 700, FIRST)
    canvas.setFont("ZapfDingbats", 4)
    for number in range(20_500):
        canvas.drawString(72 + number * 7919 % 400, 100 + number * 104_729 % 500, "l")
    canvas.save()
    result = PdfConverter().convert(SourceFile(path=path, doc_id="doc", content_hash=""))
    assert result.plain_text == FIRST
    assert result.notes


def test_a_page_without_text_or_none_at_all_has_no_content(tmp_path: Path) -> None:
    path = tmp_path / "blank.pdf"
    canvas = Canvas(str(path))
    canvas.rect(10, 10, 100, 100)
    canvas.save()
    document = pdfium.PdfDocument(path)
    assert plain_content(OpenedPage(document, 1)) is None
    assert plain_content(OpenedPage(document, 2)) is None


def test_a_document_nobody_can_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument):
        converted(tmp_path, b"%PDF-1.4\nnothing\n%%EOF\n")


def test_a_bookmark_to_a_page_that_cannot_be_loaded_loses_only_that_page(tmp_path: Path) -> None:
    path = tmp_path / "marked.pdf"
    canvas = Canvas(str(path), pageCompression=0)
    for number, text in enumerate((FIRST, SECOND)):
        canvas.bookmarkHorizontal(f"page-{number}", 0, 750)
        canvas.addOutlineEntry(text, f"page-{number}")
        canvas.drawString(72, 700, text)
        canvas.showPage()
    canvas.save()
    sound = path.read_bytes()
    spoilt = sound[::-1].replace(b"/Type /Page\n"[::-1], b"/Type /Wall\n"[::-1], 1)[::-1]
    assert spoilt != sound
    result = converted(tmp_path, spoilt)
    assert pages_of(result, FIRST) == {1}
    assert [failure.page for failure in result.page_failures] == [2]


def test_a_page_whose_layout_fails_is_named_and_keeps_its_words(
    tmp_path: Path, sound: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing_on_the_second(opened: OpenedPage, *others: Any) -> tuple[PageLayout, str]:
        if opened.number == 2:
            raise IndexError("a bug in the layout")
        return lay_out_or_read(opened, *others)

    monkeypatch.setattr("citeloom_pdf.reading.lay_out_or_read", failing_on_the_second)
    result = converted(tmp_path, sound)
    assert FIRST in result.plain_text
    assert SECOND in result.plain_text
    note = "page 2 could not be laid out: read as text alone, without tables"
    assert result.notes == (note,)
    report = reported({"rivers/sound.pdf": DocumentOutcome(notes=result.notes)})
    assert f"  rivers/sound.pdf  {note}" in summary(report).splitlines()
