"""Examples with glosses: two or three lines whose words stand under one another.

Wide spaces part such a line like columns; but these columns have a word in each line, and end after
three.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise

from citeloom_pdf.elements.geometry import Rule
from citeloom_pdf.elements.page import Line
from citeloom_pdf.elements.patterns import LEADER
from citeloom_pdf.parsing.columns import are_in_columns, column_ends
from citeloom_pdf.parsing.lines import joined_line, rows_of_parts

_SAME_PLACE = 1.5  # points
_LEAST_WORDS = 3  # that stand under another: two columns have two
_MOST_ROWS = 3  # more are a table's, or an index in columns
_WIDE = 0.6  # of the font size: a wider space is more than one between words
_FARTHEST = 2.2  # of the font size: how far below the next line is
_LONGEST = 18  # characters for each place: columns of prose have more
_COLUMN_LINES = 6  # lines that begin at one place begin a column
_LONGEST_NUMBER = 8  # characters of an example's number, behind which all examples begin
_MATH = 0.33  # where more of a line is in mathematical letters, it is a row of a formula


def join_glosses(lines: Sequence[Line]) -> list[Line]:
    """The lines, with the parts of each that belong to a gloss joined."""
    # where so many lines begin that a column does, as in an index
    places = Counter(round(line.box.left) for line in lines)
    ends, starts = (
        column_ends(lines),
        {place for place, count in places.items() if count >= _COLUMN_LINES},
    )
    rows = [row for row in rows_of_parts(lines) if not _is_in_columns(row, ends, starts)]
    rows.sort(key=lambda row: row[0].box.top)
    glossed = [row for run in _runs(rows) if len(run) <= _MOST_ROWS for row in run]
    parted = [row for row in glossed if len(row) > 1]
    parts = {id(part) for row in parted for part in row}
    return [*(line for line in lines if id(line) not in parts), *map(joined_line, parted)]


def _is_in_columns(row: Sequence[Line], ends: Sequence[Rule], starts: Set[int]) -> bool:
    """Whether a row has the lines of two columns, or of an index."""
    if any(LEADER.search(line.text) for line in row):
        return True
    return any(
        are_in_columns(left.box, right.box, ends)
        or (len(left.text) > _LONGEST_NUMBER and round(right.box.left) in starts)
        for left, right in pairwise(row)
    )


def _runs(rows: Sequence[Sequence[Line]]) -> Iterator[list[Sequence[Line]]]:
    """Rows that follow one another with their words under one another."""
    free = list(rows)
    while free:
        run = [free.pop(0)]
        while (below := _row_below(run[-1], free)) is not None:
            free.remove(below)
            run.append(below)
        if len(run) > 1:
            yield run


def _row_below(row: Sequence[Line], rows: Iterable[Sequence[Line]]) -> Sequence[Line] | None:
    reach = row[0].box.bottom + _FARTHEST * row[0].size
    return next(
        (
            other
            for other in rows
            if row[0].box.middle_y < other[0].box.top + 1 <= reach and _are_aligned(row, other)
        ),
        None,
    )


def _are_aligned(upper: Sequence[Line], lower: Sequence[Line]) -> bool:
    if max(len(upper), len(lower)) < 2 or any(line.style.math > _MATH for line in (*upper, *lower)):
        return False
    return _stands_under(upper, lower) and _stands_under(lower, upper)


def _stands_under(row: Sequence[Line], other: Sequence[Line]) -> bool:
    """Whether what begins after a wide space begins where a word of the other row does; only the
    number of an example stands alone.
    """
    starts = list(_starts(row))
    words = [word.box.left for line in other for word in line.words]
    matched = sum(any(abs(start - word) <= _SAME_PLACE for word in words) for start in starts)
    short = sum(len(line.text) for line in row) <= _LONGEST * len(starts)
    return short and matched >= max(_LEAST_WORDS, len(starts) - 1)


def _starts(row: Sequence[Line]) -> Iterator[float]:
    words = [word for line in row for word in line.words]
    yield from (word.box.left for word in words[:1])
    for before, word in pairwise(words):
        if word.box.left - before.box.right > _WIDE * row[0].size:
            yield word.box.left
