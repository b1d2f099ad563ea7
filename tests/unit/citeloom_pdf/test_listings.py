from __future__ import annotations

from dataclasses import replace

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.blocks.algorithms import find_algorithms
from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.blocks.listings import find_listings, with_labels
from citeloom_pdf.elements.fonts import fixed_pitch_fonts
from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import Line, PageContent, Style, Word
from tests.unit.citeloom_pdf.pages import SENTENCE, line, style

MONO = style(mono=1.0)
PITCH = 6.0


def code(text: str, left: float, top: float) -> Line:
    """A line of code whose letters are words of their own, as in fixed columns."""
    words = tuple(
        Word(Rect(left + PITCH * at, top, left + PITCH * at + 5, top + 10), letter, "Mono")
        for at, letter in enumerate(text)
        if letter != " "
    )
    box = Rect(left, top, words[-1].box.right, top + 10)
    return Line(box, " ".join(text.replace(" ", "")), MONO, words)


def rows(*lines: Line) -> list[tuple[str, ...]]:
    return [listing.rows for listing in find_listings(lines)]


def test_letters_one_pitch_apart_are_words_and_the_indentation_stays() -> None:
    found = rows(
        code("for stone in river:", 100, 100),
        code("    if moves(stone):", 100, 112),
        code("        count += 1", 100, 124),
    )
    assert found == [("for stone in river:", "    if moves(stone):", "        count += 1")]


def test_one_blank_line_stays_in_a_listing_and_a_wide_gap_ends_it() -> None:
    first, second, third = (
        code(f"number_{count} = grains", 100, top)
        for count, top in enumerate((100, 124, 200), start=1)
    )
    assert rows(first, second, third) == [
        ("number_1 = grains", "number_2 = grains"),
        ("number_3 = grains",),
    ]


def test_a_comment_far_to_the_right_stands_in_its_row() -> None:
    found = rows(code("slope = 0.004", 100, 100), code("# of the bed", 100 + 20 * PITCH, 100))
    assert [" ".join(row.split()) for row in found[0]] == ["slope = 0.004 # of the bed"]


def test_a_part_of_a_row_that_begins_like_a_heading_stays_in_its_row() -> None:
    printed = (
        ((60, "## 6"), (110, "6"), (140, "tin"), (300, "tin 4.15348380046138")),
        ((60, "## 7"), (110, "7 CG16778 CG16778_OF_SANDS_0003715 2.440731580412")),
        ((60, "## 8"), (110, "8.5"), (140, "vnd"), (300, "vnd 1.99855914798949")),
    )
    lines = [
        line(text, left, 100 + 12 * row, look=MONO)
        for row, parts in enumerate(printed)
        for left, text in parts
    ]
    assert [" ".join(row.split()) for row in rows(*lines)[0]] == [
        " ".join(text for _, text in parts) for parts in printed
    ]


def test_line_numbers_in_another_font_stand_before_their_lines() -> None:
    numbers = [line(str(n), 84, 88 + 12 * n, width=5) for n in (1, 2)]
    found = rows(*numbers, code("use stones", 100, 100), code("use sand", 100, 112))
    assert [row.split(maxsplit=1) for row in found[0]] == [["1", "use stones"], ["2", "use sand"]]


def test_numbers_of_blank_rows_stay_in_their_listing() -> None:
    tops = {1: "use stones", 2: "", 3: "", 4: "", 5: "use sand"}
    numbers = [line(str(n), 84, 88 + 12 * n, width=5) for n in tops]
    lines = [code(text, 100, 88 + 12 * n) for n, text in tops.items() if text]
    [found] = rows(*numbers, *lines)
    assert [row.split(maxsplit=1) for row in found] == [
        ["1", "use stones"],
        ["2"],
        ["3"],
        ["4"],
        ["5", "use sand"],
    ]


def test_a_command_with_the_name_of_a_chapter_stays_in_its_listing() -> None:
    found = rows(
        code("begin of the entry {", 100, 100), code(r"\index{%", 100, 112), code("}", 100, 124)
    )
    assert found == [("begin of the entry {", r"\index{%", "}")]


def test_listings_in_two_columns_keep_apart() -> None:
    prose = [line(SENTENCE, left, top, width=200) for left in (60, 300) for top in (300, 312, 324)]
    left, right = code("left = gravel(stones)", 60, 100), code("right = sand(grains)", 300, 100)
    assert sorted(rows(*prose, left, right)) == [
        ("left = gravel(stones)",),
        ("right = sand(grains)",),
    ]


def test_a_brace_stays_in_its_listing_where_paragraphs_are_indented() -> None:
    """The first lines of the paragraphs begin between the brace and the code above it."""
    prose = [
        line(SENTENCE, left, top, 400 - left)
        for top in (50, 250, 300)
        for left, top in ((120, top), (100, top + 12), (100, top + 24))
    ]
    first, last = code("return total", 124, 150), code("}", 100, 162)
    assert rows(*prose, code("{", 100, 138), first, last) == [("{", "    return total", "}")]


def test_a_line_that_sticks_out_over_the_prose_of_the_next_column_stays_in_its_listing() -> None:
    prose = [line(SENTENCE, 309, 90 + 12 * n, 240) for n in range(6)]
    listing = [
        code("void start(pebbles) {", 60, 100),
        code("settle(the_gravel, the_sand, the_silt, of_the);", 72, 112),
        *(code("wait(for_the_sand);", 72, 124 + 12 * n) for n in range(4)),
        code("}", 60, 172),
    ]
    assert [len(found) for found in rows(*prose, *listing)] == [7]


def test_a_line_of_prose_that_is_all_code_is_no_listing() -> None:
    before, after = line(SENTENCE, 100, 88), line(SENTENCE, 100, 112)
    assert rows(before, line("gravel.moves(stones, slope)", 100, 100, look=MONO), after) == []


def test_the_end_of_a_paragraph_is_left_out_of_the_listing_below() -> None:
    found = rows(
        line(SENTENCE, 100, 100),
        line("settle_all_the_gravel(slope).", 100, 111, look=MONO),
        *(line(f"stone_{n} = settle_gravel(slope)", 100, 130 + 12 * n, look=MONO) for n in (0, 1)),
    )
    assert found == [("stone_0 = settle_gravel(slope)", "stone_1 = settle_gravel(slope)")]


def words_at(pitch: float, font: str, *texts: str) -> list[Word]:
    return [Word(Rect(0, 0, pitch * (len(text) - 0.3), 10), text, font) for text in texts]


def test_an_unnamed_font_with_one_pitch_is_a_typewriter_s() -> None:
    words = words_at(4.6, "/F84", "function", "using", "stones")
    assert fixed_pitch_fonts(words) == {"/F84"}


def test_a_rarer_unnamed_font_of_the_same_pitch_is_one_too() -> None:
    words = words_at(4.6, "/F84", "function", "using", "stones")
    words += words_at(4.6, "/F103", "gravel") + words_at(7.0, "/F18", "heading")
    assert fixed_pitch_fonts(words) == {"/F84", "/F103"}


def test_a_font_of_page_numbers_alone_does_not_tell_its_pitch() -> None:
    words = words_at(4.6, "/F84", "function", "using", "stones") + words_at(5.0, "/F25", "3")
    assert fixed_pitch_fonts(words) == {"/F84"}


def test_fonts_with_letters_of_different_widths_or_with_a_name_are_not_judged() -> None:
    narrow = words_at(2.2, "/F7", "little") + words_at(5.1, "/F7", "mammoth", "woman")
    named = words_at(4.6, "/ABCDEF+Serif", "function", "using", "stones")
    assert fixed_pitch_fonts(narrow + named) == frozenset()


def test_long_words_of_other_widths_have_no_one_pitch() -> None:
    heading = [
        Word(Rect(0, 0, width, 14), text, "/F41")
        for width, text in ((63.8, "Reference"), (85.3, "populations"), (62.0, "Marginal"))
    ]
    assert fixed_pitch_fonts(heading) == frozenset()


def test_codes_of_a_letter_and_figures_do_not_tell_the_pitch_of_their_font() -> None:
    codes = words_at(5.6, "/F1", "A100", "B107", "C114", "D121", "E128")
    assert fixed_pitch_fonts(codes) == frozenset()


def test_a_listing_keeps_the_style_of_its_lines() -> None:
    found = find_listings([line("gravel = stones + sand", 100, 100, look=MONO)])
    assert [member.style for listing in found for member in listing.lines] == [
        Style(10.0, "Serif", mono=1.0)
    ]


def test_a_word_taller_than_its_row_joins_no_rows() -> None:
    lines = [code(f"set value_{n} of stones", 100, 88 + 12 * n) for n in range(1, 6)]
    tall = Line(Rect(300, 100, 310, 140), "}", MONO, (Word(Rect(300, 100, 310, 140), "}", "Mono"),))
    assert len(rows(*lines, tall)[0]) == 5


def test_lines_with_words_taller_than_their_pitch_stay_apart() -> None:
    texts = ["set label_1 {large} 116", "set nokey in_place", "set label_2 {large} 9"]
    lines = []
    for number, text in enumerate(texts):
        read = line(text, 100, 100 + 10 * number, width=PITCH * len(text), look=MONO)
        words = [
            word._replace(box=word.box.grown(0, 5)) if "{" in word.text else word
            for word in read.words
        ]
        lines.append(replace(read, words=tuple(words)))
    assert rows(*lines) == [tuple(texts)]


def test_a_piece_of_code_within_a_row_of_prose_is_no_listing_however_wide_the_gaps() -> None:
    row = (line("defines", 100, 100), code("match_results<iterator>", 180, 100))
    assert len(rows(*row)) == 1
    assert rows(*row, line("using a", 360, 100)) == []


def test_the_rule_of_a_frame_parts_a_listing_from_code_outside() -> None:
    framed, label = code("goal := forall z", 100, 100), code("intros_n_times", 75, 118)
    assert [len(found.lines) for found in find_listings([framed, label])] == [2]
    rule = Rule(113, 90, 540)
    assert [len(found.lines) for found in find_listings([framed, label], [rule])] == [1, 1]


def test_a_comment_in_a_font_of_its_own_keeps_its_spaces_and_a_number_its_line() -> None:
    listing = [code(f"x = turned({at})", 100, 100 + 12 * at) for at in range(7)]
    listing.append(code("return turned(x) if x else turned(y)", 100, 184))
    comment = line("in the usual font", 190, 112, 60)
    number = line("170", 60, 100, 12)
    found = rows(*listing, comment, number)[0]
    assert found[0].split() == ["170", "x", "=", "turned(0)"]
    assert found[1].endswith(" in the usual font")


def test_the_number_of_a_formula_in_the_column_beside_is_not_in_a_listing() -> None:
    listing = [code("for stone in river:", 310, 100), code("    lift(stone)", 310, 112)]
    number = line("(1)", 276, 112, 14)
    assert rows(*listing, number) == [("for stone in river:", "    lift(stone)")]


def test_a_variable_in_italics_between_words_of_code_keeps_its_spaces() -> None:
    of_code = (*code("if", 100, 112).words, *code("then", 121, 112).words)
    typed = [word._replace(font="CMTT10") for word in of_code]
    variable = Word(Rect(114, 112, 118, 122), "b", "CMMI10")
    row = Line(
        Rect(100, 112, 144, 122), "if b then", style(mono=0.9), (*typed[:2], variable, *typed[2:])
    )
    assert rows(code("while (sifting)", 100, 100), row) == [("while (sifting)", "if b then")]


def test_a_letter_that_a_typewriter_font_lacks_is_a_part_of_its_code() -> None:
    row = [word._replace(font="CMTT10") for word in code("tau_of(x) = ", 100, 100).words]
    sign = Word(Rect(174, 100, 178, 110), "τ", "DejaVuSans")
    behind = [word._replace(font="CMTT10") for word in code(")", 181, 100).words]
    box = Rect(100, 100, 187, 110)
    whole = Line(box, "tau_of(x) = τ)", style(mono=0.9), (*row, sign, *behind))
    assert rows(whole) == [("tau_of(x) = τ)",)]


def test_a_sign_in_another_font_between_words_of_code_keeps_its_spaces() -> None:
    def typed(text: str, left: float) -> Word:
        return Word(Rect(left, 100, left + PITCH * len(text), 110), text, "CMTT10")

    sign = Word(Rect(139.4, 100, 147, 110), "=", "CMR10")
    words = (typed("gravel", 100), sign, typed("sand_or_silt", 150.4))
    whole = Line(Rect(100, 100, 222.4, 110), "gravel = sand_or_silt", style(mono=0.95), words)
    assert rows(whole) == [("gravel = sand_or_silt",)]


def test_letters_wider_than_the_pitch_do_not_tell_it() -> None:
    parts = (("gravel/beds", 66), ("bed執行命令", 58), ("sand命令執行了", 74))
    words, left = [], 100.0
    for text, width in parts:
        words.append(Word(Rect(left, 100, left + width, 110), text, "LiberationMono"))
        left += width + PITCH
    box = Rect(100, 100, left - PITCH, 110)
    whole = Line(box, " ".join(word.text for word in words), MONO, tuple(words))
    assert rows(whole) == [("gravel/beds bed執行命令 sand命令執行了",)]


def test_spaces_narrower_than_the_pitch_part_words_that_tell_it_exactly() -> None:
    def row(space: float, *, bearing: float = 0.0, between: str = "") -> list[tuple[str, ...]]:
        words, left = [], 100.0
        for text in ("gravel", "settles", "below", "stones"):
            right = left + PITCH * len(text) - bearing
            words.append(Word(Rect(left, 100, right, 110), text, "Mono"))
            left = right + space
        box = Rect(100, 100, words[-1].box.right, 110)
        return rows(Line(box, between.join(word.text for word in words), MONO, tuple(words)))

    assert row(0.72 * PITCH) == [("gravel settles below stones",)]
    assert row(0.72 * PITCH, bearing=2.0) == [("gravelsettlesbelowstones",)]
    # where the line has spaces, too, unless the letters are of uneven width
    assert row(0.6 * PITCH, bearing=2.0, between=" ") == [("gravelsettlesbelowstones",)]
    assert row(0.6 * PITCH, between=" ") == [("gravel settles below stones",)]
    assert row(0.3 * PITCH, between=" ") == [("gravelsettlesbelowstones",)]


def test_words_of_text_in_a_row_of_code_keep_their_spaces() -> None:
    row = code("void sift(GEN g)", 100, 100)
    of_code = [word._replace(font="CMTT10") for word in row.words]
    of_text = [
        Word(Rect(left, 100, right, 110), text, "CMR10")
        for text, left, right in (("as", 199, 208), ("silt", 211, 226))
    ]
    box = Rect(100, 100, 226, 110)
    whole = Line(box, "void sift(GEN g) as silt", style(mono=0.75), (*of_code, *of_text))
    assert rows(whole) == [("void sift(GEN g) as silt",)]


def test_a_listing_a_little_farther_from_prose_than_its_rows_is_one() -> None:
    prose = line(SENTENCE, 60, 100)
    listing = [
        code(text, 100, 115.5 + 14 * n) for n, text in enumerate(("relative {", "    c d }"))
    ]
    assert rows(prose, *listing) == [("relative {", "    c d }")]
    assert rows(prose, *(code(text, 60, 114 + 14 * n) for n, text in enumerate(("ab", "cd")))) == []


def test_code_that_sticks_out_of_its_column_stays_apart_from_that_of_the_next() -> None:
    left = [line(SENTENCE[:40], 60, 20 + 12 * n, width=200) for n in range(4)]
    right = [line(SENTENCE[:40], 280, 20 + 12 * n, width=200) for n in range(4)]
    wide = code("settle(gravel, sand, silt, clay, mud)", 70, 120)
    beside = code("lift(the_grain)", 285, 132)
    assert len(rows(wide, beside)) == 1
    assert len(rows(*left, *right, wide, beside)) == 2


def step(text: str, left: float, top: float, number: str = "") -> Line:
    """A step of an algorithm, its keywords in bold."""
    words = line(f"{number} {text}".strip(), left, top, 0).words
    keywords = ("for", "if", "then", "do", "end", "return")
    styled = tuple(
        word._replace(font="Serif-Bold") if word.text in keywords else word for word in words
    )
    return replace(line(f"{number} {text}".strip(), left, top), words=styled)


def algorithms(*lines: Line, rules: tuple[Rule, ...] = ()) -> list[tuple[str, ...]]:
    return [found.rows for found in find_algorithms(lines, rules)]


def test_steps_with_bold_keywords_are_an_algorithm_with_their_indentation() -> None:
    steps = (
        step("for i = 1 to n do", 60, 100),
        line("x = x + i", 75, 112),
        step("if x < 5 then", 75, 124),
        line("sift the sand", 90, 136),
        step("end if", 75, 148),
        step("return x", 60, 160),
    )
    assert algorithms(line(SENTENCE, 60, 80), *steps, line(SENTENCE, 60, 180)) == [
        (
            "for i = 1 to n do",
            "  x = x + i",
            "  if x < 5 then",
            "    sift the sand",
            "  end if",
            "return x",
        )
    ]


def test_numbered_steps_keep_their_numbers_and_the_first_and_last_belong_to_them() -> None:
    """The number of a step may be in its line or apart."""
    steps = (
        line("1: n = 0", 60, 100),
        line("2: for stones do", 60, 112),
        line("3:", 60, 124, 10),
        line("n = n + 1", 90, 124),
        line("4: if n then", 60, 136),
        line("5: return n", 60, 148),
        line("6: halt", 60, 160),
    )
    above = line("Algorithm 1 counts", 60, 80)
    rows = algorithms(above, *steps)
    assert rows == [
        (
            "1: n = 0",
            "2: for stones do",
            "3:   n = n + 1",
            "4: if n then",
            "5: return n",
            "6: halt",
        )
    ]


def test_an_algorithm_is_a_block_of_code_and_doubtful_with_a_letter_apart() -> None:
    steps = [step(text, 60, 100 + 12 * at) for at, text in enumerate(["for i do", "end", "return"])]
    above, small = line(SENTENCE, 60, 60), line("j", 110, 104, look=style(6.0))
    for lines, doubtful in (([above, *steps], False), ([above, *steps, small], True)):
        blocks = lay_out(PageContent(1, 600.0, 800.0, tuple(lines))).blocks
        code_blocks = [block for block in blocks if block.label == DocItemLabel.CODE]
        assert [(block.lines[1:], block.doubtful) for block in code_blocks] == [
            (("end", "return"), doubtful)
        ]


def test_steps_numbered_without_a_colon_belong_to_an_algorithm_by_their_order() -> None:
    steps = [
        line("1 n = 0", 60, 88),
        step("for stones do", 60, 100, "2"),
        step("return n", 60, 112, "3"),
        step("end", 60, 124, "4"),
        line("5 a list of its own", 60, 220),
        line("8 another one", 60, 76),
    ]
    assert algorithms(*steps) == [("1 n = 0", "2 for stones do", "3 return n", "4 end")]


def test_two_numbered_steps_go_on_with_an_algorithm_in_the_next_column() -> None:
    steps = [line("6: end for", 60, 100), line("7: return x", 60, 112)]
    assert algorithms(*steps, line(SENTENCE, 60, 140)) == [("6: end for", "7: return x")]


def test_a_rule_parts_two_algorithms() -> None:
    steps = [step(text, 60, 100 + 12 * at) for at, text in enumerate(["for a do", "end", "return"])]
    more = [step(text, 60, 160 + 12 * at) for at, text in enumerate(["for b do", "end", "return"])]
    rule = Rule(148, 50, 300)
    assert [len(rows) for rows in algorithms(*steps, *more)] == [6]
    assert [len(rows) for rows in algorithms(*steps, *more, rules=(rule,))] == [3, 3]


def test_bold_words_that_open_sentences_are_no_algorithm() -> None:
    opened = [step(f"for the {SENTENCE}", 60, 100 + 12 * at) for at in range(4)]
    assert algorithms(*opened) == []


def test_code_with_keywords_in_bold_is_no_algorithm() -> None:
    typed = [
        replace(step(text, 60, 100 + 12 * at), style=MONO)
        for at, text in enumerate(["for i do", "end", "return"])
    ]
    assert algorithms(*typed) == []


def _mixed(top: float, *words: tuple[str, float, str]) -> Line:
    """A line of words in fonts, each with the width of its letters."""
    placed, left = list[Word](), 100.0
    for text, advance, font in words:
        right = left + advance * len(text)
        placed.append(Word(Rect(left, top, right, top + 10), text, font))
        left = right + 2.5
    typed = sum(len(text) for text, _, font in words if font == "CMTT10")
    share = typed / sum(len(text) for text, _, _ in words)
    text = " ".join(text for text, _, _ in words)
    box = Rect(100, top, placed[-1].box.right, top + 10)
    return Line(box, text, style(mono=share), tuple(placed))


def test_a_line_of_japanese_that_mentions_much_code_goes_on_with_the_prose_below() -> None:
    mention = _mixed(
        100, ("landscape/openright/openany/fleqn", 5, "CMTT10"), ("という水車の羽根", 10, "Mincho")
    )
    below = _mixed(117, ("の川の水で回る車の羽根の長さを決めるものである", 10, "Mincho"))
    assert mention.style.mono > 0.7
    assert rows(mention, below) == []
    assert len(rows(mention)) == 1


def test_an_underscore_in_a_word_of_prose_is_no_code_of_the_listing_above() -> None:
    texts = [f"grain {at} = {at}.5 mm" for at in range(6)]
    listing = [code(text, 100, 100 + 14 * at) for at, text in enumerate(texts)]
    before, behind = line("The record BED", 100, 188), line(f"LOAD. {SENTENCE}", 176, 188)
    stroke = line("_", 171, 193, 4, style(4.0, mono=1.0))
    assert rows(*listing, before, stroke, behind) == [tuple(texts)]


def declaration(text: str, top: float) -> list[Line]:
    return [line(text, 100, top, look=style(mono=0.6)), line("[Function File]", 400, top)]


def test_the_label_at_the_right_margin_stays_with_its_declaration() -> None:
    lines = [*declaration("grain = bed (x)", 100), *declaration("grain = bed (x, y,", 112)]
    lines += [line("z, at)", 130, 124, look=style(mono=0.6)), line(SENTENCE, 120, 136)]
    page = PageContent(number=1, width=600, height=800, lines=tuple(lines))
    assert [block.text for block in lay_out(page).blocks] == [
        "grain = bed (x) [Function File]",
        "grain = bed (x, y, [Function File] z, at)",
        SENTENCE,
    ]


def test_a_reference_at_the_end_of_a_line_that_mentions_code_is_no_label() -> None:
    mention = line("It calls bed in each step, as is said in the book of [Knuth 84]", 100, 100)
    upper, lower = replace(mention, style=style(mono=0.1)), line("and in others.", 100, 112)
    page = PageContent(number=1, width=600, height=800, lines=(upper, lower))
    assert len(lay_out(page).blocks) == 1


def test_the_number_of_a_line_in_a_font_of_text_is_apart_from_its_code() -> None:
    numbered = [
        Line(
            Rect(90, top, 200, top + 10),
            f"{at} move(grain)",
            MONO,
            (
                Word(Rect(90, top, 94, top + 10), str(at), "CMR7"),
                Word(Rect(97.4, top, 163.4, top + 10), "move(grain)", "Mono"),
            ),
        )
        for at, top in ((7, 100), (8, 112), (9, 124))
    ]
    assert rows(*numbered) == [("7 move(grain)", "8 move(grain)", "9 move(grain)")]


def declarations(*labels: str, pitch: float = 12.0) -> list[str]:
    """The texts of declarations and the prose below, with labels at the right margin."""
    prose = [line(SENTENCE, 100, 200 + pitch * at, width=400) for at in range(3)]
    tops = [200 - pitch * at for at in range(len(labels), 0, -1)]
    declared = [line(f"(drop stone-{at})", 100, top) for at, top in enumerate(tops)]
    at_margin = [
        line(label, 500 - 5.0 * len(label), top) for label, top in zip(labels, tops) if label
    ]
    head = line("12. Rivers", 100, 50)
    return [one.text for one in with_labels([head, *declared, *at_margin, *prose])][1:-3]


def test_words_at_the_right_margin_stand_with_what_is_declared() -> None:
    assert declarations("procedure", "thread parameter") == [
        "(drop stone-0) procedure",
        "(drop stone-1) thread parameter",
    ]
    assert declarations("[Constant]", "[Constant]") == [
        "(drop stone-0) [Constant]",
        "(drop stone-1) [Constant]",
    ]


def test_words_at_the_right_margin_far_above_the_text_or_once_are_no_labels() -> None:
    assert declarations("procedure", "procedure", pitch=40.0)[:2] == [
        "(drop stone-0)",
        "(drop stone-1)",
    ]
    assert declarations("", "procedure")[:2] == ["(drop stone-0)", "(drop stone-1)"]


def test_parts_of_a_row_stay_together_where_a_heading_is_near_above_one() -> None:
    heading = line("Of the stones that are carried", 100, 88, width=200)
    first, part = code("int carried( char*", 100, 101), code("stones,", 100 + 25 * PITCH, 101)
    below = [
        code(f"int grains_of_the_bed_of_a_river_{size},", 100, 101 + 12.0 * size)
        for size in range(1, 7)
    ]
    found = rows(heading, first, part, *below)[0]
    assert " ".join(found[0].split()) == "int carried( char* stones,"
    assert len(found) == 7


def test_listings_side_by_side_below_prose_are_two() -> None:
    prose = [line(SENTENCE, 50, 20 + 12 * n, 450) for n in range(3)]
    rows_of = {left: [f"{left} &= row {n}\\\\" for n in range(4)] for left in (60, 330)}
    listings = [
        code(text, left, 80 + 11 * n) for left in rows_of for n, text in enumerate(rows_of[left])
    ]
    assert rows(*prose, *listings) == [tuple(rows_of[60]), tuple(rows_of[330])]


def test_a_sign_of_another_font_within_the_rows_tears_no_listing() -> None:
    notes = ("; dollars of today", "; pounds of old", "; euros")
    amounts = (code("$20", 60, 80), line("£50", 60, 91, 16), code("3 EUR", 60, 102))
    rows_of_notes = [code(note, 110, 80 + 11 * n) for n, note in enumerate(notes)]
    assert rows(*amounts, *rows_of_notes) == [
        ("$20      ; dollars of today", "£50      ; pounds of old", "3 EUR    ; euros")
    ]
