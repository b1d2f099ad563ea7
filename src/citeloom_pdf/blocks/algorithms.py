"""Algorithms: steps set in the fonts of the text, with keywords in bold or numbers before them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from citeloom_pdf.blocks.listings import CodeListing, RowPiece, are_ruled_off, code_rows, is_code
from citeloom_pdf.elements.fonts import font_kind
from citeloom_pdf.elements.geometry import Rect, Rule, enclosing
from citeloom_pdf.elements.page import Line, Word

_KEYWORD = re.compile(
    r"(for(each|all)?|while|if|else(if)?|elif|end\w*|return|repeat|until|function|procedure|loop|do"
    r"|break|continue|require|ensure|input|output|data|result)\b:?",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"(for|while|if|else|function|procedure|repeat|loop)", re.IGNORECASE)
_STEP_NUMBER, _COUNTED = re.compile(r"\d{1,3}:?"), re.compile(r"\d{1,3}:")
_NUMBERED = re.compile(r"(\d{1,3}):?(?!\S)")
_LEAST_STEPS, _LEAST_NUMBERED = 3, 2  # that open with a keyword, and behind numbers with colons
_NEAR_STEPS = 6.0  # of the font size: steps farther apart are of two algorithms
_DEEPEST = 15.0  # of the font size: how far a step is indented
_NEXT_STEP = 3.0  # of the font size: the step with the next number is no farther, lines between
_OUTDENT = 3.0  # of the font size: how far the text around, or a number, begins before the steps
_INDENT = 0.3  # of the font size: steps that begin nearer than this are of one level


def find_algorithms(lines: Sequence[Line], rules: Sequence[Rule] = ()) -> list[CodeListing]:
    """The algorithms among the lines of a page, each step a row that is indented as it is printed.

    Steps open with a keyword in bold or behind a number, and one of them begins or ends a block. A
    horizontal rule parts two algorithms.
    """
    steps = sorted((line for line in lines if _opens_step(line)), key=lambda line: line.box.top)
    groups: list[list[Line]] = []
    for step in steps:
        near = next((group for group in groups if _are_of_one(group, step, rules)), None)
        if near is None:
            groups.append([step])
        else:
            near.append(step)
    found = []
    for group in groups:
        least = _LEAST_NUMBERED if all(map(_is_numbered, group)) else _LEAST_STEPS
        if len(group) >= least and any(map(_is_of_block, group)):
            algorithm = _with_numbered(group, lines)
            found.append(CodeListing(tuple(algorithm), _steps(algorithm)))
    return found


def _words_of_step(line: Line) -> tuple[Word, ...]:
    """The words of a line behind the number of a step."""
    numbered = len(line.words) > 1 and _STEP_NUMBER.fullmatch(line.words[0].text)
    return line.words[1:] if numbered else line.words


def _opens_step(line: Line) -> bool:
    words = _words_of_step(line)
    if not words or not _KEYWORD.fullmatch(words[0].text) or is_code(line):
        return False
    return _is_numbered(line) or font_kind(words[0].font).bold


def _is_numbered(step: Line) -> bool:
    return len(step.words) > 1 and _COUNTED.fullmatch(step.words[0].text) is not None


def _is_of_block(step: Line) -> bool:
    """Whether a step begins a block, with `do` or `then` at its end, or ends one."""
    words = [word.text.casefold() for word in _words_of_step(step)]
    if words[0].startswith("end") and len(words) <= _LEAST_STEPS:
        return True
    return _BEGINS.match(words[0]) is not None and words[-1] in ("do", "then", "else")


def _are_of_one(group: Sequence[Line], step: Line, rules: Sequence[Rule]) -> bool:
    last, size = group[-1], step.size
    near = step.box.top - last.box.bottom <= _NEAR_STEPS * size
    beside = abs(step.box.left - group[0].box.left) <= _DEEPEST * size
    return near and beside and not are_ruled_off(last.box, step.box, rules)


def _with_numbered(steps: Sequence[Line], lines: Sequence[Line]) -> list[Line]:
    """All that stands between the first and the last step, and the numbered steps next to them."""
    size = median(step.size for step in steps)
    left = min(step.box.left for step in steps)
    # the text of the column begins where the steps do
    column = [line for line in lines if abs(line.box.left - left) <= _OUTDENT * size]
    right = max(line.box.right for line in column)
    whole = enclosing(step.box for step in steps)
    numbered = {int(match[1]): line for line in column if (match := _NUMBERED.match(line.text))}
    inside = [n for n, line in numbered.items() if whole.shared_height(line.box) > 0]
    for first, step in ((min(inside, default=0), -1), (max(inside, default=0), 1)):
        at = first + step
        while (line := numbered.get(at)) and inside and _is_next(line, whole, step):
            whole, at = whole.union(line.box), at + step
    return [
        line
        for line in lines
        if whole.top <= line.box.middle_y <= whole.bottom
        and line.box.right <= right + 1
        and (
            line.box.left >= left - 1
            or (line.box.left >= left - _OUTDENT * size and _STEP_NUMBER.fullmatch(line.text))
        )
    ]


def _is_next(line: Line, steps: Rect, direction: int) -> bool:
    """Whether a line stands right above or below steps."""
    beyond = (line.box.middle_y - steps.middle_y) * direction > 0
    return beyond and -steps.shared_height(line.box) <= _NEXT_STEP * line.size


def _steps(lines: Sequence[Line]) -> tuple[str, ...]:
    """The rows of an algorithm, their numbers first, each level indented by two spaces."""
    rows = code_rows([_step_piece(line) for line in lines])
    numbers = [
        row[0].text if len(row) > 1 and _STEP_NUMBER.fullmatch(row[0].text) else "" for row in rows
    ]
    texts = [row[1:] if number else row for number, row in zip(numbers, rows)]
    size = median(line.size for line in lines)
    levels: list[float] = []
    for left in sorted(row[0].box.left for row in texts):
        if not levels or left - levels[-1] > _INDENT * size:
            levels.append(left)
    width = max(map(len, numbers))
    return tuple(
        f"{number:>{width}}{' ' * bool(width)}"
        + "  " * (sum(level <= row[0].box.left for level in levels) - 1)
        + " ".join(word.text for word in row)
        for number, row in zip(numbers, texts)
    )


def _step_piece(line: Line) -> RowPiece:
    words = _words_of_step(line)
    if len(words) == len(line.words):
        return RowPiece(line.box.middle_y, line.box.height, [Word(line.box, line.text, "")])
    number, rest = line.text.split(maxsplit=1)
    box = line.box._replace(left=words[0].box.left)
    pair = [Word(line.words[0].box, number, ""), Word(box, rest, "")]
    return RowPiece(line.box.middle_y, line.box.height, pair)
