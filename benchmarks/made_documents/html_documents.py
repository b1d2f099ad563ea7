"""Stories printed by Chromium: columns of CSS, plots as SVG text, page margin boxes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from benchmarks.made_documents.setting import Setting, marks_of, run
from benchmarks.made_documents.stories import Formula, Heading, Paragraph, Plot, Story, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlStyle:
    """How a story is printed; `css` comes last."""

    columns: int = 1
    size: float = 10
    font: str = "Nimbus Roman, serif"
    css: str = ""
    language: str = "en"


def chromium() -> str | None:
    """The program, if it is installed."""
    return shutil.which("chromium")


def html_pdf(story: Story, style: HtmlStyle, path: Path) -> None:
    """Print the story as a PDF."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "story.html"
        page.write_text("\n".join(_lines(story, style)), encoding="utf-8")
        headless = ("--headless", "--no-sandbox", "--disable-gpu")
        profile = f"--user-data-dir={folder}/profile"
        run([str(chromium()), *headless, profile, f"--print-to-pdf={path}", page.as_uri()])


def _lines(story: Story, style: HtmlStyle) -> Iterator[str]:
    yield f"""<!doctype html><html lang="{style.language}"><meta charset="utf-8"><style>
@page {{ size: A4; margin: 22mm 20mm;
  @top-left {{ content: "{story.running_head}"; font-size: 8pt }}
  @top-right {{ content: counter(page); font-size: 8pt }}
  @bottom-left {{ content: "{story.footer}"; font-size: 8pt }} }}
body {{ font: {style.size}pt/1.25 {style.font}; margin: 0; hyphens: auto }}
main {{ columns: {style.columns}; column-gap: 7mm; column-fill: auto }}
p {{ margin: 0 0 2mm; text-align: justify; orphans: 2; widows: 2 }}
h1 {{ font-size: 1.6em }} h2 {{ font-size: 1.25em }} h3 {{ font-size: 1.05em }}
figure {{ margin: 3mm 0; break-inside: avoid }} figcaption {{ font-size: 0.88em }}
table {{ border-collapse: collapse; border: solid; border-width: 1px 0; font-size: 0.9em }}
td {{ padding: 0.5mm 2mm; text-align: left }}
.formula {{ text-align: center; font-style: italic; margin: 2mm 0 }}
.margin {{ float: left; width: 26mm; margin-left: -32mm; font-size: 0.75em }}
{style.css}</style><h1>{escape(story.title)}</h1><main>"""
    for element in story.elements:
        yield _Html().element(element)
    yield "</main></html>"


class _Html(Setting):
    def heading(self, heading: Heading) -> str:
        return f"<h{heading.level + 1}>{escape(heading.text)}</h{heading.level + 1}>"

    def paragraph(self, paragraph: Paragraph) -> str:
        margin, note = escape(paragraph.margin), escape(paragraph.note)
        aside = f'<aside class="margin">{margin}</aside>' if margin else ""
        below = f"<p class=note>{note}</p>" if note else ""
        return f"{aside}<p>{' '.join(map(escape, paragraph.sentences))}</p>{below}"

    def formula(self, formula: Formula) -> str:
        return f'<div class="formula">{escape(formula.plain)}</div>'

    def table(self, table: Table) -> str:
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in table.rows
        )
        caption = f"<figcaption>{escape(table.caption)}</figcaption>"
        return f"<figure>{caption}<table>{rows}</table></figure>"

    def plot(self, plot: Plot) -> str:
        caption = f"<figcaption>{escape(plot.caption)}</figcaption>"
        return f"<figure>{_svg(plot)}{caption}</figure>"


def _svg(element: Plot) -> str:
    places = marks_of(element, (20, 205), (8, 100))
    marks = "".join(f'<text x="{x:.1f}" y="{y:.1f}">{element.mark}</text>' for x, y in places)
    ticks = "".join(
        f'<text x="{18 + 31 * n}" y="118">{tick}</text>' for n, tick in enumerate(element.ticks)
    )
    legend = "".join(
        f'<text x="130" y="{12 + 9 * n}">{escape(entry)}</text>'
        for n, entry in enumerate(element.legend)
    )
    axes = '<path d="M16 0V106H215" fill="none" stroke="black"/>'
    return f'<svg width="220" height="122" font-size="7">{axes}{marks}{ticks}{legend}</svg>'
