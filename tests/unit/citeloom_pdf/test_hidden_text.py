"""Hidden words from the right are known in the order in which they are read."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
from reportlab.pdfgen.canvas import Canvas

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import HiddenText, Line, Style, Word
from citeloom_pdf.parsing.hidden_text import hidden_text, without_hidden
from citeloom_pdf.parsing.opened_pages import OpenedPage


def page_of_browser(path: Path, text: str) -> Path:
    """A page of invisible letters as browsers draw them: from the left, each with its text."""
    glyphs = " ".join(
        f"/Span <</ActualText <FEFF{ord(letter):04X}>>> BDC (n) Tj EMC"
        if letter != " "
        else "( ) Tj"
        for letter in reversed(text)
    )
    canvas = Canvas(str(path), pagesize=(400, 300))
    canvas.setFont("Helvetica", 12)
    canvas._code.append(f"BT /F1 12 Tf 3 Tr 1 0 0 1 72 200 Tm {glyphs} ET")
    canvas.save()
    return path


def hidden_in(path: Path) -> tuple[HiddenText, ...]:
    document = pypdfium2.PdfDocument(path)
    try:
        return hidden_text(OpenedPage(document, 1))
    finally:
        document.close()


def test_hidden_words_that_pdfium_has_from_the_left_are_read_from_the_right(tmp_path: Path) -> None:
    text = "سفر طويل إلى جبل بعيد"
    (hidden,) = hidden_in(page_of_browser(tmp_path / "a.pdf", text))
    assert hidden.text == text
    assert [box.left for box in hidden.boxes] == sorted(
        (box.left for box in hidden.boxes), reverse=True
    )


def test_a_hidden_word_is_taken_out_whatever_the_order_of_its_letters() -> None:
    words = [Word(Rect(at, 10, at + 40, 20), text, "") for at, text in ((60, "سفر"), (10, "بعيد"))]
    line = Line(Rect(10, 10, 100, 20), "سفر بعيد", Style(10), tuple(words))
    hidden = [HiddenText("ديعب", "drawn invisibly", (Rect(10, 10, 50, 20),))]
    assert [seen.text for seen in without_hidden([line], hidden)] == ["سفر"]
    other = [HiddenText("قمر", "drawn invisibly", (Rect(10, 10, 50, 20),))]
    assert without_hidden([line], other) == [line]
