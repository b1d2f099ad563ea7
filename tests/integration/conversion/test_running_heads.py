"""Running heads of short papers and line numbers of review copies are furniture; titles are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom_pdf import read_pdf
from tests.integration.conversion.documents import typeset

HEADS = ("Ada Smith, Ben Miller", "Harvests of the valley in winter")
TEXT = (
    "The river carries barley past the old mill, and farmers of the valley plant rye in September. "
    "Storms in winter break the wooden bridges, while merchants count wool before the market. "
)
HEADED = """
#set page(
  width: 400pt, height: 500pt, margin: MARGIN,
  header: context {
    let n = counter(page).get().first()
    if n > 1 { align(center, if calc.even(n) [HEAD_EVEN] else [HEAD_ODD]) }
  },
)
#set text(10pt)
#align(center, text(17pt)[TITLE])
"""


def paragraphs(number: int) -> str:
    """Paragraphs with a word of their own each."""
    return "\n\n".join(f"Volume{at} of {TEXT * 2}" for at in range(number))


def headed(title: str, even: str, odd: str, number: int, *, margin: str = "60pt") -> str:
    page = (
        HEADED.replace("MARGIN", margin)
        .replace("HEAD_EVEN", even)
        .replace("HEAD_ODD", odd)
        .replace("TITLE", title)
    )
    return f"{page}\n{paragraphs(number)}"


def body(path: Path) -> list[str]:
    """What a reader of the document reads, furniture left out."""
    return [item.text for item in read_pdf(path).document.texts]


def test_heads_that_stand_once_each_are_furniture(tmp_path: Path) -> None:
    path = typeset(headed("Barley", *HEADS, number=12), tmp_path / "short.pdf")
    pdf = read_pdf(path)
    assert len(pdf.pages) == 3
    texts = " ".join(body(path))
    assert [texts.count(head) for head in HEADS] == [0, 0]
    assert all(f"Volume{at} " in texts for at in range(12))


def test_headings_at_the_head_of_every_page_stay(tmp_path: Path) -> None:
    parts = "\n#pagebreak()\n".join(f"Part {part}\n\n{paragraphs(4)}" for part in "ABC")
    source = f"#set page(width: 400pt, height: 500pt, margin: 60pt)\n#set text(10pt)\n{parts}"
    texts = body(typeset(source, tmp_path / "parts.pdf"))
    assert [part for part in "ABC" if f"Part {part}" in texts] == ["A", "B", "C"]


def test_a_title_that_the_heads_repeat_is_no_furniture(tmp_path: Path) -> None:
    title = "Harvests of the valley"
    path = typeset(
        headed(title, "Ada Smith", title, number=24, margin="36pt"), tmp_path / "title.pdf"
    )
    assert len(read_pdf(path).pages) >= 4
    assert body(path).count(title) == 1


@pytest.mark.parametrize("scope", ["page", "document"])
def test_line_numbers_beside_both_columns_are_furniture(tmp_path: Path, scope: str) -> None:
    source = (
        "#set page(width: 500pt, height: 500pt, margin: 60pt, columns: 2)\n#set text(9pt)\n"
        f'#set par.line(numbering: "1", numbering-scope: "{scope}")\n{paragraphs(20)}'
    )
    path = typeset(source, tmp_path / "review.pdf")
    words = " ".join(body(path)).split()
    assert len(read_pdf(path).pages) >= 2
    assert [word for word in words if word.isdecimal()] == []
