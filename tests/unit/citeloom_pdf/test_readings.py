"""Readings over Chinese characters."""

from __future__ import annotations

from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import DOWNWARDS, Line, PageContent, Style, Word

_BASE, _SMALL = Style(10.0, "Mincho"), Style(5.0, "Mincho")


def _line(*words: tuple[str, float], top: float, look: Style = _BASE) -> Line:
    """A line of words, each at its left end, whose letters are squares."""
    placed = tuple(
        Word(Rect(left, top, left + look.size * len(text), top + look.size), text, look.font)
        for text, left in words
    )
    box = Rect(placed[0].box.left, top, placed[-1].box.right, top + look.size)
    return Line(box, " ".join(text for text, _ in words), look, placed)


def _page(*lines: Line) -> PageContent:
    return PageContent(1, 500.0, 700.0, lines)


def test_a_reading_over_its_characters_is_left_out_and_its_line_stays_whole() -> None:
    page = lay_out(
        _page(
            _line(("しやくわい", 141.0), top=95, look=_SMALL),
            _line(("この国際", 100.0), ("社", 142.0), ("会において", 156.0), top=101),
        )
    )
    assert [block.text for block in page.blocks] == ["この国際 社会において"]
    assert page.left_out == ("しやくわい",)


def test_a_reading_joins_the_parts_of_a_line_that_it_is_wider_than() -> None:
    page = lay_out(
        _page(
            _line(("こくさいしやくわい", 100.0), top=95, look=_SMALL),
            _line(("国際", 100.0), top=101),
            _line(("社会において川は静かに流れている。", 125.0), top=101),
        )
    )
    assert [block.text for block in page.blocks] == ["国際社会において川は静かに流れている。"]


def test_small_kana_that_are_over_no_characters_stay() -> None:
    page = lay_out(
        _page(
            _line(("ちいさなことば", 100.0), top=60, look=_SMALL),
            _line(("川は静かに流れている。", 100.0), top=101),
        )
    )
    assert not page.left_out


def test_a_reading_stands_to_the_right_of_a_line_that_goes_down() -> None:
    text = "厳粛な信託によるものである。"
    box = Rect(300, 100, 310, 100 + 10 * len(text))
    line = Line(box, text, _BASE, (Word(box, text, "Mincho"),), rotated=True, angle=DOWNWARDS)
    reading = _line(("げ", 311.0), top=100, look=_SMALL)
    page = lay_out(_page(line, reading))
    assert page.left_out == ("げ",)
