"""Stories placed line by line, so that every page's text is known without reading the PDF.

Here is what other programs do to PDFs: words or letters placed one by one, letter-spaced and
tight fonts, columns drawn in another order than read, pages turned, fonts without ToUnicode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.made_documents.setting import marks_of
from benchmarks.made_documents.stories import (
    Element,
    Formula,
    Heading,
    Paragraph,
    Plot,
    Story,
    Table,
)
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import registerFont, stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

_FOOT = 70.0
_GUTTER = 18.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CanvasStyle:
    """How a story is placed.

    `unit` is what one text operator holds: a line, a word or a letter. `backwards` draws the
    last column first, `turned` stores each page on its side. `unmapped` removes ToUnicode.
    """

    columns: int = 1
    size: float = 10
    leading: float = 1.22
    font: str = "Times-Roman"
    heading_font: str = "Times-Bold"
    spacing: float = 0
    heading_spacing: float = 0
    unit: str = "line"
    backwards: bool = False
    turned: bool = False
    unmapped: bool = False
    line_numbers: bool = False
    left: float = 62
    justified: bool = True


@dataclass(frozen=True, slots=True)
class SetText:
    """A line, or a part of one, on its baseline; `stretch` is what each space gains."""

    x: float
    y: float
    text: str
    font: str
    size: float
    spacing: float = 0
    stretch: float = 0


@dataclass(slots=True)
class SetPage:
    """A page's texts by column, in reading order, and its rules."""

    columns: list[list[SetText]]
    edges: list[SetText] = field(default_factory=list)
    notes: list[SetText] = field(default_factory=list)
    rules: list[tuple[float, float, float, float]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What stands on the page."""
        parts = [part for column in (*self.columns, self.notes, self.edges) for part in column]
        return "\n".join(part.text for part in parts)


def canvas_pdf(story: Story, style: CanvasStyle, path: Path) -> list[str]:
    """Place the story on the pages of a PDF; returns the text of each page."""
    if style.font.startswith("Vera"):
        registerFont(TTFont("Vera", "Vera.ttf"))
        registerFont(TTFont("VeraBd", "VeraBd.ttf"))
    pages = set_pages(story, style)
    _draw(pages, style, path)
    if style.unmapped:
        path.write_bytes(path.read_bytes().replace(b"/ToUnicode", b"/XxUnicode"))
    return [page.text for page in pages]


def set_pages(story: Story, style: CanvasStyle) -> list[SetPage]:
    """The story's pages."""
    setter = _Setter(story, style)
    for element in story.elements:
        setter.add(element)
    setter.finish()
    return setter.pages


def _draw(pages: Sequence[SetPage], style: CanvasStyle, path: Path) -> None:
    canvas = Canvas(str(path), pagesize=A4, pageCompression=not style.unmapped)
    for page in pages:
        if style.turned:
            canvas.setPageRotation(90)
            canvas.translate(A4[1], 0)
            canvas.rotate(90)
        columns = page.columns[::-1] if style.backwards else page.columns
        groups = (
            (page.edges, page.notes, *columns)
            if style.backwards
            else (*columns, page.notes, page.edges)
        )
        for part in (part for group in groups for part in group):
            _draw_text(canvas, part, style.unit)
        for rule in page.rules:
            canvas.line(*rule)
        canvas.showPage()
    canvas.save()


def _draw_text(canvas: Canvas, part: SetText, unit: str) -> None:
    for x, text in _units(part, unit):
        drawn = canvas.beginText(x, part.y)
        drawn.setFont(part.font, part.size)
        drawn.setCharSpace(part.spacing)
        drawn.setWordSpace(part.stretch if unit == "line" else 0)
        drawn.textOut(text)
        canvas.drawText(drawn)


def _units(part: SetText, unit: str) -> Iterator[tuple[float, str]]:
    if unit == "line":
        yield part.x, part.text
        return
    x = part.x
    units = part.text.split(" ") if unit == "word" else list(part.text)
    for text in units:
        if text.strip():
            yield x, text
        x += _width(text, part.font, part.size, part.spacing)
        if unit == "word":
            x += _width(" ", part.font, part.size, part.spacing) + part.stretch
        elif text == " ":
            x += part.stretch


def _width(text: str, font: str, size: float, spacing: float) -> float:
    return float(stringWidth(text, font, size)) + spacing * len(text)


class _Setter:
    """Fills columns from top to bottom, notes at the foot of the page over all columns."""

    def __init__(self, story: Story, style: CanvasStyle) -> None:
        self._story, self._style = story, style
        width = float(A4[0]) - style.left - 62 - _GUTTER * (style.columns - 1)
        self._width = width / style.columns
        self._waiting: list[str] = []
        self.pages: list[SetPage] = []
        self._marks = 0
        self._adders: dict[type, Callable[..., None]] = {
            Heading: self._heading,
            Paragraph: self._paragraph,
            Formula: self._formula,
            Table: self._table,
            Plot: self._plot,
        }
        self._turn_page()
        self._lines(story.title, self._style.heading_font, 16)

    def add(self, element: Element) -> None:
        self._adders[type(element)](element)

    def finish(self) -> None:
        while self._waiting:
            self._place_notes()
            if self._waiting:
                self._turn_page()

    def _turn_page(self) -> None:
        if self.pages:
            self._place_notes()
        page = SetPage([[] for _ in range(self._style.columns)])
        number = str(len(self.pages) + 1)
        page.edges += [
            SetText(self._style.left, A4[1] - 40, self._story.running_head, "Helvetica", 8),
            SetText(A4[0] - 80, A4[1] - 40, number, "Helvetica", 8),
            SetText(self._style.left, 30, self._story.footer, "Helvetica", 7),
        ]
        page.edges = [edge for edge in page.edges if edge.text and self._story.running_head]
        self.pages.append(page)
        self._column, self._y = 0, A4[1] - 70
        self._numbered = 0

    def _left(self) -> float:
        return self._style.left + self._column * (self._width + _GUTTER)

    def _down(self, height: float) -> None:
        """Go down, to the next column or page if there is no room."""
        if self._y - height < _FOOT + 50:
            self._column += 1
            self._y = A4[1] - 70
            if self._column == self._style.columns:
                self._turn_page()
        self._y -= height

    def _put(self, x: float, text: str, font: str, size: float, **more: float) -> None:
        self.pages[-1].columns[self._column].append(SetText(x, self._y, text, font, size, **more))

    def _lines(
        self, text: str, font: str, size: float, *, indent: float = 0, spacing: float = 0
    ) -> None:
        broken = list(_broken(text, font, size, self._width, indent, spacing))
        for number, line in enumerate(broken):
            self._down(size * self._style.leading)
            start = 0 if number else indent
            spare = self._width - start - _width(line, font, size, spacing)
            spaces = line.count(" ")
            last = number == len(broken) - 1 or not self._style.justified
            stretch = 0 if last or not spaces else spare / spaces
            self._put(self._left() + start, line, font, size, spacing=spacing, stretch=stretch)
            self._number_line(size)

    def _number_line(self, size: float) -> None:
        if self._style.line_numbers and self._column == 0:
            self._numbered += 1
            text = str(self._numbered)
            self.pages[-1].edges.append(
                SetText(self._style.left - 24, self._y, text, "Helvetica", size * 0.7)
            )

    def _heading(self, element: Heading) -> None:
        self._down(8)
        size = self._style.size + (3 if element.level == 1 else 1)
        self._lines(
            element.text, self._style.heading_font, size, spacing=self._style.heading_spacing
        )
        self._y -= 3

    def _paragraph(self, element: Paragraph) -> None:
        first, *others = element.sentences
        if element.note:
            self._marks += 1
            self._waiting.append(f"{self._marks} {element.note}")
            first += str(self._marks)
        if element.margin:
            self._margin(element.margin)
        text = " ".join((first, *others))
        self._lines(
            text, self._style.font, self._style.size, indent=12, spacing=self._style.spacing
        )

    def _margin(self, text: str) -> None:
        y = self._y - self._style.size * self._style.leading
        for line in _broken(text, self._style.font, 7, self._style.left - 34, 0, 0):
            self.pages[-1].notes.append(SetText(22, y, line, self._style.font, 7))
            y -= 8.5

    def _formula(self, element: Formula) -> None:
        self._down(22)
        self._put(self._left() + 40, element.plain, "Times-Italic", self._style.size)
        self._y -= 8

    def _table(self, element: Table) -> None:
        size = self._style.size * 0.88
        if self._y - (len(element.rows) + 5) * size * 1.3 < _FOOT + 50:
            self._down(A4[1])
            self._y = A4[1] - 70
        self._y -= 10
        self._lines(element.caption, self._style.font, size)
        share = self._width / (len(element.rows[0]) + 1)
        self._rule(4)
        for row in element.rows:
            self._down(size * 1.3)
            for number, cell in enumerate(row):
                x = self._left() + share * (number + (number > 0))
                self._put(x, cell, self._style.font, min(size, share / 5))
        self._rule(4)
        self._y -= 12

    def _rule(self, below: float) -> None:
        y = self._y - below
        self.pages[-1].rules.append((self._left(), y, self._left() + self._width, y))
        self._y -= below

    def _plot(self, element: Plot) -> None:
        height = 130
        if self._y - height - 60 < _FOOT + 50:
            self._down(A4[1])
            self._y = A4[1] - 70
        top, left = self._y - 6, self._left()
        plot: list[SetText] = []
        for x, y in marks_of(element, (20, self._width - 10), (24, height - 8)):
            plot.append(SetText(left + x, top - height + y, element.mark, "Helvetica", 6))
        for number, tick in enumerate(element.ticks):
            x = left + 16 + number * (self._width - 40) / 6
            plot.append(SetText(x, top - height + 6, tick, "Helvetica", 6))
        for number, entry in enumerate(element.legend):
            x = left + self._width - 80
            plot.append(SetText(x, top - 10 - 9 * number, entry, "Helvetica", 6))
        self.pages[-1].columns[self._column] += plot
        base = top - height + 14
        self.pages[-1].rules += [
            (left + 14, base, left + self._width, base),
            (left + 14, base, left + 14, top),
        ]
        self._y = top - height - 8
        self._lines(element.caption, self._style.font, self._style.size * 0.88)
        self._y -= 12

    def _place_notes(self) -> None:
        """As many notes as there is room for, over all columns below a rule."""
        page, size = self.pages[-1], self._style.size * 0.8
        width = A4[0] - self._style.left - 62
        y = _FOOT + 32
        if self._waiting:
            page.rules.append((self._style.left, y + 10, self._style.left + 110, y + 10))
        while self._waiting:
            lines = list(_broken(self._waiting[0], self._style.font, size, width, 0, 0))
            if y - size * 1.2 * len(lines) < 44:
                break
            self._waiting.pop(0)
            for line in lines:
                page.notes.append(SetText(self._style.left, y, line, self._style.font, size))
                y -= size * 1.2


def _broken(
    text: str, font: str, size: float, width: float, indent: float, spacing: float
) -> Iterator[str]:
    """The text in lines of a width, the first indented."""
    line, room = "", width - indent
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and _width(longer, font, size, spacing) > room:
            yield line
            line, room = word, width
        else:
            line = longer
    if line:
        yield line
