"""Reading order of a document's blocks, with split paragraphs merged."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise
from typing import NamedTuple

from docling.models.postprocessing.reading_order_rb import PageElement, ReadingOrderPredictor
from docling_core.types.doc.base import CoordOrigin, Size
from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import BODY, FURNITURE, LayoutBlock, PageLayout
from citeloom_pdf.elements.direction import weight
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.patterns import LIST_MARK, REFERENCE_MARK, is_caption

# Reading order within a page: down each column, across where a block spans columns.

# columns stand side by side for three lines at least; an equation and its number do not
_LEAST_SIDE_BY_SIDE = 30.0
_LEAST_GUTTER = 4.0  # points: a narrower gap is no gutter
# a block spans a gutter where this much of it lies on either side; less is an overfull line
_SPANNING_SHARE = 0.15
_MOST = 0.5  # of a column's text: where so much of it is over a gutter, there is none
_FLOATS = (DocItemLabel.TABLE, DocItemLabel.PICTURE, DocItemLabel.CAPTION)
_NARROWEST = 0.1  # of the width of all: what is narrower is no column, but a list's labels
_OTHER_PLACE = 10.0  # points between gutters of parts of a page that have other columns
_FEWER = 0.5  # of the text that spans one gutter for all spans two for a part each
_LABELS = 0.4  # of the height of the right column: labels in the left one are lower together
_LEVEL = 0.4  # of the font size: how far a label is above or below what it names
_MOST_HEAD_LINES = 3  # of a block at the head of a page
# of the largest letters below it: how far it is above them, and how large its largest are
_BELOW_HEAD, _LARGER = 1.5, 1.13


class _Gutter(NamedTuple):
    """A candidate gap between columns; the less text spans it, the better, unless most of a column
    is as overfull lines are, a little over it.
    """

    is_overrun: bool
    spanned: float
    narrowness: float
    at: float


def in_reading_order(blocks: Sequence[LayoutBlock]) -> list[LayoutBlock]:
    """The blocks of a page, or of part of one, in reading order."""
    page = _are_from_right(blocks)
    head = _head(blocks)
    taken = set(map(id, head))
    rest = [block for block in blocks if id(block) not in taken]
    return [*_in_order(head, page=page), *_in_order(rest, page=page)]


def _head(blocks: Sequence[LayoutBlock]) -> list[LayoutBlock]:
    """The short lines at the head of a page, if an empty row parts them from the rest, one is
    larger than all of it, and none stand in columns: they belong together, wherever those below
    stand.
    """
    ordered = sorted(blocks, key=lambda block: block.box.top)
    sizes = [block.style.size for block in ordered]
    below = [*accumulate(reversed(sizes), max)][::-1]
    end, bottom, largest = 0, 0.0, 0.0
    for at, (block, following) in enumerate(pairwise(ordered), 1):
        if len(block.lines) > _MOST_HEAD_LINES or block.rows:
            break
        bottom, largest = max(bottom, block.box.bottom), max(largest, block.style.size)
        is_apart = following.box.top - bottom > _BELOW_HEAD * max(below[at], 1.0)
        if is_apart and largest > _LARGER * below[at]:
            end = at
    head = ordered[:end]
    largest = max((block.style.size for block in head), default=0.0)
    titles = [block for block in head if block.style.size >= largest]
    beside = any(_in_row(one.box, other.box) for one, other in combinations(titles, 2))
    in_columns = _gutter([block for block in head if not block.is_empty_picture]) is not None
    return [] if beside or in_columns else head


def _in_order(blocks: Sequence[LayoutBlock], *, page: bool) -> list[LayoutBlock]:
    """The blocks of a part of a page, which is read from the right or not, in reading order."""
    best = _gutter(blocks) if len(blocks) > 1 else None
    if best is None:
        return _by_rows(blocks, page=page)
    if best.spanned and (parts := _parts_in_other_columns(blocks, best)):
        return [block for part in parts for block in _in_order(part, page=page)]
    gutter = best.at
    ordered: list[LayoutBlock] = []
    waiting = [block for block in blocks if not _spans(block.box, gutter)]
    for spanning in _by_rows([block for block in blocks if _spans(block.box, gutter)], page=page):
        above = [b for b in waiting if b.box.middle_y < spanning.box.middle_y]
        waiting = [b for b in waiting if b.box.middle_y >= spanning.box.middle_y]
        heading = _heading_below(above)
        columns = [block for block in above if block is not heading]
        ordered += _column_by_column(columns, gutter, page=page)
        ordered += [heading, spanning] if heading else [spanning]
    return ordered + _column_by_column(waiting, gutter, page=page)


def _heading_below(blocks: Sequence[LayoutBlock]) -> LayoutBlock | None:
    """The heading that stands below all columns: it heads what spans them next."""
    lowest = max(blocks, key=lambda block: block.box.top, default=None)
    if lowest is None or lowest.label != DocItemLabel.SECTION_HEADER:
        return None
    bottoms = [block.box.bottom for block in blocks if block is not lowest]
    return lowest if lowest.box.top >= max(bottoms, default=lowest.box.top) else None


def _parts_in_other_columns(
    blocks: Sequence[LayoutBlock], whole: _Gutter
) -> tuple[list[LayoutBlock], list[LayoutBlock]] | None:
    """The blocks above and below an empty row, if their columns stand in other places."""
    best, least = None, _FEWER * whole.spanned
    for row in sorted({block.box.top for block in blocks}):
        above = [block for block in blocks if block.box.top < row]
        if max((block.box.bottom for block in above), default=row) >= row:
            continue
        below = [block for block in blocks if block.box.top >= row]
        first, second = _gutter(above), _gutter(below)
        if first is None or second is None or abs(first.at - second.at) <= _OTHER_PLACE:
            continue
        if first.spanned + second.spanned < least:
            best, least = (above, below), first.spanned + second.spanned
    return best


def _column_by_column(
    blocks: Sequence[LayoutBlock], gutter: float, *, page: bool
) -> list[LayoutBlock]:
    left = [block for block in blocks if block.box.middle_x < gutter]
    right = [block for block in blocks if block.box.middle_x >= gutter]
    if _are_labels(left, right):
        return _by_rows(blocks, page=page)
    columns = (right, left) if _are_from_right(blocks, page=page) else (left, right)
    return [block for column in columns for block in _in_order(column, page=page)]


def _are_from_right(blocks: Iterable[LayoutBlock], *, page: bool = False) -> bool:
    """Whether most of what stands side by side is read from the right: by its letters, or as lines
    that go down the page are, and without any as its `page` is.
    """
    weights = sum(len(b.text) if b.from_right else weight(b.text) for b in blocks)
    return weights > 0 or (page and not weights)


def _are_labels(left: Sequence[LayoutBlock], right: Sequence[LayoutBlock]) -> bool:
    """Whether what stands in the left margin names what begins beside it, a piece at a time."""
    if any(block.label in _FLOATS for block in left):
        return False
    spans = sorted((block.box.top, block.box.bottom) for block in right)
    tops = [top for top, _ in spans]
    lowest = [*accumulate((bottom for _, bottom in spans), max)]
    labels = []
    for block in left:
        begun = bisect_left(tops, block.box.bottom)
        if begun and lowest[begun - 1] > block.box.top:
            labels.append(block)  # what has nothing beside it, such as a heading, is none
    if len(labels) < 2:
        return False
    level = all(_distance(block.box.top, tops) <= _LEVEL * block.style.size for block in labels)
    height, beside = (sum(block.box.height for block in side) for side in (labels, right))
    return level and height <= _LABELS * beside


def _distance(place: float, places: Sequence[float]) -> float:
    """How far the nearest of the sorted places is."""
    at = bisect_left(places, place)
    return min(abs(place - near) for near in places[max(at - 1, 0) : at + 1])


def _spans(box: Rect, at: float) -> bool:
    return min(at - box.left, box.right - at) > _SPANNING_SHARE * box.width


def _gutter(blocks: Sequence[LayoutBlock]) -> _Gutter | None:
    boxes = [block.box for block in blocks]
    texts = [block.box for block in blocks if block.label not in _FLOATS]
    best_first = sorted(_gutters(boxes, texts))
    return next((gutter for gutter in best_first if _parts_columns(boxes, gutter.at)), None)


def _gutters(boxes: Sequence[Rect], texts: Sequence[Rect]) -> Iterable[_Gutter]:
    """A candidate between each right edge and the next left edge; the fewer texts span it, the
    better, while a figure may be as wide as the page.
    """
    lefts = sorted({box.left for box in boxes})
    for right in sorted({box.right for box in boxes}):
        left = next((edge for edge in lefts if edge >= right + _LEAST_GUTTER), None)
        if left is not None:
            at = (right + left) / 2
            spanned = sum(box.height for box in texts if _spans(box, at))
            yield _Gutter(_is_overrun(texts, at), spanned, right - left, at)


def _is_overrun(texts: Iterable[Rect], at: float) -> bool:
    """Whether most of what stands on one side reaches over to the other."""
    aside = [box for box in texts if not _spans(box, at)]
    left = [box for box in aside if box.middle_x < at]
    right = [box for box in aside if box.middle_x >= at]
    return any(
        sum(box.height for box in side if box.left < at < box.right)
        > _MOST * sum(box.height for box in side)
        for side in (left, right)
    )


def _parts_columns(boxes: Sequence[Rect], at: float) -> bool:
    """Whether enough text is side by side, left and right of this position, in columns of words."""
    aside = [box for box in boxes if not _spans(box, at)]
    left = [box for box in aside if box.middle_x < at]
    right = [box for box in aside if box.middle_x >= at]
    if not (left and right):
        return False
    first, second = enclosing(left), enclosing(right)
    if min(first.width, second.width) < _NARROWEST * enclosing(boxes).width:
        return False
    # no overfull line: it goes over most of the other column, too narrow beside it to be spanned
    if first.right > second.middle_x or second.left < first.middle_x:
        return False
    return _shared_height(_extents(left), _extents(right)) >= _LEAST_SIDE_BY_SIDE


def _shared_height(
    first: Sequence[tuple[float, float]], second: Sequence[tuple[float, float]]
) -> float:
    """How much of the intervals both have; each has its own in order, none with another's part."""
    shared, at, other = 0.0, 0, 0
    while at < len(first) and other < len(second):
        (top, bottom), (upper, lower) = first[at], second[other]
        shared += max(0.0, min(bottom, lower) - max(top, upper))
        if bottom < lower:
            at += 1
        else:
            other += 1
    return shared


def _extents(boxes: Iterable[Rect]) -> list[tuple[float, float]]:
    """The vertical intervals that the boxes cover together."""
    extents: list[tuple[float, float]] = []
    for box in sorted(boxes, key=lambda box: box.top):
        if extents and box.top <= extents[-1][1]:
            extents[-1] = (extents[-1][0], max(extents[-1][1], box.bottom))
        else:
            extents.append((box.top, box.bottom))
    return extents


def _by_rows(blocks: Iterable[LayoutBlock], *, page: bool) -> list[LayoutBlock]:
    """From top to bottom, and where blocks stand side by side as their text is read, from the
    left or from the right.
    """
    rows: list[list[LayoutBlock]] = []
    for block in sorted(blocks, key=lambda block: block.box.top):
        if rows and _in_row(rows[-1][0].box, block.box):
            rows[-1].append(block)
        else:
            rows.append([block])
    return [block for row in rows for block in _side_by_side(row, page=page)]


def _side_by_side(row: Sequence[LayoutBlock], *, page: bool) -> list[LayoutBlock]:
    if len(row) > 1 and _are_from_right(row, page=page):
        return sorted(row, key=lambda block: -block.box.right)
    return sorted(row, key=lambda block: block.box.left)


def _in_row(first: Rect, second: Rect) -> bool:
    return first.shared_width(second) <= 0 and first.is_level(second)


_LEFT_OUT = (*FURNITURE, DocItemLabel.DOCUMENT_INDEX)
_GRAPHICS = (DocItemLabel.TABLE, DocItemLabel.PICTURE)
# what a paragraph may run around
_ASIDE = (*_GRAPHICS, DocItemLabel.CAPTION, DocItemLabel.FOOTNOTE, DocItemLabel.CODE)
# what stands where it is read unless it has a caption
_IN_FLOW = (DocItemLabel.TABLE, DocItemLabel.CODE)
_SAME_SIZE = 0.06  # parts of one paragraph differ less in size
_EDGE = 0.1  # of the page's height: heads and feet stand within
_OPEN = (",", "-", "\u00ad", "\u2010")
ENDED = (".", "!", "?", ":", ".”", '."', ".)", ".’", *"。！？：」』؟۔।")  # noqa: RUF001
_STOPS = tuple(end for end in ENDED if end not in ":：")  # noqa: RUF001
_SET_APART = (DocItemLabel.CODE, DocItemLabel.FORMULA)


@dataclass(frozen=True, slots=True)
class Placed:
    """A block and its page."""

    page: PageLayout
    block: LayoutBlock


@dataclass(frozen=True, slots=True)
class ReadingItem:
    """A unit of reading: a block, or a paragraph's parts on several columns or pages."""

    parts: tuple[Placed, ...]

    @property
    def label(self) -> DocItemLabel:
        return self.parts[0].block.label


def read_in_order(pages: Sequence[PageLayout]) -> list[ReadingItem]:
    """The document's items without furniture, each caption directly before its table or figure."""
    placed = [
        Placed(page, block)
        for page in pages
        for block in in_reading_order(
            [block for block in page.blocks if block.label not in _LEFT_OUT]
        )
    ]
    predictor = ReadingOrderPredictor()  # type: ignore[no-untyped-call]
    captions = predictor.predict_to_captions(
        [_element(index, item) for index, item in enumerate(placed)]
    )
    merged = _merged([placed[index] for index in _captions_first(len(placed), captions)])
    return _notes_first(merged)


def _element(index: int, placed: Placed) -> PageElement:
    page, box = placed.page, placed.block.box
    return PageElement(
        cid=index,
        page_no=page.number,
        page_size=Size(width=page.width, height=page.height),
        label=placed.block.label,
        l=box.left,
        t=page.height - box.top,
        r=box.right,
        b=page.height - box.bottom,
        coord_origin=CoordOrigin.BOTTOMLEFT,
    )


def _captions_first(count: int, captions: Mapping[int, list[int]]) -> Iterator[int]:
    moved = {caption for group in captions.values() for caption in group}
    for index in range(count):
        if index not in moved:
            yield from captions.get(index, ())
            yield index


def _merged(placed: Sequence[Placed]) -> Iterator[ReadingItem]:
    """The items, with paragraphs merged across columns, pages and asides.

    What such a paragraph runs around comes before it where it is on an earlier page than the
    paragraph's end, so that the text never goes back a page.
    """
    taken: set[int] = set()
    for index, first in enumerate(placed):
        if index in taken:
            continue
        parts = [first]
        last, following = index, _continuation(placed, index, taken)
        while following is not None:
            parts.append(placed[following])
            taken.add(following)
            last, following = following, _continuation(placed, following, taken)
        for aside in range(index + 1, last):
            if aside not in taken and placed[aside].page.number < placed[last].page.number:
                taken.add(aside)
                yield ReadingItem((placed[aside],))
        yield ReadingItem(tuple(parts))


def _notes_first(items: Iterable[ReadingItem]) -> list[ReadingItem]:
    """The items, with notes before the sentence or the listing that they would part."""
    ordered: list[ReadingItem] = []
    for item in items:
        end = len(ordered)
        while end and ordered[end - 1].label == DocItemLabel.FOOTNOTE:
            end -= 1
        if notes := ordered[end:]:
            page, start, following = notes[0].parts[0].page, end, item
            while start and _leads_to(ordered[start - 1], following, page):
                start -= 1
                following = ordered[start]
            ordered[start:] = [*notes, *ordered[start:end]]
        ordered.append(item)
    return ordered


def _leads_to(before: ReadingItem, item: ReadingItem, page: PageLayout) -> bool:
    """Whether an item that begins on a page is of the same sentence or listing as the next one: a
    text in small letters behind a listing or a formula, or one of these behind such a text.
    """
    if before.parts[0].page is not page:
        return False
    if item.label in BODY:
        return before.label in _SET_APART and item.parts[0].block.text[:1].islower()
    if item.label not in _SET_APART or before.label == item.label:
        return item.label in _SET_APART
    return before.label in BODY and not before.parts[-1].block.text.endswith(_STOPS)


def _continuation(placed: Sequence[Placed], index: int, taken: set[int]) -> int | None:
    """The next text after asides, if it continues this one."""
    here = placed[index]
    if here.block.label not in BODY:
        return None
    following = index + 1
    while following < len(placed) and _stands_aside(placed, index, following):
        following += 1
    if following >= len(placed) or following in taken:
        return None
    between, there = placed[index + 1 : following], placed[following]
    if any(map(_stands_in_flow, placed[index:following], between, placed[index + 2 :])):
        return None
    return following if _carries_on(here, there, interrupted=bool(between)) else None


def _stands_aside(placed: Sequence[Placed], index: int, at: int) -> bool:
    """Whether a paragraph may run around a block: a float, a note, or a head or foot that no other
    page repeats and behind which the text begins within a sentence.
    """
    page, block = placed[at].page, placed[at].block
    if block.label in _ASIDE:
        return True
    if block.label != DocItemLabel.TEXT or len(block.lines) > 1 or block.text[:1].islower():
        return False
    behind = next((each for each in placed[at + 1 :] if not _is_level(each, placed[at])), None)
    if behind is None or not behind.block.text[:1].islower():
        return False
    if block.box.bottom < _EDGE * page.height:
        inner, gap = behind, behind.block.box.top - block.box.bottom
    elif block.box.top > (1 - _EDGE) * page.height:
        inner, gap = placed[index], block.box.top - placed[index].block.box.bottom
    else:
        return False
    return inner.page is page and gap > block.style.size


def _is_level(placed: Placed, other: Placed) -> bool:
    shared = placed.block.box.shared_height(other.block.box)
    return placed.page is other.page and shared > 0


def _stands_in_flow(before: Placed, aside: Placed, behind: Placed) -> bool:
    """Whether an aside is part of the text: a listing without a caption, or such a table, unless
    that is at the head of a page.
    """
    if aside.block.label not in _IN_FLOW:
        return False
    if aside.block.label == DocItemLabel.TABLE and before.page is not aside.page:
        return False
    beside = (other for other in (before, behind) if other.page is aside.page)
    return all(other.block.label != DocItemLabel.CAPTION for other in beside)


def _carries_on(here: Placed, there: Placed, *, interrupted: bool) -> bool:
    size, other_size = here.block.style.size, there.block.style.size
    if there.block.label != DocItemLabel.TEXT or abs(size - other_size) > _SAME_SIZE * size:
        return False
    first, second = here.block.text.rstrip(), there.block.text.lstrip()
    opens = LIST_MARK.match(second) or REFERENCE_MARK.match(second) or is_caption(second)
    if first.endswith(ENDED) or opens:
        return False
    unfinished = second[:1].islower() or first.endswith(_OPEN)
    is_long = len(here.block.lines) > 1
    if here.page.number == there.page.number:
        sides = (here.block.box, there.block.box)
        left, right = sides[::-1] if _are_from_right((here.block,)) else sides
        follows = left.right <= right.left + 1  # in the next column
    else:
        follows = there.page.number > here.page.number
    if follows:
        if not unfinished and (_was_broken_off(here, second) or _are_in_row(here, there)):
            return False
        return (
            unfinished
            or first[-1:].islower()
            or (_has_no_case(first[-1:]) and (is_long or interrupted))
        )
    return unfinished and interrupted and here.page.number == there.page.number


def _are_in_row(here: Placed, there: Placed) -> bool:
    """Whether lines of two columns are level, as names below pictures side by side are."""
    one_line = max(len(here.block.lines), len(there.block.lines)) == 1
    return one_line and here.page is there.page and _in_row(here.block.box, there.block.box)


def _was_broken_off(placed: Placed, following: str) -> bool:
    """Whether a text of one line leaves room in its column for the first of the words that follow,
    as the last entry of a list does.
    """
    block = placed.block
    if len(block.lines) > 1:
        return False
    column = [
        other.box.right
        for other in placed.page.blocks
        if other.label in BODY and abs(other.box.left - block.box.left) <= block.style.size
    ]
    word = following.partition(" ")[0]
    room = max(column, default=block.box.right) - block.box.right - block.style.size
    return room > block.box.width / max(1, len(block.text)) * len(word)


def _has_no_case(letter: str) -> bool:
    """Whether it is a letter of a script that has no capitals."""
    return letter.isalpha() and letter.lower() == letter.upper()
