"""What is too large or too deep is refused before it costs anything."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import pptx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from pptx.util import Inches

from citeloom.application.limits import DOCUMENT_LIMITS, DocumentLimits
from citeloom.application.ports.conversion import ConverterOptions, SourceFile
from citeloom.domain.errors import UnreadableDocument
from citeloom.infrastructure.wiring.conversion import open_file_converter

DOC_ID = "0" * 32


def refusal(path: Path, limits: DocumentLimits = DOCUMENT_LIMITS) -> str:
    with pytest.raises(UnreadableDocument) as refused:
        text_of(path, limits)
    return refused.value.message


def text_of(path: Path, limits: DocumentLimits = DOCUMENT_LIMITS) -> str:
    converter = open_file_converter(path.suffix, ConverterOptions(limits=limits))
    return converter.convert(SourceFile(path=path, doc_id=DOC_ID, content_hash="")).plain_text


@pytest.mark.parametrize("name", ["long.txt", "long.md", "long.html"])
def test_a_text_over_the_limit_is_refused_and_the_limit_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("wheat " * 400_000)
    assert refusal(path, DocumentLimits(max_text_mb=1)) == (
        f"{name} has 2 MB of text; no more than 1 MB are read"
    )


def test_a_page_nested_too_deeply_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "deep.html"
    path.write_text("<div>" * 500_000 + "wheat")
    refusal(path)  # loads the library
    begun = time.process_time()
    assert refusal(path) == "deep.html is nested too deeply"
    assert time.process_time() - begun < 5


def test_a_page_as_deep_as_pages_get_is_read(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<div>" * 200 + "<p>Wheat grows.</p>" + "</div>" * 200)
    assert "Wheat grows." in text_of(path)


@pytest.mark.parametrize("name", ["long.docx", "long.pptx", "long.epub"])
def test_the_text_in_an_archive_has_the_same_limit_however_it_is_packed(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("content.xml", b" " * (3 << 20))
        archive.writestr("photo.png", b" " * (30 << 20))
    assert path.stat().st_size < 1 << 20
    assert refusal(path, DocumentLimits(max_text_mb=2)) == (
        f"{name} has 3 MB of text; no more than 2 MB are read"
    )


def html_table(path: Path, rows: int, cell: str, more: str = "") -> None:
    path.write_text(f"<table>{more}{f'<tr>{cell}</tr>' * rows}</table>")


def markdown_table(path: Path, rows: int) -> None:
    path.write_text("| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * rows)


def word_table(path: Path, rows: int, columns: int = 1, *, span: int = 0) -> None:
    document = docx.Document()
    table = document.add_table(rows, columns)
    table.cell(0, 0).text = "wheat"
    if span:
        properties = table.cell(0, 0)._tc.get_or_add_tcPr()
        properties.append(OxmlElement("w:gridSpan", {qn("w:val"): str(span)}))
    document.save(str(path))


def slide_table(path: Path, rows: int, columns: int) -> None:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[5])
    slide.shapes.add_table(rows, columns, Inches(1), Inches(1), Inches(5), Inches(5))
    slides.save(str(path))


TABLES: dict[str, Callable[[Path], None]] = {
    "cells.html": lambda path: html_table(path, 51, "<td>1</td><th>2</th>"),
    "spans.html": lambda path: html_table(
        path, 3, "<td>1</td>", "<tr><td colspan='900'>2</td></tr>"
    ),
    "cells.md": lambda path: markdown_table(path, 51),
    "cells.docx": lambda path: word_table(path, 51, 2),
    "spans.docx": lambda path: word_table(path, 2, span=3_000_000),
    "cells.pptx": lambda path: slide_table(path, 26, 4),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_too_many_cells_are_refused_and_the_limit_named(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    TABLES[name](path)
    assert (
        refusal(path, DocumentLimits(max_table_cells=100))
        == f"{name} has tables of more than 100 cells"
    )


@pytest.mark.parametrize("name", ["cells.html", "cells.docx", "cells.md"])
def test_tables_within_the_limit_are_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    TABLES[name](path)
    assert text_of(path)


def test_a_span_that_is_no_number_counts_as_one_column(tmp_path: Path) -> None:
    path = tmp_path / "odd.html"
    html_table(path, 2, "<td colspan='-5'>wheat</td><td colspan='²'>rye</td><td colspan>oats</td>")
    assert "wheat" in text_of(path)


@pytest.mark.parametrize(("depth", "found"), [(40, "level 39"), (100, "")])
def test_tables_in_tables_are_read_or_refused_for_what_they_are(
    tmp_path: Path, depth: int, found: str
) -> None:
    path = tmp_path / "nested.docx"
    document = docx.Document()
    cell = document.add_table(1, 2).cell(0, 0)
    for level in range(depth):
        cell = cell.add_table(1, 2).cell(0, 0)
        cell.text = f"level {level}"
    document.save(str(path))
    if found:
        assert found in text_of(path)
    else:
        assert refusal(path) == "nested.docx is nested too deeply"


def test_a_paragraph_longer_than_the_parser_takes_is_refused_for_that(tmp_path: Path) -> None:
    path = tmp_path / "long.docx"
    document = docx.Document()
    document.add_paragraph("wheat " * 2_000_000)
    document.save(str(path))
    assert refusal(path) == "long.docx has a paragraph of more than 10 MB"
