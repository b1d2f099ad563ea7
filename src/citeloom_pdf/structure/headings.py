"""Heading detection: by the outline, or by style against the body of the document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass

from docling_core.types.doc.labels import DocItemLabel
from rapidfuzz import fuzz

from citeloom_pdf.elements.block import BODY, FURNITURE, LayoutBlock, PageLayout
from citeloom_pdf.elements.patterns import (
    ABSTRACT,
    AFFILIATION,
    BULLET,
    DATE,
    DOTTED_NUMBER,
    FORMULA_CHARACTERS,
    FRONT_MATTER,
    HEADING_NUMBER,
    KNOWN_HEADING,
    LEADER,
    NUMBERED_LINE,
    RUNNING_NUMBER,
    capital_share,
    count_words,
    tight,
    unnumbered,
)
from citeloom_pdf.structure.chapters import LABEL
from citeloom_pdf.structure.labels import (
    unmark_beside_outline,
    unmark_contents,
    unmark_labels,
)
from citeloom_pdf.structure.reading_order import ENDED

# The style of the body text, against which headings stand out.

_FONT_SHARE = 0.12  # of the body's characters: a font used this much is the body's


@dataclass(frozen=True, slots=True)
class BodyStyle:
    """The style of the body text."""

    size: float
    fonts: frozenset[str]


def body_style(pages: Sequence[PageLayout]) -> BodyStyle:
    """The most frequent size, and the fonts of a good share of the characters."""
    sizes, fonts = Counter[float](), Counter[str]()
    for page in pages:
        for block in page.blocks:
            if block.label in BODY:
                sizes[round(block.style.size * 2) / 2] += len(block.text)
                fonts[block.style.font] += len(block.text)
    if not sizes:
        return BodyStyle(0.0, frozenset())
    least = _FONT_SHARE * fonts.total()
    return BodyStyle(
        sizes.most_common(1)[0][0],
        frozenset(font for font, count in fonts.items() if count > least),
    )


# of the characters of a heading are letters, fewer where it stands out and may have a date
_LETTERS, _DATED_LETTERS = 0.5, 0.3
_READABLE = 0.87  # of the body's size: headings in another font may be as small
_LEAST_LETTERS, _MOST_WORDS = 5, 9  # of a heading without number in the text of a scan
_LEAST_LINE = 25  # characters of what such a heading stands above: labels of a plot have fewer
# of the font size: the space above a line of a scan that is a heading; that below it, at least
# where the line is long, and at most; and how far its left end is from that of the text
_APART, _BELOW, _FARTHEST, _FLUSH = 0.8, 0.45, 3.0, 1.5
_NARROW, _OFF_MIDDLE = 0.6, 0.04  # of the width of the text below it
_NOTE_MARKS = frozenset(
    "0123456789!*'\"\u2018\u2019\u201d\u00bb\u00b0)"
)  # and what is read for them
_STOPS = (".", ",", ";", *"。．，、；")  # noqa: RUF001 - those of Chinese and Japanese
_CLOSING = "\"'\u201d\u2019\u00bb"
_SIGNS = re.compile(r"[%=<>|_~^\\{}*+]")  # of what a program read in a formula or a plot
_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}")
_WITHIN = re.compile(r"[.!?;:]\s")  # a sentence ends, and the line goes on

# The evidence for a heading: the look of a block, its place, and what speaks against it.


def signs(block: LayoutBlock, page: PageLayout, body: BodyStyle) -> float:
    """The evidence for a heading; each weight reflects how often its feature is right."""
    text, style = block.text, block.style
    readable = style.size >= _READABLE * body.size
    large = style.is_large(body.size) and style.size > body.size + 0.9
    bold = style.bold > 0.8 and readable
    numbered = HEADING_NUMBER.match(text) is not None
    letters = sum(character.isalpha() for character in text)
    stop_allowed = (numbered and (bold or large) and len(text) < 90) or (
        bold and text.endswith(".") and len(text) < 70
    )
    look = _Look(
        readable=readable,
        large=large,
        bold=bold,
        italic=style.italic > 0.8,
        numbered=numbered,
        known=KNOWN_HEADING.match(text) is not None,
        capitals=letters > 3 and capital_share(text) > 0.85,
        ends_sentence=_ends_sentence(text) and not stop_allowed,
        other_font=style.font not in body.fonts,
        single=len(block.lines) == 1,
        lower_case=text[:1].islower(),
    )
    may_head = look.known or not page.is_scan or _may_head_in_scan(block, page)
    if not may_head or _is_ruled_out(block, look):
        return 0.0
    return (
        2.0 * look.large
        + 1.5 * look.bold
        + 1.0 * look.numbered
        + 2.0 * look.known
        + 0.8 * (look.capitals and look.readable)
        + 0.8 * (look.italic and look.numbered)
        + _signs_of_place(block, page, look, body)
        - (
            2.0 * look.ends_sentence
            + 1.5 * look.lower_case
            + 0.7 * (len(block.lines) >= 3)
            + 0.7 * (len(block.text) > 130)
            + 2.0 * (block.style.math > 0.3)
            + 1.5 * (not look.readable)
        )
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


def _ends_sentence(text: str) -> bool:
    """Whether a stop ends it, perhaps with quotation marks behind."""
    within = text.rstrip(_CLOSING)
    return text.endswith(_STOPS) or (within != text and within.endswith((*_STOPS, "…", "!", "?")))


def _is_ruled_out(block: LayoutBlock, look: _Look) -> bool:
    bare = re.sub(r"^[\d.]+|\s", "", block.text)
    letters = sum(character.isalpha() for character in bare)
    least = _DATED_LETTERS if look.large and look.bold else _LETTERS
    lacks_words = letters < least * len(bare) or not _WORD.search(block.text)
    is_step = not look.large and NUMBERED_LINE.match(block.text) is not None
    if lacks_words or is_step or _reads_otherwise(block.text):
        return True
    return block.label == DocItemLabel.LIST_ITEM and not look.numbered


def _may_head_scan(text: str) -> bool:
    """Whether a text that a program read in an image may be a heading by its words: the sizes that
    it measured make headings of lines within a paragraph.
    """
    runs_on = _WITHIN.search(text) is not None or text.endswith(":")
    letters = sum(map(str.isalpha, text))
    short = letters >= _LEAST_LETTERS and 0 < count_words(text) <= _MOST_WORDS
    formula = _SIGNS.search(text) is not None or text.count("(") != text.count(")")
    opens = text[:1].isalpha() and not text[:1].islower()
    return short and opens and not runs_on and not formula


def _may_head_in_scan(block: LayoutBlock, page: PageLayout) -> bool:
    """Whether a number and a word begin the text, or it may be a heading by its words and place."""
    number = HEADING_NUMBER.match(block.text)
    if number is not None:
        return block.text[number.end() - 1].isalpha()
    return _may_head_scan(block.text) and _heads_text(block, page)


def _heads_text(block: LayoutBlock, page: PageLayout, *, again: bool = True) -> bool:
    """Whether text or another heading follows below, as it does not in a plot."""
    below = [
        other
        for other in page.blocks
        if other.box.top > block.box.middle_y and other.box.shared_width(block.box) > 0
    ]
    following = min(below, key=lambda other: other.box.top, default=None)
    if following is None or following.label not in (*BODY, DocItemLabel.SECTION_HEADER):
        return False
    if len(following.text) > _LEAST_LINE or HEADING_NUMBER.match(following.text) is not None:
        return True
    return again and _may_head_scan(following.text) and _heads_text(following, page, again=False)


def _reads_otherwise(text: str) -> bool:
    """Whether the text is an entry of the contents, front matter, a formula or a link."""
    return (
        LEADER.search(text) is not None
        or DATE.match(text) is not None
        or FRONT_MATTER.match(text) is not None
        or FORMULA_CHARACTERS.search(text) is not None
        or "://" in text
    )


def _signs_of_place(block: LayoutBlock, page: PageLayout, look: _Look, body: BodyStyle) -> float:
    """The weight of a block's place and font; negative if nothing sets it apart."""
    if (
        _stands_alone(block, page, look, body)
        or _is_numbered_in_scan(block, page, look)
        or _stands_apart_in_scan(block, page, look)
    ):
        return 3.0
    if (
        look.numbered
        and look.other_font
        and look.readable
        and len(block.lines) <= 2
        and not look.ends_sentence
        and not look.lower_case
    ):
        return 2.0
    numbered = look.numbered and (look.capitals or look.italic)
    return 0.0 if look.large or look.bold or look.known or numbered else -2.0


def _is_numbered_in_scan(block: LayoutBlock, page: PageLayout, look: _Look) -> bool:
    """Whether a line of a scan, whose sizes and fonts say nothing, is a heading by `2.1` before it
    and the text below.
    """
    number = DOTTED_NUMBER.match(block.text) if page.is_scan else None
    if number is None or not look.single or look.ends_sentence:
        return False
    return _may_head_scan(block.text[number.end() - 1 :]) and _heads_text(block, page)


def _stands_apart_in_scan(block: LayoutBlock, page: PageLayout, look: _Look) -> bool:
    """Whether a line of a scan has space above, behind text that has ended, and stands in the
    middle or at the left of the text below: its size and font say nothing.
    """
    if not page.is_scan or not look.single or look.ends_sentence or not _heads_text(block, page):
        return False
    box, size = block.box, block.style.size
    column = [
        other
        for other in page.blocks
        if other is not block and other.label not in FURNITURE and other.box.shared_width(box) > 0
    ]
    lower = min(
        (other for other in column if other.box.top >= box.middle_y), key=lambda o: o.box.top
    )
    above = [other for other in column if other.box.bottom <= box.middle_y]
    upper = max(above, key=lambda other: other.box.bottom, default=None)
    below = lower.box.top - box.bottom
    if upper is None or below > _FARTHEST * size or lower.text[:1].islower():
        return False
    ended = upper.label not in BODY or upper.text.endswith(ENDED) or upper.text[-1:] in _NOTE_MARKS
    opens = _may_head_scan(unnumbered(block.text)) if look.numbered else ended
    if not opens or (upper.label == DocItemLabel.TITLE and not look.numbered):
        return False
    narrow = box.width < _NARROW * lower.box.width
    middle = abs(box.middle_x - lower.box.middle_x) < _OFF_MIDDLE * lower.box.width
    left = abs(box.left - lower.box.left) < _FLUSH * size
    apart = box.top - upper.box.bottom > _APART * size and (narrow or below > _BELOW * size)
    return apart and ((narrow and middle) or left)


def _stands_alone(block: LayoutBlock, page: PageLayout, look: _Look, body: BodyStyle) -> bool:
    """Whether a short line in its own font has space above and a paragraph directly below."""
    first = block.text[:1]
    opens = look.numbered or first.isupper() or not first.isascii()
    if not (
        opens
        and look.single
        and look.other_font
        and not look.ends_sentence
        and len(block.text) < 90
        and block.style.size >= 0.93 * body.size
    ):
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
    gaps = [block.box.top - other.box.bottom for other in column]
    gap_above = min((gap for gap in gaps if gap >= -2), default=page.height)
    spaced = gap_below < 1.6 * size and gap_above > max(0.45 * size, gap_below - 1)
    return spaced and (
        nearest.style.font in body.fonts
        and abs(nearest.box.left - block.box.left) < 3 * block.style.size
        and nearest.label in BODY
        and len(nearest.text) > 60
    )


_ROMAN = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX".split()
_LEAST_NUMBERED = 3  # headings that are numbered through
_PROSE = 200  # characters of a block between two of them
_READ = 0.5  # of the numbers up to the last: others were misread


def _numbered_through(pages: Sequence[PageLayout]) -> Sequence[LayoutBlock]:
    """The lines of scans whose numbers go up through the document, with prose between
    each and the next: their sizes and fonts say nothing, and they look like items of a list.
    """
    run: list[LayoutBlock] = []
    last, prose = 0, True
    for page in (page for page in pages if page.is_scan):
        for block in page.blocks:
            number = _running_number(block, page)
            if prose and number > last:
                run.append(block)
                last, prose = number, False
            elif block.label in BODY and len(block.text) > _PROSE:
                prose = True
    return run if len(run) >= max(_LEAST_NUMBERED, _READ * last) else ()


def _running_number(block: LayoutBlock, page: PageLayout) -> int:
    """The number before a line that may head the text below; 0 if there is none."""
    found = RUNNING_NUMBER.match(block.text)
    if found is None or len(block.lines) > 1 or not _heads_text(block, page):
        return 0
    if not _may_head_scan(block.text[found.end() :].rstrip(".")):
        return 0
    said = found[1]
    return int(said) if said.isdigit() else _ROMAN.index(said) + 1 if said in _ROMAN else 0


_LONGEST = 220  # characters: a longer block is no heading
_MOST_LINES = 4  # a heading has at most
_THRESHOLD = 1.5  # a block whose weights add up to this is a heading
_EQUAL = 0.02  # sizes nearer than this are one
_TITLE_MATCH = 88  # percent of similarity from which a block is the declared title


def mark_headings(
    pages: Sequence[PageLayout], body: BodyStyle, *, found_share: float = 0.0
) -> None:
    """Label the headings that the outline does not declare; of its entries the `found_share` are
    headings already.
    """
    front = _front_matter(pages[0]) if pages else frozenset()
    numbered = _numbered_through(pages)
    for page in pages:
        for block in page.blocks:
            if not _may_be_heading(block, body) or id(block) in front:
                continue
            if signs(block, page, body) >= _THRESHOLD:
                block.label = DocItemLabel.SECTION_HEADER
    _mark_years(pages)
    unmark_contents(pages)
    unmark_beside_outline(pages, body.size, found_share)
    unmark_labels(pages, body.size)
    for block in numbered:
        block.label = DocItemLabel.SECTION_HEADER


def _mark_years(pages: Sequence[PageLayout]) -> None:
    """Label what would be a date (`4 Floods 2019`) but for the heading before it: that looks alike
    and has the number before its own.
    """
    last: LayoutBlock | None = None
    for block in (block for page in pages for block in page.blocks):
        if last and DATE.match(block.text) and block.label in BODY:
            alike = (block.style.font, block.style.size) == (last.style.font, last.style.size)
            if alike and _first_number(block) == _first_number(last) + 1:
                block.label = DocItemLabel.SECTION_HEADER
        if block.label == DocItemLabel.SECTION_HEADER and _first_number(block):
            last = block


def _first_number(block: LayoutBlock) -> int:
    """The number of a chapter or of its sections; 0 if there is none."""
    found = re.match(r"\d{1,2}", block.text.strip())
    return int(found[0]) if found else 0


def mark_title(page: PageLayout, embedded_title: str) -> None:
    """Label the document's title on its first page, if it can be identified."""
    candidates = [
        block
        for block in page.blocks
        if block.label in (*BODY, DocItemLabel.SECTION_HEADER)
        and block.box.top < 0.6 * page.height
        and len(block.text) > 3
    ]
    title = _declared_title(candidates, embedded_title)
    if title is None:
        title = _largest_title(candidates)
        title = title if title and not _has_equal(title, page) else None
        title = title if title and (not page.is_scan or _may_head_scan(title.text)) else None
    if title:
        title.label = DocItemLabel.TITLE


def _declared_title(candidates: Sequence[LayoutBlock], embedded_title: str) -> LayoutBlock | None:
    """The first block with the title that the file declares."""
    declared = tight(embedded_title)
    if len(declared) <= 8:
        return None
    alike = (b for b in candidates if fuzz.ratio(tight(b.text), declared) > _TITLE_MATCH)
    return next(alike, None)


def _largest_title(candidates: Sequence[LayoutBlock]) -> LayoutBlock | None:
    """The block that is clearly larger than the others, unless it is a section's heading, by its
    words or the outline; one that stands alone, unless it is of several sentences.
    """
    if not candidates or (len(candidates) == 1 and _WITHIN.search(candidates[0].text)):
        return None
    largest = max(candidates, key=lambda block: (block.style.size, -block.box.top))
    sizes = [block.style.size for block in candidates if block is not largest]
    named = (pattern.match(largest.text) for pattern in (HEADING_NUMBER, KNOWN_HEADING, LABEL))
    of_section = any(named) or largest.level > 1
    clearly = largest.style.size > 1.15 * max(sizes, default=0.0)
    return largest if clearly and not of_section else None


def _has_equal(title: LayoutBlock, page: PageLayout) -> bool:
    """Whether another text of the page looks like the title, as headings of its sections do."""
    size, font = title.style.size, title.style.font
    others = [b for b in page.blocks if b is not title and b.box.top > title.box.bottom]
    return any(
        other.style.font == font
        and abs(other.style.size - size) < _EQUAL * size
        and other.style.bold > 0.8
        and len(other.text) <= _LONGEST
        and any(b.box.top >= other.box.bottom and len(b.text) > _LONGEST for b in page.blocks)
        for other in others
    )


def _front_matter(page: PageLayout) -> Set[int]:
    """The ids of the author blocks: those smaller than the title above the abstract, or else
    those that look like names or addresses between the title and the first prose.
    """
    abstract = next((block for block in page.blocks if ABSTRACT.match(block.text)), None)
    if abstract:
        largest = max(block.style.size for block in page.blocks if len(block.text) > 3)
        above = [block for block in page.blocks if block.box.bottom < abstract.box.top]
        return set(map(id, [block for block in above if block.style.size < 0.93 * largest]))
    title = next((block for block in page.blocks if block.label == DocItemLabel.TITLE), None)
    return set(map(id, _affiliations(page, title))) if title else frozenset()


def _affiliations(page: PageLayout, title: LayoutBlock) -> list[LayoutBlock]:
    below = [block for block in page.blocks if block.box.top > title.box.top]
    prose = min((b.box.top for b in below if len(b.text) > _LONGEST), default=page.height)
    above = [block for block in below if block.box.top < prose]
    return [block for block in above if AFFILIATION.match(block.text)]


def _may_be_heading(block: LayoutBlock, body: BodyStyle) -> bool:
    text = tight(block.text)
    # a heading may name a function, which is set like a listing
    stands_out = block.style.size > 1.05 * body.size or block.style.bold > 0.8
    of_code = block.label == DocItemLabel.CODE and stands_out
    return (
        (block.label in BODY or (of_code and DOTTED_NUMBER.match(block.text) is not None))
        and not BULLET.match(block.text)
        and len(block.lines) <= _MOST_LINES
        and len(block.text) <= _LONGEST
        and not text.isdigit()
        and re.search(r"[^\W\d_]{2}", block.text) is not None
    )
