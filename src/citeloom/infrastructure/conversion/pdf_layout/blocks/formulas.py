"""Display mathematics whose limits and numbers the parser has as lines of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docling_core.types.doc.labels import DocItemLabel

from citeloom.infrastructure.conversion.pdf_layout.elements.fonts import mixed_style
from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import enclosing
from citeloom.infrastructure.conversion.pdf_layout.elements.page import LayoutBlock

_NUMBER = re.compile(r"\(\w{0,2}\d+([.\-]\d+)*\w?\)")
_SAME_ROW = 0.6  # of the font size
_LIMIT = 6  # characters of what stands above or below a sign
_APART = 0.5  # of the font size: how far a limit stands from its sign


def with_formulas_whole(blocks: Sequence[LayoutBlock]) -> list[LayoutBlock]:
    """The blocks, with each formula one: its limits and its number joined to it."""
    groups = _touching([block for block in blocks if _is_part(block)])
    _add_numbers(groups, [block for block in blocks if _is_number(block)])
    parted = [group for group in groups if len(group) > 1]
    parts = {id(part) for group in parted for part in group}
    return [*(block for block in blocks if id(block) not in parts), *map(_joined, parted)]


def _touching(formulas: Sequence[LayoutBlock]) -> list[list[LayoutBlock]]:
    groups: list[list[LayoutBlock]] = []
    for block in sorted(formulas, key=lambda block: block.box.top):
        met = [group for group in groups if any(_touch(block, part) for part in group)]
        groups = [group for group in groups if group not in met]
        groups.append([*(part for group in met for part in group), block])
    return groups


def _is_part(block: LayoutBlock) -> bool:
    return block.label == DocItemLabel.FORMULA and not _is_number(block)


def _is_number(block: LayoutBlock) -> bool:
    plain = block.label in (DocItemLabel.FORMULA, DocItemLabel.TEXT)
    return plain and _NUMBER.fullmatch(block.text) is not None


def _touch(one: LayoutBlock, other: LayoutBlock) -> bool:
    """Whether they overlap, or one is a limit just above or below the other."""
    if one.box.touches(other.box):
        return True
    slack = _APART * max(one.style.size, other.style.size)
    lengths = sorted((len(one.text), len(other.text)))
    return lengths[0] <= _LIMIT < lengths[1] and one.box.grown(0, slack).touches(other.box)


def _add_numbers(groups: Sequence[list[LayoutBlock]], numbers: Sequence[LayoutBlock]) -> None:
    """Add each number to the formula in its row that is nearest to the left, or else the right."""
    for number in numbers:
        level = [
            group
            for group in groups
            if any(number.box.shared_height(part.box) > 0 for part in group)
        ]
        if level:
            min(level, key=lambda group: _distance(number, group)).append(number)


def _distance(number: LayoutBlock, group: Sequence[LayoutBlock]) -> tuple[bool, float]:
    box = enclosing(part.box for part in group)
    return box.right > number.box.left, max(
        number.box.left - box.right, box.left - number.box.right
    )


def _joined(group: Sequence[LayoutBlock]) -> LayoutBlock:
    """The parts row by row, from left to right, their number last."""
    parts = [part for row in _rows(group) for part in row]
    return LayoutBlock(
        DocItemLabel.FORMULA,
        enclosing(part.box for part in parts),
        mixed_style([(part.style, max(1, len(part.text))) for part in parts]),
        tuple(line for part in sorted(parts, key=_is_number) for line in part.lines),
    )


def _rows(group: Sequence[LayoutBlock]) -> list[list[LayoutBlock]]:
    rows: list[list[LayoutBlock]] = []
    for part in sorted(group, key=lambda part: part.box.middle_y):
        first = rows[-1][0] if rows else None
        if first and part.box.middle_y - first.box.middle_y <= _SAME_ROW * first.style.size:
            rows[-1].append(part)
        else:
            rows.append([part])
    return [sorted(row, key=lambda part: part.box.left) for row in rows]
