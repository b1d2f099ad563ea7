"""The evidence for a heading: the look of a block, its place, and what speaks against it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from docling_core.types.doc.labels import DocItemLabel

from citeloom.infrastructure.conversion.pdf_layout.elements.page import (
    BODY,
    LayoutBlock,
    PageLayout,
)
from citeloom.infrastructure.conversion.pdf_layout.elements.patterns import (
    FORMULA_CHARACTERS,
    FRONT_MATTER,
    HEADING_NUMBER,
    KNOWN_HEADING,
    LEADER,
    NUMBERED_LINE,
    capital_share,
)
from citeloom.infrastructure.conversion.pdf_layout.structure.body_style import BodyStyle


def signs(block: LayoutBlock, page: PageLayout, body: BodyStyle) -> float:
    """The evidence for a heading; each weight reflects how often its feature is right."""
    look = _look(block, body)
    if _is_ruled_out(block, look):
        return 0.0
    return (
        _signs_of_look(look)
        + _signs_of_place(block, page, look, body)
        - _signs_against(block, look)
    )


@dataclass(frozen=True, slots=True)
class _Look:
    """The style features of a block that count for or against a heading."""

    readable: bool
    large: bool
    bold: bool
    italic: bool
    numbered: bool
    known: bool
    capitals: bool
    ends_sentence: bool
    other_font: bool
    single: bool
    lower_case: bool


def _look(block: LayoutBlock, body: BodyStyle) -> _Look:
    text, style = block.text, block.style
    readable = style.size >= 0.9 * body.size
    large = style.is_large(body.size) and style.size > body.size + 0.9
    bold = style.bold > 0.8 and readable
    numbered = HEADING_NUMBER.match(text) is not None
    letters = sum(character.isalpha() for character in text)
    stop_allowed = _may_end_in_stop(text, numbered=numbered, bold=bold, large=large)
    return _Look(
        readable=readable,
        large=large,
        bold=bold,
        italic=style.italic > 0.8,
        numbered=numbered,
        known=KNOWN_HEADING.match(text) is not None,
        capitals=letters > 3 and capital_share(text) > 0.85,
        ends_sentence=text.endswith((".", ",", ";")) and not stop_allowed,
        other_font=style.font not in body.fonts,
        single=len(block.lines) == 1,
        lower_case=text[:1].islower(),
    )


def _may_end_in_stop(text: str, *, numbered: bool, bold: bool, large: bool) -> bool:
    if numbered and (bold or large) and len(text) < 90:
        return True
    return bold and text.endswith(".") and len(text) < 70


def _is_ruled_out(block: LayoutBlock, look: _Look) -> bool:
    if _reads_otherwise(block.text) or _lacks_words(block.text):
        return True
    if block.label != DocItemLabel.LIST_ITEM:
        return False
    return not (look.numbered and _stands_out(block, look))


def _reads_otherwise(text: str) -> bool:
    """Whether the text is an entry of the contents, front matter, a formula or a link."""
    return (
        LEADER.search(text) is not None
        or FRONT_MATTER.match(text) is not None
        or FORMULA_CHARACTERS.search(text) is not None
        or NUMBERED_LINE.match(text) is not None
        or "://" in text
    )


def _lacks_words(text: str) -> bool:
    bare = re.sub(r"^[\d.]+|\s", "", text)
    letters = sum(character.isalpha() for character in bare)
    return letters < 0.5 * len(bare) or not re.search(r"[^\W\d_]{3}", text)


def _stands_out(block: LayoutBlock, look: _Look) -> bool:
    if look.bold or look.large or look.capitals:
        return True
    whole = look.single and not look.ends_sentence
    return whole and (look.italic or (look.other_font and len(block.text) < 80))


def _signs_of_look(look: _Look) -> float:
    return (
        2.0 * look.large
        + 1.5 * look.bold
        + 1.0 * look.numbered
        + 2.0 * look.known
        + 0.8 * (look.capitals and look.readable)
        + 0.8 * (look.italic and look.numbered)
    )


def _signs_against(block: LayoutBlock, look: _Look) -> float:
    return (
        2.0 * look.ends_sentence
        + 1.5 * look.lower_case
        + 0.7 * (len(block.lines) >= 3)
        + 0.7 * (len(block.text) > 130)
        + 2.0 * (block.style.math > 0.3)
        + 1.5 * (not look.readable)
    )


def _signs_of_place(block: LayoutBlock, page: PageLayout, look: _Look, body: BodyStyle) -> float:
    """The weight of a block's place and font; negative if nothing sets it apart."""
    if _stands_alone(block, page, look, body):
        return 3.0
    if _is_numbered_in_own_font(block, look):
        return 2.0
    numbered = look.numbered and (look.capitals or look.italic)
    return 0.0 if look.large or look.bold or look.known or numbered else -2.0


def _is_numbered_in_own_font(block: LayoutBlock, look: _Look) -> bool:
    return (
        look.numbered
        and look.other_font
        and look.readable
        and len(block.lines) <= 2
        and not look.ends_sentence
        and not look.lower_case
    )


def _stands_alone(block: LayoutBlock, page: PageLayout, look: _Look, body: BodyStyle) -> bool:
    """Whether a short line in its own font has space above and a paragraph directly below."""
    if not _is_short_line_in_own_font(block, look, body):
        return False
    column = [
        other
        for other in page.blocks
        if other is not block and other.lines and other.box.shared_width(block.box) > 0
    ]
    below = [other for other in column if other.box.top >= block.box.bottom - 2]
    if not below:
        return False
    nearest = min(below, key=lambda other: other.box.top)
    size, gap_below = block.style.size, nearest.box.top - block.box.bottom
    gap_above = min(_gaps_above(block, column), default=page.height)
    spaced = gap_below < 1.6 * size and gap_above > max(0.45 * size, gap_below - 1)
    return spaced and _opens_section(block, nearest, body)


def _is_short_line_in_own_font(block: LayoutBlock, look: _Look, body: BodyStyle) -> bool:
    first = block.text[:1]
    opens = look.numbered or first.isupper() or not first.isascii()
    return (
        opens
        and look.single
        and look.other_font
        and not look.ends_sentence
        and len(block.text) < 90
        and block.style.size >= 0.93 * body.size
    )


def _gaps_above(block: LayoutBlock, column: Iterable[LayoutBlock]) -> Iterator[float]:
    for other in column:
        if other.box.bottom <= block.box.top + 2:
            yield block.box.top - other.box.bottom


def _opens_section(block: LayoutBlock, below: LayoutBlock, body: BodyStyle) -> bool:
    return (
        below.style.font in body.fonts
        and abs(below.box.left - block.box.left) < 3 * block.style.size
        and below.label in BODY
        and len(below.text) > 60
    )
