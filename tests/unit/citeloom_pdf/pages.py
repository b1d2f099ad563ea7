"""Lines, blocks and pages for tests of the layout rules."""

from __future__ import annotations

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import LayoutBlock, PageLayout
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Line, Style, Word

SENTENCE = "Gravel moves when the stress at the bed exceeds a threshold that depends on its size."


def style(size: float = 10.0, **shares: float) -> Style:
    return Style(size, "Serif-Bold" if shares.get("bold") else "Serif", **shares)


def line(text: str, left: float, top: float, width: float = 0.0, look: Style | None = None) -> Line:
    look = look or style()
    box = Rect(left, top, left + (width or 5.0 * len(text)), top + look.size)
    return Line(box, text, look, tuple(words(text, box)))


def words(text: str, box: Rect) -> list[Word]:
    """The words of a text spread evenly over its box."""
    placed, position = [], 0
    advance = box.width / max(1, len(text))
    for word in text.split(" "):
        left = box.left + advance * position
        placed.append(
            Word(Rect(left, box.top, left + advance * len(word), box.bottom), word, "Serif")
        )
        position += len(word) + 1
    return placed


def block(
    text: str,
    box: tuple[float, float, float, float],
    label: DocItemLabel = DocItemLabel.TEXT,
    look: Style | None = None,
) -> LayoutBlock:
    return LayoutBlock(label, Rect(*box), look or style(), tuple(text.split("\n")))


def page(number: int, *blocks: LayoutBlock) -> PageLayout:
    return PageLayout(number, 600.0, 800.0, blocks)
