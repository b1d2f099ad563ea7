"""A document that is typeset for its statements: its source, its look, what must be so of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pypdfium2 as pdfium
import typst
from benchmarks.page_statements.phrases import Writer
from benchmarks.page_statements.statements import Cell, Order, Present, Side, Statement

_SERIF = ("New Computer Modern", "Libertinus Serif", "Noto Serif", "DejaVu Serif")
_SANS = ("DejaVu Sans", "Noto Sans", "DejaVu Sans Condensed", "Noto Sans Display")
_SIDES: tuple[Side, ...] = ("up", "down", "left", "right", "top_heading", "left_heading")


@dataclass(frozen=True, slots=True)
class Look:
    """How a page is set, which differs from form to form and from seed to seed."""

    font: str
    size: float
    columns: int = 1
    justify: bool = True
    indent: bool = True
    tagged: bool = True
    margin: str = "2.4cm"
    language: str = "en"
    head: str = ""
    foot: str = ""

    @classmethod
    def of(cls, form: int, random: Random, columns: int = 1) -> Look:
        """The look of a form: fonts, sizes, margins and edges by turns."""
        family = (_SERIF, _SANS)[form // 2 % 2]
        return cls(
            font=family[form // 4 % len(family)],
            size=random.choice((9, 10, 11, 12)) - 1.25 * (columns - 1),
            columns=columns,
            justify=form % 3 != 2,
            indent=form % 2 == 0,
            tagged=form % 4 in (0, 3),
            margin=random.choice(("2.4cm", "(x: 3.1cm, y: 2.2cm)", "2cm", "(x: 2cm, y: 3cm)")),
        )

    @property
    def letters(self) -> int:
        """How many letters a page has room for, about."""
        wide = 0.62 if self.font in _SANS else 0.52
        return int(300_000 / (1.35 * wide * self.size**2))

    def source(self) -> str:
        """The rules of the page in Typst."""
        return f"""
#set page(paper: "a4", margin: {self.margin}, columns: {self.columns},
  header: [{self.head}], footer: [{self.foot}])
#set text(font: ("{self.font}", "DejaVu Sans"), size: {self.size}pt, lang: "{self.language}")
#set par(justify: {str(self.justify).lower()},
  first-line-indent: {"1.2em" if self.indent else "0em"},
  spacing: {"0.65em" if self.indent else "1.1em"})
"""


def by_typst(sheet: Sheet, path: Path) -> None:
    """Typeset the sheet."""
    source = "\n\n".join((sheet.look.source(), *sheet.parts))
    path.write_bytes(typst.compile(source.encode(), pdf_tags=sheet.look.tagged))


@dataclass
class Sheet:
    """A document that grows: its source in Typst and its statements."""

    kind: str
    form: int
    look: Look
    random: Random
    writer: Writer
    parts: list[str] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    page: int = 1
    leeway: float = 0.02
    setter: Callable[[Sheet, Path], None] = by_typst

    @property
    def name(self) -> str:
        return f"{self.kind.replace(' ', '-')}-{self.form}"

    @property
    def decides(self) -> bool:
        """Whether it may be looked into; the other half of the forms is only measured."""
        return self.form % 2 == 0

    def add(self, *parts: str) -> None:
        """Set these, each as a paragraph of its own."""
        self.parts.extend(parts)

    def paragraph(self, least: int = 3, most: int = 6) -> list[str]:
        """Set a paragraph, and say what it says."""
        said = self.writer.sentences(self.random.randint(least, most))
        self.add(" ".join(map(shown, said)))
        return said

    def text(self, share: float, headed: bool = False) -> list[str]:
        """Set paragraphs over a share of the page, some `headed`, and say what they say."""
        flow: list[str] = []
        paragraphs = 0
        while sum(map(len, flow)) < share * self.look.letters:
            if headed and paragraphs % 3 == 0:
                flow.append(self.heading(1 + paragraphs // 3 % 2))
            flow += self.paragraph()
            paragraphs += 1
        return flow

    def heading(self, level: int = 1) -> str:
        """Set a heading, and say what it says."""
        title = self.writer.title()
        self.add(f"#heading(level: {level}, {quoted(title)})")
        return title

    def present(self, *texts: str, exact: bool = False) -> None:
        """Each of the texts must be there."""
        for text in texts:
            diffs = 0 if exact else self.diffs(text)
            self.statements.append(
                Present(page=self.page, max_diffs=diffs, type="present", text=text)
            )

    def absent(self, *texts: str) -> None:
        """None of the texts may be there."""
        self.statements.extend(
            Present(page=self.page, type="absent", text=text, absent=True) for text in texts
        )

    def order(self, *texts: str) -> None:
        """Each of the texts stands before the next."""
        for before, after in zip(texts, texts[1:]):
            diffs = min(self.diffs(before), self.diffs(after))
            self.statements.append(
                Order(page=self.page, max_diffs=diffs, type="order", before=before, after=after)
            )

    def told(self, flow: Sequence[str], present: int = 3, order: int = 3) -> None:
        """Some sentences of a running text must be there, and some neighbours in their order."""
        self.present(*self.random.sample(flow, min(present, len(flow))))
        for at in sorted(self.random.sample(range(len(flow) - 1), min(order, len(flow) - 1))):
            self.order(flow[at], flow[at + 1])

    def cells(self, grid: Sequence[Sequence[str]], count: int = 5, heads: int = 1) -> None:
        """Some cells of a table's body, with two of their sides."""
        every = [cell for row in grid for cell in row]
        places = [
            (row, column)
            for row in range(heads, len(grid))
            for column in range(1, len(grid[row]))
            if every.count(grid[row][column]) == 1
        ]
        for row, column in self.random.sample(places, min(count, len(places))):
            sides = _sides(grid, row, column, heads)
            self.cell(grid[row][column], *self.random.sample(sides, 2))

    def cell(self, text: str, *sides: tuple[Side, str]) -> None:
        """A cell of a table has these beside it."""
        self.statements.append(Cell(page=self.page, type="table", cell=text, sides=sides))

    def diffs(self, text: str) -> int:
        """How many letters of a text may differ."""
        return round(self.leeway * len(text))

    def write(self, path: Path) -> None:
        """Write the PDF, whose pages must be those that the statements are about."""
        self.setter(self, path)
        with closing(pdfium.PdfDocument(path)) as document:
            if len(document) != self.page:
                raise ValueError(f"{self.name} has {len(document)} pages, not {self.page}")


Fill = Callable[[Sheet], None]


def _sides(
    grid: Sequence[Sequence[str]], row: int, column: int, heads: int
) -> list[tuple[Side, str]]:
    texts = {
        "up": grid[row - 1][column],
        "down": grid[row + 1][column] if row + 1 < len(grid) else "",
        "left": grid[row][column - 1],
        "right": grid[row][column + 1] if column + 1 < len(grid[row]) else "",
        "top_heading": grid[heads - 1][column],
        "left_heading": grid[row][0],
    }
    return [(side, texts[side]) for side in _SIDES if texts[side]]


def quoted(text: str) -> str:
    """The text as a string of Typst, in which nothing is markup."""
    return json.dumps(text, ensure_ascii=False)


def shown(text: str) -> str:
    """The text as it is said within a paragraph."""
    return f"#{quoted(text)}"


def cells_of(row: Iterable[str]) -> str:
    """The cells of a table's row as arguments of Typst."""
    return ", ".join(f"[#{quoted(cell)}]" for cell in row)
