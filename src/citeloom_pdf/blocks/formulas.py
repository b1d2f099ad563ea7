"""Display formulas: each one block, its parts in the order in which they were set.

A parser has a fraction, a matrix or the limits of a sum as lines of their own. What belongs to one
formula stands close together, and has no line of prose in its rows.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from citeloom_pdf.blocks.rows import without_lines
from citeloom_pdf.elements.fonts import font_kind, weighted_median
from citeloom_pdf.elements.geometry import Rect, enclosing, without_nested
from citeloom_pdf.elements.page import FormulaPlaces, Line, Word
from citeloom_pdf.elements.patterns import BULLET, HEADING_NUMBER, LEADER, WITH_LIMITS, is_caption
from citeloom_pdf.elements.scripts import RAISED_FORMS, script_text, without_scripts

_NUMBER = re.compile(r"\W*\(\w{0,2}\d+([.\-]\d+)*\w?['\u2032]?\)")
_NUMBER_AT_END = re.compile(rf"(?<!\S){_NUMBER.pattern}$")
_WORD = re.compile(r"[^\W\d_]{2,}")
_NAME = re.compile(r"[^\W\d_]{4,}")
_OPENING = re.compile(r"[^\W\d_]{2,}[,.:;]?")
_LEAST_OPENING = 2  # words: a name such as `log` may open a formula
_LOOSE_ACCENT = re.compile("[\u00a8\u00af\u00b4\u02c6-\u02dd]")
_RELATION = re.compile(r"[=<>\u2208\u2248\u2264\u2265\u2261]")
_BRACKETS = frozenset("([{")
_LEAST_WORDS, _LEAST_LETTERS = 3, 12  # of a line of prose
_LETTERS = 0.5  # of the characters of prose are in words
_MATH = 0.33  # of the characters of a line are mathematical letters or signs
_SOME_MATH = 0.15  # the same, where a sign of relation stands among few words
_FEW_LETTERS = 0.25  # of the same: where only variables are set as mathematics
_BESIDE = 1.2  # of the font size: parts of one row nearer than this are one
_ABOVE = 0.6  # of the font size: the same for what stands above, as limits and fractions do
_ROW = 4.0  # of the font size: a wider space ends a row, except before its number
_RAGGED = 2.0  # of the font size: lines of prose end so far before a number at the margin
_NEXT_ROW = 0.9  # of the font size: rows nearer than this are of one formula, as in a matrix
_SAME_MIDDLE = 0.4  # of the font size: so far the middle of a word is off that of its row
_SCRIPT_ALONE = 0.8  # of a word in the box of a script: it has nothing else
_SAME_ROW = 0.4  # of the lower one's height: two lines that share more are in one row
_NEAREST = 6  # lines of prose that tell in which column something stands
_LIMITED = re.compile(
    rf"[{''.join(WITH_LIMITS)}]$"
    r"|(?<![^\W\d_])(lim ?(sup|inf)?|(arg ?)?(max|min)|sup|inf)$"
)
_UPPER = re.compile(rf"([{''.join(WITH_LIMITS)}])(\^\([^()]*\)|\^\S| \S{{1,6}}|[{RAISED_FORMS}]+)$")
_LOW = 0.8  # of the font size: the height of a limit
_WIDEST_SIGN = 1.7  # of the font size: a sum with what is set above it
_BOLD = 0.8  # of a line: what is bold is a heading
_CODE = 0.7  # of a line in a typewriter font
_LONGEST = 120  # characters: no part of a formula is longer
_LONGEST_WORDS = 50  # characters of what is said beside a case
_MARGIN = 2.0  # points: a line that begins this near to where the prose above does
_CLOSE = 0.8  # of the font size: and no farther below than this is the prose's last


@dataclass(slots=True)
class _Formula:
    """Lines that belong together, and the box around them."""

    lines: list[Line]
    box: Rect

    @property
    def size(self) -> float:
        """Its font size in points."""
        return max(line.size for line in self.lines)

    @property
    def is_numbered(self) -> bool:
        return any(_NUMBER_AT_END.search(line.text) for line in self.lines)


def find_formulas(parts: Sequence[Line], lines: Iterable[Line]) -> list[list[Line]]:
    """The parts of each display formula, in the order in which the page has them.

    `parts` are the pieces of lines as the parser has them, in its order, and `lines` those joined.
    """
    prose = _prose_among(list(lines))
    loose = [
        part
        for part in parts
        if _may_be_part(part) and not any(part.box.lies_in(line.box) for line in prose)
    ]
    numbers = [part for part in loose if _NUMBER.fullmatch(part.text)]
    near = _joined([_formula([part]) for part in loose if part not in numbers], _are_near)
    rows = _joined(near, lambda row, other: _are_in_row(row, other, prose))
    formulas = [row for row in rows if _is_formula(row, numbers, prose)]
    short = [part for part in parts if formulas and len(part.text) <= _LONGEST_WORDS]
    words = [part for part in short if _is_prose(part)]
    # what is said beside each case of a formula belongs to it
    for line in words:
        for formula in formulas:
            behind = formula.box.left < line.box.left and _are_in_row(
                formula, _formula([line]), prose
            )
            within = formula.box.top - 1 <= line.box.middle_y <= formula.box.bottom + 1
            if behind and within:
                formula.lines.append(line)
                formula.box = formula.box.union(line.box)
                break
    # a number belongs to the formula in its row that is nearest to the left, or else the right
    for number in numbers:
        level = [formula for formula in formulas if formula.box.shared_height(number.box) > 0]
        level = [formula for formula in level if _reaches(formula, number, prose)]
        level = level or [formula for formula in formulas if _is_below(number, formula, prose)]
        if level:
            nearest = min(level, key=lambda formula: _distance(number, formula))
            nearest.lines.append(number)
            nearest.box = nearest.box.union(number.box)
    order = {id(part): index for index, part in enumerate(parts)}
    return [
        sorted(formula.lines, key=lambda part: order[id(part)])
        for formula in _joined(formulas, _is_next_row)
    ]


def parts_with_limits(lines: Sequence[Line]) -> list[str]:
    """The parts of a formula, with what is set below a sum, a maximum or the like, and above it, as
    its limits: `n∑` and `k=1` are `∑ₖ₌₁ⁿ`.
    """
    texts: list[str] = []
    size = weighted_median((line.size, len(line.text)) for line in lines)
    upper: Line | None = None
    for line in lines:
        if upper is not None and _is_limit(line, upper, size):
            texts[-1] = _limited(texts[-1], line.text, upper, size)
        else:
            texts.append(line.text)
            upper = line if _takes_limit(line, size) else None
    return texts


def _takes_limit(line: Line, size: float) -> bool:
    """Whether a line ends with a sign that may have a limit below it."""
    return _LIMITED.search(line.text) is not None or _has_upper_limit(line, size)


def are_in_rows(lines: Sequence[Line], places: FormulaPlaces) -> bool:
    """Whether the parts of a formula, some of them set as mathematics, follow one another in a row
    or in several with a sign of relation each, but for its number, and so do the words of each; no
    accent is beside its letter. What is stacked counts as one word.
    """
    if not any(line.style.math > 0 for line in lines) or _LOOSE_ACCENT.search(
        "".join(line.text for line in lines)
    ):
        return False
    size = weighted_median((line.size, len(line.text)) for line in lines)
    block = enclosing(line.box for line in lines).grown(size, size)
    stacked = without_nested(box for box in places.stacked if box.lies_in(block))
    scripts = [box for box in places.scripts if box.lies_in(block)]
    rows: list[list[_Unit]] = [[]]
    for line in _without_limits(lines, size):
        is_number = _NUMBER.fullmatch(line.text) is not None
        for unit in _units(line, stacked, scripts):
            row = rows[-1]
            if row and unit.whole is not None and unit.whole == row[-1].whole:
                continue
            if row and not is_number and _begins_row(unit.box, [each.box for each in row]):
                rows.append([])
            rows[-1].append(unit._replace(is_level=unit.is_level and not is_number))
    several = len(rows) > 1
    return all(
        _is_row(row, size) and (not several or _RELATION.search("".join(unit.text for unit in row)))
        for row in rows
    )


class _Unit(NamedTuple):
    """A word of a formula, or a stacked part of it as a `whole`; its middle is in its row if it
    `is_level`.
    """

    box: Rect
    text: str
    is_level: bool
    whole: Rect | None


def _units(line: Line, stacked: Sequence[Rect], scripts: Sequence[Rect]) -> Iterator[_Unit]:
    for word in line.words:
        # the box of a word over both parts of a fraction may end before it begins
        whole = next((box for box in stacked if _has_middle(box, word.box)), None)
        if whole is not None:
            yield _Unit(whole, word.text, False, whole)
        elif not any(word.box.lies_in(box, _SCRIPT_ALONE) for box in scripts):
            yield _Unit(word.box, word.text, True, None)


def _has_middle(box: Rect, word: Rect) -> bool:
    return box.left <= word.middle_x <= box.right and box.top <= word.middle_y <= box.bottom


def _without_limits(lines: Sequence[Line], size: float) -> list[Line]:
    """The lines without those that are limits of the sign which ends the line before."""
    kept: list[Line] = []
    for line in lines:
        upper = kept[-1] if kept else None
        if not (upper and _takes_limit(upper, size) and _is_limit(line, upper, size)):
            kept.append(line)
    return kept


def _begins_row(box: Rect, row: Sequence[Rect]) -> bool:
    """Whether a word stands below all of a row, and begins before its end."""
    before = enclosing(row)
    return box.top >= before.bottom - 1 and box.left < row[-1].left


def _is_row(row: Sequence[_Unit], size: float) -> bool:
    boxes = [unit.box for unit in row]
    level = [box for unit, box in zip(row, boxes) if unit.is_level]
    middle = median(box.middle_y for box in level) if level else 0.0
    return all(map(_follows, boxes, boxes[1:])) and all(
        abs(box.middle_y - middle) <= _SAME_MIDDLE * size or box.top < middle < box.bottom
        for box in level
    )


def is_beside(box: Rect, size: float, others: Sequence[Line], prose: Sequence[Line]) -> bool:
    """Whether other lines stand beside a box within the nearest prose that is as wide, as in the
    rows of a table, or no prose is.
    """
    column = [
        line.box
        for line in prose
        if line.box.left <= box.left + size
        and line.box.right >= box.right - _RAGGED * size
        and not line.box.lies_in(box)
        and _is_prose(line)
    ]
    nearest = max(column, key=box.shared_height, default=None)
    return nearest is None or any(
        _are_level(box, line.box) and line.box.shared_width(nearest) > 0 for line in others
    )


def _follows(box: Rect, other: Rect) -> bool:
    """Whether a word ends where another begins or before that."""
    return other.left >= box.middle_x and other.middle_x >= box.right


def _has_upper_limit(line: Line, size: float) -> bool:
    """Whether a line ends with a sign and what is raised beside it, as the limit of an integral."""
    found = _UPPER.search(line.text)
    if found is None:
        return False
    return not found[2][0].isspace() or line.words[-1].box.height <= _LOW * size


def _is_limit(line: Line, upper: Line, size: float) -> bool:
    """Whether a low line stands below the end of another, which may have a limit."""
    sign = upper.words[-1].box if upper.words else upper.box
    below = line.box.top >= upper.box.middle_y and line.box.height <= _LOW * size
    return below and sign.left - size <= line.box.middle_x <= sign.right + size


def _limited(text: str, lower: str, upper: Line, size: float) -> str:
    """A text that ends with a sign, maybe with its upper limit before it, with its lower limit."""
    below = script_text(lower, raised=False)
    if found := _UPPER.search(text):
        raised = found[2].strip()
        above = script_text(raised, raised=True) if found[2][0].isspace() else raised
        return f"{text[: found.start()]}{found[1]}{below}{above}"
    above = text.rsplit(maxsplit=1)[-1][:-1]
    is_over = bool(upper.words) and upper.words[-1].box.width <= _WIDEST_SIGN * size
    if text[-1] not in WITH_LIMITS or not above or not is_over:
        return f"{text}{below}"
    return f"{text[: -len(above) - 1]}{text[-1]}{below}{script_text(above, raised=True)}"


def _formula(lines: list[Line]) -> _Formula:
    return _Formula(lines, enclosing(line.box for line in lines))


def _prose_among(lines: Sequence[Line]) -> list[Line]:
    """The lines of words, and those that begin with words where a line of words does."""
    prose = [line for line in lines if _is_prose(line)]
    starts = sorted(line.box.left for line in prose)
    others = filter(_may_go_on, without_lines(lines, prose))
    return [*prose, *(line for line in others if _is_near(line.box.left, starts))]


def _is_near(place: float, starts: Sequence[float]) -> bool:
    at = bisect_left(starts, place - _MARGIN)
    return at < len(starts) and starts[at] <= place + _MARGIN


def _may_go_on(line: Line) -> bool:
    """Whether a line begins with words or, as a part of a sentence does, with a small word that is
    no name of a formula such as `limsup`: `where x is`.
    """
    first = line.words[0].text if len(line.words) >= _LEAST_WORDS else ""
    is_word = first.islower() and _NAME.fullmatch(first) and not _LIMITED.search(first)
    return bool(is_word) or begins_with_words(line)


def begins_with_words(line: Line) -> bool:
    """Whether its first words are no part of a formula, whatever follows them."""
    first = line.words[:_LEAST_OPENING]
    return len(first) == _LEAST_OPENING and all(
        _OPENING.fullmatch(without_scripts(word.text)) and not font_kind(word.font).math
        for word in first
    )


def _is_prose(line: Line) -> bool:
    """Whether a line is mostly words; one long word is prose where no spaces part them."""
    if line.style.math > _MATH or _opens_with_bracket(line):
        return False
    words = _WORD.findall(without_scripts(line.text))
    letters = sum(map(len, words))
    several = len(words) >= _LEAST_WORDS or letters >= _LEAST_LETTERS
    return several and letters >= _LETTERS * len(line.text.replace(" ", ""))


def _may_be_part(line: Line) -> bool:
    if len(line.text) > _LONGEST or _is_prose(line):
        return False
    if LEADER.search(
        line.text
    ):  # an entry of contents, whose leaders are set in a font of formulas
        return False
    if line.style.math <= _MATH and BULLET.match(line.text):
        return False
    heavy = line.style.bold > _BOLD or _opens_in_bold(line) or _is_bold_heading(line)
    code = line.style.mono > _CODE and not line.text.endswith("=")
    return not (heavy or code or is_caption(line.text))


def _is_bold_heading(line: Line) -> bool:
    """Whether it is a numbered heading, with a word and all bold but for its formulas."""
    named = HEADING_NUMBER.match(line.text) is not None and _NAME.search(line.text) is not None
    return named and line.style.bold > _BOLD * (1 - line.style.math)


def _opens_in_bold(line: Line) -> bool:
    """Whether it begins with a bold word, as a heading or a step of an algorithm does."""
    first = line.words[0] if line.words else None
    return (
        first is not None
        and font_kind(first.font).bold
        and _OPENING.fullmatch(first.text) is not None
    )


def _joined(
    formulas: Iterable[_Formula], belong: Callable[[_Formula, _Formula], bool]
) -> list[_Formula]:
    """The formulas, those that belong together as one."""
    groups: list[_Formula] = []
    for formula in sorted(formulas, key=lambda formula: formula.box.top):
        merged = formula
        while met := [group for group in groups if belong(group, merged)]:
            groups = [group for group in groups if group not in met]
            merged = _formula([line for group in (*met, merged) for line in group.lines])
        groups.append(merged)
    return groups


def _are_near(formula: _Formula, other: _Formula) -> bool:
    size = max(formula.size, other.size)
    if _are_level(formula.box, other.box):
        return -formula.box.shared_width(other.box) <= _BESIDE * size
    return formula.box.grown(_ABOVE * size, _ABOVE * size).touches(other.box)


def _are_in_row(formula: _Formula, other: _Formula, prose: Sequence[Line]) -> bool:
    """Whether the two stand in one row of one column, with no more than a wide space between."""
    if not _are_level(formula.box, other.box):
        return False
    gap = -formula.box.shared_width(other.box)
    return gap <= _ROW * max(formula.size, other.size) and _share_column(
        formula.box, other.box, prose
    )


def _are_level(box: Rect, other: Rect) -> bool:
    return box.shared_height(other) > _SAME_ROW * min(box.height, other.height)


def _share_column(box: Rect, other: Rect, prose: Sequence[Line], slack: float = 1.0) -> bool:
    """Whether the prose nearest to them runs over both, as it does not over two columns; it may end
    before them by the `slack`, of its font size.
    """
    both = box.union(other)
    beside = [line for line in prose if line.box.shared_width(both) > 0]
    nearest = sorted(beside, key=lambda line: -line.box.shared_height(both))[:_NEAREST]
    return any(
        line.box.left <= both.left + line.size and line.box.right >= both.right - slack * line.size
        for line in nearest
    )


def _is_formula(row: _Formula, numbers: Sequence[Line], prose: Sequence[Line]) -> bool:
    """Whether lines that belong together are mathematical, or numbered, and no part of prose."""
    length = sum(len(line.text) for line in row.lines)
    math = sum(line.style.math * len(line.text) for line in row.lines)
    mathematical = math > _MATH * length or _is_relation(row) or _has_rows_in_bracket(row)
    if not mathematical and not any(
        _are_level(row.box, number.box) and row.box.right <= number.box.left for number in numbers
    ):
        return False
    return not any(_is_in_row_of(line, row) or _ends_in(line, row) for line in prose)


def _has_rows_in_bracket(row: _Formula) -> bool:
    """Whether rows stand behind a bracket in a font of mathematics, whatever they are set in."""
    opened = [line for line in row.lines if _opens_with_bracket(line)]
    return any(
        part.box.top >= line.box.middle_y and part.box.shared_width(line.box) > 0
        for line in opened
        for part in row.lines
    )


def _opens_with_bracket(line: Line) -> bool:
    """Whether a line opens with a bracket alone, as one over several rows is."""
    first = line.words[0] if line.words else None
    return first is not None and first.text in _BRACKETS and font_kind(first.font).math


def _is_relation(row: _Formula) -> bool:
    """Whether more signs than words stand about a sign of relation, some set as mathematics; or
    hardly a word, but variables in a font of mathematics or the italics of the text.
    """
    text = "".join(line.text for line in row.lines)
    words = sum(map(len, _WORD.findall(without_scripts(text))))
    if any(line.style.math >= _SOME_MATH for line in row.lines):
        most = _LETTERS
    elif any(_is_variable(word) for line in row.lines for word in line.words):
        most = _FEW_LETTERS
    else:
        return False
    return _RELATION.search(text) is not None and words < most * len(text.replace(" ", ""))


def _is_variable(word: Word) -> bool:
    """Whether a word has letters and is set as mathematics, or in italics without two letters side
    by side.
    """
    kind = font_kind(word.font)
    is_name = _WORD.search(without_scripts(word.text)) is not None
    return any(map(str.isalpha, word.text)) and (kind.math or (kind.italic and not is_name))


def _is_in_row_of(line: Line, row: _Formula) -> bool:
    """Whether a line of prose goes on in the row; where one follows, it says when that holds."""
    near = -line.box.shared_width(row.box) <= _BESIDE * line.size
    before = line.box.left < row.box.left
    return near and before and any(_are_level(line.box, part.box) for part in row.lines)


def _ends_in(line: Line, row: _Formula) -> bool:
    """Whether the row is the last line of the paragraph above."""
    flush = abs(row.box.left - line.box.left) <= _MARGIN
    return flush and 0 <= row.box.middle_y - line.box.bottom <= (_CLOSE + 0.5) * line.size


def _reaches(formula: _Formula, number: Line, prose: Sequence[Line]) -> bool:
    near = -formula.box.shared_width(number.box) <= _ROW * number.size
    return near or _share_column(formula.box, number.box, prose, slack=_RAGGED)


def _is_below(number: Line, formula: _Formula, prose: Sequence[Line]) -> bool:
    """Whether a number stands at the margin right below a formula that left it no room."""
    gap = number.box.top - formula.box.bottom
    near = -number.size <= gap <= _CLOSE * number.size and formula.box.middle_x < number.box.left
    return near and not formula.is_numbered and _reaches(formula, number, prose)


def _distance(number: Line, formula: _Formula) -> tuple[bool, float]:
    box = formula.box
    return box.right > number.box.left, max(
        number.box.left - box.right, box.left - number.box.right
    )


def _is_next_row(formula: _Formula, other: _Formula) -> bool:
    """Whether the two are rows of one formula, of which one at most has a number."""
    upper, lower = sorted((formula, other), key=lambda formula: formula.box.top)
    gap = lower.box.top - upper.box.bottom
    below = (
        gap <= _NEXT_ROW * min(formula.size, other.size) and formula.box.shared_width(other.box) > 0
    )
    return below and not (formula.is_numbered and other.is_numbered)
