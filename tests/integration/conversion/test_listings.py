"""Listings that go on behind the end of a page, or have formulas in them."""

from __future__ import annotations

from pathlib import Path

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import BlockKind, Doubt
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from tests.integration.conversion.documents import typeset

SOURCE = """
#set page(width: 460pt, height: 300pt)
#set text(size: 10pt)
#let prose = [In each of these lakes it is the mean of all that was seen by those who went there.]
#let code(..rows) = raw(block: true, rows.pos().join("\\n"))
#prose
"""


def _read(path: Path, body: str) -> list[tuple[str, tuple[Doubt, ...]]]:
    """The text and the doubts of each listing."""
    file = typeset(SOURCE + body, path / "code.pdf")
    result = PdfConverter().convert(SourceFile(path=file, doc_id="code", content_hash=""))
    return [
        (result.text_of(block), block.doubts)
        for block in result.blocks
        if block.kind is BlockKind.CODE
    ]


def test_a_listing_goes_on_as_far_from_the_left_on_the_next_page(tmp_path: Path) -> None:
    body = """
    #code("for stone in river:", "    if moves(stone):", "        count += 1")
    #pagebreak()
    #code("        print(stone, count)", "    else:", "        more(stone)")
    #prose

    #code("    stones = first(of, all)", "    again(stones)")
    """
    assert [text.splitlines() for text, _ in _read(tmp_path, body)] == [
        ["for stone in river:", "    if moves(stone):", "        count += 1"],
        ["        print(stone, count)", "    else:", "        more(stone)"],
        ["stones = first(of, all)", "again(stones)"],
    ]


def test_rows_with_numbers_are_set_in_on_no_page(tmp_path: Path) -> None:
    body = """
    #code("pebbles of a brook")
    #pagebreak()
    #pad(left: 48.2pt, code("8 if moves(stone):", "9     count += 1"))
    #prose
    """
    assert [text.splitlines() for text, _ in _read(tmp_path, body)] == [
        ["pebbles of a brook"],
        ["8 if moves(stone):", "9     count += 1"],
    ]


def test_a_listing_with_a_raised_number_is_doubted(tmp_path: Path) -> None:
    body = """
    #code("(%i2) eq: x^2 + 3*y;", "(%i3) solve(eq);")
    #prose

    #text(font: "DejaVu Sans Mono", size: 8pt)[
      (%i4) solve(equations); \\ (%o4) 3 y#text(size: 5pt, baseline: -3pt)[2] + x = 0]
    """
    assert [doubts for _, doubts in _read(tmp_path, body)] == [(), (Doubt.FORMULA,)]
