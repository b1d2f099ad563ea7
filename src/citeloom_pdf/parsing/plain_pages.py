"""Pages without text from the parser, read with PDFium: words and their positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby

import pypdfium2 as pdfium
from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import LayoutBlock, PageLayout
from citeloom_pdf.elements.fonts import mixed_style
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import NO_FORMULAS, Line, PageContent, Word
from citeloom_pdf.elements.patterns import is_prose
from citeloom_pdf.parsing.characters import PageCharacters
from citeloom_pdf.parsing.hidden_text import hidden_text, without_hidden
from citeloom_pdf.parsing.lines import Cell, lines_of_cells
from citeloom_pdf.parsing.opened_pages import OpenedPage, Turning
from citeloom_pdf.parsing.raised_letters import with_scripts
from citeloom_pdf.parsing.right_to_left import with_lines_from_right
from citeloom_pdf.parsing.vertical_lines import with_lines_downwards

_MOST_CHARACTERS = 60_000  # with the spaces PDFium adds: a page of small print has 20,000
_LINE_ENDS = frozenset("\r\n")
_TOUCHING = 0.02  # of a letter's height
_HYPHENS = frozenset("\x02\ufffe")  # what PDFium makes of a hyphen at a line's end


def is_too_dense(page: OpenedPage) -> bool:
    """Whether the page has more characters than can be laid out in a few seconds."""
    try:
        return page.count > _MOST_CHARACTERS
    except pdfium.PdfiumError:
        return False


def plain_content(page: OpenedPage, bars: Sequence[Rect] = ()) -> PageContent | None:
    """The lines of a page without its drawings but `bars`, which may be those of fractions; None if
    PDFium finds no text.
    """
    try:
        letters = list(_letters(page))
    except pdfium.PdfiumError:
        return None
    characters = PageCharacters(page)
    lines = list(_lines(letters, characters.font))
    if not lines:
        return None
    cells = [
        Cell(enclosing(w.box for w in line), " ".join(w.text for w in line), line[0].font, 0.0)
        for line in lines
    ]
    words = [word for line in lines for word in line]
    placed = [Word(box, letter, "") for line in letters for letter, box, _ in line if box]
    cells, words = with_lines_from_right(cells, words, placed, characters.size_of)
    cell_lines = lines_of_cells(with_lines_downwards(cells), words, characters.size_of)
    hidden = hidden_text(page)
    seen = without_hidden(cell_lines, hidden)
    glyphs, formulas = None, NO_FORMULAS
    if not characters.is_dense:
        glyphs = characters.placed()
        seen, formulas = with_scripts(seen, glyphs, characters, bars)
    width, height = page.page.get_size()
    return PageContent(
        number=page.number,
        width=width,
        height=height,
        lines=tuple(seen),
        glyphs=glyphs,
        formulas=formulas,
        hidden=hidden,
    )


_Letter = tuple[str, Rect | None, int]  # and its position; without a box it is white space


def printed_lines(page: OpenedPage) -> Iterator[list[Word]]:
    """The words of each non-empty line as PDFium reads them, each with the space that is drawn
    behind it: a program that reads images stretches both to the width of the word.
    """
    return _lines(_letters(page, with_spaces=True))


def _lines(
    letters: Iterable[Sequence[_Letter]], font_of: Callable[[int], str] = lambda _: ""
) -> Iterator[list[Word]]:
    """The words of each non-empty line, with the font of their first letter."""
    for line in letters:
        words = []
        for _, run in groupby(line, key=lambda letter: letter[1] is not None):
            inked = [(letter, box, at) for letter, box, at in run if box]
            if inked:
                text = "".join(letter for letter, _, _ in inked)
                words.append(
                    Word(enclosing(box for _, box, _ in inked), text, font_of(inked[0][2]))
                )
        if words:
            yield words


def _letters(page: OpenedPage, *, with_spaces: bool = False) -> Iterator[list[_Letter]]:
    """The letters of each line, the last of a word with the space drawn behind it if wanted; PDFium
    gives no line's end after some hyphens, and where a column ends.
    """
    line: list[_Letter] = []
    letters, signs = page.letters, page.signs_of_controls
    for index in _positions(page):
        letter = signs.get(index, letters[index])
        box = _ink(page.text, index, letter, page.turning)
        before = line[-1] if line else None
        if letter in _LINE_ENDS or (box and before and _is_in_another_line(*before[:2], box)):
            yield line
            line = []
        if with_spaces and letter == " " and before and before[1]:
            line[-1] = (before[0], _with_space(page, index, before[1]), before[2])
        line.append(("-" if letter in _HYPHENS else letter, box, index))
    yield line


def _with_space(page: OpenedPage, index: int, letter: Rect) -> Rect:
    """The box of a letter with the space behind it, if that is drawn and not PDFium's own."""
    space = page.turning.shown(*page.text.get_charbox(index, loose=True))
    touches = abs(space.left - letter.right) < _TOUCHING * letter.height
    return letter.union(space) if touches and space.width < letter.height else letter


def _is_in_another_line(letter: str, before: Rect | None, box: Rect) -> bool:
    if before is None:
        return False
    lowest = before.middle_y if letter == "-" and box.right < before.left else before.bottom
    return box.top >= lowest or box.bottom < before.top - before.height


def _positions(page: OpenedPage) -> Iterable[int]:
    """The letters to read, by position; of a page that is too dense, those in lines of prose."""
    count, whole = page.count, page.whole
    if count <= _MOST_CHARACTERS or len(whole) != count:
        return range(count)
    ends = [position for position, letter in enumerate(whole) if letter == "\n"]
    lines = zip([0, *(end + 1 for end in ends)], [*(end + 1 for end in ends), count])
    prose = (range(start, end) for start, end in lines if is_prose(whole[start:end]))
    return chain.from_iterable(prose)


def _ink(text: pdfium.PdfTextPage, index: int, letter: str, turning: Turning) -> Rect | None:
    """The box of a letter, None for white space and the like."""
    if letter in _HYPHENS or (letter.isprintable() and not letter.isspace()):
        return turning.shown(*text.get_charbox(index, loose=True))
    return None


# The layout of a page by its text alone, in time proportional to its length.

# a page with more has a drawing's labels among them
_MOST_LINES, _MOST_PLAIN_CHARACTERS = 300, 15_000
_LONGEST = 60  # lines of a paragraph
_PITCH = 1.8  # of the font size: a line that starts farther below begins a paragraph
_SAME_SIZE = 0.6  # points


def lay_out_plainly(page: PageContent) -> PageLayout:
    """The page's paragraphs in the order of its lines, without tables, figures and labels."""
    lines = [line for line in page.lines if not line.rotated]
    if len(lines) > _MOST_LINES or sum(len(line.text) for line in lines) > _MOST_PLAIN_CHARACTERS:
        lines = [line for line in lines if is_prose(line.text)]
    blocks = tuple(
        LayoutBlock(
            DocItemLabel.TEXT,
            box := enclosing(line.box for line in paragraph),
            mixed_style([(line.style, len(line.text)) for line in paragraph]),
            tuple(line.text for line in paragraph),
            doubtful=any(doubtful.lies_in(box) for doubtful in page.formulas.doubtful),
        )
        for paragraph in _paragraphs(lines)
    )
    return PageLayout(page.number, page.width, page.height, blocks)


def _paragraphs(lines: Iterable[Line]) -> list[list[Line]]:
    paragraphs: list[list[Line]] = []
    for line in lines:
        if paragraphs and _goes_on(paragraphs[-1], line):
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return paragraphs


def _goes_on(paragraph: Sequence[Line], line: Line) -> bool:
    before = paragraph[-1]
    return (
        len(paragraph) < _LONGEST
        and 0 < line.box.bottom - before.box.bottom <= _PITCH * before.size
        and line.box.shared_width(before.box) > 0
        and abs(line.size - before.size) <= _SAME_SIZE
    )
