"""What is refused before conversion, and in which words."""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pypdfium2
import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from citeloom.domain.errors import (
    CiteloomError,
    EmptyDocument,
    EncryptedDocument,
    UnreadableDocument,
)
from citeloom.infrastructure.conversion.pdf import preflight
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom.infrastructure.conversion.pdf.preflight import (
    check_pdf,
)
from tests.fakes.sources import source_of

Draw = Callable[[Canvas], None]

ONE_WHITE_PIXEL = b"P6 1 1 255 \xff\xff\xff"


def write_text(canvas: Canvas) -> None:
    canvas.drawString(72, 700, "A page that can be read.")


def draw_line(canvas: Canvas) -> None:
    canvas.line(72, 72, 300, 300)


def draw_image(canvas: Canvas) -> None:
    canvas.drawImage(ImageReader(BytesIO(ONE_WHITE_PIXEL)), 72, 72, 300, 300)


def pdf(*pages: Draw, encrypt: StandardEncryption | None = None) -> bytes:
    buffer = BytesIO()
    canvas = Canvas(buffer, encrypt=encrypt)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def pdf_without_pages() -> bytes:
    buffer = BytesIO()
    document = pypdfium2.PdfDocument.new()
    document.save(buffer)
    document.close()
    return buffer.getvalue()


def refusal(folder: Path, content: bytes) -> CiteloomError:
    path = folder / "paper.pdf"
    path.write_bytes(content)
    with pytest.raises(CiteloomError) as caught:
        check_pdf(path)
    return caught.value


class TestFilesThatPass:
    @pytest.mark.parametrize(
        "content",
        [
            pytest.param(pdf(write_text), id="one page of text"),
            pytest.param(pdf(draw_image, draw_line, write_text), id="text on the last page only"),
            pytest.param(b"\n" * 700 + pdf(write_text), id="junk before the header"),
            pytest.param(pdf(write_text) + b"\0" * 9000, id="padding behind the end"),
            pytest.param(pdf(write_text).replace(b"%%EOF", b""), id="no end marker"),
            pytest.param(
                pdf(write_text, encrypt=StandardEncryption("", "owner")), id="no password to open"
            ),
        ],
    )
    def test_it_raises_nothing(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "paper.pdf"
        path.write_bytes(content)
        check_pdf(path)
        path.unlink()


class TestEmptyFiles:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "paper.pdf is empty: it has zero bytes"),
            (pdf_without_pages(), "paper.pdf has no pages"),
            (pdf(draw_image, draw_image), "paper.pdf has images only: 2 pages without text"),
            (pdf(draw_line), "paper.pdf has no text: 1 page, blank or drawn"),
        ],
        ids=["zero bytes", "no pages", "images", "drawings"],
    )
    def test_it_says_in_what_way(self, tmp_path: Path, content: bytes, message: str) -> None:
        error = refusal(tmp_path, content)
        assert isinstance(error, EmptyDocument)
        assert error.message == message

    def test_a_protected_file_before_it_changes_nothing(self, tmp_path: Path) -> None:
        refusal(tmp_path, pdf(write_text, encrypt=StandardEncryption("user", "owner")))
        assert isinstance(refusal(tmp_path, pdf_without_pages()), EmptyDocument)

    def test_images_come_with_advice(self, tmp_path: Path) -> None:
        assert "--no-ocr" in refusal(tmp_path, pdf(draw_image)).hint

    @pytest.mark.parametrize("draw", [draw_image, draw_line])
    def test_an_image_or_a_drawing_may_be_read(self, tmp_path: Path, draw: Draw) -> None:
        path = tmp_path / "paper.pdf"
        path.write_bytes(pdf(draw))
        check_pdf(path, reads_images=True)


def packed(content: bytes, layers: int) -> bytes:
    """A PDF whose only page has this content, deflated so many times."""
    for _ in range(layers):
        content = zlib.compress(content, 9)
    filters = b" ".join([b"/FlateDecode"] * layers)
    head, tail = pdf(draw_line).split(b"/Filter [ /ASCII85Decode /FlateDecode ]", 1)
    _, rest = tail.split(b"endstream", 1)
    stream = b"/Filter [ %b ] /Length %d\n>>\nstream\n" % (filters, len(content))
    return head + stream + content + b"\nendstream" + rest


class TestFilesThatUnpackToMoreThanIsRead:
    @pytest.mark.parametrize("layers", [1, 2])
    def test_they_are_not_called_blank(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layers: int
    ) -> None:
        content = packed(b" " * 300_000, layers)
        assert isinstance(refusal(tmp_path, content), EmptyDocument)
        monkeypatch.setattr(preflight, "PDFIUM_LIMIT", 299_999)
        error = refusal(tmp_path, content)
        assert isinstance(error, UnreadableDocument)
        assert "unpacks to more than 1 GB" in error.message


class TestUnreadableFiles:
    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"<!DOCTYPE html><p>Sign in to read this paper", "is not a PDF"),
            (pdf(write_text)[600:], "is not a PDF"),
            (pdf(write_text)[:-200], "is truncated"),
            (pdf(write_text)[:900], "is truncated"),
            (pdf(write_text)[:900] + b"\0" * 900, "is truncated"),
            (pdf(write_text).replace(b"/Root 4 0 R", b"/Root 9 0 R"), "is damaged"),
            (pdf(write_text).replace(b"/Type /Page\n", b"/Type /Pigs\n"), "none can be loaded"),
        ],
        ids=["html", "head cut off", "end cut off", "half", "half padded", "catalog", "pages"],
    )
    def test_it_says_in_what_way(self, tmp_path: Path, content: bytes, reason: str) -> None:
        error = refusal(tmp_path, content)
        assert isinstance(error, UnreadableDocument)
        assert reason in error.message

    def test_one_whose_pages_take_too_long_is_not_called_damaged(self, tmp_path: Path) -> None:
        path = tmp_path / "paper.pdf"
        path.write_bytes(pdf(write_text))
        with pytest.raises(UnreadableDocument, match="within the limits of time and memory") as it:
            check_pdf(path, is_lost=lambda _: True)
        assert "made to exhaust readers" in str(it.value.hint)

    def test_a_file_that_is_gone(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableDocument, match="No such file"):
            check_pdf(tmp_path / "gone.pdf")

    def test_a_folder_named_like_a_file(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableDocument, match="cannot be read"):
            check_pdf(tmp_path)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
    def test_a_file_one_may_not_read(self, tmp_path: Path) -> None:
        path = tmp_path / "paper.pdf"
        path.write_bytes(pdf(write_text))
        path.chmod(0)
        with pytest.raises(UnreadableDocument, match="Permission denied"):
            check_pdf(path)


def test_a_password_is_asked_for(tmp_path: Path) -> None:
    error = refusal(tmp_path, pdf(write_text, encrypt=StandardEncryption("user", "owner")))
    assert isinstance(error, EncryptedDocument)
    assert "password" in error.message
    assert "qpdf --decrypt" in error.hint


def test_only_a_file_that_passes_is_converted(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.pdf", tmp_path / "bad.pdf"
    good.write_bytes(pdf(write_text))
    bad.write_bytes(b"")
    assert PdfConverter().convert(source_of(good)).plain_text
    with pytest.raises(EmptyDocument, match="zero bytes"):
        PdfConverter().convert(source_of(bad))


def verdict(path: Path) -> str:
    try:
        check_pdf(path)
    except CiteloomError as error:
        return error.code
    return "OK"


@pytest.mark.corpus
@pytest.mark.skipif("CITELOOM_CORPUS" not in os.environ, reason="CITELOOM_CORPUS is not set")
class TestTheCorpus:
    CORPUS = Path(os.environ.get("CITELOOM_CORPUS", "")) / "corpus"

    def test_each_broken_file_is_judged(self) -> None:
        verdicts = Counter(map(verdict, sorted((self.CORPUS / "malformed").glob("*.pdf"))))
        assert verdicts == {
            "OK": 91,
            "EMPTY_DOCUMENT": 14,
            "UNREADABLE_DOCUMENT": 12,
            "ENCRYPTED_DOCUMENT": 1,
        }

    def test_scans_are_empty_and_a_scanned_page_among_others_is_not(self) -> None:
        verdicts = {path.name: verdict(path) for path in (self.CORPUS / "scans").glob("*.pdf")}
        assert {name for name, found in verdicts.items() if found == "OK"} == {
            "hybrid-en-jcon.00037.pdf"
        }
        assert set(verdicts.values()) == {"OK", "EMPTY_DOCUMENT"}

    def test_papers_and_books_pass(self) -> None:
        papers = [*(self.CORPUS / "library" / "pdf").glob("*.pdf")]
        books = [*(self.CORPUS / "books").glob("*.pdf")]
        assert {verdict(path) for path in papers + books} == {"OK"}
