"""Tables without rules that stand side by side, the rows of one level with those of the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from citeloom_pdf.blocks.rows import Row
from citeloom_pdf.blocks.table_columns import columns_of, is_amount
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Line

_LEAST_COLUMNS = 2  # of each table: names, and amounts behind them
_WIDER = 1.5  # of the widest gap between two columns of one table: the gap between two tables
_MOSTLY = 0.8  # of the cells of a column


def side_by_side(rows: Sequence[Row], lines: Sequence[Line]) -> list[list[Row]]:
    """The rows of each of the tables that stand side by side, from left to right; all rows, where
    they are one. None of the lines runs through both.

    Both begin with names. Behind the amounts of one table those of the next begin, farther away
    than any two columns of a table are from each other, or below the head that the first have.
    """
    columns = columns_of(run.box for row in rows for run in row.runs)
    if not (columns and _are_names(_cells(rows, columns[0]))):
        return [[*rows]]
    gaps = [right.left - left.right for left, right in pairwise(columns)]
    for at in range(_LEAST_COLUMNS, len(columns) - _LEAST_COLUMNS + 1):
        behind, names = columns[at - 1 : at + 1]
        within = [gap for place, gap in enumerate(gaps, start=1) if place != at]
        if not (
            _are_amounts(_cells(rows, behind))
            and _are_names(_cells(rows, names))
            and any(_are_amounts(_cells(rows, column)) for column in columns[at + 1 :])
        ):
            continue
        if any(line.box.left < names.left < line.box.right for line in lines):
            continue
        if gaps[at - 1] >= _WIDER * max(within) or _have_one_head(columns[0], names, rows):
            left = _between(rows, float("-inf"), names.left)
            return [left, *side_by_side(_between(rows, names.left, float("inf")), lines)]
    return [[*rows]]


def _cells(rows: Iterable[Row], column: Rect) -> list[str]:
    return [run.text for row in rows for run in row.runs if run.box.shared_width(column) > 0]


def _are_amounts(cells: Sequence[str]) -> bool:
    """Whether cells are amounts, but for a head."""
    return sum(map(is_amount, cells)) >= max(2, _MOSTLY * (len(cells) - 1))


def _are_names(cells: Sequence[str]) -> bool:
    named = sum(any(map(str.isalpha, cell)) and not is_amount(cell) for cell in cells)
    return named >= _MOSTLY * len(cells)


def _have_one_head(first: Rect, second: Rect, rows: Sequence[Row]) -> bool:
    """Whether two columns begin with the same text, and go on with others."""
    left, right = _cells(rows, first), _cells(rows, second)
    return left[:1] == right[:1] and len({*left}) > 1


def _between(rows: Iterable[Row], left: float, right: float) -> list[Row]:
    """The parts of rows that begin between two places."""
    parts = []
    for row in rows:
        runs = tuple(run for run in row.runs if left <= run.box.left < right)
        if runs:
            box = enclosing(run.box for run in runs)
            parts.append(Row(box.top, box.bottom, runs))
    return parts
