from __future__ import annotations

import pytest
from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import LayoutBlock, PageLayout
from citeloom_pdf.structure.furniture import mark_furniture, mark_navigation
from tests.unit.citeloom_pdf.pages import SENTENCE, block, page, style

BODY = (100.0, 100.0, 500.0, 700.0)


def body_texts(*pages: PageLayout) -> list[list[str]]:
    mark_furniture(pages, body_size=10.0)
    return [
        [found.text for found in one.blocks if found.label == DocItemLabel.TEXT] for one in pages
    ]


def head(text: str, top: float = 30.0) -> LayoutBlock:
    return block(text, (100, top, 300, top + 10))


def test_a_text_that_recurs_at_the_head_of_pages_is_furniture() -> None:
    pages = [page(n, head(f"River Studies {n}"), block(SENTENCE, BODY)) for n in range(1, 4)]
    assert body_texts(*pages) == [[SENTENCE]] * 3


def test_the_lines_of_a_letterhead_are_furniture_though_they_go_on_beyond_the_zone() -> None:
    """A4: 842 points high, of which the zone has 109."""

    def letter(number: int, address: str, size: float) -> PageLayout:
        low = block(address, (416, 94, 520, 114), look=style(size=size))
        return page(number, head("River Studies"), low, block(SENTENCE, BODY))

    assert body_texts(*(letter(n, "Oak Lane 3", 8.0) for n in range(1, 4))) == [[SENTENCE]] * 3
    assert body_texts(*(letter(n, f"Oak Lane {n}", 8.0) for n in range(1, 4)))[0][0] == "Oak Lane 1"
    assert body_texts(*(letter(n, "Oak Lane 3", 10.0) for n in range(1, 4)))[0][0] == "Oak Lane 3"


def test_a_running_head_farther_from_the_edge_is_furniture_on_most_pages() -> None:
    """The zone of running heads ends at 104 points of 800."""

    def leaf(number: int, title: str, *, look: float = 10.0) -> PageLayout:
        right = block(f"CHAPTER {number}", (440, 96, 500, 106))
        left = block(title, (100, 96, 200, 106), look=style(size=look))
        return page(number, left, right, block(SENTENCE, (100, 130, 500, 700)))

    titles = ("Water", "Stone", "Wind", "Ice")
    assert body_texts(*(leaf(n, "River Studies") for n in range(1, 5))) == [[SENTENCE]] * 4
    assert body_texts(*(leaf(n, title) for n, title in enumerate(titles, 1)))[0][0] == SENTENCE
    large = body_texts(*(leaf(n, "River Studies", look=14.0) for n in range(1, 5)))
    assert large[0][0] == "River Studies"


def test_a_page_number_is_furniture_even_once() -> None:
    pages = [page(1, block(SENTENCE, BODY), head("12", top=780)), page(2, block(SENTENCE, BODY))]
    assert body_texts(*pages) == [[SENTENCE], [SENTENCE]]


def test_heads_that_differ_but_stand_alike_are_furniture() -> None:
    names = ("Water", "Stone", "Wind", "Ice")
    pages = [page(n, head(name), block(SENTENCE, BODY)) for n, name in enumerate(names, 1)]
    assert body_texts(*pages) == [[SENTENCE]] * 4


def test_heads_of_chapters_are_furniture_in_a_long_book() -> None:
    """Each on every other page of its chapter alone, and not at one height."""
    pages = []
    for number in range(1, 61):
        chapter = (number - 1) // 6
        heads = [head(f"Of {'abcdefghij'[chapter]} stones", 20 + 4.0 * chapter)]
        pages.append(page(number, *(heads if number % 2 else []), block(SENTENCE, BODY)))
    assert body_texts(*pages) == [[SENTENCE]] * 60


def test_a_line_on_two_pages_of_a_long_book_is_text() -> None:
    pages = [page(n, block(SENTENCE, BODY)) for n in range(3, 61)]
    lines = [page(n, head("Of stones", 20 + 4.0 * n), block(SENTENCE, BODY)) for n in (1, 2)]
    assert body_texts(*lines, *pages)[:2] == [["Of stones", SENTENCE]] * 2


def test_words_that_stand_within_pages_as_often_are_text_at_their_feet_too() -> None:
    label = "Example:"
    places = [(100.0, 400.0, 150.0, 410.0), (100.0, 770.0, 150.0, 780.0)]
    pages = [page(n, *(block(label, place) for place in places)) for n in range(1, 5)]
    assert body_texts(*pages) == [[label, label]] * 4


def test_a_first_line_once_is_text() -> None:
    pages = [page(n, block(SENTENCE, BODY)) for n in (1, 2, 3)]
    pages.append(page(4, head("An opening line"), block(SENTENCE, BODY)))
    assert body_texts(*pages)[3] == ["An opening line", SENTENCE]


def test_small_print_beside_the_body_is_furniture() -> None:
    bar = block("DOI: 10.5555/x\nReview\nArchive", (20, 200, 90, 260), look=style(8))
    assert body_texts(page(1, bar, block(SENTENCE, BODY))) == [[SENTENCE]]


@pytest.mark.parametrize(
    "notice",
    [
        "© 2019 The Authors",
        "Copyright (c) 2019 by River Press",
        "This article is licensed under terms\nthat let all copy it",
    ],
)
def test_a_notice_of_copyright_at_a_foot_is_furniture_even_once(notice: str) -> None:
    foot = block(notice, (100, 640, 500, 690), look=style(8))
    assert body_texts(page(1, foot, block(SENTENCE, BODY)), page(2)) == [[SENTENCE], []]


@pytest.mark.parametrize(
    "text",
    ["Copyright law knows no rivers.", "© 2019 The Authors. Code is available at example.org."],
)
def test_what_says_more_than_a_copyright_is_text(text: str) -> None:
    law = block(text, (100, 640, 500, 690), look=style(8))
    assert len(body_texts(page(1, law, block(SENTENCE, BODY)))[0]) == 2


def test_what_stands_at_the_edges_is_the_body_where_there_is_nothing_else() -> None:
    pages = [page(n, head(f"River Studies {n}"), head(str(n), top=780)) for n in (1, 2)]
    assert body_texts(*pages) == [["River Studies 1", "1"], ["River Studies 2", "2"]]


def test_numbers_that_count_the_pages_are_furniture_far_from_the_edge_too() -> None:
    """As of a page laid out for letter paper on a sheet of A4."""
    body = (100.0, 60.0, 500.0, 600.0)
    counted = [page(n, block(SENTENCE, body), head(str(n + 4), 640)) for n in (1, 2)]
    assert body_texts(*counted) == [[SENTENCE]] * 2
    others = [page(n, block(SENTENCE, body), head(str(4 * n), 640)) for n in (1, 2)]
    assert body_texts(*others) == [[SENTENCE, "4"], [SENTENCE, "8"]]
    lower = [page(n, block(SENTENCE, body), head(str(n), 620 + 20 * n)) for n in (1, 2)]
    assert body_texts(*lower) == [[SENTENCE, "1"], [SENTENCE, "2"]]


@pytest.mark.parametrize("form", ["- {} -", "[{}]", "Page {} of 9", "Página {} de 9", "第 {} 页"])
def test_numbers_that_count_the_pages_may_stand_between_signs_and_words(form: str) -> None:
    body = (100.0, 160.0, 500.0, 700.0)
    pages = [page(n, head(form.format(n), 125), block(SENTENCE, body)) for n in (2, 3)]
    assert body_texts(*pages) == [[SENTENCE]] * 2


def test_a_number_that_counts_the_pages_may_stand_beside_a_head() -> None:
    heads = ("Of stones", "Of water", "Of stones", "Of wind")
    pages = [
        page(
            n,
            head(text, 130),
            block(str(n), (320, 130.5, 330, 140)),
            block(SENTENCE, (100, 160, 500, 700)),
        )
        for n, text in enumerate(heads, 1)
    ]
    assert body_texts(*pages) == [[SENTENCE]] * 4


@pytest.mark.parametrize(("number", "is_text"), [("82", False), ("41", True)])
def test_a_number_that_counts_the_pages_as_running_heads_do_is_furniture_even_once(
    number: str, is_text: bool
) -> None:
    heads = [page(n, head(f"{80 + n} Of flumes"), block(SENTENCE, BODY)) for n in (1, 3, 4)]
    opening = page(2, block(SENTENCE, (100, 100, 500, 500)), head(number, 640))
    assert body_texts(heads[0], opening, *heads[1:])[1] == [SENTENCE] + [number] * is_text


def test_lines_at_the_height_where_the_text_of_other_pages_begins_are_text() -> None:
    lines = ("It fell on stones in May.", "Two ways are known:", "Rain is measured by the hour.")
    below = block(SENTENCE, (100, 60, 500, 700))
    opened = [page(n, head(text), below) for n, text in enumerate(lines, 1)]
    others = [page(n, block(f"{SENTENCE}\n{SENTENCE}", (100, 30, 500, 700))) for n in (4, 5)]
    assert body_texts(*opened, *others)[:3] == [[text, SENTENCE] for text in lines]


@pytest.mark.parametrize("first", ["• Sieve: shake and weigh", "Rinse the sand with:"])
def test_items_and_words_that_announce_something_are_no_running_heads(first: str) -> None:
    texts = ["2.1 Sieves", first, first.replace("sh", "br").replace("sa", "la")]
    below = block(SENTENCE, (100, 60, 500, 700))
    pages = [page(n, head(text), below) for n, text in enumerate(texts, 1)]
    assert body_texts(*pages) == [[text, SENTENCE] for text in texts]


def test_lines_that_stand_within_pages_too_are_no_running_heads() -> None:
    """As the headings of a manual's entries, with which pages begin."""
    lines = ["SYNOPSIS", "It gives nothing if it fails.", "RETURN VALUE", "DESCRIPTION"]
    entries = page(5, *(head(line, 200 + 90.0 * n) for n, line in enumerate(lines)))
    pages = [page(n, head(line), block(SENTENCE, BODY)) for n, line in enumerate(lines, 1)]
    assert body_texts(*pages, entries)[:4] == [[line, SENTENCE] for line in lines]


def test_a_heading_that_recurs_at_other_heights_is_text() -> None:
    heights = (30, 55, 80, 45)
    pages = [page(n, head("Synopsis", top), block(SENTENCE, BODY)) for n, top in enumerate(heights)]
    assert body_texts(*pages) == [["Synopsis", SENTENCE]] * 4


def test_what_goes_on_below_a_running_head_beside_it_is_text() -> None:
    text = "The river falls\nfrom the hills."
    pages = [page(n, head("River Studies"), block(SENTENCE, BODY)) for n in (1, 2)]
    beside = block(text, (320, 30, 480, 54))
    pages.append(page(3, head("River Studies"), beside, block(SENTENCE, BODY)))
    assert body_texts(*pages)[2] == [text.replace("\n", " "), SENTENCE]


@pytest.mark.parametrize(("text", "is_head"), [("5.7 peekByte", True), ("peek ::\nByte", False)])
def test_a_line_of_code_beside_a_running_head_may_be_one(text: str, is_head: bool) -> None:
    pages = [page(n, head("River Studies"), block(SENTENCE, BODY)) for n in (1, 2)]
    code = block(text, (320, 30, 380, 40), DocItemLabel.CODE)
    pages.append(page(3, head("River Studies"), code, block(SENTENCE, BODY)))
    mark_furniture(pages, body_size=10.0)
    assert (code.label == DocItemLabel.PAGE_HEADER) is is_head


def test_a_title_that_is_repeated_at_the_head_of_a_page_is_furniture_even_once() -> None:
    title = block("Of Rivers", (100, 100, 300, 114), look=style(14))
    first = page(1, title, block(SENTENCE, BODY))
    text = block(SENTENCE, BODY)
    assert body_texts(first, page(2, head("Of Rivers"), text))[1] == [SENTENCE]
    bold = block("Of Rivers", (100, 30, 300, 40), look=style(10, bold=1.0))
    assert body_texts(first, page(2, bold, text))[1] == ["Of Rivers", SENTENCE]


@pytest.mark.parametrize(
    ("text", "is_head"),
    [
        ("Chapter 7. Of Rivers and Stones", True),
        ("48 CHAPTER 7. OF RIVERS AND STONES", True),
        ("CHAPTER 7. OF RIVERS…", True),
        ("Chapter 7. Of", False),
        ("Chapter 7. Of sand and…", False),
    ],
)
def test_a_running_head_may_have_a_number_or_be_cut_short(text: str, is_head: bool) -> None:
    title = block("Chapter 7 Of Rivers and Stones", (100, 100, 300, 114), look=style(14))
    pages = [page(1, title, block(SENTENCE, BODY)), page(2, head(text), block(SENTENCE, BODY))]
    assert body_texts(*pages)[1] == [text] * (not is_head) + [SENTENCE]


def test_the_head_of_a_page_may_repeat_the_title_below_it() -> None:
    title = block("Of Rivers", (100, 140, 300, 154), look=style(14))
    texts = body_texts(page(1, head("Of Rivers"), title, block(SENTENCE, BODY)))
    assert texts == [["Of Rivers", SENTENCE]]


@pytest.mark.parametrize("text", ["0 40", "Layers, 27"])
def test_numbers_and_entries_of_an_index_repeat_no_title(text: str) -> None:
    titles = [
        block(t, (100, at, 300, at + 14), look=style(14)) for t, at in (("Layers", 100), ("§", 120))
    ]
    pages = [page(1, *titles, block(SENTENCE, BODY)), page(2, head(text), block(SENTENCE, BODY))]
    assert body_texts(*pages)[1] == [text, SENTENCE]


def slide(number: int, title: str, *others: LayoutBlock) -> PageLayout:
    heading = block(title, (100, 30, 300, 46), look=style(16))
    text = block(f"{SENTENCE} {number}", BODY)
    return PageLayout(number, 1000.0, 800.0, (heading, text, *others))


def test_titles_of_slides_are_no_running_heads_though_they_stand_alike() -> None:
    names = ("Water", "Stone", "Stone", "Wind", "Ice", "Sand", "Silt")
    found = body_texts(*(slide(n, name) for n, name in enumerate(names, 1)))
    titles = [texts[0] for texts in found if len(texts) == 2]
    assert titles == ["Water", "Stone", "Wind", "Ice", "Sand", "Silt"]


def test_a_title_beside_a_running_head_is_text() -> None:
    mark = block("Basin Institute", (800, 30, 900, 40))
    pages = [slide(n, name, mark) for n, name in enumerate(("Water", "Stone", "Wind"), 1)]
    assert [texts[0] for texts in body_texts(*pages)] == ["Water", "Stone", "Wind"]


def test_a_list_of_sections_beside_the_text_of_slides_is_furniture() -> None:
    def sections() -> list[LayoutBlock]:
        at = ((name, 200 + 20 * n) for n, name in enumerate(("Rivers", "Lakes", "Seas")))
        return [block(name, (20, top, 90, top + 8), look=style(8)) for name, top in at]

    level = block("The Elbe", (120, 200, 300, 210))
    pages = [
        slide(n, name, level, *sections()) for n, name in enumerate(("Water", "Stone", "Wind"), 1)
    ]
    mark_navigation(pages)
    found = body_texts(*pages)
    assert all("Rivers" not in texts and "The Elbe" in texts for texts in found)
    alike = [page(n, block(SENTENCE, BODY), *sections()) for n in range(1, 4)]
    mark_navigation(alike)
    assert all(found.label == DocItemLabel.TEXT for each in alike for found in each.blocks)
