"""Numbers with exponents in the content of a page, which the parser takes for commands."""

from __future__ import annotations

import zlib
from pathlib import Path

import pypdfium2
import pytest
from reportlab import rl_config
from reportlab.pdfgen.canvas import Canvas

from citeloom_pdf.options import PdfOptions
from citeloom_pdf.parsing.opened_pages import OpenedPage
from citeloom_pdf.parsing.written_numbers import has_exponents, with_plain_numbers
from citeloom_pdf.reading import read

LINES = ("Gravel moves along the bed of the river", "until it rests on a bar below the weir.")
TIMES = "that it took (about 3.5e-05 s for each) Td"


def page_with(path: Path, number: str, *, packed: bool = True) -> Path:
    """A page of which a line is placed by a number, below another that speaks of numbers."""
    canvas = Canvas(str(path), pagesize=(400, 300), pageCompression=int(packed))
    canvas.setFont("Helvetica", 12)
    said = TIMES.replace("(", r"\(").replace(")", r"\)")
    canvas._code.append(
        f"BT /F1 12 Tf 72 200 Td ({LINES[0]})Tj {number} -14 Td({LINES[1]})Tj"
        f" 0 -60 Td ({said} (nested)) Tj ET"
    )
    canvas.save()
    return path


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("number", ["3.05176e-05", "-6E-05", "0"])
def test_a_line_placed_by_a_number_with_an_exponent_is_read(
    number: str, packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rl_config, "useA85", 0)
    path = page_with(tmp_path / "a.pdf", number, packed=packed)
    texts = [item.text for item in read(path, PdfOptions()).document.texts]
    assert texts == [" ".join(LINES), f"{TIMES} (nested)"]


def test_only_a_page_with_such_numbers_is_written_anew(tmp_path: Path) -> None:
    path = page_with(tmp_path / "a.pdf", "0.00001", packed=False)
    document = pypdfium2.PdfDocument(path)
    assert with_plain_numbers(OpenedPage(document, 1)) is None
    document.close()
    canvas = Canvas(str(tmp_path / "b.pdf"))
    canvas.drawString(72, 200, LINES[0])
    canvas.save()
    assert not has_exponents(tmp_path / "b.pdf")
    assert has_exponents(page_with(tmp_path / "c.pdf", "1e-05", packed=False))


def test_a_stream_that_unpacks_beyond_all_pages_is_passed_over(tmp_path: Path) -> None:
    packed = zlib.compress(b" 1e-05 Td " + bytes(65 << 20), 1)
    path = tmp_path / "a.pdf"
    path.write_bytes(
        b"1 0 obj << /Filter /FlateDecode >> stream\n" + packed + b"\nendstream endobj"
    )
    assert not has_exponents(path)
