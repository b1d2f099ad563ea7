"""The numbers in running headers and footers: candidates for printed page numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from citeloom.infrastructure.conversion.pdf_layout.elements.page import FURNITURE, PageLayout

_NUMBER = re.compile(r"(?<![\w.,:/\-\u2010-\u2015])\d{1,5}(?![\w/:\-\u2010-\u2015]|[.,]\d)")


def edge_numbers(pages: Sequence[PageLayout]) -> Mapping[int, tuple[int, ...]]:
    """The standalone whole numbers in each page's running headers and footers."""
    found = {page.number: _numbers(page) for page in pages}
    return {page: numbers for page, numbers in found.items() if numbers}


def _numbers(page: PageLayout) -> tuple[int, ...]:
    texts = (block.text for block in page.blocks if block.label in FURNITURE)
    return tuple(sorted({int(number) for text in texts for number in _NUMBER.findall(text)}))
