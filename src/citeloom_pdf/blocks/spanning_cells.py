"""Cells of a table that stand over several rows, and heads that are near to one another."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from statistics import median

from citeloom_pdf.blocks.table_bands import CellRun, VisualRow, column_of, is_number
from citeloom_pdf.blocks.table_columns import names_over
from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import Word

_CROSSED = 0.8  # of the width of a column's text: a rule over so much of it ends its cell
_ALIGNED = 2.0  # points between the sides, or the middles, of a head and of its cells
_EDGE = 9.0  # points: how far a rule at the side of a table may be within the edge of its columns
_CENTRED, _ABOUT = 0.03, 3.0  # of a cell's width, or points: how far its text is from its middle
_WORDS = 1.0  # of a row's height: the words of one cell are no farther apart
_TIGHT = 0.5  # of a line's height: no more is between two lines of a cell
_MOST_HEADS = 4  # visual rows of heads


def with_spanning_cells_first(
    bands: Sequence[Sequence[VisualRow]], bounds: Sequence[float], rules: Sequence[Rule]
) -> list[list[VisualRow]]:
    """The visual rows of each table row, with the text of a cell that stands over several rows in
    the first of them, wherever between its rules it is set.
    """
    moved = [[*band] for band in bands]
    edges = [
        [rule for rule in rules if above[-1].middle < rule.at < below[0].middle]
        for above, below in pairwise(bands)
    ]
    for column in range(len(bounds) - 1):
        texts = [run for band in bands for run in _in_column(band, column, bounds)]
        left = min((run.left for run in texts), default=bounds[column])
        right = max((run.right for run in texts), default=bounds[column + 1])
        crossed = [
            any(rule.shared(left, right) > _CROSSED * (right - left) for rule in between)
            for between in edges
        ]
        for first, end in _stretches(crossed, edges):
            filled = [at for at in range(first, end) if _in_column(bands[at], column, bounds)]
            if len(filled) == 1 or _are_tight([row for at in filled for row in bands[at]]):
                for at in filled:
                    if at > first:
                        _move(moved, at, first, column, bounds)
    return moved


def _stretches(
    crossed: Sequence[bool], edges: Sequence[Sequence[Rule]]
) -> Iterator[tuple[int, int]]:
    """The first row and the end of each cell over several rows: rules part these beside it."""
    first = 0
    for at, ends in enumerate([*crossed, True], start=1):
        if ends:
            if at - first > 1 and all(edges[first : at - 1]):
                yield first, at
            first = at


def _are_tight(lines: Sequence[VisualRow]) -> bool:
    """Whether lines follow one another as those of one cell do, on either side of rules beside."""
    return all(
        below.top - above.bottom < _TIGHT * (above.bottom - above.top)
        for above, below in pairwise(lines)
    )


def _in_column(band: Sequence[VisualRow], column: int, bounds: Sequence[float]) -> list[CellRun]:
    return [
        run for row in band for run in row.runs if column_of(run.left, run.right, bounds) == column
    ]


def _move(
    bands: list[list[VisualRow]], source: int, target: int, column: int, bounds: Sequence[float]
) -> None:
    """Take the text of a column out of one table row, and put it into another."""
    rows = []
    for row in bands[source]:
        taken = tuple(_in_column([row], column, bounds))
        rows.append(replace(row, runs=tuple(run for run in row.runs if run not in taken)))
        if taken:
            bands[target].append(replace(row, runs=taken))
    bands[source] = rows


def columns_over_several(
    rows: Sequence[VisualRow], bounds: Sequence[float], rules: Sequence[Rule], direction: int
) -> dict[int, int]:
    """The first column of each cell that stands over several, by the identity of its first word:
    alone and in the middle between vertical rules that are farther apart than in other rows, or
    among the heads; without rules in the middle over the cells of several columns. `direction` is
    -1 where the first column is the right one.
    """
    inner = [rule for rule in rules if bounds[0] < rule.at - _EDGE and rule.at + _EDGE < bounds[-1]]
    sides = [
        [bounds[0], *sorted(r.at for r in inner if r.start <= row.middle <= r.end), bounds[-1]]
        for row in rows
    ]
    first = next((at for at, row in enumerate(rows) if _is_of_numbers(row, bounds)), 0)
    over: dict[int, int] = {}
    if not inner:
        return _over_cells(rows[:first], rows[first:], bounds, direction)
    for at, (row, edges) in enumerate(zip(rows, sides)):
        if at >= first and len(edges) == max(map(len, sides)):
            continue
        for left, right in pairwise(edges):
            runs = [run for run in row.runs if left < (run.left + run.right) / 2 < right]
            columns = [
                column
                for column, (start, end) in enumerate(pairwise(bounds))
                if left <= (start + end) / 2 <= right
            ]
            off = abs(runs[0].left + runs[-1].right - left - right) / 2 if runs else right
            if (
                runs
                and len(columns) > 1
                and off <= max(_ABOUT, _CENTRED * (right - left))
                and all(
                    b.left - a.right < _WORDS * (row.bottom - row.top) for a, b in pairwise(runs)
                )
            ):
                first_of = columns[0 if direction == 1 else -1]
                over |= {id(run.words[0]): first_of for run in runs}
    return over


def _over_cells(
    heads: Sequence[VisualRow],
    rows: Sequence[VisualRow],
    bounds: Sequence[float],
    direction: int,
) -> dict[int, int]:
    """The first column of each head in the middle over the cells of several, each with a head of
    its own below.
    """
    body = [_in_column(rows, column, bounds) for column in range(len(bounds) - 1)]
    if not all(body):
        return {}
    columns = [
        Rect(min(run.left for run in cells), 0.0, max(run.right for run in cells), 1.0)
        for cells in body
    ]
    over: dict[int, int] = {}
    for number, row in enumerate(heads):
        below = {at for at in range(len(columns)) if _in_column(heads[number + 1 :], at, bounds)}
        names = names_over([Rect(run.left, 0.0, run.right, 1.0) for run in row.runs], columns)
        if below.issuperset(chain.from_iterable(names)):
            over |= {id(run.words[0]): at[::direction][0] for run, at in zip(row.runs, names)}
    return over


def heads_apart(
    rows: Sequence[VisualRow], bounds: Sequence[float], over: Container[int]
) -> dict[int, int]:
    """The columns of heads that are near to one another, by the identities of their first words:
    without these a column would have no head, and all stand as the cells of their columns do. None
    is `over` several columns.
    """
    first = next((at for at, row in enumerate(rows) if _is_of_numbers(row, bounds)), 0)
    heads, body = rows[:first], rows[first:]
    if not 0 < first <= _MOST_HEADS:
        return {}
    named = {column_of(run.left, run.right, bounds) for row in heads for run in row.runs}
    bare = {*range(1, len(bounds) - 1)} - named
    apart: dict[int, int] = {}
    for run in (run for row in heads for run in row.runs) if bare else ():
        if id(run.words[0]) in over:
            continue
        first, last = (
            column_of(word.box.left, word.box.right, bounds)
            for word in (run.words[0], run.words[-1])
        )
        # the first word of a head wider than its cells may reach into the column before
        for columns in (range(first, last + 1), range(first + 1, last + 1)):
            if len(columns) > 1 and bare.intersection(columns):
                apart |= _heads_of(columns, run.words, body, bounds)
    return apart


def _heads_of(
    columns: range, words: Sequence[Word], rows: Sequence[VisualRow], bounds: Sequence[float]
) -> dict[int, int]:
    """The column of each head by its first word, if all heads stand as their cells do."""
    starts = [0]
    for column in columns[:-1]:
        ends = range(starts[-1] + 1, len(words))
        far = {end: _offset(words[starts[-1] : end], column, rows, bounds) for end in ends}
        if not far or min(far.values()) > _ALIGNED:
            return {}
        starts.append(min(far, key=far.__getitem__))
    if _offset(words[starts[-1] :], columns[-1], rows, bounds) > _ALIGNED:
        return {}
    return {id(words[at]): column for at, column in zip(starts, columns)}


def _is_of_numbers(row: VisualRow, bounds: Sequence[float]) -> bool:
    """Whether numbers stand in most columns behind the first."""
    columns = {
        column_of(run.left, run.right, bounds) for run in row.runs if all(map(is_number, run.words))
    }
    return len(columns - {0}) > 0.5 * (len(bounds) - 2)


def _offset(
    head: Sequence[Word], column: int, rows: Sequence[VisualRow], bounds: Sequence[float]
) -> float:
    """How far a head is from standing at the left, the right or the middle of its column's cells,
    in points.
    """
    cells = [run for row in rows for run in _in_column([row], column, bounds)]
    if not cells:
        return float("inf")
    left, right = head[0].box.left, head[-1].box.right
    return min(
        abs(median(run.left for run in cells) - left),
        abs(median(run.right for run in cells) - right),
        abs(median(run.left + run.right for run in cells) - left - right) / 2,
    )
