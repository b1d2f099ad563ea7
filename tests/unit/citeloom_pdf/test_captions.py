"""Captions whose number has a line of its own."""

from __future__ import annotations

import pytest
from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.elements.page import Line, PageContent, Style
from tests.unit.citeloom_pdf.pages import SENTENCE, line, style

PROSE = [line(SENTENCE, 72, 300 + 14 * row, width=420) for row in range(6)]
ITALIC, BOLD = style(9.0, italic=1.0), style(9.0, bold=1.0)


def laid_out(*lines: Line) -> list[tuple[DocItemLabel, str]]:
    blocks = lay_out(PageContent(1, 600.0, 800.0, (*lines, *PROSE))).blocks
    return [(block.label, block.text) for block in blocks if not block.text.startswith("Gravel")]


@pytest.mark.parametrize("number", ["Таблица 16", "Table 3", "TABLE II", "Abb. 4"])
def test_the_title_below_a_number_is_of_the_same_caption(number: str) -> None:
    lines = [
        line(number, 400, 100, 60, ITALIC),
        line("Weights of the harvest by field", 240, 111, 220, BOLD),
        line("and year", 330, 122, 40, style(9.0, mono=1.0)),
    ]
    whole = f"{number} Weights of the harvest by field and year"
    assert laid_out(*lines) == [(DocItemLabel.CAPTION, whole)]


@pytest.mark.parametrize(("top", "look"), [(111.0, style()), (125.0, BOLD)])
def test_a_text_in_the_style_of_the_body_or_farther_below_is_none(top: float, look: Style) -> None:
    texts = laid_out(line("Table 3", 240, 100, 60, ITALIC), line("Harvest", 240, top, 60, look))
    assert [text for _, text in texts] == ["Table 3", "Harvest"]


def test_numbers_one_below_another_are_apart() -> None:
    texts = laid_out(line("Table 3", 240, 100, 60, ITALIC), line("Table 4", 240, 111, 60, BOLD))
    assert [text for _, text in texts] == ["Table 3", "Table 4"]
