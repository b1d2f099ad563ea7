"""What books print above a title to number it."""

from __future__ import annotations

import pytest

from citeloom_pdf.elements.block import LayoutBlock, PageLayout
from citeloom_pdf.elements.page import Style
from citeloom_pdf.structure.chapters import (
    is_label,
    with_labels_joined,
    without_label,
)
from tests.unit.citeloom_pdf.pages import SENTENCE, block, page, style

BOLD = style(10, bold=1.0)


def line(text: str, top: float, look: Style | None = None) -> LayoutBlock:
    look = look or style(16)
    return block(text, (100, top, 300, top + look.size), look=look)


def prose(top: float) -> LayoutBlock:
    return block("\n".join([SENTENCE] * 5), (100, top, 500, top + 60))


def texts(*pages: PageLayout) -> list[list[str]]:
    return [[found.text for found in one.blocks] for one in with_labels_joined(pages, 10.0)]


@pytest.mark.parametrize(
    "text",
    [
        "Chapter 3",
        "KAPITEL 12",
        "CHAPTER TWENTYTWO",
        "Part IV",
        "Appendix A",
        "Anhang C.",
        "Teil I",
        "Глава 5",
        "Capitolul 1",
        "CAPÍTOL 2",
        "Chương 3",
        "Bilaga B",
        "باب \u0661",
    ],
)
def test_a_label_is_a_word_and_a_number(text: str) -> None:
    assert is_label(text)
    assert without_label(f"{text} Of Gravel") == "Of Gravel"


@pytest.mark.parametrize("text", ["Chapter", "Chapter summary", "Parts 1", "Part of it", "3"])
def test_other_text_is_none(text: str) -> None:
    assert not is_label(text)
    assert without_label(f"{text} of gravel") == f"{text} of gravel"


def test_a_label_is_joined_to_the_title_below_it() -> None:
    joined = with_labels_joined([page(1, line("Kapitel 2", 60), line("Vom Kies", 100))], 10.0)
    (title,) = joined[0].blocks
    assert (title.text, title.box.top, title.box.bottom) == ("Kapitel 2 Vom Kies", 60, 116)
    assert title.style.size == 16


def test_a_label_in_two_pieces_is_joined_whole() -> None:
    opening = page(1, line("CHAPTER", 60, BOLD), line("ONE", 80), line("Gravel", 120), prose(200))
    assert texts(opening)[0][0] == "CHAPTER ONE Gravel"


def test_a_label_stays_alone_where_no_title_follows() -> None:
    below_is_text = page(1, line("Chapter 1", 60), prose(80))
    far_above = page(2, line("Chapter 2", 60), line("Gravel", 400))
    last = page(3, prose(60), line("Chapter 3", 400))
    numbered = page(4, line("Chapter 4", 36, BOLD), line("4.2 Banks", 60))
    assert texts(below_is_text, far_above, last, numbered) == [
        ["Chapter 1", prose(80).text],
        ["Chapter 2", "Gravel"],
        [prose(60).text, "Chapter 3"],
        ["Chapter 4", "4.2 Banks"],
    ]


def test_a_label_on_many_pages_is_a_running_head() -> None:
    pages = [page(n, line("Chapter 1", 36, BOLD), line(f"Rivers {n}", 60)) for n in (1, 2, 3)]
    assert [len(found) for found in texts(*pages)] == [2, 2, 2]
