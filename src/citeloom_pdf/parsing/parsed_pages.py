"""Pages parsed by docling-parse: lines with styles, rules, images and drawings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import cache, cached_property
from io import BytesIO
from itertools import chain, pairwise
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, Protocol

from docling_core.types.doc.page import BoundingRectangle
from docling_parse.pdf_parser import (
    ContentConfig,
    ContentLevel,
    DecodeConfig,
    DoclingThreadedPdfParser,
    PageParseResult,
    ThreadedPdfParserConfig,
)

from citeloom_pdf.elements.direction import has_from_right, mirrored
from citeloom_pdf.elements.geometry import PlacedGlyphs, Rect
from citeloom_pdf.elements.page import (
    NO_FORMULAS,
    FormulaPlaces,
    HiddenText,
    Line,
    PageContent,
    Word,
    find_rules,
)
from citeloom_pdf.parsing.accents import (
    COMBINING,
    Character,
    composed_characters,
    with_accents,
    with_typed_signs,
)
from citeloom_pdf.parsing.actual_texts import with_actual_texts
from citeloom_pdf.parsing.characters import PageCharacters
from citeloom_pdf.parsing.dense_drawings import LightPage
from citeloom_pdf.parsing.drawn_letters import without_strokes
from citeloom_pdf.parsing.fractions import bars_of, with_fractions_of_numbers
from citeloom_pdf.parsing.glyph_names import has_names, is_name, without_names
from citeloom_pdf.parsing.hidden_text import hidden_text, without_hidden
from citeloom_pdf.parsing.joined_marks import has_joined_marks, with_lines_of_letters
from citeloom_pdf.parsing.lines import Cell, lines_of_cells
from citeloom_pdf.parsing.non_joiners import with_non_joiners
from citeloom_pdf.parsing.opened_pages import OpenedPage, OpenedPages
from citeloom_pdf.parsing.plain_pages import plain_content
from citeloom_pdf.parsing.raised_letters import with_scripts
from citeloom_pdf.parsing.right_to_left import with_lines_from_right
from citeloom_pdf.parsing.spacing import with_spaces_checked
from citeloom_pdf.parsing.symbol_fonts import has_signs, signs_of, with_signs_of_fonts
from citeloom_pdf.parsing.tall_letters import TallLetters
from citeloom_pdf.parsing.text_layers import (
    SCAN,
    covered_share,
    has_text_layer,
    layer_lines,
    layer_turn,
)
from citeloom_pdf.parsing.torn_lines import (
    ROOT,
    with_gaps_filled,
    with_roots_in_row,
    with_torn_joined,
)
from citeloom_pdf.parsing.uncoded_letters import missing_signs, uncoded_words, with_left_out
from citeloom_pdf.parsing.underscores import ROW, has_underscores, row_of, with_underscores
from citeloom_pdf.parsing.vertical_lines import with_lines_downwards

# The words of a whole document as PDFium reads them, for what one page does not tell.

_WORD = re.compile(r"[^\W\d_]+")
_MOST_PAGES = 200  # pages of a document whose words are counted
_OFTEN = 2  # times a word occurs that counts as known


class PrintedWords:
    """Counted when first asked for, over the first pages of the document."""

    def __init__(self, pages: OpenedPages) -> None:
        self._pages = pages

    def has(self, word: str) -> bool:
        """Whether the document has the word more than once."""
        return self._counts[word] >= _OFTEN

    @cached_property
    def _counts(self) -> Counter[str]:
        counts = Counter[str]()
        for number in range(1, min(len(self._pages), _MOST_PAGES) + 1):
            counts.update(word.lower() for word in _WORD.findall(self._pages.text(number)))
        return counts


_ACCENTS = frozenset(COMBINING)
_SPACES = (
    " \t\n\r\xa0\u2000\u2002\u2003\u2009\u3000"  # not controls: in fonts of TeX these are letters
)
_UNDECODED = "\ufffd"  # what the parser has for a letter that it cannot decode
_INVISIBLE = 3  # the rendering mode of text that is neither filled nor stroked
_LONGEST_UNDERSCORE = 7.0  # points
_MOST_UNDERSCORES = 400  # strokes of such a length: a page with more has a plot
_ROWS = 3  # of the page that a letter reaches into, unless it is taller than two of them
_TOUCHING = 0.0  # points: drawings that overlap belong together
_STRAIGHT = 1e-3  # points: how far a stroke may deviate and still be horizontal or vertical
_MOST_STROKES = 50_000  # strokes of a page: with more, none is a table's rule
_MOST_SHAPES = 5_000  # of a page: with more, it has a plot rather than a table
_LEAST_CORNERS = 4  # points that a filled rule has at least
_WHITE = (255, 255, 255)  # a fill that is not seen
_THINNEST_DRAWING = 1.0  # points: what is thinner is a rule
_MOSTLY_RULES = 0.5  # of the images of a page
_TALLEST = 90.0  # points: no line of text is taller
_NAMELESS = "null"  # a font to the parser
_MISPLACED = 0.1  # of the cells
_CONTENT = ContentConfig(
    char_cells_content_level=ContentLevel.COMPUTE,
    word_cells_content_level=ContentLevel.COMPUTE,
    line_cells_content_level=ContentLevel.COMPUTE,
    shapes_content_level=ContentLevel.COMPUTE,
    bitmaps_content_level=ContentLevel.COMPUTE_AND_MATERIALIZE,
    include_bitmap_bytes=False,
)


_CORNERS = attrgetter("r_x0", "r_x1", "r_x2", "r_x3", "r_y0", "r_y1", "r_y2", "r_y3")
_Stroke = Sequence[float]  # left, bottom, right, top, up from the page's corner


class _Corners(Protocol):
    r_x0: float
    r_y0: float
    r_x1: float
    r_y1: float
    r_x2: float
    r_y2: float
    r_x3: float
    r_y3: float


class _ParsedCell(_Corners, Protocol):
    """A word or line as the page decoder holds it."""

    text: str
    font_name: str
    rendering_mode: int


class PageUnreadable(Exception):
    """The parser could not read a page; its message says why."""


@contextmanager
def _loaded(
    source: Path | BytesIO, pages: Sequence[int]
) -> Iterator[DoclingThreadedPdfParser | None]:
    """The parser loaded with the pages, or None if it cannot open the file."""
    parser = DoclingThreadedPdfParser(
        parser_config=ThreadedPdfParserConfig(
            loglevel="fatal",
            threads=1,
            max_concurrent_results=1,
            page_content_config=_CONTENT,
        ),
        decode_config=DecodeConfig(
            do_sanitization=False, release_native_memory_every_n_pages=len(pages)
        ),
    )
    try:
        key = _start(parser, source, pages)
    except (RuntimeError, ValueError):
        yield None
        return
    try:
        yield parser
    finally:
        # a parser that is dropped while pages are being parsed waits for them forever
        while parser.has_tasks():
            parser.get_task()
        parser.unload(key)


def _start(parser: DoclingThreadedPdfParser, source: Path | BytesIO, pages: Sequence[int]) -> str:
    """Start the parser; a range may exceed the pages it finds, a list of numbers may not."""
    if pages and pages[-1] - pages[0] == len(pages) - 1:
        return str(parser.load(source, page_range=(pages[0], pages[-1])))
    return str(parser.load(source, page_numbers=list(pages)))


def parsed_pages(
    path: Path,
    pages: Sequence[int],
    light: Mapping[int, LightPage],
    on_page: Callable[[int], None],
) -> Iterator[tuple[int, PageParseResult | None]]:
    """The pages in order, each with its result, or None if the parser finds no such page; pages
    in `light` are parsed from there.

    `on_page` is called before waiting for each page. The result is None as well if the parser
    cannot open the file.
    """
    heavy = [number for number in pages if number not in light]
    with _loaded(path, heavy) as parser:
        early: dict[int, PageParseResult] = {}
        for number in pages:
            on_page(number)
            if number in light:
                with _loaded(light[number].pdf, [1]) as alone:
                    yield number, alone.get_task() if alone and alone.has_tasks() else None
                continue
            while parser and number not in early and parser.has_tasks():
                result = parser.get_task()
                early[result.page_number] = result
            yield number, early.pop(number, None)


def page_content(
    result: PageParseResult | None,
    opened: OpenedPage,
    printed: PrintedWords,
    left_out: Sequence[Rect] = (),
) -> PageContent:
    """The content of a parsed page, in points from its top left corner.

    `left_out` are the boxes of drawings that are not in the result, `printed` the document's words.

    A page that the parser failed on, or found no text on, is read with PDFium. Raises
    `PageUnreadable` if the parser failed and PDFium finds no text either.
    """
    if result is None or not result.success:
        plain = plain_content(opened)
        if plain is not None:
            return plain
        reason = result.error_message if result else "the parser finds no such page"
        raise PageUnreadable(reason or "the page could not be parsed")
    page = result.get_page()
    width, height = result.page_width, result.page_height
    drawings, strokes = _shapes(result, height)
    drawings += left_out
    rules = (_rect(stroke, height) for stroke in strokes if len(strokes) <= _MOST_STROKES)
    filled = list(_filled_rules(result, height))
    hidden = hidden_text(opened)
    bitmaps = tuple(_rect_of(bitmap.rect, height) for bitmap in page.bitmap_resources)
    drawn = chain(rules, drawings, filled, _rules_among(bitmaps))
    horizontal, vertical = find_rules(drawn, width, height)
    is_layer = covered_share(bitmaps, width, height) >= SCAN and has_text_layer(opened)
    glyphs, formulas = None, NO_FORMULAS
    turn = layer_turn(opened) if is_layer else 0
    layer = layer_lines(opened, turn) if is_layer else []
    if layer and not any(has_from_right(line.text) for line in layer):
        lines: Sequence[Line] = without_hidden(layer, hidden)
    else:
        turn = 0
        # Ghostscript draws the rules in a line's text as images, office programs fill them
        level = [
            *(_rect(stroke, height) for stroke in strokes if _is_level(stroke)),
            *(rect for rect in chain(filled, bitmaps) if rect.height <= _THINNEST_DRAWING),
        ]
        lines, glyphs, formulas = _read(result, opened, printed, hidden, level)
    plain = None if lines or hidden else plain_content(opened)
    return plain or PageContent(
        number=opened.number,
        width=width,
        height=height,
        lines=tuple(lines),
        horizontal=horizontal,
        vertical=vertical,
        bitmaps=bitmaps,
        drawings=tuple(box for box in drawings if min(box.width, box.height) > _THINNEST_DRAWING),
        glyphs=glyphs,
        formulas=formulas,
        hidden=hidden,
        is_layer=is_layer,
        turn=turn,
    )


def _read(
    result: PageParseResult,
    opened: OpenedPage,
    printed: PrintedWords,
    hidden: Sequence[HiddenText],
    level: Sequence[Rect],
) -> tuple[Sequence[Line], PlacedGlyphs | None, FormulaPlaces]:
    """The lines of a page without its hidden words, its letters unless they are too many, and the
    places of its formulas; `level` are its rules from left to right.

    Read from the page decoder itself: the public methods build a validated model of each word.
    """
    decoder, height = result._require_page_decoder(), result.page_height
    bars = bars_of(level)
    parsed_lines = _inked(decoder.get_line_cells())
    if _are_misplaced(parsed_lines) and (plain := plain_content(opened, bars)):
        return plain.lines, plain.glyphs, plain.formulas
    characters = PageCharacters(opened)
    parsed_words = _inked(decoder.get_word_cells())
    if has_names(cell for cell, _ in parsed_words):
        named = [
            Word(_rect_of(cell, height), cell.text, _font(cell))
            for cell in decoder.get_char_cells()
            if is_name(cell.text)
        ]
        parsed_words = _without_names(parsed_words, named, height)
        parsed_lines = _without_names(parsed_lines, named, height)
    parsed = [text for _, text in parsed_words]
    characters.compare(parsed)
    doubtful = {_font(cell) for cell, text in parsed_words if _UNDECODED in text}
    boxes = [_rect_of(cell, height) for cell, _ in parsed_lines]
    drawn = cache(lambda: _letters(decoder.get_char_cells(), height))
    tall = TallLetters(boxes, drawn)
    reader = _Reader(characters, height, doubtful, tall)
    cells = [part for cell, text in parsed_lines for part in reader.cells(cell, text)]
    words = [part for cell, text in parsed_words for part in reader.words(cell, text)]
    if any(has_signs(word.font) for word in words):
        letters = _words(decoder.get_char_cells(), height)
        cells, words = with_signs_of_fonts(cells, letters), with_signs_of_fonts(words, letters)
    uncoded = decoder.get_char_cells() if characters.has_more("".join(parsed)) else ()
    for word in uncoded_words(_uncoded(uncoded, height)):
        read = word._replace(text=characters.as_coded(word.text, word.box))
        words.append(read)
        cells.append(Cell(read.box, read.text, read.font, 0.0))
    inked = [
        letter
        for letter in (drawn() if opened.signs_of_controls else ())
        # TeX has ligatures under the codes of white space
        if letter.text.strip() and letter.box.height <= _TALLEST
    ]
    signs = characters.left_out(letter.box for letter in inked)
    if left_out := missing_signs(cells, signs):
        # of their font, the parser has letters out of place
        words = [word for word in words if not _is_out_of_place(word)] + left_out
        cells = [cell for cell in cells if not _is_out_of_place(cell)]
        cells = with_left_out(cells, left_out, inked)
    cells, words = _with_drawn(cells, words, result, level, drawn)
    if any(cell.text == ROOT for cell in cells):
        cells = with_roots_in_row(cells, joined=True)
        words = with_roots_in_row(words, joined=False)
    if any(has_from_right(cell.text) for cell in cells):
        letters = _words(decoder.get_char_cells(), height, of=opened)
        cells, words = _with_lines_from_right(cells, words, letters, bars, reader)
    if any(has_joined_marks(cell.text) for cell in cells):
        letters = _words(decoder.get_char_cells(), height)
        cells, words = with_lines_of_letters(
            cells, words, letters, characters.size_of, reader.letter
        )
    lines = lines_of_cells(with_lines_downwards(cells), words, characters.size_of)
    lines = with_gaps_filled(with_torn_joined(without_hidden(lines, hidden)))
    if characters.is_dense:
        return lines, None, FormulaPlaces(tuple(line.box for line in lines if line.style.math))
    glyphs = characters.placed()
    lines = with_spaces_checked(lines, glyphs, printed)
    lines, formulas = with_scripts(lines, glyphs, characters, bars)
    return [with_typed_signs(line, glyphs) for line in lines], glyphs, formulas


def _with_lines_from_right(
    cells: Sequence[Cell],
    words: Sequence[Word],
    letters: Sequence[Word],
    bars: Sequence[Rect],
    reader: _Reader,
) -> tuple[list[Cell], list[Word]]:
    """The parts of lines and the words, those of lines from the right by their `letters`."""
    letters, fractions = with_fractions_of_numbers(letters, bars)
    letters, drawn_out = without_strokes(letters)
    cells = [
        *(cell for cell in cells if not _is_part(cell, fractions)),
        *(Cell(word.box, word.text, word.font, 0.0) for _, word in fractions),
        *(Cell(letter.box, letter.text, letter.font, 0.0) for letter in drawn_out),
    ]
    undecoded = {letter.font for letter in letters if _UNDECODED in letter.text}
    reader = reader._replace(doubtful=reader.doubtful & undecoded)
    return with_lines_from_right(cells, words, letters, reader.characters.size_of, reader.letter)


def _is_part(cell: Cell, fractions: Sequence[tuple[Rect, Word]]) -> bool:
    return cell.text.isdecimal() and any(cell.box.lies_in(box) for box, _ in fractions)


def _inked(cells: Iterable[_ParsedCell]) -> list[tuple[_ParsedCell, str]]:
    """The cells with their text, those of white space left out."""
    return [(cell, text) for cell in cells if (text := cell.text).strip(_SPACES)]


def _without_names(
    cells: Iterable[tuple[_ParsedCell, str]], named: Sequence[Word], height: float
) -> list[tuple[_ParsedCell, str]]:
    """The cells without the names of glyphs, those that have nothing else left out."""
    spelled = ((cell, without_names(text, _rect_of(cell, height), named)) for cell, text in cells)
    return [(cell, text) for cell, text in spelled if text]


def _with_drawn(
    cells: list[Cell],
    words: list[Word],
    result: PageParseResult,
    level: Sequence[Rect],
    drawn: Callable[[], list[Character]],
) -> tuple[list[Cell], list[Word]]:
    """The parts of lines and the words with the accents and underscores that are drawn apart."""
    rules = [rule for rule in level if rule.width <= _LONGEST_UNDERSCORE]
    accented = any(not _ACCENTS.isdisjoint(cell.text) for cell in cells)
    if accented:
        cells, words = with_accents(cells, drawn()), with_accents(words, drawn())
    characters = result._require_page_decoder().get_char_cells()
    if 0 < len(rules) <= _MOST_UNDERSCORES and _are_near(characters, rules, result.page_height):
        letters = composed_characters(drawn()) if accented else drawn()
        cells = with_underscores(cells, letters, rules)
        words = with_underscores(words, letters, rules)
    return cells, words


def _is_level(stroke: _Stroke) -> bool:
    return abs(stroke[3] - stroke[1]) <= _STRAIGHT


def _are_near(characters: Iterable[_ParsedCell], rules: Sequence[Rect], height: float) -> bool:
    """Whether a rule is an underscore of letters about its row; few others are looked at."""
    starts = {row_of(rule.middle_y) - above for rule in rules for above in range(_ROWS)}
    letters = (
        c
        for c in characters
        if row_of(height - (top := c.r_y2)) in starts
        or not 0 <= top - c.r_y0 <= ROW * (_ROWS - 1)
        or c.r_y1 != c.r_y0
    )
    return has_underscores(rules, _letters(letters, height))


def _words(
    cells: Iterable[_ParsedCell], height: float, *, of: OpenedPage | None = None
) -> list[Word]:
    """The letters of a page as words of their own, in the order of drawing; with the actual texts
    that PDFium has on a page, if it is given, and with non-joiners.
    """
    letters = [Word(_rect_of(cell, height), cell.text, _font(cell)) for cell in cells]
    if of is not None:
        letters = with_non_joiners(with_actual_texts(letters, of.page, of.turning), of)
    return [letter for letter in letters if letter.text]


def _uncoded(cells: Iterable[_ParsedCell], height: float) -> Iterator[Word]:
    """The upright letters seen on a page for which the parser has no text."""
    for cell in cells:
        if not cell.text and cell.rendering_mode != _INVISIBLE and not _angle(cell):
            yield Word(_rect_of(cell, height), "", _font(cell))


def _letters(cells: Iterable[_ParsedCell], height: float) -> list[Character]:
    return [Character(cell.text, _rect_of(cell, height)) for cell in cells]


def _are_misplaced(cells: Sequence[tuple[_ParsedCell, str]]) -> bool:
    """Whether boxes are far too large for their text, as those of some Type 3 fonts are."""
    wrong = sum(
        abs(cell.r_y2 - cell.r_y0) > _TALLEST and abs(_angle(cell) % 180) < 1 for cell, _ in cells
    )
    return wrong > _MISPLACED * len(cells)


def _is_out_of_place(piece: Word | Cell) -> bool:
    """Whether a piece in a font without a name is too tall for a letter."""
    return piece.font == _NAMELESS and piece.box.height > _TALLEST


def _shapes(result: PageParseResult, height: float) -> tuple[list[Rect], Sequence[_Stroke]]:
    """The connected drawings, and each horizontal or vertical stroke as the parser has it.

    Read from the page decoder itself: a plot may have 100,000 strokes, and the public methods
    build a validated model of each.
    """
    decoder = result._require_page_decoder()
    drawings = decoder.get_connected_shape_bounding_boxes(tolerance=_TOUCHING)
    strokes = decoder.get_shape_lines(horizontal=True, vertical=True, tolerance=_STRAIGHT)
    return [_rect(box, height) for box in drawings], strokes


def _filled_rules(result: PageParseResult, height: float) -> Iterator[Rect]:
    """The box of each shape that is filled, as office programs draw the rules of a table, with ends
    that are cut for the corners: where they touch, the parser has the whole grid as one drawing.
    """
    shapes = result._require_page_decoder().get_page_shapes()
    if len(shapes) > _MOST_SHAPES:
        return
    for shape in shapes:
        if tuple(shape.get_rgb_filling_ops()) == _WHITE:
            continue
        across, up = shape.get_x(), shape.get_y()
        for start, end in pairwise(shape.get_i()):
            xs, ys = across[start:end], up[start:end]
            if len(xs) >= _LEAST_CORNERS:
                yield _rect((min(xs), min(ys), max(xs), max(ys)), height)


def _rules_among(bitmaps: Sequence[Rect]) -> Sequence[Rect]:
    """The rules that Ghostscript draws as images; a few thin ones among others are letters."""
    thin = [box for box in bitmaps if min(box.width, box.height) <= _THINNEST_DRAWING]
    return thin if len(thin) > _MOSTLY_RULES * len(bitmaps) else []


def _rect(box: Sequence[float], height: float) -> Rect:
    """A parser's box, converted from its origin at the bottom left."""
    left, bottom, right, top = box
    return Rect(
        min(left, right), height - max(bottom, top), max(left, right), height - min(bottom, top)
    )


def _rect_of(corners: _Corners, height: float) -> Rect:
    x0, x1, x2, x3, y0, y1, y2, y3 = _CORNERS(corners)
    if x0 == x3 <= x1 == x2 and y0 == y1 <= y2 == y3:  # upright, as nearly all are
        return Rect(x0, height - y2, x1, height - y0)
    left, right = min(x0, x1, x2, x3), max(x0, x1, x2, x3)
    return Rect(left, height - max(y0, y1, y2, y3), right, height - min(y0, y1, y2, y3))


class _Reader(NamedTuple):
    """Reads parsed cells with what PDFium prints in their places; `doubtful` are fonts of which the
    parser could not decode some letters.
    """

    characters: PageCharacters
    height: float
    doubtful: Set[str]
    tall: TallLetters

    def words(self, cell: _ParsedCell, whole: str) -> Iterator[Word]:
        font = _font(cell)
        for text, box in self._parts(cell, whole):
            yield Word(box, self._printed(text, box, font), font)

    def cells(self, cell: _ParsedCell, whole: str) -> Iterator[Cell]:
        font, angle = _font(cell), _angle(cell)
        for text, box in self._parts(cell, whole):
            yield Cell(box, self._printed(text, box, font), font, angle)

    def _parts(self, cell: _ParsedCell, whole: str) -> Iterable[tuple[str, Rect]]:
        box = _rect_of(cell, self.height)
        if self.tall.is_tall(box) and not _angle(cell):
            return self.tall.parts(whole, box)
        return ((whole, box),)

    def letter(self, text: str, box: Rect, font: str) -> str:
        """A letter as it is printed; what is drawn for two or more stays as it is, and so do
        brackets, which PDFium turns.
        """
        if len(text) > 1 or text == " " or mirrored(text) != text:
            return text
        return signs_of(self._printed(text, box, font), font) or text

    def _printed(self, text: str, box: Rect, font: str) -> str:
        is_doubtful = bool(self.doubtful) and (font in self.doubtful or _UNDECODED in text)
        return self.characters.as_printed(text.strip(_SPACES), box, is_doubtful=is_doubtful)


def _font(cell: _ParsedCell) -> str:
    return str(cell.font_name or "")


def _angle(cell: _ParsedCell) -> float:
    """In degrees."""
    if cell.r_y0 == cell.r_y1 and cell.r_y2 == cell.r_y3 and cell.r_x0 < cell.r_x1:
        return 0.0
    corners = {name: getattr(cell, name) for name in _Corners.__annotations__}
    return float(BoundingRectangle(**corners).angle_360)
