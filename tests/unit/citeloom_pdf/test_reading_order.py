from __future__ import annotations

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.structure.reading_order import read_in_order
from tests.unit.citeloom_pdf.pages import block, page

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
