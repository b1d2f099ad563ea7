"""Fonts with codes of their own: decoded by a code page, or doubted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from reportlab.pdfbase import pdfmetrics, ttfonts
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import BlockKind, ConversionResult, Doubt
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom_pdf.parsing.opened_pages import OpenedPage
from citeloom_pdf.parsing.plain_pages import plain_content

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


def test_a_printed_soft_hyphen_is_a_hyphen(tmp_path: Path) -> None:
    lines = (
        "Mills run with -f barley or --no-wheat at -2640.4 grains".replace("-", "\u00ad"),
        "an hour, and the farmers of the valley at the river count the har\u00ad",
        "vest of the valley, which is what is left of it in spring once the farmers have sown.",
    )
    conversion = converted(tmp_path / "mill.pdf", "Mills", lines)
    assert "with -f barley or --no-wheat at -2640.4 grains" in conversion.plain_text
    assert "count the harvest of the valley" in conversion.plain_text


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


@pytest.mark.parametrize("letter", ["0000", "FFFD"])
def test_letters_without_a_code_are_doubted_in_their_place(
    letter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = partly_coded(tmp_path / "partly.pdf", letter, monkeypatch)
    first, second = result.blocks
    assert (
        result.text_of(first)
        == "The gauge was read by \ufffd\ufffd\ufffd\ufffd every week of the year."
    )
    assert first.doubts == (Doubt.LETTERS,)
    assert result.text_of(second) == " ".join(RIVER)
    assert second.doubts == ()
    assert result.notes == (
        "page 1: letters of a font have no readable code",
        "letters on page 1 could not be decoded: their fonts have no mapping",
    )


def test_letters_mapped_to_nothing_are_read_by_their_codes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = partly_coded(tmp_path / "partly.pdf", "", monkeypatch)
    assert result.text_of(result.blocks[0]) == "The gauge was read by Anna every week of the year."
    assert result.blocks[0].doubts == ()


def test_a_hyphen_with_the_codes_of_three_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = partly_coded(tmp_path / "partly.pdf", "002D00AD2010", monkeypatch)
    assert result.text_of(result.blocks[0]) == "The gauge was read by ---- every week of the year."


def partly_coded(path: Path, letter: str, monkeypatch: pytest.MonkeyPatch) -> ConversionResult:
    """A page with one word in a font whose codes are all mapped to `letter`, in hexadecimals."""
    of_font = ttfonts.makeToUnicodeCMap
    monkeypatch.setattr(
        ttfonts,
        "makeToUnicodeCMap",
        lambda *font: re.sub(r"(<\w\w> )<\w{4}>", rf"\1<{letter}>", of_font(*font)),
    )
    pdfmetrics.registerFont(ttfonts.TTFont("Vera", "Vera.ttf"))
    return set_in_fonts(
        path,
        [
            [
                ("Times-Roman", "The gauge was read by "),
                ("Vera", "Anna"),
                ("Times-Roman", " every week of the year."),
            ]
        ],
        [[("Times-Roman", line)] for line in RIVER],
    )


def set_in_fonts(path: Path, *paragraphs: Sequence[Sequence[tuple[str, str]]]) -> ConversionResult:
    """Paragraphs of lines, each of runs with their fonts."""
    canvas = Canvas(str(path))
    top = 760.0
    for lines in paragraphs:
        for line in lines:
            left = 72.0
            for font, text in line:
                canvas.setFont(font, 11)
                canvas.drawString(left, top, text)
                left += canvas.stringWidth(text, font, 11)
            top -= 14
        top -= 18
    canvas.save()
    return PdfConverter().convert(SourceFile(path=path, doc_id="fonts", content_hash=""))


def test_signs_of_the_standard_symbol_fonts_are_no_letters(tmp_path: Path) -> None:
    items = [
        [("ZapfDingbats", bullet), ("Times-Roman", f"  {text}")]
        for bullet, text in (
            ("■", "the book in which the weekly readings stand"),
            ("■", "a lamp and oil for the walk along the outflow"),
            ("●", "the keys of the house beside the old harbour"),
        )
    ]
    sentence = [
        ("Times-Roman", "Readings with "),
        ("ZapfDingbats", "✔"),
        ("Times-Roman", " were checked, and the angle "),
        ("Symbol", "α"),  # noqa: RUF001
        ("Times-Roman", " is at least "),
        ("Symbol", "π"),
        ("Times-Roman", "/4 here."),
    ]
    result = set_in_fonts(tmp_path / "signs.pdf", items, [sentence])
    assert [(block.kind, result.text_of(block)) for block in result.blocks] == [
        (BlockKind.LIST_ITEM, "■ the book in which the weekly readings stand"),
        (BlockKind.LIST_ITEM, "■ a lamp and oil for the walk along the outflow"),
        (BlockKind.LIST_ITEM, "● the keys of the house beside the old harbour"),
        (
            BlockKind.PARAGRAPH,
            "Readings with ✔ were checked, and the angle α is at least π/4 here.",  # noqa: RUF001
        ),
    ]


def test_drawn_letters_that_are_named_by_their_codes_are_read(tmp_path: Path) -> None:
    lines = [
        "The \x1crst of the mills is su\x1eciently di\x1berent from the others.",
        "Its \x10wheel\x11 turns in the \x1dood of every spring \x15 and of autumn.",
    ]
    result = PdfConverter().convert(
        SourceFile(path=drawn_font(tmp_path / "drawn.pdf", lines), doc_id="x", content_hash="")
    )
    assert result.plain_text == (
        "The first of the mills is sufficiently different from the others. "
        "Its “wheel” turns in the flood of every spring \u2013 and of autumn."
    )
    assert [block.doubts for block in result.blocks] == [()]
    assert (result.lost_words, result.notes) == ({}, ())


@pytest.mark.parametrize(
    ("code", "bullet", "sign"),
    [("19", "", "\ufffd"), ("1a", "<88> ", "\ufffd"), ("19", "<88> ", "→")],
)
def test_a_drawn_sign_that_a_parser_leaves_out_stands_in_its_place(
    code: str, bullet: str, sign: str, tmp_path: Path
) -> None:
    shows = [("F1", 86, "(Save the levels with File)"), ("F2", 206, f"<{code}>")]
    shows += [("F1", 218, "(Close, or leave them as they are.)")]
    shows += [("F2", 72, bullet)] if bullet else []
    content = "".join(
        f"/{font} {'10 Tf 1 0 0 1' if font == 'F1' else '.12 Tf 1 0 0 -1'} {left} 700 Tm {text} Tj "
        for font, left, text in shows
    )
    # as Ghostscript draws it: the parser looks for its image a hundred times farther up
    image = b"60 0 0 -1 60 40 d1 .01 0 0 .01 0 0 cm q 6000 0 0 4000 0 -100 cm BI /IM true /W 8 /H 1"
    image += b" /BPC 1 ID \xaa\nEI Q\n"
    path = written(
        tmp_path / "sign.pdf",
        f"BT {content}ET".encode(),
        b"<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /F2 5 0 R >>",
        b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 -1] /FontMatrix [1 0 0 -1 0 0]"
        b" /FirstChar 25 /LastChar 136 /Widths [%s] /CharProcs << /AP 6 0 R /AQ 6 0 R /DS 6 0 R >>"
        b" /Encoding << /Type /Encoding /Differences [25 /AP /AQ 136 /DS] >> /Resources << >> >>"
        % b" ".join([b"60"] * 112),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(image), image),
    )
    result = PdfConverter().convert(SourceFile(path=path, doc_id="x", content_hash=""))
    (block,) = result.blocks
    mark = "• " if bullet else ""
    assert (
        result.text_of(block)
        == f"{mark}Save the levels with File {sign} Close, or leave them as they are."
    )
    assert block.doubts == ((Doubt.LETTERS,) if sign == "\ufffd" else ())


def test_a_sign_without_a_letter_is_doubted_on_a_page_of_drawn_letters(tmp_path: Path) -> None:
    lines = ["The smallest \x1f of the levels is su\x0eciently di\x0berent from the others."] * 2
    path = drawn_font(tmp_path / "drawn.pdf", lines)
    with closing(pdfium.PdfDocument(path)) as document, closing(OpenedPage(document, 1)) as page:
        content = plain_content(page)
    assert content is not None
    assert content.lines[0].text.startswith("The smallest \ufffd of the levels is suﬃciently")


def test_letters_that_have_the_codes_of_white_space_and_controls_stand_in_their_places(
    tmp_path: Path,
) -> None:
    lines = [
        "Su\x0eciently di\x0berent levels de\x0cne the mean \x12 of all",
        "that P(\x12) holds.",
    ]
    named = {" ": "space", ".": "period", "(": "parenleft", ")": "parenright"}
    path = drawn_font(
        tmp_path / "drawn.pdf",
        lines,
        lambda letter: named.get(letter, letter if letter.isalpha() else f"#{ord(letter):02X}"),
    )
    result = PdfConverter().convert(SourceFile(path=path, doc_id="x", content_hash=""))
    (block,) = result.blocks
    assert (
        result.text_of(block)
        == "Sufficiently different levels define the mean \ufffd of all that P(\ufffd) holds."
    )
    assert block.doubts == (Doubt.LETTERS,)


def by_code(letter: str) -> str:
    return f"a{ord(letter)}"


def drawn_font(path: Path, lines: Sequence[str], name: Callable[[str], str] = by_code) -> Path:
    """A page in a font of drawn letters, each a bar called by its code, as `a102` for `f`, or by
    another name.
    """
    codes = sorted({ord(letter) for line in lines for letter in line})
    bar = b"500 0 0 0 450 600 d1 0 0 450 600 re f"
    named = {code: name(chr(code)) for code in codes}
    names = " ".join(f"{code} /{named[code]}" for code in codes)
    shows = "".join(f"({_escaped(line)}) Tj 0 -14 Td " for line in lines)
    procs = " ".join(f"/{named[code]} 6 0 R" for code in codes)
    widths = " ".join(["500"] * (codes[-1] - codes[0] + 1))
    return written(
        path,
        f"BT /F1 10 Tf 72 700 Td {shows}ET".encode("latin-1"),
        b"<< /F1 5 0 R >>",
        f"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 600] /FontMatrix [.001 0 0 .001 0 0]"
        f" /FirstChar {codes[0]} /LastChar {codes[-1]} /Widths [{widths}] /CharProcs << {procs} >>"
        f" /Encoding << /Type /Encoding /Differences [{names}] >> /Resources << >> >>".encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(bar), bar),
    )


def written(path: Path, content: bytes, fonts: bytes, *others: bytes) -> Path:
    """A page with its content and fonts, which may refer to the `others` as objects from 5 on."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font %s >> >>" % fonts,
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        *others,
    ]
    out, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    path.write_bytes(out + end % (len(objects) + 1, len(out) - len(table) - 28))
    return path


def _escaped(line: str) -> str:
    return "".join(f"\\{ord(letter):03o}" for letter in line)


def test_signs_of_wingdings_are_no_letters_in_a_line_of_text(tmp_path: Path) -> None:
    font = ttfonts.TTFont("Wingdings", "Vera.ttf")
    font.face.name = b"Wingdings"
    pdfmetrics.registerFont(font)
    result = set_in_fonts(
        tmp_path / "signs.pdf",
        [[("Wingdings", "l"), ("Times-Roman", " All of the “grains” are barley.")]],
        [[("Times-Roman", "File "), ("Wingdings", "à"), ("Times-Roman", " Close ends the book.")]],
        [[("Times-Roman", line)] for line in RIVER],
    )
    assert [result.text_of(block) for block in result.blocks] == [
        "● All of the “grains” are barley.",
        "File → Close ends the book.",
        " ".join(RIVER),
    ]
