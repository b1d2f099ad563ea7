"""Fonts with codes of their own: decoded by a code page, or doubted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import ConversionResult, Doubt
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter

RIVER = (
    "The river carries barley past the old mill in spring,",
    "and the farmers of the valley count what is left of it.",
)
RUSSIAN = (
    "Река несёт ячмень мимо старой мельницы весной, и",
    "крестьяне долины считают, что от него осталось, но не",
    "все, как они на этом стояли.",
)


def converted(path: Path, title: str, *paragraphs: Sequence[str]) -> ConversionResult:
    canvas = Canvas(str(path))
    canvas.setFont("Helvetica-Bold", 18)
    canvas.drawString(72, 760, title)
    canvas.setFont("Helvetica", 10)
    top = 720.0
    for lines in paragraphs:
        for line in lines:
            canvas.drawString(72, top, line)
            top -= 12
        top -= 18
    canvas.save()
    return PdfConverter().convert(SourceFile(path=path, doc_id="fonts", content_hash=""))


def in_latin(text: str) -> str:
    return text.encode("cp1251").decode("cp1252")


def test_letters_of_a_code_page_are_decoded(tmp_path: Path) -> None:
    paragraph = [in_latin(line) for line in RUSSIAN]
    result = converted(tmp_path / "ru.pdf", in_latin("Мосты долины"), paragraph, RIVER)
    title, russian, english = (result.text_of(block) for block in result.blocks)
    assert title == "Мосты долины"
    assert russian == " ".join(RUSSIAN)
    assert english == " ".join(RIVER)
    assert [block.doubts for block in result.blocks] == [()] * 3
    assert result.notes == ()


def test_letters_in_an_order_of_no_language_are_doubted(tmp_path: Path) -> None:
    moved = [
        "".join(letter if letter == " " else chr(ord(letter) + 1) for letter in line)
        for line in RIVER
    ]
    result = converted(tmp_path / "moved.pdf", "Of the River", moved, RIVER)
    assert [block.doubts for block in result.blocks] == [(), (Doubt.LETTERS,), ()]
    assert result.notes == ("page 1: letters of a font have no readable code",)
    assert Doubt.LETTERS.words == "letters of this font have no readable code: compare"
