"""Visual rows: words side by side, in runs separated by gaps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from statistics import mean, median
from typing import NamedTuple

from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Line, Word
from citeloom_pdf.elements.patterns import LEADER, is_prose

_SAME_ROW = 0.45  # of the smaller height: how far middles may be apart
_GAP = 0.62  # of the row's word height: a wider gap parts two runs
_LEAST_GAP = 3.2  # points: a narrower gap never parts two runs
_LONG_RUN = 42  # characters: longer runs are prose rather than a table's cells
_PROSE_SHARE = 0.45  # of the characters are in long runs: the rows are prose
# characters: where rows have two runs that are longer on average, these are columns of prose
_TWO_COLUMN_RUN = 38
# lines at least that make a column of prose, of which so many are next to one another, as long as
# the column is wide and, but for those that begin a sentence, in mid-sentence
_LEAST_LINES, _ADJACENT, _FULL, _GO_ON = 5, 0.85, 0.8, 0.4
_LONG, _PITCH = 0.75, 1.6  # of a column's width and of a line's height: a full line, the next one
_USUAL = 0.9  # of the lines are not wider than their column: one of them may be a heading
_FLUSH = 2.0  # points between the left ends of the lines of a column
_LEAST_PROSE_COLUMNS, _MOST_OF = 2, 0.7  # columns of prose, and of the lines that are in them
_LEAST_DOTS = 4  # of a leader
_DOTS = re.compile(r"\.{4,}")
_SPACED_DOTS = re.compile(r"(?:\.\s?){4,}")
_LETTER, _DECIMAL = re.compile(r"[^\W\d_]"), re.compile(r"[.,]\d")
_LETTER_WIDTH = 0.5  # of the word's height: a letter's on average
_LEAST_FILLED = 0.3  # of a table's height: rows are that dense, labels of a plot are not


class WordRun(NamedTuple):
    """Words with no wide gap between them."""

    box: Rect
    text: str


class Row(NamedTuple):
    """Runs side by side, from left to right."""

    top: float
    bottom: float
    runs: tuple[WordRun, ...]


@dataclass(slots=True)
class _Gathering:
    middle: float
    height: float
    words: list[Word] = field(default_factory=list)

    def takes(self, middle: float, height: float) -> bool:
        return abs(self.middle - middle) <= _SAME_ROW * min(self.height, height)

    def add(self, word: Word, middle: float, height: float) -> None:
        self.words.append(word)
        self.middle += (middle - self.middle) / len(self.words)
        self.height = max(self.height, height)


def words_of(lines: Sequence[Line]) -> list[Word]:
    """The words of the lines; a line without any counts as one word."""
    words: list[Word] = []
    for line in lines:
        words.extend(line.words or (Word(line.box, line.text, line.style.font),))
    return words


def cell_words(lines: Iterable[Line]) -> list[Word]:
    """The words of the lines without leaders to numbers: what stands before and behind these is
    apart.
    """
    words: list[Word] = []
    for line in lines:
        found = words_of([line])
        words += _without_leaders(found) if leads_to_numbers(line.text) else found
    return words


def leads_to_numbers(text: str) -> bool:
    """Whether a line is words and one leader, with numbers alone behind it or in a line of their
    own; dots beside other numbers are cells without a value.
    """
    if not LEADER.search(text):
        return False
    name, *behind = _SPACED_DOTS.split(text)
    return (
        len(behind) == 1
        and _LETTER.search(name) is not None
        and not _DECIMAL.search(name)
        and not _LETTER.search(behind[0])
    )


def _without_leaders(words: Sequence[Word]) -> Iterator[Word]:
    for are_dots, group in groupby(words, key=lambda word: not word.text.strip(".")):
        run = [*group]
        if not are_dots:
            for word in run:
                yield from _around_leader(word)
        elif sum(len(word.text) for word in run) < _LEAST_DOTS:
            yield from run


def _around_leader(word: Word) -> Iterator[Word]:
    """The word, or what it has before a leader and behind it, as wide as so many letters are."""
    leader = _DOTS.search(word.text)
    if leader is None:
        yield word
        return
    left, top, right, bottom = word.box
    before, after = word.text[: leader.start()], word.text[leader.end() :]
    letter = _LETTER_WIDTH * word.box.height
    if before:
        yield word._replace(
            text=before, box=Rect(left, top, min(right, left + letter * len(before)), bottom)
        )
    if after:
        yield word._replace(
            text=after, box=Rect(max(left, right - letter * len(after)), top, right, bottom)
        )


def rows_of(lines: Sequence[Line]) -> list[Row]:
    """The lines' words as visual rows from top to bottom."""
    rows: list[_Gathering] = []
    for word in sorted(cell_words(lines), key=lambda word: (word.box.middle_y, word.box.left)):
        middle, height = word.box.middle_y, word.box.height
        for row in rows[-3:]:
            if row.takes(middle, height):
                row.add(word, middle, height)
                break
        else:
            rows.append(_Gathering(middle, height, [word]))
    return sorted((_row(row.words) for row in rows), key=lambda row: row.top)


def _row(words: Sequence[Word]) -> Row:
    box = enclosing(word.box for word in words)
    gap = max(_GAP * median(word.box.height for word in words), _LEAST_GAP)
    runs: list[WordRun] = []
    for word in sorted(words, key=lambda word: word.box.left):
        if runs and word.box.left - runs[-1].box.right <= gap:
            last = runs[-1]
            runs[-1] = WordRun(last.box.union(word.box), f"{last.text} {word.text}")
        else:
            runs.append(WordRun(word.box, word.text))
    return Row(box.top, box.bottom, tuple(runs))


def are_dense(rows: Iterable[Row], box: Rect) -> bool:
    """Whether rows fill as much of a box as those of a table do, not as little as labels of a plot
    that rules are drawn in.
    """
    return sum(row.bottom - row.top for row in rows) >= _LEAST_FILLED * box.height


def is_tabular(rows: Sequence[Row], *, ruled: bool = False) -> bool:
    """Whether the rows look like a table, not like prose in one or two columns."""
    several = [row for row in rows if len(row.runs) >= 2]
    if len(rows) < 2 or len(several) < max(2, 0.5 * len(rows)):
        return False
    if not ruled and _is_prose(rows):
        return False
    lengths = [len(run.text) for row in several for run in row.runs]
    return median(len(row.runs) for row in several) > 2 or mean(lengths) <= _TWO_COLUMN_RUN


def _is_prose(rows: Sequence[Row]) -> bool:
    lengths = [len(run.text) for row in rows for run in row.runs]
    long = sum(length for length in lengths if length > _LONG_RUN)
    return long > _PROSE_SHARE * sum(lengths)


def are_prose_columns(lines: Sequence[Line]) -> bool:
    """Whether most lines are of prose in columns, each line next to the one above and full; in the
    columns of a table there are gaps below short cells, and few lines begin within a sentence.
    """
    columns: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.box.left):
        if columns and line.box.left - columns[-1][0].box.left <= _FLUSH:
            columns[-1].append(line)
        else:
            columns.append([line])
    prose = [column for column in columns if _is_prose_column(column)]
    return len(prose) >= _LEAST_PROSE_COLUMNS and sum(map(len, prose)) >= _MOST_OF * len(lines)


def _is_prose_column(column: Sequence[Line]) -> bool:
    lines = sorted(column, key=lambda line: line.box.top)
    count = len(lines)
    if count < _LEAST_LINES:
        return False
    width = sorted(line.box.width for line in lines)[int(_USUAL * (count - 1))]
    steps = [(lower.box.top - upper.box.top) / upper.box.height for upper, lower in pairwise(lines)]
    return (
        sum(0 < step <= _PITCH for step in steps) >= _ADJACENT * len(steps)
        and sum(line.box.width >= _LONG * width for line in lines) >= _FULL * count
        and sum(_goes_on(line.text) for line in lines) >= _GO_ON * count
    )


def _goes_on(text: str) -> bool:
    return is_prose(text) and text[0].isalpha() and not text[0].isupper()


def lines_inside(lines: Iterable[Line], area: Rect) -> list[Line]:
    """The lines whose middles lie in an area."""
    return [
        line
        for line in lines
        if area.left - 2 < line.box.middle_x < area.right + 2
        and area.top < line.box.middle_y < area.bottom
    ]


def without_lines(lines: Iterable[Line], excluded: Iterable[Line]) -> list[Line]:
    """The lines but for those that are excluded."""
    taken = set(map(id, excluded))
    return [line for line in lines if id(line) not in taken]
