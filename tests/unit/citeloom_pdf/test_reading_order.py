from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from types import FrameType

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import LayoutBlock
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.structure.reading_order import in_reading_order, read_in_order
from tests.unit.citeloom_pdf.pages import SENTENCE, block, page, style

ABOVE, BELOW = (50.0, 100.0, 500.0, 600.0), (50.0, 650.0, 500.0, 700.0)


def test_a_note_at_the_foot_comes_before_the_paragraph_that_turns_its_page() -> None:
    pages = [
        page(
            1,
            block("Gravel moves when the stress at the", ABOVE),
            block("1 In floods.", BELOW, DocItemLabel.FOOTNOTE),
        ),
        page(2, block("bed is great.", ABOVE), block("It rests.", BELOW)),
    ]
    items = [[part.block.text for part in item.parts] for item in read_in_order(pages)]
    assert items == [
        ["1 In floods."],
        ["Gravel moves when the stress at the", "bed is great."],
        ["It rests."],
    ]


def test_a_note_parts_no_sentence_whose_first_line_alone_ends_a_page_in_a_script_without_case() -> (
    None
):
    def items(*between: LayoutBlock) -> list[list[str]]:
        first = block("لماذا تأخر تنفيذ المشروع منذ", (50.0, 600.0, 500.0, 612.0))
        second = page(2, block("البداية؟", ABOVE), block(SENTENCE, BELOW))
        items = read_in_order([page(1, first, *between), second])
        return [[part.block.text for part in item.parts] for item in items]

    note = block("1 الملحق.", BELOW, DocItemLabel.FOOTNOTE)
    assert items(note)[:2] == [["1 الملحق."], ["لماذا تأخر تنفيذ المشروع منذ", "البداية؟"]]
    assert items()[0] == ["لماذا تأخر تنفيذ المشروع منذ"]  # as a heading may be


def test_a_note_at_the_foot_does_not_part_a_sentence_with_a_listing_or_a_formula() -> None:
    def texts(last: LayoutBlock, first: LayoutBlock) -> list[str]:
        note = block("1 In floods.", BELOW, DocItemLabel.FOOTNOTE)
        intro = block("The bed is written", (50.0, 100.0, 500.0, 200.0))
        pages = [page(1, block(SENTENCE, (50.0, 60.0, 500.0, 90.0)), intro, last, note)]
        items = read_in_order([*pages, page(2, first, block("It rests.", BELOW))])
        return [part.block.text for item in items for part in item.parts][1:-1]

    middle = (50.0, 250.0, 500.0, 300.0)
    listing, more = block("bed(1)", middle, DocItemLabel.CODE), block("bed(2)", ABOVE)
    rest, formula = block("which is one.", ABOVE), block("x = 1", middle, DocItemLabel.FORMULA)
    more.label = DocItemLabel.CODE
    for last, first in ((listing, rest), (listing, more), (formula, rest)):
        written = ["The bed is written", last.text, first.text]
        assert texts(last, first) == ["1 In floods.", *written]
    ended = block("That is all.", middle)
    assert texts(ended, more)[2:] == ["1 In floods.", "bed(2)"]


def test_a_table_at_the_head_of_the_next_page_comes_after_that_paragraph() -> None:
    pages = [
        page(1, block("Gravel moves when the stress at the", ABOVE)),
        page(
            2,
            block("", (50, 80, 500, 95), DocItemLabel.TABLE),
            block("bed is great.", ABOVE),
        ),
    ]
    items = [[part.page.number for part in item.parts] for item in read_in_order(pages)]
    assert items == [[1, 2], [2]]


def test_a_caption_after_a_comma_does_not_part_a_sentence() -> None:
    blocks = (
        block("Gravel and sand move, for each flood,", ABOVE),
        block("Table 1: Of floods", (50, 610, 500, 620), DocItemLabel.CAPTION),
        block("Rhine and Elbe alike.", BELOW),
    )
    assert len(read_in_order([page(1, *blocks)])[0].parts) == 2


def test_a_head_that_no_other_page_repeats_stands_behind_the_sentence_that_turns_its_page() -> None:
    pages = [
        page(1, block("Gravel moves when the stress at the", ABOVE)),
        page(
            2,
            block("Proceedings of Rivers", (50, 40, 200, 50)),
            block("7(3), 2025", (400, 40, 500, 50)),
            block("bed is great.", ABOVE),
        ),
    ]
    items = [[part.block.text for part in item.parts] for item in read_in_order(pages)]
    assert items == [
        ["Gravel moves when the stress at the", "bed is great."],
        ["Proceedings of Rivers"],
        ["7(3), 2025"],
    ]


def test_a_foot_that_no_other_page_repeats_does_not_part_a_sentence() -> None:
    foot = block("Draft of May", (50, 770, 200, 780))
    pages = [
        page(1, block("Gravel moves when the stress at the", ABOVE), foot),
        page(2, block("bed is great.", ABOVE)),
    ]
    items = [[part.block.text for part in item.parts] for item in read_in_order(pages)]
    assert items == [["Draft of May"], ["Gravel moves when the stress at the", "bed is great."]]


def test_a_title_at_the_head_of_a_page_is_no_aside() -> None:
    pages = [
        page(1, block("Gravel moves when the stress at the", ABOVE)),
        page(2, block("Rivers", (50, 40, 200, 50)), block("Bed is great.", ABOVE)),
    ]
    assert [item.parts[0].block.text for item in read_in_order(pages)][-1] == "Bed is great."


def test_a_listing_at_a_page_end_stays_between_what_is_said_before_and_behind_it() -> None:
    pages = [
        page(
            1,
            block("Gravel is sorted by the call", ABOVE),
            block("sort(gravel)", BELOW, DocItemLabel.CODE),
        ),
        page(2, block("which takes no time.", ABOVE)),
    ]
    assert [len(item.parts) for item in read_in_order(pages)] == [1, 1, 1]


def test_a_listing_stays_where_it_stands_in_an_unfinished_sentence() -> None:
    blocks = (
        block("E.g.,", (50, 100, 500, 120)),
        block("sort(gravel)", (50, 130, 500, 140), DocItemLabel.CODE),
        block("loses its grains, while", (50, 150, 500, 170)),
    )
    listing = block("sand()", (50, 60, 500, 90), DocItemLabel.CODE)
    pages = [page(1, *blocks), page(2, listing, block("keeps them.", ABOVE))]
    texts = [item.parts[0].block.text for item in read_in_order(pages)]
    assert texts == ["E.g.,", "sort(gravel)", "loses its grains, while", "sand()", "keeps them."]


def test_a_sentence_runs_around_a_listing_with_a_caption() -> None:
    blocks = (
        block("Gravel and sand move, for each", (50, 100, 500, 120)),
        block("Listing 1: Of floods", (50, 130, 500, 140), DocItemLabel.CAPTION),
        block("flood(rhine)", (50, 145, 500, 160), DocItemLabel.CODE),
        block("flood, Rhine and Elbe alike.", BELOW),
    )
    assert len(read_in_order([page(1, *blocks)])[0].parts) == 2


def test_columns_below_a_figure_as_wide_as_the_page_are_read_one_by_one() -> None:
    left = [
        block("Its slope is", (50, 500, 160, 510)),
        block("a = b", (50, 520, 110, 545), DocItemLabel.FORMULA),
        block("where the bed is gravel and sand.", (50, 555, 290, 590)),
        block("c = d", (50, 600, 115, 625), DocItemLabel.FORMULA),
        block("and so on in the left one.", (50, 640, 290, 700)),
    ]
    right = [
        block("In the right one it rests.", (310, 500, 550, 580)),
        block("There it stays.", (310, 585, 550, 700)),
    ]
    figure = block("", (120, 60, 480, 450), DocItemLabel.PICTURE)
    caption = block("Fig. 1. Of gravel", (50, 460, 550, 480), DocItemLabel.CAPTION)
    order = in_reading_order([figure, caption, *left, *right])
    assert order == [figure, caption, *left, *right]


def test_names_in_the_left_margin_stand_before_what_begins_beside_them() -> None:
    right = [
        block(text, (150, 100 + 60 * n, 550, 145 + 60 * n))
        for n, text in enumerate(("Of gravel.", "Of sand.", "Of silt."))
    ]
    left = [block(f"name {n}", (50, 100 + 60 * n, 140, 110 + 60 * n)) for n in range(3)]
    assert in_reading_order([*left, *right]) == [b for pair in zip(left, right) for b in pair]


def test_a_heading_below_names_in_the_left_margin_comes_after_what_they_name() -> None:
    heading = block("Inputs", (50, 70, 120, 80))
    names = [block(f"Name {n}", (50, 100 * n, 90, 100 * n + 10)) for n in (1, 2, 3, 4)]
    texts = [block(f"text {n}", (150, 100 * n, 500, 100 * n + 60)) for n in (1, 2, 3, 4)]
    below = block("Outputs", (50, 500, 120, 510))
    pairs = [each for pair in zip(names, texts) for each in pair]
    assert in_reading_order([heading, *names, below, *texts]) == [heading, *pairs, below]


def test_a_left_column_that_begins_elsewhere_is_read_before_the_right_one() -> None:
    left = [block(f"part {n}", (50, 100 + 60 * n, 290, 145 + 60 * n)) for n in range(3)]
    right = [block(f"half {n}", (310, 100 + 60 * n, 550, 145 + 60 * n)) for n in range(3)]
    assert in_reading_order([*left, *right]) == [*left, *right]
    low = [block(f"part {n}", (50, 125 + 60 * n, 140, 135 + 60 * n)) for n in range(3)]
    assert in_reading_order([*low, *right]) == [*low, *right]


def test_blocks_side_by_side_are_read_from_the_right_where_their_text_is() -> None:
    row = [
        block(text, (50 + 100 * at, 100, 90 + 100 * at, 110))
        for at, text in enumerate(("אב", "גד", "הז"))
    ]
    assert in_reading_order(row) == row[::-1]
    numbers = [block("12", (50 + 100 * at, 120, 90 + 100 * at, 130)) for at in range(3)]
    assert in_reading_order([*row, *numbers]) == [*row[::-1], *numbers[::-1]]
    assert in_reading_order(numbers) == numbers


def test_headings_stand_above_their_text_that_goes_over_a_narrow_column_of_cells() -> None:
    texts = [block(f"text {n}", (50, 40 + 60 * n, 570, 70 + 60 * n)) for n in range(2)]
    heads = [block(f"\u05d0\u05d1 {n}", (515, 20 + 60 * n, 570, 35 + 60 * n)) for n in range(2)]
    cells = [
        block(f"{n}", (left, 160 + 20 * n, left + 50, 170 + 20 * n))
        for left in (440, 515)
        for n in range(4)
    ]
    ordered = in_reading_order([*texts, *heads, *cells])
    assert ordered[:4] == [heads[0], texts[0], heads[1], texts[1]]


def test_a_sentence_from_the_right_runs_on_in_the_column_to_the_left() -> None:
    right = block("אבג דהז תחט,\nשכל מנצ עפצ,", (310, 100, 550, 500))
    left = block("קרש תאב גדה\nזזח טשכ.", (50, 100, 290, 500))
    assert [len(item.parts) for item in read_in_order([page(1, left, right)])] == [2]


def columns(top: float, *places: tuple[float, float]) -> list[LayoutBlock]:
    """Four blocks in each column from left to right, the columns one by one."""
    return [
        block(f"{left}: {n}", (left, top + 30 * n, right, top + 25 + 30 * n))
        for left, right in places
        for n in range(4)
    ]


def test_parts_of_a_page_with_other_columns_are_read_one_by_one() -> None:
    index = columns(80, (50, 200), (220, 370), (390, 540))
    title = block("Changes", (50, 220, 130, 240))
    changes = columns(260, (50, 280), (310, 540))
    assert in_reading_order([*changes, title, *index]) == [*index, title, *changes]


def test_the_narrow_labels_of_a_list_are_no_column() -> None:
    labels = [block(f"v{n}", (50, 100 + 50 * n, 62, 110 + 50 * n)) for n in range(5)]
    texts = [block("Added.", (80, 115 + 50 * n, 400, 140 + 50 * n)) for n in range(5)]
    order = [one for pair in zip(labels, texts) for one in pair]
    assert in_reading_order([*labels, *texts]) == order


def test_the_work_on_loose_letters_grows_as_their_number() -> None:
    assert _calls(_loose_letters(rows=100)) < 3 * _calls(_loose_letters(rows=50))


def _loose_letters(rows: int) -> list[LayoutBlock]:
    places = [
        (50 + 15 * column + row * 7 % 11 / 3, 50 + 11 * row)
        for row in range(rows)
        for column in range(30)
    ]
    return [block("a", (left, top, left + 7, top + 9)) for left, top in places]


def _calls(blocks: Sequence[LayoutBlock]) -> int:
    """How many functions are called, and generators resumed, until the blocks are in order."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        in_reading_order(blocks)
    finally:
        sys.setprofile(None)
    return calls


def test_a_last_entry_that_leaves_room_does_not_go_on_over_the_page() -> None:
    first = block("Gravel is what a river carries along at its bed", (50, 600, 500, 610))
    entry = block("Save: keep it in rivers.xml", (50, 640, 250, 650))
    below = page(2, block("Close: leave the window, with all that is in it", ABOVE))
    assert len(read_in_order([page(1, first, entry), below])) == 3
    full = block("Gravel goes where the water that moves it goes, as in the", (50, 640, 498, 650))
    assert len(read_in_order([page(1, first, full), below])) == 2


def test_names_below_pictures_side_by_side_are_no_sentence() -> None:
    names = (
        block("Upper reach", (120, 620, 180, 630)),
        block("Normal flow", (390, 620, 450, 630)),
    )
    items = read_in_order([page(1, block(SENTENCE, ABOVE), *names, block(SENTENCE, BELOW))])
    assert all(len(item.parts) == 1 for item in items)


def test_a_heading_below_two_columns_heads_what_spans_them_next() -> None:
    left, right = (block(SENTENCE, (x, 100, x + 240, 300)) for x in (50, 320))
    heading = block("Of Lakes", (50, 320, 120, 334), DocItemLabel.SECTION_HEADER)
    below = block(SENTENCE, (50, 340, 560, 500))
    assert in_reading_order([left, right, heading, below]) == [left, right, heading, below]
    # a paragraph there may go on in the next column
    paragraph = block("Of Lakes", (50, 320, 120, 334))
    assert in_reading_order([left, right, paragraph, below])[1] is paragraph


def test_the_head_of_a_page_is_read_before_the_columns_below_an_empty_row() -> None:
    title = block("Of Rivers", (330, 40, 500, 64), look=style(24))
    subtitle = block("How they are measured", (330, 70, 500, 84), look=style(14))
    left, right = (block("\n".join([SENTENCE] * 5), (x, 130, x + 240, 300)) for x in (50, 320))
    assert in_reading_order([title, subtitle, left, right]) == [title, subtitle, left, right]
    # without the empty row it is the right column's
    title, subtitle = (replace(each, box=lowered(each.box)) for each in (title, subtitle))
    assert in_reading_order([title, subtitle, left, right])[0] is left


def lowered(box: Rect) -> Rect:
    return Rect(box.left, box.top + 40, box.right, box.bottom + 40)


def test_headings_of_two_columns_are_no_head_of_a_page() -> None:
    heads = [block("Of Rivers", (x, 40, x + 100, 64), look=style(24)) for x in (50, 320)]
    texts = [block("\n".join([SENTENCE] * 5), (x, 100, x + 240, 300)) for x in (50, 320)]
    assert in_reading_order([*heads, *texts]) == [heads[0], texts[0], heads[1], texts[1]]


def test_columns_are_parted_where_neither_reaches_over_the_gutter() -> None:
    wide = [
        (82.0, 100.0 + 14 * n, right, 112.0 + 14 * n) for n, right in enumerate((510, 370, 310))
    ]
    left = [(81.0, 160.0, 299.0, 240.0), (80.0, 244.0, 291.0, 320.0)]
    right = [(310, 160, 519, 230), (309, 236, 383, 248), (309, 250, 522, 320)]
    address = (366.0, 360.0, 437.0, 400.0)
    boxes = [*wide, *left, *right, address]
    blocks = [block(str(number), box) for number, box in enumerate(boxes)]
    by_place = sorted(blocks, key=lambda placed: placed.box.top)
    assert [placed.text for placed in in_reading_order(by_place)] == [*"012345678"]
