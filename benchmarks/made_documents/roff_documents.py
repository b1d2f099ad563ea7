"""Stories set by groff with its macros ms: hyphenated columns, footnotes, running headers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.made_documents.setting import Setting, run
from benchmarks.made_documents.stories import Formula, Heading, Paragraph, Plot, Story, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class RoffStyle:
    """How a story is set; `setup` comes first."""

    columns: int = 1
    size: int = 10
    family: str = "T"
    setup: str = ""


def groff() -> str | None:
    """The program, if it is installed with its PDF device."""
    return shutil.which("groff") if shutil.which("gropdf") else None


def roff_pdf(story: Story, style: RoffStyle, path: Path) -> None:
    """Set the story as a PDF."""
    source = "\n".join(_lines(story, style)) + "\n"
    path.write_bytes(run([str(groff()), "-k", "-t", "-ms", "-Tpdf", "-P-pa4"], source))


def _lines(story: Story, style: RoffStyle) -> Iterator[str]:
    yield f".nr PS {style.size}\n.nr VS {style.size + 2}\n.fam {style.family}"
    yield ".nr PO 2.5c\n.nr LL 16c\n.nr FL 7c"
    yield f".ds LH {_said(story.running_head)}\n.ds CH\n.ds RH %\n.ds CF {_said(story.footer)}"
    yield style.setup
    yield f".TL\n{_said(story.title)}"
    if style.columns > 1:
        yield f".MC {(16 - 0.8 * (style.columns - 1)) / style.columns:.2f}c"
    for element in story.elements:
        yield _Roff().element(element)


class _Roff(Setting):
    def heading(self, heading: Heading) -> str:
        return f".SH {heading.level}\n{_said(heading.text)}"

    def paragraph(self, paragraph: Paragraph) -> str:
        first, *others = map(_said, paragraph.sentences)
        if paragraph.note:
            first += f"\\**\n.FS\n{_said(paragraph.note)}\n.FE"
        return "\n".join((".PP", first, *others))

    def formula(self, formula: Formula) -> str:
        return f".DS C\n{_said(formula.plain)}\n.DE"

    def table(self, table: Table) -> str:
        rows = "\n".join("\t".join(map(_said, row)) for row in table.rows)
        layout = " ".join("l" for _ in table.rows[0])
        head = f".KF\n.nr save \\n[PS]\n.LP\n{_said(table.caption)}"
        return f"{head}\n.sp 0.5\n.TS\n;\n_ _ _ _\n{layout}.\n{rows}\n.TE\n.KE"

    def plot(self, plot: Plot) -> str:
        return f".KF\n.sp 3\n.LP\n{_said(plot.caption)}\n.KE"


def _said(text: str) -> str:
    """The text as groff reads it, with no line that looks like a request."""
    plain = text.replace("\\", "\\e").replace("'", "\\(aq")
    return f"\\&{plain}" if plain[:1] in ".'" else plain
