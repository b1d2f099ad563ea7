"""The lines of a tagged PDF are in the order of its tags, whatever the order of drawing is."""

from __future__ import annotations

from pathlib import Path

import typst

from citeloom.infrastructure.conversion.pdfium import PdfiumPageTexts

SOURCE = """
#set page(width: 400pt, height: 300pt)
= Harvests
Barley was cut in July.#footnote[Registers of the abbey say so.] Wheat was cut in August.

Rye was cut last.
"""


def test_a_footnote_is_read_where_its_tag_is(tmp_path: Path) -> None:
    source, path = tmp_path / "tagged.typ", tmp_path / "tagged.pdf"
    source.write_text(SOURCE, encoding="utf-8")
    typst.compile(str(source), output=str(path))
    [page] = PdfiumPageTexts().pages(path)
    assert page.tagged
    lines = [line.text for line in page.lines]
    last = next(at for at, line in enumerate(lines) if "Rye" in line)
    note = next(at for at, line in enumerate(lines) if "Registers" in line)
    assert note < last, "the note's tag stands in the paragraph before"
    assert page.text.index("Registers") > page.text.index("Rye")
    assert page.lines[note].top > page.lines[last].top
    assert page.lines[note].size < page.lines[last].size
