"""The list of documents: a name, a story's plan, and the program that sets it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.made_documents.canvas_documents import CanvasStyle, canvas_pdf
from benchmarks.made_documents.drawn_fonts import drawn_pdf
from benchmarks.made_documents.html_documents import HtmlStyle, chromium, html_pdf
from benchmarks.made_documents.office_documents import OfficeStyle, office_pdf, soffice
from benchmarks.made_documents.roff_documents import RoffStyle, groff, roff_pdf
from benchmarks.made_documents.stories import Plan, Story, story
from benchmarks.made_documents.truth import Truth, is_looked_at, truth_of
from benchmarks.made_documents.typst_documents import TypstStyle, typst_pdf

Setter = Callable[..., list[str] | None]
Style = TypstStyle | CanvasStyle | HtmlStyle | RoffStyle | OfficeStyle


@dataclass(frozen=True)
class MadeDocument:
    """A document to be made; `program` is what it needs installed, if anything."""

    name: str
    story: Story
    setter: Setter
    program: Callable[[], str | None] = lambda: "python"

    @property
    def truth(self) -> Truth:
        return truth_of(self.story)

    @property
    def looked_at(self) -> bool:
        return is_looked_at(self.name)

    def make(self, path: Path) -> list[str] | None:
        """Write the PDF; returns each page's text where the program that placed it knows it."""
        return self.setter(self.story, path=path)


@dataclass(frozen=True)
class _Kind:
    """Documents set by one program, by name."""

    name: str
    setter: Setter
    cases: Mapping[str, tuple[Plan, Style]]
    program: Callable[[], str | None] = lambda: "python"


def made_documents() -> list[MadeDocument]:
    """All documents, by name."""
    return sorted((one for kind in _KINDS for one in _of(kind)), key=lambda one: one.name)


def _of(kind: _Kind) -> Iterator[MadeDocument]:
    for case, (plan, style) in kind.cases.items():
        name = f"{kind.name} {case}"
        setter = partial(kind.setter, style=style)
        yield MadeDocument(name, story(name, plan), setter, kind.program)


_FULL = Plan(notes=True, tables=2, plots=2)
_LONG = Plan(sections=6, paragraphs=5, notes=True, tables=2, plots=1, long_headings=True)
_WIDE = TypstStyle(margin="(x: 4cm, y: 2.4cm)")
_SANS = "DejaVu Sans, sans-serif"

_TYPST: Mapping[str, tuple[Plan, Style]] = {
    "one column": (_FULL, TypstStyle()),
    "one column unnumbered": (Plan(notes=True, numbered=False), TypstStyle(indent=False)),
    "two columns": (_FULL, TypstStyle(columns=2, size=9)),
    "two columns floats": (_LONG, TypstStyle(columns=2, size=9, float=True)),
    "two columns wide floats": (
        _LONG,
        TypstStyle(columns=2, size=9, float=True, wide_floats=True),
    ),
    "three columns": (_FULL, TypstStyle(columns=3, size=8)),
    "three columns floats": (_LONG, TypstStyle(columns=3, size=8, float=True)),
    "margin notes": (Plan(margins=True, notes=True), _WIDE),
    "margin notes plots": (Plan(margins=True, plots=2), _WIDE),
    "line numbers": (_FULL, TypstStyle(line_numbers=True)),
    "line numbers columns": (_FULL, TypstStyle(columns=2, size=9, line_numbers=True)),
    "mathematics": (Plan(sections=6, formulas=True), TypstStyle()),
    "mathematics columns": (
        Plan(sections=8, formulas=True, notes=True),
        TypstStyle(columns=2, size=9),
    ),
    "mathematics large": (Plan(sections=6, formulas=True), TypstStyle(size=12, indent=False)),
    "rotated table": (Plan(tables=2, rotated=True), TypstStyle()),
    "rotated table notes": (Plan(tables=3, rotated=True, notes=True), TypstStyle(size=11)),
    "plots": (Plan(plots=4), TypstStyle()),
    "plots columns": (Plan(plots=5, notes=True), TypstStyle(columns=2, size=9, float=True)),
    "letter spaced": (Plan(notes=True), TypstStyle(tracking=0.8)),
    "letter spaced wide": (Plan(), TypstStyle(tracking=1.6, size=9)),
    "tight": (Plan(notes=True), TypstStyle(tracking=-0.3, spacing="70%")),
    "tight columns": (_FULL, TypstStyle(columns=2, size=9, spacing="60%")),
    "hebrew": (Plan(script="hebrew"), TypstStyle(font="DejaVu Sans", size=9)),
    "arabic": (Plan(script="arabic"), TypstStyle(font="DejaVu Sans", size=9)),
    "chinese": (Plan(script="han"), TypstStyle(font="Noto Serif CJK SC", language="zh")),
    "chinese columns": (
        Plan(script="han", numbered=False),
        TypstStyle(font="Noto Sans CJK SC", columns=2, size=9, language="zh"),
    ),
    "long headings": (Plan(long_headings=True), TypstStyle()),
    "long headings columns": (_LONG, TypstStyle(columns=2, size=9, indent=False)),
    "copyright footer": (_FULL, TypstStyle(columns=2, size=9, first_page_footer=True)),
    "copyright footer one": (Plan(sections=3), TypstStyle(first_page_footer=True)),
    "letter spaced wider": (Plan(sections=3), TypstStyle(tracking=2.4)),
    "letter spaced columns": (Plan(notes=True), TypstStyle(tracking=1, columns=2, size=8.5)),
    "letter spaced sans": (Plan(sections=3), TypstStyle(tracking=1.3, font="DejaVu Sans", size=9)),
    "narrow tables": (Plan(tables=4), TypstStyle(columns=3, size=8)),
    "narrow tables floats": (Plan(tables=4), TypstStyle(columns=3, size=7.5, float=True)),
}
_CANVAS: Mapping[str, tuple[Plan, Style]] = {
    "one column": (_FULL, CanvasStyle()),
    "two columns": (_FULL, CanvasStyle(columns=2, size=9)),
    "three columns": (_FULL, CanvasStyle(columns=3, size=8)),
    "words": (_FULL, CanvasStyle(unit="word")),
    "words columns": (Plan(notes=True), CanvasStyle(unit="word", columns=2, size=9)),
    "letters": (Plan(notes=True), CanvasStyle(unit="letter")),
    "letters columns": (_FULL, CanvasStyle(unit="letter", columns=2, size=9)),
    "letter spaced": (Plan(), CanvasStyle(spacing=1.2)),
    "letter spaced headings": (Plan(), CanvasStyle(heading_spacing=2.0)),
    "tight": (Plan(), CanvasStyle(spacing=-0.4)),
    "tight letters": (Plan(), CanvasStyle(spacing=-0.3, unit="letter")),
    "backwards": (_FULL, CanvasStyle(backwards=True, columns=2, size=9)),
    "backwards three": (Plan(notes=True), CanvasStyle(backwards=True, columns=3, size=8)),
    "turned": (_FULL, CanvasStyle(turned=True)),
    "turned columns": (Plan(), CanvasStyle(turned=True, columns=2, size=9)),
    "unmapped": (
        Plan(),
        CanvasStyle(font="Vera", heading_font="VeraBd", size=8, unmapped=True),
    ),
    "unmapped columns": (
        Plan(tables=1),
        CanvasStyle(font="Vera", heading_font="VeraBd", columns=2, size=7, unmapped=True),
    ),
    "line numbers": (_FULL, CanvasStyle(line_numbers=True)),
    "line numbers columns": (
        Plan(notes=True),
        CanvasStyle(line_numbers=True, columns=2, size=9),
    ),
    "margin notes": (Plan(margins=True), CanvasStyle(left=130)),
    "margin notes feet": (Plan(margins=True, notes=True), CanvasStyle(left=130, size=9)),
    "mathematics": (Plan(formulas=True, sections=7), CanvasStyle()),
    "mathematics columns": (Plan(formulas=True, sections=8), CanvasStyle(columns=2, size=9)),
    "long headings": (_LONG, CanvasStyle(columns=2, size=9)),
    "letter spaced wide": (Plan(), CanvasStyle(spacing=2.5)),
    "letter spaced letters": (Plan(), CanvasStyle(spacing=1.4, unit="letter")),
    "letter spaced columns": (Plan(), CanvasStyle(spacing=0.9, columns=2, size=9)),
    "letter spaced ragged": (Plan(), CanvasStyle(spacing=1.8, justified=False, size=9)),
    "letters tables": (Plan(tables=4), CanvasStyle(unit="letter", columns=3, size=8)),
}
_DRAWN: Mapping[str, tuple[Plan, Style]] = {
    "named": (Plan(), CanvasStyle(unmapped=True)),
    "mapped": (_FULL, CanvasStyle()),
    "named columns": (Plan(notes=True), CanvasStyle(unmapped=True, columns=2, size=9)),
    "mapped columns": (Plan(tables=1), CanvasStyle(columns=2, size=9)),
}
_HTML: Mapping[str, tuple[Plan, Style]] = {
    "one column": (Plan(tables=2, plots=2), HtmlStyle()),
    "two columns": (Plan(tables=2, plots=2), HtmlStyle(columns=2, size=9)),
    "three columns": (Plan(tables=1, plots=2), HtmlStyle(columns=3, size=8)),
    "margin notes": (Plan(margins=True), HtmlStyle(css="main { margin-left: 34mm }")),
    "letter spaced": (Plan(), HtmlStyle(css="p { letter-spacing: 0.08em }")),
    "tight": (
        Plan(plots=1),
        HtmlStyle(css="p { letter-spacing: -0.03em; word-spacing: -0.08em }"),
    ),
    "hebrew": (Plan(script="hebrew"), HtmlStyle(font=_SANS, size=9)),
    "arabic": (Plan(script="arabic"), HtmlStyle(font=_SANS, size=9)),
    "chinese": (Plan(script="han"), HtmlStyle(font="Noto Sans CJK SC", language="zh")),
    "sans": (Plan(tables=1, formulas=True), HtmlStyle(font=_SANS, size=9)),
    "long headings": (Plan(long_headings=True), HtmlStyle(columns=2, size=9)),
    "letter spaced wide": (Plan(), HtmlStyle(css="p { letter-spacing: 0.2em }")),
    "letter spaced sans": (
        Plan(),
        HtmlStyle(css="p { letter-spacing: 0.12em }", font=_SANS, size=9),
    ),
}
_ROFF: Mapping[str, tuple[Plan, Style]] = {
    "one column": (Plan(notes=True, tables=1), RoffStyle()),
    "two columns": (Plan(notes=True, tables=1, sections=7), RoffStyle(columns=2)),
    "three columns": (Plan(sections=6), RoffStyle(columns=3, size=9)),
    "helvetica": (Plan(notes=True), RoffStyle(family="H", columns=2, size=9)),
    "tracked": (Plan(), RoffStyle(setup=".tkf R 10 1 10 1\n.tkf TR 10 1 10 1")),
    "mathematics": (Plan(formulas=True), RoffStyle(columns=2)),
    "tracked wide": (Plan(), RoffStyle(setup=".tkf R 10 1.6 10 1.6\n.tkf TR 10 1.6 10 1.6")),
    "tables": (Plan(tables=3), RoffStyle(columns=2)),
}
_OFFICE: Mapping[str, tuple[Plan, Style]] = {
    "one column": (Plan(notes=True, tables=2), OfficeStyle()),
    "two columns": (Plan(notes=True, tables=1), OfficeStyle(columns=2, size=9)),
    "three columns": (Plan(sections=6), OfficeStyle(columns=3, size=8)),
    "letter spaced": (Plan(), OfficeStyle(spacing="0.05cm")),
    "line numbers": (Plan(tables=1), OfficeStyle(line_numbers=True)),
    "hebrew": (Plan(script="hebrew"), OfficeStyle(font="DejaVu Sans", size=9)),
    "letter spaced wide": (Plan(), OfficeStyle(spacing="0.09cm")),
    "letter spaced sans": (Plan(), OfficeStyle(spacing="0.045cm", font="Liberation Sans")),
    "tables": (Plan(tables=3), OfficeStyle(columns=2, size=9)),
}
_KINDS = (
    _Kind("typst", typst_pdf, _TYPST),
    _Kind("canvas", canvas_pdf, _CANVAS),
    _Kind("type 3", drawn_pdf, _DRAWN),
    _Kind("html", html_pdf, _HTML, chromium),
    _Kind("groff", roff_pdf, _ROFF, groff),
    _Kind("writer", office_pdf, _OFFICE, soffice),
)
