"""Figure detection: bitmaps and drawings that belong together, with their labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from citeloom.infrastructure.conversion.pdf_layout.blocks.plots import (
    find_marks,
    with_plot_labels,
)
from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import (
    Rect,
    Rule,
    without_nested,
)
from citeloom.infrastructure.conversion.pdf_layout.elements.page import Line, PageContent
from citeloom.infrastructure.conversion.pdf_layout.elements.patterns import is_caption

_MOST_PARTS = 1500
_WHOLE_PAGE = 0.92  # of the page's area: a background
_NEAR = 9.0  # points between parts of one figure
_LEAST_AREA = 0.0045  # of the page's area
_LABEL_LENGTH = 40
_FRAME = 4.0  # points: what is nearer to a drawing's side is a part of its frame
_DIAGRAM_RULES = 6
_FILLED = 0.4  # of a frame's height: lines that are as high are what it frames
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
    body = (body_size, _body_font(page.lines))
    lines = [line for line in page.lines if not any(line.box.lies_in(table) for table in tables)]
    return with_plot_labels(_with_labels(figure, lines, body_size), lines, body, page.height)


def _body_font(lines: Iterable[Line]) -> str:
    fonts = Counter[str]()
    for line in lines:
        fonts[line.style.font] += len(line.text)
    return fonts.most_common(1)[0][0] if fonts else ""


def _with_labels(figure: Rect, lines: Sequence[Line], body_size: float) -> Rect:
    """The figure extended by the short texts in it or at its edges."""
    for _ in range(3):  # a label may touch only what another label has extended
        for line in lines:
            if _is_label(line, figure, body_size):
                figure = figure.union(line.box)
    return figure


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
        boxes = _grouped_once(boxes, prose)
    return boxes


def _grouped_once(boxes: Sequence[Rect], prose: Sequence[Line]) -> list[Rect]:
    grouped: list[Rect] = []
    for box in sorted(boxes, key=lambda box: (box.top, box.left)):
        around = box.grown(_NEAR, _NEAR)
        for index, other in enumerate(grouped):
            if around.touches(other) and not _encloses_prose(box, other, prose):
                grouped[index] = box.union(other)
                break
        else:
            grouped.append(box)
    return grouped


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
    )


def _frames_prose(box: Rect, inside: Sequence[Line], body_size: float) -> bool:
    prose = [
        line
        for line in inside
        if len(line.text) > 38
        and line.box.width > 110
        and line.size > 0.85 * body_size
        and line.style.mono < 0.5
    ]
    dense = sum(line.box.area for line in prose) > 0.22 * box.area
    return (len(prose) >= 3 and dense) or len(prose) >= 8


def _frames_listing(box: Rect, inside: Sequence[Line]) -> bool:
    mono = [line for line in inside if line.style.mono > 0.6]
    filled = sum(line.box.height for line in mono) > _FILLED * box.height
    return len(mono) >= max(1, 0.6 * len(inside)) and (len(mono) >= 3 or filled)


def _is_diagram(box: Rect, rules: Sequence[Rule]) -> bool:
    """Whether there are vertical rules inside, as in the boxes of a diagram."""
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
