"""Display formulas, which a parser has in pieces."""

from __future__ import annotations

from dataclasses import replace

from citeloom_pdf.blocks.formulas import are_in_rows, find_formulas, parts_with_limits
from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import NO_FORMULAS, FormulaPlaces, Line, PageContent
from tests.unit.citeloom_pdf.pages import SENTENCE, line, style

MATH = style(math=1.0)


def italic(text: str, left: float, top: float, width: float = 0.0) -> Line:
    """A line whose letters are in the italics of the text, as in Times."""
    upright = line(text, left, top, width, style(italic=0.5))
    words = tuple(
        word._replace(font="Serif-Italic") if any(map(str.isalpha, word.text)) else word
        for word in upright.words
    )
    return replace(upright, words=words)


def sign(text: str, left: float, top: float, width: float = 0.0, size: float = 10.0) -> Line:
    return line(text, left, top, width, style(size, math=1.0))


def formulas(*parts: Line) -> list[str]:
    """The text of each formula, from top to bottom and left to right."""
    found = find_formulas(parts, parts)
    placed = sorted(found, key=lambda one: (one[0].box.top, one[0].box.left))
    return [" ".join(part.text for part in one) for one in placed]


ABOVE = line(SENTENCE, 50, 60, 240)
BELOW = line(SENTENCE, 50, 160, 240)


def test_limits_and_numbers_belong_to_their_formula() -> None:
    total, limit = sign("a = ∑ b", 120, 100, 60, 14), sign("i=1", 150, 116, 10, 6)
    assert formulas(ABOVE, total, limit, line("(3)", 276, 104, 14), BELOW) == ["a = ∑ b i=1 (3)"]


def test_a_fraction_is_read_in_the_order_of_the_page() -> None:
    parts = (
        line("E =", 120, 104, 20),
        line("(x - y)", 144, 96, 40),
        line("2", 162, 112, 5),
        line("(16.153)", 250, 104, 40),
    )
    assert formulas(ABOVE, *parts, BELOW) == ["E = (x - y) 2 (16.153)"]


def test_rows_of_a_matrix_are_one_formula() -> None:
    rows = [sign(text, 140, 100 + 14 * at, 30) for at, text in enumerate(["a b", "c d", "e f"])]
    assert formulas(ABOVE, sign("A =", 115, 114, 18), *rows, BELOW) == ["A = a b c d e f"]


def test_words_within_a_formula_are_a_part_of_it() -> None:
    cases = (sign("x", 150, 100), line("for activities of the first kind", 170, 100, 110))
    others = (sign("-x", 150, 114), line("otherwise", 170, 114))
    assert formulas(ABOVE, sign("f =", 125, 107, 18), *cases, *others, BELOW) == [
        "f = x for activities of the first kind -x otherwise"
    ]


def test_a_number_belongs_to_the_formula_of_its_column() -> None:
    left, right = sign("a = b", 120, 100, 60), sign("c = d", 380, 100, 60)
    columns = (ABOVE, line(SENTENCE, 310, 60, 240))
    assert formulas(*columns, left, line("(3)", 276, 100, 14), right) == ["a = b (3)", "c = d"]


def test_formulas_of_two_columns_stay_apart() -> None:
    left, right = sign("a = b + c + d", 120, 100, 160), sign("e = f", 310, 100, 60)
    assert formulas(ABOVE, line(SENTENCE, 310, 60, 240), left, right) == ["a = b + c + d", "e = f"]


def test_equations_with_numbers_of_their_own_stay_apart() -> None:
    first, second = sign("f(u) = u", 120, 100, 80), sign("g(u) = p", 120, 118, 80)
    numbers = (line("(1)", 276, 100, 14), line("(2)", 276, 118, 14))
    assert formulas(ABOVE, first, numbers[0], second, numbers[1]) == [
        "f(u) = u (1)",
        "g(u) = p (2)",
    ]


def test_signs_in_a_line_of_prose_are_no_formula() -> None:
    torn = line("gravel moves when the stress", 50, 100, 140)
    assert (
        formulas(ABOVE, torn, sign("x + y", 195, 100, 30), line("exceeds it there", 230, 100)) == []
    )


def test_the_last_line_of_a_paragraph_is_none() -> None:
    assert formulas(ABOVE, sign("x = y + z.", 50, 72, 50), BELOW) == []


def test_words_that_are_written_without_spaces_are_none() -> None:
    text = line("砾石在床面应力超过临界值时开始运动并向下游移动", 50, 74, 240)
    assert formulas(text, sign("a = b", 120, 100, 60)) == ["a = b"]


def test_a_number_without_a_formula_stays() -> None:
    assert formulas(line("(3)", 280, 106, 14)) == []


def test_the_cases_of_a_function_are_one_formula_with_few_letters_of_mathematics() -> None:
    cases = (sign("{1 if n > 0,", 150, 98), line("0 otherwise.", 156, 112))
    head = line("f (n) =", 112, 105, 34)
    assert formulas(ABOVE, head, *cases, BELOW) == ["f (n) = {1 if n > 0, 0 otherwise."]
    upright = (sign("{1 if n > 0", 150, 98), sign("0 otherwise", 156, 112))
    assert formulas(ABOVE, *upright, BELOW) == ["{1 if n > 0 0 otherwise"]


def test_rows_behind_a_bracket_are_a_formula_whatever_they_are_set_in() -> None:
    name = line("answer =", 120, 104, 40, style(mono=0.9))
    first = line("{ choices : ciphertext", 164, 96, 116)
    opened = replace(first, words=(first.words[0]._replace(font="CMEX10"), *first.words[1:]))
    rows = (name, opened, line("proof : proof", 184, 109, 60))
    assert formulas(ABOVE, *rows, BELOW) == ["answer = { choices : ciphertext proof : proof"]
    assert formulas(ABOVE, name, first, rows[2], BELOW) == []


def test_equations_with_few_letters_of_mathematics_are_one_formula() -> None:
    look = style(math=0.3)
    rows = [
        line(text, 140, 100 + 15 * at, 55, look)
        for at, text in enumerate(("w + 2y = 3", "4w - y = 6"))
    ]
    assert formulas(ABOVE, *rows, BELOW) == ["w + 2y = 3 4w - y = 6"]
    plain = [line(text, 140, 100 + 15 * at, 55) for at, text in enumerate(("n = 3", "p = 6"))]
    assert formulas(ABOVE, *plain, BELOW) == []


def test_limits_below_and_above_a_sign_are_written_behind_it() -> None:
    total, limit = sign("n∑", 150, 96, 15), sign("k=1", 150, 116, 15, 7)
    assert parts_with_limits([total, limit, sign("dk", 168, 104)]) == ["∑ₖ₌₁ⁿ", "dk"]
    name, below = line("max", 150, 104, 20), sign("x∈X", 150, 114, 20, 7)
    assert parts_with_limits([name, below, sign("f(x)", 172, 104)]) == ["max_(x∈X)", "f(x)"]
    wide = sign("a = b∑", 100, 100, 60)
    assert parts_with_limits([wide, sign("i", 150, 112, 4, 7)]) == ["a = b∑ᵢ"]


def test_the_limits_of_an_integral_stand_beside_its_sign() -> None:
    def read(text: str, *, small: bool = True) -> list[str]:
        upper = sign(text, 150, 100, 20)
        last = upper.words[-1]
        if small:
            upper = replace(
                upper,
                words=(*upper.words[:-1], last._replace(box=last.box._replace(bottom=106.0))),
            )
        return parts_with_limits([upper, sign("0", 160, 112, 4, 7), sign("dx", 172, 104)])

    assert read("∫ ∞") == ["∫₀^∞", "dx"]
    assert read("∫^∞") == ["∫₀^∞", "dx"]
    assert read("= ∫^(2p)") == ["= ∫₀^(2p)", "dx"]
    assert read("∫²") == ["∫₀²", "dx"]
    assert read("∫ f", small=False) == ["∫ f", "0", "dx"]


def test_what_stands_beside_or_is_large_is_no_limit() -> None:
    total, factor = sign("∑", 150, 100, 14), sign("x", 168, 104, 5)
    assert parts_with_limits([total, factor]) == ["∑", "x"]
    assert parts_with_limits([total, sign("k", 150, 116, 14)]) == ["∑", "k"]


def test_a_line_that_begins_with_words_is_prose_whatever_follows() -> None:
    lines = [ABOVE, line("Denote that", 50, 80, 50), sign("F = P, L = - log, N = I", 102, 80, 180)]
    whole = line("Denote that F = P, L = - log, N = I", 50, 80, 232, style(math=0.7))
    assert find_formulas(lines, [ABOVE, whole]) == []
    centred = line("Denote that F = P, L = - log, N = I", 83, 80, 180, style(math=0.7))
    assert find_formulas([ABOVE, centred], [ABOVE, centred]) == [[centred]]


def test_variables_in_the_italics_of_the_text_make_a_formula_too() -> None:
    assert formulas(ABOVE, italic("S = wₖcₙ₊₁ + aⱼbᵢ", 120, 100), BELOW) == ["S = wₖcₙ₊₁ + aⱼbᵢ"]


def test_a_name_in_italics_and_its_value_are_no_formula() -> None:
    assert formulas(ABOVE, italic("gravel = 3", 120, 100), BELOW) == []


def test_signs_of_relation_are_no_variables() -> None:
    listed = line("See also: == (8.54), >= (8.77), != (8.118)", 120, 100, look=style(math=0.1))
    words = (word._replace(font="CMMI10") if word.text == ">=" else word for word in listed.words)
    assert formulas(ABOVE, replace(listed, words=tuple(words)), BELOW) == []


def test_a_number_below_a_formula_that_left_it_no_room_belongs_to_it() -> None:
    wide = sign("f(0) = a + b + c + d", 60, 100, 220)
    assert formulas(ABOVE, wide, line("(4.9)", 266, 112, 24), BELOW) == [
        "f(0) = a + b + c + d (4.9)"
    ]


def test_the_beginning_of_a_list_below_a_formula_is_not_its_number() -> None:
    first = line("(1)", 50, 112, 14)
    assert formulas(ABOVE, sign("f = a + b", 120, 100, 60), first, BELOW) == ["f = a + b"]


def test_a_number_at_the_margin_belongs_to_a_formula_above_prose_that_ends_before_it() -> None:
    ragged = line(SENTENCE, 50, 60, 240)
    number = line("(3)", 294, 100, 14)
    assert formulas(ragged, sign("a = b", 120, 100, 60), number) == ["a = b (3)"]


def test_a_step_that_opens_in_bold_is_no_part_of_a_formula() -> None:
    step = sign("if x < 5 then", 120, 112)
    bold = replace(step, words=(step.words[0]._replace(font="Serif-Bold"), *step.words[1:]))
    assert formulas(ABOVE, sign("x = a + b", 120, 100, 60), bold, BELOW) == ["x = a + b"]


def test_a_line_that_goes_on_with_a_sentence_at_the_margin_is_no_formula() -> None:
    def among(text: str) -> list[str]:
        return formulas(ABOVE, line(text, 50, 100, look=style(math=0.3)), BELOW)

    assert among("where g ∈ Γ₀(N) is such that M = g · C[i].") == []
    assert among("limsup xₙ = a + bₙ + c") == ["limsup xₙ = a + bₙ + c"]


def test_cells_of_a_row_that_was_found_as_no_table_are_doubted() -> None:
    prose = [line(SENTENCE, 50, 300 + 12 * at, 400) for at in range(3)]
    cells = [
        line("mass of it", 50, 100),
        line("\u00b5d", 200, 100, look=style(math=0.2)),
        line("5.0", 330, 100, look=style(math=0.2)),
    ]
    for lines, doubtful in (([*cells, *prose], True), ([cells[1], *prose], False)):
        blocks = lay_out(PageContent(1, 600.0, 800.0, tuple(lines))).blocks
        assert any(block.doubtful for block in blocks) is doubtful


def test_a_bold_heading_with_mathematics_in_it_is_no_formula() -> None:
    heading = line("4.6 The M/M/inf System", 50, 100, look=style(14.0, bold=0.63, math=0.37))
    assert formulas(ABOVE, heading, BELOW) == []
    vectors = line("2 A/B = C", 120, 100, look=style(bold=0.63, math=0.37))
    assert formulas(ABOVE, vectors, BELOW) == ["2 A/B = C"]


def rows_of(*texts: tuple[str, float, float, float]) -> list[Line]:
    return [sign(text, left, top, width) for text, left, top, width in texts]


def test_rows_of_a_formula_follow_one_another_with_a_sign_of_relation_each() -> None:
    def are_rows(*texts: tuple[str, float, float, float]) -> bool:
        return are_in_rows(rows_of(*texts), NO_FORMULAS)

    assert are_rows(("y = a + b", 120, 100, 60), ("z = c", 120, 116, 40), ("(4)", 400, 108, 14))
    assert not are_rows(("a b", 120, 100, 30), ("c d", 120, 116, 30))
    assert not are_rows(("x =", 120, 100, 20), ("a", 150, 93, 6), ("b", 150, 107, 6))


def test_what_is_stacked_counts_as_one_word_of_its_row() -> None:
    lines = rows_of(("x =", 120, 100, 20), ("a/", 150, 93, 6), ("b", 150, 107, 6))
    places = FormulaPlaces(stacked=(Rect(149, 92, 158, 118),))
    assert are_in_rows(lines, places)
