"""Heading levels: from the outline, else from the numbering, else from the style."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from docling.datamodel.pipeline_options import HeadingHierarchyOptions
from docling.models.stages.heading_hierarchy.heading_hierarchy_model import HeadingHierarchyModel
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.text import SectionHeaderItem

from citeloom.infrastructure.conversion.pdf_layout.elements.page import Style
from citeloom.infrastructure.conversion.pdf_layout.elements.patterns import KNOWN_HEADING
from citeloom.infrastructure.conversion.pdf_layout.structure.chapters import numbered_alike
from citeloom.infrastructure.conversion.pdf_layout.structure.document import (
    DEEPEST_LEVEL,
    BuiltDocument,
)

_MOST_LEVELS = 6
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
    highest level of their style.
    """
    headings = [item for item in built.document.texts if isinstance(item, SectionHeaderItem)]
    _assign_numbered(headings)
    _assign_declared(headings, built.declared_levels)
    by_look = _by_look(headings, built.heading_styles)
    level = 0
    for look in sorted(by_look):
        known = Counter(h.level for h in by_look[look] if h.level != DEEPEST_LEVEL)
        level = known.most_common(1)[0][0] if known else min(level + 1, _MOST_LEVELS)
        for heading in by_look[look]:
            if heading.level == DEEPEST_LEVEL:
                named = KNOWN_HEADING.match(heading.text)
                heading.level = min(known, default=level) if named else level


def _assign_numbered(headings: Sequence[SectionHeaderItem]) -> None:
    """The levels from the numbering, by Docling's rules."""
    alone = DoclingDocument(name="headings")
    titles = numbered_alike([heading.text for heading in headings])
    copies = [alone.add_heading(text=title, level=DEEPEST_LEVEL) for title in titles]
    options = HeadingHierarchyOptions(enabled=True, use_style=False, max_level=_MOST_LEVELS)
    HeadingHierarchyModel(options).assign_heading_levels(alone)
    for heading, copy in zip(headings, copies):
        heading.level = copy.level


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
