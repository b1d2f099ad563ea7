"""Long tables: the rows of their heads, and which table of a page is the next part of the one
before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass

from citeloom.domain.documents.conversion import Block, BlockKind, ConversionResult
from citeloom.domain.documents.quality import CELLS

_SAME_EDGE = 0.05  # of the width: the edges of two parts are no farther apart
_LONGEST_REMARK = 60  # characters of what stands between two parts with one head, as `continued`
_MOST_HEADS = 4  # rows
_NUMBER = re.compile(r"\W*\d[\d\W]*")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_LABEL = re.compile(r"\D*\d+")


@dataclass(frozen=True, slots=True)
class _Part:
    """A table of a page, its rows of cells, and the number of its caption, if it has one."""

    block: Block
    rows: Sequence[Sequence[str]]
    label: str

    @property
    def columns(self) -> int:
        return Counter(map(len, self.rows)).most_common(1)[0][0]

    def numeric(self, column: int) -> bool:
        """Whether most cells of a column are numbers."""
        return _are_numbers([row[column] for row in self.rows if len(row) == self.columns])


def head_rows(rows: Sequence[str]) -> int:
    """How many of the first rows of a table name its columns: the first, a second above whose names
    a title or those of several columns stand, and one of units; the first column has one name.
    """
    cells = [*map(_cells, rows)]
    columns = max(map(len, cells), default=0)
    numeric = [
        column
        for column in range(1, columns)
        if _are_numbers([row[column] for row in cells if len(row) == columns and row[column]])
    ]
    named, wide = False, False
    most = min(len(cells), _MOST_HEADS if columns > 1 else 1)
    for count, row in enumerate(cells[:most]):
        title = not any(row[1:])
        values = [row[column] for column in numeric if column < len(row) and row[column]]
        if count:
            below_several = not wide or not all(cells[count - 1][1:])
            years = below_several and all(map(_YEAR.fullmatch, values))
            numbers = any(map(_NUMBER.fullmatch, values)) and not years
            names = bool(values) if numeric else not named and below_several
            if (wide and title) or (named and row[0]) or numbers or not names:
                return count
        named = named or (bool(row[0]) and not title)
        wide = wide or not title
    return most


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in f" {row} ".split(CELLS)]


def _are_numbers(cells: Sequence[str]) -> bool:
    return 2 * sum(_NUMBER.fullmatch(cell) is not None for cell in cells) > len(cells)


def continued_tables(result: ConversionResult) -> Set[int]:
    """Where each table begins that is the next part of the table before it."""
    found = set[int]()
    before: _Part | None = None
    label, remarks = "", 0
    for block in result.blocks:
        text = result.text_of(block)
        if block.kind is BlockKind.CAPTION:
            matched = _LABEL.match(text)
            label = matched[0] if matched else text
        elif block.kind is BlockKind.TABLE:
            rows = [*map(_cells, text.splitlines())]
            part = _Part(block, rows, label)
            if before is not None and _goes_on(before, part, apart=remarks > 0):
                found.add(block.start)
                part = _Part(block, rows, before.label or label)
            before, label, remarks = part, "", 0
        elif block.kind is not BlockKind.FOOTNOTE:
            remarks += 1
            if remarks > 1 or len(text) > _LONGEST_REMARK:
                before = None
            label = ""
    return found


def _goes_on(before: _Part, part: _Part, *, apart: bool) -> bool:
    """Whether a table at the head of a page has the head of the one that ends on the page before,
    or its columns without a head of their own; not where their captions have other numbers.
    """
    page, ended = part.block.fragments[0].page, before.block.fragments[-1].page
    if page is None or ended is None or page != ended + 1:
        return False
    if before.label and part.label and before.label != part.label:
        return False
    if before.rows[0] == part.rows[0]:
        return True
    return not apart and _have_same_columns(before, part) and not _is_head(part)


def _have_same_columns(before: _Part, part: _Part) -> bool:
    above, box = before.block.fragments[-1].box, part.block.fragments[0].box
    if above is None or box is None or before.columns != part.columns:
        return False
    reach = _SAME_EDGE * (above.right - above.left)
    edges = (above.left - box.left, above.right - box.right)
    return max(map(abs, edges)) <= reach and all(
        before.numeric(column) == part.numeric(column) for column in range(part.columns)
    )


def _is_head(part: _Part) -> bool:
    """Whether the first row names what the numbers below it are, as far as anything tells."""
    first = part.rows[0]
    numeric = [column for column in range(part.columns) if part.numeric(column)]
    if len(first) != part.columns or not numeric:
        return True
    return not any(_NUMBER.fullmatch(first[column]) for column in numeric)
