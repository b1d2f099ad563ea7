"""The levels of headings: from the outline, else from their numbers, else from their looks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from docling.datamodel.pipeline_options import HeadingHierarchyOptions
from docling.models.stages.heading_hierarchy.heading_hierarchy_model import HeadingHierarchyModel
from docling.utils.pdf_outline import _PdfOutlineItem as OutlineItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.text import SectionHeaderItem

from citeloom.infrastructure.docling.document import DEEPEST_LEVEL, BuiltDocument
from citeloom.infrastructure.docling.page import Style

_MOST_LEVELS = 6
_SAME_SIZE = 0.05  # sizes nearer than this are one


class _Look(NamedTuple):
    """What sets headings of one rank apart; in order, the more prominent first."""

    smallness: int
    light: bool
    slanted: bool


def assign_levels(built: BuiltDocument, outline: Sequence[OutlineItem]) -> None:
    """Give each heading its level.

    Docling's rules read the outline and the numbering; a heading that has neither gets the level
    of those that look like it, or one below the next more prominent look.
    """
    headings = [item for item in built.document.texts if isinstance(item, SectionHeaderItem)]
    _assign_declared(built.document, headings, outline)
    by_look = _by_look(headings, built.heading_styles)
    level = 0
    for look in sorted(by_look):
        known = Counter(h.level for h in by_look[look] if h.level != DEEPEST_LEVEL)
        level = known.most_common(1)[0][0] if known else min(level + 1, _MOST_LEVELS)
        for heading in by_look[look]:
            if heading.level == DEEPEST_LEVEL:
                heading.level = level


def _assign_declared(
    document: DoclingDocument,
    headings: Sequence[SectionHeaderItem],
    outline: Sequence[OutlineItem],
) -> None:
    """The levels by outline and numbering, found on the headings alone: Docling would also make
    headings of list items that a bookmark's title occurs in.
    """
    alone = DoclingDocument(name=document.name, pages=document.pages)
    copies = [
        alone.add_heading(text=heading.text, level=DEEPEST_LEVEL, prov=heading.prov[0])
        for heading in headings
    ]
    options = HeadingHierarchyOptions(enabled=True, use_style=False, max_level=_MOST_LEVELS)
    model = HeadingHierarchyModel(options)
    model.assign_heading_levels(alone, outline=list(outline))
    for heading, copy in zip(headings, copies):
        heading.level = copy.level


def _by_look(
    headings: Sequence[SectionHeaderItem], styles: Mapping[str, Style]
) -> Mapping[_Look, list[SectionHeaderItem]]:
    ranks = _size_ranks([style.size for style in styles.values()])
    looks: dict[_Look, list[SectionHeaderItem]] = defaultdict(list)
    for heading in headings:
        style = styles.get(heading.self_ref)
        if style is None:
            continue
        looks[_Look(ranks[style.size], style.bold <= 0.5, style.italic > 0.5)].append(heading)
    return looks


def _size_ranks(sizes: Sequence[float]) -> Mapping[float, int]:
    ranks: dict[float, int] = {}
    rank, before = 0, None
    for size in sorted(set(sizes), reverse=True):
        if before is not None and before - size > _SAME_SIZE * before:
            rank += 1
        ranks[size], before = rank, size
    return ranks
