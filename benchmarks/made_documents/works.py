"""Eight short works with something to say, to ask questions of; all in them is invented.

The texts of the other made documents mean nothing, so that no question can be put in other words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.made_documents.canvas_documents import CanvasStyle, canvas_pdf
from benchmarks.made_documents.documents import MadeDocument, Setter
from benchmarks.made_documents.html_documents import HtmlStyle, chromium, html_pdf
from benchmarks.made_documents.office_documents import OfficeStyle, office_pdf, soffice
from benchmarks.made_documents.roff_documents import RoffStyle, groff, roff_pdf
from benchmarks.made_documents.stories import Element, Heading, Paragraph, Story
from benchmarks.made_documents.typst_documents import TypstStyle, typst_pdf

WORKS = Path(__file__).parents[1] / "questions" / "made_works.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A work with its citekey and the family name of its author."""

    citekey: str
    author: str
    story: Story


def made_works() -> list[MadeDocument]:
    """The works set by one program after another, in so large a type that each has some pages."""
    setters: list[tuple[Setter, Callable[[], str | None]]] = [
        (partial(typst_pdf, style=TypstStyle(size=19, margin="4cm")), _python),
        (partial(canvas_pdf, style=CanvasStyle(size=20, leading=1.6, left=110)), _python),
        (partial(html_pdf, style=HtmlStyle(size=21)), chromium),
        (partial(roff_pdf, style=RoffStyle(size=20)), groff),
        (partial(office_pdf, style=OfficeStyle(size=21)), soffice),
        (partial(typst_pdf, style=TypstStyle(columns=2, size=19)), _python),
        (partial(canvas_pdf, style=CanvasStyle(size=19, columns=2, leading=1.5)), _python),
        (partial(html_pdf, style=HtmlStyle(columns=2, size=19)), chromium),
    ]
    return [
        MadeDocument(work.citekey, work.story, setter, program)
        for work, (setter, program) in zip(works(), setters, strict=True)
    ]


def _python() -> str:
    return "python"


def works() -> list[Work]:
    """The works as they are written down."""
    _, *texts = f"\n{WORKS.read_text(encoding='utf-8')}".split("\n# ")
    return [_work(text) for text in texts]


def _work(text: str) -> Work:
    title, *lines = text.splitlines()
    citekey, author = lines[0].removeprefix("> ").split()
    elements = tuple(_elements("\n".join(lines[1:]).split("\n\n")))
    return Work(citekey=citekey, author=author, story=Story(title, elements))


def _elements(blocks: list[str]) -> Iterator[Element]:
    for block in blocks:
        head, *sentences = block.strip().splitlines() or [""]
        if head.startswith("## "):
            yield Heading(head.removeprefix("## "))
        if sentences:
            yield Paragraph(tuple(sentences))
