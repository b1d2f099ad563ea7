"""Tables without rules: under a caption, or columns of numbers alone, as parts of long ones are."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise

from citeloom_pdf.blocks.neighbouring_tables import side_by_side
from citeloom_pdf.blocks.rows import Row, leads_to_numbers, lines_inside, rows_of
from citeloom_pdf.blocks.table_columns import (
    CELL_LENGTH,
    LEAST_COLUMNS,
    LED_COLUMNS,
    MOST_ROWS,
    ROW_PITCH,
    SAME_MARGIN,
    SHORT_CELL,
    WITHIN,
    are_sums,
    columns_of,
    is_account,
    is_amount,
    is_listing,
    is_name_and_amounts,
    is_title,
    rows_from,
    stand_below,
    with_rows_around,
)
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Line, PageContent
from citeloom_pdf.elements.patterns import TABLE_CAPTION, count_words, is_prose

_PROSE_LENGTH = 25  # characters: shorter lines do not tell where a column is
_SENTENCE = 8  # words of one line: prose, however wide the spaces between them are
_COLUMN_LINES = 3  # of prose: so many that begin or end at one place are a column's
_MISSED_ROWS = 6  # lines of a caption between it and its table
_LEAST_ROWS = 5  # of a table that only its columns show
_MOST_TITLES = 2  # below one another: of an account's part, and of a part of this
_FULL_SHARE = 0.6  # of the rows have a cell in as many columns
_ANOTHER = 1.4  # of the widest space between rows, or of their height: a wider one ends a table
_RIVER = 3.0  # points: a narrower gap between two columns may be a space
_CELLS_OF_NUMBERS = 1 / 3  # of the words of a line
_NUMBERS_ONLY = 0.6  # of the cells of a column are numbers
_THICKEST = 3.0  # points: what is thinner is a rule
_ACROSS = 0.9  # of a table's width: the background of a row
_BACKGROUNDS, _FILLED = 0.6, 0.4  # of what is drawn holds cells, and of a table's height is text


def announced_tables(caption: Line, lines: Sequence[Line], page_height: float) -> list[Rect]:
    """The table without rules that a caption announces, below it or else above."""
    for below in (True, False):
        rows = _table_rows(caption.box, rows_of(_beside(caption, lines, page_height, below)), below)
        wide = sum(len(row.runs) >= 3 for row in rows)
        if len(rows) >= 3 and (wide >= 0.5 * len(rows) or stand_below(rows[:1], rows[1:])):
            box = enclosing(run.box for row in rows for run in row.runs)
            inside = lines_inside(lines, box)
            first, *rest = sorted(rows, key=lambda row: row.top)
            head = [line for line in inside if line.box.middle_y < first.bottom]
            listed = is_listing(inside, head) and not stand_below([first], rest)
            return [] if listed else [box]
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
    return sum(abs(other - place) <= SAME_MARGIN for other in places)


def _table_rows(caption: Rect, rows: Sequence[Row], below: bool) -> list[Row]:
    """The rows from the caption on that can be a table's, further lines of the caption skipped."""
    taken: list[Row] = []
    skipped = 0
    for row in rows_from(caption, rows, below):
        if taken and TABLE_CAPTION.match(row.runs[0].text):
            break
        if (
            len(row.runs) >= 3
            or (len(row.runs) == 2 and max(len(run.text) for run in row.runs) < 30)
            or (
                0 < len(taken) < MOST_ROWS
                and len(row.runs) == 1
                and len(row.runs[0].text) < CELL_LENGTH
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


def tables_of_columns(
    page: PageContent, lines: Sequence[Line], tables: Sequence[Rect]
) -> list[Rect]:
    """Rows of short cells below one another in three columns or more, some of them of numbers, with
    nothing drawn between.
    """
    free = [line for line in lines if not any(line.box.touches(table) for table in tables)]
    led = [line for line in free if leads_to_numbers(line.text)]
    if sum(map(_has_numbers, free)) + len(led) < _LEAST_ROWS:
        return []
    leaders = sorted(line.box.middle_y for line in led)
    sentences = [line.box for line in free if count_words(line.text) >= _SENTENCE]

    def columns_in(row: Row) -> int:
        """The columns that a row has at least: a leader shows two."""
        return LED_COLUMNS if is_led(row) else LEAST_COLUMNS

    def is_led(row: Row) -> bool:
        return bisect(leaders, row.bottom) > bisect(leaders, row.top)

    found = []
    stretch: list[Row] = []
    top = float("-inf")  # of what belongs to a table
    for each in [*rows_of(free), None]:
        # entries with leaders side by side are those of an index, and prose goes on with no table
        row = each if each and (not is_led(each) or is_name_and_amounts(each)) else None
        if row and stretch and any(_is_all_of(row, sentence) for sentence in sentences):
            row = None
        heads_another = row is not None and _heads_another(stretch, row)
        if row and not heads_another and _goes_on(stretch, row, columns_in(row)):
            stretch.append(row)
            continue
        while stretch and len(stretch[-1].runs) < columns_in(stretch[-1]):
            stretch.pop()
        if _are_columns(stretch) or _are_columns_with_gaps(stretch):
            box = enclosing(run.box for other in stretch for run in other.runs)
            parts = drawn_parts(page, box)
            is_picture = bool(parts) and not are_backgrounds(parts, box, stretch)
            bottom = row.top if row and heads_another else float("inf")
            own = [line for line in free if top <= line.box.top and line.box.bottom <= bottom]
            if not (is_picture or is_listing(lines_inside(free, box))):
                for part in side_by_side(stretch, lines_inside(free, box)):
                    table = enclosing(run.box for other in part for run in other.runs)
                    found.append(with_rows_around(table, own))
        stretch = [row] if row is not None and _goes_on([], row, columns_in(row)) else []
        top = row.top if row and heads_another else float("-inf")
    return found


def _heads_another(stretch: Sequence[Row], row: Row) -> bool:
    """Whether a row of words alone in all columns stands farther from rows of numbers than these
    from one another: it is the head of the next table.
    """
    columns = len(row.runs)
    if len(stretch) < _LEAST_ROWS or columns < max(LEAST_COLUMNS, len(stretch[-1].runs)):
        return False
    gaps = sorted(lower.top - upper.bottom for upper, lower in pairwise(stretch))
    far = row.top - stretch[-1].bottom > _ANOTHER * max(gaps[-1], row.bottom - row.top)
    return (
        far
        and not any(is_amount(run.text) for run in row.runs)
        and any(is_amount(run.text) for run in stretch[-1].runs)
    )


def _is_all_of(row: Row, line: Rect) -> bool:
    """Whether a line is all of a row, whose spaces are wide where they are stretched."""
    left, right = row.runs[0].box.left, row.runs[-1].box.right
    return (
        len(row.runs) > 1
        and row.top < line.middle_y < row.bottom
        and line.left <= left + SAME_MARGIN
        and line.right >= right - SAME_MARGIN
    )


def _has_numbers(line: Line) -> bool:
    """Whether a line may be cells of numbers; in one of prose they are fewer."""
    words = line.text.split()
    numbers = sum(is_amount(word) for word in words)
    return numbers >= max(min(2, len(words)), _CELLS_OF_NUMBERS * len(words))


def drawn_parts(page: PageContent, table: Rect) -> list[Rect]:
    """What is drawn there but rules and the backgrounds of rows."""
    return [
        part
        for part in (*page.drawings, *page.bitmaps)
        if part.touches(table)
        and min(part.width, part.height) > _THICKEST
        and part.width < _ACROSS * table.width
    ]


def are_backgrounds(parts: Sequence[Rect], table: Rect, rows: Sequence[Row]) -> bool:
    """Whether what is drawn is the backgrounds of columns or of cells, and no part of a picture."""
    middles = [(run.box.middle_x, run.box.middle_y) for row in rows for run in row.runs]
    backgrounds = sum(
        any(part.left < x < part.right and part.top < y < part.bottom for x, y in middles)
        for part in parts
    )
    # the squares of a map of values are as wide as high, and its numbers do not fill them
    height = sum(row.bottom - row.top for row in rows)
    return backgrounds >= _BACKGROUNDS * max(1, len(parts)) and height >= _FILLED * table.height


def _goes_on(stretch: Sequence[Row], row: Row, least: int) -> bool:
    """Whether a row has short cells, at no wide distance from the one above; where all are the
    same, they are labels of the axes of plots side by side.
    """
    texts = [run.text for run in row.runs]
    most = CELL_LENGTH if stretch and _are_flush(stretch[-1], row) else SHORT_CELL
    if max(map(len, texts)) > most and not is_account(row):
        return False
    if not stretch:
        return len({*texts}) > 1 and len(texts) >= least
    if len({*texts}) == 1 < len(texts) or not (
        len(texts) >= least or any(map(is_amount, texts)) or is_title(row, stretch)
    ):
        return False
    if row.top - stretch[-1].bottom > ROW_PITCH * (row.bottom - row.top):
        return False
    titles = sum(len(other.runs) == 1 for other in stretch[-_MOST_TITLES:])
    if is_title(row, stretch):
        return titles < _MOST_TITLES
    return not titles or len(stretch[-1].runs) > 1 or _goes_below(stretch, row)


def _are_flush(above: Row, below: Row) -> bool:
    """Whether all cells of a row begin or end where one above does: as many, or, where a long one
    reaches the next, fewer.
    """
    fewest = min(len(above.runs), LEAST_COLUMNS)
    return fewest <= len(below.runs) <= len(above.runs) and all(
        any(
            min(abs(upper.box.left - lower.box.left), abs(upper.box.right - lower.box.right))
            <= SAME_MARGIN
            for upper in above.runs
        )
        for lower in below.runs
    )


def _goes_below(stretch: Sequence[Row], row: Row) -> bool:
    """Whether a row below a title has amounts in the columns above it, and is no head of others."""
    columns = columns_of(run.box for other in stretch for run in other.runs)
    places = [
        [at for at, c in enumerate(columns) if c.shared_width(run.box) > 0] for run in row.runs
    ]
    return any(is_amount(run.text) for run in row.runs[1:]) and [*chain(*places)] == sorted(
        {*chain(*places)}
    )


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
    numbers = [sum(is_amount(run.text) for run in column) for column in columns[1:]]
    if usual < LEAST_COLUMNS and not are_sums([run.text for run in columns[-1]]):
        return False
    if usual == LEAST_COLUMNS and numbers[-1] == times:
        last = [run.text for run in columns[-1]]
        if all(map(str.isdecimal, last)) and [*map(int, last)] == sorted(map(int, last)):
            return False
    return max(numbers) >= _NUMBERS_ONLY * times


def _are_columns_with_gaps(rows: Sequence[Row]) -> bool:
    """Whether rows of numbers, some cells of which may be empty, have one in a column each."""
    if len(rows) < _LEAST_ROWS:
        return False
    numbers = [[run.box for run in row.runs if is_amount(run.text)] for row in rows]
    columns = columns_of(chain.from_iterable(numbers))
    full = sum(len(row) >= max(LEAST_COLUMNS, 0.5 * len(columns)) for row in numbers)
    apart = all(right.left - left.right >= _RIVER for left, right in pairwise(columns))
    alone = sum(len(row) == len({bisect(columns, box) for box in row}) for row in numbers)
    return (
        len(columns) >= LEAST_COLUMNS
        and apart
        and full >= max(_LEAST_ROWS, _FULL_SHARE * len(rows))
        and alone >= WITHIN * len(rows)
        and sum(map(len, numbers)) >= _NUMBERS_ONLY * sum(len(row.runs) for row in rows)
    )
