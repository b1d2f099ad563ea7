"""Table detection: between rules, in a grid of rules, under a caption, or turned by 90 degrees."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from statistics import mean
from typing import NamedTuple

from citeloom_pdf.blocks.rows import (
    Row,
    are_dense,
    are_prose_columns,
    is_tabular,
    rows_of,
    words_of,
)
from citeloom_pdf.elements.geometry import Rect, Rule, enclosing, without_nested
from citeloom_pdf.elements.page import LayoutBlock, Line, PageContent
from citeloom_pdf.elements.patterns import (
    HEADING_NUMBER,
    MENTION,
    TABLE_CAPTION,
    is_caption,
    is_prose,
)

# Table detection: between rules, in a grid of rules, or under a caption without rules.

_MEETING = 3.0  # points by which crossing rules may miss each other
_LEAST_RULE = 40.0  # a booktabs rule is longer
_SAME_RULE_WIDTH = 0.93  # rules of one table share this much of their width
_MOST_VERTICALS = 1500  # a page with more vertical rules has a plot rather than a table
_THROUGH = 0.9  # of the grid: rules that run through so much of it make its cells
_LEAST_FULL, _FULL_SHARE = 3, 0.6  # rows of cells, and a share of them, with text in several cells
_LEAST_COLUMNS, _WITHIN = 3, 0.9  # columns below a head, and of the runs below it in one of them
_WHOLE_PAGE = 0.92  # of the page's area: a frame around all of it is no table
_ROW_PITCH = 3.2  # of a row's height: a wider gap ends a table without rules
_CELL_LENGTH = 40  # characters: a longer run alone in its row ends a table without rules
_MOST_ROWS = 60  # rows of a table without rules
_PROSE_LENGTH = 25  # characters: shorter lines do not tell where a column is
_COLUMN_LINES = 3  # of prose: so many that begin or end at one place are a column's
_SAME_MARGIN = 2.0  # points
_HEAD_ROWS = 2  # above the first rule of a table
_MISSED_ROWS = 6  # lines of a caption between it and its table


class _Grid(NamedTuple):
    """Rules that cross, and the box around them."""

    box: Rect
    rows: Sequence[Rule]
    columns: Sequence[Rule]


def find_tables(page: PageContent) -> list[Rect]:
    """The boxes of the page's tables, none inside another."""
    lines = [line for line in page.lines if not line.rotated]
    tables = _grids(page, lines)
    tables += [_with_rows_around(box, lines) for box in _booktabs(page, lines, tables)]
    ruled = [*tables]
    for caption in (line for line in lines if TABLE_CAPTION.match(line.text)):
        announces = is_caption(caption.text) and not MENTION.match(caption.text)
        if announces and not any(caption.box.touches(table.grown(0, 60)) for table in ruled):
            tables += _below_or_above(caption, lines, page.height)
    tables += _in_columns(page, lines, tables)
    return _joined(without_nested(tables))


def _joined(tables: Iterable[Rect]) -> list[Rect]:
    """The boxes from top to bottom, those one of which reaches into rows of another as one."""
    joined: list[Rect] = []
    for box in sorted(tables, key=lambda table: table.top):
        for at, other in enumerate(joined):
            if box.shared_width(other) > 0 and box.shared_height(other) > _MEETING:
                joined[at] = other.union(box)
                break
        else:
            joined.append(box)
    return joined


def _inside(lines: Iterable[Line], area: Rect) -> list[Line]:
    return [
        line
        for line in lines
        if area.left - 2 < line.box.middle_x < area.right + 2
        and area.top < line.box.middle_y < area.bottom
    ]


def _grids(page: PageContent, lines: Sequence[Line]) -> list[Rect]:
    if len(page.vertical) < 3 or len(page.horizontal) < 2 or len(page.vertical) > _MOST_VERTICALS:
        return []
    return [
        grid.box
        for grid in _crossing_groups(page.horizontal, page.vertical)
        if grid.box.height > 20
        and grid.box.area <= _WHOLE_PAGE * page.area
        and _holds_table(_inside(lines, grid.box), grid)
    ]


def _holds_table(inside: Sequence[Line], grid: _Grid) -> bool:
    if len(inside) < 4:
        return False
    if is_tabular(rows_of(inside), ruled=True) and not are_prose_columns(inside):
        return True
    return _fills_cells(inside, grid)


def _fills_cells(inside: Sequence[Line], grid: _Grid) -> bool:
    """Whether most rows of ruled cells have text in several, however many lines each has."""
    box = grid.box
    edges = sorted(r.at for r in grid.rows if r.length > _THROUGH * box.width)
    sides = sorted(r.at for r in grid.columns if r.length > _THROUGH * box.height)
    middles = ((line.box.middle_x, line.box.middle_y) for line in inside)
    cells = {(bisect(edges, y), bisect(sides, x)) for x, y in middles}
    columns = Counter(row for row, _ in cells)
    full = sum(count >= 2 for count in columns.values())
    return full >= _LEAST_FULL and full > _FULL_SHARE * len(columns)


def _crossing_groups(horizontal: Sequence[Rule], vertical: Sequence[Rule]) -> list[_Grid]:
    """The grids of crossing rules, where they are enough to make cells."""
    parents = list(range(len(horizontal) + len(vertical)))

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    for row, across in enumerate(horizontal):
        for column, down in enumerate(vertical):
            if (
                across.start - _MEETING <= down.at <= across.end + _MEETING
                and down.start - _MEETING <= across.at <= down.end + _MEETING
            ):
                parents[root(row)] = root(len(horizontal) + column)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for index in range(len(parents)):
        rows, columns = groups.setdefault(root(index), ([], []))
        if index < len(horizontal):
            rows.append(horizontal[index])
        else:
            columns.append(vertical[index - len(horizontal)])
    grids = []
    for rows, columns in groups.values():
        distinct = len({round(column.at / 3) for column in columns})
        if (len(rows) >= 2 and distinct >= 3) or (len(rows) >= 3 and distinct >= 2):
            boxes = [Rect(rule.start, rule.at, rule.end, rule.at) for rule in rows]
            boxes += [Rect(rule.at, rule.start, rule.at, rule.end) for rule in columns]
            grids.append(_Grid(enclosing(boxes), rows, columns))
    return grids


def _booktabs(page: PageContent, lines: Sequence[Line], grids: Sequence[Rect]) -> list[Rect]:
    """Tables that have only horizontal rules, all of one width."""
    rules = [rule for rule in sorted(page.horizontal) if rule.length > _LEAST_RULE]
    used: set[int] = set()
    tables = []
    for index, rule in enumerate(rules):
        if index in used or any(_lies_on(rule, grid) for grid in grids):
            continue
        group = _rules_below(rules, index, used, lines)
        if len(group) < 2:
            continue
        box = Rect(rule.start, rules[group[0]].at, rule.end, rules[group[-1]].at)
        if _is_between_rules(lines, box, [rules[at].at for at in group], page.height):
            tables.append(box)
            used.update(group)
    return tables


def _lies_on(rule: Rule, grid: Rect) -> bool:
    around = grid.grown(3, 3)
    middle = (rule.start + rule.end) / 2
    return around.left <= middle <= around.right and around.top <= rule.at <= around.bottom


def _rules_below(
    rules: Sequence[Rule], first: int, used: set[int], lines: Sequence[Line]
) -> list[int]:
    top = rules[first]
    group, last = [first], top
    head: Sequence[Line] = ()
    for index in range(first + 1, len(rules)):
        rule = rules[index]
        longer = max(top.length, rule.length)
        if index in used or rule.shared(top.start, top.end) < _SAME_RULE_WIDTH * longer:
            continue
        between = _inside(lines, Rect(top.start, last.at, top.end, rule.at))
        rows = rows_of(between)
        if not rows:
            if rule.at - last.at < 6:  # a double rule
                group.append(index)
                last = rule
            continue
        is_first = len(group) <= _HEAD_ROWS  # the parts below it are as that is
        if any(map(_ends_table, between)) or (is_first and _is_listing(between, head)):
            break
        if not (_is_table_part(rows) or _stand_below(rows_of(head), rows)):
            break
        head = head or between
        group.append(index)
        last = rule
    return group


def _is_table_part(rows: Sequence[Row]) -> bool:
    is_head = len(rows) <= 3 and any(len(row.runs) >= 2 for row in rows)
    return is_head or is_tabular(rows)


def _stand_below(
    head: Sequence[Row], rows: Sequence[Row], least_columns: int = _LEAST_COLUMNS
) -> bool:
    """Whether the runs of rows stand in the columns that begin where the words of a head do, as
    the lines of long cells.
    """
    runs = [run.box for row in rows for run in row.runs]
    starts = sorted(run.box.left for row in head for run in row.runs)
    columns = [bisect(starts, box.left + _SAME_MARGIN) for box in runs]
    ends = [*starts[1:], float("inf")]
    within = sum(at > 0 and box.right < ends[at - 1] for at, box in zip(columns, runs))
    return len(set(columns)) >= least_columns and within >= _WITHIN * len(runs)


def _are_names_below(head: Sequence[Row], rows: Sequence[Row]) -> bool:
    """Whether rows stand below a head as in a table, in two columns if nearly all fill these."""
    full = sum(len(row.runs) >= 2 for row in rows)
    fill_two = full >= max(2, _FULL_SHARE * len(rows))
    return _stand_below(head, rows, 2 if fill_two else _LEAST_COLUMNS)


def _is_between_rules(
    lines: Sequence[Line], box: Rect, rules: Sequence[float], page_height: float
) -> bool:
    inside = _inside(lines, box)
    rows = rows_of(inside)
    above = [line for line in inside if len(rules) > 2 and line.box.bottom < rules[1] + 1]
    if len(rows) < 2 or not are_dense(rows, box) or box.height >= 0.9 * page_height:
        return False
    if _is_listing(inside, above):
        return False
    head = [row for row in rows if row.bottom < rules[1] + 1]
    if len(rules) > 2 and _stand_below(head, rows[len(head) :]):
        return True
    # two rules alone may just as well enclose two columns of prose
    doubtful = box.height > 0.55 * page_height or mean(len(row.runs) for row in rows) < 2.2
    if len(rules) == 2 and (doubtful or are_prose_columns(inside)):
        return False
    return is_tabular(rows)


def _with_rows_around(table: Rect, lines: Sequence[Line]) -> Rect:
    """A table between rules with the rows in its columns above and below, as accounts have that are
    ruled below their heads and above their sums alone.
    """
    table = _with_names(table, lines)
    outside = [line for line in lines if not line.box.lies_in(table)]
    inside = [run.box for row in rows_of(_inside(lines, table)) for run in row.runs]
    columns = _columns_of(inside)
    if len(columns) < _LEAST_COLUMNS:
        return table
    around = rows_of(outside)
    below = [row for row in around if row.top > table.bottom - 1]
    above = [row for row in around if row.bottom < table.top + 1]
    for rows, is_below, most in ((below, True, _MOST_ROWS), (above, False, _HEAD_ROWS)):
        for row in [*_rows_from(table, rows, is_below)][:most]:
            if not _are_in_columns(row, columns):
                break
            table = enclosing([table, *(run.box for run in row.runs)])
    return table


def _with_names(table: Rect, lines: Sequence[Line]) -> Rect:
    """A table with the names of most of its rows, where its rules are drawn over the numbers alone,
    as above the sums of accounts.
    """
    rows = rows_of(_inside(lines, table))
    beside = [
        line.box
        for line in lines
        if line.box.right < table.left
        and len(line.text) <= _CELL_LENGTH
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
        and max(len(run.text) for run in row.runs) <= _SHORT
    )


def _ends_table(line: Line) -> bool:
    """Whether a line between two rules shows that they are not of one table."""
    numbered = HEADING_NUMBER.match(line.text) and len(line.text) > 6
    return is_caption(line.text) or bool(numbered and line.style.bold > 0.8)


def _is_listing(inside: Sequence[Line], head: Sequence[Line] = ()) -> bool:
    """Whether most of the text is monospaced, or letter-spaced as in a listing; not where it stands
    in the columns of a head that is not, as the names of functions do.
    """
    if _is_mono(inside):
        ids = set(map(id, head))
        cells = [line for line in inside if id(line) not in ids]
        return _is_mono(head) or not _are_names_below(rows_of(head), rows_of(cells))
    words = words_of(inside)
    letters = sum(len(word.text) == 1 and word.text.isalpha() for word in words)
    return letters > 0.5 * len(words)


def _is_mono(lines: Sequence[Line]) -> bool:
    mono = sum(len(line.text) for line in lines if line.style.mono > 0.6)
    return mono > 0.6 * sum(len(line.text) for line in lines)


def _below_or_above(caption: Line, lines: Sequence[Line], page_height: float) -> list[Rect]:
    """The table without rules that a caption announces, below it or else above."""
    for below in (True, False):
        rows = _table_rows(caption.box, rows_of(_beside(caption, lines, page_height, below)), below)
        wide = sum(len(row.runs) >= 3 for row in rows)
        if len(rows) >= 3 and (wide >= 0.5 * len(rows) or _stand_below(rows[:1], rows[1:])):
            box = enclosing(run.box for row in rows for run in row.runs)
            inside = _inside(lines, box)
            first, *rest = sorted(rows, key=lambda row: row.top)
            head = [line for line in inside if line.box.middle_y < first.bottom]
            is_listing = _is_listing(inside, head) and not _stand_below([first], rest)
            return [] if is_listing else [box]
    return []


def _beside(caption: Line, lines: Sequence[Line], page_height: float, below: bool) -> list[Line]:
    """The lines below or above a caption, in its column of the page."""
    reach = 0.6 * page_height
    top, bottom = caption.box.top, caption.box.bottom
    first, last = _column_of(caption, lines)
    inside = [line for line in lines if line is not caption and first < line.box.middle_x < last]
    if below:
        return [line for line in inside if bottom - 1 < line.box.top < bottom + reach]
    return [line for line in inside if top - reach < line.box.bottom < top + 1]


def _column_of(caption: Line, lines: Sequence[Line]) -> tuple[float, float]:
    """Where the columns of prose beside a caption end and begin."""
    reach = Rect(
        caption.box.left,
        caption.box.bottom,
        caption.box.right,
        caption.box.bottom + caption.box.height,
    )
    box = enclosing([caption.box, *(line.box for line in lines if line.box.lies_in(reach))])
    prose = [line.box for line in lines if len(line.text) > _PROSE_LENGTH and is_prose(line.text)]
    after = [(p.left, p) for p in prose if p.left > box.right]
    before = [(p.right, p) for p in prose if p.right < box.left]
    ends = _count(box.right, (p.right for p in prose)) >= _COLUMN_LINES
    begins = _count(box.left, (p.left for p in prose)) >= _COLUMN_LINES
    return (
        max(_edges(box, before, flush=begins), default=float("-inf")),
        min(_edges(box, after, flush=ends), default=float("inf")),
    )


def _edges(caption: Rect, lines: Sequence[tuple[float, Rect]], *, flush: bool) -> list[float]:
    """The places where lines of a column begin or end, one of them beside the caption, or none if
    that is `flush` with a column of its own.
    """
    places = [place for place, _ in lines]
    return [
        place
        for place, line in lines
        if (flush or line.shared_height(caption) > 0) and _count(place, places) >= _COLUMN_LINES
    ]


def _count(place: float, places: Iterable[float]) -> int:
    return sum(abs(other - place) <= _SAME_MARGIN for other in places)


def _table_rows(caption: Rect, rows: Sequence[Row], below: bool) -> list[Row]:
    """The rows from the caption on that can be a table's, further lines of the caption skipped."""
    taken: list[Row] = []
    skipped = 0
    for row in _rows_from(caption, rows, below):
        if taken and TABLE_CAPTION.match(row.runs[0].text):
            break
        if (
            len(row.runs) >= 3
            or (len(row.runs) == 2 and max(len(run.text) for run in row.runs) < 30)
            or (
                0 < len(taken) < _MOST_ROWS
                and len(row.runs) == 1
                and len(row.runs[0].text) < _CELL_LENGTH
            )
        ):
            taken.append(row)
        elif taken or skipped == _MISSED_ROWS:
            break
        else:
            skipped += 1
    columns = [run.box.left for row in taken if len(row.runs) >= 3 for run in row.runs[1:]]
    while taken and len(taken[-1].runs) == 1 and not _count(taken[-1].runs[0].box.left, columns):
        taken.pop()
    return taken


def _rows_from(caption: Rect, rows: Sequence[Row], below: bool) -> Iterator[Row]:
    """The rows below or above a caption, the nearest first, up to the first wide gap."""
    edge = caption.bottom if below else caption.top
    for row in rows if below else reversed(rows):
        gap = row.top - edge if below else edge - row.bottom
        if gap > _ROW_PITCH * (row.bottom - row.top):
            return
        yield row
        edge = row.bottom if below else row.top


# Tables without rules and without a caption on their page, as the next part of a long one is.

_LEAST_ROWS = 5  # of a table that only its columns show
_SHORT = 30  # characters: a longer run is no cell of such a table
_RIVER = 3.0  # points: a narrower gap between two columns may be a space
_CELLS_OF_NUMBERS = 1 / 3  # of the words of a line
_NUMBERS_ONLY = 0.6  # of the cells of a column are numbers
_BACKGROUNDS, _FILLED = 0.6, 0.4  # of what is drawn holds cells, and of a table's height is text
_NUMBER = re.compile(
    r"[-+\u2212\u2013(<$\u00a3\u20ac]*[\d.,:%\u00b1\u00d7e()*/-]*\d[\d.,:%\u00b1\u00d7e()*/-]*"
)


def _in_columns(page: PageContent, lines: Sequence[Line], tables: Sequence[Rect]) -> list[Rect]:
    """Rows of short cells below one another in three columns or more, some of them of numbers, with
    nothing drawn between.
    """
    free = [line for line in lines if not any(line.box.touches(table) for table in tables)]
    if sum(map(_has_numbers, free)) < _LEAST_ROWS:
        return []
    found = []
    stretch: list[Row] = []
    for row in [*rows_of(free), None]:
        if row is not None and _goes_on(stretch, row):
            stretch.append(row)
            continue
        while stretch and len(stretch[-1].runs) < _LEAST_COLUMNS:
            stretch.pop()
        if _are_columns(stretch) or _are_columns_with_gaps(stretch):
            box = enclosing(run.box for each in stretch for run in each.runs)
            if not (_is_drawn_on(page, box, stretch) or _is_listing(_inside(free, box))):
                found.append(_with_rows_around(box, free))
        stretch = [row] if row is not None and _goes_on([], row) else []
    return found


def _has_numbers(line: Line) -> bool:
    """Whether a line may be cells of numbers; in one of prose they are fewer."""
    words = line.text.split()
    numbers = sum(_NUMBER.fullmatch(word) is not None for word in words)
    return numbers >= max(min(2, len(words)), _CELLS_OF_NUMBERS * len(words))


def _is_drawn_on(page: PageContent, table: Rect, rows: Sequence[Row]) -> bool:
    """Whether a part of a picture stands there: more than rules, and the backgrounds of rows, of
    columns or of cells.
    """
    parts = [
        part
        for part in (*page.drawings, *page.bitmaps)
        if part.touches(table)
        and min(part.width, part.height) > _MEETING
        and part.width < _THROUGH * table.width
    ]
    if not parts:
        return False
    middles = [(run.box.middle_x, run.box.middle_y) for row in rows for run in row.runs]
    backgrounds = sum(
        any(part.left < x < part.right and part.top < y < part.bottom for x, y in middles)
        for part in parts
    )
    # the squares of a map of values are as wide as high, and its numbers do not fill them
    height = sum(row.bottom - row.top for row in rows)
    return backgrounds < _BACKGROUNDS * len(parts) or height < _FILLED * table.height


def _goes_on(stretch: Sequence[Row], row: Row) -> bool:
    """Whether a row has short cells, at no wide distance from the one above; where all are the
    same, they are labels of the axes of plots side by side.
    """
    texts = [run.text for run in row.runs]
    if max(map(len, texts)) > _SHORT:
        return False
    if not stretch:
        return len({*texts}) > 1 and len(texts) >= _LEAST_COLUMNS
    if len({*texts}) == 1 < len(texts) or not (
        len(texts) >= _LEAST_COLUMNS or any(map(_is_number, texts))
    ):
        return False
    return row.top - stretch[-1].bottom <= _ROW_PITCH * (row.bottom - row.top)


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text.replace(" ", "")) is not None


def _are_columns(rows: Sequence[Row]) -> bool:
    """Whether nearly all rows have a cell in each column, rivers run between these, and one behind
    the first is of numbers; entries of contents, whose last number only grows, are none.
    """
    usual, times = Counter(len(row.runs) for row in rows).most_common(1)[0] if rows else (0, 0)
    if times < max(_LEAST_ROWS, _FULL_SHARE * len(rows)):
        return False
    columns = [*zip(*(row.runs for row in rows if len(row.runs) == usual))]
    edges = [(min(run.box.left for run in c), max(run.box.right for run in c)) for c in columns]
    if any(left - right < _RIVER for (_, right), (left, _) in pairwise(edges)):
        return False
    numbers = [sum(_is_number(run.text) for run in column) for column in columns[1:]]
    if usual == _LEAST_COLUMNS and numbers[-1] == times:
        last = [run.text for run in columns[-1]]
        if all(map(str.isdecimal, last)) and [*map(int, last)] == sorted(map(int, last)):
            return False
    return max(numbers) >= _NUMBERS_ONLY * times


def _are_columns_with_gaps(rows: Sequence[Row]) -> bool:
    """Whether rows of numbers, some cells of which may be empty, have one in a column each."""
    if len(rows) < _LEAST_ROWS:
        return False
    numbers = [[run.box for run in row.runs if _is_number(run.text)] for row in rows]
    columns = _columns_of(chain.from_iterable(numbers))
    full = sum(len(row) >= max(_LEAST_COLUMNS, 0.5 * len(columns)) for row in numbers)
    apart = all(right.left - left.right >= _RIVER for left, right in pairwise(columns))
    alone = sum(len(row) == len({bisect(columns, box) for box in row}) for row in numbers)
    return (
        len(columns) >= _LEAST_COLUMNS
        and apart
        and full >= max(_LEAST_ROWS, _FULL_SHARE * len(rows))
        and alone >= _WITHIN * len(rows)
        and sum(map(len, numbers)) >= _NUMBERS_ONLY * sum(len(row.runs) for row in rows)
    )


def _columns_of(cells: Iterable[Rect]) -> list[Rect]:
    """The columns in which cells stand: what covers the place of another belongs to its column."""
    columns: list[Rect] = []
    for box in sorted(cells):
        if columns and box.left < columns[-1].right:
            columns[-1] = columns[-1].union(box)
        else:
            columns.append(box)
    return columns


# Text set on its side, such as a wide table on a tall page: turned upright, to be laid out.

_UPWARDS, _DOWNWARDS = 90, 270  # degrees: the direction of lines on their side
_LEAST_LINES = 3  # so many lines on their side are a table or prose
_DISTINCT = 0.7  # of the lines: plots repeat the labels of their axes


@dataclass(frozen=True, slots=True)
class _Quarter:
    """A turn by a quarter that sets lines of a direction upright, on a page of this size."""

    direction: int
    width: float
    height: float

    def upright(self, box: Rect) -> Rect:
        """A box of the page where it stands once the page is turned."""
        left, top, right, bottom = box
        if self.direction == _UPWARDS:
            return Rect(self.height - bottom, left, self.height - top, right)
        return Rect(top, self.width - right, bottom, self.width - left)

    def back(self, box: Rect) -> Rect:
        """A box of the turned page where it stands on the page itself."""
        left, top, right, bottom = box
        if self.direction == _UPWARDS:
            return Rect(top, self.height - right, bottom, self.height - left)
        return Rect(self.width - bottom, left, self.width - top, right)


@dataclass(frozen=True, slots=True)
class TurnedPart:
    """The lines of a page that are set on their side, and a page with these alone, upright."""

    lines: tuple[Line, ...]
    content: PageContent
    _quarter: _Quarter

    def placed(self, block: LayoutBlock) -> LayoutBlock:
        """A block of the upright page where it stands on the page itself."""
        return replace(block, box=self._quarter.back(block.box))


def turned_parts(page: PageContent) -> Iterator[TurnedPart]:
    """What is set on its side, if it is a table or prose: labels of a plot are not."""
    for direction in (_UPWARDS, _DOWNWARDS):
        lines = tuple(line for line in page.lines if line.rotated and line.angle == direction)
        if len(lines) >= _LEAST_LINES:
            quarter = _Quarter(direction, page.width, page.height)
            content = _content(page, lines, quarter)
            if _is_read(content):
                yield TurnedPart(lines, content, quarter)


def _is_read(content: PageContent) -> bool:
    distinct = {line.text for line in content.lines}
    if len(distinct) < _DISTINCT * len(content.lines):
        return False
    prose = sum(is_prose(line.text) for line in content.lines)
    return prose >= _LEAST_LINES or bool(find_tables(content))


def _content(page: PageContent, lines: Sequence[Line], quarter: _Quarter) -> PageContent:
    across = (
        quarter.upright(Rect(rule.at, rule.start, rule.at, rule.end)) for rule in page.vertical
    )
    down = (
        quarter.upright(Rect(rule.start, rule.at, rule.end, rule.at)) for rule in page.horizontal
    )
    return PageContent(
        number=page.number,
        width=page.height,
        height=page.width,
        lines=tuple(_upright(line, quarter) for line in lines),
        horizontal=tuple(sorted(Rule(box.top, box.left, box.right) for box in across)),
        vertical=tuple(sorted(Rule(box.left, box.top, box.bottom) for box in down)),
        bitmaps=tuple(map(quarter.upright, page.bitmaps)),
        drawings=tuple(map(quarter.upright, page.drawings)),
    )


def _upright(line: Line, quarter: _Quarter) -> Line:
    words = [word._replace(box=quarter.upright(word.box)) for word in line.words]
    ordered = tuple(sorted(words, key=lambda word: word.box.left))
    return replace(line, box=quarter.upright(line.box), words=ordered, rotated=False, angle=0)
