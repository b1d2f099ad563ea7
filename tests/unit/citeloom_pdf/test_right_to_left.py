# ruff: noqa: RUF001 - scripts read from the right are what is tested here
"""Lines with text from the right, read by the places of their letters."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Word
from citeloom_pdf.elements.text import normalised
from citeloom_pdf.parsing.drawn_letters import as_written, with_own_codes, without_strokes
from citeloom_pdf.parsing.letter_rows import font_size
from citeloom_pdf.parsing.lines import Cell
from citeloom_pdf.parsing.right_to_left import with_lines_from_right

PITCH = 20.0


def letters(seen: str, top: float = 0.0, left: float = 0.0, *, spaces: bool = True) -> list[Word]:
    """The glyphs of a line from left to right, as it is seen."""
    return [
        Word(Rect(left + 5.0 * at, top, left + 5.0 * at + 5, top + 10), letter, "F")
        for at, letter in enumerate(seen)
        if spaces or letter != " "
    ]


def cell(glyphs: list[Word], text: str = "") -> Cell:
    """The part of a line as the parser has it, in whatever order it chose."""
    box = enclosing(glyph.box for glyph in glyphs)
    return Cell(box, text or "".join(glyph.text for glyph in glyphs), "F", 0.0)


def read(*lines: list[Word]) -> list[str]:
    cells = [cell(line) for line in lines]
    found, _ = with_lines_from_right(cells, [], [c for line in lines for c in line], ten_points)
    return [part.text for part in sorted(found, key=lambda part: part.box.top)]


def ten_points(_word: Word) -> float | None:
    return 10.0


@pytest.mark.parametrize("spaces", [True, False])
def test_words_are_parted_by_drawn_spaces_or_by_gaps(spaces: bool) -> None:
    assert read(letters("1948 תנשב קוחה", spaces=spaces)) == ["החוק בשנת 1948"]


def test_parts_of_a_row_are_read_as_one_line() -> None:
    row = letters(".2019 תנשב Nature רמאמה")
    parts = [row[:6], row[6:11], row[11:17], row[17:]]
    found, words = with_lines_from_right([cell(part) for part in parts], [], row, ten_points)
    assert [part.text for part in found] == ["המאמר Nature בשנת 2019."]
    assert [word.text for word in words] == ["המאמר", "Nature", "בשנת", "2019."]


def test_words_from_the_left_as_far_apart_as_cells_are_read_from_the_right() -> None:
    heads, below = letters("K2   M1 רעש תנחת"), letters("ול הפי K2 M1 רעש תנחת", 20)
    assert read(heads, below) == ["תחנת שער M1 K2", "תחנת שער K2 M1 יפה לו"]
    assert read(heads) == ["תחנת שער K2 M1"]  # as in a line that is stretched to its full width
    stretched = letters("תנח   K2   M1   רעש")
    assert read(stretched, below)[0] == "שער K2 M1 חנת"


def test_a_letter_whose_box_is_its_ink_is_in_the_row_of_those_that_stand_higher() -> None:
    inks = {"ظ": (0, 9), "و": (5, 10.5), "م": (6, 12.2)}
    row = [
        glyph._replace(box=glyph.box._replace(top=inks[glyph.text][0], bottom=inks[glyph.text][1]))
        for glyph in letters("مظوم")
    ]
    found, _ = with_lines_from_right([cell([glyph]) for glyph in row], [], row, ten_points)
    assert [part.text for part in found] == ["موظم"]


def test_parts_a_column_apart_stay_two() -> None:
    left, right = letters("ןושאר רוט"), letters("ינש רוט", left=200)
    found, _ = with_lines_from_right([cell(left), cell(right)], [], left + right, ten_points)
    assert [part.text for part in found] == ["טור ראשון", "טור שני"]


def test_columns_of_low_letters_with_tall_ones_among_them_stay_two() -> None:
    """A gap is wide by the size of the font, not by a multiple of a line's own height."""
    left, right = letters("ןושאר רוט"), letters("ינש רוט", left=65)
    low = [glyph._replace(box=glyph.box._replace(bottom=4)) for glyph in (*left[1:], *right[1:])]
    glyphs = [left[0], *low[:8], right[0], *low[8:]]
    parts = [cell(glyphs[:9]), cell(glyphs[9:])]
    found, _ = with_lines_from_right(parts, [], glyphs, ten_points)
    assert [part.text for part in found] == ["טור ראשון", "טור שני"]


def test_an_underscore_that_is_drawn_lower_and_apart_is_in_its_line() -> None:
    seen = [*letters("id"), *letters("no הנחתה לש הדש", left=15)]
    low = Word(Rect(50, 6, 55, 13.5), "ץ", "F")
    seen[9] = low  # of a letter that goes lower, the line is as high as the stroke is low
    stroke = Word(Rect(10, 12.6, 15, 13), "_", "F")
    parts = [cell(seen[:2]), cell(seen[2:4]), cell(seen[4:]), cell([stroke])]
    found, _ = with_lines_from_right(parts, [], [*seen, stroke], ten_points)
    assert [part.text for part in found] == ["שדה של ץתחנה id_no"]


@pytest.mark.parametrize(
    "seen", [".(תואקסע) קוחה", ".)תואקסע( קוחה"], ids=["as drawn", "as written"]
)
def test_brackets_face_each_other_whatever_the_font_names_them(seen: str) -> None:
    assert read(letters(seen)) == ["החוק (עסקאות)."]


def test_a_bracket_alone_is_turned_as_those_of_the_page_are() -> None:
    drawn = read(letters("(בג) א"), letters("(ד ה", PITCH))
    assert drawn == ["א (גב)", "ה ד)"]
    written = read(letters(")בג( א"), letters("(ד ה", PITCH))
    assert written == ["א (גב)", "ה ד("]


def test_the_letters_of_a_ligature_stay_in_their_order() -> None:
    seen = letters("ةدع ")
    at = seen[-1].box.right
    flat = Word(Rect(at, 0, at, 10), "ا", "F")
    wide = Word(Rect(at, 0, at + 6, 10), "ل", "F")
    assert read([*seen, flat, wide]) == ["لا عدة"]


def test_a_mark_follows_the_letter_it_is_on() -> None:
    seen = letters("ברא")
    mark = Word(Rect(11, 0, 11, 10), "\u05b8", "F")
    assert read([mark, *seen]) == ["א\u05b8רב"]


def test_a_letter_and_its_mark_whose_glyphs_have_each_others_codes_are_told_by_their_boxes() -> (
    None
):
    """As Chromium prints them: first the mark's glyph with the letter's code."""
    seen = letters("ברא")
    flat, low = Word(Rect(16, 2, 16, 12), "ם", "F"), Word(Rect(16, 10, 18, 12), "ם", "F")
    letter = Word(Rect(15, 0, 20, 10), "\u05b8", "F")
    last = Word(Rect(20, 0, 25, 10), "ש", "F")
    assert read([*seen, flat, letter, last]) == ["שם\u05b8ארב"]
    assert read([*seen, low, letter, last]) == ["שם\u05b8ארב"]


def test_a_letter_under_a_wide_mark_keeps_its_own_code() -> None:
    narrow, mark = Word(Rect(15, 0, 17, 10), "ו", "F"), Word(Rect(15, 10, 18, 12), "\u05b8", "F")
    assert read([*letters("ברא"), narrow, mark]) == ["ו\u05b8ארב"]


def test_letters_of_a_ligature_stand_before_the_mark_on_it() -> None:
    seen = letters("لامع")
    hamza = Word(Rect(19.6, 0, 19.6, 10), "أ", "F")
    fatha, lam = Word(Rect(20, 0, 20, 10), "\u064e", "F"), Word(Rect(20, 0, 26, 10), "ل", "F")
    assert read([*seen, hamza, fatha, lam]) == ["لأ\u064eعمال"]


def test_a_letter_with_its_marks_in_one_glyph_is_no_mark_of_the_space_beside_it() -> None:
    wide = [Word(Rect(25, 0, 28, 10), "א", "F")]
    whole = Word(Rect(21, 0, 21, 10), "ש\u05b0\u05c1", "F")
    assert read([*letters("בגד "), whole, *wide]) == ["אש\u05b0\u05c1 דגב"]


def test_a_letter_and_its_mark_that_have_one_width_and_the_code_of_both_are_read_once() -> None:
    """As Typst prints them in a monospaced font: first the glyph of the mark."""
    seen = letters("دلو")
    at = seen[-1].box.right
    pieces = [
        Word(Rect(at - away, top, at - away + 5, top + 10), "مُ", "F")
        for away, top in ((3.5, 1), (0.1, 1), (0, 0))
    ]
    second = Word(Rect(at + 5, 0, at + 10, 10), "مُ", "F")
    assert read([*seen, *pieces, second]) == ["مُمُولد"]


def test_marks_that_are_drawn_before_their_letters_go_with_these() -> None:
    """As a word processor draws them, at the left of the letter or a little before it."""
    glyphs = letters("בגד הו")
    marks = {1: "\u05b8", 4: "\u05b0"}
    drawn = [
        glyph
        for at, letter in enumerate(glyphs)
        for glyph in (
            *(Word(Rect(5 * at - 1, 0, 5 * at - 1, 1), marks[at], "F") for _ in range(at in marks)),
            letter,
        )
    ]
    assert read(drawn) == ["וה\u05b0 דג\u05b8ב"]


def test_a_part_of_two_lines_is_read_by_its_rows() -> None:
    """As the parser joins the number of an item to the end of the line above it."""
    upper, lower = letters("דבא .1"), letters("זהג .2", top=11)
    joined = cell([*upper, *lower[4:]])
    found, _ = with_lines_from_right([joined, cell(lower[:3])], [], [*upper, *lower], ten_points)
    texts = [part.text for part in sorted(found, key=lambda part: part.box.top)]
    assert texts == ["1. אבד", "2. גהז"]


def test_a_low_mark_does_not_part_its_line_from_the_letters_beside_it() -> None:
    seen = letters("בגד")
    mark = Word(Rect(11, -0.5, 11, 2), "\u05b8", "F")
    low = Word(Rect(15, 3.5, 20, 8), "י", "F")
    parts = [cell([mark]), cell([low]), cell(seen)]
    found, _ = with_lines_from_right(parts, [], [*seen, mark, low], ten_points)
    assert [part.text for part in found] == ["יד\u05b8גב"]


def test_a_wrong_letter_does_not_turn_a_line_from_the_left() -> None:
    for wrong in ("\u08cc", "\u08a0", "\u064f"):
        text = f"La situa{wrong}on en France"
        assert read(letters(text)) == [text]


def test_numbers_alone_go_as_the_page_does() -> None:
    assert read(letters("ןושאר ףיעס"), letters("18 - 12", PITCH))[1] == "12 - 18"
    assert read(letters("a page of words"), letters("18 - 12", PITCH))[1] == "18 - 12"


def test_quotation_marks_open_and_close() -> None:
    assert read(letters("in “בתכמ“ he says so")) == ["in “מכתב” he says so"]


@pytest.mark.parametrize(
    ("shaped", "text"),
    [("\ufee3\ufeae\ufe9f\ufeca", "مرجع"), ("\ufefb", "لا"), ("\ufb2a\ufb4b", "ש\u05c1ו\u05b9")],
)
def test_letters_by_their_shape_are_letters(shaped: str, text: str) -> None:
    assert normalised(shaped) == text


def test_a_letter_with_its_marks_that_each_of_their_glyphs_has_as_code_is_read_once() -> None:
    """As Typst prints it: the glyph of the mark first, which has no width."""
    flat, wide = (Word(Rect(16, 0, 16 + width, 10), "ך\u05b0", "F") for width in (0, 5))
    assert read([*letters("ברא"), flat, wide]) == ["ך\u05b0ארב"]
    for before in (0, 0.3):
        hamza = Word(Rect(15 - before, 0, 15 - before, 10), "أ", "F")
        alef = Word(Rect(15, 0, 17, 10), "أ", "F")
        assert read([*letters("لام"), hamza, alef]) == ["أمال"]


def test_a_letter_whose_glyph_has_the_code_of_its_mark_is_found_by_a_flat_one_far_before_it() -> (
    None
):
    flat, letter = Word(Rect(17, 0, 17, 10), "י", "F"), Word(Rect(22, 0, 27, 10), "\u05b0", "F")
    wide = Word(Rect(15, 0, 22, 10), "ב", "F")
    assert read([*letters("ברא"), wide, flat, letter]) == ["י\u05b0בארב"]


def test_codes_that_a_letter_and_two_marks_have_of_each_other_are_set_right() -> None:
    marks = [Word(Rect(17, 0, 17, 10), code, "F") for code in ("ل", "\u0651")]
    letter = Word(Rect(15, 0, 21, 10), "\u0670", "F")
    assert read([*letters("ولب"), *marks, letter]) == ["ل\u0651\u0670بلو"]


def test_a_space_under_the_arm_of_a_letter_parts_words() -> None:
    kaf, space, teh = (
        Word(Rect(*sides), text, "F")
        for sides, text in (
            ((15, 0, 22.2, 10), "ك"),
            ((19.5, 0, 22.7, 10), " "),
            ((22.7, 0, 26, 10), "ة"),
        )
    )
    line = [*letters("ريب"), kaf, space, teh, Word(Rect(26, 0, 30, 10), "ح", "F")]
    assert read(line) == ["حة كبير"]


def test_strokes_that_lengthen_a_line_of_arabic_are_no_letters() -> None:
    """As a word processor draws them in justified lines, without a code."""
    stroke, second = (Word(Rect(at, 9.2, at + 2.4, 10), "\ufffd", "F") for at in (5.0, 7.4))
    last = Word(Rect(9.8, 0, 14.8, 10), "ك", "F")
    assert read([Word(Rect(0, 0, 5, 10), "ب", "F"), stroke, second, last]) == ["كب"]
    letter = Word(Rect(10, 0, 15, 10), "\ufffd", "F")
    assert read([*letters("بر"), letter]) == ["\ufffdرب"]


@pytest.mark.parametrize(("top", "text"), [(9.0, "كبرب"), (7.5, "كب\ufffdرب")])
def test_a_stroke_that_is_hardly_wider_than_high_is_none_and_a_tooth_is_a_letter(
    top: float, text: str
) -> None:
    """Their boxes are their ink."""
    stroke = Word(Rect(10, top, 11.1, 10), "\ufffd", "F")
    assert read([*letters("بر"), stroke, *letters("بك", left=11)]) == [text]


@pytest.mark.parametrize(
    ("drawn", "text"),
    [
        ("المادةـ", "المادة"),
        ("ويجبـ", "ويجب"),
        ("اـلمساواة", "المساواة"),
        ("تـنمية", "تنمية"),
        ("هـ\u0670ذا", "ه\u0670ذا"),
        ("1445هـ", "1445هـ"),
        ("والـ", "والـ"),
        ("وبالـ", "وبالـ"),
        ("ـها", "ـها"),
        ("ـ", "ـ"),
        ("ال\u0654ولى", "ال\u0654ولى"),
        ("ال\u0654اولى", "الأولى"),
        ("لل\u0653اباء", "للآباء"),
        ("ال\u0653م", "ال\u0653م"),
        ("إلا\u0651", "إل\u0651ا"),
        ("إ\ufefb\u064e\u0651", "إل\u064e\u0651ا"),
    ],
)
def test_a_word_is_read_without_the_strokes_that_stretch_it(drawn: str, text: str) -> None:
    assert as_written(drawn) == text


def test_a_letter_at_the_place_of_its_mark_belongs_to_the_line_that_it_parts() -> None:
    """As a word processor has it: the glyph of the letter without a code, the mark's with both."""
    left, right = letters("םול"), letters("דומיל", left=22)
    mark = Word(Rect(18, 9.5, 18, 11), "ש\u05b8", "F")
    parts = [cell(left), cell([mark]), cell(right)]
    found, _ = with_lines_from_right(parts, [], [*left, mark, *right], ten_points)
    assert "".join(found[0].text.split()) == "לימודש\u05b8לום"


def test_a_percentage_keeps_the_gap_to_the_word_before_it() -> None:
    number, word = letters("97%", left=0), letters("לעמ", left=17.5)
    assert read([*number, *word, *letters(" אב ג", left=32.5)])[0].endswith("מעל 97%")


def test_quotation_marks_that_are_both_mirrored_open_and_close() -> None:
    assert read(letters("ראב ”Word” הז")) == ["זה “Word” באר"]
    assert read(letters("ל”הצ לש ל”הצ")) == ["צה”ל של צה”ל"]


def test_strokes_that_overlap_lengthen_a_letter_too() -> None:
    strokes = [Word(Rect(at, 9.2, at + 4.3, 10), "\ufffd", "F") for at in (5.0, 7.4, 9.5)]
    last = Word(Rect(13.8, 6, 18.8, 10), "ق", "F")
    assert read([Word(Rect(0, 5, 5, 10), "ع", "F"), *strokes, last]) == ["قع"]


def test_strokes_before_a_letter_whose_mark_is_drawn_behind_them_part_no_word() -> None:
    """As a word processor draws them: too far behind the letter before, under the one behind."""
    first, last = Word(Rect(0, 5, 5, 10), "ا", "F"), Word(Rect(9, 0, 15, 10), "ط", "F")
    strokes = [Word(Rect(at, 9.2, at + 2, 10), "\ufffd", "F") for at in (6.2, 8.2, 10.2)]
    mark = Word(Rect(12, 0, 12, 2), "\u064b", "F")
    drawn = [first, *strokes, mark, last]
    assert read(drawn) == ["ط\u064bا"]
    kept, drawn_out = without_strokes(drawn)
    assert [letter.text for letter in kept] == ["ا", "\u064b", "ط"]
    assert [(letter.text, letter.box.left, letter.box.right) for letter in drawn_out] == [
        ("ط", 6.2, 15.0)
    ]


def test_a_word_that_is_stretched_over_its_line_is_one() -> None:
    """The parser has parts on both sides of the strokes, and none of them."""
    left, right = letters("ناو"), letters("نعلا", left=95)
    strokes = [Word(Rect(at, 9.2, at + 4, 10), "\ufffd", "F") for at in range(15, 95, 4)]
    drawn, drawn_out = without_strokes([*left, *strokes, *right])
    parts = [cell(left), cell(right), *(cell([letter]) for letter in drawn_out)]
    found, _ = with_lines_from_right(parts, [], drawn, ten_points)
    assert [part.text for part in found] == ["العنوان"]


def test_a_letter_lower_than_the_one_that_has_a_mark_keeps_its_place() -> None:
    """As in a ligature whose first letter stands above the second."""
    low, high = Word(Rect(10, 7, 11, 10), "ح", "F"), Word(Rect(11, 1, 18, 12), "ي", "F")
    mark = Word(Rect(12, -3, 12, 0), "\u064f", "F")
    assert read([*letters("مر"), low, mark, high]) == ["ي\u064fحرم"]


def test_a_short_line_with_a_drawn_space_has_no_others_where_its_page_draws_them() -> None:
    page = letters("هملك ىلع هملك نم هملك يف هملك نع هملك")
    line = [
        *letters("ني", 20),
        *letters("روطملا ةخسن", 20, left=12),
    ]
    assert read(page, line)[1] == "نسخة المطورين"


def test_a_letter_that_stands_low_is_in_its_row_though_others_are_one_letter_alone() -> None:
    """The boxes are those of the ink; the parser has many an alef as a part of its own."""
    alefs = [Word(Rect(at, top, at + 2, top + 6), "ا", "F") for top in (40, 80) for at in (0, 20)]
    inked = [
        glyph._replace(box=glyph.box._replace(top=1.0 + at, bottom=7.0))
        for at, glyph in enumerate(letters("مرك"))
    ]
    low = Word(Rect(15, 4.5, 20, 11), "ح", "F")
    others = letters("ملس", left=20)
    parts = [cell(inked), cell([low]), cell(others), *(cell([alef]) for alef in alefs)]
    drawn = [*inked, low, *others, *alefs]
    found, _ = with_lines_from_right(parts, [], drawn, ten_points)
    assert min(found, key=lambda part: part.box.top).text == "سلمحكرم"


def test_marks_whose_codes_a_letter_and_two_marks_share_stay_with_their_letter() -> None:
    """As a browser prints them: before the letter, each with the code of another one."""
    drawn = [
        Word(Rect(*sides), code, "F")
        for code, sides in (
            ("ي", (19.7, 1, 19.7, 11)),
            ("\u064e", (20, 2, 20, 12)),
            ("\u0651", (20.3, 0, 23.6, 10)),
            ("ب", (23.8, 0, 23.8, 10)),
            ("\u0650", (23.6, 0, 26.6, 10)),
        )
    ]
    assert [*map(normalised, read([*letters("ملعو"), *drawn]))] == ["ب\u0650ي\u064e\u0651وعلم"]


def test_a_letter_with_the_code_of_the_mark_at_its_place_stands_before_it() -> None:
    alef = Word(Rect(0, 0, 5, 10), "ا", "F")
    flat, lam = Word(Rect(5, 0, 5, 10), "ل", "F"), Word(Rect(5, 0, 10, 10), "\u064e", "F")
    assert read([alef, flat, lam]) == ["ل\u064eا"]


def test_a_letter_drawn_in_the_width_of_a_ligature_leaves_no_gap() -> None:
    ligature, lam = Word(Rect(5, 0, 10, 10), "أ", "F"), Word(Rect(6, 1, 6, 3), "ل", "F")
    line = [Word(Rect(0, 0, 5, 10), "م", "F"), lam, ligature, Word(Rect(10, 0, 12, 10), "ا", "F")]
    assert read(line) == ["الأم"]


def test_a_letter_drawn_as_its_mark_alone_belongs_to_the_line_it_begins() -> None:
    """As alef with its hamza is in some fonts: the one without a code, the other with both."""
    hamza = [Word(Rect(16.2, top - 4, 16.2, top - 3), "أ", "F") for top in (0.0, 14.0)]
    lines = [[*letters("برح", top), mark] for top, mark in zip((0.0, 14.0), hamza)]
    parts = [part for line in lines for part in (cell(line[:3]), cell(line[3:]))]
    drawn = [glyph for line in lines for glyph in line]
    found, words = with_lines_from_right(parts, drawn, drawn, ten_points)
    assert [part.text for part in found] == ["أحرب", "أحرب"]
    assert [word.text for word in words] == ["أحرب", "أحرب"]


def test_a_space_before_a_kaf_is_narrow_as_its_arm_reaches_over_it() -> None:
    narrow = [*letters("باتک"), *letters("هنابات", left=20.5), *letters("مه", left=53.0)]
    assert read(narrow) == ["هم تابانه کتاب"]
    joined = [*letters("باتک"), *letters("ربارب", left=20.5), *letters("مه", left=48.0)]
    assert read(joined) == ["هم برابرکتاب"]  # as `ر` is not joined, the gap tells nothing


def test_spaces_are_thin_where_letters_touch_each_other() -> None:
    """As TeX sets them, which draws no spaces."""
    first = letters("ةسردملا")
    second = letters("يف", left=36.1)
    third = letters("ملعملا", left=47.2)
    assert read([*first, *second, *third]) == ["المعلم في المدرسة"]
    apart = [
        letters("ةسردملا"),
        letters("يف", left=38),
        letters("مل", left=51),
        letters("عملا", left=61.6),
    ]
    assert read([glyph for part in apart for glyph in part]) == ["المعلم في المدرسة"]


def test_a_space_before_a_reh_is_thinner_than_others() -> None:
    def line(last: str) -> list[Word]:
        parts = [letters(last)]
        for word, space in (("ةظحم", 1.45), ("يف", 2.7), ("ملعلا", 2.7)):
            parts.append(letters(word, left=parts[-1][-1].box.right + space))
        return [glyph for part in parts for glyph in part]

    assert read(line("سيئر")) == ["العلم في محظة رئيس"]
    assert read(line("سيئب")) == ["العلم في محظةبئيس"]


@pytest.mark.parametrize("space", [0.5, 1.5])
def test_spaces_are_thinner_still_in_a_line_that_is_set_tight(space: float) -> None:
    """Some letters reach over those beside them, as where pairs are kerned."""
    line: list[Word] = []
    for word in ("בר", "שיא", "ול", "דחא", "אב"):
        line += letters(word, left=line[-1].box.right + space if line else 0.0)
        if len(word) == 3:
            line[-1] = line[-1]._replace(box=line[-1].box._replace(left=line[-1].box.left - 0.5))
    assert read(line) == ["בא אחד לו איש רב"]


@pytest.mark.parametrize("drawn_from_right", [False, True])
def test_a_mark_is_on_the_letter_that_it_is_drawn_behind(drawn_from_right: bool) -> None:
    """It may stand over the next one, as LuaTeX places vowel signs."""
    line = letters("وه ناك")
    for place in (5, 4, 3):
        left = line[place].box.left - 1.5
        line.insert(place, Word(Rect(left, 0, left, 10), "\u064e", "F"))
    assert read(line[::-1] if drawn_from_right else line) == ["كَاَنَ هو"]


def test_a_gap_beside_a_letter_without_a_width_parts_no_words_where_spaces_do() -> None:
    """As browsers print Nastaliq: the letter's width is that of a glyph without a code."""
    flat = Word(Rect(15, 0, 15, 10), "س", "F")
    line = [*letters("ب ا"), flat, *letters("ناس ر", left=24)]
    assert read(line) == ["ر سانسا ب"]


def test_a_space_in_the_middle_of_a_line_does_not_give_its_size() -> None:
    """Its box may have no height, and nothing is found there."""
    space = Word(Rect(5, 10, 8, 10), " ", "F")
    line = [Word(Rect(0, 4, 5, 10), "ב", "F"), space, Word(Rect(8, 4, 13, 10), "ג", "F")]
    assert font_size(line, lambda glyph: None if glyph.text == " " else 10.0) == 10.0


def test_letters_that_reach_over_each_other_follow_as_they_are_drawn() -> None:
    line = letters("فالخ دعب")
    lam = line[2]
    line[2] = lam._replace(box=lam.box._replace(left=line[1].box.left - 0.5))
    assert read(line) == ["بعد خلاف"]


def test_the_letters_of_an_address_do_not_hide_that_spaces_are_drawn() -> None:
    """A gap within a word stays one: spaces are wider where they are drawn."""
    first, last = letters("دي"), letters("زملل https://example.org/water-and-land", left=11.6)
    assert "للمزيد" in read([*first, *last])[0]


def test_a_number_and_its_unit_alone_go_as_the_page_does() -> None:
    assert read(letters("ןושאר ףיעס"), letters("km 571", PITCH))[1] == "571 km"
    assert read(letters("a page of words"), letters("m 571", PITCH))[1] == "m 571"


def test_a_word_alone_is_not_parted_at_a_gap_where_the_page_has_drawn_spaces() -> None:
    first, last = letters("המ"), letters("דוק", left=12)
    assert read([*first, *last]) == ["קוד מה"]
    assert read([*first, *last], letters("ינש רוט לש הרוש", PITCH))[0] == "קודמה"


def test_an_empty_glyph_in_a_ligature_stands_behind_the_letter_that_draws_both() -> None:
    """As a word processor sets it, a tenth of a point off."""
    seen = letters("ةدع ")
    flat, wide = Word(Rect(20.1, 0, 20.1, 10), "ا", "F"), Word(Rect(20, 0, 26, 10), "ل", "F")
    assert read([*seen, flat, wide]) == ["لا عدة"]


def test_a_space_under_a_kaf_fills_the_gap_up_to_a_letter_that_stands_apart() -> None:
    boxes = (("ی", 0, 5), ("ک", 5, 11), (" ", 8, 11.5), ("ہ", 12.6, 18))
    assert read([Word(Rect(left, 0, right, 10), text, "F") for text, left, right in boxes]) == [
        "ہ کی"
    ]


def test_a_gap_beside_a_maqaf_parts_no_words_where_spaces_are_drawn() -> None:
    number, rest = letters("1996"), letters("־ב הדבעמב רקיב ימואל יול", left=21.7)
    assert read([*number, *rest]) == ["לוי לאומי ביקר במעבדה ב־1996"]


def test_parts_whose_boxes_are_their_ink_are_one_row_though_a_mark_stands_highest() -> None:
    """As a word processor prints Arabic with its vowels."""
    inks = [
        ("ل", 83.6, 90.2, 59.1, 68.1),
        ("ز", 90.2, 93.5, 61.9, 69.6),
        ("ن", 93.5, 96.1, 61.6, 66.7),
        ("و", 96.1, 100.5, 64.2, 69.9),
        ("\u064f", 102.4, 102.4, 59.8, 63.2),
        ("ء", 102.4, 106.0, 63.2, 67.1),
        ("ا", 106.0, 110.6, 59.4, 67.4),
        ("ج", 110.6, 117.0, 64.3, 72.7),
    ]
    marks = [("\u064e", x, x, 56.0, 58.2) for x in (85.0, 89.0, 91.8, 95.5, 99.0, 108.5, 113.0)]
    row = [Word(Rect(x, top, end, low), text, "F") for text, x, end, top, low in [*inks, *marks]]
    found, _ = with_lines_from_right([cell([glyph]) for glyph in row], [], row, ten_points)
    bare = ["".join(c for c in part.text if c.isalpha()) for part in found]
    assert [text for text in bare if text] == ["جاءونزل"]


def test_a_letter_whose_part_is_its_raised_mark_stands_in_the_line_of_its_box() -> None:
    seen = letters("هتسه")
    whole = Word(Rect(21, 0, 25, 10), "آ", "F")
    mark = Word(Rect(20.5, -13, 20.5, -3), "آ", "F")
    found, _ = with_lines_from_right([cell(seen), cell([mark])], [], [*seen, whole], ten_points)
    assert [part.text for part in found] == ["آهسته"]


def test_a_mark_drawn_before_a_low_letter_may_begin_as_far_before_it_as_before_a_high_one() -> None:
    line = [
        Word(Rect(0, 0, 5, 10), "ر", "F"),
        Word(Rect(5, -3, 5, -1), "\u064e", "F"),
        Word(Rect(5, 0, 10, 10), "ط", "F"),
        Word(Rect(8, -3, 8, -1), "\u064e", "F"),
        Word(Rect(10, 8, 12, 10), "م", "F"),
        Word(Rect(12, 0, 15, 10), "ل", "F"),
        Word(Rect(15, 0, 17, 10), "ا", "F"),
    ]
    assert read(line) == ["الم\u064eط\u064eر"]


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        (".info@example.net", "info@example.net."),
        (".Berlin Kafka", "Berlin Kafka."),
        (".NET Framework", ".NET Framework"),
    ],
)
def test_an_address_or_name_that_ends_a_sentence_alone_is_read_before_its_stop(
    seen: str, text: str
) -> None:
    assert read(letters("ינשה ףיעסה לש ןושארה טפשמה"), letters(seen, PITCH))[1] == text


def test_parts_of_a_line_are_as_far_apart_as_its_font_is_high_not_its_boxes() -> None:
    """Some fonts declare half the height of their letters."""
    row = [glyph._replace(box=glyph.box._replace(top=5)) for glyph in letters("ינש רוט")]
    parts = [cell(row[:3]), cell(row[4:])]
    found, _ = with_lines_from_right(parts, [], row, ten_points)
    assert [part.text for part in found] == ["טור שני"]


def test_the_raised_number_of_a_note_is_no_part_of_the_number_that_its_sentence_ends_with() -> None:
    """As a word processor prints it, whose boxes are those of the ink."""
    line = [
        glyph._replace(box=glyph.box._replace(top=glyph.box.top + at % 4))
        for at, glyph in enumerate(letters("4.14/4/2022 ךיראת", top=10))
    ]
    note = line[0]._replace(box=Rect(0, 7, 5, 12))
    parts = [cell([note]), *(cell([glyph]) for glyph in line[1:] if glyph.text != " ")]
    found, _ = with_lines_from_right(parts, [], [note, *line[1:]], ten_points)
    assert [part.text for part in found] == ["תאריך 14/4/2022.4"]


def test_a_raised_number_may_be_as_high_as_the_digits_of_arabic_behind_its_stop() -> None:
    digits = [
        glyph._replace(box=glyph.box._replace(top=16)) for glyph in letters(".٢١ ةنسل", 10, left=5)
    ]
    note = Word(Rect(0, 12, 5, 16), "1", "F")
    found, _ = with_lines_from_right([cell([note, *digits])], [], [note, *digits], ten_points)
    assert [part.text for part in found] == ["لسنة ٢١.1"]


def test_the_raised_number_that_begins_a_footnote_of_latin_words_stays_before_them() -> None:
    note, rest = Word(Rect(0, PITCH - 2, 5, PITCH + 5), "۹", "F"), letters("GUI", PITCH, left=5)
    assert read(letters("ינשה ףיעסה לש ןושארה טפשמה ךיראת"), [note, *rest])[1] == "۹GUI"


def test_numbers_of_sections_begin_with_the_chapter_that_they_share() -> None:
    first, second = letters("ناونع ۳-۴"), letters("رگید ۱-۵-۴", PITCH)
    assert read(first, second) == ["۴-۳ عنوان", "۴-۵-۱ دیگر"]
    assert read(letters("ناونع ۵-۴"))[0] == "۵-۴ عنوان"  # either way, alone


def test_letters_of_a_typewriter_are_no_words_where_those_from_the_right_touch() -> None:
    row = [
        glyph._replace(box=glyph.box._replace(right=glyph.box.right - 1.1))
        if glyph.text.isascii() and glyph.text != " "
        else glyph
        for glyph in letters("item ایناث یاهمهم", spaces=False)
    ]
    assert read(row) == ["مهمهای ثانیا item"]


def test_a_mark_between_lines_set_tight_is_in_the_line_of_the_letters_it_is_level_with() -> None:
    lines = [letters(seen, top=7 * at) for at, seen in enumerate(("ملع باب", "لمع راد", "رحب دلو"))]
    # as high as their letters, and a little higher up
    vowels = [Word(Rect(x, top, x, top + 10), "\u0650", "F") for x, top in ((22, 6), (12, 13))]
    cells = [cell(line) for line in [*lines, *([vowel] for vowel in vowels)]]
    found, _ = with_lines_from_right(
        cells, [], [glyph for line in [*lines, vowels] for glyph in line], ten_points
    )
    read = [part.text for part in sorted(found, key=lambda part: part.box.top)]
    assert read == ["باب علم", "دارِ عمل", "ولد بِحر"]


def test_lines_of_a_column_that_is_set_tighter_are_none_with_the_higher_one_beside_them() -> None:
    high = [g._replace(box=g.box._replace(bottom=22)) for g in letters("רהנ ראב", top=2)]
    first, second = letters("upper line", left=40), letters("lower line", top=12, left=40)
    found, _ = with_lines_from_right(
        [cell(part) for part in (high, first, second)], [], [*high, *first, *second], ten_points
    )
    assert sorted(part.text for part in found) == ["lower line", "upper line", "באר נהר"]


def test_words_that_wide_spaces_part_are_a_line_where_it_ends_as_the_next_one_does() -> None:
    words = letters("תבותכב", left=0), letters("םינימז", left=60), letters("םינותנה", left=115)
    full = letters("ןיב רשקה .הנשה ףוס דע תרשל", PITCH)
    stretched = [glyph for word in words for glyph in word]

    def parts(below: list[Word]) -> list[str]:
        cells = [*map(cell, words), cell(below)]
        found, _ = with_lines_from_right(cells, [], [*stretched, *below], ten_points)
        return [part.text for part in found if part.box.top < PITCH]

    below = [g._replace(box=Rect(g.box.left * 1.154, PITCH, 0, PITCH + 10)) for g in full]
    below = [g._replace(box=g.box._replace(right=g.box.left + 5.77)) for g in below]
    assert parts(below) == ["הנתונים זמינים בכתובת"]
    assert sorted(parts(below[:20])) == ["בכתובת", "הנתונים", "זמינים"]


def test_columns_are_farther_apart_than_spaces_where_boxes_are_twice_as_high_as_the_font() -> None:
    def high(seen: str, left: float) -> list[Word]:
        return [g._replace(box=g.box._replace(bottom=22)) for g in letters(seen, left=left)]

    left, right = high("ןושאר רוט", 0), high("ינש רוט", 62)
    assert [part.text for part in sorted_parts(left, right)] == ["טור ראשון", "טור שני"]


def test_columns_are_closer_than_a_wide_space_where_the_gap_goes_on() -> None:
    rows = [
        (letters("שש רהנ אבה םוקמבו", PITCH * at), letters("עבש רוט אוה הז רשאכ", PITCH * at, 93))
        for at in range(6)
    ]
    assert read(*map(sum_of, rows[:1])) == ["כאשר זה הוא טור שבע ובמקום הבא נהר שש"]
    cells = [cell(part) for row in rows for part in row]
    glyphs = [glyph for row in rows for part in row for glyph in part]
    found, _ = with_lines_from_right(cells, [], glyphs, ten_points)
    read_parts = [part.text for part in found]
    assert len(read_parts) == 12
    assert {*read_parts} == {"ובמקום הבא נהר שש", "כאשר זה הוא טור שבע"}


def sum_of(row: tuple[list[Word], list[Word]]) -> list[Word]:
    return [*row[0], *row[1]]


def test_words_of_lines_that_are_both_stretched_end_where_the_third_one_does() -> None:
    def stretched(top: float) -> list[list[Word]]:
        words = ("תבותכב", 0), ("םינימז", 60), ("םינותנה", 115)
        return [[glyph] for word, left in words for glyph in letters(word, top, left)]

    full = letters("ןיב רשקה .הנשה ףוס דע תרשלאבהה", 2 * PITCH)
    parts = [*stretched(0), *stretched(PITCH), full]
    glyphs = [glyph for part in parts for glyph in part]
    found, _ = with_lines_from_right([*map(cell, parts)], [], glyphs, ten_points)
    assert [part.text for part in found][:2] == ["הנתונים זמינים בכתובת"] * 2


def sorted_parts(*lines: list[Word]) -> list[Cell]:
    cells = [*map(cell, lines)]
    found, _ = with_lines_from_right(cells, [], [g for line in lines for g in line], ten_points)
    return sorted(found, key=lambda part: part.box.left)


def test_the_number_of_a_note_above_low_letters_is_in_their_line() -> None:
    """As browsers print it: the boxes are those of the ink."""
    line = [g._replace(box=g.box._replace(top=5.0 + i % 4)) for i, g in enumerate(letters("ךרואל"))]
    note = Word(Rect(27, 0.8, 32, 4.8), "2", "F")
    assert [part.text for part in sorted_parts(line, [note])] == ["2 לאורך"]


def test_a_number_that_is_drawn_over_the_space_before_it_is_a_word_of_its_own() -> None:
    row = letters("12 הרדק")
    over = row[1]._replace(box=row[1].box._replace(right=15.1))
    assert read([row[0], over, *row[2:]]) == ["קדרה 12"]


def test_a_soft_hyphen_with_a_width_is_a_hyphen_that_is_seen() -> None:
    assert read(letters("83%\u00adכ ובישה")) == ["השיבו כ-83%"]


def glyphs_of(*drawn: tuple[str, float, float]) -> list[Word]:
    """Each with its text, where it begins and how wide it is, in the order of drawing."""
    return [Word(Rect(left, 0, left + width, 10), text, "F") for text, left, width in drawn]


def texts(letters: Sequence[Word]) -> list[str]:
    return [letter.text for letter in letters]


def test_a_letter_without_a_code_is_the_one_whose_mark_has_it_wherever_it_stands() -> None:
    """An alef and its hamza as WeasyPrint codes them, and the alef alone."""
    drawn = glyphs_of(("أ", 1, 0), ("", 0, 2), ("ب", 2, 6), ("", 8, 2), ("د", 10, 4))
    assert texts(with_own_codes(drawn)) == ["\u0654", "ا", "ب", "ا", "د"]
    assert texts(with_own_codes(drawn[2:])) == ["ب", "", "د"]  # nothing shows what it is


def test_a_letter_without_a_code_that_nothing_shows_is_unread_beside_one_that_is_shown() -> None:
    drawn = glyphs_of(("أ", 1, 0), ("", 0, 2), ("", 2, 7), ("د", 9, 4))
    assert texts(with_own_codes(drawn)) == ["\u0654", "ا", "\ufffd", "د"]
    marked = glyphs_of(("\u064f", 1, 0), ("", 0, 2), ("د", 2, 4))
    assert texts(with_own_codes(marked)) == ["\u064f", "\ufffd", "د"]


def test_a_letter_without_a_code_whose_box_has_no_height_stays_one() -> None:
    flat = Word(Rect(0, 5, 2, 5), "", "F")
    drawn = [*glyphs_of(("أ", 1, 0)), flat, *glyphs_of(("أ", 11, 0), ("", 10, 2)), flat]
    assert texts(with_own_codes(drawn)) == ["أ", "", "\u0654", "ا", ""]


def test_a_mark_with_the_code_of_another_letter_too_is_the_mark_alone() -> None:
    drawn = glyphs_of(("لا\u0651", 1, 0), ("د", 0, 5), ("أ", 6, 0), ("أ", 5, 2))
    assert texts(with_own_codes(drawn)) == ["\u0651", "د", "أ", "أ"]
    in_lam = glyphs_of(("أ", 6, 0), ("ل", 5, 4))  # an alef that is drawn as part of the lam
    assert texts(with_own_codes(in_lam)) == ["أ", "ل"]
