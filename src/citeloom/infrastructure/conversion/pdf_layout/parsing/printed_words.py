"""The words of a whole document as PDFium reads them, for what one page does not tell."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import closing
from functools import cached_property

import pypdfium2 as pdfium

_WORD = re.compile(r"[^\W\d_]+")
_MOST_PAGES = 200
_OFTEN = 2


class PrintedWords:
    """Counted when first asked for, over the first pages of the document."""

    def __init__(self, document: pdfium.PdfDocument) -> None:
        self._document = document

    def has(self, word: str) -> bool:
        """Whether the document has the word more than once."""
        return self._counts[word] >= _OFTEN

    @cached_property
    def _counts(self) -> Counter[str]:
        counts = Counter[str]()
        for index in range(min(len(self._document), _MOST_PAGES)):
            counts.update(word.lower() for word in _WORD.findall(self._text(index)))
        return counts

    def _text(self, index: int) -> str:
        try:
            with closing(self._document[index]) as page, closing(page.get_textpage()) as text:
                return str(text.get_text_range())
        except pdfium.PdfiumError:
            return ""
