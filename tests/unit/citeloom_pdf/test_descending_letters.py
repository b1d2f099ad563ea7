"""Fonts in which each word descends, as Nastaliq, are told by the heights of their letters."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from citeloom.domain.documents.conversion import Block, BlockKind, Box, Fragment
from citeloom.infrastructure.conversion.pdf.doubts import descending_blocks
from citeloom.infrastructure.conversion.pdfium import PrintedPages
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.parsing.descending_letters import LettersFromRight, SetLetter

SIZE, HEIGHT = 10.0, 800.0
FALLS = (2.0, 1.0, 0.0)  # points above the line, of each letter of a word
LEVEL = (0.0, 0.0, 0.0)


def row(font: str, y: float, ups: Sequence[float], words: int = 6) -> list[SetLetter]:
    """Words of as many letters as have heights, from the right."""
    letters = [(word, up) for word in range(words) for up in ups]
    return [
        SetLetter(font, SIZE, 300 - 6.0 * at, y - up, HEIGHT - y + up, int(y) + word)
        for at, (word, up) in enumerate(letters)
    ]


def around(y: float) -> Rect:
    return Rect(100, y - SIZE, 320, y + 2)


def test_most_letters_in_a_box_are_in_a_font_that_descends_or_not() -> None:
    page = LettersFromRight(
        [*row("Naskh", 100, LEVEL), *row("Nastaliq", 200, FALLS), *row("Nastaliq", 300, FALLS, 2)]
    )
    assert not page.descend_in(around(100))
    assert page.descend_in(around(200))
    assert page.descend_in(around(300))
    assert not page.descend_in(Rect(100, 90, 320, 202)), "as many letters of each"


def test_a_box_without_letters_is_as_all_of_its_page_are() -> None:
    descending = row("Nastaliq", 200, FALLS)
    for empty in (around(500), Rect(330, 190, 340, 202), None):
        assert LettersFromRight(descending).descend_in(empty)
        assert not LettersFromRight([*descending, *row("Naskh", 100, LEVEL)]).descend_in(empty)
        assert not LettersFromRight([]).descend_in(empty)


@pytest.mark.parametrize(
    "letters",
    [
        row("Naskh", 100, LEVEL),
        # one raised letter in four words, as of a ligature
        [*row("Naskh", 100, (4.0, 0.0, 0.0, 0.0), 1), *row("Naskh", 200, (0.0,) * 4, 3)],
        # too few steps to tell
        row("Naskh", 100, FALLS, 4),
        # each word higher than the one before it
        [letter for up in range(30) for letter in row("Naskh", 100 + 3 * up, (0.0, 0.0), 1)],
        # other lines, other fonts
        row("Naskh", 100, (40.0, 0.0)),
        [
            letter._replace(font=f"{at % 2}")
            for at, letter in enumerate(row("", 100, FALLS * 10, 1))
        ],
    ],
    ids=["level", "raised", "few", "words", "lines", "fonts"],
)
def test_letters_at_one_height_in_their_words_do_not_descend(letters: list[SetLetter]) -> None:
    assert not LettersFromRight(letters).descend_in(around(100))


WORD = "نمط"


def draw(
    path: Path, *, ups: tuple[float, ...], turn: str = "1 0 0 1 0 0", word: str = WORD
) -> Path:
    """A line of six words whose letters have these heights above the line."""
    canvas = Canvas(str(path), pagesize=(400, HEIGHT))
    canvas.setFont("Helvetica", SIZE)
    canvas._code.append(f"{turn} cm")
    for at, up in enumerate(ups * 6):
        code = "feff" + word[at % 3].encode("utf-16-be").hex()
        x = 300 - 6 * at - 6 * (at // 3)
        drawn = f"1 0 0 1 {x} {700 + up} Tm (x) Tj"
        canvas._code.append(f"BT /F1 {SIZE} Tf /Span <</ActualText <{code}>>> BDC {drawn} EMC ET")
    canvas.save()
    return path


def doubted(path: Path) -> bool:
    """Whether a block with the whole page of a PDF is doubted."""
    box = Box(left=0, top=0, right=HEIGHT, bottom=HEIGHT)
    block = Block(kind=BlockKind.PARAGRAPH, fragments=(Fragment(page=1, box=box, start=0, end=3),))
    with closing(PrintedPages(path)) as printed:
        return descending_blocks([block], WORD, printed) == {0}


@pytest.mark.parametrize("turn", ["1 0 0 1 0 0", "0 1 -1 0 750 0"], ids=["across", "up"])
def test_a_block_is_doubted_whose_letters_descend_on_its_page(tmp_path: Path, turn: str) -> None:
    assert doubted(draw(tmp_path / "nastaliq.pdf", ups=FALLS, turn=turn))
    assert not doubted(draw(tmp_path / "naskh.pdf", ups=LEVEL, turn=turn))


def test_letters_from_the_left_are_not_looked_at(tmp_path: Path) -> None:
    path = draw(tmp_path / "left.pdf", ups=FALLS, word="abc")
    with closing(PrintedPages(path)) as printed:
        assert printed.from_right(1) is None
    assert not doubted(path)
