"""Lists of label and text, such as fields and their descriptions, kept together row by row.

A label stands level with the first line of its text, and all texts begin at one place. Two columns
of prose look alike in single rows; but there a line goes on below where its neighbour begins, while
the text of an entry has ended before the next label.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Line
from citeloom_pdf.elements.patterns import BULLET, LEADER, LIST_MARK, is_prose
from citeloom_pdf.elements.scripts import without_scripts
from citeloom_pdf.parsing.columns import are_in_columns, column_ends
from citeloom_pdf.parsing.lines import joined_line

_SAME_PLACE = 2.0  # points: texts of a list begin at places that differ less
_TOUCH = 1.0  # points: a label may end so far behind the place where lines of texts begin
_LEVEL = 0.5  # of the lower line: a label and its text share more of their height
_LEAST_GAP = 0.5  # of the font size: how far at least a text stands from its label
_LEAST_SPACE = 0.35  # of the font size: how far it stands where both came as one line
WIDEST_GAP = 20.0  # of the font size, between a label and its text
_LABELS = 0.5  # of the list's width: labels take less, and the left one of two columns more
_ENDED = 0.8  # of the texts have ended before the next label
_STOPS = (".", "!", "?")
_TIGHT = 0.5  # of the font size: what is not farther below a label goes on with it
_STRAYS = 0.25  # of the pairs: more lines before the texts that are no labels are a side bar
_NOTES = 0.25  # of the entries: where more have a sentence before them, these are notes
_SMALLER = 0.93  # of the size of their text: so small are notes in the margin
_FULL = 0.5  # of single lines end at the margin: more are those of a paragraph
_SHORT = 2.0  # of the font size: a line that ends this far from the margin ends its text
_APART = 0.2  # of the font size: a gap wider by this than those within a text parts two of them
_USUAL_GAP = 0.3  # of the font size: the gap where no text has a second line
_BLANK = 3.2  # of the font size: a wider gap ends a list
_DEEPEST = 6.0  # of the font size: how far in a line of a text may begin
_PROSE_LENGTH = 25  # characters: shorter lines do not tell where a column ends
_NAME = re.compile(r"[^\W\d_]{4}")  # no product of variables
_ITEM = re.compile(r"\(?(\d{1,3}|[^\W\d_])[.)]\s+\S")  # of a list: `12. oats`, `(b) rye`
_FORMULA = 0.33  # of an entry: where more is in mathematical letters, it is a row of a formula
_MOST_COLUMNS = 6  # columns of a row
_MOST_LINES = 1000  # pieces of lines on a page: with more, it is set letter by letter
_CODE = 0.7  # of its text: where more is in a typewriter font, it is a row of a listing


@dataclass(frozen=True, slots=True)
class Entry:
    """A label with all its lines, and the lines of the text beside it."""

    label: tuple[Line, ...]
    text: tuple[Line, ...]


class _Pair(NamedTuple):
    """A label's line and the line of text level with it."""

    label: Line
    text: Line


@dataclass(slots=True)
class _Column:
    """Texts that begin at one place, and the labels before them; both from top to bottom."""

    at: float
    pairs: list[_Pair]
    labels: list[Line]
    texts: list[Line]

    @property
    def left(self) -> float:
        """Where the labels begin."""
        return min(pair.label.box.left for pair in self.pairs)

    @property
    def right(self) -> float:
        """Where the texts end."""
        return max(line.box.right for line in self.texts)


def find_entries(lines: Sequence[Line]) -> list[Entry]:
    """The entries of the lists among a page's upright lines.

    A row of more than two columns is found from the right: what is an entry is the text of the
    label before it. A page in which each letter is a line has none.
    """
    if len(lines) > _MOST_LINES:
        return []
    rows = {id(line): Entry((), (line,)) for line in lines}
    parts = list(lines)
    joined: set[int] = set()
    for _ in range(_MOST_COLUMNS):
        entries = _entries_of(parts, joined)
        if not entries:
            break
        taken = {id(line) for entry in entries for line in (*entry.label, *entry.text)}
        parts = [line for line in parts if id(line) not in taken]
        for entry in entries:
            members = (*entry.label, *entry.text)
            whole = replace(joined_line(members), box=enclosing(line.box for line in members))
            # an entry with parts that are entries of their own is taken apart
            label, text = (
                [part for line in lines for part in (*rows[id(line)].label, *rows[id(line)].text)]
                for lines in (entry.label, entry.text[1:])
            )
            first = rows[id(entry.text[0])]
            rows[id(whole)] = Entry((*label, *first.label), (*first.text, *text))
            parts.append(whole)
            joined.add(id(whole))
    return [rows[id(line)] for line in parts if id(line) in joined]


def _entries_of(lines: Sequence[Line], joined: Set[int]) -> list[Entry]:
    ordered = sorted(lines, key=lambda line: (line.box.top, line.box.left))
    pairs = _pairs(ordered)
    entries: list[Entry] = []
    taken: set[int] = set()
    # from the right: of a row of several columns the last two come first
    for at in sorted({float(round(_margin(pair, ordered))) for pair in pairs}, reverse=True):
        free = [
            pair
            for pair in pairs
            if (pair.label.box.right < at + _TOUCH and _is_text(at, pair.text))
            and taken.isdisjoint(map(id, pair))
        ]
        for column in _columns(at, free, ordered):
            listed = _list(column, ordered, joined)
            entries += listed
            taken.update(id(line) for entry in listed for line in (*entry.label, *entry.text))
    return entries


def first_paragraph(entry: Entry) -> Entry:
    """The entry with the first paragraph of its text alone; what follows is text like any other."""
    text = [entry.text[0]]
    right = max(line.box.right for line in entry.text)
    prose = [line for line in entry.text if line.style.mono <= _CODE]
    gaps = (lower.box.top - upper.box.bottom for upper, lower in pairwise(prose))
    usual = max(0.0, min(gaps, default=_USUAL_GAP * text[0].size))
    for above, line in pairwise(entry.text):
        apart = line.box.top - above.box.bottom > usual + _APART * line.size
        # a mention of code may fill a line of prose
        short = above.box.right < right - _SHORT * above.size
        turns = short and (line.style.mono > _CODE) != (above.style.mono > _CODE)
        if apart or turns or LIST_MARK.match(line.text):
            break
        text.append(line)
    return Entry(entry.label, tuple(text))


def _pairs(lines: Sequence[Line]) -> list[_Pair]:
    """Each line with the nearest to the right in its row, unless a column of prose ends between."""
    ends = column_ends(lines)
    by_middle = sorted(lines, key=_middle_of_first)
    middles = [_middle_of_first(line) for line in by_middle]
    pairs = []
    for label in lines:
        reach = label.box.height
        first = bisect_left(middles, label.box.middle_y - reach)
        last = bisect_left(middles, label.box.middle_y + reach)
        beside = [line for line in by_middle[first:last] if _is_beside(label, line)]
        if beside:
            text = min(beside, key=lambda line: line.box.left)
            if not are_in_columns(label.box, text.box, ends):
                pairs.append(_Pair(label, text))
    return pairs


def _middle_of_first(line: Line) -> float:
    """The middle of a line; what was joined may go on below its first one."""
    return min(line.box.middle_y, line.box.top + line.size)


def _is_beside(label: Line, text: Line) -> bool:
    lower = min(label.box.height, text.box.height)
    gap = text.box.left - label.box.right
    level = label.box.shared_height(text.box) > _LEVEL * lower
    return level and _LEAST_GAP * text.size <= gap <= WIDEST_GAP * text.size


def _margin(pair: _Pair, lines: Sequence[Line]) -> float:
    """Where a text begins: its first line may be indented against its second."""
    label, text = pair
    reach = Rect(label.box.right, text.box.bottom, text.box.right, text.box.bottom + text.size)
    below = [line.box.left for line in lines if line.box.touches(reach)]
    return min([text.box.left, *(left for left in below if left >= label.box.right - _TOUCH)])


def _is_text(at: float, line: Line) -> bool:
    return -_SAME_PLACE <= line.box.left - at <= _DEEPEST * line.size


def _columns(at: float, pairs: Sequence[_Pair], lines: Sequence[Line]) -> Iterator[_Column]:
    """The pairs whose texts begin at a place, parted where other text stands between them."""
    if len(pairs) < 2:
        return
    right = max(pair.text.box.right for pair in pairs)
    left = min(pair.label.box.left for pair in pairs)
    paired = {id(pair.text): pair for pair in pairs}
    column = _Column(at, [], [], [])
    bottom = float("-inf")
    for line in lines:
        if line.box.right < left or line.box.left > right:
            continue
        text = _is_text(at, line)
        label = line.box.right < at + _TOUCH and line.box.left >= left - _SAME_PLACE
        if line.box.left > at and not text:
            continue
        if not (text or label) and (whole := _parted_at(at, line)):
            column.pairs.append(whole)
            column.texts.append(line)
            bottom = max(bottom, line.box.bottom)
            continue
        if not (text or label) or line.box.top - bottom > _BLANK * line.size:
            yield from _begun(column)
            column = _Column(at, [], [], [])
        if text or label:
            (column.texts if text else column.labels).append(line)
            bottom = max(bottom, line.box.bottom)
        if id(line) in paired:
            column.pairs.append(paired[id(line)])
    yield from _begun(column)


def _parted_at(at: float, line: Line) -> _Pair | None:
    """A line that holds a label and its text, which begins at the place, as a pair of itself."""
    after = [word for word in line.words if word.box.left >= at - _SAME_PLACE]
    before = [word for word in line.words if word.box.left < at - _SAME_PLACE]
    if not (before and after) or abs(min(w.box.left for w in after) - at) > _SAME_PLACE:
        return None
    gap = at - max(word.box.right for word in before)
    return _Pair(line, line) if gap >= _LEAST_SPACE * line.size else None


def _begun(column: _Column) -> Iterator[_Column]:
    """The column, if it has two pairs; what stands before the first of them is none of it."""
    if len(column.pairs) >= 2 and not _has_strays(column):
        top = _top(column.pairs[0])
        column.texts = [line for line in column.texts if line.box.bottom > top]
        column.labels = [line for line in column.labels if line.box.bottom > top]
        yield column


def _has_strays(column: _Column) -> bool:
    """Whether more than a heading stands before the texts that is no label, as in a side bar."""
    starts = {id(pair.label) for pair in column.pairs}
    starts |= set(map(id, _labels_above_text(column)))
    strays = [
        line
        for above, line in pairwise([None, *column.labels])
        if line is not None and id(line) not in starts and not (above and _wraps(above, line))
    ]
    return len(strays) > max(1, _STRAYS * len(column.pairs))


def _wraps(above: Line, line: Line) -> bool:
    """Whether a label goes on in its next line."""
    return line.box.top - above.box.bottom <= _TIGHT * line.size


def _list(column: _Column, lines: Sequence[Line], joined: Set[int]) -> list[Entry]:
    """The entries of a column, none if it is no list."""
    right = max([column.right, *_prose_over(column, lines)])
    in_rows = all(id(pair.label) in joined for pair in column.pairs)
    if not in_rows and column.at - column.left > _LABELS * (right - column.left):
        return []
    whole = all(pair.label is pair.text for pair in column.pairs)
    if any(map(_is_no_entry, column.pairs)) or whole or _are_lists(column.pairs):
        return []
    if not _are_single_lines(column):
        labels = [pair.label for pair in column.pairs]
        usual = median(lower.box.top - upper.box.bottom for upper, lower in pairwise(labels))
        kept, wrong = [column.pairs[0]], 0
        for before, pair in pairwise(column.pairs):
            above = _line_above(pair.text, column.texts)
            ended = above is None or id(above) in joined or _ends(above, pair.text, column)
            gap = pair.label.box.top - before.label.box.bottom
            if ended or gap > usual - _APART * pair.label.size:
                kept.append(pair)
                wrong += not ended
        column.pairs = kept if wrong <= (1 - _ENDED) * len(column.pairs) else []
    entries = _entries(column) if len(column.pairs) >= 2 else []
    labelled = [entry for entry in entries if entry.label]
    return entries if sum(map(_has_note, labelled)) <= _NOTES * len(labelled) else []


def _has_note(entry: Entry) -> bool:
    """Whether what stands beside a text is a note in the margin: words in small print, or a
    sentence.
    """
    small = entry.label[0].size < _SMALLER * entry.text[0].size
    sentence = entry.label[-1].text.endswith(_STOPS)
    return (small or sentence) and is_prose(" ".join(line.text for line in entry.label))


def _prose_over(column: _Column, lines: Sequence[Line]) -> Iterator[float]:
    """Where prose ends that runs over labels and texts, close above or below the list."""
    box = enclosing(line.box for line in (*column.labels, *column.texts))
    for line in lines:
        near = -line.box.shared_height(box) <= _BLANK * line.size
        over = line.box.left <= column.left + line.size and line.box.right > column.at
        if near and over and len(line.text) > _PROSE_LENGTH:
            yield line.box.right


def _is_no_entry(pair: _Pair) -> bool:
    label, text = pair
    if label is text:
        return text.style.mono > _CODE
    formula = label.style.math > _FORMULA and (
        "=" in label.text
        or text.style.math > _FORMULA
        or ("=" in text.text and not _NAME.search(without_scripts(text.text)))
    )
    code = text.style.mono > _CODE and (label.style.mono > _CODE or label.text.isdigit())
    item = BULLET.match(label.text) is not None and label.text[1:2].isspace()
    return formula or code or item or LEADER.search(text.text) is not None


def _are_lists(pairs: Sequence[_Pair]) -> bool:
    """Whether each label and text is an item of a list that goes on below, not beside: its mark is
    nearer to the next one's there.
    """
    marks = [(_mark(pair.label), _mark(pair.text)) for pair in pairs]
    if not all(label and text for label, text in marks):
        return False
    steps = [(below - label, text - label) for (label, text), (below, _) in pairwise(marks)]
    return all(0 < down < beside for down, beside in steps)


def _mark(line: Line) -> int:
    """The number of a list's item, or the code of its letter; 0 where there is none."""
    found = _ITEM.match(line.text)
    if found is None:
        return 0
    return int(found[1]) if found[1].isdecimal() else ord(found[1])


def _are_single_lines(column: _Column) -> bool:
    """Whether each label has one line of text, which no margin ends."""
    starts = {id(pair.text) for pair in column.pairs}
    if any(id(line) not in starts for line in column.texts):
        return False
    full = sum(line.box.right > column.right - 1 for line in column.texts)
    prose = sum(is_prose(pair.label.text) for pair in column.pairs if pair.label is not pair.text)
    return max(full, prose) <= _FULL * len(column.pairs)


def _line_above(line: Line, texts: Sequence[Line]) -> Line | None:
    above = [other for other in texts if other.box.middle_y < line.box.top]
    return max(above, key=lambda other: other.box.bottom, default=None)


def _ends(above: Line, line: Line, column: _Column) -> bool:
    short = above.box.right < column.right - _SHORT * above.size
    gap = line.box.top - above.box.bottom
    # between lines within a text, or a usual one where each has a single line
    starts = {id(pair.text) for pair in column.pairs}
    within = [
        lower.box.top - upper.box.bottom
        for upper, lower in pairwise(column.texts)
        if id(lower) not in starts and lower.box.middle_y > upper.box.bottom
    ]
    apart = (
        gap > (median(within) if within else _USUAL_GAP * column.texts[0].size) + _APART * line.size
    )
    return short or apart or above.text.endswith(_STOPS)


def _entries(column: _Column) -> list[Entry]:
    above = [(label,) for label in _labels_above_text(column)]
    starts: list[tuple[Line, ...]] = sorted([*column.pairs, *above], key=_top)
    tops = [_top(start) for start in starts]
    places = {id(line): index for index, start in enumerate(starts) for line in start}
    labels: list[list[Line]] = [[] for _ in starts]
    texts: list[list[Line]] = [[] for _ in starts]
    for lines, parts in ((column.labels, labels), (column.texts, texts)):
        for line in lines:
            before = max(0, bisect_left(tops, line.box.middle_y) - 1)
            parts[places.get(id(line), before)].append(line)
    return [Entry(tuple(label), tuple(text)) for label, text in zip(labels, texts) if text]


def _labels_above_text(column: _Column) -> Iterator[Line]:
    """The labels too long for the room before their text, which begins close below them."""
    starts = {id(pair.label) for pair in column.pairs}
    for above, label in pairwise([None, *column.labels]):
        if label is None or id(label) in starts or (above and _wraps(above, label)):
            continue
        level = any(label.box.is_level(text.box) for text in column.texts)
        below = any(
            -_TOUCH < text.box.top - label.box.bottom < _TIGHT * label.size for text in column.texts
        )
        if below and not level:
            yield label


def _top(lines: Sequence[Line]) -> float:
    return min(line.box.top for line in lines)
