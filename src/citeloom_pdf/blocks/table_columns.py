"""The columns of a table: what stands in them, below a head and in the rows around."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise

from citeloom_pdf.blocks.rows import Row, lines_inside, rows_of, words_of
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Line

LED_COLUMNS = 2  # where leaders lead from the one to the other
LEAST_COLUMNS, WITHIN = 3, 0.9  # columns below a head, and of the runs below it in one of them
_FULL_SHARE = 0.6  # of the rows: so many fill the columns of a head, or have a name
SAME_MARGIN = 2.0  # points
ROW_PITCH = 3.2  # of a row's height: a wider gap ends a table without rules
CELL_LENGTH = 40  # characters: a longer run alone in its row ends a table without rules
_NAME_LENGTH = 60  # characters of the name of an account
_INDENT = 2.0  # of a row's height: how far in the names below a title begin
SHORT_CELL = 30  # characters: a longer run is no cell of such a table
MOST_ROWS = 60  # rows of a table without rules
_OVER_HEADS, _OFF_MIDDLE = 1.5, 0.15  # of a row's height, and of the width of several columns
_AMOUNT = re.compile(
    r"[-+\u2212\u2013(<$\u00a3\u20ac]*[\d.,:%\u00b1\u00d7e()*/\u066a-\u066c-]*"
    r"\d[\d.,:%\u00b1\u00d7e()*/\u066a-\u066c-]*"
)
_MARKED = re.compile(
    r"\d[.,\u066b\u066c]\d|[()%\u066a$\u00a3\u20ac]"
)  # an amount that is no page's number
_GROUP = re.compile(r",\s?(\d+)")  # digits behind a comma
_SUMS, _GROWING = 0.5, 0.8  # of texts: so many have such marks, and of pages, so many grow
HEAD_ROWS = 2  # above the first rule of a table


def is_amount(text: str) -> bool:
    """Whether a cell is a number, with its sign, unit or error."""
    return _AMOUNT.fullmatch(text.replace(" ", "")) is not None


def are_sums(texts: Sequence[str]) -> bool:
    """Whether texts are amounts rather than numbers of pages: most have a point, a comma, a bracket
    or a sign, all commas have as many digits behind them, unlike those between pages, and the
    numbers do not grow from each to the next.
    """
    marked = sum(is_amount(text) and _MARKED.search(text) is not None for text in texts)
    groups = (_GROUP.findall(text) for text in texts if "." not in text)
    alike = len({len(group) for group in chain.from_iterable(groups)}) <= 1
    parts = [[*map(int, re.findall(r"\d+", text))] for text in texts]
    growing = sum(lower >= upper for upper, lower in pairwise(parts))
    return alike and marked > _SUMS * len(texts) and growing < _GROWING * (len(texts) - 1)


def stand_below(
    head: Sequence[Row], rows: Sequence[Row], least_columns: int = LEAST_COLUMNS
) -> bool:
    """Whether the runs of rows stand in the columns that begin where the words of a head do, as
    the lines of long cells, or below one of them alone, as numbers do that are flush at the right.
    """
    runs = [run.box for row in rows for run in row.runs]
    heads = sorted(run.box for row in head for run in row.runs)
    # numbers alone may be those of an axis, below which the marks of a plot stand
    is_named = not all(is_amount(run.text) for row in head for run in row.runs)
    columns = [_head_above(box, heads, is_named=is_named) for box in runs]
    within = len(columns) - columns.count(None)
    return len({*columns} - {None}) >= least_columns and within >= WITHIN * len(runs)


def _head_above(box: Rect, heads: Sequence[Rect], *, is_named: bool) -> int | None:
    """The place among heads of the one that a run stands below, if it does not reach the next."""
    above = [at for at, head in enumerate(heads) if head.shared_width(box) > 0]
    begun = sum(head.left <= box.left + SAME_MARGIN for head in heads)
    if begun and all(box.right < head.left for head in heads[begun:]):
        return begun - 1
    return above[0] if is_named and len(above) == 1 else None


def is_account(row: Row) -> bool:
    """Whether a row is a name, as long as those of accounts are, and amounts alone behind it."""
    return (
        len(row.runs) >= LEAST_COLUMNS
        and len(row.runs[0].text) <= _NAME_LENGTH
        and is_name_and_amounts(row)
    )


def is_name_and_amounts(row: Row) -> bool:
    """Whether all that is behind the first run of a row is amounts, with no second text."""
    return all(is_amount(run.text) for run in row.runs[1:])


def is_title(row: Row, rows: Sequence[Row]) -> bool:
    """Whether a row is a short text alone in the first column of others, as above the parts of an
    account.
    """
    box, *more = (run.box for run in row.runs)
    inner = min((run.box.left for other in rows for run in other.runs[1:]), default=box.right)
    left = min(other.runs[0].box.left for other in rows)
    return (
        not more
        and abs(box.left - left) <= _INDENT * box.height
        and box.right < inner
        and len(row.runs[0].text) <= CELL_LENGTH
    )


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
    inside = rows_of(lines_inside(lines, table))
    columns = columns_of(run.box for row in inside for run in row.runs)
    if len(columns) < LEAST_COLUMNS:
        return table
    around = rows_of(outside)
    below = [row for row in around if row.top > table.bottom - 1]
    above = [row for row in around if row.bottom < table.top + 1]
    for rows, is_below, most in ((below, True, MOST_ROWS), (above, False, HEAD_ROWS)):
        titles: list[Row] = []
        for at, row in enumerate([*rows_from(table, rows, is_below)][: most + 1]):
            has_amounts = any(is_amount(run.text) for run in row.runs)
            is_head = not is_below and _are_names_over(row, columns, table.top)
            if at == most and not is_head:
                break
            if is_head or (_are_in_columns(row, columns) and (has_amounts or not titles)):
                table = enclosing(
                    [table, *(run.box for each in (row, *titles) for run in each.runs)]
                )
                titles = []
            elif titles or not is_title(row, inside):
                break
            else:
                titles = [row]
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


def _are_names_over(row: Row, columns: Sequence[Rect], top: float) -> bool:
    """Whether a row right above a table names its columns, some of the names over several."""
    near = top - row.bottom <= _OVER_HEADS * (row.bottom - row.top)
    short = all(len(run.text) <= CELL_LENGTH for run in row.runs)
    return near and short and bool(names_over([run.box for run in row.runs], columns))


def names_over(names: Sequence[Rect], columns: Sequence[Rect]) -> list[list[int]]:
    """The places of the columns that each of several names stands in the middle over, some of them
    over several; none where one stands otherwise, or over the first column.
    """
    over = [[at for at, column in enumerate(columns) if column.shared_width(n) > 0] for n in names]
    places = [*chain.from_iterable(over)]
    if len(names) < 2 or not all(over) or len(places) in (len(over), 0):
        return []
    if 0 in places or len({*places}) < len(places):
        return []
    for name, several in zip(names, over):
        below = columns[several[0]].union(columns[several[-1]])
        if abs(name.middle_x - below.middle_x) > _OFF_MIDDLE * below.width:
            return []
    return over


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
