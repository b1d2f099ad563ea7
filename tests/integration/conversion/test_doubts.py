"""Blocks that are not in the order of their page are doubted, and so are tables that do not fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from docling_core.types.doc.labels import DocItemLabel

from citeloom.domain.documents.conversion import Block, BlockKind, Box, Doubt, Fragment
from citeloom.infrastructure.conversion.file_converter import FileTask
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom.infrastructure.conversion.pdf.doubts import doubtful_pages, with_doubts
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import LayoutBlock, PageLayout, Style
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
    result = PdfConverter().convert(FileTask(path=path, doc_id="harvests"))
    assert [block.doubts for block in result.blocks] == [()] * len(result.blocks)
    assert result.notes == ()


def test_the_page_of_blocks_that_changed_places_is_doubtful(path: Path) -> None:
    result = PdfConverter().convert(FileTask(path=path, doc_id="harvests"))
    first, last = (
        next(block for block in result.blocks if word in result.text_of(block))
        for word in ("river", "Storms")
    )
    swapped = [
        last if block is first else first if block is last else block for block in result.blocks
    ]
    assert doubtful_pages(swapped, result.plain_text, path) == {1}
    doubted = with_doubts(swapped, result.plain_text, path, ())
    assert {(block.fragments[0].page, block.doubts) for block in doubted} == {
        (1, (Doubt.ORDER,)),
        (2, ()),
    }


def test_a_table_whose_words_do_not_fit_is_doubted(path: Path) -> None:
    box = Box(left=50.0, top=100.0, right=300.0, bottom=150.0)
    table = Block(kind=BlockKind.TABLE, fragments=(Fragment(page=1, box=box, start=0, end=10),))
    other = replace(table, fragments=(Fragment(page=2, box=box, start=10, end=20),))
    laid_out = LayoutBlock(
        DocItemLabel.TABLE, Rect(50.2, 99.8, 300, 150), Style(0), rows=(("a",),), doubtful=True
    )
    pages = [PageLayout(1, 400, 300, (laid_out,)), PageLayout(2, 400, 300, ())]
    doubted = with_doubts([table, other], "x" * 20, path, pages)
    assert [block.doubts for block in doubted] == [(Doubt.TABLE,), ()]
