"""Table structure: rows and columns from words and rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from statistics import median
from typing import NamedTuple

from citeloom_pdf.blocks.cell_text import cell_text, printed_from_right
from citeloom_pdf.blocks.rows import cell_words
from citeloom_pdf.blocks.spanning_cells import (
    columns_over_several,
    heads_apart,
    with_spanning_cells_first,
)
from citeloom_pdf.blocks.table_bands import (
    CELL_GAP,
    FLUSH,
    FULL_SHARE,
    CellRun,
    VisualRow,
    column_of,
    is_number,
    table_bands,
)
from citeloom_pdf.blocks.table_columns import is_amount
from citeloom_pdf.blocks.table_doubts import OVERPRINTED, contradicts
from citeloom_pdf.elements.direction import is_from_right
from citeloom_pdf.elements.fonts import font_kind
from citeloom_pdf.elements.geometry import PlacedGlyphs, Rect, Rule
from citeloom_pdf.elements.page import Line, PageContent, Word
from citeloom_pdf.elements.patterns import count_words

_GAP = 0.55  # of the word height: a wider gap parts two cells
_SPACE = 1.1  # of a letter's width: a space of a typewriter font is no wider
_LEAST_GAP = 2.8  # points: a narrower gap never parts two words of a row
_LEAST_COLUMN_GAP = 2.5  # points: a narrower gap never parts two columns
_STRAY_SHARE = 0.07  # of the rows may have words in the gap between two columns
_ACROSS = 0.25  # of a word: so much on either side of a column's edge stands across it
_HEADS = 2  # rows of heads
_MEETING = 3.0  # points by which rules that meet may miss each other
_ERROR = "\u00b1"
_THIN = 0.3  # of the words' height: an underscore with a box of its ink
_TOUCHING = 1.0  # points by which a word may reach into the rule behind it
_THROUGH, _THROUGH_COLUMNS = 0.6, 0.25  # of a table's width: a rule through it, or some columns
_RULED = 0.5  # of the columns' edges: rules show the columns
_SIDE_BY_SIDE = 0.25  # of the rows: so many have words on both sides of a gap between columns
_DOUBTFUL = 0.15  # of the rows
_LEAST_FULL = 3  # rows
_MARKS, _SAME_MARK = 0.5, 0.4  # of the cells are marks, and of these the same one
_NAMED_ROWS = 0.6  # of the rows of a table of marks
_LEAST_TOUCHING, _TOUCHING_SHARE = 5, 0.5  # rows, and of the rows: so many numbers touch others
_FLUSH_SHARE = 0.8  # of the full rows


class TableRows(NamedTuple):
    """The text of each cell, row by row; `doubtful` if words stand across columns."""

    cells: tuple[tuple[str, ...], ...] = ()
    doubtful: bool = False


def table_rows(page: PageContent, box: Rect, lines: Sequence[Line]) -> TableRows:
    """The cells of a table, from the right where it is read so; those that span columns stand in
    the first of them.
    """
    words = [word for word in cell_words(lines) if word.box.lies_in(box.grown(1, 1))]
    if not words:
        return TableRows()
    height = median(word.box.height for word in words)
    words = [_as_high_as_letters(word, height) for word in words]
    groups: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word.box.middle_y):
        if groups and abs(word.box.middle_y - _middle(groups[-1])) <= 0.5 * height:
            groups[-1].append(word)
        else:
            groups.append([word])
    touching = _touching_columns(groups, height)
    rows = [
        VisualRow(
            middle=_middle(group),
            top=min(word.box.top for word in group),
            bottom=max(word.box.bottom for word in group),
            runs=_runs(group, height, touching),
        )
        for group in groups
    ]
    inner: list[float] = []
    for rule in sorted(page.vertical):
        inside = box.left + 4 < rule.at < box.right - 4
        through = rule.shared(box.top, box.bottom)
        if inside and through > 0.55 * box.height and not (inner and rule.at - inner[-1] <= 6):
            inner.append(rule.at)
    bounds = [box.left - 5, *_separators(rows, inner, height, touching), box.right + 5]
    bands = table_bands(
        rows,
        bounds,
        sorted({round(rule.at, 1) for rule in page.horizontal if _parts_rows(rule, box, inner)}),
        height,
        ruled=bool(inner),
    )
    across = [rule for rule in page.horizontal if box.top < rule.at < box.bottom]
    if not inner:  # bars of fractions part no rows
        across = [r for r in across if r.shared(box.left, box.right) > _THROUGH * box.width]
    heads = 0 if inner else 1  # without rules between them, names over several columns end no cell
    bands = [*bands[:heads], *with_spanning_cells_first(bands[heads:], bounds, across)]
    last = [word for word in words if word.box.middle_x > bounds[-2]]
    direction = -1 if _is_from_right(words, last, page) else 1
    down = [rule for rule in page.vertical if rule.shared(box.top, box.bottom) > 0]
    over = columns_over_several(rows, bounds, down, direction)
    bands = [part for band in bands for part in _below_names_over(band, over)]
    apart = heads_apart(rows, bounds, over) | over
    full = [row for row in rows if len(row.runs) == len(bounds) - 1]
    starts = []
    for edges in zip(*([_start(run, direction) for run in row.runs] for row in full)):
        usual = median(edges)
        flush = sum(abs(edge - usual) <= FLUSH for edge in edges)
        if flush >= max(_LEAST_FULL, _FLUSH_SHARE * len(edges)):
            starts.append(usual)
    if direction > 0:
        bands = [[_parted_at(row, starts, page.glyphs) for row in band] for band in bands]
    flush_at = _Starts(starts, direction)
    split = [[_split_at(row, bounds, flush_at, apart, down) for row in band] for band in bands]
    rowwise = (_placed(band, bounds, direction, apart) for band in split)
    placed = [filled for filled in rowwise if any(filled)]
    printed = printed_from_right(lines)
    cells = tuple(
        tuple(
            cell_text(column, height, page.glyphs, printed=printed, from_right=direction < 0)
            for column in row[::direction]
        )
        for row in placed
    )
    wrong, is_ruled = 0, bounds[1:-1] == inner
    for row in rows:
        columns = {column_of(run.left, run.right, bounds) for run in row.runs}
        wrong += (len(columns) < len(row.runs) and not is_ruled) or _has_word_across(row, bounds)
    doubtful = (
        wrong > max(1, _DOUBTFUL * len(rows))
        or _are_of_a_plot(cells)
        or contradicts(page, box, placed, bounds)
    )
    return TableRows(cells, doubtful)


def _as_high_as_letters(word: Word, height: float) -> Word:
    """An underscore alone on the line of the letters beside it, others as they are."""
    if word.text.strip("_") or word.box.height > _THIN * height:
        return word
    return word._replace(box=word.box._replace(top=word.box.bottom - height))


def _below_names_over(band: list[VisualRow], over: Container[int]) -> Iterator[list[VisualRow]]:
    """The lines of a table row, names over several columns apart from what stands below them."""
    names = [run for row in band for run in row.runs if id(run.words[0]) in over]
    for at in range(1, len(band)):
        below = band[at].runs
        if not any(run in names for run in below) and any(
            min(run.right, name.right) > max(run.left, name.left) for run in below for name in names
        ):
            yield band[:at]
            yield band[at:]
            return
    yield band


def _parts_rows(rule: Rule, box: Rect, inner: Sequence[float]) -> bool:
    """Whether a rule goes through most of a table, or from one rule between columns to another."""
    if not box.top + 3 < rule.at < box.bottom - 3:
        return False
    ends = [
        any(abs(place - end) <= _MEETING for place in (box.left, *inner, box.right))
        for end in (rule.start, rule.end)
    ]
    share = rule.shared(box.left, box.right) / box.width
    return share > _THROUGH or (bool(inner) and all(ends) and share > _THROUGH_COLUMNS)


def _are_of_a_plot(rows: Sequence[Sequence[str]]) -> bool:
    """Whether most cells are one mark or several, mostly the same one, as in a plot that letters
    draw; where rows have words for their names, the marks say what applies to these.
    """
    cells = [cell for row in rows for cell in row if cell]
    marks = [cell.split() for cell in cells if all(map(_is_mark, cell.split()))]
    usual = Counter(chain.from_iterable(marks)).most_common(1)
    if len(marks) <= _MARKS * len(cells) or usual[0][1] < _SAME_MARK * sum(map(len, marks)):
        return False
    named = sum(count_words(row[0]) > 0 for row in rows)
    return named < _NAMED_ROWS * len(rows)


def _is_mark(word: str) -> bool:
    return len(word) == 1 and not word.isdigit()


def _is_from_right(words: Sequence[Word], last: Sequence[Word], page: PageContent) -> bool:
    """Whether most letters of a table are read from the right; those of its page, if it is of
    numbers alone, or if most letters of its `last` column, the one on the right, are.
    """
    text, names = ("".join(word.text for word in each) for each in (words, last))
    if is_from_right(text):
        return True
    is_open = is_from_right(names) or not any(map(str.isalpha, text))
    return is_open and is_from_right("".join(line.text for line in page.lines))


def _middle(words: Sequence[Word]) -> float:
    return sum(word.box.middle_y for word in words) / len(words)


def _touching_columns(rows: Sequence[Sequence[Word]], height: float) -> list[float]:
    """The places where numbers that end at one place stand a space or less before cells that begin
    at one place, as in spreadsheets; neither are all of one width, as a unit behind them would be.
    """
    near = sorted(
        (
            (right.box.left, left, right)
            for row in rows
            for left, right in pairwise(sorted(row, key=lambda word: word.box.left))
            if 0 < right.box.left - left.box.right <= _GAP * height and is_amount(left.text)
        ),
        key=lambda each: each[0],
    )
    places: list[list[tuple[Word, Word]]] = []
    last = float("-inf")
    for at, left, right in near:
        if at - last > FLUSH:
            places.append([])
            last = at
        places[-1].append((left, right))
    return [
        (max(left.box.right for left, _ in pairs) + pairs[0][1].box.left) / 2
        for pairs in places
        if len(pairs) >= max(_LEAST_TOUCHING, _TOUCHING_SHARE * len(rows))
        and _spread([left.box.right for left, _ in pairs]) <= FLUSH
        and all(_spread([pair[at].box.width for pair in pairs]) > FLUSH for at in (0, 1))
    ]


def _spread(numbers: Sequence[float]) -> float:
    return max(numbers) - min(numbers)


def _runs(words: Sequence[Word], height: float, parting: Iterable[float]) -> tuple[CellRun, ...]:
    least = max(_GAP * height, _LEAST_GAP)
    runs: list[CellRun] = []
    for word in sorted(words, key=lambda word: word.box.left):
        gap = max(least, _space(runs[-1].words[-1], word, height)) if runs else least
        parted = runs and any(runs[-1].right <= place <= word.box.left for place in parting)
        if runs and not parted and word.box.left - runs[-1].right <= gap:
            last = runs[-1]
            runs[-1] = CellRun(last.left, max(last.right, word.box.right), (*last.words, word))
        else:
            runs.append(CellRun(word.box.left, word.box.right, (word,)))
    return tuple(runs)


def _space(before: Word, word: Word, height: float) -> float:
    """The widest space between two words of a cell: around a sign between a number and its error,
    or where one of them is in a typewriter font, as the other may be behind its first sign.
    """
    if _ERROR in (before.text, word.text):
        return height
    typed = [each for each in (before, word) if font_kind(each.font).mono]
    return min((_SPACE * each.box.width / len(each.text) for each in typed), default=0.0)


def _separators(
    rows: Sequence[VisualRow],
    inner: Sequence[float],
    height: float,
    touching: Sequence[float],
) -> list[float]:
    """The column separators: the rules, and gaps without one if gaps outnumber rules, also those
    that are narrow between `touching` columns.
    """
    typical = _typical(rows)
    spans = [(run.left, run.right) for row in typical for run in row.runs]
    intervals = _uncovered(spans, stray=int(_STRAY_SHARE * len(typical)))
    gaps: list[tuple[float, float]] = []
    for start, end in intervals:
        if gaps and start - gaps[-1][1] < 0.01:
            gaps[-1] = (gaps[-1][0], end)
        else:
            gaps.append((start, end))
    least = min(_LEAST_COLUMN_GAP, 0.25 * height)
    gaps = [
        (start, end)
        for start, end in gaps
        if end - start >= least or any(start <= place <= end for place in touching)
    ]
    if len(inner) >= len(gaps):
        return list(inner)
    unruled = [
        (start + end) / 2
        for start, end in gaps
        if not any(start - 1.5 <= place <= end + 1.5 for place in inner)
    ]
    return _parting(rows, sorted([*inner, *unruled]), inner)


def _parting(
    rows: Sequence[VisualRow], separators: Sequence[float], ruled: Sequence[float]
) -> list[float]:
    """The separators without those that no rule shows, and that part a head or two from the cells
    below: it stands at the left of its column, and the numbers at the right; where rules part most
    columns, without all that have words on both sides in few rows, as wide spaces in cells do.
    """
    parting = [float("-inf")]
    filled = (_filled(rows, *between) for between in pairwise([*separators, float("inf")]))
    all_ruled = len(ruled) >= _RULED * sum(map(bool, filled))
    for place, end in pairwise([*separators, float("inf")]):
        before, after = _filled(rows, parting[-1], place), _filled(rows, place, end)
        apart = before.isdisjoint(after) and min(len(before), len(after)) <= _HEADS
        spaced = all_ruled and len(before & after) < _SIDE_BY_SIDE * len(before | after)
        if place in ruled or not (apart or spaced):
            parting.append(place)
    return parting[1:]


def _filled(rows: Sequence[VisualRow], start: float, end: float) -> set[int]:
    """The rows with a cell between two places, by their index."""
    return {
        at
        for at, row in enumerate(rows)
        if any(start < (run.left + run.right) / 2 < end for run in row.runs)
    }


def _typical(rows: Sequence[VisualRow]) -> list[VisualRow]:
    """The rows with nearly as many runs as the table's fuller rows have."""
    several = [row for row in rows if len(row.runs) >= 2] or list(rows)
    counts = sorted(len(row.runs) for row in several)
    usual = counts[int(0.8 * (len(counts) - 1))]
    if counts.count(usual) >= max(_LEAST_FULL, FULL_SHARE * len(counts)):
        return [row for row in several if len(row.runs) == usual]
    return [row for row in several if len(row.runs) >= max(2, 0.7 * usual)]


def _uncovered(
    spans: Sequence[tuple[float, float]], *, stray: int
) -> Iterator[tuple[float, float]]:
    """The intervals between neighbouring ends of spans that at most `stray` spans cover."""
    edges = sorted({edge for span in spans for edge in span})
    for start, end in zip(edges, edges[1:]):
        if sum(left < end - 0.01 and right > start + 0.01 for left, right in spans) <= stray:
            yield start, end


def _parted_at(row: VisualRow, starts: Sequence[float], glyphs: PlacedGlyphs | None) -> VisualRow:
    """The row with words parted before letters that are printed over those before them where the
    cells of a column begin, as over the end of a name that is too long for its own.
    """
    if glyphs is None or not any(
        word.box.left + FLUSH < start < word.box.right
        for run in row.runs
        for word in run.words
        for start in starts
    ):
        return row
    runs = (
        replace(
            run, words=tuple(part for word in run.words for part in _over(word, starts, glyphs))
        )
        for run in row.runs
    )
    return replace(row, runs=tuple(runs))


def _over(word: Word, starts: Sequence[float], glyphs: PlacedGlyphs) -> list[Word]:
    letters = glyphs.inside(word.box)
    if [letter.text for letter in letters] != [*word.text]:
        return [word]
    for at, (before, letter) in enumerate(pairwise(letters), start=1):
        left = letter.box.left
        if before.box.right - left > OVERPRINTED * before.box.width and any(
            abs(left - start) <= FLUSH for start in starts
        ):
            return [
                word._replace(box=word.box._replace(right=before.box.right), text=word.text[:at]),
                word._replace(box=word.box._replace(left=left), text=word.text[at:]),
            ]
    return [word]


def _start(part: CellRun, direction: int) -> float:
    """Where a part begins as it is read."""
    return part.left if direction > 0 else part.right


class _Starts(NamedTuple):
    """Where the cells of columns begin, on the right of them where `direction` is -1."""

    places: Sequence[float]
    direction: int

    def part(self, before: Word, word: Word) -> bool:
        """Whether the second of two words beside each other as they are read begins a column."""
        begins = word.box.left if self.direction > 0 else before.box.right
        return any(abs(begins - place) <= FLUSH for place in self.places)


def _split_at(
    row: VisualRow,
    bounds: Sequence[float],
    starts: _Starts,
    apart: Mapping[int, int],
    down: Iterable[Rule],
) -> VisualRow:
    """The row with runs split where two numbers, or words with a wide gap or a vertical rule
    between them, are in two columns, where a word begins as the cells of its column do, and at
    those that are `apart`.
    """
    ruled = [
        rule.at
        for rule in down
        if rule.start <= row.middle <= rule.end
        and any(abs(place - rule.at) <= _MEETING for place in bounds[1:-1])
    ]
    parts = (part for run in row.runs for part in _parts(run, bounds, starts, apart, ruled))
    return replace(row, runs=tuple(parts))


def _parts(
    run: CellRun,
    bounds: Sequence[float],
    starts: _Starts,
    apart: Mapping[int, int],
    ruled: Sequence[float],
) -> list[CellRun]:
    if sum(id(word) in apart for word in run.words) == 1:  # alone: a cell over several columns
        return [run]
    groups = [[run.words[0]]]
    for before, word in zip(run.words, run.words[1:]):
        if (
            starts.part(before, word)
            or id(word) in apart
            or _are_apart(before, word, bounds, ruled)
        ):
            groups.append([])
        groups[-1].append(word)
    return [
        CellRun(group[0].box.left, max(w.box.right for w in group), tuple(group))
        for group in groups
    ]


def _are_apart(before: Word, word: Word, bounds: Sequence[float], ruled: Sequence[float]) -> bool:
    gap = word.box.left - before.box.right
    between = any(before.box.right <= place <= word.box.left for place in bounds[1:-1])
    parted = any(before.box.right - _TOUCHING <= rule <= word.box.left for rule in ruled)
    numbers = is_number(before) and is_number(word)
    wide = numbers or gap > CELL_GAP * word.box.height
    return gap > 0 and (parted or (between and wide))


def _has_word_across(row: VisualRow, bounds: Sequence[float]) -> bool:
    full = len(row.runs) >= 0.6 * (len(bounds) - 1)
    return full and any(
        min(place - word.box.left, word.box.right - place) > _ACROSS * word.box.width
        for run in row.runs
        for word in run.words
        for place in bounds[1:-1]
    )


def _placed(
    band: Sequence[VisualRow],
    bounds: Sequence[float],
    direction: int,
    heads: Mapping[int, int],
) -> list[list[Word]]:
    """The words of each cell of a row, from left to right; `direction` is -1 where the first column
    is the right one.
    """
    columns: list[list[Word]] = [[] for _ in bounds[1:]]
    for row in band:
        if any(id(run.words[0]) in heads for run in row.runs):
            for run in row.runs:
                at = heads.get(id(run.words[0]), column_of(run.left, run.right, bounds))
                columns[at].extend(run.words)
            continue
        if len(row.runs) == len(bounds) - 1 and all(
            run.left < end and run.right > start
            for run, start, end in zip(row.runs, bounds, bounds[1:])
        ):
            for column, run in zip(columns, row.runs):
                column.extend(run.words)
            continue
        for run in row.runs:
            if len(row.runs) >= len(columns):
                for word in run.words:
                    columns[column_of(word.box.left, word.box.right, bounds)].append(word)
            else:
                columns[_first_column(run, bounds, direction)].extend(run.words)
    return columns


def _first_column(run: CellRun, bounds: Sequence[float], direction: int) -> int:
    """The first column that overlaps a good part of the run, or the run of it."""
    for index, (start, end) in [*enumerate(zip(bounds, bounds[1:]))][::direction]:
        shared = min(run.right, end) - max(run.left, start)
        if shared > 0.35 * min(run.right - run.left, end - start):
            return index
    return column_of(run.left, run.right, bounds)
