"""Plots: the labels around their frames, and markers that are set as letters."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from citeloom.infrastructure.conversion.pdf_layout.elements.fonts import bare_name, font_family
from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect, enclosing
from citeloom.infrastructure.conversion.pdf_layout.elements.page import Line, Word
from citeloom.infrastructure.conversion.pdf_layout.elements.patterns import is_caption

_LABEL_LENGTH = 40
_LABEL_REACH = 2.0  # of the label's size: how far it stands from the plot
_SMALL = 0.93  # of the body's size
_EDGE = 0.07  # of the page's height: what is nearer to an edge is its running header or footer
_NUMBERS = re.compile(r"[-\u2212+]?[\d.,\u00b7]+(?:[eE][-+\u2212]?\d+|%|\u2009?[kMG])?")
_SYMBOL_FONT = re.compile(r"dingbat|symbol|wingding|marvosym|msam|msbm|webdings", re.IGNORECASE)
_ROUNDS = 5
_PANEL_TEXT, _PANEL_NUMBERS = 0.08, 2
_CELL = 30.0  # points: markers farther apart are not of one plot
_LEAST_MARKS = 25
_LEAST_PLACES = 9  # across and down: fewer are a table's columns or a list's bullets
_SAME_MARK = 0.4
_SCATTERED = 0.3  # of the markers have a height of their own


def with_plot_labels(
    figure: Rect, lines: Sequence[Line], body: tuple[float, str], page_height: float
) -> Rect:
    """The figure extended by the numbers along its axes, and by the small or foreign texts around.

    `body` is the size and the font of the page's body text.
    """
    candidates = [line for line in lines if _is_label(line, body, page_height)]
    for _ in range(_ROUNDS):
        near = [line for line in candidates if _is_beside(line, figure)]
        if not near:
            break
        candidates = [line for line in candidates if line not in near]
        figure = enclosing([figure, *(line.box for line in near)])
    return figure


def _is_label(line: Line, body: tuple[float, str], page_height: float) -> bool:
    size, font = body
    if len(line.text) > _LABEL_LENGTH or is_caption(line.text):
        return False
    if line.size > 1.3 * size and not line.rotated:
        return False
    if not _EDGE * page_height < line.box.middle_y < (1 - _EDGE) * page_height:
        return False
    foreign = bool(line.style.font) and font_family(line.style.font) != font_family(font)
    return _is_numeric(line.text) or line.rotated or line.size < _SMALL * size or foreign


def _is_beside(line: Line, figure: Rect) -> bool:
    """Whether the line is at one side of the figure, and does not stick out along that side."""
    reach = _LABEL_REACH * min(line.size or 8.0, line.box.width, line.box.height)
    around = figure.grown(reach, reach)
    if not line.box.touches(around):
        return False
    across = line.box.shared_width(figure) >= 0.5 * line.box.width
    down = line.box.shared_height(figure) >= 0.5 * line.box.height
    corner = line.box.width <= 4 * reach and line.box.lies_in(around.grown(reach, reach), 0.9)
    return across or down or corner


def is_panel(box: Rect, lines: Sequence[Line]) -> bool:
    """Whether a grid of rules is that of plots: nearly empty, with numbers along both axes."""
    inside = sum(line.box.area for line in lines if line.box.lies_in(box))
    if inside > _PANEL_TEXT * box.area:
        return False
    numbers = [
        line.box
        for line in lines
        if _is_numeric(line.text) and not line.box.lies_in(box) and _is_beside(line, box)
    ]
    along = sum(number.shared_width(box) > 0 for number in numbers)
    return min(along, len(numbers) - along) >= _PANEL_NUMBERS


def _is_numeric(text: str) -> bool:
    return all(_NUMBERS.fullmatch(word) for word in text.split())


def find_marks(lines: Iterable[Line]) -> list[Rect]:
    """The areas over which one letter or symbols of a font of symbols are scattered."""
    marks = [mark for line in lines for mark in _marks(line)]
    if len(marks) < _LEAST_MARKS:
        return []
    return [
        enclosing(word.box for word in cluster)
        for cluster in _clusters(marks)
        if _are_scattered(cluster)
    ]


def _marks(line: Line) -> list[Word]:
    words = line.words or (Word(line.box, line.text, line.style.font),)
    return [word for word in words if _is_mark(word)]


def _is_mark(word: Word) -> bool:
    if _SYMBOL_FONT.search(bare_name(word.font)):
        return True
    return len(set(word.text)) == 1 and not word.text[0].isdigit() and word.text[0] not in ".,-"


def _clusters(marks: Sequence[Word]) -> list[list[Word]]:
    """The marks in groups of neighbouring squares of the page."""
    squares: dict[tuple[int, int], list[Word]] = defaultdict(list)
    for mark in marks:
        squares[int(mark.box.middle_x // _CELL), int(mark.box.middle_y // _CELL)].append(mark)
    clusters = []
    while squares:
        waiting, cluster = [next(iter(squares))], []
        while waiting:
            x, y = waiting.pop()
            cluster += squares.pop((x, y), [])
            waiting += [
                (x + right, y + down)
                for right in (-1, 0, 1)
                for down in (-1, 0, 1)
                if (x + right, y + down) in squares
            ]
        clusters.append(cluster)
    return clusters


def _are_scattered(cluster: Sequence[Word]) -> bool:
    if len(cluster) < _LEAST_MARKS:
        return False
    usual = Counter(word.text[0] for word in cluster).most_common(1)[0][1]
    across = len({round(word.box.left) for word in cluster})
    down = len({round(word.box.middle_y) for word in cluster})
    return (
        usual >= _SAME_MARK * len(cluster)
        and min(across, down) >= _LEAST_PLACES
        and down >= min(_SCATTERED * len(cluster), 2 * _LEAST_MARKS)
    )
