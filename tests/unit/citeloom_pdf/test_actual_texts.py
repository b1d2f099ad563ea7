# ruff: noqa: RUF001 - scripts read from the right are what is tested here
"""Glyphs with an actual text are read as the letters that it has."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
from reportlab.pdfgen.canvas import Canvas

from citeloom.infrastructure.conversion.pdfium import PrintedPages
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.actual_texts import with_actual_texts
from citeloom_pdf.parsing.opened_pages import turning_of

HEIGHT, BASELINE = 800.0, 700.0


def draw(path: Path, *spans: tuple[str, list[tuple[str, float, float]]]) -> Path:
    """A page of glyphs, each with its place; those of a span have an actual text, if it has one."""
    canvas = Canvas(str(path), pagesize=(400, HEIGHT))
    canvas.setFont("Helvetica", 12)
    for text, glyphs in spans:
        code = "feff" + text.encode("utf-16-be").hex()
        drawn = "".join(f"1 0 0 1 {x} {BASELINE + up} Tm ({glyph}) Tj " for glyph, x, up in glyphs)
        marked = f"/Span <</ActualText <{code}>>> BDC {drawn} EMC" if text else drawn
        canvas._code.append(f"BT /F1 12 Tf {marked} ET")
    canvas.save()
    return path


def glyph(text: str, left: float, width: float, up: float = 0.0) -> Word:
    """A glyph as the parser has it."""
    bottom = HEIGHT - BASELINE - up + 3
    return Word(Rect(left, bottom - 14, left + width, bottom), text, "F1")


def read(path: Path, *letters: Word) -> list[Word]:
    document = pypdfium2.PdfDocument(path)
    try:
        page = document[0]
        return with_actual_texts(letters, page, turning_of(page))
    finally:
        document.close()


def test_the_glyphs_of_an_actual_text_are_one_letter_in_their_place(tmp_path: Path) -> None:
    path = draw(
        tmp_path / "a.pdf",
        ("", [("x", 60, 0)]),
        ("لآ", [("b", 73, 5), ("a", 72, 0)]),
        ("", [("c", 90, 0)]),
    )
    letters = [glyph("x", 60, 6), glyph("ل", 73, 0, up=5), glyph("آ", 72, 7), glyph("c", 90, 6)]
    assert read(path, *letters) == [letters[0], letters[2]._replace(text="لآ"), letters[3]]


def test_a_letter_whose_other_glyphs_the_parser_leaves_out_is_as_wide_as_all(
    tmp_path: Path,
) -> None:
    path = draw(tmp_path / "a.pdf", ("إ", [(".", 75, -4), ("m", 72, 0)]), ("", [("c", 90, 0)]))
    whole, other = read(path, glyph("إ", 75, 0, up=-4), glyph("c", 90, 6))
    assert (whole.text, other.text) == ("إ", "c")
    assert whole.box.left < 74
    assert whole.box.right > 80
    assert (whole.box.top, whole.box.bottom) == (other.box.top, other.box.bottom)


def test_a_mark_whose_box_is_its_ink_is_a_glyph_of_its_text_and_gives_it_no_height(
    tmp_path: Path,
) -> None:
    path = draw(tmp_path / "a.pdf", ("إ", [("_", 75, 0), ("m", 72, 0)]), ("", [("c", 90, 0)]))
    line = HEIGHT - BASELINE
    whole, _ = read(path, Word(Rect(75, line + 0.9, 75, line + 1.5), "إ", "F1"), glyph("c", 90, 6))
    assert whole.text == "إ"
    assert whole.box.width > 8
    assert whole.box.top < line - 5


def test_what_joins_letters_is_left_out_and_a_phrase_is_not_taken(tmp_path: Path) -> None:
    path = draw(
        tmp_path / "a.pdf",
        ("\u200dه", [("a", 72, 0)]),
        ("\u200cه", [("a", 80, 0)]),
        ("two words", [("b", 90, 0), ("c", 97, 0)]),
    )
    found = read(path, *(glyph(sign, left, 6) for sign, left in zip("aabc", (72, 80, 90, 97))))
    assert [letter.text for letter in found] == ["ه", "\u200cه", "b", "c"]


def test_glyphs_that_each_have_the_text_of_all_are_read_once_by_their_places(
    tmp_path: Path,
) -> None:
    path = draw(
        tmp_path / "a.pdf",
        ("م", [("o", 72, 0)]),
        ("ا", [("l", 79, 0)]),
        ("لَ", [("-", 82, 6)]),
        ("لَ", [("o", 82, 0)]),
        ("س", [("m", 89, 0)]),
    )
    pages = PrintedPages(path)
    try:
        page = pages.by_places(1)
        assert page is not None
        assert page.text.replace(" ", "") == "سلَام"
        assert pages[1].text.count("ل") == 2
    finally:
        pages.close()


def test_a_page_without_letters_from_the_right_is_read_once(tmp_path: Path) -> None:
    pages = PrintedPages(draw(tmp_path / "a.pdf", ("", [("abc", 72, 0)])))
    try:
        assert pages.by_places(1) is None
    finally:
        pages.close()


def test_a_letter_that_is_not_of_an_actual_text_stays_where_its_own_piece_is_not_found(
    tmp_path: Path,
) -> None:
    path = draw(tmp_path / "a.pdf", ("ا", [("l", 72, 0)]), ("", [("b", 74, 0)]))
    letters = [glyph("ا", 72, 3), glyph("ب", 73.5, 4)]
    assert read(path, *letters) == letters


def test_a_letter_far_from_a_glyph_is_none_of_its_actual_text(tmp_path: Path) -> None:
    """As where boxes are those of the ink: hardly any letter begins where its piece does."""
    path = draw(tmp_path / "a.pdf", ("ر", [("r", 172, 0)]), ("ر", [("r", 72, 0)]))
    letters = [glyph("ر", 172, 4), glyph("ر", 72.5, 4)]
    assert [letter.box for letter in read(path, *letters)] == [each.box for each in letters]


def test_a_glyph_without_a_letter_takes_none_of_the_next_line(tmp_path: Path) -> None:
    path = draw(
        tmp_path / "a.pdf",
        ("آ", [("-", 90, 2), ("l", 88, 0)]),
        *(("", [("x", 50.0 + 7 * at, -12.0)]) for at in range(5)),
        ("", [("l", 88, -12)]),
    )
    below = [*(glyph("د", 50 + 7 * at, 6, up=-12) for at in range(5)), glyph("ا", 88, 3, up=-12)]
    whole, *others = read(path, glyph("آ", 90, 0), *below)
    assert whole.text == "آ"
    assert others == below


def test_an_empty_glyph_of_an_actual_text_takes_no_letter_that_begins_where_it_stands(
    tmp_path: Path,
) -> None:
    """As browsers print lam with an alef that bears a hamza: the letter there is the lam's."""
    path = draw(
        tmp_path / "a.pdf",
        ("أ", [("-", 73, 5), (" ", 72, 0)]),
        ("", [("lm", 72, 0)]),
    )
    found = read(path, glyph("أ", 73, 0, up=5), glyph("ل", 72, 7), glyph("ا", 79, 3))
    assert [letter.text for letter in found] == ["أ", "ل", "ا"]


def test_a_space_that_the_parser_has_a_little_off_is_no_part_of_an_actual_text(
    tmp_path: Path,
) -> None:
    path = draw(tmp_path / "a.pdf", ("ش", [("b", 72, 0)]), ("", [(" n", 77.9, 0)]))
    found = read(path, glyph("ش", 72, 6), glyph(" ", 78.05, 3), glyph("ن", 81, 6))
    assert [letter.text for letter in found] == ["ش", " ", "ن"]


def test_a_letter_and_its_marks_that_one_piece_draws_are_as_wide_as_that(tmp_path: Path) -> None:
    """As a word processor prints shin with its points: the code of all is that of a point."""
    path = draw(
        tmp_path / "a.pdf",
        *(("", [("x", 50.0, -30.0)]) for _ in range(2)),  # of marks, which have no letter there
        ("שִׁ", [("xyz", 72, 0)]),
        ("", [("c", 96, 0)]),
    )
    line = HEIGHT - BASELINE
    marks = [Word(Rect(30 + at, line + 30, 30 + at, line + 31), "ִ", "F1") for at in range(40)]
    flat = Word(Rect(72, line + 0.9, 72, line + 1.5), "שִׁ", "F1")
    whole, other = read(path, *marks, flat, glyph("c", 96, 6))[-2:]
    assert (whole.text, other.text) == ("שִׁ", "c")
    assert whole.box.left < 73
    assert whole.box.right > 88


def test_a_mark_whose_letters_the_parser_leaves_out_is_as_high_as_their_ink(
    tmp_path: Path,
) -> None:
    """As a word processor prints a ligature with a vowel, whose glyph alone has a code."""
    path = draw(tmp_path / "a.pdf", ("لَى", [("-", 78, 2), ("lm", 72, 0)]), ("", [("c", 96, 0)]))
    line = HEIGHT - BASELINE
    whole, _ = read(path, Word(Rect(78, line - 5.8, 78, line - 4.9), "لَى", "F1"), glyph("c", 96, 6))
    assert whole.text == "لَى"
    assert whole.box.height > 5


def test_a_stroke_that_is_drawn_with_a_mark_is_none_of_it(tmp_path: Path) -> None:
    """As a word processor has it in a justified line."""
    spans = (
        ("", [("c", 60.0, 0.0)]),
        ("\u0651", [("_", 66.0, 0.0), ("'", 69.0, 5.0)]),
        ("", [("d", 70.0, 0.0)]),
    )
    before, stroke = glyph("\u0642", 60, 6), glyph("\ufffd", 66, 4)
    mark, behind = glyph("\u0651", 69, 0, up=5), glyph("\u0642", 70, 6)
    found = read(draw(tmp_path / "a.pdf", *spans), before, stroke, mark, behind)
    assert [letter.text for letter in found] == ["\u0642", "\ufffd", "\u0651", "\u0642"]


def test_a_mark_wider_than_its_letter_gives_it_no_height(tmp_path: Path) -> None:
    """As a madda on an alef is: LuaTeX draws both, the parser has one of them."""
    path = draw(tmp_path / "a.pdf", ("آ", [("l", 72, 0), ("w", 70, 12)]), ("", [("c", 90, 0)]))
    whole, other = read(path, glyph("آ", 72, 3), glyph("c", 90, 6))
    assert (whole.text, whole.box.top) == ("آ", other.box.top)


def test_an_actual_text_may_be_behind_a_line_that_is_drawn_as_one(tmp_path: Path) -> None:
    path = draw(tmp_path / "a.pdf", ("", [("m" * 60, 10, 0)]), ("لأ", [("b", 300, 0)]))
    letters = [*(glyph("م", 10.0 + 4 * at, 4) for at in range(60)), glyph("ل", 300, 7)]
    assert read(path, *letters)[-1].text == "لأ"


def test_an_actual_text_of_marks_takes_no_letter_that_begins_where_they_do(tmp_path: Path) -> None:
    path = draw(
        tmp_path / "a.pdf",
        ("", [("d", 72, 0)]),
        ("\u05b8\u05bc", [(".", 72, 0), (".", 74, 3)]),
        ("", [("c", 90, 0)]),
    )
    marks = [glyph("\u05b8", 72, 0), glyph("\u05bc", 74, 0, up=3)]
    found = read(path, glyph("ד", 72.05, 6), *marks, glyph("c", 90, 6))
    assert [letter.text for letter in found] == ["ד", "\u05b8\u05bc", "c"]
