"""The layout of one page: tables, figures, and text blocks with preliminary labels."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from itertools import chain, pairwise

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.blocks.algorithms import find_algorithms
from citeloom_pdf.blocks.entries import Entry, find_entries, first_paragraph
from citeloom_pdf.blocks.figures import find_figures, is_panel, with_all_labels
from citeloom_pdf.blocks.formulas import (
    are_in_rows,
    begins_with_words,
    find_formulas,
    is_beside,
    parts_with_limits,
)
from citeloom_pdf.blocks.glosses import join_glosses
from citeloom_pdf.blocks.listings import CodeListing, find_listings, with_labels
from citeloom_pdf.blocks.paragraphs import paragraphs_of
from citeloom_pdf.blocks.readings import without_readings
from citeloom_pdf.blocks.rows import (
    are_dense,
    are_prose_columns,
    is_tabular,
    rows_of,
    without_lines,
)
from citeloom_pdf.blocks.table_columns import are_sums, is_amount
from citeloom_pdf.blocks.table_structure import table_rows
from citeloom_pdf.blocks.tables import find_tables, parted_at_sides
from citeloom_pdf.blocks.turned_parts import turned_parts
from citeloom_pdf.blocks.unruled_tables import are_backgrounds, drawn_parts
from citeloom_pdf.elements.block import BODY, LayoutBlock, PageLayout
from citeloom_pdf.elements.fonts import mixed_style
from citeloom_pdf.elements.geometry import Rect, Rule, enclosing
from citeloom_pdf.elements.page import Line, PageContent, Style
from citeloom_pdf.elements.patterns import (
    BULLET,
    CAPTION_NUMBER,
    CAPTION_WITH_STOP,
    CONTENTS,
    FOOTNOTE_MARK,
    LEADER,
    LIST_MARK,
    MENTION,
    PAGE_NUMBER,
    PROMPT,
    SUBCAPTION,
    count_words,
    is_caption,
    is_prose,
)
from citeloom_pdf.parsing.lines import (
    are_from_right,
    join_over_icons,
    join_parts,
    join_stretched,
    joined_line,
)

# Numbers in the margin that count the lines of a text, as in manuscripts under review.

_LEAST = 3  # so many numbers at least count the lines of a text
_ALIGNED = 2.0  # points between the right or the left ends of numbers that belong together
_STEADY = 0.8  # of the steps between numbers that follow are the same
_FARTHEST, _REACH = 5.0, 40.0  # of the font size, and points: how far it stands from its line
_LEAST_PROSE = 25  # characters of a line that is prose
_CROSSED = 0.1  # of the lines of prose: more of them where the numbers stand, and it is no margin
_CODE = 0.3  # of the counted lines are code: the numbers are a listing's
_WITHIN = 0.2  # of the counted lines begin within a sentence: else they are entries of a list


def without_line_numbers(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines without those that are numbers counting the others, in any margin or gutter."""
    numbers = [line for line in lines if _is_line_number(line)]
    if len(numbers) < _LEAST:
        return tuple(lines)
    texts = [line for line in lines if not line.rotated and not _is_line_number(line)]
    counting = {
        id(line)
        for group in _aligned(numbers)
        if _counts(group) and _is_margin(group, texts) and _stands_by_prose(group, texts)
        for line in group
    }
    return tuple(line for line in lines if id(line) not in counting)


def _is_line_number(line: Line) -> bool:
    return not line.rotated and line.text.isdecimal() and len(line.text) <= 5


def _aligned(numbers: Iterable[Line]) -> list[list[Line]]:
    """The numbers under one another, each in one group, from top to bottom."""
    ordered = sorted(numbers, key=lambda line: line.box.top)
    groups: list[list[Line]] = []
    for line in ordered:
        for group in groups:
            sides = (group[-1].box.left - line.box.left, group[-1].box.right - line.box.right)
            below = line.box.middle_y - group[-1].box.middle_y > 0.5 * group[-1].box.height
            if below and min(map(abs, sides)) < _ALIGNED:
                group.append(line)
                break
        else:
            groups.append([line])
    return [group for group in groups if len(group) >= _LEAST]


def _counts(group: Sequence[Line]) -> bool:
    """Whether the numbers go up by mostly the same step."""
    steps = [int(lower.text) - int(upper.text) for upper, lower in pairwise(group)]
    step, times = Counter(steps).most_common(1)[0]
    return step > 0 and times >= _STEADY * len(steps)


def _is_margin(group: Sequence[Line], texts: Sequence[Line]) -> bool:
    """Whether hardly any line of prose runs through where the numbers stand."""
    left, right = min(line.box.left for line in group), max(line.box.right for line in group)
    prose = [line for line in texts if len(line.text) > _LEAST_PROSE]
    crossing = sum(line.box.left < right and line.box.right > left for line in prose)
    return crossing <= _CROSSED * len(prose)


def _stands_by_prose(group: Sequence[Line], texts: Sequence[Line]) -> bool:
    """Whether the numbers stand by lines many of which go on with a sentence."""
    rows: dict[int, list[Line]] = defaultdict(list)
    for line in texts:
        for row in range(int(line.box.top) - 1, int(line.box.bottom) + 2):
            rows[row].append(line)
    beside = [_nearest(number, rows[int(number.box.middle_y)]) for number in group]
    lines = [line for line in beside if line is not None]
    code = sum(line.style.mono > 0.5 for line in lines)
    within = sum(line.text[:1].islower() for line in lines)
    return within >= max(1.0, _WITHIN * len(group)) and code < _CODE * len(lines)


def _nearest(number: Line, row: Sequence[Line]) -> Line | None:
    """The line that a number counts: the nearest to the right of it, or else to the left."""
    reach = max(_FARTHEST * number.size, _REACH)
    to_right = [(line.box.left - number.box.right, line) for line in row]
    to_left = [(number.box.left - line.box.right, line) for line in row]
    for gaps in (to_right, to_left):
        near = [(gap, line) for gap, line in gaps if -1 < gap < reach]
        if near:
            return min(near, key=lambda pair: pair[0])[1]
    return None


_USUAL_SIZE = 9.0  # points: the body's size where the page has no text
_MOST_CAPTION_LINES = 14  # a longer text is no caption
# of the font size: how far the title of a caption is below its number; it is bold, or so small
_CLOSE_BELOW, _BOLD, _READABLE = 0.6, 0.8, 0.95
_CAPTION_REACH = 30.0  # points between a caption and its table or figure
# of the font size: how far below a part of a figure its caption stands; and of its width above it
_BELOW_PART, _WITHIN_PART = 1.5, 0.9
_LEAST_CONTENTS = 3  # entries with leaders that make a table of contents
_LEAST_ANNOUNCED = 2  # below its heading
_PAGES, _RISING = 0.5, 0.7  # of the entries of a scan's contents: misread numbers are few
_CHAPTER_GAP = 3.0  # of the font size: how far an entry without leaders is from the others
_LEAST_TEXT = 20  # words: so many in a figure are read, whatever it is
_LEAST_NUMBERS = 40  # in a table in a drawing
_BACKGROUND = 0.8  # of the lines on a drawing are in tables
_LEAST_LABELS = 3  # words of a diagram
_LEAST_NAMED = 4  # rows of a table in a figure, where most begin with a name
_LABELLED = 0.5  # of the lines of a table in a figure have a word: of a plot's, most are numbers
_SMALL = 0.9  # of the font size of an algorithm: a smaller line is a script or a limit
_TORN = 0.1  # of a text in fonts of mathematics: it may be of a table that was not found
_MARGIN = 0.08  # of the page's width: rotated text out there is the publisher's


def lay_out(page: PageContent, titles: Set[str] = frozenset()) -> PageLayout:
    """Find the page's blocks. Text inside figures and numbers of lines are left out.

    `titles` are the outline's entries for the page, reduced to letters and digits.
    """
    lines, left_out = without_readings(page.lines)
    page = replace(page, lines=tuple(join_over_icons(lines, page.bitmaps)))
    turned = list(turned_parts(page))
    # lines on their side that are in no such part are labels, of no words
    parts = {id(line) for part in turned for line in part.lines}
    numbered = [
        replace(line, words=()) if line.rotated else line
        for line in page.lines
        if id(line) not in parts
    ]
    lines = without_line_numbers(numbered)
    left_out += [line.text for line in without_lines(numbered, lines)]
    blocks = _blocks(replace(page, lines=lines), titles, left_out)
    for part in turned:
        placed = _blocks(part.content, titles, left_out)
        blocks += [part.placed(block) for block in placed if not block.is_empty_picture]
    ordered = sorted(blocks, key=lambda block: (block.box.top, block.box.left))
    return PageLayout(
        page.number, page.width, page.height, tuple(ordered), left_out=tuple(left_out)
    )


def _blocks(page: PageContent, titles: Set[str], left_out: list[str]) -> list[LayoutBlock]:
    """The blocks of a page; labels of its figures are added to what is left out."""
    sizes = Counter[float]()
    for line in page.lines:
        if not line.rotated:
            sizes[round(line.size * 2) / 2] += len(line.text)
    body_size = sizes.most_common(1)[0][0] if sizes else _USUAL_SIZE
    tables, figures = _tables_and_figures(page, body_size)
    page = replace(page, lines=parted_at_sides(page, tables)) if tables else page
    graphics = [*tables, *figures]
    text = [line for line in page.lines if not any(line.box.lies_in(box) for box in graphics)]
    upright = [line for line in text if not line.rotated]
    algorithms = find_algorithms(upright, page.horizontal)
    upright = without_lines(upright, chain.from_iterable(each.lines for each in algorithms))
    whole = _whole_lines(upright)
    entries = [first_paragraph(entry) for entry in find_entries(_contents(whole, page)[1])]
    boxes = [line.box for entry in entries for line in (*entry.label, *entry.text)]
    unlisted = [line for line in upright if not any(line.box.lies_in(box) for box in boxes)]
    listings = find_listings(unlisted, [*page.horizontal, *map(_as_rule, entries)])
    code = [line for listing in listings for line in listing.lines]
    parts = with_labels(without_lines(unlisted, code))
    if entries or listings or len(parts) < len(unlisted):
        whole = _whole_lines(parts)
    formulas = find_formulas(parts, whole)
    if formulas:
        whole = _whole_lines(without_lines(parts, chain.from_iterable(formulas)))
    contents, rest = _contents(whole, page)
    paragraphs = paragraphs_of(rest, page.horizontal, titles, graphics)
    texts = [
        *map(_algorithm, algorithms),
        *(_entry(entry, page, graphics, body_size) for entry in entries),
        *(_paragraph(lines, page, graphics, body_size) for lines in paragraphs),
    ]
    texts = _with_whole_captions(texts, body_size)
    for block in texts:
        block.doubtful |= any(box.lies_in(block.box) for box in page.formulas.doubtful)
        block.doubtful |= _is_of_torn_row(block, page, whole)
        block.doubtful |= block.label == DocItemLabel.FORMULA
    return [
        *(_table(page, box, figures) for box in tables),
        *(_figure(page, box, [*tables, *figures[:at]], left_out) for at, box in enumerate(figures)),
        *(_rotated(line, page.width) for line in text if line.rotated),
        *(_listing(listing, page.formulas.doubtful) for listing in listings),
        *(_formula(formula, page, whole) for formula in formulas),
        *contents,
        *texts,
    ]


def _tables_and_figures(page: PageContent, body_size: float) -> tuple[list[Rect], list[Rect]]:
    """The tables and figures. A table of a few words inside a larger figure, such as a legend,
    belongs to the figure; a framed plot whose marks are characters is a figure with its labels.
    """
    tables = find_tables(page)
    plots = [box for box in tables if is_panel(box, page.lines)]
    tables = [
        table
        for table in tables
        if table not in plots and are_dense(rows_of(_upright_in(table, page)), table)
    ]
    figures = [with_all_labels(plot, page, tables, body_size) for plot in plots]
    figures += find_figures(page, [*tables, *plots], body_size)
    tables = [
        table
        for table in tables
        if not any(table.lies_in(box, 0.6) and box.area > 1.3 * table.area for box in figures)
        or _has_text([line.text for line in page.lines if line.box.lies_in(table)])
    ]
    return tables, [box for box in figures if not _is_background(box, tables, page.lines)]


def _has_text(texts: Iterable[str]) -> bool:
    """Whether a table in a drawing has more words or numbers than a legend has."""
    words = [word for text in texts for word in text.split()]
    numbers = sum(map(is_amount, words))
    return sum(map(count_words, words)) >= _LEAST_TEXT or numbers >= _LEAST_NUMBERS


def _is_background(figure: Rect, tables: Sequence[Rect], lines: Sequence[Line]) -> bool:
    """Whether a figure is what tables are drawn on, alone or with most of what stands there."""
    inside = [line for line in lines if line.box.lies_in(figure)]
    in_tables = sum(any(line.box.lies_in(table) for table in tables) for line in inside)
    return in_tables > _BACKGROUND * max(1, len(inside))


def _upright_in(box: Rect, page: PageContent) -> list[Line]:
    return [line for line in page.lines if line.box.lies_in(box) and not line.rotated]


def _table(page: PageContent, box: Rect, figures: Sequence[Rect]) -> LayoutBlock:
    """A table; one within a figure may be of the labels of a chart, and in one of the page's
    doubtful lines a formula is not as it is printed.
    """
    table = table_rows(page, box, _upright_in(box, page))
    doubtful = table.doubtful or any(box.lies_in(figure) for figure in figures)
    doubtful |= any(line.lies_in(box) for line in page.formulas.doubtful)
    return LayoutBlock(DocItemLabel.TABLE, box, Style(0), rows=table.cells, doubtful=doubtful)


def _figure(
    page: PageContent, box: Rect, others: Sequence[Rect], left_out: list[str]
) -> LayoutBlock:
    """A figure with the text that is set in it, or as the table that it frames; numbers and lone
    letters are left out. What is in one of the `others` is theirs.
    """
    lines = [
        line
        for line in page.lines
        if line.box.lies_in(box) and not any(line.box.lies_in(other) for other in others)
    ]
    texts = [line for line in lines if count_words(line.text) and not line.rotated]
    labels = without_lines(lines, texts)
    is_text = _holds_text(lines, texts)
    upright = [line for line in lines if not line.rotated]
    labelled = is_text and len(texts) >= _LABELLED * len(upright)
    if (labelled or _are_named(upright)) and _is_table(upright):
        table = table_rows(page, box, upright)
        left_out += [label.text for label in labels if label.rotated]
        is_table = are_backgrounds(drawn_parts(page, box), box, rows_of(upright))
        doubtful = table.doubtful or not is_table
        return LayoutBlock(DocItemLabel.TABLE, box, Style(0), rows=table.cells, doubtful=doubtful)
    left_out += [label.text for label in labels]
    if not is_text:
        return LayoutBlock(DocItemLabel.PICTURE, box, Style(0))
    paragraphs = paragraphs_of(_whole_lines(texts), page.horizontal, frozenset())
    paragraphs.sort(key=lambda lines: (lines[0].box.top, lines[0].box.left))
    block = _block(list(chain.from_iterable(paragraphs)), DocItemLabel.PICTURE)
    return replace(block, box=box, rows=tuple(tuple(line.text for line in p) for p in paragraphs))


def _are_named(lines: Sequence[Line]) -> bool:
    """Whether most rows are a name and what stands beside it, as in accounts on tinted rows."""
    rows = rows_of(lines)
    named = sum(len(row.runs) >= 2 and count_words(row.runs[0].text) > 0 for row in rows)
    return named >= max(_LEAST_NAMED, _LABELLED * len(rows))


def _is_table(lines: Sequence[Line]) -> bool:
    rows = rows_of(lines)
    box = enclosing(line.box for line in lines)
    return is_tabular(rows) and are_dense(rows, box) and not are_prose_columns(lines)


def _holds_text(lines: Sequence[Line], texts: Sequence[Line]) -> bool:
    """Whether the words in a figure are read: many, or those of a diagram. The few along the axes
    of a plot, whose labels are mostly numbers, are not, and count as lost.
    """
    words = sum(count_words(line.text) for line in texts)
    if words >= _LEAST_TEXT:
        return True
    tokens = (token for line in lines for token in line.text.split())
    numbers = sum(any(map(str.isdigit, token)) for token in tokens)
    return words >= max(_LEAST_LABELS, numbers)


def _rotated(line: Line, width: float) -> LayoutBlock:
    outside = line.box.left < _MARGIN * width or line.box.right > (1 - _MARGIN) * width
    label = DocItemLabel.PAGE_HEADER if outside else DocItemLabel.TEXT
    return LayoutBlock(label, line.box, Style(0), (line.text,))


def _whole_lines(lines: Sequence[Line]) -> list[Line]:
    return join_glosses(join_stretched(join_parts(lines)))


def _as_rule(entry: Entry) -> Rule:
    """Where an entry parts the listings above and below it."""
    box = enclosing(line.box for line in (*entry.label, *entry.text))
    return Rule(box.middle_y, box.left, box.right)


def _entry(
    entry: Entry, page: PageContent, graphics: Sequence[Rect], body_size: float
) -> LayoutBlock:
    """The label and its text as one item; on a page from the right cells of a row as their line."""
    lines = [*entry.label, *entry.text]
    level = all(line.box.top < lines[0].box.middle_y < line.box.bottom for line in lines)
    if level and are_from_right(page.lines):
        lines = [joined_line(sorted(lines, key=lambda line: line.box.left), page=True)]
    elif len(entry.label) == 1 and lines[0].box.is_level(lines[1].box):
        lines = [joined_line(lines[:2]), *lines[2:]]
    block = _block(lines)
    label = _label(block, lines, page, graphics, body_size)
    block.label = DocItemLabel.LIST_ITEM if label == DocItemLabel.TEXT else label
    return block


def _contents(lines: Sequence[Line], page: PageContent) -> tuple[list[LayoutBlock], list[Line]]:
    """The table of contents on the page, if there is one, and the lines outside it. On a scan the
    dots of a table are read as leaders, too: its numbers do not go up.
    """
    entries = [line for line in lines if LEADER.search(line.text)]
    ends = _ends(entries, lines)
    if are_sums(ends) or (page.is_layer and entries and not _go_up(ends)):
        return [], list(lines)
    if len(entries) < _LEAST_CONTENTS:
        announced = any(CONTENTS.match(line.text) for line in lines)
        few = entries if announced and len(entries) >= _LEAST_ANNOUNCED else []
        entries = _numbered_entries(lines) or few
    if not entries:
        return [], list(lines)
    box = enclosing(entry.box for entry in entries)
    inside = [line for line in lines if line.box.lies_in(box)]
    if len(entries) < 0.5 * len(inside):
        return [], list(lines)
    box = _with_chapters(box, lines)
    inside = [line for line in lines if line.box.lies_in(box)]
    inside.sort(key=lambda line: (line.box.middle_y, line.box.left))
    return [_block(inside, DocItemLabel.DOCUMENT_INDEX)], [
        line for line in lines if not line.box.lies_in(box)
    ]


def _ends(entries: Sequence[Line], lines: Iterable[Line]) -> list[str]:
    """What the leaders of entries lead to, from top to bottom: pages, or amounts as in accounts."""
    numbers = [line for line in lines if is_amount(line.text)]
    ends = []
    for entry in sorted(entries, key=lambda entry: entry.box.top):
        behind = next((number for number in numbers if _is_title_of(entry, number)), entry)
        ends.append(re.sub(r"\.\s+(?=\.)", ".", behind.text).rpartition("..")[2].strip())
    return ends


def _go_up(ends: Sequence[str]) -> bool:
    """Whether most of them are numbers, mostly none smaller than that before, as pages are."""
    pages = [int(end) for end in ends if end.isdecimal()]
    rising = sum(upper <= lower for upper, lower in pairwise(pages))
    return len(pages) > _PAGES * len(ends) and rising >= _RISING * (len(pages) - 1)


def _numbered_entries(lines: Sequence[Line]) -> list[Line]:
    """The titles and numbers of entries without leaders, below a heading that announces them."""
    heading = next((line for line in lines if CONTENTS.match(line.text)), None)
    if heading is None:
        return []
    below = [line for line in lines if line.box.top > heading.box.bottom]
    numbers = [line for line in below if line.text.isdecimal()]
    right = Counter(round(line.box.right) for line in numbers).most_common(1)
    numbers = [line for line in numbers if right and _is_number_at(right[0][0], line)]
    numbers.sort(key=lambda line: line.box.top)
    if not all(int(upper.text) <= int(lower.text) for upper, lower in pairwise(numbers)):
        return []
    titles = [line for line in below if any(_is_title_of(line, number) for number in numbers)]
    return [*titles, *numbers] if len(numbers) > _LEAST_CONTENTS else []


def _is_title_of(line: Line, number: Line) -> bool:
    level = line.box.shared_height(number.box) > 0
    return level and line.box.right < number.box.left


def _with_chapters(contents: Rect, lines: Iterable[Line]) -> Rect:
    """The contents with entries above and below that have no leaders, as chapters do: a title, and
    the number of its page where those of the others stand.
    """
    outside = [line for line in lines if not line.box.lies_in(contents)]
    numbers = [line for line in outside if _is_number_at(contents.right, line)]
    for number in sorted(numbers, key=lambda line: -line.box.shared_height(contents)):
        title = [line for line in outside if _is_title_of(line, number)]
        near = -number.box.shared_height(contents) <= _CHAPTER_GAP * number.size
        if near and any(line.box.left < contents.middle_x for line in title):
            contents = enclosing([contents, number.box, *(line.box for line in title)])
    return contents


def _is_number_at(right: float, line: Line) -> bool:
    return abs(line.box.right - right) <= _ALIGNED and PAGE_NUMBER.match(line.text) is not None


def _block(lines: Sequence[Line], label: DocItemLabel = DocItemLabel.TEXT) -> LayoutBlock:
    return LayoutBlock(
        label,
        enclosing(line.box for line in lines),
        mixed_style([(line.style, len(line.text)) for line in lines]),
        tuple(line.text for line in lines),
    )


def _listing(listing: CodeListing, doubtful: Sequence[Rect] = ()) -> LayoutBlock:
    """A listing, doubtful where letters of a line are raised."""
    block = _block(listing.lines, DocItemLabel.CODE)
    is_doubtful = any(box.lies_in(block.box) for box in doubtful)
    return replace(block, lines=listing.rows, doubtful=is_doubtful)


def _algorithm(algorithm: CodeListing) -> LayoutBlock:
    """An algorithm, doubtful where a letter of a formula is a line of its own."""
    block = _listing(algorithm)
    block.doubtful = any(line.size < _SMALL * block.style.size for line in algorithm.lines)
    return block


def _formula(lines: Sequence[Line], page: PageContent, prose: Sequence[Line]) -> LayoutBlock:
    """A formula, no space behind the slash of a fraction whose parts are two lines; doubtful unless
    it is of rows among the prose of its column, and read as it is printed.
    """
    block = _block(lines, DocItemLabel.FORMULA)
    text = "\n".join(parts_with_limits(lines))
    as_printed = (
        not page.is_layer
        and are_in_rows(lines, page.formulas)
        and not is_beside(block.box, block.style.size, without_lines(page.lines, lines), prose)
        and not any(box.lies_in(block.box) for box in page.formulas.doubtful)
    )
    return replace(
        block,
        lines=(text.replace("/\n", "/").replace("\n", " "),),
        doubtful=not as_printed,
    )


def _is_of_torn_row(block: LayoutBlock, page: PageContent, prose: Sequence[Line]) -> bool:
    """Whether a text with signs of mathematics is no prose and has other text beside it, as parts
    of a row of a table that was not found.
    """
    if block.style.math < _TORN or is_prose(block.text) or block.label not in BODY:
        return False
    others = [line for line in page.lines if not line.box.lies_in(block.box)]
    return is_beside(block.box, block.style.size, others, prose)


def _paragraph(
    lines: Sequence[Line], page: PageContent, graphics: Sequence[Rect], body_size: float
) -> LayoutBlock:
    """The lines as a block with its label; those of code keep their indentation."""
    block = _block(lines)
    block.label = _label(block, lines, page, graphics, body_size)
    if block.label == DocItemLabel.CODE:
        left = min(line.box.left for line in lines)
        advance = min(line.box.width / len(line.text) for line in lines)
        block.lines = tuple(
            " " * round((line.box.left - left) / advance if advance > 0 else 0) + line.text
            for line in lines
        )
    return block


def _label(
    block: LayoutBlock,
    lines: Sequence[Line],
    page: PageContent,
    graphics: Sequence[Rect],
    body_size: float,
) -> DocItemLabel:
    if _is_caption(block, lines, graphics):
        return DocItemLabel.CAPTION
    if block.style.size < 0.93 * body_size and _is_footnote(block, page):
        return DocItemLabel.FOOTNOTE
    is_long = len(block.text) > 12
    if block.style.mono > 0.75 and (is_long or PROMPT.match(block.text)):
        return DocItemLabel.CODE
    bullet = BULLET.match(block.text) is not None
    if not bullet and _is_formula(block) and not begins_with_words(lines[0]):
        return DocItemLabel.FORMULA
    heading = len(block.lines) <= 2 and block.style.bold > 0.8
    if bullet or (LIST_MARK.match(block.text) and not heading):
        return DocItemLabel.LIST_ITEM
    return DocItemLabel.TEXT


def _is_caption(block: LayoutBlock, lines: Sequence[Line], graphics: Sequence[Rect]) -> bool:
    first = lines[0]
    if _names_part(block, graphics):
        return True
    if not is_caption(first.text) or len(lines) > _MOST_CAPTION_LINES or MENTION.match(first.text):
        return False
    if CAPTION_WITH_STOP.match(first.text) or first.style.bold > 0.25:
        return True
    return any(block.box.grown(0, _CAPTION_REACH).touches(graphic) for graphic in graphics)


def _with_whole_captions(texts: Sequence[LayoutBlock], body_size: float) -> list[LayoutBlock]:
    """The texts, each number of a table or figure that is alone on its line with its title, which
    is close below it, in bold or smaller than the body.
    """
    whole = sorted(texts, key=lambda block: block.box.top)
    for number in [block for block in whole if CAPTION_NUMBER.match(block.text)]:
        at, caption = whole.index(number), number
        for block in whole[at + 1 :]:
            if block.box.top - caption.box.bottom > _CLOSE_BELOW * number.style.size:
                break
            apart = block.style.bold > _BOLD or block.style.size < _READABLE * body_size
            if apart and _may_go_on(block, caption):
                whole.remove(block)
                box, lines = caption.box.union(block.box), (*caption.lines, *block.lines)
                caption = replace(caption, label=DocItemLabel.CAPTION, box=box, lines=lines)
        whole[at] = caption
    return whole


def _may_go_on(block: LayoutBlock, caption: LayoutBlock) -> bool:
    """Whether a text is below a caption, or a little beside, and no other number or item."""
    below = block.box.top - caption.box.bottom >= -1
    under = block.box.shared_width(caption.box) > -block.style.size
    titles = block.label in (DocItemLabel.TEXT, DocItemLabel.CAPTION)
    return below and under and titles and not CAPTION_NUMBER.match(block.text)


def _names_part(block: LayoutBlock, graphics: Sequence[Rect]) -> bool:
    """Whether a text with a letter stands right below a graphic, as `(a) Our model` does."""
    return SUBCAPTION.match(block.text) is not None and any(
        -1 <= block.box.top - graphic.bottom <= _BELOW_PART * block.style.size
        and block.box.shared_width(graphic) >= _WITHIN_PART * block.box.width
        for graphic in graphics
    )


def _is_formula(block: LayoutBlock) -> bool:
    """Whether a paragraph is mathematical throughout, as a formula with words between may be."""
    math = block.style.math
    mathematical = math > 0.5 or (math > 0.33 and not is_prose(block.text))
    return mathematical and len(block.lines) <= 6 and len(block.text) < 160


def _is_footnote(block: LayoutBlock, page: PageContent) -> bool:
    box = block.box
    if box.top <= 0.5 * page.height or not FOOTNOTE_MARK.match(block.text):
        return False
    below_rule = any(
        box.top - 17 <= rule.at <= box.top + 3
        and rule.length < 0.6 * page.width
        and rule.start < box.right
        and rule.end > box.left
        for rule in page.horizontal
    )
    return below_rule or box.bottom > 0.8 * page.height
