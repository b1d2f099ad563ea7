"""Lists of label and text, which stand in two columns and are read row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from citeloom_pdf.blocks.entries import find_entries
from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Line, PageContent, Word
from tests.unit.citeloom_pdf.pages import line, style

LONG = "the width of the frame, which may be negative if the frame is turned"


def entries(*lines: Line) -> list[tuple[str, str]]:
    return [
        (" ".join(part.text for part in entry.label), " ".join(part.text for part in entry.text))
        for entry in sorted(find_entries(lines), key=lambda entry: entry.text[0].box.top)
    ]


def texts(*lines: Line) -> list[str]:
    return [block.text for block in lay_out(PageContent(1, 600.0, 800.0, lines)).blocks]


def column(left: float, width: float, *texts: str) -> list[Line]:
    return [line(text, left, 100 + 12 * row, width) for row, text in enumerate(texts)]


FIELDS = (
    line("width", 50, 100, 25),
    line(LONG, 150, 100, 350),
    line("around its own axis.", 150, 112, 100),
    line("height", 50, 130, 30),
    line("its height.", 150, 130, 55),
    line("returns", 50, 148, 35),
    line("the frame.", 150, 148, 50),
)


def test_a_label_stands_with_the_whole_of_its_text() -> None:
    assert entries(*FIELDS) == [
        ("width", LONG + " around its own axis."),
        ("height", "its height."),
        ("returns", "the frame."),
    ]
    assert texts(*FIELDS) == [
        f"width {LONG} around its own axis.",
        "height its height.",
        "returns the frame.",
    ]


def test_short_rows_under_one_another_are_entries_even_in_a_typewriter_font() -> None:
    code = style(mono=1.0)
    names = [line(name, 50, 100 + 13 * at, 0, code) for at, name in enumerate(["NULL", "symbol"])]
    said = [
        line(text, 150, 100 + 13 * at) for at, text in enumerate(["nothing", "a variable name"])
    ]
    prose = line("Every object has one of the types that are listed here:", 50, 80, 450)
    assert texts(prose, *names, *said) == [prose.text, "NULL nothing", "symbol a variable name"]


def test_columns_of_prose_are_no_entries_however_level_their_lines() -> None:
    left = column(50, 235, *["gravel moves when the stress at the bed exceeds"] * 6)
    right = column(310, 235, *["a threshold that depends on the size of grains"] * 6)
    assert entries(*left, *right) == []


def test_a_contents_column_beside_an_abstract_is_none() -> None:
    contents = column(50, 60, "Contents", "1 Aims", "2 Methods", "3 Results", "4 Outlook")
    abstract = column(150, 350, *["gravel moves when the stress at the bed of a river exceeds"] * 9)
    assert entries(*contents, *abstract) == []


def test_an_index_in_two_columns_is_none() -> None:
    left = column(50, 60, "apple, 3", "bed, 4, 9", "clay, 2", "dune, 8")
    right = column(310, 60, "gravel, 7", "grain, 5", "lake, 11", "mud, 3")
    assert entries(*left, *right) == []


def test_rows_of_three_columns_are_whole() -> None:
    rows = (
        ("size", "12", "of the letters"),
        ("lead", "14", "between the lines"),
        ("kern", "0", "taken from pairs"),
        ("rule", "2", "under the heading"),
    )
    lines = [
        line(text, left, 100 + 15 * at)
        for at, row in enumerate(rows)
        for text, left in zip(row, (50, 90, 130))
    ]
    assert texts(*lines) == [" ".join(row) for row in rows]


def test_rows_of_a_page_from_the_right_are_read_from_there_also_those_of_numbers() -> None:
    rows = (
        ("\u2212", "12", "\u05d0\u05d1\u05d2 \u05d3\u05d4\u05d5"),
        ("0.5", "14", "\u05d5\u05d4 \u05d3\u05d2\u05d1"),
        ("1.5", "0", "1,250.75"),
        ("2.5", "2", "\u05d0\u05d3 \u05d4\u05d5\u05d1"),
    )
    lines = [
        line(text, left, 100 + 15 * at)
        for at, row in enumerate(rows)
        for text, left in zip(row, (50, 90, 130))
    ]
    assert " ".join(texts(*lines)) == " ".join(" ".join(row[::-1]) for row in rows)


def test_a_row_that_came_whole_is_an_entry_between_others() -> None:
    whole = line("insert(index) puts one before", 50, 118, 145)  # `puts` begins at 120
    others = (
        line("clear", 50, 100),
        line("removes all.", 120, 100),
        line("copy", 50, 136),
        line("makes another.", 120, 136),
    )
    assert [text for _, text in entries(*others, whole)] == [
        "removes all.",
        "insert(index) puts one before",
        "makes another.",
    ]


def test_labels_in_the_margin_stand_with_the_paragraphs_they_begin() -> None:
    lines = (
        line("indent", 60, 100, 30),
        line(LONG, 110, 100, 390),
        line("around its own axis.", 100, 112, 100),
        line("skip", 70, 124, 20),
        line(LONG, 110, 124, 390),
        line("around the axis of the page.", 100, 136, 140),
    )
    assert [label for label, _ in entries(*lines)] == ["indent", "skip"]


@pytest.mark.parametrize("kind", [{"math": 1.0}, {"mono": 1.0}])
def test_rows_of_formulas_and_of_listings_are_none(kind: dict[str, float]) -> None:
    look = style(**kind)
    rows: Sequence[Line] = [
        line(text, left, 100 + 13 * at, 0, look)
        for at in range(3)
        for text, left in (("x", 50), ("= y + z", 100))
    ]
    assert entries(*rows) == []


def test_a_limit_and_what_it_equals_are_none() -> None:
    lines = [
        replace(line(text, 0, 0, look=style(math=math)), box=Rect(*box))
        for text, math, box in (
            ("(X(n))/", 1.0, (286.4, 171.0, 309.1, 179.7)),
            ("lim", 0.0, (266.2, 177.7, 280.0, 186.4)),
            ("n = 6qₙ₊₁", 0.14, (294.8, 177.7, 348.0, 193.3)),
            ("n→∞", 1.0, (262.7, 185.7, 283.5, 191.8)),
            (LONG, 0.0, (133.8, 201.3, 477.5, 210.0)),
            ("claim.", 0.0, (133.8, 213.3, 159.8, 222.0)),
        )
    ]
    assert entries(*lines) == []


def test_notes_in_the_margin_are_none() -> None:
    small = style(8.0)
    lines = (
        line("Rivers carry sand and gravel", 20, 100, 70, small),
        line("in floods.", 20, 109, 30, small),
        line(LONG, 100, 100, 390),
        line("around its own axis.", 100, 112, 100),
        line("Deltas grow where they end.", 20, 130, 70, small),
        line(LONG, 100, 130, 390),
        line("around the axis of the page.", 100, 142, 140),
    )
    assert entries(*lines) == []


def test_a_label_of_two_lines_is_one_though_each_stands_beside_a_line_of_text() -> None:
    lines = (
        line("Curriculum and", 50, 100, 60),
        line(LONG, 150, 100, 350),
        line("Management", 50, 112, 50),
        line(LONG + " at all", 150, 112, 350),
        line("in any case.", 150, 124, 60),
        line("Captions", 50, 142, 40),
        line("none.", 150, 142, 30),
        line("Videos", 50, 160, 40),
        line("two.", 150, 160, 30),
    )
    assert [label for label, _ in entries(*lines)] == [
        "Curriculum and Management",
        "Captions",
        "Videos",
    ]


def test_a_label_that_ends_where_the_second_lines_of_texts_begin_is_one() -> None:
    lines = []
    for n, name in enumerate(("slope", "depth", "width")):
        lines += [
            line(name, 100.5 - 5 * len(name), 100 + 40 * n),
            line("of the bed of a river.", 107, 100 + 40 * n),
            line("Example: 0.004 (default).", 100, 112 + 40 * n),
        ]
    assert [one.label[0].text for one in find_entries(lines)] == ["slope", "depth", "width"]


def test_a_page_set_letter_by_letter_has_no_entries() -> None:
    texts = ("Of the grains of sand", "And of gravel in the bed of a river")
    lines = [
        part
        for n in range(501)
        for part in (line("size", 50, 100 + 15 * n), line(texts[n % 2], 110, 100 + 15 * n))
    ]
    assert len(find_entries(lines[:20])) == 10
    assert find_entries(lines) == []


def test_an_entry_of_a_formula_is_doubted() -> None:
    formula = line("x + y + z = a b c", 150, 130, 85, look=style(math=0.9))
    lines = tuple(formula if each.text == "its height." else each for each in FIELDS)
    blocks = lay_out(PageContent(1, 600.0, 800.0, lines)).blocks
    assert [block.text for block in blocks if block.doubtful] == ["height x + y + z = a b c"]


@pytest.mark.parametrize(
    ("marks", "is_row"),
    [
        ("1. 6. 2. 7. 3. 8.", False),
        ("\u0e01. \u0e0c. \u0e02. \u0e0d. \u0e04. \u0e0e.", False),  # letters of Thai
        ("(a) (d) (b) (e) (c) (f)", False),
        ("A. B. C. D. E. F.", True),
    ],
)
def test_items_of_lists_side_by_side_are_no_entries_where_the_lists_go_on_below(
    marks: str, is_row: bool
) -> None:
    words = ("rye", "rye of the late harvest", "oats", "oats of the late", "wheat", "wheat")
    lines = [
        line(f"{mark} {word}", 100 + 60 * (at % 2), 100 + 14 * (at // 2))
        for at, (mark, word) in enumerate(zip(marks.split(), words))
    ]
    assert bool(entries(*lines)) == is_row


def test_a_label_too_long_for_the_room_before_its_text_stands_above_it() -> None:
    found = entries(
        line("width", 50, 100, 25),
        line("the width of it.", 110, 100, 80),
        line("colours", 50, 118, 58),
        line("its colour.", 110, 130, 55),
        line("height", 50, 148, 30),
        line("its height.", 110, 148, 55),
    )
    assert found == [
        ("width", "the width of it."),
        ("colours", "its colour."),
        ("height", "its height."),
    ]


def test_a_row_of_three_columns_is_one_entry_though_its_text_goes_on_below() -> None:
    code, tops = style(mono=1.0), (100, 160)
    rows = [
        *(line(name, 50, top, 60, code) for name, top in zip(("turn(a)", "move(x)"), tops)),
        *(line(kind, 150, top, 35, code) for kind, top in zip(("scalar", "vector"), tops)),
        *(line(LONG, 250, top + 12 * n, 280) for top in tops for n in range(3)),
        *(line("around its own axis.", 250, top + 36, 110) for top in tops),
    ]
    text = f"{LONG} {LONG} {LONG} around its own axis."
    assert texts(*rows) == [f"turn(a) scalar {text}", f"move(x) vector {text}"]


def test_a_label_above_its_text_is_no_word_with_it_where_the_two_touch() -> None:
    lines = (
        line("width", 50, 100, 25),
        line("the width of it.", 110, 100, 80),
        line("colours", 50, 118, 60),
        line("its colour.", 110, 130, 55),
        line("height", 50, 148, 30),
        line("its height.", 110, 148, 55),
    )
    blocks = lay_out(PageContent(1, 600, 800, lines)).blocks
    assert [block.lines for block in blocks] == [
        ("width the width of it.",),
        ("colours", "its colour."),
        ("height its height.",),
    ]


def test_rows_of_a_word_each_are_entries_between_rows_that_came_whole() -> None:
    names = ["alder", "birch", "maple"]
    parts = [
        each
        for row, name in enumerate(names)
        for each in (
            line(name, 50, 100 + 13 * row, 28),
            line(name.upper(), 118, 100 + 13 * row, 90),
        )
    ]
    whole = [
        line(f"old {name} tree {name.upper()} {row}", 50, 139 + 13 * row, 120)
        for row, name in enumerate(names * 3)
    ]
    placed = [
        replace(each, words=tuple(_from(118, word, at) for at, word in enumerate(each.words)))
        for each in whole
    ]
    found = entries(*parts, *placed)
    assert found[:3] == [(name, name.upper()) for name in names]


def _from(place: float, word: Word, at: int) -> Word:
    """A word moved: from the fourth of a row on to the place where its text begins."""
    left = place + 30 * (at - 3) if at >= 3 else 50 + 20 * at
    return word._replace(box=Rect(left, word.box.top, left + 18, word.box.bottom))
