"""The rows of a table: which of its visual rows are lines of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from statistics import median

from citeloom_pdf.elements.page import Word
from citeloom_pdf.elements.text import SOFT_HYPHEN

FULL_SHARE = 0.6  # of the rows: if so many have as many runs, they tell the columns
FLUSH = 1.0  # points between cells that begin or end at one place
CELL_GAP = 0.4  # of the word height: a wider gap in the place of a column's edge parts cells
_STOPS = (".", "!", "?", "\u3002")
_LONG = 4  # words of a line of a cell that goes on below it
_BELOW = 2  # numbers below others in their columns: more rows than the rules show
_PARALLEL = 3  # cells side by side: a row of its own
BRACKETS = ("(", "[", "{")  # open the errors below estimates
_TIGHT = 0.45  # of the word height: a line this near to the one above continues its cells
_NEAR = 1.0  # the same where it ends a hyphenated word
SMALLER = 0.85  # of the height of the words above or below: small print
_HYPHENS = ("-", "\u2010", SOFT_HYPHEN)
_FARTHER = 1.3  # of the gaps within cells: the least gap between rows
_LEAST_DRAWN = 4  # parts between rules: these are drawn around each row rather than around some
_MOST_LINES = 4  # between two rules on average: more are of several rows
_NAMED = 0.8  # of the rows have something in the first column


@dataclass(frozen=True, slots=True)
class CellRun:
    """Words of a visual row with no wide gap between them."""

    left: float
    right: float
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class VisualRow:
    """Runs side by side, from left to right."""

    middle: float
    top: float
    bottom: float
    runs: tuple[CellRun, ...]


def column_of(left: float, right: float, bounds: Sequence[float]) -> int:
    """The column, between two of the bounds, that shares most of a width."""
    return max(
        range(len(bounds) - 1),
        key=lambda index: min(right, bounds[index + 1]) - max(left, bounds[index]),
    )


def table_bands(
    rows: Sequence[VisualRow],
    bounds: Sequence[float],
    rules: Sequence[float],
    height: float,
    *,
    ruled: bool,
) -> list[list[VisualRow]]:
    """The visual rows of each table row: between rules in a grid, else by line distance."""
    edges = [float("-inf"), *rules, float("inf")]
    bands = [
        [row for row in rows if upper < row.middle <= lower]
        for upper, lower in zip(edges, edges[1:])
    ]
    between = [band for band in bands if band]
    ends: dict[int, float] = {}
    for column, run in (found for row in rows for found in _runs_by_column(row, bounds).items()):
        ends[column] = max(ends.get(column, run.right), run.right)
    if ruled:
        # a cell is as wide as its rules: what is left of it at its left is left at its right
        inset = min(
            run.left - max(filter(run.left.__ge__, bounds), default=run.left)
            for row in rows
            for run in row.runs
        )
        ends = {at: max(end, bounds[at + 1] - inset) for at, end in ends.items()}
    grid = (ruled and len(between) >= 3) or (
        len(between) >= 5 and len(rows) <= _MOST_LINES * len(between)
    )
    if grid:
        drawn = len(between) >= _LEAST_DRAWN and len(rows) <= _MOST_LINES * len(between)
        bands = [part for band in between for part in _full_rows(band, bounds, ends, drawn=drawn)]
    else:
        bands = _by_gaps(rows, bounds, height, ruled) or _by_tightness(rows, bounds, height, ends)
        bands = [part for band in bands for part in _parted(band, rules)]
    if ruled:
        return bands
    rest = (part for band in bands[1:] for part in _rows_of_one(band, bounds, ends))
    return [*bands[:1], *rest]


def _rows_of_one(
    band: list[VisualRow], bounds: Sequence[float], ends: Mapping[int, float]
) -> list[list[VisualRow]]:
    """The visual rows of a table row that has one name, each apart where all are rows of their own:
    three cells or more stand below others, one would have fitted in above, and they are no errors
    in brackets or in small print.
    """
    above = _runs_by_column(band[0], bounds)
    for row in band[1:]:
        runs = _runs_by_column(row, bounds)
        below = [(above[at], run, ends[at]) for at, run in runs.items() if at in above]
        errors = all(run.words[0].text.startswith(BRACKETS) for _, run, _ in below)
        if (
            len(below) < _PARALLEL
            or 0 in runs
            or errors
            or _is_smaller(row, band[0])
            or all(_wraps(*pair) for pair in below)
        ):
            return [band]
    return [[row] for row in band]


def _parted(band: Sequence[VisualRow], rules: Sequence[float]) -> list[list[VisualRow]]:
    """The visual rows of a table row, those on either side of a rule apart."""
    parts = [[band[0]]]
    for above, row in pairwise(band):
        if any(above.middle < rule <= row.middle for rule in rules):
            parts.append([])
        parts[-1].append(row)
    return parts


def _runs_by_column(row: VisualRow, bounds: Sequence[float]) -> dict[int, CellRun]:
    return {column_of(run.left, run.right, bounds): run for run in row.runs}


def _without_wraps(
    band: Sequence[VisualRow], bounds: Sequence[float], ends: Mapping[int, float]
) -> list[list[VisualRow]]:
    """The rows of a band, each with those below it that only go on with long cells: every cell's
    first word would not have fitted in above, up to where the column ends.
    """
    parts = [[band[0]]]
    for row in band[1:]:
        if _only_wraps(parts[-1], row, bounds, ends):
            parts[-1].append(row)
        else:
            parts.append([row])
    return parts


def _only_wraps(
    band: Sequence[VisualRow], row: VisualRow, bounds: Sequence[float], ends: Mapping[int, float]
) -> bool:
    above = {at: run for each in band for at, run in _runs_by_column(each, bounds).items()}
    runs = _runs_by_column(row, bounds)
    pairs = [(above[at], run, ends[at]) for at, run in runs.items() if at in above]
    begun = [run.words[0].text[0] for run in row.runs]
    named = _fills_first(row, bounds) and len(begun) > 1
    capital = any(map(str.isupper, begun)) and not any(map(str.islower, begun))
    if (named and capital) or len(_columns_of_numbers(row, bounds)) >= _BELOW:
        return False
    is_long = any(
        sum(word.text.isalpha() for word in upper.words) >= _LONG for upper, _, _ in pairs
    ) or (len(pairs) == len(runs) and _goes_on_in_small_letters(band[0], row))
    ended = any(upper.words[-1].text.endswith(_STOPS) for upper, _, _ in pairs)
    return is_long and not ended and all(_wraps(*pair) for pair in pairs)


def _goes_on_in_small_letters(first: VisualRow, row: VisualRow) -> bool:
    """Whether cells begin with small letters below some that begin with none."""
    return len(row.runs) > 1 and all(
        run.words[0].text[0].islower() is (line is row)
        for line in (first, row)
        for run in line.runs
    )


def _wraps(above: CellRun, below: CellRun, end: float) -> bool:
    first = below.words[0].box
    return above.right + first.width + CELL_GAP * first.height > end


def _full_rows(
    band: list[VisualRow], bounds: Sequence[float], ends: Mapping[int, float], *, drawn: bool
) -> list[list[VisualRow]]:
    """A band split into its visual rows if nearly all of them fill the columns, else where numbers
    stand below one another; where rules are `drawn` around rows, not the lines of cells.
    """
    if len(band) > 1 and all(_is_smaller(band[0], row) for row in band[1:]):
        return [band]
    full = sum(_is_full(row, bounds) for row in band)
    is_split = len(band) > 1 and full >= max(2, 0.6 * len(band))
    if is_split and not (drawn and _are_lines_of_cells(band, bounds)):
        return _without_wraps(band, bounds, ends)
    numbers = [_columns_of_numbers(row, bounds) for row in band]
    if sum(Counter(chain.from_iterable(numbers)).values()) - len(set().union(*numbers)) < _BELOW:
        return [band]
    parts: list[list[VisualRow]] = []
    for row, begins in zip(band, numbers):
        if begins or not parts:
            parts.append([])
        parts[-1].append(row)
    return parts


def _are_lines_of_cells(band: Sequence[VisualRow], bounds: Sequence[float]) -> bool:
    """Whether visual rows are the lines of cells: some end above those beside them, most begin
    below the first line, or each line goes on in small letters with one above it.
    """
    lines = [_runs_by_column(row, bounds) for row in band]
    columns = set().union(*lines)
    if lines[-1].keys() < columns or not _is_full(band[0], bounds):
        return True
    return all(
        any(
            at in above
            and run.words[0].text[0].islower()
            and not above[at].words[0].text[0].islower()
            and not above[at].words[-1].text.endswith(_STOPS)
            for at, run in row.items()
        )
        for above, row in pairwise(lines)
    )


def _is_smaller(label: VisualRow, row: VisualRow) -> bool:
    """Whether a row is of smaller letters than another, as the labels in the boxes of forms are."""
    heights = (_word_height(each) for each in (label, row))
    return next(heights) < SMALLER * next(heights)


def _word_height(row: VisualRow) -> float:
    return median(word.box.height for run in row.runs for word in run.words)


def _columns_of_numbers(row: VisualRow, bounds: Sequence[float]) -> set[int]:
    """The columns behind the first in which a row has a number and nothing else; one in brackets,
    as errors below estimates are, belongs to the row above.
    """
    return {
        column_of(run.left, run.right, bounds)
        for run in row.runs
        if not _is_in_first(run, bounds)
        and not run.words[0].text.startswith(BRACKETS)
        and all(map(is_number, run.words))
    }


def _fills_first(row: VisualRow, bounds: Sequence[float]) -> bool:
    return any(_is_in_first(run, bounds) for run in row.runs)


def _is_in_first(run: CellRun, bounds: Sequence[float]) -> bool:
    return run.left < bounds[1]


def _by_gaps(
    rows: Sequence[VisualRow], bounds: Sequence[float], height: float, ruled: bool
) -> list[list[VisualRow]]:
    """The visual rows of each table row where only wide gaps part table rows; none where these do
    not have their name in one line each, wherever that is, or between ruled columns one full line.
    """
    bands: list[list[VisualRow]] = []
    bottom = float("-inf")
    parting = max(_TIGHT * height, _gap_above_names(rows, bounds, height))
    for row in rows:
        if row.top - bottom >= parting:
            bands.append([])
        bands[-1].append(row)
        bottom = max(bottom, row.bottom)
    if len(bands) == len(rows):
        return []
    names = [sum(_fills_first(row, bounds) for row in band) for band in bands]
    full = [sum(_is_full(row, bounds) for row in band) for band in bands] if ruled else names
    once = any(max(n) == 1 and sum(n) >= _NAMED * len(bands) for n in (names, full))
    return bands if once else []


def _gap_above_names(rows: Sequence[VisualRow], bounds: Sequence[float], height: float) -> float:
    """The gap from which a table row begins, where all that have a name are farther below the line
    above than those that have none; 0 where they are not, or numbers stand below those of a name.
    """
    named, names, lines = set[int](), [], []
    for above, row in pairwise(rows):
        gap, numbers = row.top - above.bottom, _columns_of_numbers(row, bounds)
        if _fills_first(row, bounds):
            names.append(gap)
            named |= numbers
        elif named.isdisjoint(numbers):
            lines.append(gap)
        else:
            return 0.0
    if not (names and lines) or max(lines) >= _NEAR * height:
        return 0.0
    return min(names) if min(names) >= _FARTHER * max(lines) else 0.0


def _is_full(row: VisualRow, bounds: Sequence[float]) -> bool:
    return len(row.runs) >= FULL_SHARE * (len(bounds) - 1) and _fills_first(row, bounds)


def _by_tightness(
    rows: Sequence[VisualRow], bounds: Sequence[float], height: float, ends: Mapping[int, float]
) -> list[list[VisualRow]]:
    bands: list[list[VisualRow]] = []
    for row in rows:
        if bands and _continues(bands[-1], row, bounds, height, ends):
            bands[-1].append(row)
        else:
            bands.append([row])
    return bands


def _continues(
    band: Sequence[VisualRow],
    row: VisualRow,
    bounds: Sequence[float],
    height: float,
    ends: Mapping[int, float],
) -> bool:
    gap = row.top - band[-1].bottom
    if any(
        run.words[-1].text.endswith(_HYPHENS)
        and below.words[0].text[0].islower()
        and min(run.right, below.right) > max(run.left, below.left)
        for run in band[-1].runs
        for below in row.runs
    ):
        return gap < _NEAR * height
    if len(bounds) <= 2 or gap >= _NEAR * height or _has_numbers_below(band, row, bounds):
        return False
    unnamed = not _fills_first(row, bounds) and len(row.runs) < len(band[0].runs)
    if (gap < _TIGHT * height or unnamed) and _only_wraps(band, row, bounds, ends):
        return True
    return gap < _TIGHT * height and unnamed


def _has_numbers_below(band: Sequence[VisualRow], row: VisualRow, bounds: Sequence[float]) -> bool:
    above = set().union(*(_columns_of_numbers(each, bounds) for each in band))
    return not above.isdisjoint(_columns_of_numbers(row, bounds))


def is_number(word: Word) -> bool:
    """Whether most of a word is digits, but for marks of notes behind it."""
    text = word.text.rstrip("*")
    return sum(map(str.isdigit, text)) > 0.5 * len(text)
