"""Heading detection: by the outline, or by style against the body of the document."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from docling_core.types.doc.labels import DocItemLabel
from rapidfuzz import fuzz

from citeloom.infrastructure.conversion.pdf_layout.elements.page import (
    BODY,
    FURNITURE,
    LayoutBlock,
    PageLayout,
)
from citeloom.infrastructure.conversion.pdf_layout.elements.patterns import (
    ABSTRACT,
    AFFILIATION,
    BULLET,
    DOTTED_NUMBER,
    HEADING_NUMBER,
    KNOWN_HEADING,
    tight,
)
from citeloom.infrastructure.conversion.pdf_layout.parsing.outline import (
    unmark_beside_outline,
    unmark_contents,
)
from citeloom.infrastructure.conversion.pdf_layout.structure.body_style import BodyStyle
from citeloom.infrastructure.conversion.pdf_layout.structure.heading_signs import signs

_LONGEST = 220
_MOST_LINES = 4
_THRESHOLD = 1.5  # a block whose weights add up to this is a heading
_TITLE_MATCH = 88


def mark_headings(pages: Sequence[PageLayout], body: BodyStyle) -> None:
    """Label the headings that the outline does not declare."""
    front = _front_matter(pages[0]) if pages else frozenset()
    for page in pages:
        for block in page.blocks:
            if not _may_be_heading(block, body) or id(block) in front:
                continue
            if signs(block, page, body) >= _THRESHOLD:
                block.label = DocItemLabel.SECTION_HEADER
    unmark_contents(pages)
    for page in pages:
        _unmark_rows(page)
    unmark_beside_outline(pages, body.size)
    for page in pages:
        _unmark_runs(page)


def mark_title(page: PageLayout, embedded_title: str) -> None:
    """Label the document's title on its first page, if it can be identified."""
    candidates = [block for block in page.blocks if _may_be_title(block, page)]
    title = _declared_title(candidates, embedded_title) or _largest_title(candidates)
    if title:
        title.label = DocItemLabel.TITLE


def _may_be_title(block: LayoutBlock, page: PageLayout) -> bool:
    return (
        block.label in (*BODY, DocItemLabel.SECTION_HEADER)
        and block.box.top < 0.6 * page.height
        and len(block.text) > 3
    )


def _declared_title(candidates: Sequence[LayoutBlock], embedded_title: str) -> LayoutBlock | None:
    """The first block with the title that the file declares."""
    wanted = tight(embedded_title)
    if len(wanted) <= 8:
        return None
    alike = (b for b in candidates if fuzz.ratio(tight(b.text), wanted) > _TITLE_MATCH)
    return next(alike, None)


def _largest_title(candidates: Sequence[LayoutBlock]) -> LayoutBlock | None:
    """The block that is clearly larger than the others, unless it is a section's heading."""
    if not candidates:
        return None
    largest = max(candidates, key=lambda block: (block.style.size, -block.box.top))
    others = [block.style.size for block in candidates if block is not largest]
    of_section = HEADING_NUMBER.match(largest.text) or KNOWN_HEADING.match(largest.text)
    clearly = largest.style.size > 1.15 * max(others, default=0.0)
    return largest if clearly and not of_section else None


def _front_matter(page: PageLayout) -> Set[int]:
    """The ids of the author blocks: those smaller than the title above the abstract, or else
    those that look like names or addresses between the title and the first prose.
    """
    abstract = next((block for block in page.blocks if ABSTRACT.match(block.text)), None)
    if abstract:
        return set(map(id, _small_above(page, abstract)))
    title = next((block for block in page.blocks if block.label == DocItemLabel.TITLE), None)
    return set(map(id, _affiliations(page, title))) if title else frozenset()


def _small_above(page: PageLayout, abstract: LayoutBlock) -> list[LayoutBlock]:
    largest = max(block.style.size for block in page.blocks if len(block.text) > 3)
    above = [block for block in page.blocks if block.box.bottom < abstract.box.top]
    return [block for block in above if block.style.size < 0.93 * largest]


def _affiliations(page: PageLayout, title: LayoutBlock) -> list[LayoutBlock]:
    below = [block for block in page.blocks if block.box.top > title.box.top]
    prose = min((b.box.top for b in below if len(b.text) > _LONGEST), default=page.height)
    above = [block for block in below if block.box.top < prose]
    return [block for block in above if AFFILIATION.match(block.text)]


def _may_be_heading(block: LayoutBlock, body: BodyStyle) -> bool:
    text = tight(block.text)
    # a heading may name a function, which is set like a listing
    of_code = block.label == DocItemLabel.CODE and block.style.size > 1.05 * body.size
    return (
        (block.label in BODY or (of_code and DOTTED_NUMBER.match(block.text) is not None))
        and not BULLET.match(block.text)
        and len(block.lines) <= _MOST_LINES
        and len(block.text) <= _LONGEST
        and not text.isdigit()
        and re.search(r"[^\W\d_]{2}", block.text) is not None
    )


def _unmark_rows(page: PageLayout) -> None:
    """Unmark three or more headings side by side: they are the header of a table."""
    headings = [block for block in page.blocks if _is_heading(block) and not block.level]
    rows = [[b for b in headings if _is_beside(b, block)] for block in headings]
    for block in (block for row in rows if len(row) >= 3 for block in row):
        block.label = DocItemLabel.TEXT


def _is_beside(one: LayoutBlock, other: LayoutBlock) -> bool:
    return abs(one.box.middle_y - other.box.middle_y) < 0.5 * other.style.size


def _is_heading(block: LayoutBlock) -> bool:
    return block.label == DocItemLabel.SECTION_HEADER


def _unmark_runs(page: PageLayout) -> None:
    """Of four or more consecutive headings, as on a title page, keep only the largest."""
    run: list[LayoutBlock] = []
    blocks = [block for block in page.blocks if block.label not in FURNITURE and block.lines]
    for block in sorted(blocks, key=lambda block: (block.box.top, block.box.left)):
        if _is_heading(block):
            run.append(block)
            continue
        _keep_largest(run)
        run = []
    _keep_largest(run)


def _keep_largest(run: Sequence[LayoutBlock]) -> None:
    if len(run) < 4:
        return
    largest = max(block.style.size for block in run)
    for block in run:
        kept = block.level or HEADING_NUMBER.match(block.text)
        if block.style.size < 0.97 * largest and not kept:
            block.label = DocItemLabel.TEXT
