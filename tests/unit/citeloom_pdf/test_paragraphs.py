# ruff: noqa: RUF001 - marks of any script are what is looked for here
from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom_pdf.blocks.paragraphs import paragraphs_of
from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import Line, Word
from citeloom_pdf.elements.patterns import is_caption
from citeloom_pdf.parsing.lines import join_over_icons, join_parts
from tests.unit.citeloom_pdf.pages import line, style

CAPTION = ("Figure 1: Of gravel and of stones in", "a river that is in flood")


def column(
    *texts: str, left: float = 50, top: float = 100, indents: tuple[int, ...] = ()
) -> list[Line]:
    """Lines of one paragraph's pitch; those named in `indents` start further right."""
    return [
        line(text, left + 15 * (n in indents), top + 12 * n, width=240 - 15 * (n in indents))
        for n, text in enumerate(texts)
    ]


def found(lines: list[Line], *rules: Rule, titles: frozenset[str] = frozenset()) -> list[str]:
    return [" / ".join(part.text for part in part) for part in paragraphs_of(lines, rules, titles)]


def test_lines_of_one_pitch_are_one_paragraph() -> None:
    assert found(column("gravel moves when", "the stress exceeds", "a threshold")) == [
        "gravel moves when / the stress exceeds / a threshold"
    ]


def test_an_indented_line_begins_a_paragraph() -> None:
    lines = column("one ends here.", "Another begins", "and goes on", indents=(1,))
    assert found(lines) == ["one ends here.", "Another begins / and goes on"]


def test_a_divided_word_goes_on_in_the_next_line() -> None:
    first = line("Sand moves before gra-", 65, 100, width=225)
    assert found([first, line("vel.", 50, 112)]) == ["Sand moves before gra- / vel."]
    bold = line("vel.", 65, 112, look=style(bold=1.0))
    assert found([first, bold]) == ["Sand moves before gra- / vel."]
    assert len(found([first, replace(bold, text="Vel.")])) == 2


def test_a_divided_name_goes_on_in_a_line_that_is_measured_smaller() -> None:
    first = line("Sand moves before River-", 65, 100, width=225)
    small = line("Flow() is called,", 50, 112, look=style(size=8.3))
    named = replace(small, box=small.box._replace(bottom=122))
    assert found([first, named]) == ["Sand moves before River- / Flow() is called,"]
    assert len(found([first, small])) == 2


def test_a_last_line_that_hardly_reaches_below_an_indented_one_is_of_its_paragraph() -> None:
    first = line("Where sand moves, there is also some", 65, 100, width=225)
    assert found([first, line("gravel", 50, 112, width=18)]) == [f"{first.text} / gravel"]


def test_columns_stay_apart() -> None:
    lines = column("left one", "left two") + column("right one", "right two", left=310)
    assert sorted(found(lines)) == ["left one / left two", "right one / right two"]


def test_each_list_item_is_its_own() -> None:
    lines = column("1. small grains hide", "behind large ones.", "2. large grains stand")
    assert found(lines) == ["1. small grains hide / behind large ones.", "2. large grains stand"]


@pytest.mark.parametrize(
    "marks", ["ก.ข.", "а)б)", "α)β)", "가.나.", "क)ख)", "①②", "（１）（２）", "（一）（二）"]
)
def test_items_are_marked_with_letters_of_any_script(marks: str) -> None:
    half = len(marks) // 2
    first, second = f"{marks[:half]} คน เมือง река 강 山", f"{marks[half:]} ป่า море 산 川"
    assert found(column(first, second)) == [first, second]


def from_right(*texts: str) -> list[Line]:
    """Lines that begin at the right margin and are as long as their texts."""
    return [
        line(text, 300 - 6 * len(text), 100 + 12 * n, width=6 * len(text))
        for n, text in enumerate(texts)
    ]


def test_each_list_item_from_the_right_is_its_own() -> None:
    lines = from_right("1. אבג דהו זחט יכל מנס עפצ", "קרש תאב.", "2. אבג")
    assert found(lines) == ["1. אבג דהו זחט יכל מנס עפצ / קרש תאב.", "2. אבג"]


def test_a_bold_line_above_text_is_its_own() -> None:
    heading = line("Field sites", 50, 88, look=style(10, bold=1.0))
    assert found([heading, *column("gravel moves when", "the stress exceeds")]) == [
        "Field sites",
        "gravel moves when / the stress exceeds",
    ]


def test_a_line_that_is_a_title_of_the_outline_is_its_own() -> None:
    lines = column("the end of a paragraph.", "3.4 Of stones", "Stones are many and")
    assert "3.4 Of stones" in found(lines, titles=frozenset({"ofstones"}))


def test_a_lettered_title_of_the_outline_is_its_own() -> None:
    lines = column("the end of a paragraph.", "A.15 Of stones", "Stones are many and")
    assert "A.15 Of stones" in found(lines, titles=frozenset({"ofstones"}))


def test_a_rule_parts_what_stands_above_from_what_stands_below() -> None:
    lines = column("gravel moves when", "the stress exceeds")
    assert len(found(lines, Rule(111, 40, 300))) == 2


def test_parts_of_a_line_are_joined_and_columns_are_not() -> None:
    parts = [line("2.1", 50, 100), line("Flume", 80, 100), line("another column", 310, 100)]
    assert [part.text for part in join_parts(parts)] == ["2.1 Flume", "another column"]


def test_an_equation_number_is_not_joined_to_the_next_column() -> None:
    parts = [line("(6)", 282, 100, width=10), line("3.2 Arrays", 316, 100)]
    assert [part.text for part in join_parts(parts)] == ["(6)", "3.2 Arrays"]


def test_a_number_at_the_right_is_that_of_the_item_from_the_right() -> None:
    parts = [line("אבג דהו", 200, 100, width=60), line("12.", 290, 100, width=12)]
    assert [part.text for part in join_parts(parts)] == ["12. אבג דהו"]


def test_text_larger_than_the_caption_above_it_is_its_own() -> None:
    caption = [line(text, 50, 76 + 12 * n, 300, style(8.8)) for n, text in enumerate(CAPTION)]
    assert found([*caption, *column("gravel moves when", "the stress exceeds")]) == [
        " / ".join(CAPTION),
        "gravel moves when / the stress exceeds",
    ]


def test_a_numbered_heading_below_a_title_is_its_own() -> None:
    title = line("Gravel in rivers", 50, 84, 120, style(14.4, bold=1.0))
    heading = line("1 Of stones", 50, 102, 120, style(12.6, bold=1.0))
    assert found([title, heading]) == ["Gravel in rivers", "1 Of stones"]


def test_a_smaller_bold_heading_below_a_shorter_one_is_its_own() -> None:
    chapter = line("OPTIONS", 50, 88, 50, style(10.9, bold=1.0))
    section = line("General options", 50, 101, 80, style(10, bold=1.0))
    assert found([chapter, section]) == ["OPTIONS", "General options"]
    of_one_size = replace(section, style=chapter.style)
    assert len(found([chapter, of_one_size])) == 1


def test_a_tall_formula_moves_its_line_away_and_begins_no_paragraph() -> None:
    lines = column("gravel moves when the stress", "exceeds", "A threshold that was", "seen before")
    top = lines[2].box.top + 7
    limits = Word(Rect(100, top - 12, 110, top + 9), "x", "ABCDEF+CMMI10")
    words = [
        word._replace(box=word.box._replace(top=top, bottom=top + 9)) for word in lines[2].words
    ]
    tall = replace(
        lines[2],
        box=Rect(50, top - 12, 290, top + 9),
        style=style(math=0.1),
        words=(*words, limits),
    )
    last = replace(lines[3], box=Rect(50, top + 12, 290, top + 22))
    assert len(found([*lines[:2], tall, last])) == 1
    assert (
        len(
            found(
                [
                    *lines[:2],
                    replace(tall, words=tuple(words), box=Rect(50, top, 290, top + 9)),
                    last,
                ]
            )
        )
        == 2
    )


ADDRESS = ["Ann Rye", "Survey of Rivers", "12 Bank Street"]
PROSE = [
    "The gauge stands at the weir, where all of",
    "the water of the valley passes in summer",
    "and a part of it in winter.",
]


def as_long(*texts: str, top: float = 100) -> list[Line]:
    """Lines that are as long as their texts."""
    return [line(text, 50, top + 12 * n) for n, text in enumerate(texts)]


def test_lines_that_end_where_a_word_had_room_are_their_own() -> None:
    assert found(as_long(*ADDRESS, *PROSE)) == [*ADDRESS, " / ".join(PROSE)]


def test_lines_of_their_own_are_seen_by_the_text_around_them() -> None:
    around = [column(*PROSE, top=top) for top in (40, 180)]
    assert found([*around[0], *as_long(*ADDRESS), *around[1]])[1:4] == ADDRESS
    # but not beside a picture, around which the text is set
    parts = paragraphs_of(
        [*around[0], *as_long("a river is", "a long way", "to the sea"), *around[1]],
        (),
        graphics=[Rect(120, 95, 290, 140)],
    )
    assert len(parts) == 3


def test_a_line_that_a_formula_cuts_off_tears_no_sentence() -> None:
    first = "The stress at the bed of a river is then"
    lines = as_long(first, "rather as", "stated, and so on for all of the rivers", *PROSE)
    assert len(found(lines)) == 1


def test_a_sentence_goes_on_with_a_reference_in_brackets() -> None:
    cited = column("gravel moves as was shown in", "[12] and by others, and in", "[13] for sand")
    assert len(found(cited)) == 1
    listed = column("[12] Ann Rye, Of gravel and", "of stones", "[13] Eva Mill, Of sand")
    assert len(found(listed)) == 2


def test_each_note_is_its_own() -> None:
    notes = column("¹ Of gravel and of stones in", "² Of sand that is carried by")
    assert found(notes) == [note.text for note in notes]


def test_a_number_on_a_line_of_its_own_stays_with_its_text() -> None:
    assert found(as_long(*PROSE, "7.", *PROSE)) == [
        " / ".join(PROSE),
        " / ".join(("7.", *PROSE)),
    ]


def test_a_sentence_with_a_break_of_its_writer_is_not_torn() -> None:
    items = as_long(
        "- The tab is to be seen in the window, where you had put it,",
        "but it is lost where none of it is kept",
        "- The newest",
        "of them is kept",
    )
    assert found(items) == [
        " / ".join(each.text for each in items[:2]),
        " / ".join(each.text for each in items[2:]),
    ]
    words = as_long(
        "sand", "silt", "mud", "clay of lakes and of all the seas", "and of the far hills"
    )
    assert found(words)[:3] == ["sand", "silt", "mud"]


def test_a_last_word_left_of_an_indented_line_belongs_to_it() -> None:
    first = line("When this was assumed these values were reduced", 70, 100, width=220)
    assert len(found([first, line("to", 50, 112)])) == 1


def test_a_short_line_left_of_an_ended_entry_belongs_to_what_follows() -> None:
    entry = line("level of the river in a dry summer, 4", 70, 100, width=180)
    assert found([entry, line("dam", 50, 112), line("height of, 61", 70, 124)])[0] == entry.text


def test_items_below_an_item_are_their_own() -> None:
    items = [
        line("• The field has one of these values:", 50, 100, width=230),
        line("\u2013 gravel - of the upper reach", 74, 112, width=186),
        line("\u2013 sandy - of the lower reach", 74, 124, width=186),
    ]
    assert found(items) == [item.text for item in items]


def test_lines_none_of_which_goes_on_are_as_wide_as_the_page_lets_them() -> None:
    address = ["Department of the rivers and seas", "University of the far hill lands", "Newtown"]
    lines = [*as_long(*address), *column(*PROSE, top=180)]
    assert found(lines)[:3] == address


def test_lines_in_a_frame_end_where_other_lines_in_it_do() -> None:
    framed = [
        line("The weir is closed in winter, so that", 90, 160, width=170),
        line("no water of the valley passes it,", 90, 172, width=165),
        line("and opened in spring.", 90, 184, width=90),
        line("Unless a flood is near you may open", 90, 208, width=165),
        line("N3 (the gate below the weir).", 90, 220, width=140),
    ]
    around = [column(*PROSE, top=top) for top in (100, 260)]
    assert len(found([*around[0], *framed, *around[1]])) == 4


def test_a_line_beyond_the_margin_is_no_measure_of_others() -> None:
    far = line("of /valley/gauges/weir/of/the/far/hills that", 50, 112, width=275)
    around = [
        *column(PROSE[0], top=100),
        far,
        *column(PROSE[2], top=124),
        *column(*PROSE, top=180),
    ]
    other = [line("They are named A, B,", 50, 260, width=235), line("C and D.", 50, 272, width=40)]
    assert len(found([*around, *other])) == 3


def test_lines_of_markup_are_their_own() -> None:
    markup = ["<river>", "<name>The long name of a river</name>", "<bed>gravel</bed>", "</river>"]
    assert found(as_long(*markup)) == markup


def test_an_example_in_code_is_no_part_of_the_words_before_it() -> None:
    words = line("and a name of the whole scheme looks like this", 50, 100, width=240)
    far_in = replace(line("Grav01_Sand02", 170, 112), style=style(mono=1.0))
    assert len(found([words, far_in])) == 2
    announced = replace(words, text=words.text + ":")
    below = replace(line("$ make all", 50, 120), style=style(mono=1.0))
    assert len(found([announced, below])) == 2
    mention = replace(line("gravel_and_sand of a river", 50, 112, width=235), style=style(mono=1.0))
    assert len(found([words, mention])) == 1


def in_bold(text: str, top: float) -> Line:
    heavy = line(text, 50, top, look=style(bold=0.8))
    return replace(heavy, words=tuple(w._replace(font="Serif-Bold") for w in heavy.words))


def test_a_line_that_ends_in_bold_where_a_word_had_room_is_a_head() -> None:
    prose = line("gravel is moved by a stress that exceeds a threshold", 50, 112, width=240)
    assert len(found([in_bold("3.0 Preparation", 100), prose])) == 2


def test_a_bullet_before_code_opens_an_item() -> None:
    text = line("Moves the grains up by one line.", 60, 100, width=160)
    item = replace(line("• move_up", 50, 112), style=style(mono=0.9))
    assert len(found([text, item])) == 2


def test_a_full_line_goes_on_in_its_sentence_over_a_wider_gap() -> None:
    prose = column(*[f"gravel of the river {n} moves when the" for n in range(9)])
    last = line("stress exceeds it.", 50, prose[-1].box.top + 19)
    assert len(found([*prose, last])) == 1
    assert len(found([*prose, replace(last, text="Stress exceeds it.")])) == 2


def test_smaller_letters_below_a_sentence_that_does_not_end_are_of_a_note() -> None:
    prose = column(*[f"gravel of the river {n} moves when the" for n in range(9)])
    note = line("stress of the note.", 50, prose[-1].box.top + 14, look=style(8))
    assert len(found([*prose, note])) == 2


def test_a_last_line_whose_ink_is_lower_goes_on_where_a_word_above_is_as_low() -> None:
    *prose, last = column(*[f"gravel of the river {n} moves when" for n in range(9)])
    *others, low = last.words
    ink = low._replace(box=low.box._replace(bottom=low.box.bottom - 2))
    lower = line("stress is at its least.", 50, last.box.top + 14, look=style(8))
    assert len(found([*prose, last, lower])) == 2
    assert len(found([*prose, replace(last, words=(*others, ink)), lower])) == 1


def test_each_note_with_a_sign_is_its_own() -> None:
    notes = column("†Of gravel and of stones in it.", "‡Of sand that is carried by")
    assert found(notes) == [note.text for note in notes]


def test_centred_lines_below_a_title_stay_together() -> None:
    centred = [
        line(text, 300 - 2.5 * len(text), 100 + 12 * n)
        for n, text in enumerate(
            ("¹ Department of the Rivers", "² Newtown", "³ University of Seas")
        )
    ]
    assert len(found([*centred, *column(*PROSE, top=180)])) == 2


def test_a_reference_goes_on_with_a_name() -> None:
    entry = as_long("[7] Of gravel and of stones in rivers.", "Journal of Rivers, 7 2009.")
    assert len(found([*entry, *column(*PROSE, top=180)])) == 2


def test_items_of_a_list_from_the_right_need_no_space_behind_their_numbers() -> None:
    items = ["تلخيص الأسباب في ما يأتي:", "1.قلة العاملين؛", "2.غلاء الصابون؛", "3.إقبال الزوار."]
    lines = [
        line(text, left, 100 + 12 * n, width=290 - left)
        for n, (text, left) in enumerate(zip(items, (50, 120, 180, 150)))
    ]
    assert found(lines) == items


def test_prototypes_that_begin_in_a_typewriter_font_are_one_a_line() -> None:
    def typed(text: str, top: float, width: float) -> Line:
        plain = line(text, 50, top, width)
        return replace(plain, words=(plain.words[0]._replace(font="CMTT10"), *plain.words[1:]))

    prose = column("gravel moves when", "the stress exceeds", "a threshold", top=20)
    lines = [
        line("These are declared:", 50, 100, 120),
        typed("int lift (int stones)", 112, 236),
        typed("int sift (int stones, int", 124, 238),
        line("sand, int mud)", 50, 136, 120),
        typed("int sink (double weight)", 148, 234),
        line("All of them return a number at once", 50, 160, 240),
    ]
    assert found([*prose, *lines])[1:] == [
        "These are declared:",
        "int lift (int stones)",
        "int sift (int stones, int / sand, int mud)",
        "int sink (double weight) / All of them return a number at once",
    ]


def test_a_sentence_with_code_where_its_lines_begin_is_one_paragraph() -> None:
    def typed(text: str, top: float) -> Line:
        plain = line(text, 50, top, 238)
        return replace(plain, words=(plain.words[0]._replace(font="CMTT10"), *plain.words[1:]))

    lines = [
        line("Gravel is lifted by the function that is called", 50, 100, 240),
        typed("lift as well as by the one behind it (see above)", 112),
        typed("sift and whatever else there is (see below)", 124),
    ]
    assert found(lines) == [" / ".join(each.text for each in lines)]


def test_lines_of_two_sizes_have_the_pitch_of_those_around_them() -> None:
    sizes = (9.2, 10.0, 9.2, 9.2, 9.2, 9.2, 10.0, 9.2)
    lines = [
        line("川は古い谷を静かに流れてゆく水車の下を通る", 50, 100 + 17 * n, 240, style(size))
        for n, size in enumerate(sizes)
    ]
    assert len(paragraphs_of(lines, [])) == 1


def test_an_entry_begins_left_of_the_lines_of_one_that_ends_with_a_full_width_stop() -> None:
    lines = [
        line("水車 川の水で回る車であり古い谷に今も残る", 50, 100, width=240),
        line("村の人々が守っている。", 70, 112, width=220),
        line("石橋 谷を渡る橋であり古い道に今も続いて", 50, 124, width=240),
        line("町の人々が渡っている。", 70, 136, width=120),
    ]
    first, second = found(lines)
    assert first.startswith("水車")
    assert second.startswith("石橋")


def test_an_entry_begins_left_of_the_lines_of_one_that_ends_early() -> None:
    lines = [
        line("水車 川の水で回る車であり古い谷に今も残る", 50, 100, width=240),
        line("案内は https://example.org/mill/", 70, 112, width=150),
        line("石橋 谷を渡る橋であり古い道に今も続いて", 50, 124, width=240),
        line("町の人々が渡っている", 70, 136, width=120),
    ]
    first, second = found(lines)
    assert first.startswith("水車")
    assert second.startswith("石橋")


def test_a_caption_in_japanese_is_none_where_a_particle_goes_on() -> None:
    assert is_caption("図 1 水車の位置")
    assert is_caption("Рис. 2. Мельница")
    assert not is_caption("図 1 は水車の位置である")


def test_an_entry_begins_left_of_a_single_line_that_ends_early_with_its_sentence() -> None:
    lines = [
        line("谷にある橋の幅を決める。", 70, 100, width=120),
        line("水車の羽根 = 長さ", 50, 112, width=100),
        line("川の水で回る車の羽根の長さを決めるものであり今も", 70, 124, width=220),
    ]
    assert found(lines)[0] == "谷にある橋の幅を決める。"


def test_a_line_of_japanese_goes_on_in_one_that_is_measured_smaller_or_reaches_lower() -> None:
    smaller = [
        line("川は古い谷を静かに流れてゆく水車の下を通るとされ", 50, 100, 240, style(10.1)),
        line("ています。", 50, 117, 50, style(8.7)),
    ]
    assert len(paragraphs_of(smaller, [])) == 1
    lower = [
        line("川は古い谷を静かに流れてゆく水車の下を通る", 50, 100 + 15 * n, 240) for n in range(9)
    ]
    last = lower[-1]
    lower[-1] = replace(last, box=last.box._replace(bottom=last.box.bottom + 5, right=150))
    assert len(paragraphs_of(lower, [])) == 1


def test_a_lone_number_far_above_the_last_lines_of_a_document_is_its_own() -> None:
    head = line("Chapter 4. Of Rivers and Stones", 300, 40)
    text = "Gravel moves when the stress at its bed exceeds this"
    rows = [line(text, 100, 70 + gap) for gap in (0, 14.4, 29.6)]
    assert found([line("28", 100, 40), head, *rows])[0] == "28"


def test_of_line_pitches_that_are_seen_alike_the_middle_one_is_usual() -> None:
    # two lines of a caption set tight, a line below a tall sign, and the text between them
    tight = [line("Widths of the columns of a small table", 100, top) for top in (300, 311)]
    text = "A paragraph is set with more room between its lines than a caption,"
    rows = [line(text, 100, top) for top in (70, 83.5, 99.5)]
    assert found([*rows, *tight])[0] == " / ".join([text] * 3)


def test_a_label_parts_the_line_above_from_the_text_beside_it() -> None:
    lines = [
        line("carry the stones and sand of a river with its gravel", 80, 100),
        line("stone", 50, 113),
        line("the stone that is carried away", 110, 112),
        line("sand", 50, 126),
        line("what is carried beside the stone", 110, 138),
    ]
    assert sorted(found(lines)) == sorted(part.text for part in lines)


def test_a_line_farther_out_than_the_text_beside_a_label_begins_another() -> None:
    lines = [
        line("-rv", 50, 101),
        line("shows stones in the colours of sand and", 110, 100, width=250),
        line("the other way round", 110, 112, width=180),
        line("-gamma shows them brighter", 50, 124, width=250),
    ]
    assert sorted(found(lines)) == [
        "-gamma shows them brighter",
        "-rv",
        "shows stones in the colours of sand and / the other way round",
    ]


def test_a_term_does_not_go_on_with_the_next_one_past_its_text() -> None:
    terms = [line("term", 50, 100 + 26 * n, 22) for n in range(5)]
    meanings = [line("The window system of it.", 86, 113 + 26 * n, 160) for n in range(5)]
    assert [part for part in found([*terms, *meanings]) if "term" in part] == ["term"] * 5


def test_a_comma_is_in_the_row_of_its_line_though_a_low_word_is_not_level_with_it() -> None:
    opened, mark = line("the name of the mode (“string”", 50, 100, 180), line(",", 230, 106, 2.5)
    mark = replace(mark, box=mark.box._replace(bottom=108.5))
    word = line("“comment”", 236, 100.5, 46)
    word = replace(word, style=style(6.5), box=word.box._replace(bottom=107))
    comma = replace(mark, box=mark.box._replace(left=282, right=284.5))
    rest = line("“number”)", 288, 100, 50)
    assert [part.text for part in join_parts([opened, mark, word, comma, rest])] == [
        "the name of the mode (“string”, “comment”, “number”)"
    ]


def test_a_line_goes_on_behind_a_small_picture() -> None:
    parts = [line("just click on the button", 50, 100, 120), line("to turn it.", 190, 100, 55)]
    icon = Rect(173, 96, 187, 112)
    assert [part.text for part in join_over_icons(parts, [icon])] == [
        "just click on the button to turn it."
    ]
    photograph, far = Rect(173, 60, 187, 160), Rect(150, 96, 160, 112)
    assert join_over_icons(parts, [photograph, far]) == parts


@pytest.mark.parametrize(("end", "is_own"), [("is 0:", True), ("is (0)", False), ("is", False)])
def test_small_letters_are_their_own_below_a_stop_far_from_the_margin(
    end: str, is_own: bool
) -> None:
    upper = line(f"This holds where the depth {end}", 50, 100, width=150)
    lower = line("depth(bed) and all that stands in the river", 50, 112, width=200)
    texts = [upper.text, lower.text]
    expected = texts if is_own else [" / ".join(texts)]
    assert found([*column(*PROSE, top=40), upper, lower])[1:] == expected


def test_a_line_goes_on_below_a_short_one_beside_a_picture() -> None:
    lines = [
        line("grains stand in", 50, 100, width=110),
        line("a flood where", 50, 112, width=90),
        line("others move", 50, 124, width=95),
    ]
    beside = paragraphs_of(
        [*column(*PROSE, top=40), *lines], (), graphics=[Rect(170, 95, 290, 140)]
    )
    assert [part.text for part in beside[-1]] == [each.text for each in lines]


def test_a_sentence_that_ends_above_more_space_ends_its_paragraph() -> None:
    texts = [f"grains of river {n} stand still in it" for n in range(10)]
    above = column(*texts, "until they move.")
    below = line("ratio is that of both depths", 50, above[-1].box.top + 15, width=240)
    ends = replace(above[-1], box=above[-1].box._replace(right=288))
    assert found([*above[:-1], ends, below])[-1] == below.text
    for text in ("until they move in", "until they “move”", "until they move (in June)"):
        goes_on = replace(ends, text=text)
        assert found([*above[:-1], goes_on, below])[-1].endswith(f"{text} / {below.text}")


def test_a_line_of_code_below_the_end_of_a_description_is_its_own() -> None:
    text = line("The depth of the bed.", 80, 100, width=90)
    option = line("--width <real>", 50, 112, width=80, look=style(mono=1.0))
    other = line("The width of the bed.", 80, 124, width=95)
    assert found([*column(*PROSE, top=40), text, option, other])[1:] == [
        text.text,
        option.text,
        other.text,
    ]
    goes_on = replace(text, text="The depth that is set with")
    assert found([*column(*PROSE, top=40), goes_on, option])[1:] == [
        "The depth that is set with / --width <real>"
    ]


def test_a_line_goes_on_below_one_with_an_open_bracket() -> None:
    lines = [
        line("The least width (from the", 50, 100, width=130),
        line("upper mill) of each year", 50, 112, width=110),
        line("is that of the bed in August.", 50, 124, width=135),
    ]
    parts = found([*column(*PROSE, top=40), *lines])[1:]
    assert parts[0].startswith(f"{lines[0].text} / {lines[1].text}")


def test_sentences_that_begin_with_a_small_letter_are_no_prose_that_tells_the_margin() -> None:
    texts = ("depth: The depth of it.", "ratio: The ratio of both.", "width: The width of it.")
    full = line("The mill that stands at the weir has these three numbers", 50, 40, 300)
    above = [line(text, 50, 70 + 12 * at, 115 + at) for at, text in enumerate(texts)]
    below = [line(text, 50, 130 + 12 * at, 100 + 8 * at) for at, text in enumerate(texts)]
    assert found([full, *above, *below])[1:] == [*texts, *texts]


def test_a_latin_name_in_small_letters_begins_a_line_below_a_full_width_stop() -> None:
    above = column("川の水で回る車であり古い谷に今も", "残る村の人々が守っている。", top=40)
    lines = [
        line("水車の羽根の長さを決める。", 50, 100, width=150),
        line("mill.txt は水車の長さを決める。", 50, 112, width=160),
    ]
    assert found([*above, *lines])[1:] == [each.text for each in lines]
