"""Stories set by Typst: columns, notes, line numbers, floats, mathematics."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typst
from benchmarks.made_documents.setting import Setting, marks_of
from benchmarks.made_documents.stories import Formula, Heading, Paragraph, Plot, Story, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class TypstStyle:
    """How a story is set. `float` is where floats stand: in place, or at the top of a column."""

    columns: int = 1
    size: float = 10
    font: str = "New Computer Modern"
    tracking: float = 0
    spacing: str = "100%"
    indent: bool = True
    line_numbers: bool = False
    margin: str = "2.4cm"
    float: bool = False
    wide_floats: bool = False
    language: str = "en"
    first_page_footer: bool = False


def typst_pdf(story: Story, style: TypstStyle, path: Path) -> None:
    """Set the story as a PDF."""
    path.write_bytes(typst.compile("\n".join(_lines(story, style)).encode()))


def _lines(story: Story, style: TypstStyle) -> Iterator[str]:
    head, foot = _said(story.running_head), _said(story.footer)
    shown = "counter(page).get().first() == 1" if style.first_page_footer else "true"
    yield f"""
#set page(paper: "a4", margin: {style.margin}, columns: {style.columns},
  header: text(size: 8pt)[#{head} #h(1fr) #context counter(page).display()],
  footer: context if {shown} {{ text(size: 8pt, {foot}) }})
#set text(font: ("{style.font}", "DejaVu Sans", "Noto Sans CJK SC"), size: {style.size}pt,
  tracking: {style.tracking}pt, spacing: {style.spacing}, lang: "{style.language}")
#set par(justify: true, first-line-indent: {"1.2em" if style.indent else "0em"},
  spacing: {"0.65em" if style.indent else "1.1em"})
#set math.equation(numbering: "(1)")
#set figure(placement: {"top" if style.float else "none"},
  scope: {'"parent"' if style.wide_floats else '"column"'})
#show figure.caption: it => text(size: 0.88em, it.body)
#set heading(numbering: none)
"""
    if style.line_numbers:
        yield '#set par.line(numbering: "1")'
    title = f'text(size: 1.6em, weight: "bold", {_said(story.title)})'
    yield f'#place(top + center, float: true, scope: "parent", {title})'
    setting = _Typst(style)
    for element in story.elements:
        yield ""
        yield setting.element(element)


class _Typst(Setting):
    def __init__(self, style: TypstStyle) -> None:
        self._style = style

    def heading(self, heading: Heading) -> str:
        return f"#heading(level: {heading.level}, {_said(heading.text)})"

    def paragraph(self, paragraph: Paragraph) -> str:
        first, *others = (f"#{_said(sentence)}" for sentence in paragraph.sentences)
        if paragraph.note:
            first += f"#footnote({_said(paragraph.note)})"
        margin = ""
        if paragraph.margin:
            said = f"text(size: 7.5pt, {_said(paragraph.margin)})"
            said = f"box(width: 2.6cm, par(justify: false, first-line-indent: 0em, {said}))"
            margin = f"#box(width: 0pt, place(dx: -3.1cm, {said}))"
        return margin + "\n".join((first, *others))

    def formula(self, formula: Formula) -> str:
        return f"$ {formula.typst} $"

    def table(self, table: Table) -> str:
        cells = ", ".join(f"[#{_said(cell)}]" for row in table.rows for cell in row)
        rule = "table.hline()"
        grid = f"table(columns: {len(table.rows[0])}, stroke: none, {rule}, {cells}, {rule})"
        figure = f"figure(caption: figure.caption(position: top, {_said(table.caption)}), {grid})"
        if table.rotated:
            flat = figure.replace("figure(", 'figure(placement: none, scope: "column", ', 1)
            return f"#rotate(-90deg, reflow: true, box(width: 15cm, {flat}))"
        return f"#{figure}"

    def plot(self, plot: Plot) -> str:
        width, height = (200, 120) if self._style.columns > 1 else (300, 160)
        low = height - 16
        across = f"start: (16pt, {low}pt), end: ({width}pt, {low}pt)"
        parts = [
            f"#place(line({line}))"
            for line in (across, f"start: (16pt, 0pt), end: (16pt, {low}pt)")
        ]
        for x, y in marks_of(plot, (20, width - 8), (8, height - 26)):
            parts.append(_small(x, y, plot.mark))
        for number, tick in enumerate(plot.ticks):
            parts.append(_small(18 + number * (width - 30) / 6, height - 12, tick))
        for number, entry in enumerate(plot.legend):
            parts.append(_small(width - 90, 10 + 9 * number, entry))
        box = f"box(width: {width}pt, height: {height}pt)[{' '.join(parts)}]"
        return f"#figure(caption: {_said(plot.caption)}, {box})"


def _small(x: float, y: float, text: str) -> str:
    return f"#place(dx: {x:.1f}pt, dy: {y:.1f}pt, text(size: 6pt, {_said(text)}))"


def _said(text: str) -> str:
    """The text as a string of Typst, in which nothing is markup."""
    return json.dumps(text, ensure_ascii=False)
