"""Rows of a page, and the words that letters make by their places in them: for scripts of which the
parser makes wrong lines and words.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import median

from citeloom_pdf.elements.direction import are_of_two_directions, has_from_right, is_arabic
from citeloom_pdf.elements.fonts import SizeOf
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Word
from citeloom_pdf.elements.text import NON_JOINER, SOFT_HYPHEN
from citeloom_pdf.parsing.lines import Cell

LOW = 0.6  # of a letter's height: how high a mark is
OUTSIDE = 0.25  # of a line's height: how far above or below it a mark may stand
_PART_GAP = 0.9  # of the height: parts of a row that are closer belong to one line
# of the font size: boxes of letters are hardly higher, but for fonts of a wide line spacing
_BOX = 1.3
# of the font size: how far below a line the next one may be, and how far its ends may be from those
# of a line as wide
_PITCH, _FLUSH = 2.2, 0.3
_FEW = 3  # lines above or below a stretched one, of which one is as wide and has no wide gap
# of the font size: a gap between columns is as wide, goes on over as many lines, and has text as
# wide on either side, which the numbers of a list are not
_GUTTER, _LENGTH, _COLUMN = 0.6, 6.0, 8.0
_EDGE = 0.1  # of its width: how far letters may reach into it
_ALIKE = 2.0  # times as wide as the narrowest: gaps of a justified line are hardly wider
_RAISED = 0.55  # of the font size: the number of a note is hardly higher
_NOTE_ABOVE = 1.1  # of the font size: how far above the foot of its line the number of a note is
_SEVERAL = 3  # letters of a part that is no part of a ligature
_ONE_HEIGHT = 0.5  # of the letters: so many are as high in one font whose boxes are no ink
_TALLEST = 100.0  # points: how far up and down neighbours in a row are looked for
# of the font size: letters farther apart are in two words, where a line's spaces are drawn, and
# where they are not or the letters are of two directions
_WIDE_GAP, _WORD_GAP = 0.3, 0.15
_MARKED_GAP = 0.6  # of the font size: beside a letter with marks, whose width may be theirs
# where letters touch each other, as most do whose boxes are as wide as their steps, a space may be
# thinner, and is narrower still where the letter behind it is set closer, and most before a reh
_THIN_GAP, _APART, _TOUCHING, _NARROWER = 0.035, 0.03, 0.02, 0.6
_REHS, _CLOSER = frozenset("\u0631\u0632\u0691\u0695\u0698"), 0.85  # times as wide
_LATIN_GAP = 0.12  # letters of other scripts may be as far apart in a word, as of a typewriter
# fonts set the space before a kaf or gaf narrow, whose arm reaches over it: where a letter is not
# joined to it, any gap parts words, but behind letters that are joined to none (\u0629, \u0649
# and \u06d2 end words)
_KAFS = frozenset("\u0643\u06a9\u06aa\u06ad\u06af")
_NOT_JOINED = re.compile("[\u0621-\u0625\u0627\u062f-\u0632\u0648\u0671\u0688\u0691\u0698]")
_MOST, _SOME = 0.6, 0.4  # of the gaps within words, and of all: so many letters touch each other
_SPACED = 9  # letters of a line with drawn spaces that have one among them at least
_LONGEST_NOTE = 2  # figures of the number of a note
_JOINS = "\u05be"  # joins words and numbers of Hebrew
_TALLER = 3.0  # times: no letter's box is so much taller or lower than its font's size


AsPrinted = Callable[[str, Rect, str], str]  # a letter, its box and font: what is printed there


def as_it_is(text: str, _box: Rect, _font: str) -> str:
    """The text."""
    return text


def rows_with(
    cells: Sequence[Cell],
    is_meant: Callable[[str], bool],
    *,
    size: float = 0.0,
    of_ink: bool = False,
) -> list[list[Cell]]:
    """The parts whose text is meant, each with those that it is a line with; the letters may be
    lower than the `size` of their font, their boxes those `of_ink`.
    """
    level = [cell for cell in cells if not cell.angle]
    ordered = sorted(level, key=lambda cell: cell.box.middle_y)
    middles = [cell.box.middle_y for cell in ordered]
    usual = median([c.box.height for c in level if _has_letter(c)] or [0.0])
    scale = min(1.0, _BOX * size / usual) if size and usual else 1.0

    def is_gutter(gap: Rect) -> bool:
        return gap.width > _GUTTER * size > 0 and _is_gutter(
            gap, _around(ordered, middles, gap, _LENGTH * size), size
        )

    def side_by_side(row: Sequence[Cell], seed: Cell) -> list[Cell]:
        return _side_by_side(row, seed, size, scale, is_gutter)

    taken: set[int] = set()
    groups: list[list[Cell]] = []
    # what is low, as a mark or the number of a note, joins a line rather than beginning one
    for seed in sorted(
        ordered,
        key=lambda c: (
            not _has_letter(c) or ((of_ink or c.box.height <= _RAISED * size) and _may_be_note(c)),
            c.box.height < LOW * usual,
        ),
    ):
        if id(seed) in taken or not is_meant(seed.text):
            continue
        reach = min(max(seed.box.height, usual if of_ink else 0.0), _TALLEST)
        near = [c for c in _around(ordered, middles, seed.box, reach) if id(c) not in taken]
        others = _letters_of_others(near, seed.box)
        beside = [
            cell
            for cell in near
            if _is_level(cell, seed.box, others) or (size > 0 and _is_note_of(cell, seed.box, size))
        ]
        row = _of_one_line(beside, seed)
        group = side_by_side(row, seed)
        if of_ink:
            group = _grown(group, near, seed, size, side_by_side)
        if len(group) < len(row):
            around = _around(ordered, middles, seed.box, _FEW * _PITCH * size)
            group = [*_stretched(group, row, around, size, side_by_side)]
        taken.update(map(id, group))
        groups.append(group)
    return groups


def _around(
    ordered: Sequence[Cell], middles: Sequence[float], box: Rect, reach: float
) -> Sequence[Cell]:
    """The parts whose middles are within a distance above or below that of a box."""
    first = bisect_left(middles, box.middle_y - reach)
    return ordered[first : bisect_right(middles, box.middle_y + reach)]


def _of_one_line(row: Sequence[Cell], seed: Cell) -> list[Cell]:
    """The parts that are level with one, without those that are lines above one another, as of a
    column beside it that is set tighter.
    """
    long = [c for c in row if c is not seed and sum(map(str.isalnum, c.text)) >= _SEVERAL]
    if not long or max(c.box.top for c in long) < min(c.box.bottom for c in long):
        return [*row]
    stacked = {
        id(cell)
        for cell in long
        if any(
            cell.box.shared_width(other.box) > 0 and cell.box.shared_height(other.box) <= 0
            for other in long
        )
    }
    return [cell for cell in row if id(cell) not in stacked]


def _is_gutter(gap: Rect, near: Sequence[Cell], size: float) -> bool:
    """Whether the gap between two parts goes on above or below them, between columns of text."""
    strip = gap.grown(-_EDGE * gap.width, 0)
    for side in (1, -1):
        beyond = [c.box for c in near if side * (c.box.middle_y - gap.middle_y) > -gap.height / 2]
        if any(box.left < strip.right and strip.left < box.right for box in beyond):
            continue
        columns = [
            enclosing(boxes)
            for boxes in (
                [box for box in beyond if box.right <= strip.left],
                [box for box in beyond if box.left >= strip.right],
            )
            if boxes
        ]
        if len(columns) == 2 and all(
            box.width > _COLUMN * size and box.height > _LENGTH / 2 * size for box in columns
        ):
            return True
    return False


def _stretched(
    group: Sequence[Cell],
    row: Sequence[Cell],
    near: Sequence[Cell],
    size: float,
    side_by_side: Callable[[Sequence[Cell], Cell], list[Cell]],
) -> Sequence[Cell]:
    """The parts of a row with those that only spaces part which are stretched to justify it: they
    end where one of the next lines below or above it does, in which no gap is wide. Else the parts
    as they are.
    """
    box = enclosing(cell.box for cell in group)
    slack = _FLUSH * size
    parts = {id(cell) for cell in group if _has_letter(cell)}
    for side in (1, -1):
        beyond = [
            cell
            for cell in near
            if side * (cell.box.middle_y - box.middle_y) > box.height / 2
            and box.shared_width(cell.box) > 0
            and _has_letter(cell)
        ]
        last: Rect | None = None
        for first in sorted(beyond, key=lambda cell: side * cell.box.middle_y):
            if last is not None and first.box.is_level(last):
                continue
            last = first.box
            level = [cell for cell in near if cell.box.is_level(first.box)]
            line = enclosing(c.box for c in side_by_side(level, first))
            within = [
                cell
                for cell in row
                if line.left - slack <= cell.box.left and cell.box.right <= line.right + slack
            ]
            others = [cell for cell in within if _has_letter(cell) and id(cell) not in parts]
            whole = enclosing(cell.box for cell in [*group, *others])
            if (
                _are_spread_alike([*group, *others], _WORD_GAP * size)
                and abs(whole.left - line.left) <= slack
                and abs(whole.right - line.right) <= slack
            ):
                return [*group, *(c for c in within if not any(c is each for each in group))]
    return group


def _are_spread_alike(parts: Sequence[Cell], least: float) -> bool:
    """Whether three words or more have gaps of about one width between them, as a justified line
    has and a row of two cells has not.
    """
    ordered = sorted(filter(_has_letter, parts), key=lambda cell: cell.box.left)
    gaps = [behind.box.left - before.box.right for before, behind in pairwise(ordered)]
    gaps = [gap for gap in gaps if gap > least]
    return len(gaps) > 1 and max(gaps) <= _ALIKE * min(gaps)


def _grown(
    row: list[Cell],
    near: Sequence[Cell],
    seed: Cell,
    size: float,
    side_by_side: Callable[[Sequence[Cell], Cell], list[Cell]],
) -> list[Cell]:
    """A row with the parts that are level with its letters rather than with its first part."""
    while True:
        box = enclosing([cell.box for cell in row if _has_letter(cell)] or [seed.box])
        inside, others = {*map(id, row)}, _letters_of_others(near, box)
        more = [
            cell
            for cell in near
            if id(cell) not in inside
            and (_is_level(cell, box, others) or _is_note_of(cell, box, size))
        ]
        grown = side_by_side([*row, *more], seed) if more else row
        if len(grown) <= len(row):
            return grown
        row = grown


def _may_be_note(cell: Cell) -> bool:
    return cell.text.isdecimal() and len(cell.text) <= _LONGEST_NOTE


def _is_note_of(cell: Cell, row: Rect, size: float) -> bool:
    """Whether a part is the raised number of a note at the head of a row; where boxes are those of
    the ink, they share little height, or none where letters are low.
    """
    out = OUTSIDE * row.height
    above = _NOTE_ABOVE * size if cell.box.height <= _RAISED * size else 0.0
    top = min(row.top - out, row.bottom - above)
    return top <= cell.box.middle_y and cell.box.bottom < row.bottom - out and _may_be_note(cell)


def _has_letter(cell: Cell) -> bool:
    return any(map(str.isalnum, cell.text))


def are_of_ink(letters: Sequence[Word]) -> bool:
    """Whether the boxes of letters from the right are those of their ink, of which one that stands
    lower than another may share little height with it.
    """
    heights = Counter(
        round(letter.box.height, 1)
        for letter in letters
        if letter.box.width > 0 and letter.text.isalpha() and has_from_right(letter.text)
    )
    return bool(heights) and max(heights.values()) <= _ONE_HEIGHT * heights.total()


def _letters_of_others(near: Iterable[Cell], line: Rect) -> list[Rect]:
    """The boxes of letters that are near a line and not level with it."""
    return [c.box for c in near if _has_letter(c) and not c.box.is_level(line)]


def _is_level(cell: Cell, beside: Rect, others: Sequence[Rect]) -> bool:
    """Whether the part is in one row with a line; marks alone may be at its head or foot, unless
    they are level with letters at the boxes of `others`, of another line, and with them the letter
    that they are on, where it has the place of a mark.
    """
    if cell.box.is_level(beside):
        return True
    out = OUTSIDE * beside.height
    if not beside.top - out <= cell.box.middle_y <= beside.bottom + out:
        return False
    letters, marks = without_marks(cell.text)
    if not any(map(str.isalnum, letters)):
        around = cell.box.grown(cell.box.height, 0.0)
        return not any(cell.box.is_level(box) and around.shared_width(box) > 0 for box in others)
    is_low = cell.box.height < LOW * beside.height
    return bool(marks) and len(letters) == 1 and is_low


def _side_by_side(
    row: Sequence[Cell],
    seed: Cell,
    size: float,
    scale: float,
    is_gutter: Callable[[Rect], bool],
) -> list[Cell]:
    """The part and those of its row from which no wide gap or gutter parts it, as heights go to
    `scale`, or the `size` of a font whose letters are lower.
    """
    groups: list[list[Cell]] = []
    right, height = float("-inf"), seed.box.height
    for cell in sorted(row, key=lambda cell: cell.box.left):
        tall = max(height, cell.box.height)
        widest = _PART_GAP * max(scale * tall, min(size, _TALLER * tall))
        gap = cell.box._replace(left=right, right=cell.box.left)
        if gap.width > widest or is_gutter(gap):
            groups.append([])
            height = seed.box.height
        groups[-1].append(cell)
        right, height = max(right, cell.box.right), max(height, cell.box.height)
    return next(group for group in groups if any(cell is seed for cell in group))


def letters_of(boxes: Sequence[Rect], letters: Iterable[Word]) -> list[list[Word]]:
    """The letters of each line, as they follow each other: those in its box whose middle is
    nearest to its own.
    """
    drawn = [*letters]
    placed = sorted(range(len(drawn)), key=lambda at: drawn[at].box.middle_y)
    middles = [drawn[at].box.middle_y for at in placed]
    nearest: dict[int, tuple[float, int]] = {}
    for line, box in enumerate(boxes):
        out = OUTSIDE * box.height
        beside = max(1.0, out)
        first = bisect_left(middles, box.top - out)
        for at in range(first, bisect_right(middles, box.bottom + out)):
            if box.left - beside <= drawn[placed[at]].box.middle_x <= box.right + beside:
                away = abs(middles[at] - box.middle_y)
                nearest[placed[at]] = min(nearest.get(placed[at], (away, line)), (away, line))
    rows: list[list[Word]] = [[] for _ in boxes]
    for at in sorted(nearest):
        rows[nearest[at][1]].append(drawn[at])
    return rows


def are_spaces_drawn(letters: Sequence[Word]) -> bool:
    """Whether a good part of the letters are spaces. Those from the left are not counted among
    others: an address has none.
    """
    counted = sum(has_from_right(letter.text) for letter in letters) or len(letters)
    return sum(letter.text.isspace() for letter in letters) * _SPACED >= counted


def with_spaces(
    letters: Sequence[Word], size: float, *, drawn: bool = False, short_drawn: bool = False
) -> list[Word]:
    """The letters, with a space where a gap parts two that have none between them; a wide one
    where spaces are `drawn`, as they are by the letters themselves or, for a line that has one or
    is too short to have some, by others of the page.
    """
    few = sum(has_from_right(letter.text) for letter in letters) <= _SPACED
    some = few or any(letter.text.isspace() for letter in letters)
    drawn = drawn or (short_drawn and some) or are_spaces_drawn(letters)
    within = _WIDE_GAP if drawn else _WORD_GAP
    narrow = None if drawn else _thin_gap(letters, size)
    thin = within if narrow is None else min(within, narrow)
    spaced: list[Word] = []
    right = float("-inf")  # a ligature may reach over the letters that are drawn on it
    for letter in letters:
        text = " " if letter.text.isspace() else letter.text
        if text == SOFT_HYPHEN and letter.box.width > 0:
            text = "-"  # fonts of LuaTeX give it to all of their hyphens
        before = spaced[-1] if spaced else None
        if before is not None and before.text != " ":
            two = are_of_two_directions(before.text, text) and _JOINS not in (before.text, text)
            from_left = before.text.isalnum() or text.isalnum()
            from_left &= not (has_from_right(before.text) or has_from_right(text))
            near = max(thin, min(within, _LATIN_GAP)) if from_left else thin
            if narrow is not None and _is_before_kaf(text, before.text):
                near = min(near, _THIN_GAP)
            if narrow is not None and before.text[:1] in _REHS:
                near *= _CLOSER
            least = size * (min(near, _WORD_GAP) if two else near)
            if within == _WIDE_GAP and (_is_mark(before.text) or _is_mark(text)):
                least = size * _MARKED_GAP
            if within == _WIDE_GAP and min(before.box.width, letter.box.width) <= 0:
                least = float("inf")  # the gap is the width of a letter that its font gives none
            if text != " " and letter.box.left - right > least:
                gap = Rect(right, letter.box.top, letter.box.left, letter.box.bottom)
                spaced.append(Word(gap, " ", letter.font))
        elif text == " ":
            continue
        right = max(right if letter.box.width <= 0 else float("-inf"), letter.box.right)
        seen = text.replace(NON_JOINER, "")
        if seen and seen.isprintable():
            spaced.append(letter if letter.text == text else letter._replace(text=text))
    return spaced


def _is_before_kaf(letter: str, following: str) -> bool:
    """Whether a letter would be joined to the kaf or gaf behind it if both were of one word."""
    last = without_marks(letter)[0][-1:]
    joins = last.isalpha() and is_arabic(last) and not _NOT_JOINED.match(last)
    return joins and following[:1] in _KAFS and NON_JOINER not in letter


def _thin_gap(letters: Sequence[Word], size: float) -> float | None:
    """Most of the usual gap of a line from the right most of whose letters end where the next one
    begins, in font sizes; none of any other line. Letters may be set a little apart, too.
    """
    if len(letters) <= _SPACED or not any(has_from_right(letter.text) for letter in letters):
        return None
    gaps = [behind.box.left - before.box.right for before, behind in pairwise(letters)]
    within = [gap for gap in gaps if gap <= _APART * size]
    touching = sum(abs(gap) < _TOUCHING * size for gap in within)
    if touching <= max(_MOST * len(within), _SOME * len(gaps)):
        return None
    return (
        max(_THIN_GAP * size, median([g for g in gaps if g > _APART * size] or [0.0]) * _NARROWER)
        / size
    )


def font_size(letters: Sequence[Word], size_of: SizeOf) -> float:
    """The font size of a line's letters, their height where the font has another measure."""
    inked = [letter for letter in letters if not letter.text.isspace()]
    if not inked:
        return 0.0
    height = median(letter.box.height for letter in inked)
    size = size_of(inked[len(inked) // 2]) or height
    return size if height < _TALLER * size and size < _TALLER * height else height


def words_of(letters: Iterable[Word]) -> list[Word]:
    """The words that letters make in the order of reading, parted by spaces."""
    groups: list[list[Word]] = [[]]
    for letter in letters:
        if letter.text == " ":
            groups.append([])
        else:
            groups[-1].append(letter)
    return [
        Word(
            enclosing(letter.box for letter in group),
            "".join(letter.text for letter in group),
            Counter(letter.font for letter in group).most_common(1)[0][0],
        )
        for group in groups
        if group
    ]


@lru_cache(maxsize=4096)
def without_marks(text: str) -> tuple[str, str]:
    """The letters of a text, and its marks."""
    marks = [letter for letter in text if _is_mark(letter)]
    return "".join(letter for letter in text if letter not in marks), "".join(marks)


def _is_mark(text: str) -> bool:
    return unicodedata.category(text[-1]) in ("Mn", "Me")
