"""Spaces between words, from two readings of each line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom_pdf.elements.geometry import (
    Glyph,
    PlacedGlyphs,
    Rect,
)
from citeloom_pdf.elements.page import Line, Word
from citeloom_pdf.parsing.lines import join_parts
from citeloom_pdf.parsing.spacing import (
    letter_spaced,
    splitting_gap,
    with_spaces_checked,
)
from tests.unit.citeloom_pdf.pages import line, words

ADVANCE, SPACE = 5.0, 2.5


class NoWords:
    """A document with no words elsewhere."""

    def has(self, _word: str) -> bool:
        return False


class Printed:
    """A document with these words elsewhere."""

    def __init__(self, *words: str) -> None:
        self._words = words

    def has(self, word: str) -> bool:
        return word in self._words


class AllWords:
    """A document with every word elsewhere."""

    def has(self, _word: str) -> bool:
        return True


def printed(
    text: str, top: float, *, read_as: str | None = None, tracking: float = 0.0
) -> tuple[Line, list[Glyph]]:
    """A line as the parser reads `text`, and PDFium `read_as`; its letters stand as in the latter,
    where `|` is a wide gap that it overlooks, each apart from the next by `tracking`.
    """
    glyphs: list[Glyph] = []
    left, spaced = 50.0, True
    for letter in read_as if read_as is not None else text:
        if letter in " |":
            left += SPACE + tracking
            spaced = spaced or letter == " "
            continue
        box = Rect(left, top, left + ADVANCE, top + 10)
        glyphs.append(Glyph(len(glyphs), letter, box, spaced))
        left, spaced = left + ADVANCE + tracking, False
    return replace(line(text, 50.0, top, width=left - 50.0), words=()), glyphs


def checked(*lines: tuple[Line, list[Glyph]]) -> list[str]:
    glyphs = [glyph for _, found in lines for glyph in found]
    numbered = [glyph._replace(order=number) for number, glyph in enumerate(glyphs)]
    read = with_spaces_checked([one for one, _ in lines], PlacedGlyphs(numbered), NoWords())
    return [one.text for one in read]


def test_a_line_set_too_tight_for_the_parser_gets_its_spaces() -> None:
    lines = (
        printed("The model of the bed", 100),
        printed("Thismodel ofgravel moves", 120, read_as="This model of gravel moves"),
    )
    assert checked(*lines) == ["The model of the bed", "This model of gravel moves"]


def test_the_gap_behind_a_bullet_is_no_measure_of_spaces() -> None:
    item = printed("• SeanWhitton", 100, read_as="• || Sean Whitton")
    assert checked(item) == ["• Sean Whitton"]


def test_letter_spaced_words_are_put_together() -> None:
    lines = (printed("r iver s car ry sed imen t", 100, read_as="rivers carry sediment"),)
    assert checked(*lines) == ["rivers carry sediment"]


def test_korean_words_stay_apart_though_their_letters_stand_evenly() -> None:
    text = "하천은 도시 생태계의 중요한 구성 요소이다"
    glyphs: list[Glyph] = []
    left = 50.0
    for word in text.split():
        for place, letter in enumerate(word):
            box = Rect(left, 100, left + 1.8, 110)  # as narrow as fonts of squares say it is
            glyphs.append(Glyph(len(glyphs), letter, box, place == 0))
            left += 10.0
        left += 3.7
    assert checked((replace(line(text, 50.0, 100, width=left - 50.0), words=()), glyphs)) == [text]


def test_words_that_pdfium_glues_stay_apart() -> None:
    lines = (
        printed("a threshold near the slope", 100),
        printed("slope near threshold", 120, read_as="slope|nearthreshold"),
    )
    assert checked(*lines)[1] == "slope near threshold"


def test_a_space_as_wide_as_the_others_of_its_line_stays_where_pdfium_has_none() -> None:
    read, glyphs = printed(
        "it is a gauge to the bed of gravel", 100, read_as="it is a|gauge to the bed of gravel"
    )
    numbered = [glyph._replace(order=number) for number, glyph in enumerate(glyphs)]
    found = with_spaces_checked([read], PlacedGlyphs(numbered), Printed("agauge"))
    assert [one.text for one in found] == ["it is a gauge to the bed of gravel"]


def test_a_sign_where_the_letter_before_it_ends_has_no_space_whatever_words_are_known() -> None:
    lines = (
        printed("gravel and _bed of the river", 100),
        printed("gravel _bed as gravel ®", 120, read_as="gravel_bed as gravel®"),
    )
    assert checked(*lines)[1] == "gravel_bed as gravel®"


def test_a_raised_number_stays_apart_from_its_word() -> None:
    assert checked(printed("moves 1 gravel", 100, read_as="moves1 gravel")) == ["moves 1 gravel"]


def test_a_sign_that_closes_or_opens_stands_at_its_word_unless_pdfium_has_a_space_too() -> None:
    lines = (
        printed("of ( sand , 1990 ).", 100, read_as="of (|sand|, 1990|)."),
        printed("of ( sand )", 120),
        printed("*bed )", 140, read_as="*bed|)"),
    )
    assert checked(*lines) == ["of (sand, 1990).", "of ( sand )", "*bed)"]


def test_a_number_in_the_row_of_its_word_is_parted_from_it() -> None:
    lines = (
        printed("An example of the bed", 100),
        printed("Example2 ofthe bed", 120, read_as="Example 2 of the bed"),
    )
    assert checked(*lines) == ["An example of the bed", "Example 2 of the bed"]


def test_digits_and_signs_that_only_pdfium_parts_stay_together() -> None:
    lines = (printed("of 29 or x+1 in all", 100, read_as="of 2 9 or x+ 1 in all"),)
    assert checked(*lines) == ["of 29 or x+1 in all"]


def test_a_number_that_only_pdfium_parts_from_its_word_stays_there_where_it_is_raised() -> None:
    read, glyphs = printed("theory12 of the bed", 120, read_as="theory 12 of the bed")
    raised = [
        glyph._replace(box=glyph.box._replace(bottom=glyph.box.bottom - 4))
        if glyph.text.isdigit()
        else glyph
        for glyph in glyphs
    ]
    assert checked((read, raised)) == ["theory12 of the bed"]


def broken(text: str, top: float, tracking: float = 1.5) -> tuple[Line, list[Glyph]]:
    """A letter-spaced line of which both readings make single letters."""
    letters = " ".join(text.replace(" ", ""))
    reading, glyphs = printed(letters, top, read_as=text, tracking=tracking)
    return reading, [glyph._replace(spaced=True) for glyph in glyphs]


def test_text_broken_in_both_readings_is_put_together_by_its_gaps() -> None:
    lines = ("rivers carry gravel (see page 21)", "to the sea.")
    assert checked(*(broken(text, 100 + 20 * n) for n, text in enumerate(lines))) == [*lines]


def test_letters_of_a_formula_stay_apart() -> None:
    reading, glyphs = broken("abcdefgh", 100)
    formula = replace(reading, style=replace(reading.style, math=1.0))
    assert checked((formula, glyphs)) == [formula.text]


def stretched(*parts: tuple[str, float, float]) -> tuple[Line, list[Glyph]]:
    """A line of parts in fonts of their own, each with the gaps between its letters and between its
    words; both readings make single letters of a part whose letters stand apart.
    """
    glyphs: list[Glyph] = []
    found: list[Word] = []
    left = 50.0
    for number, (text, tracking, space) in enumerate(parts):
        for word in text.split():
            left += space - tracking
            for at, letter in enumerate(word):
                left += tracking
                box = Rect(left, 100.0, left + ADVANCE, 110.0)
                spaced = not at or bool(tracking)
                glyphs.append(Glyph(len(glyphs), letter, box, spaced))
                if spaced:
                    found.append(Word(box, letter, f"Font{number}"))
                else:
                    found[-1] = found[-1]._replace(text=found[-1].text + letter)
                left = box.right
    read = line(" ".join(word.text for word in found), 50.0, 100.0, width=left - 50.0)
    return replace(read, words=tuple(found)), glyphs


def test_a_part_of_a_line_whose_letters_alone_are_set_apart_is_put_together() -> None:
    read, glyphs = stretched(
        ("Carry the", 2.5, 8.0),
        ("bed_load", 0.0, 8.0),
        ("of it", 1.4, 8.0),
        ("to the sea", 0.0, 8.0),
    )
    placed = PlacedGlyphs(glyphs)
    (known,) = with_spaces_checked([read], placed, Printed("the", "of", "it"))
    assert known.text == "Carry the bed_load of it to the sea"
    (unknown,) = with_spaces_checked([read], placed, NoWords())
    assert unknown.text == "Carry t h e bed_load o f i t to the sea"


def test_lone_letters_as_far_apart_as_the_words_of_their_line_stay_apart() -> None:
    (text,) = checked(
        stretched(("sides", 0.0, 3.0), ("a b c d", 0.0, 3.0), ("meet here", 0.0, 3.0))
    )
    assert text == "sides a b c d meet here"


def test_variables_and_signs_that_stand_near_one_another_are_no_words() -> None:
    for text in ("G B", "h\u22121"):
        read, glyphs = stretched(("sides", 0.0, 8.0), (text, 1.4, 3.0), ("meet here", 0.0, 8.0))
        (near,) = with_spaces_checked([read], PlacedGlyphs(glyphs), AllWords())
        assert near.text == read.text


def test_a_soft_hyphen_at_the_end_of_a_letter_spaced_line_stays_with_its_word() -> None:
    reading, glyphs = broken("rivers carry gra", 100)
    with_hyphen = replace(reading, text=f"{reading.text} \u00ad")
    assert checked((with_hyphen, glyphs)) == ["rivers carry gra\u00ad"]


def test_dots_of_a_leader_that_stand_apart_do_not_glue_the_words_before_them() -> None:
    name = "Gravel and sand "
    lines = [printed(name + "." * 40, 100 + 20 * n, read_as=name + ".|" * 40) for n in range(3)]
    assert {text.rstrip(".").strip() for text in checked(*lines)} == {"Gravel and sand"}


def test_letters_of_uneven_distance_are_not_letter_spaced() -> None:
    gaps = [0.02, 0.3, 0.11, 0.05, 0.2, 0.16, 0.08, 0.27, 0.13, 0.24]
    assert letter_spaced([("Serif", gaps)]) == {}
    assert letter_spaced([("Serif", [0.1] * 10 + [0.4])]) == {"Serif": 0.1}


def test_a_space_without_a_gap_is_none_within_a_word_of_the_document() -> None:
    reading, glyphs = printed("so neg ative values", 100, read_as="so negative values")
    spaced = [glyph._replace(spaced=True) if glyph.order == 5 else glyph for glyph in glyphs]
    (read,) = with_spaces_checked([reading], PlacedGlyphs(spaced), AllWords())
    assert read.text == "so negative values"


def test_a_large_letter_that_opens_a_paragraph_is_of_the_word_beside_it() -> None:
    beside = line("ravel moves in spring", 72.0, 100.0)
    opened = replace(beside, text=f"G {beside.text}", box=beside.box._replace(left=50.0))
    (read,) = with_spaces_checked([opened], PlacedGlyphs([]), Printed("gravel"))
    assert read.text == "Gravel moves in spring"
    assert read.words[0].text == "Gravel"
    assert read.words[0].box.left == 50.0
    for known in (Printed(), Printed("gravel", "ravel")):
        (apart,) = with_spaces_checked([opened], PlacedGlyphs([]), known)
        assert apart.text == opened.text


def test_words_move_with_their_spaces() -> None:
    reading, glyphs = printed("thebed", 100, read_as="the bed")
    whole = line("thebed", 50, 100, width=reading.box.width)
    (read,) = with_spaces_checked([whole], PlacedGlyphs(glyphs), NoWords())
    assert [(word.text, word.box.left, word.box.right) for word in read.words] == [
        ("the", 50.0, 65.0),
        ("bed", 67.5, 82.5),
    ]


def test_gaps_of_one_kind_are_not_split() -> None:
    assert splitting_gap([0.10, 0.11, 0.12, 0.10, 0.11, 0.12, 0.13, 0.1]) is None
    assert splitting_gap([0.1, 0.1, 0.1, 0.5, 0.1, 0.1, 0.1, 0.5]) == 0.3


def test_a_word_of_code_in_prose_stays_whole_though_pdfium_sees_a_space_after_each_letter() -> None:
    reading, glyphs = printed("the command \\setdefaultlanguage moves", 100)
    before, between, code, behind = words(reading.text, reading.box)
    parts = (before, between, code._replace(font="Mono-Regular"), behind)
    style = replace(reading.style, mono=0.5)
    apart = [g._replace(spaced=g.spaced or 10 < n < 29) for n, g in enumerate(glyphs)]
    known = printed("default language set the moves", 120)
    read = checked((replace(reading, words=parts, style=style), apart), known)
    assert read[0] == "the command \\setdefaultlanguage moves"


def test_a_stretched_line_of_chinese_has_no_spaces_between_letters_as_far_apart_as_all() -> None:
    line, glyphs = printed("川は 静かに 流れている", 100)
    even = [
        glyph._replace(box=Rect(left, 100, left + ADVANCE, 110))
        for left, glyph in zip(range(50, 200, 7), glyphs)
    ]
    (checked,) = with_spaces_checked([line], PlacedGlyphs(even), NoWords())
    assert checked.text == "川は静かに流れている"


def test_a_wide_space_between_letters_of_chinese_stays() -> None:
    line, glyphs = printed("川の流れ 静かな谷", 100)
    (checked,) = with_spaces_checked([line], PlacedGlyphs(glyphs), NoWords())
    assert checked.text == "川の流れ 静かな谷"


def test_words_of_korean_are_parted_by_gaps_wider_than_those_of_their_squares() -> None:
    line, glyphs = printed(
        "쓸수있다는말을강에서들었다", 100, read_as="쓸|수|있다는|말을|강에서|들었다"
    )
    (checked,) = with_spaces_checked([line], PlacedGlyphs(glyphs), NoWords())
    assert checked.text == "쓸 수 있다는 말을 강에서 들었다"


def test_korean_behind_a_word_of_code_is_parted_into_its_words() -> None:
    line, glyphs = printed(
        "stdio.h를강물이산을돌아흐른다", 100, read_as="stdio.h를|강물이|산을|돌아|흐른다"
    )
    code = replace(line, style=replace(line.style, mono=0.9))
    (checked,) = with_spaces_checked([code], PlacedGlyphs(glyphs), NoWords())
    assert checked.text == "stdio.h를 강물이 산을 돌아 흐른다"


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ('choose the "Guide"', ". You need it", 'choose the "Guide". You need it'),
        ("is written to", ".riverrc of it", "is written to .riverrc of it"),
        ("a, b,", ". . . of it", "a, b, . . . of it"),
    ],
)
def test_a_stop_in_another_font_stands_at_its_word(first: str, second: str, whole: str) -> None:
    left = line(first, 50.0, 100)
    right = line(second, left.box.right + 3.0, 100)
    assert [one.text for one in join_parts([left, right])] == [whole]
