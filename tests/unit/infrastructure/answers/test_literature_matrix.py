"""A literature matrix in each of its formats."""

from __future__ import annotations

import csv
import io
import re
import sys
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from citeloom.application.manuscript.matrix import Cell, Matrix, MatrixRow
from citeloom.domain.answers.relevance import Verdict
from citeloom.domain.errors import ConfigError
from citeloom.domain.references.citation import CitationMeta
from citeloom.infrastructure.answers.literature_matrix import (
    MatrixAnswer,
    matrix_csv,
    matrix_html,
    matrix_markdown,
    matrix_text,
    matrix_xlsx,
)
from citeloom.infrastructure.answers.text import link_to_file
from citeloom.testing.chunks import embedded
from tests.described import as_json, assert_described

TEXT = "=1+1 | <b>Copper</b> kept it clean."
RYE = CitationMeta(citekey="rye2001", title="Rye & <rain>", year=2001)


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    file = tmp_path / "a.pdf"
    file.touch()
    stored = embedded("c1", text=TEXT, citation=RYE).stored
    chunk = replace(stored.chunk, page_span=(4, 4))
    stored = replace(stored, chunk=chunk, source_path=str(file))
    likely = Cell(verdict=Verdict.ANSWERED, evidence=1.2, passage=stored)
    perhaps = Cell(verdict=Verdict.RELATED, evidence=0.7, passage=stored)
    empty = Cell(verdict=Verdict.NOTHING, evidence=0.1)
    return Matrix(
        project="me/thesis",
        questions=("Which | sample?", "Which method?"),
        rows=(
            MatrixRow(name="rye2001", reference=RYE, cells=(likely, perhaps)),
            MatrixRow(name="notes.txt", reference=None, cells=(empty, empty)),
        ),
        calibrated=True,
    )


def test_text_lists_the_filled_cells_by_work(matrix: Matrix) -> None:
    lines = "\n".join(matrix_text(matrix))
    assert "1. Which | sample?" in lines
    assert f"@rye2001 (2001) Rye & <rain>\n  1. {TEXT} [@rye2001, p. 4]" in lines
    assert f"  2. ? {TEXT}" in lines
    assert "notes.txt" not in lines
    assert "\n?: may or may not answer\n" in lines


def test_a_matrix_without_a_question_mark_explains_none(matrix: Matrix, tmp_path: Path) -> None:
    row = replace(matrix.rows[0], cells=matrix.rows[0].cells[:1])
    sure = replace(matrix, questions=matrix.questions[:1], rows=(row,))
    written = ("\n".join(matrix_text(sure)), matrix_markdown(sure), matrix_html(sure, tmp_path))
    assert not any("may or may not" in text for text in written)


def test_a_long_passage_is_shown_in_whole_words_from_the_nearest_sentence_on(
    matrix: Matrix,
) -> None:
    cell = matrix.rows[0].cells[0]
    assert cell.passage is not None
    chunk = replace(cell.passage.chunk, text=f"Before. {'Copper kept it very clean. ' * 30}")
    passage = replace(cell.passage, chunk=chunk)
    row = replace(matrix.rows[0], cells=(replace(cell, passage=passage, start=8),) * 2)
    line = list(matrix_text(replace(matrix, rows=(row,))))[-1]
    assert line.startswith("  2. Copper kept it very clean.")
    assert line.endswith(" clean. … [@rye2001, p. 4]")


def test_a_pipe_in_a_text_does_not_part_a_markdown_table(matrix: Matrix) -> None:
    *lines, _, legend = matrix_markdown(matrix).splitlines()
    assert len(lines) == 4
    assert legend == "?: may or may not answer"
    assert {line.replace(r"\|", "").count("|") for line in lines} == {4}


def test_html_shows_text_as_text_and_links_to_the_page(matrix: Matrix, tmp_path: Path) -> None:
    page = matrix_html(matrix, tmp_path)
    assert "<b>Copper" not in page
    assert "&lt;b&gt;Copper" in page
    assert "a.pdf#page=4" in page
    assert page.count("<td></td>") == 2
    assert ">? =1+1" in page
    assert "<p>?: may or may not answer</p>" in page


def test_csv_has_a_text_and_a_page_a_question_and_no_formula(matrix: Matrix) -> None:
    heads, first, second = csv.reader(io.StringIO(matrix_csv(matrix)))
    assert heads[3:5] == ["Which | sample?", "Which | sample? (page)"]
    assert first[:5] == ["rye2001", "2001", "Rye & <rain>", f"'{TEXT}", "[@rye2001, p. 4]"]
    assert first[5] == f"? {TEXT}"
    assert second == ["notes.txt", *[""] * 6]


def test_a_workbook_has_texts_and_links(matrix: Matrix, tmp_path: Path) -> None:
    written = matrix_xlsx(matrix, lambda passage: link_to_file(passage, tmp_path))
    with ZipFile(io.BytesIO(written)) as archive:
        strings = archive.read("xl/sharedStrings.xml").decode()
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        links = archive.read("xl/worksheets/_rels/sheet1.xml.rels").decode()
    assert "=1+1 | &lt;b&gt;Copper" in strings
    assert "<f>" not in sheet
    assert re.findall('<hyperlink ref="(..)"', sheet) == ["E2", "G2"]
    targets = re.findall('Target="([^"]+)"', links)
    assert {target.casefold() for target in targets} == {f"{tmp_path.as_uri()}/a.pdf".casefold()}
    assert re.search(r'<c r="B2" s="\d+"><v>2001</v></c>', sheet)
    assert "may or may not answer" in strings


def test_a_workbook_without_its_library_names_what_to_install(
    matrix: Matrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(ConfigError) as raised:
        matrix_xlsx(matrix, lambda _: None)
    assert "[manuscript]" in raised.value.hint


def test_json_says_what_each_cell_rests_on(matrix: Matrix, tmp_path: Path) -> None:
    written = as_json(MatrixAnswer.of(matrix), tmp_path)
    assert_described(written, MatrixAnswer)
    assert (written["filled"], written["calibrated"]) == (2, True)
    work = written["works"][0]
    assert work["citekey"] == "rye2001"
    assert [cell["verdict"] for cell in work["cells"]] == ["answered", "related"]
    assert work["cells"][0]["passage"] is not None
    assert written["works"][1]["cells"][0]["passage"] is None
