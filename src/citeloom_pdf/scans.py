"""Pages that are images: their detection, their text layers, and OCR."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import closing
from dataclasses import dataclass, replace

from PIL import Image

from citeloom_pdf.blocks.layout import lay_out
from citeloom_pdf.elements.block import PageLayout
from citeloom_pdf.elements.fonts import weighted_median
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Line, PageContent, Style, Word
from citeloom_pdf.elements.patterns import RUNNING_NUMBER, SENTENCE_END, tight
from citeloom_pdf.elements.text import undecoded_share
from citeloom_pdf.options import (
    ImageReader,
    ImageUnreadable,
    PageImage,
    PdfOptions,
    RecognisedLine,
)
from citeloom_pdf.parsing.opened_pages import OpenedPage
from citeloom_pdf.parsing.text_layers import SCAN, covered_share, layer_skew
from citeloom_pdf.pictured_lines import PicturedLines
from citeloom_pdf.upright_images import (
    deskew,
    likely_turns,
    measure_skew,
    turned,
    without_specks,
)


def skew_back(layout: PageLayout, skew: float) -> PageLayout:
    """The layout of a straightened page with its boxes mapped back to the original page."""
    for block in layout.blocks:
        block.box = _moved(block.box, layout.width, layout.height, skew)
    return layout


def _moved(box: Rect, width: float, height: float, skew: float) -> Rect:
    """A box where its middle is on a page of this size that is rotated by `skew` degrees."""
    sine, cosine = math.sin(math.radians(skew)), math.cos(math.radians(skew))
    across, down = box.middle_x - width / 2, box.middle_y - height / 2
    right = across * cosine + down * sine - across
    lower = down * cosine - across * sine - down
    return Rect(box.left + right, box.top + lower, box.right + right, box.bottom + lower)


def _straightened(line: Line, page: PageContent, skew: float) -> Line:
    words = line.words or (Word(line.box, line.text, ""),)
    moved = tuple(
        word._replace(box=_moved(word.box, page.width, page.height, -skew)) for word in words
    )
    return replace(line, words=moved, box=enclosing(word.box for word in moved))


_UNMAPPED = 0.3  # of the characters have no letter: the page is read as an image
_LITTLE_TEXT = 400  # characters: a stamp or running headers beside the image of a page
_DPI = 300  # dots an inch at which a page is drawn for OCR
_LONGEST_SIDE = 4000  # pixels
_STEP = 1.25  # font sizes within this ratio count as one
_PITCH = 1.5  # of the font size: lines of a paragraph stand no farther apart
_EARLY = 2.0  # of the font size: a heading ends so far before the line below it
_BELOW = 0.5  # of the narrower of two lines, for one to stand below the other
_HALF = 0.5  # of the width of the text below: a heading above it is shorter
_SPACED = 2.0  # of the font size: a heading stands no farther above its text
_COVERED = 0.5  # of a recognised line: it is in the text layer already
_CENTS = re.compile(r"¢\s+(?=[^\W\d])")
_CENTS_OR_E = re.compile(rf"{_CENTS.pattern}|e (?=\S)")
_SURE = 0.8  # of an engine that does not read a page on its side, or the other way round
# confidence of an engine: of made scans with specks it was .30 to .85, of clean ones .87 and more
_CLEAR = 0.9
_MORE = 1.02  # times the letters of a reading: another with fewer more is as good by chance


def lay_out_or_read(
    opened: OpenedPage,
    page: PageContent,
    titles: Set[str],
    options: PdfOptions,
    pictured: PicturedLines,
) -> tuple[PageLayout, str]:
    """The page's layout, by OCR if it is an image or says something else in its picture than in the
    codes of its fonts, and the reason if its image was not read.

    Raises `ImageUnreadable` for a page without any text of its own.
    """
    otherwise = False
    needed = needs_reading(page, options.is_garbled) or (
        otherwise := pictured.say_otherwise(opened, page)
    )
    again = page.is_layer and options.prefers_second is not None and not needed
    if not again and not needed:
        return _lay_out(page, titles), ""
    if options.images is None:
        layout, text = _lay_out(page, titles), _text(page)
        has_image = page.bitmaps and undecoded_share(text) <= _UNMAPPED
        return layout, options.unread if has_image else ""
    scale = min(_DPI / 72, _LONGEST_SIDE / max(page.width, page.height))
    with closing(opened.page.render(scale=scale, grayscale=True)) as bitmap:
        image: Image.Image = bitmap.to_pil().convert("L")
    text = _text(page)
    try:
        reading = _read(image, round(72 * image.width / page.width), page.number, options.images)
    except ImageUnreadable as error:
        if not text.strip():
            raise
        return _lay_out(page, titles), f"its image could not be read, its text is kept: {error}"
    if again and not _is_better(reading.lines, text, options):
        return _lay_out(page, titles), ""
    unread = otherwise or options.is_garbled(text) or undecoded_share(text) > _UNMAPPED
    existing = () if again or unread else page.lines
    return _laid_out(page, existing, titles, reading)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The lines of an image that was turned and then straightened."""

    lines: Sequence[RecognisedLine]
    turn: int
    skew: float
    elsewhere: Set[str] | None = None  # the words of another reading of the image

    @property
    def words(self) -> Set[str]:
        """Its words by their letters and digits."""
        return {word for line in self.lines for word in _bare_words(line)}

    @property
    def confidence(self) -> float:
        return _confidence(self.lines) or 0.0

    @property
    def letters(self) -> float:
        """How many letters are read right, if the engine is as often right as it is confident."""
        return sum(line.confidence * len(line.text) for line in self.lines)

    def differs(self, line: RecognisedLine) -> bool:
        """Whether the image was read twice, and one of the two has a word of the line alone."""
        return self.elsewhere is not None and not _bare_words(line) <= self.elsewhere


def _read(image: Image.Image, dpi: int, number: int, images: ImageReader) -> _Reading:
    """The reading of an image, of those the engine is most confident of where it may lie turned;
    where that is not clear, of the image without specks if more letters are read.
    """

    def read(upright: Image.Image, turn: int, skew: float) -> _Reading:
        pixels = upright.tobytes()
        images.begin(number)
        drawn = PageImage(width=upright.width, height=upright.height, pixels=pixels, dpi=dpi)
        return _Reading(images.read(drawn), turn, skew)

    readings: list[_Reading] = []
    for turn in likely_turns(image):
        if len(readings) > 1 and max(each.confidence for each in readings) >= _SURE:
            break
        upright = turned(image, turn)
        skew = measure_skew(upright)
        readings.append(read(deskew(upright, skew), turn, skew))
    best = max(readings, key=lambda each: each.confidence)
    if best.confidence >= _CLEAR:
        return best
    clean = without_specks(deskew(turned(image, best.turn), best.skew))
    again = read(clean, best.turn, best.skew)
    kept, other = (again, best) if again.letters > _MORE * best.letters else (best, again)
    return replace(kept, elsewhere=other.words)


def needs_reading(page: PageContent, is_garbled: Callable[[str], bool]) -> bool:
    """Whether the page needs OCR: it has no or hardly any text, the text layer over its image is
    garbled, or its fonts do not say what letters they draw.
    """
    text = _text(page)
    if not text.strip():
        return bool(page.bitmaps or page.drawings)
    if undecoded_share(text) > _UNMAPPED:
        return True
    covered = covered_share(page.bitmaps, page.width, page.height)
    return covered >= SCAN and (len(text) < _LITTLE_TEXT or is_garbled(text))


def _is_better(lines: Sequence[RecognisedLine], text: str, options: PdfOptions) -> bool:
    """Whether the lines that OCR read are a better text than that of a scan's text layer."""
    second = "\n".join(line.text for line in lines)
    return options.prefers_second is not None and options.prefers_second(text, second)


def _lay_out(page: PageContent, titles: Set[str]) -> PageLayout:
    """The page's layout; a text layer is straightened for it, and its image is no figure."""
    if not page.is_layer:
        return lay_out(page, titles)
    turn, page = page.turn, _upright(page)
    skew = layer_skew(page.lines)
    plain = _bulleted([replace(line, style=Style(line.size)) for line in page.lines])
    straight = [_straightened(line, page, skew) for line in plain] if skew else plain
    content = replace(page, lines=tuple(_even(straight)), bitmaps=())
    layout = lay_out(content, titles | _numbered(content.lines))
    return replace(skew_back(layout, skew), is_layer=True, turn=turn)


def _upright(page: PageContent) -> PageContent:
    """A scan turned so that its text layer is upright, without the rules of one that lay turned."""
    if not page.turn:
        return page
    lines = tuple(line.turned(page.width, page.height, page.turn) for line in page.lines)
    sides = (page.height, page.width) if page.turn % 2 else (page.width, page.height)
    return PageContent(page.number, *sides, lines, is_layer=True)


def read_pages(layouts: Iterable[PageLayout]) -> dict[int, float]:
    """The pages read by OCR, with the confidence of each."""
    return {page.number: page.confidence for page in layouts if page.confidence is not None}


def _laid_out(
    page: PageContent,
    existing: Sequence[Line],
    titles: Set[str],
    reading: _Reading,
) -> tuple[PageLayout, str]:
    existing = [_turned(line, page, reading.turn) for line in existing]
    new = [line for line in reading.lines if not _is_in_text_layer(line, existing)]
    if not new:
        layout = lay_out(page, titles)
        textless = all(block.is_empty_picture for block in layout.blocks)
        return layout, "OCR found no text in the page's image" if textless else ""
    lines = (*existing, *_even(_bulleted([_line(line) for line in new])))
    sides = (page.height, page.width) if reading.turn % 2 else (page.width, page.height)
    content = PageContent(page.number, *sides, lines, is_layer=True)
    layout = lay_out(content, titles | _numbered(lines))
    for block in layout.blocks:
        inside = [line for line in new if _rect(line).lies_in(block.box)]
        block.confidence = _confidence(inside)
        block.unsure = tuple(word for line in inside for word in line.unsure)
        block.disputed = any(map(reading.differs, inside))
    confidence = _confidence(new)
    placed = skew_back(layout, reading.skew)
    found = replace(placed, confidence=confidence, is_layer=page.is_layer, turn=reading.turn)
    return found, ""


def _turned(line: Line, page: PageContent, turn: int) -> Line:
    """A line that stands on a page where the turned page has it, as one word."""
    if not turn:
        return line
    box = line.box.turned(page.width, page.height, turn)
    return replace(line, box=box, words=(Word(box, line.text, ""),))


def _confidence(lines: Iterable[RecognisedLine]) -> float | None:
    """The engine's confidence in lines, each as much as it is long; None without any."""
    weighted = [(line.confidence * len(line.text), len(line.text)) for line in lines]
    letters = sum(length for _, length in weighted)
    return round(sum(weight for weight, _ in weighted) / letters, 3) if letters else None


def _bare_words(line: RecognisedLine) -> Set[str]:
    """The words of a line by their letters and digits."""
    return {"".join(filter(str.isalnum, word)) for word in line.text.split()} - {""}


def _text(page: PageContent) -> str:
    return "\n".join(line.text for line in page.lines)


def _is_in_text_layer(line: RecognisedLine, lines: Sequence[Line]) -> bool:
    box = _rect(line)
    return sum(box.shared_area(other.box) for other in lines) > _COVERED * box.area


def _line(line: RecognisedLine) -> Line:
    box = _rect(line)
    tall = box.height > 3 * box.width and len(line.text) > 3
    words = (Word(box, line.text, ""),)
    return Line(box, line.text, Style(line.size), words, rotated=tall)


def _bulleted(lines: Sequence[Line]) -> list[Line]:
    """The lines with the bullets at their beginnings that a program read as a sign of cents, since
    that never stands before a word, or as an `e`, if it begins more lines than it stands within.
    """
    starts = sum(line.text.startswith("e ") for line in lines)
    within = sum(line.text.split()[1:].count("e") for line in lines)
    read_as = _CENTS_OR_E if starts > max(1, within) else _CENTS
    return [_with_bullet(line) if read_as.match(line.text) else line for line in lines]


def _with_bullet(line: Line) -> Line:
    first = (word._replace(text=f"•{word.text[1:]}") for word in line.words[:1])
    return replace(line, text=f"•{line.text[1:]}", words=(*first, *line.words[1:]))


def _even(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines with font sizes made uniform, since those that a program measures vary: most within
    a paragraph.
    """
    measured = list(lines)
    usual = weighted_median((line.size, len(line.text)) for line in measured)
    steps = [round(math.log(line.size / usual, _STEP)) for line in measured]
    for index, (line, step) in enumerate(zip(measured, steps)):
        near = abs(step) == 1 and max(line.size / usual, usual / line.size) < _STEP
        around = [at for at in (index - 1, index + 1) if near and 0 <= at < len(measured)]
        same = any(not steps[at] and _is_next(line, measured[at], usual) for at in around)
        yield replace(line, style=Style(usual if same else usual * _STEP**step))


def _is_next(line: Line, other: Line, size: float) -> bool:
    """Whether a line stands as near above or below another as those of a paragraph do."""
    pitch, narrow = abs(line.box.bottom - other.box.bottom), min(line.box.width, other.box.width)
    shared = line.box.shared_width(other.box) > _BELOW * narrow
    short = line.box.right < other.box.right - _EARLY * size and line.text[:1].isupper()
    heads = short and not line.text.endswith(SENTENCE_END)
    return shared and not heads and size < pitch < _PITCH * size


def _numbered(lines: Sequence[Line]) -> Set[str]:
    """The letters and digits of the lines that are numbered and end long before the line below,
    with which text begins: it is no part of an item of a list.
    """
    return {
        tight(line.text)
        for line in lines
        if RUNNING_NUMBER.match(line.text) and any(_begins_text(below, line) for below in lines)
    }


def _begins_text(line: Line, above: Line) -> bool:
    """Whether a far longer line stands right below one, flush with it, and begins a sentence."""
    pitch = line.box.bottom - above.box.bottom
    flush = abs(line.box.left - above.box.left) < above.size
    longer = above.box.width < _HALF * line.box.width
    return flush and longer and line.text[:1].isupper() and 0 < pitch < _SPACED * above.size


def _rect(line: RecognisedLine) -> Rect:
    return Rect(*line.box)
