"""Spreadsheets, written with XlsxWriter."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import xlsxwriter

_WIDTH, _NARROW = 60, 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A sheet of texts, its first row the heads; `links` by row and column, both from 0."""

    name: str
    rows: Sequence[Sequence[str]]
    links: Mapping[tuple[int, int], str] = field(default_factory=dict)


def workbook(sheet: Sheet) -> bytes:
    """An XLSX workbook with one sheet. No text is taken for a formula or a link."""
    written = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(written, options) as book:
        page = book.add_worksheet(sheet.name)
        bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        wrapped = book.add_format({"text_wrap": True, "valign": "top"})
        page.freeze_panes(1, 1)
        page.set_column(0, max(map(len, sheet.rows)) - 1, _WIDTH)
        page.set_column(0, 1, _NARROW)
        for number, row in enumerate(sheet.rows):
            for column, text in enumerate(row):
                target = sheet.links.get((number, column))
                if target is None or page.write_url(number, column, target, wrapped, text) < 0:
                    page.write_string(number, column, text, wrapped if number else bold)
    return written.getvalue()
