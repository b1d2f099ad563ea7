"""No word of a page vanishes: text set in a picture is kept, and what is lost is counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import (
    Block,
    ConversionResult,
    Doubt,
    LeftOut,
    LeftOutKind,
)
from citeloom.domain.evaluation.line_order import PrintedPage
from citeloom.domain.evaluation.page_recall import lost_words
from citeloom.infrastructure.conversion.docling_document import DocumentBody
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom.infrastructure.conversion.pdf.doubts import with_doubts
from citeloom.infrastructure.conversion.pdf.losses import recovered
from citeloom.infrastructure.conversion.pdfium import PrintedPages
from citeloom_pdf import read_pdf
from citeloom_pdf.elements.block import LayoutBlock
from tests.integration.conversion.documents import typeset

FRAME = """
#set page(width: 400pt, height: 300pt, margin: 30pt)
#set text(size: 10pt)
"""
CARD = """
#rect(width: 300pt, height: 180pt, fill: luma(235), inset: 12pt)[
  #place(dx: 0pt, dy: 0pt)[Barley ripens early]
  #place(dx: 170pt, dy: 40pt)[Rye stands in sand]
  #place(dx: 10pt, dy: 80pt)[Oats need more rain]
  #place(dx: 150pt, dy: 120pt)[Spelt keeps its husk]
  #place(dx: 40pt, dy: 150pt)[Millet grows in summer heat]
]
"""
LABELS = """
#rect(width: 300pt, height: 180pt, fill: luma(235), inset: 12pt)[
  #place(dx: 0pt, dy: 0pt)[Barley] #place(dx: 170pt, dy: 120pt)[Rye 1957]
]
"""
SCALE = """
#rect(width: 300pt, height: 180pt, fill: luma(235), inset: 12pt)[
  #for n in range(24) { place(dx: calc.rem(n, 6) * 45pt, dy: calc.quo(n, 6) * 40pt)[#(n * 7)] }
]
"""
PROSE = "Farmers of the valley plant rye in September, and storms in winter break the bridges.\n\n"


def convert(path: Path) -> ConversionResult:
    return PdfConverter().convert(SourceFile(path=path, doc_id="fields", content_hash=""))


def test_text_in_a_picture_is_a_passage_with_a_doubt(tmp_path: Path) -> None:
    result = convert(typeset(f"{FRAME}{PROSE}{CARD}", tmp_path / "fields.pdf"))
    (picture,) = (block for block in result.blocks if block.doubts)
    assert picture.doubts == (Doubt.PICTURE,)
    assert "Spelt keeps its husk" in result.text_of(picture)
    assert (result.lost_words, result.notes) == ({}, ())


def test_numbers_left_out_of_a_figure_are_counted_and_named(tmp_path: Path) -> None:
    result = convert(typeset(f"{FRAME}{PROSE}{SCALE}", tmp_path / "fields.pdf"))
    assert "161" not in result.plain_text
    (note,) = result.notes
    assert note.startswith("24 numbers and lone letters in figures or at lines on page 1 ")


def test_words_on_their_side_in_a_figure_are_counted_apart(tmp_path: Path) -> None:
    name = "#place(dx: 250pt, dy: 40pt, rotate(-90deg, reflow: true)[Depth below ground])\n]"
    scale = SCALE.replace("\n]", f"\n  {name}")
    (note,) = convert(typeset(f"{FRAME}{PROSE}{scale}", tmp_path / "fields.pdf")).notes
    assert note.startswith("24 numbers and lone letters, and 3 words set on their side or as ")


def test_a_page_with_nothing_but_labels_is_not_without_text(tmp_path: Path) -> None:
    result = convert(typeset(f"{FRAME}{LABELS}#pagebreak(){LABELS}", tmp_path / "fields.pdf"))
    assert [result.text_of(block) for block in result.blocks] == ["Barley\nRye 1957"] * 2
    assert [block.fragments[0].page for block in result.blocks] == [1, 2]
    assert {block.doubts for block in result.blocks} == {(Doubt.PICTURE,)}


def test_what_a_page_leaves_out_on_purpose_is_named(tmp_path: Path) -> None:
    sheet = """
#set page(width: 400pt, height: 300pt, margin: 40pt, header: [Rye and barley],
  footer: context counter(page).display())
#set text(size: 10pt)
"""
    contents = "\n\n".join(
        f"{each} #box(width: 1fr, repeat[.]) 2" for each in ("Rye", "Oats", "Hay")
    )
    body = f"{PROSE}{contents}\n#pagebreak()\n{PROSE * 2}#pagebreak()\n{PROSE}"
    result = convert(typeset(f"{sheet}{body}{SCALE}", tmp_path / "fields.pdf"))
    head = LeftOut(kind=LeftOutKind.HEADER, count=3, text="Rye and barley")
    assert result.left_out[2] == (head, LeftOut(kind=LeftOutKind.FOOTER, count=1, text="2"))
    assert [text.kind for text in result.left_out[1]] == ["header", "contents", "footer"]
    assert result.left_out[1][1].text == "Rye … 2 Oats … 2 Hay … 2"
    assert [text.kind for text in result.left_out[3]] == ["header", "footer", "label"]
    assert result.left_out[3][2].count == 24
    assert result.lost_words == {}


@pytest.fixture
def harvests(tmp_path: Path) -> Path:
    lines = "\n\n".join(f"Harvest {n} of barley was weighed in the yard." for n in range(6))
    return typeset(f"{FRAME}{lines}\n#pagebreak()\n{PROSE}", tmp_path / "harvests.pdf")


def test_lines_that_are_in_no_block_are_kept_at_the_end_of_their_page(harvests: Path) -> None:
    pdf, whole = read_pdf(harvests), convert(harvests)
    body = DocumentBody(
        texts=[whole.text_of(block) for block in whole.blocks[-1:]],
        blocks=convert_alone(whole),
    )
    printed = PrintedPages(harvests)
    found = recovered(body, pdf, printed)
    printed.close()
    assert found.blocks == {0}
    first, last = found.body.texts
    assert first.startswith("Harvest 0 of barley was weighed")
    assert first.count("\n") == 5
    assert (last, found.body.plain_text[found.body.blocks[1].start :]) == (body.texts[0],) * 2
    assert found.missing == {}


def test_words_of_a_page_that_no_reading_agrees_with_are_in_doubt_where_they_are_kept(
    harvests: Path,
) -> None:
    class ReadAlike(PrintedPages):
        def by_places(self, number: int) -> PrintedPage:
            return self[number]

    body = DocumentBody(blocks=convert_alone(convert(harvests)), texts=["x" * 400])
    printed = ReadAlike(harvests)
    found = recovered(body, read_pdf(harvests), printed)
    printed.close()
    assert found.blocks == {0}
    assert found.missing[1].lost_count == 54


def convert_alone(whole: ConversionResult) -> list[Block]:
    """The last block as the only one of a document."""
    block = whole.blocks[-1]
    (part,) = block.fragments
    return [replace(block, fragments=(replace(part, start=0, end=part.end - part.start),))]


def test_what_cannot_be_kept_is_counted_with_a_sample(harvests: Path) -> None:
    pdf = read_pdf(harvests)
    body = DocumentBody(blocks=convert_alone(convert(harvests)), texts=["x" * 400])
    printed = PrintedPages(harvests)
    found = recovered(body, replace(pdf, plain=[1, 2]), printed)
    printed.close()
    lost = lost_words(found.missing[1].lost_words)
    assert (lost.count, lost.sample[:19]) == (54, "Harvest 0 of barley")
    assert (found.body, found.blocks) == (body, frozenset())
    doubted = with_doubts(found, printed, pdf.pages)
    assert [block.doubts for block in doubted] == [(Doubt.READING,)]


def test_words_of_a_page_whose_letters_are_undecoded_are_counted_and_not_kept(
    harvests: Path,
) -> None:
    pdf = read_pdf(harvests)
    signs = "\ufffd" * 400
    first = replace(pdf.pages[0], blocks=(replace_lines(pdf.pages[0].blocks[0], signs),))
    body = DocumentBody(blocks=convert_alone(convert(harvests)), texts=[signs])
    printed = PrintedPages(harvests)
    found = recovered(body, replace(pdf, pages=[first, *pdf.pages[1:]]), printed)
    printed.close()
    assert found.missing[1].lost_count == 54
    assert found.blocks == frozenset()


def replace_lines(block: LayoutBlock, text: str) -> LayoutBlock:
    return LayoutBlock(block.label, block.box, block.style, (text,))
