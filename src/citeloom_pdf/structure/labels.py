"""What looks like a heading and heads no section: heads of tables and boxes, terms and steps of a
list, lines of a title page, entries of the contents, and what the outline lacks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import takewhile

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import BODY, FURNITURE, LayoutBlock, PageLayout
from citeloom_pdf.elements.patterns import (
    CONTENTS,
    DATE,
    DOTTED_NUMBER,
    HEADING_NUMBER,
    KNOWN_HEADING,
    NUMBER_ALONE,
    PAGE_BEHIND,
    SENTENCE_END,
    count_words,
    tight,
)
from citeloom_pdf.structure.chapters import without_label
from citeloom_pdf.structure.numbering import number_of

_LONGEST = 220  # characters: a longer block is prose
_SAME_PLACE = 2.0  # points: blocks at one indentation begin at places that differ less
_SAME_STEPS = 7.0  # points: of the numbers of a list, one may have a digit more
_INDENT = 0.8  # of the font size: what begins farther right is indented
_NEAR_MARGIN = 0.3  # of the font size: some set terms a little farther right than the margin
_DEEPEST = 0.2  # of the page's width: what begins farther right stands in a column of its own
_CLOSE = 0.8  # of the font size: the space below a line within a paragraph
_TERM = 0.5  # of the font size: the space between a term and its text
_SHORT = 2.0  # of the font size: a line that ends farther from the margin is not full
_MARGIN_SHARE = 0.05  # of the prose: it begins at a margin of the body
_MOST_WORDS = 100  # of a title page
_LEAST_ENTRIES = 2  # on a page
_LEAST_IN_ROW = 3  # heads of columns; two headings may stand side by side
_BOXES = 2  # times a label that the text stands indented to
_LEAST_RUN = 4  # consecutive headings
_SENTENCE_ENDS = re.compile(r"[.!?]\W*$")
_STEP = re.compile(r"\s*(\d{1,2})([.)])\s")


def unmark_labels(pages: Sequence[PageLayout], body_size: float) -> None:
    """Take the label of a heading from blocks that head no section, unless the outline, a number
    or a known title speaks for them.
    """
    if len(pages) > 1:
        _unmark_title_page(pages[0], body_size)
    margins, boxes = _margins(pages), Counter[str]()
    for page in pages:
        _unmark_rows(page)
        _unmark_entries(page)
        _unmark_steps(page, body_size)
        columns = [(block, _column_below(block, page)) for block in _uncertain(page)]
        for block, column in columns:
            boxes[tight(block.text)] += _heads_box(block, column, page)
        terms = [
            (block, column[0])
            for block, column in columns
            if not block.style.is_large(body_size) and _is_term(block, column, margins)
        ]
        fonts = Counter(block.style.font for block, _ in terms)
        _unmark(
            block for block, text in terms if len(text.lines) > 1 or fonts[block.style.font] > 1
        )
        _unmark(block for block, column in columns if _runs_on(block, column, body_size))
        _unmark(block for block, column in columns if _has_notes_alone(column))
    for page in pages:
        _unmark(block for block in _uncertain(page) if boxes[tight(block.text)] >= _BOXES)
        _unmark_runs(page)


def _unmark_steps(page: PageLayout, body_size: float) -> None:
    """Steps of a list, in plain letters, of which the one before or behind is no heading."""
    lines = sorted((block for block in page.blocks if block.lines), key=lambda b: b.box.top)
    numbered = [(block, match) for block in lines if (match := _STEP.match(block.text))]
    for step, order in ((-1, numbered), (1, numbered[::-1])):
        for index, (block, match) in enumerate(order):
            plain = block.style.bold < 0.5 and not block.style.is_large(body_size)
            if not (plain and _is_heading(block)) or block.level:
                continue
            before = [
                (other, int(number[1]))
                for other, number in order[:index]
                if number[2] == match[2] and abs(other.box.left - block.box.left) < _SAME_STEPS
            ]
            if before and before[-1][1] == int(match[1]) + step and not _is_heading(before[-1][0]):
                block.label = DocItemLabel.LIST_ITEM


def _is_heading(block: LayoutBlock) -> bool:
    return block.label == DocItemLabel.SECTION_HEADER


def _is_certain(block: LayoutBlock) -> bool:
    named = KNOWN_HEADING.match(block.text) or CONTENTS.match(block.text)
    numbered = HEADING_NUMBER.match(block.text) and not DATE.match(block.text)
    return bool(block.level or numbered or named)


def _uncertain(page: PageLayout) -> list[LayoutBlock]:
    return [block for block in page.blocks if _is_heading(block) and not _is_certain(block)]


def _unmark(blocks: Iterable[LayoutBlock]) -> None:
    for block in blocks:
        block.label = DocItemLabel.TEXT


def _unmark_title_page(page: PageLayout, body_size: float) -> None:
    """Names and dates on the first page: of a page of few words and no prose all headings but the
    largest, else those above all text of the body.
    """
    blocks = sorted((block for block in page.blocks if block.lines), key=lambda b: b.box.top)
    words = sum(count_words(block.text) for block in blocks)
    largest = max((block.style.size for block in blocks), default=0.0)
    if words <= _MOST_WORDS and not any(len(block.text) > _LONGEST for block in blocks):
        _unmark(block for block in _uncertain(page) if block.style.size < 0.97 * largest)
        return
    above = list(takewhile(lambda block: _is_above_text(block, body_size), blocks))
    if any(block.label == DocItemLabel.TITLE for block in above):
        following = blocks[len(above)] if len(above) < len(blocks) else None
        heads_text = following is not None and _is_text_below(following)
        _unmark(b for b in above[: -1 if heads_text else None] if b in _uncertain(page))


def _is_text_below(block: LayoutBlock) -> bool:
    """Whether it is text that a heading may stand above, and no name or date of one line."""
    is_line = len(block.lines) == 1 and not block.text.endswith(SENTENCE_END)
    return not _is_certain(block) and not (is_line and block.label == DocItemLabel.TEXT)


def _is_above_text(block: LayoutBlock, body_size: float) -> bool:
    """Whether it is furniture, or larger than the body and neither prose nor a certain heading."""
    if block.label in FURNITURE or block.label == DocItemLabel.TITLE:
        return True
    large = block.style.is_large(body_size) and block.label in (*BODY, DocItemLabel.SECTION_HEADER)
    return large and len(block.text) <= _LONGEST and not _is_certain(block)


def _unmark_rows(page: PageLayout) -> None:
    """The heads of a table's columns: lines in one font side by side, two only above one text.
    A heading may have its number beside it.
    """
    lines = [b for b in page.blocks if b.label in (*BODY, DocItemLabel.SECTION_HEADER)]
    lines = [b for b in lines if len(b.lines) == 1 and not NUMBER_ALONE.fullmatch(b.text)]
    heads = []
    for block in _uncertain(page):
        middle, style = block.box.middle_y, block.style
        row = [
            other
            for other in lines
            if abs(other.box.middle_y - middle) < 0.5 * style.size
            and other.style.font == style.font
        ]
        if len(row) >= _LEAST_IN_ROW or (len(row) > 1 and _are_above_one(row, page)):
            heads.append(block)
    _unmark(heads)


def _unmark_entries(page: PageLayout) -> None:
    """Entries of contents without leaders: each with its page's number beside it."""
    numbers = [block for block in page.blocks if block.text.isdecimal()]
    entries = [
        block
        for block in page.blocks
        if _is_heading(block) and not block.level and any(_is_beside(block, n) for n in numbers)
    ]
    _unmark(entries if len(entries) >= _LEAST_ENTRIES else ())


def _is_beside(block: LayoutBlock, number: LayoutBlock) -> bool:
    level = abs(number.box.bottom - block.box.bottom) < 0.5 * block.style.size
    return level and number.box.left > block.box.right and number.style.font == block.style.font


def _are_above_one(row: Sequence[LayoutBlock], page: PageLayout) -> bool:
    """Whether what is nearest below each of them is the same block, as it is not in columns."""
    nearest = [next(iter(_column_below(block, page)), None) for block in row]
    return nearest[0] is not None and all(block is nearest[0] for block in nearest)


def _column_below(block: LayoutBlock, page: PageLayout) -> list[LayoutBlock]:
    """What stands below a block in its column, from top to bottom."""
    below = [
        other
        for other in page.blocks
        if other.label not in FURNITURE
        and other.box.top >= block.box.bottom - _SAME_PLACE
        and other.box.shared_width(block.box) > 0
    ]
    return sorted(below, key=lambda other: other.box.top)


def _has_notes_alone(column: Sequence[LayoutBlock]) -> bool:
    """Whether only notes stand below: no heading is left at the foot of its column."""
    return bool(column) and all(block.label == DocItemLabel.FOOTNOTE for block in column)


def _heads_box(block: LayoutBlock, column: Sequence[LayoutBlock], page: PageLayout) -> int:
    """How much speaks for the head of a box, as of a note or a warning: that what follows ends
    with text that begins farther left. A heading may stand over a quotation that is indented, but
    not again and again.
    """
    if not column or column[0].box.left < block.box.left - _SAME_PLACE:
        return 0
    left, indent = column[0].box.left, _INDENT * block.style.size
    for other in column:
        if _is_heading(other):
            return 0
        if other.box.left < left - indent:
            near = other.box.left > left - _DEEPEST * page.width
            ends = near and other.label == DocItemLabel.TEXT and len(other.lines) > 1
            aligned = left - block.box.left <= _SAME_PLACE
            return (_BOXES if aligned else 1) if ends else 0
    return 0


def _margins(pages: Sequence[PageLayout]) -> Set[int]:
    """The places, in points, at which much of the prose begins."""
    places = Counter[int]()
    for page in pages:
        for block in page.blocks:
            if block.label == DocItemLabel.TEXT and len(block.lines) > 1:
                places[round(block.box.left)] += len(block.text)
    least = _MARGIN_SHARE * places.total()
    return {place for place, count in places.items() if count >= least}


def _is_term(block: LayoutBlock, column: Sequence[LayoutBlock], margins: Set[int]) -> bool:
    """Whether the text close below is indented, while a margin of the body is where this begins."""
    size = block.style.size
    if not column or not any(abs(block.box.left - at) <= _NEAR_MARGIN * size for at in margins):
        return False
    text = column[0]
    indented = text.box.left > block.box.left + _INDENT * size
    close = text.box.top - block.box.bottom < _TERM * size
    return indented and close and text.label == DocItemLabel.TEXT


def _runs_on(block: LayoutBlock, column: Sequence[LayoutBlock], body_size: float) -> bool:
    """Whether the line below goes on with its sentence: in the style of the body, or as a sentence
    in its own. What stands out by its font alone, and fills its line, is one of the paragraph.
    """
    if not column or block.text.endswith(SENTENCE_END) or column[0].label not in BODY:
        return False
    text = column[0]
    plain = not text.style.is_large(body_size) and text.style.bold < 0.5
    close = text.box.top - block.box.bottom < _CLOSE * text.style.size
    full = block.box.right > text.box.right - _SHORT * text.style.size
    sentence = text.style.font == block.style.font and _SENTENCE_ENDS.search(text.text)
    weak = not block.style.is_large(body_size) and block.style.bold < 0.5
    lower = text.text[:1].islower()
    return close and full and bool((plain and (lower or weak)) or (lower and sentence))


def _unmark_runs(page: PageLayout) -> None:
    """Of four or more consecutive headings, as on a title page, keep only the largest."""
    run: list[LayoutBlock] = []
    blocks = [block for block in page.blocks if block.label not in FURNITURE and block.lines]
    for block in sorted(blocks, key=lambda block: (block.box.top, block.box.left)):
        if _is_heading(block):
            run.append(block)
            continue
        _keep_largest(run)
        run = []
    _keep_largest(run)


def _keep_largest(run: Sequence[LayoutBlock]) -> None:
    if len(run) < _LEAST_RUN:
        return
    largest = max(block.style.size for block in run)
    _unmark(
        block
        for block in run
        if block.style.size < 0.97 * largest
        and not (block.level or HEADING_NUMBER.match(block.text))
    )


# What the outline or the contents of the document say of headings.

# entries of the outline that are headings, those on a page, and their share of all entries: then
# the outline says what is a heading; one of chapters alone says nothing of sections
_LEAST_FOUND, _LEAST_DENSE, _THOROUGH = 8, 0.2, 0.8
_LEAST_OF_FEW, _DENSER = 3, 0.5  # such entries, and those on a page, where there are fewer
_LEAST_AGAIN = 3  # headings on one page that occur again later: these are a table of contents


def unmark_beside_outline(
    pages: Sequence[PageLayout], body_size: float, found_share: float
) -> None:
    """Where the entries of the outline are headings of the document, unmark those that it lacks,
    such as bold terms, unless they are large, on the first page like the others, or go on with its
    numbers.
    """
    headings = [(page, block) for page in pages for block in page.blocks if _is_heading(block)]
    declared = [block for _, block in headings if block.level]
    few = max(_LEAST_OF_FEW, _DENSER * len(pages))
    least = max(min(_LEAST_FOUND, few), _LEAST_DENSE * len(pages))
    if len(declared) < least or found_share < _THOROUGH:
        return
    numbers = {number for block in declared if (number := number_of(block.text))}
    looks = {_look(block) for block in declared}
    for page, block in headings:
        if block.level or KNOWN_HEADING.match(block.text):
            continue
        if numbers and DOTTED_NUMBER.match(block.text) and number_of(block.text) not in numbers:
            continue
        as_others = page.number > 1 or _look(block) in looks
        large = as_others and block.style.is_large(body_size)
        if not large or _is_beside_heading(page, block):
            block.label = DocItemLabel.TEXT


def _look(block: LayoutBlock) -> tuple[str, int, int]:
    return block.style.font, round(block.style.size), round(block.box.left)


def _is_beside_heading(page: PageLayout, block: LayoutBlock) -> bool:
    """Whether another heading follows directly."""
    below = [other for other in page.blocks if other.box.top >= block.box.bottom - 1]
    following = min(below, key=lambda other: other.box.top, default=None)
    return following is not None and _is_heading(following)


def unmark_contents(pages: Sequence[PageLayout]) -> None:
    """Unmark the entries of a table of contents: headings that occur again on a later page."""
    headings = [(page, block) for page in pages for block in page.blocks if _is_heading(block)]
    last = {_bare(block.text): page.number for page, block in headings}
    for page in pages:
        entries = [
            block
            for block in page.blocks
            if _is_heading(block) and not block.level and _occurs_behind(block, page, last)
        ]
        if page.has_contents or len(entries) >= _LEAST_AGAIN:
            _unmark(entries)


def _occurs_behind(entry: LayoutBlock, page: PageLayout, last: Mapping[str, int]) -> bool:
    """Whether a later page has a heading of these words, with or without a page's number here."""
    forms = (entry.text, PAGE_BEHIND.sub("", entry.text))
    return any(last.get(_bare(form), 0) > page.number for form in forms)


def _bare(text: str) -> str:
    """A title without its number."""
    return re.sub(r"^\d+", "", tight(without_label(text)))
