"""Books: parts, chapters and appendices with their sections, with an outline and without."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from tests.integration.conversion.handbook import NAMES, Handbook, write_handbook


def converted(path: Path) -> ConversionResult:
    return PdfConverter().convert(SourceFile(path=path, doc_id="doc", content_hash=""))


def headings(result: ConversionResult) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in result.headings]


@pytest.fixture(scope="module", params=["en", "de"])
def book(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Handbook, ConversionResult]:
    path = tmp_path_factory.mktemp("books") / "handbook.pdf"
    return write_handbook(path, chapters=3, language=request.param), converted(path)


def test_the_outline_gives_every_heading_its_level(
    book: tuple[Handbook, ConversionResult],
) -> None:
    handbook, result = book
    assert headings(result) == handbook.headings


def test_nothing_but_the_paragraphs_is_left_and_they_are_whole(
    book: tuple[Handbook, ConversionResult],
) -> None:
    handbook, result = book
    body = [block for block in result.blocks if block.kind is not BlockKind.HEADING]
    assert [result.text_of(block) for block in body] == handbook.paragraphs


def test_each_paragraph_is_in_the_section_it_is_printed_in(
    book: tuple[Handbook, ConversionResult],
) -> None:
    handbook, result = book
    sections = {
        result.text_of(block): result.section_path(block.section)[-1]
        for block in result.blocks
        if block.section is not None
    }
    assert [sections[text] for text in handbook.paragraphs] == handbook.sections


@pytest.mark.parametrize("language", ["en", "de"])
def test_without_an_outline_fonts_and_numbers_tell_the_same(language: str, tmp_path: Path) -> None:
    path = tmp_path / "handbook.pdf"
    handbook = write_handbook(path, chapters=3, language=language, outlined=False)
    found = headings(converted(path))
    *chapters, (_, appendix) = handbook.headings
    assert found[:-1] == chapters
    assert found[-1] == (2, appendix)
    assert appendix.startswith(NAMES[language][-1])
