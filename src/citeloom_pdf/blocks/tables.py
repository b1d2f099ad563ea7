"""Table detection: between rules, in a grid of rules, or else without rules."""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, groupby, pairwise
from statistics import mean, median
from typing import NamedTuple

from citeloom_pdf.blocks.rows import (
    Row,
    are_dense,
    are_prose_columns,
    is_tabular,
    lines_inside,
    rows_of,
)
from citeloom_pdf.blocks.table_columns import (
    HEAD_ROWS,
    LEAST_COLUMNS,
    SAME_MARGIN,
    is_amount,
    is_listing,
    stand_below,
    with_rows_around,
)
from citeloom_pdf.blocks.unruled_tables import announced_tables, tables_of_columns
from citeloom_pdf.elements.geometry import Rect, Rule, enclosing, without_nested
from citeloom_pdf.elements.page import Line, PageContent
from citeloom_pdf.elements.patterns import HEADING_NUMBER, MENTION, TABLE_CAPTION, is_caption

_BOLD = 0.97  # of the letters of a head
_MEETING = 3.0  # points by which crossing rules may miss each other
_LEAST_RULE = 40.0  # a booktabs rule is longer
_SAME_RULE_WIDTH = 0.93  # rules of one table share this much of their width
_MOST_VERTICALS = 1500  # a page with more vertical rules has a plot rather than a table
_THROUGH = 0.9  # of the grid: rules that run through so much of it make its cells
_LEAST_FULL, _FULL_SHARE = 3, 0.6  # rows of cells, and a share of them, with text in several cells
_MOST_LINES = 8  # of a row between two rules on average: more are prose
_LEAST_HEIGHT, _LEAST_SIDES = 20.0, 3  # points: of rules between columns, and so many of them
_LEAST_BELOW = 5  # rows below a head, where no other rule shows that they are a table's
_HEAD_HEIGHT = 24.0  # points: a row above the first rule begins no higher
_FULL_OF_LINES = 0.3  # of the lines between them fill most columns: the others go on with a cell
_WHOLE_PAGE = 0.92  # of the page's area: a frame around all of it is no table


class _Grid(NamedTuple):
    """Rules that cross, and the box around them."""

    box: Rect
    rows: Sequence[Rule]
    columns: Sequence[Rule]


def find_tables(page: PageContent) -> list[Rect]:
    """The boxes of the page's tables, none inside another."""
    lines = [line for line in page.lines if not line.rotated]
    tables = _grids(page, lines)
    tables += _between_verticals(page, lines, tables)
    booktabs = _booktabs(page, lines, tables)
    tables += [with_rows_around(box, _outside(lines, booktabs, box)) for box in booktabs]
    tables += _below_heads(page, lines, tables)
    tables += _below_bold_heads(lines, tables)
    ruled = [*tables]
    for caption in (line for line in lines if TABLE_CAPTION.match(line.text)):
        announces = is_caption(caption.text) and not MENTION.match(caption.text)
        if announces and not any(caption.box.touches(table.grown(0, 60)) for table in ruled):
            announced = announced_tables(caption, lines, page.height)
            tables += (box for box in announced if not any(map(box.touches, ruled)))
    tables += tables_of_columns(page, lines, tables)
    return _joined(without_nested(tables))


def parted_at_sides(page: PageContent, tables: Iterable[Rect]) -> tuple[Line, ...]:
    """The lines of the page, those that go on beyond the rule at the side of a table in two."""
    lines = [*page.lines]
    for table in tables:
        for rule in page.vertical:
            if min(abs(rule.at - table.left), abs(rule.at - table.right)) <= _MEETING:
                lines = [part for line in lines for part in _parted_by(rule, line)]
    return tuple(lines)


def _parted_by(rule: Rule, line: Line) -> list[Line]:
    if line.rotated or not rule.start < line.box.middle_y < rule.end:
        return [line]
    before = [word for word in line.words if word.box.right <= rule.at + _MEETING]
    behind = [word for word in line.words if word.box.left >= rule.at - _MEETING]
    if not (before and behind) or len(before) + len(behind) < len(line.words):
        return [line]
    return [line.part_of(before), line.part_of(behind)]


def _outside(lines: Iterable[Line], tables: Iterable[Rect], table: Rect) -> list[Line]:
    """The lines of a table and those in none: what stands in another is no row or name of it."""
    others = [other for other in tables if other is not table]
    return [line for line in lines if not any(line.box.lies_in(other) for other in others)]


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


def _grids(page: PageContent, lines: Sequence[Line]) -> list[Rect]:
    if len(page.vertical) < 3 or len(page.horizontal) < 2 or len(page.vertical) > _MOST_VERTICALS:
        return []
    return [
        _with_head_above(grid, lines)
        for grid in _crossing_groups(page.horizontal, page.vertical)
        if grid.box.height > _LEAST_HEIGHT
        and grid.box.area <= _WHOLE_PAGE * page.area
        and _holds_table(lines_inside(lines, grid.box), grid)
    ]


def _with_head_above(grid: _Grid, lines: Sequence[Line]) -> Rect:
    """The box of a grid, with the row above its first rule if this names most of its columns, each
    name between the rules around its cells, as in spreadsheets whose cells alone have borders.
    """
    box = grid.box
    sides = sorted({round(rule.at) for rule in grid.columns if rule.length > _THROUGH * box.height})
    near = Rect(box.left, box.top - _HEAD_HEIGHT, box.right, box.top)
    rows = rows_of(lines_inside(lines, near))
    if not rows or len(sides) <= _LEAST_SIDES:
        return box
    head = rows[-1]
    places = [
        (bisect(sides, run.box.left + _MEETING), bisect(sides, run.box.right - _MEETING))
        for run in head.runs
    ]
    columns = {left for left, right in places if left == right and 0 < left < len(sides)}
    is_head = (
        len(columns) == len(places) > _FULL_SHARE * (len(sides) - 1)
        and box.top - head.bottom < head.bottom - head.top
        and not all(is_amount(run.text) for run in head.runs)
    )
    return enclosing([box, *(run.box for run in head.runs)]) if is_head else box


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


def _between_verticals(
    page: PageContent, lines: Sequence[Line], grids: Sequence[Rect]
) -> list[Rect]:
    """Tables that have only vertical rules, all of one height, around their columns."""
    groups: dict[tuple[int, int], list[Rule]] = defaultdict(list)
    for rule in page.vertical if len(page.vertical) <= _MOST_VERTICALS else ():
        if rule.length >= _LEAST_HEIGHT:
            groups[round(rule.start / _MEETING), round(rule.end / _MEETING)].append(rule)
    found = []
    for group in groups.values():
        sides = sorted({round(rule.at) for rule in group})
        box = Rect(sides[0], group[0].start, sides[-1], group[0].end)
        if len(sides) < _LEAST_SIDES or any(box.touches(grid) for grid in grids):
            continue
        if _has_frames(page, box) or _has_columns_beside(lines, box, sides):
            continue
        inside = lines_inside(lines, box)
        rows = [_columns_filled(row, sides) for row in rows_of(inside)]
        full = sum(count >= max(2, _FULL_SHARE * (len(sides) - 1)) for count in rows)
        if full >= max(_LEAST_FULL, _FULL_OF_LINES * len(rows)) and not are_prose_columns(inside):
            found.append(box)
    return found


def _has_frames(page: PageContent, box: Rect) -> bool:
    """Whether a horizontal rule at the box is as wide as a part of it, as frames of plots side by
    side have at their ends, or goes on beside it, as one through further columns does.
    """
    around = box.grown(0, _MEETING)
    across = [rule for rule in page.horizontal if around.top <= rule.at <= around.bottom]
    return any(
        0 < rule.shared(box.left, box.right) < _THROUGH * box.width
        or rule.start < box.left - _MEETING < rule.end
        or rule.start < box.right + _MEETING < rule.end
        for rule in across
    )


def _has_columns_beside(lines: Iterable[Line], box: Rect, sides: Sequence[float]) -> bool:
    """Whether cells stand at the outer sides of the first and the last rule: lines that are no
    wider than a column, and no farther away.
    """
    widths = [after - before for before, after in pairwise(sides)]
    beside = [
        line
        for line in lines
        if box.top < line.box.middle_y < box.bottom
        and line.box.width <= max(widths)
        and any(
            0 <= gap <= min(widths)
            for gap in (box.left - line.box.right, line.box.left - box.right)
        )
    ]
    return len(beside) >= _LEAST_FULL


def _columns_filled(row: Row, sides: Sequence[float]) -> int:
    return len({bisect(sides, run.box.middle_x) for run in row.runs})


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
        group = _rules_below(rules, index, used, lines, page.vertical)
        if len(group) < 2:
            continue
        across = [rules[at].at for at in group]
        between = Rect(rule.start, across[0], rule.end, across[-1])
        box = _with_rules_down(between, page.vertical)
        parts = (rows_of(lines_inside(lines, part)) for part in (between, box))
        if any(_are_ruled(rows, across) for rows in parts) or _is_between_rules(
            lines, between, across, page.height
        ):
            tables.append(box)
            used.update(group)
    return tables


def _below_heads(page: PageContent, lines: Sequence[Line], tables: Sequence[Rect]) -> list[Rect]:
    """Tables with one rule alone, as wide as they are, between their heads and their rows."""
    found: list[Rect] = []
    for rule in page.horizontal:
        if rule.length <= _LEAST_RULE or any(_lies_on(rule, table) for table in tables):
            continue
        left, right = rule.start - SAME_MARGIN, rule.end + SAME_MARGIN
        near = (line for line in lines if 0 < rule.at + 1 - line.box.bottom < _HEAD_HEIGHT)
        heads = [line for line in near if left < line.box.left < line.box.right < right]
        head = rows_of(heads)[-1:]
        if not head or len(head[0].runs) < 2:
            continue
        inside = [line for line in lines if left < line.box.left < line.box.right < right]
        below = [line for line in inside if line.box.top > rule.at - 1]
        parts = _parts_below(head[0], rows_of(below))
        if len(parts) >= _LEAST_BELOW:
            rows = [*head, *chain.from_iterable(parts)]
            box = enclosing(run.box for row in rows for run in row.runs)
            cells = lines_inside(inside, box)
            if not (is_listing(cells, heads) or are_prose_columns(cells)):
                found.append(box)
    return found


def _below_bold_heads(lines: Sequence[Line], tables: Sequence[Rect]) -> list[Rect]:
    """Tables without rules below a bold head of each column, whose rows are not bold."""
    free = [line for line in lines if not any(line.box.touches(table) for table in tables)]
    bold = [line for line in free if line.style.bold > _BOLD]
    found: list[Rect] = []
    for head in rows_of(bold) if len(bold) >= LEAST_COLUMNS else ():
        box = enclosing(run.box for run in head.runs)
        if len(head.runs) < LEAST_COLUMNS or any(box.touches(table) for table in found):
            continue
        left, right = box.left - SAME_MARGIN, box.right
        inside = [line for line in free if left < line.box.left < right]
        below = [line for line in inside if line.box.top > box.middle_y]
        beside = sum(line.box.shared_height(box) > 0 for line in inside)
        parts = _parts_below(head, rows_of(below))
        full = sum(len(part[0].runs) == len(head.runs) for part in parts)
        if full < _LEAST_BELOW or beside > len(head.runs):
            continue
        rows = chain.from_iterable(parts)
        table = enclosing([box, *(run.box for row in rows for run in row.runs)])
        cells = lines_inside(inside, table)
        light = not any(line.style.bold > _BOLD for line in cells if line.box.top > box.bottom)
        names = any("@" in line.text for line in cells)
        if light and not (names or is_listing(cells, bold) or are_prose_columns(cells)):
            found.append(table)
    return found


def _parts_below(head: Row, rows: Iterable[Row]) -> list[list[Row]]:
    """The rows that stand in the columns of a head, each with the lines of its cells, up to a gap
    that is wider than those before it.
    """
    parts: list[list[Row]] = []
    gaps: list[float] = []
    for above, row in pairwise((head, *rows)):
        gap = row.top - above.bottom
        if len(parts) > 1 and gap > max(gaps) + _MEETING:
            break
        starts = not parts or len(row.runs) == len(head.runs)
        part = [row] if starts else [*parts.pop(), row]
        if not _stand_in_columns([[head], part]):
            return [*parts, part[:-1]] if part[:-1] else parts
        gaps += [gap] if parts or not starts else []
        parts.append(part)
    return parts


def _with_rules_down(table: Rect, rules: Iterable[Rule]) -> Rect:
    """A table up and down to where the rules between its columns end, with the rows there: the
    pages of a long table have no rule above their first row or below their last.
    """
    for rule in rules:
        inside = table.left + _MEETING < rule.at < table.right - _MEETING
        if inside and rule.shared(table.top, table.bottom) > _THROUGH * table.height:
            table = table.union(Rect(rule.at, rule.start, rule.at, rule.end))
    return table


def _lies_on(rule: Rule, grid: Rect) -> bool:
    around = grid.grown(3, 3)
    middle = (rule.start + rule.end) / 2
    return around.left <= middle <= around.right and around.top <= rule.at <= around.bottom


def _rules_below(
    rules: Sequence[Rule], first: int, used: set[int], lines: Sequence[Line], down: Sequence[Rule]
) -> list[int]:
    top = rules[first]
    group, last = [first], top
    head: Sequence[Line] = ()
    for index in range(first + 1, len(rules)):
        rule = rules[index]
        longer = max(top.length, rule.length)
        if index in used or rule.shared(top.start, top.end) < _SAME_RULE_WIDTH * longer:
            continue
        between = lines_inside(lines, Rect(top.start, last.at, top.end, rule.at))
        rows = rows_of(between)
        if not rows:
            if rule.at - last.at < 6:  # a double rule
                group.append(index)
                last = rule
            continue
        if _end_between(down, last, rule):
            break
        is_first = len(group) <= HEAD_ROWS  # the parts below it are as that is
        if any(map(_ends_table, between)) or (is_first and is_listing(between, head)):
            break
        heads = rows_of(head)
        if not (
            _is_table_part(rows)
            or stand_below(heads, rows)
            or _stand_in_columns([heads[:1], rows] if heads else [])
        ):
            break
        head = head or between
        group.append(index)
        last = rule
    return group


def _end_between(down: Iterable[Rule], above: Rule, below: Rule) -> bool:
    """Whether all rules that cross one from above end before the next that crosses them, as at the
    end of a table whose last row has none below it.
    """
    crossing = [
        rule
        for rule in down
        if rule.start <= above.at + _MEETING < rule.end
        and above.start - _MEETING < rule.at < above.end + _MEETING
    ]
    return bool(crossing) and all(rule.end < below.at - _MEETING for rule in crossing)


def _is_table_part(rows: Sequence[Row]) -> bool:
    is_head = len(rows) <= 3 and any(len(row.runs) >= 2 for row in rows)
    return is_head or is_tabular(rows)


def _is_between_rules(
    lines: Sequence[Line], box: Rect, rules: Sequence[float], page_height: float
) -> bool:
    inside = lines_inside(lines, box)
    rows = rows_of(inside)
    if len(rows) < 2 or not are_dense(rows, box) or box.height >= 0.9 * page_height:
        return False
    head = [row for row in rows if row.bottom < rules[1] + 1]
    if len(rules) > 2 and stand_below(head, rows[len(head) :]):
        return True
    # two rules alone may just as well enclose two columns of prose
    doubtful = box.height > 0.55 * page_height or mean(len(row.runs) for row in rows) < 2.2
    if len(rules) == 2 and (doubtful or are_prose_columns(inside)):
        return False
    return is_tabular(rows)


def _are_ruled(rows: Sequence[Row], rules: Sequence[float]) -> bool:
    """Whether rules part rows of cells that begin in the same columns, however long these are."""
    bands = [[*band] for _, band in groupby(rows, key=lambda row: bisect(rules, row.bottom - 1))]
    few = len(rows) <= _MOST_LINES * len(bands)
    return few and len(bands) >= _LEAST_FULL and _stand_in_columns(bands)


def _stand_in_columns(parts: Sequence[Sequence[Row]]) -> bool:
    """Whether the first rows of parts have several runs that begin in the same places, and the runs
    of the others stand between these.
    """
    columns = [*zip(*(part[0].runs for part in parts))]
    lefts = [median(run.box.left for run in column) for column in columns]
    ends = [*lefts[1:], float("inf")]
    return (
        len(columns) >= 2
        and all(len(part[0].runs) == len(columns) for part in parts)
        and all(
            abs(run.box.left - left) <= SAME_MARGIN
            for column, left in zip(columns, lefts)
            for run in column
        )
        and all(
            any(
                left - SAME_MARGIN <= run.box.left and run.box.right < end
                for left, end in zip(lefts, ends)
            )
            for part in parts
            for row in part
            for run in row.runs
        )
    )


def _ends_table(line: Line) -> bool:
    """Whether a line between two rules shows that they are not of one table."""
    numbered = HEADING_NUMBER.match(line.text) and len(line.text) > 6
    return is_caption(line.text) or bool(numbered and line.style.bold > 0.8)
