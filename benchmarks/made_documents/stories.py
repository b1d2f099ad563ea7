"""Stories: made texts with their headings, notes, tables and plots, every sentence unique."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

_WORDS = """
water river harbour measurement observation characterisation temperature instrument laboratory
sample sediment concentration significant distribution variation estimate comparison approach
method hypothesis environment agricultural population settlement manuscript archive translation
grammar frequency amplitude oscillation transmission receiver calibration uncertainty procedure
committee government municipal responsibility investigation documentation administration culture
network algorithm implementation parallel computation simulation boundary condition equation
coefficient parameter optimisation convergence iteration threshold membrane protein expression
regulation metabolism bacterial infection treatment diagnosis patient hospital survey respondent
interview household education curriculum teacher student classroom assessment language acquisition
winter summer autumn forest meadow mountain valley glacier island coastal railway bridge tunnel
engine turbine pressure velocity viscosity friction fatigue corrosion alloy polymer crystal mineral
quartz granite basalt volcanic seismic earthquake magnitude record station monthly annual average
""".split()
_LINKING = """
of the in and with for under between within across from without against beyond near during after
""".split()
_VERBS = """
shows explains reduces increases determines describes contradicts supports follows precedes limits
requires produces reveals confirms suggests
""".split()
_EXTRAS = (
    "(Okafor 2021)",
    "in well-known cases",
    "at 17.5 per cent",
    "as “expected” here",
    "[14, 15]",
    "by a factor of 3",
    "e.g. twice",
    "for non-linear systems",
    "from 1912 to 1938",
    "(see below)",
)
_HEBREW = "שלום עולם ספר ישן נמצא בארכיון העיר ליד הנהר הגדול".split()
_ARABIC = "كتاب قديم في مكتبة المدينة قرب النهر الكبير منذ سنوات".split()
_HAN = "水文地質学調査観測河川温度変化測定結果方法比較分析都市環境研究資料記録時間空間構造"


@dataclass(frozen=True, slots=True)
class Heading:
    """A title of a section, of level 1 or 2."""

    text: str
    level: int = 1


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences; `note` is a footnote to the first of them, `margin` stands beside them."""

    sentences: tuple[str, ...]
    note: str = ""
    margin: str = ""


@dataclass(frozen=True, slots=True)
class Formula:
    """Display mathematics, as Typst and as plain text."""

    typst: str
    plain: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, the head first; `rotated` by a quarter."""

    caption: str
    rows: tuple[tuple[str, ...], ...]
    rotated: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing with numbers along its axes, letters for its marks, and a legend."""

    caption: str
    ticks: tuple[str, ...]
    legend: tuple[str, ...]
    mark: str = "l"


Element = Heading | Paragraph | Formula | Table | Plot


@dataclass(frozen=True, slots=True)
class Story:
    """A text to be set, with what stands at the edges of its pages."""

    title: str
    elements: tuple[Element, ...]
    running_head: str = ""
    footer: str = ""

    @property
    def furniture(self) -> tuple[str, ...]:
        """What stands at the edges of the pages and belongs to no text."""
        return tuple(filter(None, (self.running_head, self.footer)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a story has in it."""

    sections: int = 5
    paragraphs: int = 4
    notes: bool = False
    margins: bool = False
    tables: int = 0
    rotated: bool = False
    plots: int = 0
    formulas: bool = False
    long_headings: bool = False
    numbered: bool = True
    script: str = ""
    furniture: bool = True


@dataclass(slots=True)
class _Writer:
    random: Random
    plan: Plan
    elements: list[Element] = field(default_factory=list)
    tables: int = 0
    plots: int = 0

    def sentence(self, least: int = 7, most: int = 19) -> str:
        words = [self.random.choice(_WORDS)]
        length = self.random.randint(least, most)
        words += [self.random.choice((_WORDS, _LINKING, _WORDS)[n % 3]) for n in range(length)]
        words.insert(len(words) // 2, self.random.choice(_VERBS))
        if self.random.random() < 0.35:
            words.insert(self.random.randint(2, len(words) - 1), self.random.choice(_EXTRAS))
        if self.random.random() < 0.3:
            words[3] += ","
        if self.plan.script and self.random.random() < 0.3:
            words.insert(len(words) - 2, self.quotation())
        text = " ".join(words)
        return f"{text[0].upper()}{text[1:]}."

    def quotation(self) -> str:
        words = _HEBREW if self.plan.script == "hebrew" else _ARABIC
        return " ".join(self.random.sample(words, 5))

    def han(self) -> str:
        return "".join(self.random.choices(_HAN, k=self.random.randint(18, 40))) + "。"

    def title(self, words: int) -> str:
        text = " ".join(self.random.sample(_WORDS, words))
        return f"{text[0].upper()}{text[1:]}"

    def section(self, number: int) -> None:
        words = 11 if self.plan.long_headings else self.random.randint(2, 4)
        mark = f"{number} " if self.plan.numbered else ""
        self.elements.append(Heading(f"{mark}{self.title(words)}"))
        for count in range(self.plan.paragraphs):
            if count == 2:
                mark = f"{number}.1 " if self.plan.numbered else ""
                self.elements.append(Heading(f"{mark}{self.title(3)}", 2))
            self.paragraph(first=count % 2 == 0)
            if self.plan.formulas:
                self.formula()

    def paragraph(self, *, first: bool) -> None:
        length = self.random.randint(3, 7)
        han = self.plan.script == "han"
        sentences = tuple(self.han() if han else self.sentence() for _ in range(length))
        self.elements.append(
            Paragraph(
                sentences,
                note=self.sentence(5, 12) if self.plan.notes and first else "",
                margin=self.sentence(4, 8) if self.plan.margins and first else "",
            )
        )

    def formula(self) -> None:
        a, b, n = (
            self.random.choice("abcduvw"),
            self.random.choice("xyzpq"),
            self.random.randint(2, 9),
        )
        self.elements.append(
            Formula(f"{a}_{n} = sum_(i=1)^{n} {b}_i^2 + {n}/{b}", f"{a} = {n}{b} + {b} / {n}")
        )

    def table(self) -> None:
        self.tables += 1
        head = tuple(word.capitalize() for word in self.random.sample(_WORDS, 4))
        rows = tuple(
            (self.title(1), *(f"{self.random.uniform(0, 99):.2f}" for _ in head[1:]))
            for _ in range(self.random.randint(4, 8))
        )
        caption = f"Table {self.tables}: {self.sentence(5, 9)}"
        self.elements.append(Table(caption, (head, *rows), self.plan.rotated))

    def plot(self) -> None:
        self.plots += 1
        step = self.random.randint(3, 97)
        ticks = tuple(str(step * count) for count in range(7))
        legend = tuple(self.title(1) for _ in range(3))
        caption = f"Figure {self.plots}: {self.sentence(5, 12)}"
        self.elements.append(Plot(caption, ticks, legend, "lns"[self.plots % 3]))


def story(name: str, plan: Plan) -> Story:
    """The story of a name; the same name and plan give the same story."""
    writer = _Writer(Random(f"story {name}"), plan)
    title = writer.title(5)
    for number in range(1, plan.sections + 1):
        writer.section(number)
        if writer.tables < plan.tables:
            writer.table()
        if writer.plots < plan.plots:
            writer.plot()
    return Story(
        title,
        tuple(_floats_early(writer.elements)),
        running_head=f"Journal of {writer.title(2)}" if plan.furniture else "",
        footer=f"Copyright © 2019 {writer.title(2)} Press" if plan.furniture else "",
    )


def _floats_early(elements: Sequence[Element]) -> list[Element]:
    """The elements with each table or plot before the last paragraph of its section."""
    ordered = list(elements)
    for index, element in enumerate(elements):
        if index and isinstance(element, Table | Plot):
            ordered[index - 1], ordered[index] = ordered[index], ordered[index - 1]
    return ordered
