"""Figure detection: bitmaps and drawings that belong together, with their labels."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from unicodedata import east_asian_width

from citeloom_pdf.elements.fonts import font_family
from citeloom_pdf.elements.geometry import Rect, Rule, enclosing, without_nested
from citeloom_pdf.elements.page import Line, PageContent, Word
from citeloom_pdf.elements.patterns import is_caption

# Plots: the labels around their frames, and markers that are set as letters.

_LABEL_LENGTH = 40  # characters: a longer text is no label
_LABEL_REACH = 2.0  # of the label's size: how far it stands from the plot
_SMALL = 0.93  # of the body's size
_LARGE, _HEAVY = 1.05, 0.9  # of the body's size, and of a line: so large and bold is a heading
_CODE = 0.7  # of a line in a typewriter font
_INDENT = 8.0  # of the font size: how far in a line of a listing begins
_NEXT = 0.6  # of the font size: how far below a line of text the next one is
_FLUSH = 2.0  # points
_MOST_INDENTED = 2.5  # of the font size: how far in the first line of a paragraph begins
_EDGE = 0.07  # of the page's height: what is nearer to an edge is its running header or footer
_NUMBERS = re.compile(r"[-\u2212+]?[\d.,\u00b7]+(?:[eE][-+\u2212]?\d+|%|\u2009?[kMG])?")
_ROUNDS = 5  # a label may stand beside what only another label has extended
# of a grid's area at most is text, and so many numbers at least along each axis: a plot's panel
_PANEL_TEXT, _PANEL_NUMBERS = 0.08, 2
_CELL = 30.0  # points: markers farther apart are not of one plot
_LEAST_MARKS = 25  # a plot has so many markers at least
_LEAST_PLACES = 9  # across and down: fewer are a table's columns or a list's bullets
_SAME_MARK = 0.4  # of the markers are the same
_SCATTERED = 0.3  # of the markers have a height of their own


def with_plot_labels(
    figure: Rect, lines: Sequence[Line], body: tuple[float, str], page_height: float
) -> Rect:
    """The figure extended by the numbers along its axes, and by the small or foreign texts around.

    `body` is the size and the font of the page's body text.
    """
    candidates = [line for line in lines if _is_axis_label(line, body, page_height)]
    for _ in range(_ROUNDS):
        near = [
            line
            for line in candidates
            if _is_beside(line, figure) and not _is_of_text(line, lines, body[0])
        ]
        if not near:
            break
        candidates = [line for line in candidates if line not in near]
        figure = enclosing([figure, *(line.box for line in near)])
    return figure


def _is_axis_label(line: Line, body: tuple[float, str], page_height: float) -> bool:
    size, font = body
    if len(line.text) > _LABEL_LENGTH or is_caption(line.text):
        return False
    if line.size > 1.3 * size and not line.rotated:
        return False
    if line.size > _LARGE * size and line.style.bold > _HEAVY:
        return False
    if not _EDGE * page_height < line.box.middle_y < (1 - _EDGE) * page_height:
        return False
    foreign = bool(line.style.font) and font_family(line.style.font) != font_family(font)
    return _is_numeric(line.text) or line.rotated or line.size < _SMALL * size or foreign


def _is_of_text(line: Line, lines: Iterable[Line], body_size: float) -> bool:
    """Whether the line stands in a listing, or is the last one of a paragraph."""
    code = line.style.mono > _CODE
    return any(
        (other.style.mono > _CODE and _follow(other, line))
        if code
        else (_ends(other, line) and _is_prose(other, body_size))
        for other in lines
        if other is not line
    )


def _follow(line: Line, other: Line) -> bool:
    """Whether two lines are next to each other, one below the other."""
    gap = -line.box.shared_height(other.box)
    near = abs(line.box.left - other.box.left) <= _INDENT * line.size
    return near and -0.5 * line.size < gap <= _NEXT * line.size


def _ends(prose: Line, line: Line) -> bool:
    """Whether a line stands below one of prose, which may be the first of its paragraph."""
    below = 0 <= line.box.middle_y - prose.box.bottom <= (_NEXT + 0.5) * line.size
    indented = prose.box.left - line.box.left
    return below and -_FLUSH <= indented <= max(_FLUSH, _MOST_INDENTED * line.size)


def _is_prose(line: Line, body_size: float) -> bool:
    length = len(line.text)
    if not line.text.isascii():  # a letter of Chinese, Japanese or Korean counts as two
        length += sum(east_asian_width(letter) in "WF" for letter in line.text)
    long = length > 38 and line.box.width > 110
    return long and line.size > 0.85 * body_size and line.style.mono < 0.5


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


_MOST_PARTS = 1500  # the largest parts of a page that are looked at
_WHOLE_PAGE = 0.92  # of the page's area: a background
_NEAR = 9.0  # points between parts of one figure
_LEAST_AREA = 0.0045  # of the page's area
_FRAME = 4.0  # points: what is nearer to a drawing's side is a part of its frame
_DIAGRAM_RULES = 6  # vertical rules inside a frame that make it a diagram
_FILLED = 0.4  # of a frame's height: lines that are as high are what it frames
# of a box of rules: with those of its head and its foot, one part of it may be empty
_MORE_RULES = 2
_LEAST_BOX = 4  # lines and rules across: one line between two rules is a logo or a label
_WHOLE = 0.9  # of the side of a box: a shorter rule is an axis, a tick or the bar of a fraction
_WIDE_FRAME = 20.0  # of the body's size: a narrower frame may be a part of a diagram
# of the body's size: how far in lines begin in their frame, and how far each is from the next
_BEGUN_IN, _LOOSE = 3.0, 2.5
# points: what is narrower or lower is no part of a figure
_LEAST_BITMAP, _LEAST_DRAWING = 18.0, 6.0


def find_figures(page: PageContent, tables: Sequence[Rect], body_size: float) -> list[Rect]:
    """The boxes of the page's figures with their labels, none inside another."""
    parts = [*_parts(page), *find_marks(page.lines)]
    parts = [part for part in parts if not any(part.lies_in(table) for table in tables)]
    parts = sorted(parts, key=lambda part: part.area, reverse=True)[:_MOST_PARTS]
    lines = [line for line in page.lines if not line.rotated]
    figures = [
        with_all_labels(box, page, tables, body_size)
        for box in _grouped(parts, lines)
        if _is_figure(box, page, lines, body_size)
    ]
    return without_nested(figures, 0.6)


def with_all_labels(
    figure: Rect, page: PageContent, tables: Sequence[Rect], body_size: float
) -> Rect:
    """The figure with the short texts at its edges, and the axes of a plot; no part of a table."""
    fonts = Counter[str]()
    for line in page.lines:
        fonts[line.style.font] += len(line.text)
    body = (body_size, fonts.most_common(1)[0][0] if fonts else "")
    lines = [line for line in page.lines if not any(line.box.lies_in(table) for table in tables)]
    for _ in range(3):  # a label may touch only what another label has extended
        for line in lines:
            if _is_label(line, figure, body_size) and not _is_of_text(line, lines, body_size):
                figure = figure.union(line.box)
    return with_plot_labels(figure, lines, body, page.height)


def _parts(page: PageContent) -> Iterable[Rect]:
    for boxes, least in ((page.bitmaps, _LEAST_BITMAP), (page.drawings, _LEAST_DRAWING)):
        for box in boxes:
            part = box.clipped(page.width, page.height)
            if part.width > least and part.height > least and part.area < _WHOLE_PAGE * page.area:
                yield part


def _grouped(parts: Sequence[Rect], lines: Sequence[Line]) -> list[Rect]:
    """Neighbouring parts merged, as long as no prose ends up inside."""
    prose = [line for line in lines if line.box.width > 120 and len(line.text) > 45]
    boxes, count = list(parts), len(parts) + 1
    while len(boxes) < count:
        count = len(boxes)
        grouped: list[Rect] = []
        for box in sorted(boxes, key=lambda box: (box.top, box.left)):
            around = box.grown(_NEAR, _NEAR)
            for index, other in enumerate(grouped):
                if around.touches(other) and not _encloses_prose(box, other, prose):
                    grouped[index] = box.union(other)
                    break
            else:
                grouped.append(box)
        boxes = grouped
    return boxes


def _encloses_prose(first: Rect, second: Rect, prose: Sequence[Line]) -> bool:
    both = first.union(second)
    return any(
        line.box.lies_in(both, 0.6) and not line.box.touches(first) and not line.box.touches(second)
        for line in prose
    )


def _is_figure(box: Rect, page: PageContent, lines: Sequence[Line], body_size: float) -> bool:
    """A drawing large enough that is not the frame of a text, a listing or a heading."""
    if box.width < 32 or box.height < 24 or box.area < _LEAST_AREA * page.area:
        return False
    if box.height < 30 and box.width > 0.7 * page.width:
        return False
    inside = [line for line in lines if line.box.lies_in(box, 0.6)]
    return not (
        _frames_prose(box, inside, body_size)
        or (_frames_listing(box, inside) and not _is_diagram(box, page.vertical))
        or _backs_heading(box, inside)
        or _frames_lines(box, page, inside, body_size)
    )


def _frames_prose(box: Rect, inside: Sequence[Line], body_size: float) -> bool:
    prose = [line for line in inside if _is_prose(line, body_size)]
    dense = sum(line.box.area for line in prose) > 0.22 * box.area
    framed = len(prose) >= 3 or len(prose) == len(inside)
    return (framed and dense) or len(prose) >= 8


def _frames_listing(box: Rect, inside: Sequence[Line]) -> bool:
    mono = [line for line in inside if line.style.mono > 0.6]
    filled = sum(line.box.height for line in mono) > _FILLED * box.height
    return len(mono) >= max(1, 0.6 * len(inside)) and (len(mono) >= 3 or filled)


def _frames_lines(box: Rect, page: PageContent, inside: Sequence[Line], body_size: float) -> bool:
    """Whether lines, however short, begin at the left side of a wide frame or a box of rules and go
    down to its foot, none beside another, with nothing drawn around them but the frame and what is
    behind them.
    """
    rows = sorted((line.box for line in inside), key=lambda row: row.top)
    across = _rules_across(box, page)
    is_box = 0 < len(across) <= len(rows) + _MORE_RULES and len(rows) + len(across) >= _LEAST_BOX
    if not rows or not (is_box or box.width >= _WIDE_FRAME * body_size):
        return False
    parts = across if is_box else ()
    down = sorted((box.top, *(row.bottom for row in rows), *parts, box.bottom))
    if (
        min(row.left for row in rows) - box.left > _BEGUN_IN * body_size
        or max(below - above for above, below in pairwise(down)) > _LOOSE * body_size
        or any(upper.is_level(lower) for upper, lower in pairwise(rows))
    ):
        return False
    within = box.grown(-_FRAME, 0)
    drawn = [part for part in page.drawings if part.lies_in(box)]
    rules = [rule for rule in page.vertical if rule.shared(box.top, box.bottom) > 0]
    places = (*(rule.at for rule in rules), *(side for part in drawn for side in part[::2]))
    return not (
        any(bitmap.touches(box) for bitmap in page.bitmaps)
        or any(within.left < place < within.right for place in places)
    )


def _rules_across(box: Rect, page: PageContent) -> Sequence[float]:
    """The places of the rules across a box, its head and its foot among them, if there are rules
    along all its sides, and every rule within it goes from one side to the other.
    """
    across = _ruled_places(page.horizontal, (box.top, box.bottom), (box.left, box.right))
    down = _ruled_places(page.vertical, (box.left, box.right), (box.top, box.bottom))
    return across if down else ()


def _ruled_places(
    rules: Sequence[Rule], between: tuple[float, float], ends: tuple[float, float]
) -> Sequence[float]:
    """The places of the rules between two sides of a box, if two of them are these sides, and all
    go from one end of the sides to the other.
    """
    (first, last), (start, end) = between, ends
    near = [rule for rule in rules if first - _FRAME < rule.at < last + _FRAME]
    shared = {rule.at: rule.shared(start, end) for rule in near if rule.shared(start, end) > 0}
    whole = all(length > _WHOLE * (end - start) for length in shared.values())
    if whole and shared and min(shared) < first + _FRAME and max(shared) > last - _FRAME:
        return [*shared]
    return ()


def _is_diagram(box: Rect, rules: Sequence[Rule]) -> bool:
    within = box.grown(-_FRAME, 0)
    inside = [
        rule
        for rule in rules
        if within.left < rule.at < within.right and box.top < rule.start and rule.end < box.bottom
    ]
    return len(inside) >= _DIAGRAM_RULES


def _backs_heading(box: Rect, inside: Sequence[Line]) -> bool:
    text = sum(line.box.area for line in inside)
    return 0 < len(inside) <= 2 and text > 0.45 * box.area


def _is_label(line: Line, figure: Rect, body_size: float) -> bool:
    short = len(line.text) <= _LABEL_LENGTH and line.size <= body_size * 1.05
    if not (short or line.rotated) or is_caption(line.text):
        return False
    within = line.box.left > figure.left - 30 and line.box.right < figure.right + 30
    return within and line.box.lies_in(figure.grown(4, 5), 0.35)
