"""Names and addresses under a title."""

from __future__ import annotations

from citeloom.domain.documents.conversion import BlockKind
from citeloom.domain.documents.metadata import with_authors
from tests.fakes.documents import Part, document, heading, paragraph, told

TITLE = Part(BlockKind.TITLE, "On wheat")
NAMES = paragraph("Ann Rye 1, 2, Ben van Oat 1 and Cy Barley 2")
ADDRESS = paragraph("1 Institute of Fields, University of Wheaton 2 École des Prés")
AUTHORS, PARAGRAPH = BlockKind.AUTHORS, BlockKind.PARAGRAPH


def kinds(*parts: Part) -> list[BlockKind]:
    result = document(*parts)
    marked = with_authors(result.blocks, result.plain_text)
    assert [block.fragments for block in marked] == [block.fragments for block in result.blocks]
    return [block.kind for block in marked]


def test_names_and_addresses_stand_between_title_and_text() -> None:
    found = kinds(TITLE, NAMES, ADDRESS, paragraph(told("Wheat")), NAMES)
    assert found == [BlockKind.TITLE, AUTHORS, AUTHORS, PARAGRAPH, PARAGRAPH]


def test_what_stands_under_a_heading_is_no_author() -> None:
    assert kinds(TITLE, heading("Methods"), NAMES)[2] is PARAGRAPH


def test_without_a_title_nobody_is_known() -> None:
    assert kinds(NAMES, ADDRESS) == [PARAGRAPH, PARAGRAPH]


def test_a_single_word_or_a_number_names_nobody() -> None:
    assert kinds(TITLE, paragraph("Draft"), paragraph("1 2"))[1:] == [PARAGRAPH, PARAGRAPH]
