"""The columns of a table: what stands in them, below a head and in the rows around."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence

from citeloom_pdf.blocks.rows import Row, lines_inside, rows_of, words_of
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Line

LEAST_COLUMNS, WITHIN = 3, 0.9  # columns below a head, and of the runs below it in one of them
_FULL_SHARE = 0.6  # of the rows: so many fill the columns of a head, or have a name
SAME_MARGIN = 2.0  # points
ROW_PITCH = 3.2  # of a row's height: a wider gap ends a table without rules
CELL_LENGTH = 40  # characters: a longer run alone in its row ends a table without rules
SHORT_CELL = 30  # characters: a longer run is no cell of such a table
MOST_ROWS = 60  # rows of a table without rules
HEAD_ROWS = 2  # above the first rule of a table


def stand_below(
    head: Sequence[Row], rows: Sequence[Row], least_columns: int = LEAST_COLUMNS
) -> bool:
    """Whether the runs of rows stand in the columns that begin where the words of a head do, as
    the lines of long cells.
    """
    runs = [run.box for row in rows for run in row.runs]
    starts = sorted(run.box.left for row in head for run in row.runs)
    columns = [bisect(starts, box.left + SAME_MARGIN) for box in runs]
    ends = [*starts[1:], float("inf")]
    within = sum(at > 0 and box.right < ends[at - 1] for at, box in zip(columns, runs))
    return len(set(columns)) >= least_columns and within >= WITHIN * len(runs)


def are_names_below(head: Sequence[Row], rows: Sequence[Row]) -> bool:
    """Whether rows stand below a head as in a table, in two columns if nearly all fill these."""
    full = sum(len(row.runs) >= 2 for row in rows)
    fill_two = full >= max(2, _FULL_SHARE * len(rows))
    return stand_below(head, rows, 2 if fill_two else LEAST_COLUMNS)


def columns_of(cells: Iterable[Rect]) -> list[Rect]:
    """The columns in which cells stand: what covers the place of another belongs to its column."""
    columns: list[Rect] = []
    for box in sorted(cells):
        if columns and box.left < columns[-1].right:
            columns[-1] = columns[-1].union(box)
        else:
            columns.append(box)
    return columns


def with_rows_around(table: Rect, lines: Sequence[Line]) -> Rect:
    """A table between rules with the rows in its columns above and below, as accounts have that are
    ruled below their heads and above their sums alone.
    """
    table = _with_names(table, lines)
    outside = [line for line in lines if not line.box.lies_in(table)]
    inside = [run.box for row in rows_of(lines_inside(lines, table)) for run in row.runs]
    columns = columns_of(inside)
    if len(columns) < LEAST_COLUMNS:
        return table
    around = rows_of(outside)
    below = [row for row in around if row.top > table.bottom - 1]
    above = [row for row in around if row.bottom < table.top + 1]
    for rows, is_below, most in ((below, True, MOST_ROWS), (above, False, HEAD_ROWS)):
        for row in [*rows_from(table, rows, is_below)][:most]:
            if not _are_in_columns(row, columns):
                break
            table = enclosing([table, *(run.box for run in row.runs)])
    return table


def _with_names(table: Rect, lines: Sequence[Line]) -> Rect:
    """A table with the names of most of its rows, where its rules are drawn over the numbers alone,
    as above the sums of accounts.
    """
    rows = rows_of(lines_inside(lines, table))
    beside = [
        line.box
        for line in lines
        if line.box.right < table.left
        and len(line.text) <= CELL_LENGTH
        and any(row.top < line.box.middle_y < row.bottom for row in rows)
    ]
    if len(beside) < _FULL_SHARE * len(rows) or not all(map(_is_of_numbers, rows)):
        return table
    return enclosing([table, *beside])


def _is_of_numbers(row: Row) -> bool:
    return any(map(str.isdigit, row.runs[0].text)) or not any(map(str.isalpha, row.runs[0].text))


def _are_in_columns(row: Row, columns: Sequence[Rect]) -> bool:
    """Whether each of several short cells stands in a column of its own."""
    places = [
        [at for at, column in enumerate(columns) if column.shared_width(run.box) > 0]
        for run in row.runs
    ]
    single = [found[0] for found in places if len(found) == 1]
    return (
        len(single) >= 2
        and len(set(single)) == len(places)
        and max(len(run.text) for run in row.runs) <= SHORT_CELL
    )


def rows_from(caption: Rect, rows: Sequence[Row], below: bool) -> Iterator[Row]:
    """The rows below or above a caption, the nearest first, up to the first wide gap."""
    edge = caption.bottom if below else caption.top
    for row in rows if below else reversed(rows):
        gap = row.top - edge if below else edge - row.bottom
        if gap > ROW_PITCH * (row.bottom - row.top):
            return
        yield row
        edge = row.bottom if below else row.top


def is_listing(inside: Sequence[Line], head: Sequence[Line] = ()) -> bool:
    """Whether most of the text is monospaced, or letter-spaced as in a listing; not where it stands
    in the columns of a head that is not, as the names of functions do.
    """
    if _is_mono(inside):
        ids = set(map(id, head))
        cells = [line for line in inside if id(line) not in ids]
        return _is_mono(head) or not are_names_below(rows_of(head), rows_of(cells))
    words = words_of(inside)
    letters = sum(len(word.text) == 1 and word.text.isalpha() for word in words)
    return letters > 0.5 * len(words)


def _is_mono(lines: Sequence[Line]) -> bool:
    mono = sum(len(line.text) for line in lines if line.style.mono > 0.6)
    return mono > 0.6 * sum(len(line.text) for line in lines)
