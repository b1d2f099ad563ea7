"""Small PDFs with known structure, made afresh by the tests."""

from __future__ import annotations

from pathlib import Path

import typst
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

WORDS = (
    "Sediment moves downstream when the shear stress at the bed exceeds a threshold that depends "
    "on grain size, density and packing. Field measurements rarely agree with flume experiments, "
    "since natural channels hold a mixture of sizes and a history of earlier floods. "
)


def typeset(source: str, path: Path) -> Path:
    """Compile Typst source to a PDF."""
    typst.compile(source.encode(), output=str(path))  # type: ignore[type-var]
    return path


ARTICLE = (
    r"""
#set document(title: "Thresholds of Motion in Mixed Gravel", author: "Ada Brook")
#set page(paper: "a4", margin: 2.2cm, header: [_Journal of River Studies_ #h(1fr) Vol. 7],
  footer: context align(center, counter(page).display("1 / 1", both: true)))
#set text(size: 10pt, font: "Libertinus Serif", lang: "en", hyphenate: true)
#set par(justify: true, spacing: 1.1em)
#set heading(numbering: "1.1")
#align(center, text(18pt, weight: "bold")[Thresholds of Motion in Mixed Gravel])
#align(center)[Ada Brook and Carl Rivers]
#v(1em)
#show: columns.with(2)
= Introduction
"""
    + WORDS * 3
    + "\n\n"
    + WORDS * 4
    + r"""
= Methods
== Flume
"""
    + WORDS * 4
    + r"""
#figure(
  table(columns: 3, stroke: none, table.hline(),
    [Run], [Slope], [Stress], table.hline(),
    [A], [0.002], [1.7], [B], [0.004], [3.1], [C], [0.008], [5.9], table.hline()),
  caption: [Slopes and shear stresses of the three runs.]) <runs>

== Field sites
"""
    + WORDS * 4
    + "\n\n"
    + WORDS * 9
    + r"""
= Results
The well-known threshold is reached first by the fines.#footnote[Sand was sieved
out before weighing.] """
    + WORDS * 5
    + r"""
- small grains hide behind large ones
- large grains stand out into the flow

```python
def shields(stress, density, size):
    return stress / (density * size)
```
= References
"""
)

BOOK = (
    r"""
#set document(title: "A Handbook of Streams")
#set text(size: 11pt, font: "Libertinus Serif")
#set page(paper: "a5", numbering: "i", footer: context align(center, counter(page).display("i")))
#align(center + horizon, text(24pt)[A Handbook of Streams])
#pagebreak()
#heading(outlined: false)[Preface]
"""
    + WORDS * 2
    + r"""
#set page(numbering: "1", footer: context align(center, counter(page).display("1")))
#counter(page).update(1)
#pagebreak(weak: true)
= Water
"""
    + WORDS * 8
    + "\n== Rain\n"
    + WORDS * 8
    + "\n=== Drops\n"
    + WORDS * 3
    + "\n= Stone\n"
    + WORDS * 4
)


def article(path: Path) -> Path:
    """Two columns, numbered headings, a booktabs table, a footnote, a list and a listing."""
    return typeset(ARTICLE, path)


def book(path: Path) -> Path:
    """An outline of three levels, roman front matter, page labels."""
    return typeset(BOOK, path)


def journal_page(path: Path) -> Path:
    """A first page with a side bar of small print beside a single column."""
    canvas = Canvas(str(path), pagesize=A4)
    for page in (1, 2, 3):
        canvas.setFont("Helvetica", 7)
        if page == 1:
            for row, text in enumerate(
                ("DOI: 10.5555/example.1", "Software", "Review", "Archive", "Editor: P. Bank")
            ):
                canvas.drawString(40, 600 - 14 * row, text)
        canvas.drawString(150, 30, f"Brook, A. (2024). Thresholds. Journal of Rivers, {page}")
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawString(160, 740, ("Summary", "Statement of need", "Acknowledgements")[page - 1])
        canvas.setFont("Helvetica", 10)
        for row in range(20):
            canvas.drawString(
                160,
                715 - 13 * row,
                f"Line {row} of page {page} tells of the river and of the gravel that it carries",
            )
        canvas.showPage()
    canvas.save()
    return path


def ruled_table(path: Path) -> Path:
    """A table in a full grid of rules with its caption above, amid paragraphs."""
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setFont("Helvetica", 10)
    for row in range(8):
        canvas.drawString(72, 770 - 13 * row, "A river carries gravel where its slope is steep and")
    canvas.drawString(72, 640, "Table 1: Grain sizes by site")
    rows = (
        ("Site", "Median", "Largest"),
        ("Upper", "32 mm", "118 mm"),
        ("Lower", "11 mm", "45 mm"),
    )
    for line in range(len(rows) + 1):
        canvas.line(72, 630 - 20 * line, 372, 630 - 20 * line)
    for column in range(4):
        canvas.line(72 + 100 * column, 630, 72 + 100 * column, 630 - 20 * len(rows))
    for line, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            canvas.drawString(78 + 100 * column, 616 - 20 * line, cell)
    for row in range(8):
        canvas.drawString(72, 540 - 13 * row, "Below the table the text goes on about the slope.")
    canvas.save()
    return path


def dense_drawing(path: Path, *, with_prose: bool = False) -> Path:
    """Prose above an included figure of twelve thousand strokes, or inside that figure."""
    canvas = Canvas(str(path), pagesize=A4)
    canvas.beginForm("figure")
    for stroke in range(12_000):
        across, down = 100 + 3 * (stroke % 100), 300 + 1.5 * (stroke // 100)
        canvas.line(across, down, across + 2, down + 1)
    canvas.drawString(200, 290, "slope")
    if with_prose:
        _prose(canvas)
    canvas.endForm()
    if not with_prose:
        _prose(canvas)
    canvas.doForm("figure")
    canvas.drawString(100, 260, "Figure 1: Strokes of gravel.")
    canvas.save()
    return path


def _prose(canvas: Canvas) -> None:
    for row in range(8):
        canvas.drawString(72, 770 - 13 * row, "A river carries gravel where its slope is steep and")


def without_text(path: Path) -> Path:
    """Two pages that have a drawing and no text."""
    canvas = Canvas(str(path), pagesize=A4)
    for _ in range(2):
        canvas.rect(100, 100, 300, 400, fill=1)
        canvas.showPage()
    canvas.save()
    return path


LISTING = (
    "for stone in river.stones():",
    "    if stress(stone) > threshold:",
    "        moved += 1  # at last",
    "print(moved)",
)


def letter_spaced_listing(path: Path) -> Path:
    """A listing amid prose, set letter by letter in columns wider than its letters."""
    canvas = Canvas(str(path), pagesize=A4)
    for top in (760, 600):
        canvas.setFont("Helvetica", 10)
        for row in range(5):
            canvas.drawString(72, top - 13 * row, "A river carries gravel where its slope is steep")
    canvas.setFont("Courier", 8)
    for row, text in enumerate(LISTING):
        for column, letter in enumerate(text):
            canvas.drawString(72 + 6.4 * column, 680 - 10 * row, letter)
    canvas.save()
    return path


def plot_of_characters(path: Path) -> Path:
    """A framed plot whose marks are the letter l, with a grid and numbers on its axes."""
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setFont("Helvetica", 10)
    for row in range(8):
        canvas.drawString(72, 770 - 13 * row, "A river carries gravel where its slope is steep and")
    for step in range(5):
        canvas.line(100, 400 + 60 * step, 400, 400 + 60 * step)
        canvas.line(100 + 75 * step, 400, 100 + 75 * step, 640)
        canvas.drawString(94, 397 + 60 * step, str(step))
        canvas.drawString(98 + 75 * step, 391, str(step))
    canvas.setFont("Helvetica", 6)
    for mark in range(200):
        canvas.drawString(103 + 1.45 * mark, 405 + 37 * mark % 227, "l")
    canvas.setFont("Helvetica", 10)
    canvas.drawString(100, 360, "Figure 1: Gravel carried at each slope of the flume.")
    canvas.save()
    return path
