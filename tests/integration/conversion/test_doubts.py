"""Blocks that are not in the order of their page are doubted, and so are tables that do not fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from docling_core.types.doc.labels import DocItemLabel

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import Block, BlockKind, Box, Doubt, Fragment
from citeloom.domain.evaluation.page_recall import LostLine, PageWords
from citeloom.infrastructure.conversion.docling_document import DocumentBody, body_of
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom.infrastructure.conversion.pdf.doubts import (
    blocks_beside,
    differing_blocks,
    with_doubts,
)
from citeloom.infrastructure.conversion.pdf.losses import Recovered
from citeloom.infrastructure.conversion.pdfium import PdfiumPageTexts, PrintedPages
from citeloom_pdf import read_pdf
from citeloom_pdf.elements.block import LayoutBlock, PageLayout
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Style
from tests.integration.conversion.documents import typeset

SOURCE = """
#set page(width: 400pt, height: 300pt)
= Harvests
The river carries barley past the old mill.

Farmers of the valley plant rye in September.

Storms in winter break the wooden bridges.
#pagebreak()
Merchants count their wool before the market.

$ a^2 + b^2 = c^2 $

Masons repair the tower with yellow sandstone.
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return typeset(SOURCE, tmp_path_factory.mktemp("doubts") / "harvests.pdf")


def test_a_document_that_is_read_in_order_has_no_doubts(path: Path) -> None:
    result = PdfConverter().convert(SourceFile(path=path, doc_id="harvests", content_hash=""))
    assert [block.doubts for block in result.blocks] == [()] * len(result.blocks)
    assert result.notes == ()


def test_a_block_that_changed_its_place_is_doubtful_with_those_it_belongs_between(
    path: Path,
) -> None:
    result = PdfConverter().convert(SourceFile(path=path, doc_id="harvests", content_hash=""))
    river, storms = (
        next(block for block in result.blocks if word in result.text_of(block))
        for word in ("river", "Storms")
    )
    moved = [block for block in result.blocks if block is not river]
    moved.insert(moved.index(storms) + 1, river)
    body = DocumentBody(texts=[result.plain_text], blocks=moved)
    pages = read_pdf(path).pages
    doubted = with_doubts(Recovered(body, frozenset(), {}, {}), PrintedPages(path), pages)
    words = {result.text_of(block).split()[0] for block in doubted if block.doubts}
    assert words == {"The", "Farmers"}
    assert {block.doubts for block in doubted} == {(), (Doubt.ORDER,)}


@pytest.mark.parametrize(
    ("words", "read"),
    [("barley past", "barleypast"), ("the old", "old"), ("mill.", "mill of stone.")],
)
def test_a_block_of_which_pdfium_reads_other_words_is_doubted(
    path: Path, words: str, read: str
) -> None:
    body = body_of(read_pdf(path).document)
    text = body.plain_text
    blocks = [block for block in body.blocks if "river" in text[block.start : block.end]]
    changed = text.replace(words, read).ljust(len(text))
    blocks = [
        replace(
            blocks[0],
            fragments=(
                replace(blocks[0].fragments[0], end=blocks[0].end + len(read) - len(words)),
            ),
        )
    ]
    assert not differing_blocks(body.blocks, text, PrintedPages(path))
    assert differing_blocks(blocks, changed, PrintedPages(path)) == {0}
    assert not differing_blocks(blocks, changed, PrintedPages(path), images={1})
    doubted = [replace(blocks[0], doubts=(Doubt.ORDER,))]
    assert not differing_blocks(doubted, changed, PrintedPages(path))


def test_the_block_beside_words_that_are_missing_is_doubted(path: Path) -> None:
    body = body_of(read_pdf(path).document)
    lines = [line for line in PdfiumPageTexts().pages(path)[0].lines if "Farmers" in line.text]
    few, many = (LostLine(lines[0], ("rye",) * n, 20) for n in (19, 20))
    beside = blocks_beside(body.blocks, {1: PageWords(50, (many,))})
    assert [body.texts[index].split()[0] for index in beside] == ["Farmers"]
    assert not blocks_beside(body.blocks, {1: PageWords(50, (few,))})


def test_a_line_that_goes_on_beyond_the_edge_of_its_page_is_doubted(tmp_path: Path) -> None:
    wide = "Barges that carry more barley than the lock can take wait below the weir in spring."
    source = f"""
    #set page(width: 400pt, height: 300pt)
    Whole lines stay on their page.

    #box(width: 900pt)[{wide}]

    #h(10pt) Ferries cross at noon.
    """
    path = typeset(source, tmp_path / "barges.pdf")
    result = PdfConverter().convert(SourceFile(path=path, doc_id="barges", content_hash=""))
    doubted = [result.text_of(block) for block in result.blocks if Doubt.LOSS in block.doubts]
    assert len(doubted) == 1
    assert wide.startswith(doubted[0])


def test_a_table_whose_words_do_not_fit_is_doubted(path: Path) -> None:
    box = Box(left=50.0, top=100.0, right=300.0, bottom=150.0)
    table = Block(kind=BlockKind.TABLE, fragments=(Fragment(page=1, box=box, start=0, end=10),))
    other = replace(table, fragments=(Fragment(page=2, box=box, start=10, end=20),))
    laid_out = LayoutBlock(
        DocItemLabel.TABLE, Rect(50.2, 99.8, 300, 150), Style(0), rows=(("a",),), doubtful=True
    )
    pages = [PageLayout(1, 400, 300, (laid_out,)), PageLayout(2, 400, 300, ())]
    body = DocumentBody(texts=["x" * 20], blocks=[table, other])
    doubted = with_doubts(Recovered(body, frozenset(), {}, {}), PrintedPages(path), pages)
    assert [block.doubts for block in doubted] == [(Doubt.TABLE,), ()]


def test_blocks_whose_letters_are_torn_off_their_words_are_doubted(path: Path) -> None:
    sound = "\u0645\u0648\u0636\u0648\u0639 \u067e\u0631 \u0627\u06c1\u0645 \u06c1\u06d2"
    torn = "\u0645 \u0648\u0636 \u0639 \u067e\u0631 \u0627 \u06c1\u0645 \u06c1 \u0645\u06cc\u06ba"
    text = f"{sound}\n{torn}\nharvests"
    starts = (0, len(sound) + 1, len(f"{sound}\n{torn}\n"))
    ends = (len(sound), starts[2] - 1, len(text))
    box = Box(left=0, top=0, right=9, bottom=9)
    blocks = [
        Block(
            kind=BlockKind.PARAGRAPH, fragments=(Fragment(start=start, end=end, page=1, box=box),)
        )
        for start, end in zip(starts, ends)
    ]
    body = DocumentBody(texts=[text], blocks=blocks)
    doubted = with_doubts(Recovered(body, frozenset(), {}, {}), PrintedPages(path), ())
    assert [Doubt.LOSS in block.doubts for block in doubted] == [True, True, False]
