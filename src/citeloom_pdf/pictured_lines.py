"""Pages whose fonts may have codes of their own: some lines of them are read in their picture.

A font that neither names its letters nor maps its codes to letters says nothing of what it draws:
its codes are those of ASCII, or any others. A font may also map its codes to the wrong letters.
Three lines that an OCR engine reads tell which: where they say something else than the codes of
the page do, the page is to be read as an image.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from difflib import SequenceMatcher

from PIL import Image

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Line, PageContent
from citeloom_pdf.options import ImageUnreadable, PageImage, PdfOptions
from citeloom_pdf.parsing.fast_calls import address_of, has_no_letter
from citeloom_pdf.parsing.opened_pages import OpenedPage

_UNNAMED = 0.5  # of the letters of a page: fewer are those of its formulas or its figures
_SAMPLES = 400  # letters of a page that are looked at: an even choice of these is exact enough
_LINES = 3  # of a page: one may be a formula
_LEAST_LETTERS = 12  # of a line that is read: of fewer, the likeness is chance
_ALIKE = 0.5  # of letters: between lines read right (0.9 and more) and letters in any order (0.3)
_SURE = 0.8  # confidence: an engine that does not know the script of the page is less sure
_WHOLE = 0.5  # of the letters: of a script that it does not know, an engine leaves most out
_NAME = re.compile(r"a\d{2,3}")  # of a glyph, which the parser has for want of a letter
_MOST = 0.6  # of the lines that are read: two of three, one may be a formula
# pages that say otherwise, or cannot be read surely, for all of their document; one that says the
# same is enough
_ENOUGH = 2
_DPI = 200  # dots an inch: letters of 10 points are 28 pixels high
_MARGIN = 0.3  # of the height of a line: white around it
_TALLEST = 30.0  # points: the margin of what is taller is as wide as that of a title


@dataclass(slots=True)
class PicturedLines:
    """The pictures of the lines of one document, as far as its codes are in doubt."""

    options: PdfOptions
    _otherwise: int = 0
    _not_otherwise: int = 0

    def say_otherwise(self, opened: OpenedPage, page: PageContent) -> bool:
        """Whether the picture of a page says other words than its codes."""
        images = self.options.images
        if images is None or page.is_layer or self._not_otherwise >= _ENOUGH:
            return False
        lines = _longest(page.lines)
        text = "\n".join(line.text for line in lines or page.lines)
        if not (_has_codes_alone(opened) or (lines and self.options.may_be_unreadable(text))):
            return False
        if self._otherwise >= _ENOUGH:
            return True
        # letters of fonts with boxes of their own may be torn: of these the whole page is read
        boxes = [line.box for line in lines] or [Rect(0.0, 0.0, page.width, page.height)]
        images.begin(page.number)
        try:
            found = images.read(_picture(opened, page, boxes))
        except ImageUnreadable:
            found = ()
        seen = "\n".join(line.text for line in found)
        alike = _likeness(text, seen)
        otherwise = (
            alike < _ALIKE
            and _drawn(seen) >= _WHOLE * _drawn(text)
            and sum(line.confidence >= _SURE for line in found) > _MOST * len(found)
            and not self.options.may_be_unreadable(seen)
        )
        self._otherwise += otherwise
        if not otherwise:
            self._not_otherwise += _ENOUGH if alike >= _ALIKE else 1
        return otherwise


def _longest(lines: Sequence[Line]) -> list[Line]:
    """The level lines with the most letters, from the top of the page."""
    level = [line for line in lines if not line.rotated and _letters(line.text) >= _LEAST_LETTERS]
    longest = sorted(level, key=lambda line: -_letters(line.text))[:_LINES]
    return sorted(longest, key=lambda line: line.box.top)


def _letters(text: str) -> int:
    return sum(map(len, text.split()))


def _drawn(text: str) -> int:
    """How many letters and signs are drawn for a text, but for the dots of leaders."""
    return _letters(_NAME.sub("a", text).replace(".", ""))


def _has_codes_alone(opened: OpenedPage) -> bool:
    """Whether most letters of a page are of fonts that do not say what they draw."""
    letters = opened.letters
    inked = [at for at, letter in enumerate(letters) if letter.isprintable() and letter != " "]
    chosen = inked[:: 1 + len(inked) // _SAMPLES]
    page = address_of(opened.text.raw)
    unnamed = sum(has_no_letter(page, at) == 1 for at in chosen)
    return len(inked) >= _LEAST_LETTERS and unnamed > _UNNAMED * len(chosen)


def _picture(opened: OpenedPage, page: PageContent, boxes: Sequence[Rect]) -> PageImage:
    """Parts of a page as they are drawn, one below the other."""
    with closing(opened.page.render(scale=_DPI / 72, grayscale=True)) as bitmap:
        whole: Image.Image = bitmap.to_pil().convert("L")
    scale = whole.width / page.width
    strips = [whole.crop(_around(box, scale)) for box in boxes]
    gap = max(strip.height for strip in strips) if len(strips) > 1 else 0
    width = max(strip.width for strip in strips) + 2 * gap
    height = sum(strip.height + gap for strip in strips) + gap
    picture, top = Image.new("L", (width, height), 255), gap
    for strip in strips:
        picture.paste(strip, (gap, top))
        top += strip.height + gap
    return PageImage(width=width, height=height, pixels=picture.tobytes(), dpi=_DPI)


def _around(box: Rect, scale: float) -> tuple[int, int, int, int]:
    """The pixels of a line's box with what its letters may reach beyond it."""
    margin = _MARGIN * min(box.height, _TALLEST)
    left, top, right, bottom = (round(scale * side) for side in box.grown(margin, margin / 2))
    return left, top, right, bottom


def _likeness(text: str, seen: str) -> float:
    """How alike the letters and digits of two texts are, from 0 to 1."""
    first, second = ("".join(filter(str.isalnum, each.casefold())) for each in (text, seen))
    return SequenceMatcher(None, first, second, autojunk=False).ratio()
