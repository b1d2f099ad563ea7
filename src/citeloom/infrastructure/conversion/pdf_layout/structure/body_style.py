"""The style of the body text, against which headings stand out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citeloom.infrastructure.conversion.pdf_layout.elements.page import BODY, PageLayout

_FONT_SHARE = 0.12  # of the body's characters: a font used this much is the body's


@dataclass(frozen=True, slots=True)
class BodyStyle:
    """The style of the body text."""

    size: float
    fonts: frozenset[str]


def body_style(pages: Sequence[PageLayout]) -> BodyStyle:
    """The most frequent size, and the fonts of a good share of the characters."""
    sizes, fonts = Counter[float](), Counter[str]()
    for page in pages:
        for block in page.blocks:
            if block.label in BODY:
                sizes[round(block.style.size * 2) / 2] += len(block.text)
                fonts[block.style.font] += len(block.text)
    if not sizes:
        return BodyStyle(0.0, frozenset())
    least = _FONT_SHARE * fonts.total()
    return BodyStyle(
        sizes.most_common(1)[0][0],
        frozenset(font for font, count in fonts.items() if count > least),
    )
