"""The PDF engine by its front door, as a program without citeloom would call it."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from docling_core.types.doc.labels import DocItemLabel
from PIL import Image
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from citeloom_pdf import (
    ImageReader,
    ImageUnreadable,
    PageImage,
    PdfOptions,
    PdfUnreadable,
    RecognisedLine,
    read_pdf,
)
from tests.integration.conversion import documents

ALONE = """
import sys
import unicodedata
from pathlib import Path
import citeloom_pdf
assert "docling_parse" not in sys.modules and "pypdfium2" not in sys.modules
print(len(citeloom_pdf.read_pdf(Path(sys.argv[1])).pages))
assert not [name for name in sys.modules if name.split(".")[0] == "citeloom"]
"""


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return documents.article(tmp_path_factory.mktemp("article") / "article.pdf")


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "picture.pdf"
    Image.new("L", (400, 600), 255).save(path, "PDF")
    return path


class Reader(ImageReader):
    """Reads one line in every image, or fails."""

    def __init__(self, *, fails: bool = False) -> None:
        self.begun: list[int] = []
        self._fails = fails

    def begin(self, page: int) -> None:
        self.begun.append(page)

    def read(self, image: PageImage) -> Sequence[RecognisedLine]:
        assert len(image.pixels) == image.width * image.height
        if self._fails:
            raise ImageUnreadable("out of ink")
        box = (40.0, 50.0, 240.0, 62.0)
        return [RecognisedLine(text="Read from a picture", box=box, size=11.0, confidence=0.75)]


def test_pages_have_blocks_and_the_document_their_text(article: Path) -> None:
    pdf = read_pdf(article)
    assert pdf.page_count == len(pdf.pages) > 0
    labels = {block.label for page in pdf.pages for block in page.blocks}
    assert {DocItemLabel.TABLE, DocItemLabel.CODE, DocItemLabel.SECTION_HEADER} <= labels
    assert "Thresholds of Motion in Mixed Gravel" in pdf.document.export_to_markdown()
    assert pdf.metadata.title == "Thresholds of Motion in Mixed Gravel"
    assert (pdf.failures, pdf.plain, pdf.ocr) == ([], [], {})


def test_it_loads_nothing_before_a_file_and_nothing_of_citeloom(article: Path) -> None:
    arguments = [sys.executable, "-c", ALONE, str(article)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == read_pdf(article).page_count


def test_each_page_is_announced_and_then_the_document(article: Path) -> None:
    announced: list[int] = []
    pages = read_pdf(article, PdfOptions(on_page=announced.append)).page_count
    assert announced == [*range(1, pages + 1), 0]


def test_each_page_can_be_looked_at_while_it_is_open(article: Path) -> None:
    words: dict[int, str] = {}
    pdf = read_pdf(
        article,
        PdfOptions(look_at=lambda page: words.update({page.number: page.text.get_text_range()})),
    )
    assert list(words) == list(range(1, pdf.page_count + 1))
    assert all(words.values())


def test_plain_pages_are_read_as_text_and_lost_ones_not_at_all(article: Path) -> None:
    options = PdfOptions(is_plain=lambda page: page <= 2, is_lost=lambda page: page == 2)
    pdf = read_pdf(article, options)
    assert pdf.plain == [1]
    assert [failure.page for failure in pdf.failures] == [2]


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7\nnothing", None])
def test_what_is_no_pdf_is_refused(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "file.pdf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PdfUnreadable):
        read_pdf(path)


class Clearing(Reader):
    """Reads an image the first time without confidence, then as if its specks were gone."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__()
        self._texts = [(first, 0.6), (second, 0.88)]

    def read(self, image: PageImage) -> Sequence[RecognisedLine]:
        text, confidence = self._texts[len(self.begun) - 1]
        return [replace(line, text=text, confidence=confidence) for line in super().read(image)]


@pytest.mark.parametrize(
    ("second", "kept"), [("Gravel is carried", "Gravel is carried"), ("Gra", "Qr4vel :s c@rrled")]
)
def test_an_unclear_image_is_read_again_and_the_reading_with_more_letters_stays(
    picture: Path, second: str, kept: str
) -> None:
    pdf = read_pdf(picture, PdfOptions(images=Clearing("Qr4vel :s c@rrled", second)))
    assert [block.text for page in pdf.pages for block in page.blocks if block.text] == [kept]


@pytest.mark.parametrize(
    ("first", "second", "disputed"),
    [
        ("Gravel is carricd", "Gravel is carried", True),
        ("Gravel is carried down", "Gravel is carried", False),
        ("Gravel, is car-ried", "Gravel is carried", False),
    ],
)
def test_a_word_that_one_of_two_readings_of_an_image_has_alone_is_disputed(
    picture: Path, first: str, second: str, *, disputed: bool
) -> None:
    pdf = read_pdf(picture, PdfOptions(images=Clearing(first, second)))
    blocks = [block for page in pdf.pages for block in page.blocks if block.text]
    assert [(block.text, block.disputed) for block in blocks] == [(second, disputed)]


def test_an_image_is_read_by_the_hook(picture: Path) -> None:
    reader = Reader()
    pdf = read_pdf(picture, PdfOptions(images=reader))
    assert reader.begun == [1, 1]  # it is not sure: again without specks
    assert pdf.ocr == {1: 0.75}
    assert "Read from a picture" in pdf.document.export_to_markdown()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (PdfOptions(), "the page is an image, and OCR is off"),
        (PdfOptions(unread="no engine"), "no engine"),
        (PdfOptions(images=Reader(fails=True)), "the page could not be read: out of ink"),
    ],
)
def test_an_image_that_is_not_read_is_a_failure(
    options: PdfOptions, reason: str, picture: Path
) -> None:
    assert [failure.reason for failure in read_pdf(picture, options).failures] == [reason]


def test_accents_drawn_on_their_own_are_read_with_their_letters(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "accents.pdf"))
    for number, sentence in enumerate(ACCENTED):
        _draw_like_tex(canvas, sentence, 72, 700 - 14 * number)
    canvas.save()
    text = read_pdf(tmp_path / "accents.pdf").document.export_to_markdown()
    assert text.removeprefix("#").split() == " ".join(ACCENTED).split()


ACCENTED = (
    "La opción que está en la línea de órdenes más próxima se verá en la",
    "página señalada, où la théorie préfère à la fin être très générale",
    "und größere Vögel über Zürich zögern, façon de parler à Coruña hoy",
)
_SPACING = {"\u0301": "\u00b4", "\u0300": "`", "\u0302": "\u02c6", "\u0303": "\u02dc"}
_SPACING |= {"\u0308": "\u00a8", "\u0327": "\u00b8"}


def _draw_like_tex(canvas: Canvas, text: str, left: float, base: float) -> None:
    """Draw a text in a font without accented letters: accent, step back, letter."""
    font, size = "Times-Roman", 11
    drawn = canvas.beginText(left, base)
    drawn.setFont(font, size)
    for letter in text:
        parts = unicodedata.normalize("NFD", letter)
        base_letter, marks = parts[0], parts[1:]
        width = stringWidth(base_letter, font, size)
        for mark in marks:
            accent = _SPACING[mark]
            shift = (width - stringWidth(accent, font, size)) / 2
            drawn.setTextOrigin(left + shift, base)
            drawn.textOut(accent)
            drawn.setTextOrigin(left, base)
        drawn.textOut(base_letter)
        left += width
    canvas.drawText(drawn)


def test_letters_that_the_parser_cannot_decode_are_read_by_the_second_reader(
    tmp_path: Path,
) -> None:
    path = tmp_path / "names.pdf"
    canvas = Canvas(str(path), pageCompression=0)
    for number, sentence in enumerate(PLAIN):
        canvas.drawString(72, 700 - 14 * number, sentence)
    canvas.save()
    names = b" ".join(b"/g%d" % number for number in range(95))
    strange = b"<< /Type /Encoding /Differences [32 " + names + b"] >>"
    content = path.read_bytes()
    assert b"/WinAnsiEncoding" in content
    path.write_bytes(content.replace(b"/WinAnsiEncoding", strange))
    pdf = read_pdf(path)
    text = pdf.document.export_to_markdown()
    assert text.removeprefix("#").split() == " ".join(PLAIN).split()
    assert pdf.undecoded == []


PLAIN = (
    "Sediment moves downstream when the shear stress at the bed",
    "exceeds a threshold that depends on grain size and on packing,",
    "and few field measurements agree with those made in a flume.",
)


def test_underscores_drawn_as_rules_are_read(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "rules.pdf"))
    canvas.setFont("Times-Roman", 11)
    canvas.setLineWidth(0.4)
    left = 72.0
    for word in ("Each call of ", "mpfr", "free", "str needs a ", "size", "t that says how many."):
        canvas.drawString(left, 700, word)
        left += stringWidth(word, "Times-Roman", 11)
        if word in ("mpfr", "free", "size"):
            canvas.line(left + 0.7, 699.8, left + 4.0, 699.8)
            left += 4.7
    canvas.save()
    text = read_pdf(tmp_path / "rules.pdf").document.export_to_markdown().replace("\\_", "_")
    assert "Each call of mpfr_free_str needs a size_t that says how many." in text


def test_a_grid_of_touching_filled_rectangles_is_read_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "grid.pdf"
    canvas = Canvas(str(path))
    for row in range(7):
        for column in range(2):
            left, bottom = 100 + 80 * column, 600 + 14 * row
            canvas.rect(left, bottom, 80.5, 0.5, stroke=0, fill=1)
            canvas.rect(left, bottom, 0.5, 14.5, stroke=0, fill=1)
            canvas.drawRightString(left + 78, bottom + 3, f"{10 * row + column}.5")
        canvas.rect(260, 600 + 14 * row, 0.5, 14.5, stroke=0, fill=1)
    canvas.rect(100, 698, 160.5, 0.5, stroke=0, fill=1)
    canvas.save()
    (block,) = read_pdf(path).pages[0].blocks
    assert block.label == DocItemLabel.TABLE
    assert (len(block.rows), block.rows[0]) == (7, ("60.5", "61.5"))


def test_a_grid_of_filled_borders_with_slanted_ends_is_read_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "grid.pdf"
    canvas = Canvas(str(path))

    def fill(*corners: tuple[float, float]) -> None:
        border = canvas.beginPath()
        border.moveTo(*corners[0])
        for corner in corners[1:]:
            border.lineTo(*corner)
        border.close()
        canvas.drawPath(border, stroke=0, fill=1)

    for row in range(7):
        for column in range(2):
            x, y = 100 + 80 * column, 600 + 14 * row
            for at in (y, y + 14):
                fill((x, at), (x + 0.5, at + 0.5), (x + 79.5, at + 0.5), (x + 80, at))
            for at in (x, x + 80):
                fill((at, y), (at + 0.5, y + 0.5), (at + 0.5, y + 13.5), (at, y + 14))
            canvas.drawRightString(x + 76, y + 3, f"{10 * row + column}.5")
    canvas.save()
    (block,) = read_pdf(path).pages[0].blocks
    assert (block.label, block.doubtful) == (DocItemLabel.TABLE, False)
    assert (len(block.rows), block.rows[0]) == (7, ("60.5", "61.5"))


def test_a_grid_of_rules_that_are_images_is_read_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "grid.pdf"
    canvas, dot = Canvas(str(path)), Image.new("1", (1, 1))
    options = ("-q", "-v", "-o FILE", "-r RADIX", "-y")
    effects = ("says nothing", "names the version", "writes the file", "counts by it", "extends")
    for row, (option, effect) in enumerate(zip(options, effects)):
        base = 700 - 14 * row
        canvas.drawString(104, base + 3, option)
        canvas.drawString(184, base + 3, effect)
        canvas.drawInlineImage(dot, 100, base, 200, 0.4)
        for left in (100, 180, 300):
            canvas.drawInlineImage(dot, left, base, 0.4, 14)
    canvas.drawInlineImage(dot, 100, 714, 200, 0.4)
    canvas.save()
    (block,) = read_pdf(path).pages[0].blocks
    assert (block.label, block.doubtful) == (DocItemLabel.TABLE, False)
    assert block.rows == tuple(zip(options, effects))


def test_thin_images_among_others_are_no_rules(tmp_path: Path) -> None:
    path = tmp_path / "letters.pdf"
    canvas, dot = Canvas(str(path)), Image.new("1", (1, 1))
    for row in range(5):
        for column in range(2):
            left, base = 100 + 80 * column, 700 - 14 * row
            canvas.drawString(left, base + 3, f"part {row}")
            for at, width in enumerate((0.6, 5, 4)):  # an l, an o and an a
                canvas.drawInlineImage(dot, left + 50 + 8 * at, base, width, 8)
    canvas.save()
    assert not any(block.label == DocItemLabel.TABLE for block in read_pdf(path).pages[0].blocks)
