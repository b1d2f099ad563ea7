"""A literature matrix as it is answered, and as text, Markdown, HTML, CSV and a spreadsheet."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal, Self

from citeloom.application.manuscript.matrix import Cell, Matrix, MatrixRow
from citeloom.domain.answers.relevance import Verdict
from citeloom.domain.errors import extra_missing
from citeloom.domain.retrieval.passage import StoredChunk, trim
from citeloom.infrastructure.answers.concordance import csv_text
from citeloom.infrastructure.answers.headlines import cited_place, remark_on
from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.markdown import escaped_markdown
from citeloom.infrastructure.answers.model import Door, Model, filled
from citeloom.infrastructure.answers.passages import ShownPassage, Work
from citeloom.infrastructure.answers.text import (
    link_to_file,
    one_line,
    printable,
    safe_target,
)

_IN_TABLE = 300
_MOST_IN_CELL = 32_000  # characters; spreadsheets take 32,767
_WIDE, _NARROW = 60, 18
_YEAR = 1
_OPEN = "? "
"""Before a passage that may or may not answer."""
_LEGEND = "?: may or may not answer"
_DRIVE = re.compile(r"file:///[A-Za-z]:")


class MatrixCell(Model):
    """What a work has on a question; no passage where none is near enough."""

    verdict: Literal["answered", "related", "nothing"]
    """What `ask` would say of this work alone."""
    evidence: float
    """What that rests on: 0 to 1.5."""
    passage: ShownPassage | None
    """The best passage; null where none is near enough."""

    @classmethod
    def of(cls, cell: Cell) -> Self:
        passage = ShownPassage.of_chunk(cell.passage) if cell.passage else None
        return filled(cls, cell, passage=passage)


class MatrixWork(Work):
    """A work, and its cell for each question."""

    LEADING = ("name",)
    name: str
    """The citekey, or the name of the file."""
    cells: tuple[MatrixCell, ...]
    """One for each question, in their order."""

    @classmethod
    def of(cls, row: MatrixRow) -> Self:
        work = Work.of_reference(row.reference)
        return filled(cls, work, row, cells=tuple(map(MatrixCell.of, row.cells)))


class MatrixAnswer(Model):
    """A literature matrix: that of `matrix --format json`."""

    project: str
    """The project."""
    questions: tuple[str, ...]
    """The questions."""
    works: tuple[MatrixWork, ...]
    """The works by year."""
    filled: int
    """How many cells have a passage."""
    calibrated: bool
    """Whether the thresholds are the project's own."""
    notes: tuple[str, ...]
    """What else is to be known of them."""

    @classmethod
    def of(cls, matrix: Matrix) -> Self:
        return filled(cls, matrix, works=tuple(map(MatrixWork.of, matrix.rows)))


def written_matrix(matrix: Matrix, form: str, base_dir: Path) -> str | bytes:
    """A matrix as `text`, `json`, `markdown`, `html`, `csv` or, in bytes, `xlsx`."""
    match form:
        case "json":
            return json_text(MatrixAnswer.of(matrix), Door(base_dir=base_dir))
        case "markdown":
            return matrix_markdown(matrix)
        case "html":
            return matrix_html(matrix, base_dir)
        case "csv":
            return matrix_csv(matrix)
        case "xlsx":
            return matrix_xlsx(matrix, lambda passage: link_to_file(passage, base_dir))
        case _:
            return "\n".join(matrix_text(matrix))


def matrix_text(matrix: Matrix) -> Iterator[str]:
    """The works with what each says on each question, one below the other."""
    for number, question in enumerate(matrix.questions, start=1):
        yield f"{number}. {one_line(question)}"
    if legend := _legend(matrix):
        yield legend
    for row in matrix.rows:
        filled = [(n, cell) for n, cell in enumerate(row.cells, start=1) if cell.passage]
        if filled:
            yield ""
            yield one_line(_name(row))
        for number, cell in filled:
            yield one_line(f"  {number}. {_shown(cell)}")


def matrix_markdown(matrix: Matrix) -> str:
    """A pipe table, its cells cut to 300 characters."""
    heads = ["Work", *(one_line(question) for question in matrix.questions)]
    rows = [[_name(row), *(_shown(cell) for cell in row.cells)] for row in matrix.rows]
    heads, *rows = (
        [escaped_markdown(cell).replace("\n", " ") for cell in row] for row in (heads, *rows)
    )
    lines = [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)]
    if legend := _legend(matrix):
        lines += ["", legend]
    return "\n".join(lines)


def matrix_html(matrix: Matrix, base_dir: Path) -> str:
    """A page of its own with a table whose citations link to the page of the work."""
    heads = "".join(f"<th>{escape(question)}</th>" for question in matrix.questions)
    rows = "\n".join(
        f"<tr><th>{escape(_name(row))}</th>"
        + "".join(f"<td>{_cell_html(cell, base_dir)}</td>" for cell in row.cells)
        + "</tr>"
        for row in matrix.rows
    )
    return (
        '<!doctype html>\n<html><head><meta charset="utf-8">'
        f"<title>{escape(matrix.project)}</title><style>{_STYLE}</style></head>\n<body><table>\n"
        f"<thead><tr><th>Work</th>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
        f"{f'<p>{legend}</p>' if (legend := _legend(matrix)) else ''}</body></html>"
    )


_STYLE = (
    "body{font-family:sans-serif;font-size:14px}table{border-collapse:collapse}"
    "th,td{border:1px solid #bbb;padding:6px;vertical-align:top;text-align:left;min-width:14em}"
    "thead th{position:sticky;top:0;background:#fff}.open{color:#666}"
)


def _cell_html(cell: Cell, base_dir: Path) -> str:
    if cell.passage is None:
        return ""
    is_open = cell.verdict is Verdict.RELATED
    open_class, mark = (' class="open"', _OPEN) if is_open else ("", "")
    cited = escape(cited_place(cell.passage))
    target = safe_target(link_to_file(cell.passage, base_dir))
    source = f'<a href="{escape(target)}">{cited}</a>' if target else cited
    return (
        f"<p{open_class} dir='auto'>{mark}{escape(printable(cell.passage.chunk.text))}</p>{source}"
    )


# Spreadsheets.


def matrix_csv(matrix: Matrix) -> str:
    """Comma-separated values: work, year, title, then for each question a text and its citation."""
    return csv_text(_rows(matrix))


def matrix_xlsx(matrix: Matrix, link: Callable[[StoredChunk], str | None]) -> bytes:
    """A workbook with the same columns, whose citations link to where their passages are. No text
    is taken for a formula or a link. Raises `ConfigError` where XlsxWriter is not installed.
    """
    try:
        import xlsxwriter  # noqa: PLC0415 - of an extra
    except ImportError as error:
        raise extra_missing(
            "XlsxWriter, which writes spreadsheets, is not installed", "manuscript"
        ) from error

    rows = _rows(matrix)
    if legend := _legend(matrix):
        rows += [[], [legend]]
    links = {
        (number, 4 + 2 * column): target
        for number, row in enumerate(matrix.rows, start=1)
        for column, cell in enumerate(row.cells)
        if cell.passage and (target := _link_in_workbook(link(cell.passage)))
    }
    written = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(written, options) as book:
        sheet = book.add_worksheet("Literature")
        bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        wrapped = book.add_format({"text_wrap": True, "valign": "top"})
        sheet.freeze_panes(1, 1)
        sheet.set_column(0, len(rows[0]) - 1, _WIDE)
        sheet.set_column(0, 1, _NARROW)
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                style, target = wrapped if number else bold, links.get((number, column))
                if column == _YEAR and text.isdecimal():
                    sheet.write_number(number, column, int(text), style)
                elif target is None or sheet.write_url(number, column, target, style, text) < 0:
                    sheet.write_string(number, column, text, style)
    return written.getvalue()


def _link_in_workbook(target: str | None) -> str | None:
    """The link in capitals, since XlsxWriter makes a path of Windows of `file:`."""
    is_posix = target is not None and not _DRIVE.match(target)
    return target.replace("file:", "FILE:", 1) if target and is_posix else target


def _legend(matrix: Matrix) -> str:
    """What `?` means; empty where there is none."""
    cells = (cell for row in matrix.rows for cell in row.cells)
    is_open = any(cell.passage and cell.verdict is Verdict.RELATED for cell in cells)
    return _LEGEND if is_open else ""


def _rows(matrix: Matrix) -> list[list[str]]:
    """The rows of a spreadsheet, the heads first."""
    columns = [(question, f"{question} (page)") for question in matrix.questions]
    rows = [["citekey", "year", "title", *(head for pair in columns for head in pair)]]
    for row in matrix.rows:
        work = row.reference
        values = [row.name, str(work.year or "") if work else "", work.title if work else ""]
        for cell in row.cells:
            mark = _OPEN if cell.verdict is Verdict.RELATED else ""
            values += (
                [
                    f"{mark}{printable(cell.passage.chunk.text)[:_MOST_IN_CELL]}",
                    cited_place(cell.passage),
                ]
                if cell.passage
                else ["", ""]
            )
        rows.append(values)
    return rows


# Works and cells in short.


def _name(row: MatrixRow) -> str:
    work = row.reference
    if work is None:
        return row.name
    year = f" ({work.year})" if work.year else ""
    return f"@{work.citekey}{year} {one_line(work.title)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CellInShort:
    """A cell from the sentence that is nearest to the question on; `is_open` where it may or may
    not answer.
    """

    passage: StoredChunk
    text: str
    citation: str
    is_open: bool

    @classmethod
    def of(cls, cell: Cell) -> Self | None:
        """A cell in short; None for an empty one."""
        stored = cell.passage
        if stored is None:
            return None
        text, is_cut = trim(stored.chunk.text[cell.start :], _IN_TABLE)
        short, dots = (text[:-1], " …") if is_cut else (text, "")
        place = stored.cited_between(cell.start, cell.start + len(short))
        return cls(
            passage=stored,
            text=f"{one_line(printable(short)).rstrip()}{dots}",
            citation=f"{place}{remark_on(stored)}" if place else cited_place(stored),
            is_open=cell.verdict is Verdict.RELATED,
        )


def _shown(cell: Cell) -> str:
    short = CellInShort.of(cell)
    return f"{_OPEN if short.is_open else ''}{short.text} {short.citation}" if short else ""
