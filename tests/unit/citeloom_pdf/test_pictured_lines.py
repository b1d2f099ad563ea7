"""Pages whose fonts have codes of their own: what some of their lines say in the picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from citeloom_pdf import ImageReader, PageImage, PdfOptions, RecognisedLine, read_pdf

DRAWN = (
    "Gravel moves when the stress at the bed exceeds a threshold",
    "that depends on its size, and sand is carried in suspension",
    "where the stream is fast and the water deep enough for it.",
)
CODED = tuple(line.translate({code: code + 1 for code in range(97, 122)}) for line in DRAWN)


class Reader(ImageReader):
    """Reads the same lines in every picture, and counts the pictures."""

    def __init__(self, lines: Sequence[str], confidence: float = 0.95) -> None:
        self.lines, self.confidence, self.pictures = lines, confidence, 0

    def begin(self, page: int) -> None:
        pass

    def read(self, image: PageImage) -> Sequence[RecognisedLine]:
        assert len(image.pixels) == image.width * image.height
        self.pictures += 1
        return [
            RecognisedLine(
                text=text,
                box=(50.0, 50.0 + 14 * at, 400.0, 60.0 + 14 * at),
                size=10.0,
                confidence=self.confidence,
            )
            for at, text in enumerate(self.lines)
        ]


def pdf_of(path: Path, lines: Sequence[str], *, pages: int = 1, named: bool = False) -> Path:
    """Pages of these lines in a font of boxes that are called `g97`, or in a standard one."""
    shown = "".join(f"({line}) Tj T* " for line in lines)
    content = f"BT /F1 10 Tf 14 TL 50 700 Td {shown} ET"
    codes = range(33, 123)
    names = [f"g{code}" for code in codes]
    drawing = "500 0 0 0 450 600 d1 0 0 450 600 re f"
    drawn = (
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 700] /FontMatrix [.001 0 0 .001 0 0] "
        f"/FirstChar 32 /LastChar 122 /Widths [{'500 ' * 91}] /Resources << >> "
        f"/Encoding << /Type /Encoding /Differences [32 /space {' '.join('/' + n for n in names)}] "
        f">> /CharProcs << /space 4 0 R {' '.join(f'/{name} 4 0 R' for name in names)} >> >>"
    )
    kids = [f"{6 + at} 0 R" for at in range(pages)]
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {pages} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>" if named else drawn,
        f"<< /Length {len(drawing)} >>\nstream\n{drawing}\nendstream",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        *[
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        ]
        * pages,
    ]
    body, offsets = "%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    body += (
        f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer << /Size {count} /Root 1 0 R >>\n"
    )
    path.write_text(f"{body}startxref\n{body.index('xref')}\n%%EOF\n", encoding="latin-1")
    return path


def text_of(path: Path, options: PdfOptions) -> str:
    return " ".join(block.text for page in read_pdf(path, options).pages for block in page.blocks)


def test_a_page_whose_picture_says_otherwise_is_read_as_an_image(tmp_path: Path) -> None:
    reader = Reader(DRAWN)
    pdf = read_pdf(pdf_of(tmp_path / "a.pdf", CODED), PdfOptions(images=reader))
    assert [block.text for page in pdf.pages for block in page.blocks] == [" ".join(DRAWN)]
    assert pdf.ocr == {1: pytest.approx(0.95)}
    assert reader.pictures == 2  # some lines, then the page


def test_codes_that_the_picture_says_too_are_kept_and_not_looked_at_again(tmp_path: Path) -> None:
    reader = Reader(DRAWN)
    path = pdf_of(tmp_path / "a.pdf", DRAWN, pages=5)
    assert DRAWN[1] in text_of(path, PdfOptions(images=reader))
    assert reader.pictures == 1


@pytest.mark.parametrize(
    "reader", [Reader(DRAWN, confidence=0.6), Reader(["on size", "the", ". 14"])]
)
def test_a_picture_that_is_not_read_surely_or_not_wholly_says_nothing(
    reader: Reader, tmp_path: Path
) -> None:
    path = pdf_of(tmp_path / "a.pdf", CODED, pages=5)
    assert CODED[1] in text_of(path, PdfOptions(images=reader))
    assert reader.pictures == 2


def test_lines_of_fonts_that_name_their_letters_are_looked_at_where_they_may_be_unreadable(
    tmp_path: Path,
) -> None:
    path, reader = pdf_of(tmp_path / "a.pdf", CODED, named=True), Reader(DRAWN)
    assert CODED[1] in text_of(path, PdfOptions(images=reader))
    assert reader.pictures == 0
    options = PdfOptions(images=reader, may_be_unreadable=lambda text: CODED[0] in text)
    assert DRAWN[1] in text_of(path, options)


def test_without_an_engine_the_codes_are_kept(tmp_path: Path) -> None:
    assert CODED[1] in text_of(pdf_of(tmp_path / "a.pdf", CODED), PdfOptions())
