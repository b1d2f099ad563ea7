"""The order in which a document's blocks are read, and which of them are one paragraph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from docling.models.postprocessing.reading_order_rb import (
    PageElement,
    ReadingOrderPredictor,
    SeparatorElement,
    build_page_separators,
)
from docling_core.types.doc import BoundingBox, CoordOrigin, DocItemLabel, Size

from citeloom.infrastructure.docling.geometry import Rect
from citeloom.infrastructure.docling.page import LayoutBlock, PageLayout
from citeloom.infrastructure.docling.patterns import LIST_MARK, REFERENCE_MARK, is_caption

_FURNITURE = (
    DocItemLabel.PAGE_HEADER,
    DocItemLabel.PAGE_FOOTER,
    DocItemLabel.DOCUMENT_INDEX,
)
_GRAPHICS = (DocItemLabel.TABLE, DocItemLabel.PICTURE)
# what a paragraph may run around
_ASIDE = (*_GRAPHICS, DocItemLabel.CAPTION, DocItemLabel.FOOTNOTE, DocItemLabel.CODE)
_SAME_SIZE = 0.06  # parts of one paragraph differ less in size
_ENDED = (".", "!", "?", ":", ".”", '."', ".)", ".’")


@dataclass(frozen=True, slots=True)
class Placed:
    """A block and the page it stands on."""

    page: PageLayout
    block: LayoutBlock


@dataclass(frozen=True, slots=True)
class Item:
    """What is read as one: a block, or a paragraph's parts on several columns or pages."""

    parts: tuple[Placed, ...]

    @property
    def label(self) -> DocItemLabel:
        """What it is."""
        return self.parts[0].block.label


def read_in_order(pages: Sequence[PageLayout]) -> list[Item]:
    """The document's items without furniture, each caption directly before what it belongs to."""
    placed = [
        Placed(page, block)
        for page in pages
        for block in page.blocks
        if block.label not in _FURNITURE
    ]
    elements = [_element(index, item) for index, item in enumerate(placed)]
    predictor = ReadingOrderPredictor()
    separators = [
        separator
        for page in pages
        for separator in _separators(page, [e for e in elements if e.page_no == page.number])
    ]
    ordered = predictor.predict_reading_order(elements, separators)
    captions = predictor.predict_to_captions(ordered)
    indexes = _captions_first([element.cid for element in ordered], captions)
    return list(_merged([placed[index] for index in indexes]))


def _element(index: int, placed: Placed) -> PageElement:
    page, block = placed.page, placed.block
    box = _bounding_box(block.box).to_bottom_left_origin(page.height)
    return PageElement(
        cid=index,
        text=block.text,
        page_no=page.number,
        page_size=Size(width=page.width, height=page.height),
        label=block.label,
        l=box.l,
        t=box.t,
        r=box.r,
        b=box.b,
        coord_origin=CoordOrigin.BOTTOMLEFT,
    )


def _bounding_box(box: Rect) -> BoundingBox:
    return BoundingBox(
        l=box.left, t=box.top, r=box.right, b=box.bottom, coord_origin=CoordOrigin.TOPLEFT
    )


def _separators(page: PageLayout, elements: list[PageElement]) -> list[SeparatorElement]:
    across = [Rect(rule.start, rule.at, rule.end, rule.at) for rule in page.horizontal]
    down = [Rect(rule.at, rule.start, rule.at, rule.end) for rule in page.vertical]
    return build_page_separators(
        page_no=page.number,
        page_size=Size(width=page.width, height=page.height),
        page_elements=elements,
        shape_lines=[_bounding_box(line) for line in [*across, *down]],
        shape_bounding_boxes=None,
    )


def _captions_first(order: Sequence[int], captions: Mapping[int, list[int]]) -> Iterator[int]:
    moved = {caption for group in captions.values() for caption in group}
    for index in order:
        if index not in moved:
            yield from captions.get(index, ())
            yield index


def _merged(placed: Sequence[Placed]) -> Iterator[Item]:
    """The items, paragraphs put together over columns, pages and what stands in their way."""
    taken: set[int] = set()
    for index, first in enumerate(placed):
        if index in taken:
            continue
        parts = [first]
        following = _continuation(placed, index, taken)
        while following is not None:
            parts.append(placed[following])
            taken.add(following)
            following = _continuation(placed, following, taken)
        yield Item(tuple(parts))


def _continuation(placed: Sequence[Placed], index: int, taken: set[int]) -> int | None:
    """The next text after asides, if it carries on where this one stops."""
    here = placed[index]
    if here.block.label not in (DocItemLabel.TEXT, DocItemLabel.LIST_ITEM):
        return None
    following = index + 1
    while following < len(placed) and placed[following].block.label in _ASIDE:
        following += 1
    if following >= len(placed) or following in taken:
        return None
    interrupted = following > index + 1
    return following if _carries_on(here, placed[following], interrupted=interrupted) else None


def _carries_on(here: Placed, there: Placed, *, interrupted: bool) -> bool:
    if there.block.label != DocItemLabel.TEXT or not _same_size(here.block, there.block):
        return False
    first, second = here.block.text.rstrip(), there.block.text.lstrip()
    if first.endswith(_ENDED) or _opens_something(second):
        return False
    if _is_next_column_or_page(here, there):
        open_end = first[-1:].islower() or first.endswith((",", "-", "\u00ad", "\u2010"))
        return second[:1].islower() or open_end
    same_page = here.page.number == there.page.number
    return same_page and interrupted and second[:1].islower()


def _same_size(here: LayoutBlock, there: LayoutBlock) -> bool:
    return abs(here.style.size - there.style.size) <= _SAME_SIZE * here.style.size


def _opens_something(text: str) -> bool:
    return bool(LIST_MARK.match(text) or REFERENCE_MARK.match(text)) or is_caption(text)


def _is_next_column_or_page(here: Placed, there: Placed) -> bool:
    if here.page.number != there.page.number:
        return there.page.number > here.page.number
    return here.block.box.right <= there.block.box.left + 1
