"""Stories set by LibreOffice Writer from a flat text document: sections, footnotes, frames."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks.made_documents.setting import Setting, run
from benchmarks.made_documents.stories import Formula, Heading, Paragraph, Plot, Story, Table

NAMESPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
    for short, long in (
        ("office", "office"),
        ("style", "style"),
        ("text", "text"),
        ("table", "table"),
        ("fo", "xsl-fo-compatible"),
        ("svg", "svg-compatible"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeStyle:
    """How a story is set."""

    columns: int = 1
    size: float = 10
    font: str = "Liberation Serif"
    spacing: str = "normal"
    line_numbers: bool = False


def soffice() -> str | None:
    """The program, if it is installed."""
    return shutil.which("soffice")


def office_pdf(story: Story, style: OfficeStyle, path: Path) -> None:
    """Set the story as a PDF."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"{path.stem}.fodt"
        source.write_text("".join(_lines(story, style)), encoding="utf-8")
        profile = f"-env:UserInstallation=file://{folder}/profile"
        convert = ("--headless", "--convert-to", "pdf", "--outdir", folder)
        run([str(soffice()), profile, *convert, source])
        shutil.move(source.with_suffix(".pdf"), path)


def _lines(story: Story, style: OfficeStyle) -> Iterator[str]:
    kind = "application/vnd.oasis.opendocument.text"
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<office:document {NAMESPACES} office:version="1.2" office:mimetype="{kind}">'
    yield f"""<office:font-face-decls><style:font-face style:name="F"
      svg:font-family="'{style.font}'"/></office:font-face-decls>"""
    yield from _styles(style)
    yield _page(story)
    yield f'<office:body><office:text><text:p text:style-name="T">{escape(story.title)}</text:p>'
    yield '<text:section text:style-name="S" text:name="body">'
    setting = _Office()
    for element in story.elements:
        yield setting.element(element)
    yield "</text:section></office:text></office:body></office:document>"


def _styles(style: OfficeStyle) -> Iterator[str]:
    font = f'style:font-name="F" fo:letter-spacing="{style.spacing}" fo:language="en"'
    yield f"""<office:styles><style:default-style style:family="paragraph">
      <style:text-properties {font} fo:font-size="{style.size}pt" fo:country="GB"
        fo:hyphenate="false"/></style:default-style>"""
    keep = 'fo:keep-with-next="always"'
    yield _paragraph_style("P", 'fo:text-align="justify" fo:margin-bottom="0.2cm"', "")
    yield _paragraph_style("C", keep, f'fo:font-size="{style.size - 1}pt"')
    yield _paragraph_style("M", 'fo:text-align="center"', 'fo:font-style="italic"')
    yield _paragraph_style("N", "", f'fo:font-size="{style.size - 2}pt"')
    for name, size in (("T", 17), ("H1", 13), ("H2", 11)):
        spaced = f'{keep} fo:margin-top="0.4cm" fo:margin-bottom="0.2cm"'
        yield _paragraph_style(name, spaced, f'fo:font-size="{size}pt" fo:font-weight="bold"')
    if style.line_numbers:
        yield """<text:linenumbering-configuration text:number-lines="true" text:increment="1"
          text:number-position="left" text:offset="0.4cm" style:num-format="1"/>"""
    yield f"""</office:styles><office:automatic-styles>
      <style:page-layout style:name="L"><style:page-layout-properties fo:page-width="21cm"
        fo:page-height="29.7cm" fo:margin="2cm"/><style:header-style/><style:footer-style/>
      </style:page-layout><style:style style:name="S" style:family="section">
      <style:section-properties><style:columns fo:column-count="{style.columns}"
        fo:column-gap="0.7cm"/></style:section-properties></style:style>
      </office:automatic-styles>"""


def _paragraph_style(name: str, paragraph: str, text: str) -> str:
    return (
        f'<style:style style:name="{name}" style:family="paragraph">'
        f"<style:paragraph-properties {paragraph}/><style:text-properties {text}/></style:style>"
    )


def _page(story: Story) -> str:
    head = f"{escape(story.running_head)} <text:page-number/>"
    return f"""<office:master-styles>
      <style:master-page style:name="Standard" style:page-layout-name="L">
      <style:header><text:p text:style-name="N">{head}</text:p></style:header>
      <style:footer><text:p text:style-name="N">{escape(story.footer)}</text:p></style:footer>
      </style:master-page></office:master-styles>"""


class _Office(Setting):
    """Numbers notes and tables, whose names must differ."""

    def __init__(self) -> None:
        self._names = count()

    def heading(self, heading: Heading) -> str:
        style = f'text:style-name="H{heading.level}" text:outline-level="{heading.level}"'
        return f"<text:h {style}>{escape(heading.text)}</text:h>"

    def paragraph(self, paragraph: Paragraph) -> str:
        first, *others = map(escape, paragraph.sentences)
        if paragraph.note:
            first += (
                f'<text:note text:id="n{next(self._names)}" text:note-class="footnote">'
                "<text:note-citation/>"
                f'<text:note-body><text:p text:style-name="N">{escape(paragraph.note)}</text:p>'
                "</text:note-body></text:note>"
            )
        return f'<text:p text:style-name="P">{" ".join((first, *others))}</text:p>'

    def formula(self, formula: Formula) -> str:
        return f'<text:p text:style-name="M">{escape(formula.plain)}</text:p>'

    def table(self, table: Table) -> str:
        rows = "".join(map(_row, table.rows))
        columns = f'<table:table-column table:number-columns-repeated="{len(table.rows[0])}"/>'
        name = f"t{next(self._names)}"
        return (
            self._caption(table.caption)
            + f'<table:table table:name="{name}">{columns}{rows}</table:table>'
        )

    def plot(self, plot: Plot) -> str:
        return self._caption(plot.caption)

    def _caption(self, text: str) -> str:
        return f'<text:p text:style-name="C">{escape(text)}</text:p>'


def _row(cells: Sequence[str]) -> str:
    said = (
        f"<table:table-cell><text:p>{escape(cell)}</text:p></table:table-cell>" for cell in cells
    )
    return f"<table:table-row>{''.join(said)}</table:table-row>"
