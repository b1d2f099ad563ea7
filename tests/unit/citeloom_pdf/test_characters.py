# ruff: noqa: RUF001 - typographic characters are what is tested here
from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.characters import (
    PageCharacters,
    decoded,
    decoded_alike,
    is_of_signs,
    with_coded_letters,
    with_known_pieces,
    with_printed_marks,
)
from citeloom_pdf.parsing.opened_pages import OpenedPage


@pytest.mark.parametrize(
    ("text", "printed", "restored"),
    [
        ("the model's aim", "the model’s aim", "the model’s aim"),
        ('a "best" one', "a “best” one", "a “best” one"),
        ("from -5 to 3-4", "from −5 to 3–4", "from −5 to 3–4"),
        ("sedi-", "sedi\ufffe", "sedi-"),
        ("it's two", "it’s ‘two’", "it's two"),
        ('~/.profile":', "“~/.profile”:", "~/.profile”:"),
        ("'", "‘an‘", "'"),
    ],
)
def test_printed_marks_take_the_place_of_plain_ones(text: str, printed: str, restored: str) -> None:
    assert with_printed_marks(text, printed) == restored


@given(st.text(alphabet="ab'\"- "), st.text(alphabet="ab'\"-\x02\ufffe "))
def test_a_text_stays_on_a_page_without_typographic_marks(text: str, printed: str) -> None:
    """So that nothing has to be looked up there."""
    assert with_printed_marks(text, printed) == text


@given(st.text(alphabet="ab'\"- "))
def test_a_text_printed_in_plain_marks_stays(text: str) -> None:
    assert with_printed_marks(text, text) == text


@pytest.mark.parametrize(
    ("text", "printed", "readable"),
    [
        ("✉a115✐♥❣ ❆▼▲a80", "u s i n g A M L P", "using AMLP"),
        ("the ❢♦♦ call", "the f o o call", "the foo call"),
        ("♣a114✐♥a116", "p r i n t", "print"),
        ("❤✐", "_hi", "hi"),
        ("▲❛ a116❡a115a116", "La test", "La test"),
        ("❛❜ ❝", "a b c d", "a b c d"),
        ('"✩~✩"', '"$~$" \r\n$', '"$~$"'),
        ("❼ the value ( ab", "• the value \r\na\r\nb", "• the value ( ab"),
        ("a115( a115", "s s", "s( s"),
        ("❼ x a0 1", "• x 1", "• x 1"),
        ("see ★ below", "see ★ below", "see ★ below"),
        ("❛❜", "", "❛❜"),
    ],
)
def test_garbled_text_is_decoded_and_parted_as_the_parser_parts_it(
    text: str, printed: str, readable: str
) -> None:
    assert decoded(text, printed) == readable


def test_pieces_of_brackets_get_the_codes_unicode_has_for_them() -> None:
    assert with_known_pieces("\uf8f1x\uf8f2\uf8f3\uf8f4") == "⎧x⎨⎩⎪"
    assert with_known_pieces("\uf8e6\uf8eb\uf8ee\uf8f5\uf8f8\uf8fe") == "⏐⎛⎡⎮⎠⎭"
    assert with_known_pieces("\uf8e5\uf8ff x") == "\uf8e5\uf8ff x"


def test_the_size_of_a_large_sign_is_no_part_of_it() -> None:
    assert with_known_pieces("n∑\ufe02 (\ufe03x)\ufe03") == "n∑ (x)"
    assert with_known_pieces("\u2764\ufe0f 芦\ufe00") == "\u2764\ufe0f 芦\ufe00"


def test_letters_named_by_their_codes_are_read_unless_they_are_printed_so() -> None:
    assert with_coded_letters("#28a di#0Berent #0Cle#29", "(a di\x0berent \x0cle)") == (
        "(a different file)"
    )
    assert with_coded_letters("issue #28", "issue #28") == "issue #28"


@pytest.mark.parametrize(
    ("text", "printed", "read"),
    [
        ("ZÆkladn� pojem", "Základní pojem\r\n", "Základní pojem"),
        ("e�ectively", "effectively", "effectively"),
        ("�vod", "\x0cvod", "�vod"),
        ("������ ���", "Figura 10:", "Figura 10:"),
        ("�����������", "wsuipa10.pk", "wsuipa10.pk"),
        ("Úvod", "�vod", "Úvod"),
        ("\\sdef{〈p�smeno〉}", "\\sdef{hpísmenoi}", "\\sdef{〈písmeno〉}"),
        ("�vod", "Úvod 1. a line of another column", "�vod"),
        ("�vod", "", "�vod"),
    ],
)
def test_a_doubtful_text_is_taken_from_the_second_reading_if_that_is_alike(
    text: str, printed: str, read: str
) -> None:
    assert decoded_alike(text, printed) == read


@pytest.mark.parametrize(
    ("sign", "font", "holds"),
    [
        ("→", "/SymbolMT", True),
        ("§", "/ABCDEF+txsy", True),
        ("†", "/ABCDEF+CMSY10", True),
        ("−", "/ABCDEF+CMSY10", False),
        ("§", "/ABCDEF+Times-Roman", False),
    ],
)
def test_the_sign_of_a_section_may_be_of_a_font_of_mathematics(
    sign: str, font: str, holds: bool
) -> None:
    assert is_of_signs(sign, font) is holds


def test_the_size_of_a_word_is_that_of_its_first_letter_not_of_the_note_behind_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.pdf"
    canvas = Canvas(str(path), pagesize=(400, 800))
    canvas.setFont("Helvetica", 7)
    canvas.drawString(100, 704, "1")
    canvas.setFont("Helvetica", 12)
    canvas.drawString(104, 700, "moves")
    canvas.save()
    document = pypdfium2.PdfDocument(path)
    characters = PageCharacters(OpenedPage(document, 1))
    box = Rect(100, 90, 136, 101)
    sizes = [characters.size_of(Word(box, text, "F")) for text in ("אבג.1", "1moves")]
    document.close()
    assert sizes == [12.0, 7.0]


@pytest.mark.parametrize(("figures", "is_small"), [("10", True), ("١٠", False), ("۱۰", False)])
def test_a_small_figure_is_raised_but_the_zero_of_arabic_is_not(
    figures: str, is_small: bool, tmp_path: Path
) -> None:
    """The zero is drawn as a raised dot, as figures of notes are in some fonts."""
    codes = dict(zip(("31", "b7"), figures))
    pairs = " ".join(f"<{code}> <{ord(figure):04x}>" for code, figure in codes.items())
    unicode = (
        "begincmap 1 begincodespacerange <00> <ff> endcodespacerange "
        f"2 beginbfchar {pairs} endbfchar endcmap"
    )
    text = "BT /F 12 Tf 50 50 Td <31b731b7> Tj ET"
    parts = [
        "<</Type /Catalog /Pages 2 0 R>>",
        "<</Type /Pages /Kids [3 0 R] /Count 1>>",
        "<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 5 0 R"
        " /Resources <</Font <</F 4 0 R>>>>>>",
        "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding"
        " /ToUnicode 6 0 R>>",
        *(f"<</Length {len(each)}>>\nstream\n{each}\nendstream" for each in (text, unicode)),
    ]
    path = tmp_path / "a.pdf"
    objects = "\n".join(f"{n} 0 obj\n{part}\nendobj" for n, part in enumerate(parts, 1))
    path.write_text(f"%PDF-1.4\n{objects}\ntrailer <</Root 1 0 R>>", encoding="ascii")
    characters = PageCharacters(OpenedPage(pypdfium2.PdfDocument(path), 1))
    glyphs = sorted(characters.placed().inside(Rect(0, 0, 200, 100)), key=lambda g: g.box.left)
    assert "".join(glyph.text for glyph in glyphs) == figures * 2
    assert (characters.size(glyphs[1].at) < characters.size(glyphs[0].at)) is is_small
