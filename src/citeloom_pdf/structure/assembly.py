"""Assembling the page layouts into a document: decisions that need all pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple
from unicodedata import combining, normalize

from docling.datamodel.pipeline_options import HeadingHierarchyOptions
from docling.models.stages.heading_hierarchy.heading_hierarchy_model import HeadingHierarchyModel
from docling.utils.pdf_outline import _PdfOutlineItem as OutlineItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.text import SectionHeaderItem
from docling_core.types.doc.labels import DocItemLabel
from rapidfuzz import fuzz

from citeloom_pdf.elements.block import BODY, FURNITURE, LayoutBlock, PageLayout
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.patterns import CONTENTS, KNOWN_HEADING, is_prose, tight
from citeloom_pdf.elements.text import is_in_no_list
from citeloom_pdf.structure.chapters import with_labels_joined, without_label
from citeloom_pdf.structure.contents import mark_contents
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
_SMALL = 0.93  # of the body's size: so small a title stands at its entry's place
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
) -> list[OutlineItem]:
    """Make a heading of the block that each entry names, at the entry's level; the entries with a
    page that name none.

    The block has the entry's title, numbered or not, on the page the entry points to or on an
    adjacent one, in any font. A running header is no heading unless it is as large as a title.
    """
    by_number = {page.number: page for page in pages}
    unnamed, highest = [], _highest_level(outline)
    for entry in outline:
        if entry.page_no is None:
            continue
        if (block := _named(entry, by_number, body_size)) is None:
            unnamed.append(entry)
        else:
            block.label = DocItemLabel.SECTION_HEADER
            block.level = entry.level - highest + 1
    return unnamed


def _highest_level(outline: Sequence[OutlineItem]) -> int:
    return min((entry.level for entry in outline), default=1)


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
    small = block.style.size < _SMALL * body_size
    if small and not near and entry.y_top is not None:
        return None  # a running head
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
    bare = without_label(text)
    forms = (text, bare, _NUMBER.sub("", bare, count=1))
    return frozenset(map(_plain, forms)) - {""}


def _plain(text: str) -> str:
    if text.isascii():
        return tight(text)
    return tight("".join(sign for sign in normalize("NFKD", text) if not combining(sign)))


# Headings that run in: the title of an entry opens the paragraph that the entry points to.

# what closes the title, perhaps a stop, and the space or dash before what begins the text
_AFTER_TITLE = re.compile(
    r"(?:\s?[)\u201d\u00bb])*([.:?!])?(?:(?<=[.:?!])\u2014\s*|\s+(?:[-\u2013\u2014]\s+)?)(?=\S)"
)
_BRACKETS = ("()", "[]", "{}", "\u27e8\u27e9", "\u3008\u3009", "\u201c\u201d", "\u00ab\u00bb")
_LEAST_RUN_IN = 3  # letters of such a title


def with_run_in(
    pages: Sequence[PageLayout],
    entries: Sequence[OutlineItem],
    outline: Sequence[OutlineItem],
    body_size: float,
) -> tuple[list[PageLayout], int]:
    """The pages, with the titles of the entries parted from the paragraphs they open; how many.

    Entries that share a place have none of their own, so that their titles may stand farther down.
    """
    blocks = {page.number: list(page.blocks) for page in pages}
    by_number = {page.number: page for page in pages}
    often = Counter((entry.page_no, entry.y_top) for entry in outline)
    parted, highest = 0, _highest_level(outline)
    for entry in entries:
        shared = entry.y_top is not None and often[entry.page_no, entry.y_top] > 1
        opened = (
            (page, at, end)
            for page in _pages_near(entry, by_number)
            for at, block in enumerate(blocks[page.number])
            if block.label in BODY and not block.level and (shared or _is_near(entry, page, block))
            if (end := _end_of_title(block.text, entry.title))
        )
        for page, at, end in islice(opened, 1):
            heading, *text = _parted(blocks[page.number][at], end, body_size)
            heading.level = entry.level - highest + 1
            blocks[page.number][at : at + 1] = [heading, *text]
            parted += 1
    return [replace(page, blocks=tuple(blocks[page.number])) for page in pages], parted


def _end_of_title(text: str, title: str) -> int:
    """Where the title that opens a text ends, with the stop behind it and numbered or not; 0 where
    there is none, or the sentence goes on.
    """
    number = _NUMBER.match(text)
    for start in {0, number.end() if number else 0}:
        for form in _forms(title):
            end = _end_of_form(text, start, form) if len(form) >= _LEAST_RUN_IN else 0
            behind = _AFTER_TITLE.match(text, end) if end else None
            if behind is None or not _is_balanced(text[: behind.end()]):
                continue
            rest = text[behind.end() :]
            if is_prose(rest) and (behind[1] or not rest[0].islower()):
                return behind.end()
    return 0


def _is_balanced(text: str) -> bool:
    """Whether no bracket or quotation stays open."""
    return all(text.count(pair[0]) == text.count(pair[1]) for pair in _BRACKETS)


def _end_of_form(text: str, start: int, form: str) -> int:
    """Where the letters of a title end in a text, if they stand from `start`; else 0."""
    found = 0
    for at, sign in enumerate(text[start:], start + 1):
        letters = _plain(sign)
        if not form.startswith(letters, found):
            return 0
        found += len(letters)
        if letters and found == len(form):
            return at
    return 0


def _parted(block: LayoutBlock, end: int, body_size: float) -> list[LayoutBlock]:
    """A block's title, which ends there in its text, and the rest; a line that stands out as a
    whole is a title with more words than the outline has.
    """
    if len(block.lines) == 1 and (block.style.bold > 0.8 or block.style.is_large(body_size)):
        return [replace(block, label=DocItemLabel.SECTION_HEADER)]
    above, at = 0, 0
    while end > at + len(block.lines[above].strip()) + 1:
        at += len(block.lines[above].strip()) + 1
        above += 1
    line = block.lines[above].strip()
    first, rest = line[: end - at].rstrip(" -\u2013\u2014"), line[end - at :].strip()
    box = block.box
    bottom = box.top + (above + 1) * box.height / len(block.lines)
    return [
        replace(
            block,
            label=DocItemLabel.SECTION_HEADER,
            box=Rect(box.left, box.top, box.right, bottom),
            lines=(*block.lines[:above], first),
        ),
        replace(
            block,
            label=DocItemLabel.TEXT,
            lines=tuple(filter(None, (rest, *block.lines[above + 1 :]))),
        ),
    ]


def assemble(
    name: str,
    pages: Sequence[PageLayout],
    outline: Sequence[OutlineItem],
    title: str,
    is_english: Callable[[str], bool] = is_in_no_list,
) -> DoclingDocument:
    """The document in reading order, with furniture labelled and headings with their levels."""
    mark_navigation(pages)
    mark_contents(pages)
    size = body_style(pages).size
    pages = with_labels_joined(pages, size)
    mark_furniture(pages, size)
    body = body_style(pages)
    mark_footnotes(pages, body.size)
    unnamed = mark_declared(pages, outline, body.size)
    pages, run_in = with_run_in(pages, unnamed, outline, body.size)
    entries = sum(entry.page_no is not None for entry in outline)
    found_share = 1 - (len(unnamed) - run_in) / entries if entries else 0.0
    if pages:
        mark_title(pages[0], title)
    mark_headings(pages, body, found_share=found_share)
    items = read_in_order(pages)
    mark_missing(items, body.size)
    built = build_document(name, pages, items, is_english)
    assign_levels(built)
    return built.document
