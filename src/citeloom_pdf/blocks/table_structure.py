"""Table structure: rows and columns from words and rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, pairwise
from statistics import median
from typing import NamedTuple

from citeloom_pdf.blocks.rows import words_of
from citeloom_pdf.elements.direction import has_from_right, is_from_right, words_in_order
from citeloom_pdf.elements.geometry import PlacedGlyphs, Rect
from citeloom_pdf.elements.page import Line, PageContent, Word
from citeloom_pdf.elements.text import SOFT_HYPHEN, Vocabulary, joined

# The text of a table's cell: its words in the order of their lines, raised ones marked.

_FULL = 0.8  # of the tallest: smaller words stand beside these, raised or lowered
_SAME_LINE = 0.5  # of the height: how far middles of full words may be apart
_NEAR_LINE = 0.9  # and that of a small one from its line
_SMALL = 0.88  # of its neighbours' height: a raised letter is smaller
_RAISED = 0.12  # of its neighbours' height: and its middle is higher by this
_LIFTED = 0.4  # of their height: and its lower end, where `g` alone goes below the others
_ATTACHED = 0.3  # of the height: a raised word belongs to the one before it
_MARK = "^"
_NO_WORDS = Vocabulary([])


def cell_text(words: Sequence[Word], height: float, glyphs: PlacedGlyphs | None) -> str:
    """The words of a cell as text; what is raised follows what it raises, after a `^`."""
    return joined([_line_text(line, glyphs) for line in _lines(words, height)], _NO_WORDS)


def _lines(words: Sequence[Word], height: float) -> list[list[Word]]:
    """The words by line, from left to right; a small word goes to the nearest line."""
    tallest = max((word.box.height for word in words), default=0.0)
    lines: list[list[Word]] = []
    for word in sorted(
        words, key=lambda word: (word.box.height < _FULL * tallest, _middle_of_word(word))
    ):
        small = word.box.height < _FULL * tallest
        nearest = min(
            lines,
            key=lambda line: abs(_middle_of_word(line[0]) - _middle_of_word(word)),
            default=None,
        )
        reach = _NEAR_LINE * tallest if small else _SAME_LINE * height
        if (
            nearest is not None
            and abs(_middle_of_word(nearest[0]) - _middle_of_word(word)) <= reach
        ):
            nearest.append(word)
        else:
            lines.append([word])
    lines.sort(key=lambda line: _middle_of_word(line[0]))
    return [sorted(line, key=lambda word: word.box.left) for line in lines]


def _middle_of_word(word: Word) -> float:
    return word.box.middle_y


def _line_text(line: Sequence[Word], glyphs: PlacedGlyphs | None) -> str:
    if any(has_from_right(word.text) for word in line):
        return " ".join(words_in_order([w.text for w in sorted(line, key=lambda w: w.box.right)]))
    text = ""
    before: Word | None = None
    for word in line:
        raised = before is not None and _is_raised(word.box, before.box)
        near = before is not None and word.box.left - before.box.right <= (
            _ATTACHED * before.box.height
        )
        if raised and near:
            text += f"{_MARK}{word.text}"
            continue
        text += (" " if text else "") + _with_marks(word, glyphs)
        before = word
    return text


def _is_raised(box: Rect, beside: Rect) -> bool:
    smaller = box.height < _SMALL * beside.height
    higher = beside.middle_y - box.middle_y > _RAISED * beside.height
    return smaller and higher and beside.bottom - box.bottom > _LIFTED * beside.height


def _with_marks(word: Word, glyphs: PlacedGlyphs | None) -> str:
    """The word with a mark before each raised part of it."""
    marks = glyphs.inside(word.box.grown(0.5, 0.5)) if glyphs else []
    letters = sorted(marks, key=lambda glyph: glyph.box.left)
    if "".join(glyph.text for glyph in letters) != word.text:
        return word.text
    text, base = "", max(letters, key=lambda glyph: glyph.box.height).box
    for raised, run in groupby(letters, key=lambda glyph: _is_raised(glyph.box, base)):
        text += (_MARK if raised else "") + "".join(glyph.text for glyph in run)
    return text


_GAP = 0.55  # of the word height: a wider gap parts two cells
_LEAST_GAP = 2.8  # points: a narrower gap never parts two words of a row
_LEAST_COLUMN_GAP = 2.5  # points: a narrower gap never parts two columns
_STRAY_SHARE = 0.07  # of the rows may have words in the gap between two columns
_CELL_GAP = 0.4  # of the word height: a wider gap in the place of a column's edge parts cells
_ACROSS = 0.25  # of a word: so much on either side of a column's edge stands across it
_HEADS = 2  # rows of heads
_DOUBTFUL = 0.15  # of the rows
_LEAST_FULL = 3  # rows
_FULL_SHARE = 0.6  # of the rows: if so many have as many runs, they tell the columns
_FLUSH = 1.0  # points
_FLUSH_SHARE = 0.8  # of the full rows
_STOPS = (".", "!", "?", "\u3002")
_LONG = 4  # words of a line of a cell that goes on below it
_BELOW = 2  # numbers below others in their columns: more rows than the rules show
_BRACKETS = ("(", "[", "{")
_NEAR = 1.0  # the same where it ends a hyphenated word
_HYPHENS = ("-", "\u2010", SOFT_HYPHEN)
_NAMED = 0.8  # of the rows have something in the first column
_TIGHT = 0.45  # of the word height: a line this near to the one above continues its cells


@dataclass(frozen=True, slots=True)
class _Run:
    left: float
    right: float
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    middle: float
    top: float
    bottom: float
    runs: tuple[_Run, ...]


class TableRows(NamedTuple):
    """The text of each cell, row by row; `doubtful` if words stand across columns."""

    cells: tuple[tuple[str, ...], ...] = ()
    doubtful: bool = False


def table_rows(page: PageContent, box: Rect, lines: Sequence[Line]) -> TableRows:
    """The cells of a table, from the right where it is read so; those that span columns stand in
    the first of them.
    """
    words = [word for word in words_of(lines) if word.box.lies_in(box.grown(1, 1))]
    if not words:
        return TableRows()
    height = median(word.box.height for word in words)
    groups: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word.box.middle_y):
        if groups and abs(word.box.middle_y - _middle(groups[-1])) <= 0.5 * height:
            groups[-1].append(word)
        else:
            groups.append([word])
    rows = [
        _Row(
            middle=_middle(group),
            top=min(word.box.top for word in group),
            bottom=max(word.box.bottom for word in group),
            runs=_runs(group, height),
        )
        for group in groups
    ]
    inner: list[float] = []
    for rule in sorted(page.vertical):
        inside = box.left + 4 < rule.at < box.right - 4
        through = rule.shared(box.top, box.bottom)
        if inside and through > 0.55 * box.height and not (inner and rule.at - inner[-1] <= 6):
            inner.append(rule.at)
    bounds = [box.left - 5, *_separators(rows, inner, height), box.right + 5]
    bands = _bands(
        rows,
        bounds,
        sorted(
            {
                round(rule.at, 1)
                for rule in page.horizontal
                if box.top + 3 < rule.at < box.bottom - 3
                and rule.shared(box.left, box.right) > 0.6 * box.width
            }
        ),
        height,
        ruled=bool(inner),
    )
    full = [row for row in rows if len(row.runs) == len(bounds) - 1]
    starts = []
    for lefts in zip(*([run.left for run in row.runs] for row in full)):
        usual = median(lefts)
        flush = sum(abs(left - usual) <= _FLUSH for left in lefts)
        if flush >= max(_LEAST_FULL, _FLUSH_SHARE * len(lefts)):
            starts.append(usual)
    split = [[_split_at(row, bounds, starts) for row in band] for band in bands]
    direction = -1 if _is_from_right(words, page) else 1
    cells = tuple(_cells(band, bounds, height, page.glyphs, direction) for band in split)
    wrong = 0
    for row in rows:
        columns = {_column(run.left, run.right, bounds) for run in row.runs}
        wrong += len(columns) < len(row.runs) or _has_word_across(row, bounds)
    return TableRows(cells, doubtful=wrong > max(1, _DOUBTFUL * len(rows)))


def _is_from_right(words: Sequence[Word], page: PageContent) -> bool:
    """Whether most letters of a table are read from the right; of numbers alone, those of its
    page.
    """
    text = "".join(word.text for word in words)
    if any(map(str.isalpha, text)):
        return is_from_right(text)
    return is_from_right("".join(line.text for line in page.lines))


def _middle(words: Sequence[Word]) -> float:
    return sum(word.box.middle_y for word in words) / len(words)


def _runs(words: Sequence[Word], height: float) -> tuple[_Run, ...]:
    gap = max(_GAP * height, _LEAST_GAP)
    runs: list[_Run] = []
    for word in sorted(words, key=lambda word: word.box.left):
        if runs and word.box.left - runs[-1].right <= gap:
            last = runs[-1]
            runs[-1] = _Run(last.left, max(last.right, word.box.right), (*last.words, word))
        else:
            runs.append(_Run(word.box.left, word.box.right, (word,)))
    return tuple(runs)


def _separators(rows: Sequence[_Row], inner: Sequence[float], height: float) -> list[float]:
    """The column separators: the rules, and gaps without one if gaps outnumber rules."""
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
    gaps = [(start, end) for start, end in gaps if end - start >= least]
    if len(inner) >= len(gaps):
        return list(inner)
    unruled = [
        (start + end) / 2
        for start, end in gaps
        if not any(start - 1.5 <= place <= end + 1.5 for place in inner)
    ]
    return _parting(rows, sorted([*inner, *unruled]), inner)


def _parting(
    rows: Sequence[_Row], separators: Sequence[float], ruled: Sequence[float]
) -> list[float]:
    """The separators without those that no rule shows, and that part a head or two from the cells
    below: it stands at the left of its column, and the numbers at the right.
    """
    parting = [float("-inf")]
    for place, end in pairwise([*separators, float("inf")]):
        before, after = _filled(rows, parting[-1], place), _filled(rows, place, end)
        of_heads = before.isdisjoint(after) and min(len(before), len(after)) <= _HEADS
        if place in ruled or not of_heads:
            parting.append(place)
    return parting[1:]


def _filled(rows: Sequence[_Row], start: float, end: float) -> set[int]:
    """The rows with a cell between two places, by their index."""
    return {
        at
        for at, row in enumerate(rows)
        if any(start < (run.left + run.right) / 2 < end for run in row.runs)
    }


def _typical(rows: Sequence[_Row]) -> list[_Row]:
    """The rows with nearly as many runs as the table's fuller rows have."""
    several = [row for row in rows if len(row.runs) >= 2] or list(rows)
    counts = sorted(len(row.runs) for row in several)
    usual = counts[int(0.8 * (len(counts) - 1))]
    if counts.count(usual) >= max(_LEAST_FULL, _FULL_SHARE * len(counts)):
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


def _bands(
    rows: Sequence[_Row],
    bounds: Sequence[float],
    rules: Sequence[float],
    height: float,
    *,
    ruled: bool,
) -> list[list[_Row]]:
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
    grid = (ruled and len(between) >= 3) or (len(between) >= 5 and len(rows) <= 4 * len(between))
    if not grid:
        return _by_gaps(rows, bounds, height, ruled) or _by_tightness(rows, bounds, height, ends)
    return [part for band in between for part in _full_rows(band, bounds, ends)]


def _runs_by_column(row: _Row, bounds: Sequence[float]) -> dict[int, _Run]:
    return {_column(run.left, run.right, bounds): run for run in row.runs}


def _without_wraps(
    band: Sequence[_Row], bounds: Sequence[float], ends: Mapping[int, float]
) -> list[list[_Row]]:
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
    band: Sequence[_Row], row: _Row, bounds: Sequence[float], ends: Mapping[int, float]
) -> bool:
    above = {at: run for each in band for at, run in _runs_by_column(each, bounds).items()}
    runs = _runs_by_column(row, bounds)
    pairs = [(above[at], run, ends[at]) for at, run in runs.items() if at in above]
    if len(_columns_of_numbers(row, bounds)) >= _BELOW:
        return False
    is_long = any(
        sum(word.text.isalpha() for word in upper.words) >= _LONG for upper, _, _ in pairs
    )
    ended = any(upper.words[-1].text.endswith(_STOPS) for upper, _, _ in pairs)
    return is_long and not ended and all(_wraps(*pair) for pair in pairs)


def _wraps(above: _Run, below: _Run, end: float) -> bool:
    first = below.words[0].box
    return above.right + first.width + _CELL_GAP * first.height > end


def _full_rows(
    band: list[_Row], bounds: Sequence[float], ends: Mapping[int, float]
) -> list[list[_Row]]:
    """A band split into its visual rows if nearly all of them fill the columns, else where numbers
    stand below one another.
    """
    full = sum(_is_full(row, bounds) for row in band)
    if len(band) > 1 and full >= max(2, 0.6 * len(band)):
        return _without_wraps(band, bounds, ends)
    numbers = [_columns_of_numbers(row, bounds) for row in band]
    if sum(Counter(chain.from_iterable(numbers)).values()) - len(set().union(*numbers)) < _BELOW:
        return [band]
    parts: list[list[_Row]] = []
    for row, begins in zip(band, numbers):
        if begins or not parts:
            parts.append([])
        parts[-1].append(row)
    return parts


def _columns_of_numbers(row: _Row, bounds: Sequence[float]) -> set[int]:
    """The columns behind the first in which a row has a number and nothing else; one in brackets,
    as errors below estimates are, belongs to the row above.
    """
    return {
        _column(run.left, run.right, bounds)
        for run in row.runs
        if not _is_in_first(run, bounds)
        and not run.words[0].text.startswith(_BRACKETS)
        and all(map(_is_number, run.words))
    }


def _fills_first(row: _Row, bounds: Sequence[float]) -> bool:
    return any(_is_in_first(run, bounds) for run in row.runs)


def _is_in_first(run: _Run, bounds: Sequence[float]) -> bool:
    return run.left < bounds[1]


def _by_gaps(
    rows: Sequence[_Row], bounds: Sequence[float], height: float, ruled: bool
) -> list[list[_Row]]:
    """The visual rows of each table row where only wide gaps part table rows; none where these do
    not have their name in one line each, wherever that is, or between ruled columns one full line.
    """
    bands: list[list[_Row]] = []
    bottom = float("-inf")
    for row in rows:
        if row.top - bottom >= _TIGHT * height:
            bands.append([])
        bands[-1].append(row)
        bottom = max(bottom, row.bottom)
    if len(bands) == len(rows):
        return []
    names = [sum(_fills_first(row, bounds) for row in band) for band in bands]
    full = [sum(_is_full(row, bounds) for row in band) for band in bands] if ruled else names
    once = any(max(n) == 1 and sum(n) >= _NAMED * len(bands) for n in (names, full))
    return bands if once else []


def _is_full(row: _Row, bounds: Sequence[float]) -> bool:
    return len(row.runs) >= _FULL_SHARE * (len(bounds) - 1) and _fills_first(row, bounds)


def _by_tightness(
    rows: Sequence[_Row], bounds: Sequence[float], height: float, ends: Mapping[int, float]
) -> list[list[_Row]]:
    bands: list[list[_Row]] = []
    for row in rows:
        if bands and _continues(bands[-1], row, bounds, height, ends):
            bands[-1].append(row)
        else:
            bands.append([row])
    return bands


def _continues(
    band: Sequence[_Row],
    row: _Row,
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
    if len(bounds) <= 2 or gap >= _TIGHT * height or _has_numbers_below(band, row, bounds):
        return False
    if _only_wraps(band, row, bounds, ends):
        return True
    return not _fills_first(row, bounds) and len(row.runs) < len(band[0].runs)


def _has_numbers_below(band: Sequence[_Row], row: _Row, bounds: Sequence[float]) -> bool:
    above = set().union(*(_columns_of_numbers(each, bounds) for each in band))
    return not above.isdisjoint(_columns_of_numbers(row, bounds))


def _split_at(row: _Row, bounds: Sequence[float], starts: Sequence[float]) -> _Row:
    """The row with runs split where two numbers, or words with a wide gap, are in two columns, and
    where a word begins as the cells of its column do.
    """
    parts = (part for run in row.runs for part in _parts(run, bounds, starts))
    return replace(row, runs=tuple(parts))


def _parts(run: _Run, bounds: Sequence[float], starts: Sequence[float]) -> list[_Run]:
    groups = [[run.words[0]]]
    for before, word in zip(run.words, run.words[1:]):
        flush = any(abs(word.box.left - start) <= _FLUSH for start in starts)
        if flush or _are_apart(before, word, bounds):
            groups.append([])
        groups[-1].append(word)
    return [
        _Run(group[0].box.left, max(w.box.right for w in group), tuple(group)) for group in groups
    ]


def _are_apart(before: Word, word: Word, bounds: Sequence[float]) -> bool:
    gap = word.box.left - before.box.right
    between = any(before.box.right <= place <= word.box.left for place in bounds[1:-1])
    numbers = _is_number(before) and _is_number(word)
    return between and gap > 0 and (numbers or gap > _CELL_GAP * word.box.height)


def _is_number(word: Word) -> bool:
    text = word.text.rstrip("*")
    return sum(map(str.isdigit, text)) > 0.5 * len(text)


def _has_word_across(row: _Row, bounds: Sequence[float]) -> bool:
    full = len(row.runs) >= 0.6 * (len(bounds) - 1)
    return full and any(
        min(place - word.box.left, word.box.right - place) > _ACROSS * word.box.width
        for run in row.runs
        for word in run.words
        for place in bounds[1:-1]
    )


def _cells(
    band: Sequence[_Row],
    bounds: Sequence[float],
    height: float,
    glyphs: PlacedGlyphs | None,
    direction: int,
) -> tuple[str, ...]:
    """The cells of a row in the order in which they are read: `direction` is -1 from the right."""
    columns: list[list[Word]] = [[] for _ in bounds[1:]]
    for row in band:
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
                    columns[_column(word.box.left, word.box.right, bounds)].append(word)
            else:
                columns[_first_column(run, bounds, direction)].extend(run.words)
    return tuple(cell_text(words, height, glyphs) for words in columns[::direction])


def _column(left: float, right: float, bounds: Sequence[float]) -> int:
    return max(
        range(len(bounds) - 1),
        key=lambda index: min(right, bounds[index + 1]) - max(left, bounds[index]),
    )


def _first_column(run: _Run, bounds: Sequence[float], direction: int) -> int:
    """The first column that overlaps a good part of the run, or the run of it."""
    for index, (start, end) in [*enumerate(zip(bounds, bounds[1:]))][::direction]:
        shared = min(run.right, end) - max(run.left, start)
        if shared > 0.35 * min(run.right - run.left, end - start):
            return index
    return _column(run.left, run.right, bounds)
