# ruff: noqa: RUF001 - digits and letters from the right are among what is tested here
"""Superscripts with a subscript below them, which the parser takes for another part."""

from __future__ import annotations

from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs, Rect, enclosing
from citeloom_pdf.elements.page import Line, Word
from citeloom_pdf.parsing.lines import join_parts
from citeloom_pdf.parsing.raised_letters import with_scripts
from tests.unit.citeloom_pdf.pages import style


def part(*words: tuple[str, float, float, float, float]) -> Line:
    placed = tuple(Word(Rect(*box), text, "Serif") for text, *box in words)
    text = " ".join(word.text for word in placed)
    return Line(enclosing(word.box for word in placed), text, style(), placed)


NOTING = part(
    ("noting", 106, 480, 133, 489), ("that", 138, 480, 156, 489), ("A(λ)", 161, 477, 179, 489)
)
SIMILAR = part(("l", 168, 485, 171, 491), ("of", 184, 480, 192, 489), ("(39)", 197, 480, 215, 489))


def test_a_subscript_below_a_superscript_does_not_tear_its_line() -> None:
    assert [line.text for line in join_parts([SIMILAR, NOTING])] == ["noting that A(λ)l of (39)"]


def test_so_does_a_superscript_over_a_subscript() -> None:
    left = part(("space", 108, 202, 132, 211), ("T", 135, 202, 141, 211), ("u", 142, 200, 147, 206))
    right = part(("x", 141, 207, 145, 213), ("is", 151, 202, 158, 211))
    assert [line.text for line in join_parts([left, right])] == ["space T ux is"]


def test_parts_that_overlap_otherwise_stay_apart() -> None:
    over = part(("noting", 106, 480, 133, 489), ("that", 138, 480, 179, 489))
    plain = part(("all", 160, 482, 171, 491), ("of", 184, 482, 192, 491))
    assert len(join_parts([over, plain])) == 2
    below = part(("l", 168, 485, 171, 491), ("of", 172, 480, 192, 489))
    assert len(join_parts([over, below])) == 2


def test_lines_of_two_columns_stay_apart_however_narrow_the_gutter() -> None:
    def written(text: str, left: float, top: float, right: float) -> Line:
        return part((text, left, top, right, top + 10))

    prose = [
        written("gravel moves when the stress at it", 50, 60 + 12 * at, 290) for at in range(3)
    ]
    left, right = written("Insert an ele-", 50, 110, 290), written("Replace", 296, 110, 360)
    assert len(join_parts([left, right])) == 1
    assert len(join_parts([*prose, left, right])) == 5


class Raised:
    """The first letters that PDFium reads are small and high."""

    def baseline(self, position: int) -> float:
        return 3.0 if position < 2 else 0.0

    def size(self, position: int) -> float:
        return 6.0 if position < 2 else 10.0

    def font(self, position: int) -> str:
        return "F"


def test_the_number_of_a_note_in_text_from_the_right_is_found_by_its_place() -> None:
    lefts = {"۱": 4, "۲": 8, "،": 0, "د": 24, "ر": 20, "ج": 16, "ه": 12}  # in the order of PDFium
    glyphs = [
        Glyph(at, letter, Rect(left, 0, left + 4, 10), spaced=False, at=at)
        for at, (letter, left) in enumerate(lefts.items())
    ]
    word = Word(Rect(0, 0, 28, 10), "درجه۱۲،", "F")
    written, _ = with_scripts(
        [Line(word.box, word.text, style(), (word,))], PlacedGlyphs(glyphs), Raised(), []
    )
    assert written[0].text == "درجه^(۱۲)،"


def noted(*words: tuple[str, float, float]) -> str:
    """A line of upright words, each with its left and right side, of which PDFium reads the first
    one first; the boxes of letters are half as high again as their size.
    """
    glyphs: list[Glyph] = []
    for text, left, right in words:
        wide = (right - left) / len(text)
        for number, letter in enumerate(text):
            box = Rect(left + number * wide, 0, left + (number + 1) * wide, 15)
            glyphs.append(Glyph(len(glyphs), letter, box, spaced=not number, at=len(glyphs) + 2))
    at = next(number for number, glyph in enumerate(glyphs) if glyph.text.isdigit())
    glyphs[at] = glyphs[at]._replace(at=0)
    placed = tuple(Word(Rect(left, 0, right, 15), text, "F") for text, left, right in words)
    line = Line(
        enclosing(word.box for word in placed),
        " ".join(word.text for word in placed),
        style(),
        placed,
    )
    return with_scripts([line], PlacedGlyphs(glyphs), Raised(), [])[0][0].text


def test_the_number_of_a_note_between_spaces_is_raised() -> None:
    assert noted(("TWOT", 0, 24), ("1", 24.2, 27), ("numbers", 29.5, 60)) == "TWOT¹ numbers"
    assert noted(("read.", 0, 24), ("1", 25, 28), ("In", 30.5, 40)) == "read.¹ In"


def test_the_number_of_an_isotope_is_of_the_letter_right_behind_it() -> None:
    assert noted(("of", 0, 12), ("4", 15, 18), ("He", 18.3, 30)) == "of ⁴He"


def test_marks_of_an_author_beside_a_number_are_no_part_of_the_name() -> None:
    assert noted(("Bray", 0, 24), ("1*", 24.1, 30), ("and", 33, 50)) == "Bray¹* and"


class Small:
    """The letters that PDFium reads first are small, and stand below or above the others."""

    def __init__(self, shift: float) -> None:
        self._shift = shift

    def baseline(self, position: int) -> float:
        return self._shift if position < 1 else 0.0

    def size(self, position: int) -> float:
        return 6.0 if position < 1 else 10.0

    def font(self, position: int) -> str:
        return "CMMI10" if position < 2 else "F"


def formula_from_right(**lefts: float) -> tuple[Line, PlacedGlyphs]:
    """A word from the right and one of mathematics on its left, whose letters PDFium has so."""
    glyphs = [
        Glyph(at, letter, Rect(left, 0, left + 4, 10), spaced=False, at=at)
        for at, (letter, left) in enumerate(lefts.items())
    ]
    words = (Word(Rect(20, 0, 28, 10), "גל", "F"), Word(Rect(0, 0, 8, 10), "xk", "CMMI10"))
    line = Line(Rect(0, 0, 28, 10), "גל xk", style(math=0.5), words)
    return line, PlacedGlyphs(glyphs)


def test_scripts_in_text_from_the_right_are_found_by_their_places() -> None:
    line, placed = formula_from_right(k=4, x=0, ל=20, ג=24)
    written, doubtful = with_scripts([line], placed, Small(-3.0), [])
    assert [each.text for each in written] == ["גל xₖ"]
    assert doubtful.doubtful == ()


def test_letters_of_formulas_in_text_from_the_right_that_pdfium_lacks_are_doubtful() -> None:
    line, placed = formula_from_right(k=4, ל=20, ג=24)
    assert with_scripts([line], placed, Small(0.0), [])[1].doubtful == (line.box,)


class Letters:
    """Letters of mathematics on one line, but for those at `raised`, which are small and high."""

    def __init__(self, *raised: int) -> None:
        self._raised = raised

    def baseline(self, position: int) -> float:
        return 5.0 if position in self._raised else 0.0

    def size(self, position: int) -> float:
        return 6.0 if position in self._raised else 10.0

    def font(self, position: int) -> str:
        return "STIXMath"


def formula_of_a_browser(text: str, *glyphs: tuple[str, float]) -> tuple[Line, PlacedGlyphs]:
    """A formula as the parser reads it, and its letters from the left as PDFium has them."""
    word = Word(Rect(0, 0, 30, 10), text, "STIXMath")
    line = Line(word.box, text, style(math=1.0), (word,))
    return line, PlacedGlyphs(
        [
            Glyph(at, letter, Rect(left, 0, left + 4, 10), spaced=False, at=at)
            for at, (letter, left) in enumerate(glyphs)
        ]
    )


def test_an_accent_that_is_part_of_its_letter_in_pdfium_is_set_over_it() -> None:
    line, placed = formula_of_a_browser(
        "¯\U0001d465=3", ("\U0001d465", 0), ("\u0304", 0), ("=", 5), ("3", 10)
    )
    written, places = with_scripts([line], placed, Letters(), [])
    assert [each.text for each in written] == ["\U0001d465\u0304=3"]
    assert places.doubtful == ()


def test_a_letter_that_pdfium_has_elsewhere_is_doubtful() -> None:
    whole = ("\U0001d465", 0), ("2", 5), ("=", 10), ("3", 15)
    line, placed = formula_of_a_browser("\U0001d4652=3", *whole)
    assert with_scripts([line], placed, Letters(1), [])[1].doubtful == ()
    line, placed = formula_of_a_browser("\U0001d4652=3", *whole[:3])
    assert with_scripts([line], placed, Letters(1), [])[1].doubtful == (line.box,)


def test_the_degree_of_a_root_that_is_read_behind_its_letter_is_doubtful() -> None:
    line, placed = formula_of_a_browser(
        "\U0001d4652=3", ("\U0001d465", 8), ("2", 2), ("=", 14), ("3", 20)
    )
    assert with_scripts([line], placed, Letters(1), [])[1].doubtful == (line.box,)
    line, placed = formula_of_a_browser(
        "\U0001d4652=3", ("\U0001d465", 2), ("2", 8), ("=", 14), ("3", 20)
    )
    written, places = with_scripts([line], placed, Letters(1), [])
    assert (written[0].text, places.doubtful) == ("\U0001d465²=3", ())
