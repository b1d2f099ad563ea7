"""Assembling the page layouts into a document: decisions that need all pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from unicodedata import combining, normalize

from docling.datamodel.pipeline_options import HeadingHierarchyOptions
from docling.models.stages.heading_hierarchy.heading_hierarchy_model import HeadingHierarchyModel
from docling.utils.pdf_outline import _PdfOutlineItem as OutlineItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.text import SectionHeaderItem
from docling_core.types.doc.labels import DocItemLabel
from rapidfuzz import fuzz

from citeloom_pdf.elements.block import FURNITURE, LayoutBlock, PageLayout
from citeloom_pdf.elements.patterns import CONTENTS, KNOWN_HEADING, tight
from citeloom_pdf.structure.chapters import with_labels_joined, without_label
from citeloom_pdf.structure.document import DEEPEST_LEVEL, BuiltDocument, build_document
from citeloom_pdf.structure.footnotes import mark_footnotes
from citeloom_pdf.structure.furniture import mark_furniture, mark_navigation
from citeloom_pdf.structure.headings import body_style, mark_headings, mark_title
from citeloom_pdf.structure.numbering import mark_missing, nested, numbered_alike
from citeloom_pdf.structure.reading_order import read_in_order

# Heading levels: from the outline, else from the numbering, else from the style.

_MOST_LEVELS = 6  # levels of headings
_SAME_SIZE = 0.05  # sizes nearer than this are one


class _Look(NamedTuple):
    """The style of headings of one level; sorted, the more prominent come first."""

    smallness: int
    light: bool
    slanted: bool


def assign_levels(built: BuiltDocument) -> None:
    """Give each heading its level.

    The outline has priority, then the numbering; a heading with neither gets the level of those
    in its style, or one below the next more prominent style. `References` and the like get the
    highest level of their style. None contradicts the numbers.
    """
    headings = [item for item in built.document.texts if isinstance(item, SectionHeaderItem)]
    alone = DoclingDocument(name="headings")
    titles = numbered_alike([heading.text for heading in headings])
    copies = [alone.add_heading(text=title, level=DEEPEST_LEVEL) for title in titles]
    options = HeadingHierarchyOptions(enabled=True, use_style=False, max_level=_MOST_LEVELS)
    HeadingHierarchyModel(options).assign_heading_levels(alone)
    for heading, copy in zip(headings, copies):
        heading.level = copy.level
    _assign_declared(headings, built.declared_levels)
    sizes = [style.size for style in built.heading_styles.values()]
    ranks: dict[float, int] = {}
    rank, before = 0, None
    for size in sorted(set(sizes), reverse=True):
        if before is not None and before - size > _SAME_SIZE * before:
            rank += 1
        ranks[size], before = rank, size
    by_look: dict[_Look, list[SectionHeaderItem]] = defaultdict(list)
    for heading in headings:
        style = built.heading_styles.get(heading.self_ref)
        if style is None:
            continue
        by_look[_Look(ranks[style.size], style.bold <= 0.5, style.italic > 0.5)].append(heading)
    level = 0
    for look in sorted(by_look):
        levels = Counter(h.level for h in by_look[look] if h.level != DEEPEST_LEVEL)
        level = levels.most_common(1)[0][0] if levels else min(level + 1, _MOST_LEVELS)
        for heading in by_look[look]:
            if heading.level == DEEPEST_LEVEL:
                named = KNOWN_HEADING.match(heading.text)
                heading.level = min(levels, default=level) if named else level
    by_number = nested([each.level for each in headings], [each.text for each in headings])
    for heading, level in zip(headings, by_number):
        heading.level = level
    for heading, following in reversed([*pairwise(headings)]):
        if CONTENTS.match(heading.text):  # what it lists does not stand below it
            heading.level = max(heading.level, following.level)


def _assign_declared(headings: Sequence[SectionHeaderItem], declared: Mapping[str, int]) -> None:
    """The outline's levels without gaps; a numbered heading that is not in the outline gets the
    level of declared headings with the same numbering depth.
    """
    if not declared:
        return
    ranks = {level: rank for rank, level in enumerate(sorted(set(declared.values())), 1)}
    numbered: dict[int, Counter[int]] = defaultdict(Counter)
    for heading in headings:
        if level := declared.get(heading.self_ref):
            numbered[heading.level][min(ranks[level], _MOST_LEVELS)] += 1
    for heading in headings:
        if level := declared.get(heading.self_ref):
            heading.level = min(ranks[level], _MOST_LEVELS)
        elif heading.level in numbered and heading.level != DEEPEST_LEVEL:
            heading.level = numbered[heading.level].most_common(1)[0][0]
        else:
            heading.level = DEEPEST_LEVEL


# Headings declared by the outline: the block that each entry names.

_MATCH = 88  # percent of similarity from which a block is an entry of the outline
_EXACT = 100  # percent
_LEAST_FUZZY = 6  # letters: a shorter title must be the same
_LONGEST = 400  # characters: a longer block is no heading
_MOST_LINES = 6  # a heading has at most
_ABOVE, _BELOW = 6.0, 40.0  # points from an entry's place to the top of its title
_NUMBER = re.compile(r"\s*(?:\d+|[A-Z](?=\.?\d|\.)|[IVXLC]+(?=\.))(?:\.\d+)*\.?\s+")
_TITLES = (
    DocItemLabel.TEXT,
    DocItemLabel.LIST_ITEM,
    DocItemLabel.CODE,
    DocItemLabel.FORMULA,
    DocItemLabel.SECTION_HEADER,
)


class _Fit(NamedTuple):
    """How well a block fits an entry; the smallest is the best."""

    furniture: bool
    inexact: bool
    distance: float
    smallness: float


def mark_declared(
    pages: Sequence[PageLayout], outline: Sequence[OutlineItem], body_size: float
) -> float:
    """Make a heading of the block that each entry names, at the entry's level; the share of the
    entries with a page that name one.

    The block has the entry's title, numbered or not, on the page the entry points to or on an
    adjacent one, in any font. A running header is no heading unless it is as large as a title.
    """
    by_number = {page.number: page for page in pages}
    highest = min((entry.level for entry in outline), default=0)
    entries = [entry for entry in outline if entry.page_no is not None]
    found = 0
    for entry in entries:
        if (block := _named(entry, by_number, body_size)) is not None:
            block.label = DocItemLabel.SECTION_HEADER
            block.level = entry.level - highest + 1
            found += 1
    return found / max(len(entries), 1)


def _named(
    entry: OutlineItem, by_number: Mapping[int, PageLayout], body_size: float
) -> LayoutBlock | None:
    for page in _pages_near(entry, by_number):
        fits = [
            (fit, index)
            for index, block in enumerate(page.blocks)
            if (fit := _fit(entry, page, block, body_size)) is not None
        ]
        if fits:
            return page.blocks[min(fits)[1]]
    return None


def _pages_near(entry: OutlineItem, by_number: Mapping[int, PageLayout]) -> Iterator[PageLayout]:
    if entry.page_no is not None:
        for number in (entry.page_no, entry.page_no + 1, entry.page_no - 1):
            if number in by_number:
                yield by_number[number]


def _fit(entry: OutlineItem, page: PageLayout, block: LayoutBlock, body_size: float) -> _Fit | None:
    furniture = block.label in FURNITURE
    if block.level or not (furniture or block.label in _TITLES):
        return None
    similarity = _similarity(block, entry.title)
    if similarity < _MATCH:
        return None
    near = _is_near(entry, page, block)
    large = block.style.is_large(body_size)
    if not large and (furniture or (block.text[:1].islower() and not near)):
        return None
    distance = abs(block.box.top - (entry.y_top or 0.0))
    return _Fit(furniture, similarity < _EXACT, distance, -block.style.size)


def _is_near(entry: OutlineItem, page: PageLayout, block: LayoutBlock) -> bool:
    if entry.y_top is None or page.number != entry.page_no:
        return False
    return -_ABOVE <= block.box.top - entry.y_top <= _BELOW


def _similarity(block: LayoutBlock, title: str) -> float:
    """The similarity of the block's text and the title, with or without numbers, in percent."""
    if not block.lines or len(block.text) > _LONGEST or len(block.lines) > _MOST_LINES:
        return 0.0
    block_forms, title_forms = _forms(block.text), _forms(title)
    if block_forms & title_forms:
        return _EXACT
    return max(
        (
            fuzz.ratio(block_form, title_form)
            for block_form in block_forms
            for title_form in title_forms
            if min(len(block_form), len(title_form)) >= _LEAST_FUZZY
        ),
        default=0.0,
    )


@lru_cache(maxsize=4096)
def _forms(text: str) -> frozenset[str]:
    """The text and what it is without its number, letters and digits alone: bookmarks may lack the
    accents.
    """
    text = "".join(sign for sign in normalize("NFKD", text) if not combining(sign))
    bare = without_label(text)
    forms = (text, bare, _NUMBER.sub("", bare, count=1))
    return frozenset(tight(form) for form in forms) - {""}


def assemble(
    name: str, pages: Sequence[PageLayout], outline: Sequence[OutlineItem], title: str
) -> DoclingDocument:
    """The document in reading order, with furniture labelled and headings with their levels."""
    mark_navigation(pages)
    size = body_style(pages).size
    pages = with_labels_joined(pages, size)
    mark_furniture(pages, size)
    body = body_style(pages)
    mark_footnotes(pages, body.size)
    found_share = mark_declared(pages, outline, body.size)
    if pages:
        mark_title(pages[0], title)
    mark_headings(pages, body, found_share=found_share)
    items = read_in_order(pages)
    mark_missing(items, body.size)
    built = build_document(name, pages, items)
    assign_levels(built)
    return built.document
