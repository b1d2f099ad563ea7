"""Page furniture: running headers and footers, page numbers, notices, side bars."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import FURNITURE, LayoutBlock, PageLayout
from citeloom_pdf.elements.fonts import weighted_median
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.patterns import (
    AVAILABILITY,
    BULLET,
    COPYRIGHT,
    FRONT_MATTER,
    PAGE_NUMBER,
    is_prose,
    tight,
)

# What stands beside the body: small print of a journal, or notes in the margin.

_WIDEST = 0.26  # of the page's width
_WIDE = 0.4  # of the page's width: blocks of the body
_LEAST_LINES = 3  # lines beside the body that make a bar of notes
_LEAST_PAGES = 2  # besides the first, on which journals have small print
_SMALLER_NOTE = 0.97  # of the body's size
_IN_WORDS = 0.5  # of the blocks of a bar: more of them make notes
_LEAST_SLIDES, _SLIDES = 3, 0.5  # that repeat what stands beside their text, and of all of them
_SAME_PLACE = 2.0  # points
_TEXT = (DocItemLabel.TEXT, DocItemLabel.LIST_ITEM, DocItemLabel.FOOTNOTE)


def mark_side_notes(pages: Sequence[PageLayout], body_size: float) -> None:
    """Label small text left of the body as furniture, or, where several pages have some that
    differs from page to page, all such text on either side as notes. On a few pages only what reads
    like notes is labelled so: text in words that no other page repeats, without a journal's notice.
    """
    left = {}
    for page in pages:
        bar = _beside(page, body_size, right=False)  # if it is more than a line or two
        left[page.number] = bar if sum(len(block.lines) for block in bar) >= _LEAST_LINES else []
    texts = {number: " ".join(block.text for block in bar) for number, bar in left.items() if bar}
    later = [texts[page.number] for page in pages[1:] if page.number in texts]
    notes = len(set(later)) == len(later) >= _LEAST_PAGES
    often = Counter(texts.values())
    for page in pages:
        if notes:
            both = (_beside(page, body_size, right=side) for side in (False, True))
            _label([block for side in both for block in side], DocItemLabel.FOOTNOTE)
        elif bar := left[page.number]:
            reads = often[texts[page.number]] == 1 and _read_like_notes(bar)
            _label(bar, DocItemLabel.FOOTNOTE if reads else DocItemLabel.PAGE_HEADER)


def _read_like_notes(bar: Sequence[LayoutBlock]) -> bool:
    """Whether most of it is in words, and none of it a notice of a journal: its DOI, dates or
    licence.
    """
    texts = [block.text for block in bar]
    if any(FRONT_MATTER.match(text) or COPYRIGHT.search(text) for text in texts):
        return False
    return sum(map(is_prose, texts)) > _IN_WORDS * len(texts)


def _label(blocks: Sequence[LayoutBlock], label: DocItemLabel) -> None:
    for block in blocks:
        block.label = label


def _beside(page: PageLayout, body_size: float, *, right: bool) -> list[LayoutBlock]:
    """Small text in a narrow column on one side of the body; none if no block is wide."""
    text = [block for block in page.blocks if block.label in _TEXT]
    wide = [block.box for block in text if block.box.width > _WIDE * page.width]
    if not wide:
        return []
    edge = weighted_median((box.right if right else box.left, round(box.height)) for box in wide)
    beside = [
        block for block in text if (block.box.left > edge if right else block.box.right < edge)
    ]
    small = [block for block in beside if block.style.size < _SMALLER_NOTE * body_size]
    return small if all(block.box.width < _WIDEST * page.width for block in small) else []


def mark_navigation(pages: Sequence[PageLayout]) -> None:
    """Label the lists of sections beside the text of slides as furniture: small text at one side
    that recurs in its place, some of it on half of the slides.
    """
    places = {page.number: list(_at_side(page)) for page in pages if page.width > page.height}
    often = Counter(place for placed in places.values() for place in {place for _, place in placed})
    if max(often.values(), default=0) < max(_LEAST_SLIDES, _SLIDES * len(pages)):
        return
    for placed in places.values():
        again = [block for block, place in placed if often[place] >= _LEAST_SLIDES]
        _label(again if len(again) > 1 else [], DocItemLabel.PAGE_HEADER)


def _at_side(page: PageLayout) -> Iterator[tuple[LayoutBlock, tuple[str, int]]]:
    """The blocks at the sides of a slide that are smaller than its text, with text and place."""
    left, right = _WIDEST * page.width, (1 - _WIDEST) * page.width
    within = [b.style.size for b in page.blocks if b.box.right >= left and b.box.left <= right]
    for block in page.blocks:
        outside = block.box.right < left or block.box.left > right
        if outside and block.label in _TEXT and block.style.size < max(within, default=0.0):
            yield block, (tight(block.text), round(block.box.left / _SAME_PLACE))


_ZONE = 0.13  # of the page's height: the zone of running headers and footers
_ALIKE = 0.4  # of the pages: odd and even ones may differ, and chapters begin without
_NUMBER_ZONE = 0.1  # of the page's height: the zone of page numbers
_LONGEST = 400  # characters of a running header that repeats
_LEAST_COUNTED = 2  # pages with numbers that count them, at one height
_OUTER_NUMBER = re.compile(r"^\d{1,4}\b|\b\d{1,4}$")  # of a running head
_LONGEST_VARYING = 120  # characters of one that differs from page to page
_REPEATED = (
    0.12  # of the pages: a text that recurs in a zone this often is a running header or footer
)
_LEAST_RUN = 3  # consecutive or alternate pages: enough for a chapter's running header
_EVERY_OTHER = 2  # pages: odd and even ones have headers of their own
_PLACED = 0.3  # of the pages: a line at the same height this often is one, whatever its text
_APART = 0.9  # of its size: how far a line is from the text that it is no part of
_BODIES = 0.5  # of the lines at a height: where the text begins at it oftener, they are its own
_SAME_HEIGHT = 4.0  # points
_TILTED = 0.04  # of the distance between two boxes of a scan: rows are as steep, at 2.3 degrees
_BANNER = 0.5  # of the pages: what recurs at their head this often is no title of a slide
_TALLER = 1.8  # of a running head's height: what is beside it, and goes on below, is text
_SHORT = 5  # pages at most of a document whose running headers may each stand once
_LARGEST = 1.05  # of the body's size: what is larger is a heading
_NOTICE_ZONE = 0.25  # of the page's height: the zone of copyright notices
_SMALLER = 0.95  # of the body's size
_CUT, _LEAST_CUT = ("…", "..."), 8  # how a title ends that is cut short; letters of it
_MARGINAL = (DocItemLabel.TEXT, DocItemLabel.LIST_ITEM, DocItemLabel.FOOTNOTE)
_FIXED = (DocItemLabel.CAPTION, DocItemLabel.FORMULA, DocItemLabel.PICTURE, DocItemLabel.TABLE)


class _Edge(NamedTuple):
    """The top or the bottom of pages."""

    label: DocItemLabel
    distance: Callable[[Rect, float], float]
    reach: Callable[[Rect, float], float]


# `distance` is that of the block's outer side from the edge, `reach` that of its inner side
_EDGES = (
    _Edge(DocItemLabel.PAGE_HEADER, lambda box, _: box.top, lambda box, _: box.bottom),
    _Edge(
        DocItemLabel.PAGE_FOOTER,
        lambda box, height: height - box.bottom,
        lambda box, height: height - box.top,
    ),
)


def mark_furniture(pages: Sequence[PageLayout], body_size: float) -> None:
    """Label running headers and footers, page numbers, notices and side bars as such.

    In a document without other text nothing is labelled: the text is its body.
    """
    before = [(block, block.label) for page in pages for block in page.blocks]
    aside = {id(block) for block, label in before if label in FURNITURE}
    for edge in _EDGES:
        _mark_repeated(pages, edge, body_size)
        _mark_outermost(pages, edge, body_size)
        _mark_letterheads(pages, edge, body_size)
        _mark_counting(pages, edge)
        _mark_beside_marked(pages, edge, body_size, aside)
        _mark_placed_alike(pages, edge, body_size)
        _mark_above_all(pages, edge, body_size)
    _mark_counting_like_heads(pages)
    _mark_titles_again(pages, body_size)
    for page in pages:
        for block in _in_zone(page, _EDGES[1], _NOTICE_ZONE):
            small = block.style.size < _SMALLER * body_size
            notice = COPYRIGHT.match(block.text) and not AVAILABILITY.search(block.text)
            if small and notice and block.label in _MARGINAL:
                block.label = DocItemLabel.PAGE_FOOTER
    mark_side_notes(pages, body_size)
    if all(block.label in FURNITURE or block.is_empty_picture for block, _ in before):
        for block, label in before:
            block.label = DocItemLabel.TEXT if label in FURNITURE else label


def _in_zone(page: PageLayout, edge: _Edge, share: float = _ZONE) -> Iterator[LayoutBlock]:
    for block in page.blocks:
        if block.label not in _FIXED and edge.reach(block.box, page.height) < share * page.height:
            yield block


def _key(text: str) -> str:
    return re.sub(r"\d+", "#", " ".join(text.lower().split()))


def _is_title(block: LayoutBlock, body_size: float) -> bool:
    """Whether it is larger than the body, as the title of a slide and no running head is."""
    return block.style.is_large(body_size) and PAGE_NUMBER.match(block.text) is None


def _mark_repeated(pages: Sequence[PageLayout], edge: _Edge, body_size: float) -> None:
    """Label what recurs in a zone, but the title of a slide only where others go on with it, and
    words that stand within as many pages, such as `Example:`, not at all.
    """
    within = _pages_within(pages)
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    for page in pages:
        for block in _in_zone(page, edge):
            seen[_key(block.text), _place(page, block, edge)].add(page.number)
    least = max(2, _REPEATED * len(pages))
    recurring = {}
    for key, place in list(seen):
        numbers = set[int]().union(*(seen.get((key, near), ()) for near in _near(place)))
        recurring[key, place] = numbers if len(numbers) >= least else _in_runs(numbers)
    for page in pages:
        numbers = set(map(id, _in_zone(page, edge, _NUMBER_ZONE)))
        for block in _in_zone(page, edge):
            key = _key(block.text)
            recurs = recurring[key, _place(page, block, edge)]
            repeated = len(block.text) < _LONGEST and page.number in recurs
            few = len(recurs) < _BANNER * len(pages) and recurs.isdisjoint(_before(page.number))
            if few and _is_title(block, body_size):
                continue
            if repeated and len(within[_look(block)]) >= len(recurs):
                continue
            if repeated or (id(block) in numbers and PAGE_NUMBER.match(block.text)):
                block.label = edge.label


def _mark_outermost(pages: Sequence[PageLayout], edge: _Edge, body_size: float) -> None:
    """Label the outermost lines that begin in a zone, though they go on beyond it, where many pages
    have them at one height, perhaps with another number.
    """
    within = _pages_within(pages)
    outermost: dict[tuple[str, int], list[LayoutBlock]] = defaultdict(list)
    for page in pages:
        first = _outermost(page, edge)
        distance = edge.distance(first.box, page.height) if first else 0.0
        for block in page.blocks if distance < _ZONE * page.height else ():
            level = edge.distance(block.box, page.height) - distance < _SAME_HEIGHT
            is_low = block.box.height < _TALLER * block.style.size
            if level and is_low and len(block.lines) == 1 and _is_plain(block, body_size):
                outermost[_key(block.text), _place(page, block, edge)].append(block)
    for (key, place), blocks in outermost.items():
        count = sum(len(outermost.get((key, near), ())) for near in _near(place))
        inner = max(len(within[_look(block)]) for block in blocks)
        if count >= max(_LEAST_RUN, _ALIKE * len(pages)) and inner < count:
            _label(blocks, edge.label)


def _mark_letterheads(pages: Sequence[PageLayout], edge: _Edge, body_size: float) -> None:
    """Label small text that begins in a zone and goes on beyond it, where most pages have the same
    at the same place: the last lines of a letterhead.
    """
    placed = [
        (_look(block), _place(page, block, edge), block)
        for page in pages
        for block in page.blocks
        if block.label in _MARGINAL
        and edge.distance(block.box, page.height) < _ZONE * page.height
        and block.style.size < _SMALLER * body_size
    ]
    often = Counter((look, place) for look, place, _ in placed)
    for look, place, block in placed:
        if often[look, place] >= max(_LEAST_RUN, _BANNER * len(pages)):
            block.label = edge.label


def _place(page: PageLayout, block: LayoutBlock, edge: _Edge) -> int:
    """Its height in steps, in which running heads of one kind differ by one at most; those of scans
    may stand at any.
    """
    return 0 if page.is_scan else round(edge.distance(block.box, page.height) / _SAME_HEIGHT)


def _before(number: int) -> range:
    return range(number - _EVERY_OTHER, number)


def _near(place: int) -> tuple[int, int, int]:
    return place - 1, place, place + 1


def _mark_counting(pages: Sequence[PageLayout], edge: _Edge) -> None:
    """Label numbers that count the pages, wherever they stand outermost: a page laid out for a
    smaller sheet has them far from its edge.
    """
    counting: dict[int, list[tuple[float, LayoutBlock]]] = defaultdict(list)
    for page in pages:
        placed = [(edge.distance(block.box, page.height), block) for block in page.blocks]
        outermost = min((place for place, _ in placed), default=0.0)
        for place, block in placed:
            number = _page_number(block)
            if number is not None and place - outermost < _SAME_HEIGHT:
                counting[number - page.number].append((place, block))
    for group in counting.values():
        places = Counter(round(place / _SAME_HEIGHT) for place, _ in group)
        for place, block in group:
            level = sum(places[near] for near in _near(round(place / _SAME_HEIGHT)))
            if level >= _LEAST_COUNTED:
                block.label = edge.label


def _mark_counting_like_heads(pages: Sequence[PageLayout]) -> None:
    """Label outermost lone numbers that count the pages as those in running heads do: the first
    page of a chapter has its number elsewhere.
    """
    counts = Counter(
        int(number) - page.number
        for page in pages
        for block in page.blocks
        if block.label in FURNITURE
        for number in _OUTER_NUMBER.findall(block.text)
    )
    for page in pages:
        for edge in _EDGES:
            block = _outermost(page, edge)
            number = _page_number(block) if block else None
            if block and number is not None and counts[number - page.number] >= _LEAST_COUNTED:
                block.label = edge.label


def _page_number(block: LayoutBlock) -> int | None:
    """The number that is all of a block's text but for signs and words such as `Page`."""
    match = PAGE_NUMBER.match(block.text) if block.label in _MARGINAL else None
    return int(match[2]) if match and match[2].isdecimal() else None


def _in_runs(numbers: Iterable[int]) -> set[int]:
    """The pages in runs of consecutive or alternate pages, as in a chapter of a long book."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if not runs or number - runs[-1][-1] > _EVERY_OTHER:
            runs.append([])
        runs[-1].append(number)
    return {number for run in runs if len(run) >= _LEAST_RUN for number in run}


def _mark_beside_marked(
    pages: Sequence[PageLayout], edge: _Edge, body_size: float, aside: Set[int]
) -> None:
    """Label blocks level with a running header, since odd and even pages differ; what stands
    `aside` of the text is none.
    """
    for page in pages:
        heads = [block for block in page.blocks if block.label == edge.label]
        marked = [block.box for block in heads if id(block) not in aside]
        for block in page.blocks:
            if (
                (block.label in _MARGINAL or _is_line_of_code(block))
                and len(block.text) < _LONGEST_VARYING
                and not _is_title(block, body_size)
                and any(
                    abs(edge.distance(block.box, page.height) - edge.distance(box, page.height))
                    < _SAME_HEIGHT + _tilt(page, block.box, box)
                    and block.box.height < _TALLER * box.height + _tilt(page, block.box, box)
                    for box in marked
                )
            ):
                block.label = edge.label


def _is_line_of_code(block: LayoutBlock) -> bool:
    """Whether it may be a running head that names what a section describes."""
    return block.label == DocItemLabel.CODE and len(block.lines) == 1


def _tilt(page: PageLayout, box: Rect, other: Rect) -> float:
    """How much higher than another a box in the same row may stand, as on a scan that is tilted."""
    return _TILTED * abs(box.middle_x - other.middle_x) if page.is_layer else 0.0


def _mark_placed_alike(pages: Sequence[PageLayout], edge: _Edge, body_size: float) -> None:
    """Label outermost lines at one height on many pages, with a gap to the text, unless the text
    itself begins at that height on others: an item of a list, words that announce what is below
    them, what is larger than the body and what stands farther in on some page, too, are such a
    beginning.
    """
    farther_in = _pages_within(pages)
    placed: dict[int, list[tuple[PageLayout, LayoutBlock]]] = defaultdict(list)
    bodies = Counter[int]()
    for page in pages:
        block = _outermost(page, edge)
        if block is None:
            continue
        place = _place(page, block, edge)
        opens = BULLET.match(block.text) or block.text.endswith(":")
        opens = opens or _look(block) in farther_in or _is_title(block, body_size)
        if not opens and _is_line_in_zone(page, block, edge) and _is_apart(page, block, edge):
            placed[place].append((page, block))
        else:
            bodies[place] += 1
    for place, group in placed.items():
        beginning = sum(bodies[near] for near in _near(place))
        if len(group) >= max(3, _PLACED * len(pages)) and beginning <= _BODIES * len(group):
            _label([block for _, block in group if block.label in _MARGINAL], edge.label)


def _pages_within(pages: Sequence[PageLayout]) -> dict[tuple[str, int, bool], set[int]]:
    """For each text and its look the pages on which it stands outside both zones."""
    within = defaultdict[tuple[str, int, bool], set[int]](set)
    for page in pages:
        for block in page.blocks:
            if all(edge.distance(block.box, page.height) > _ZONE * page.height for edge in _EDGES):
                within[_look(block)].add(page.number)
    return within


def _look(block: LayoutBlock) -> tuple[str, int, bool]:
    """A text and the look of its letters."""
    return block.text, round(block.style.size), block.style.bold >= 0.5


def _mark_above_all(pages: Sequence[PageLayout], edge: _Edge, body_size: float) -> None:
    """Label lines of a short document that stand at one height on every page but the first, farther
    out than anything else on any page: odd and even ones differ, and each may be there once.
    """
    if not _EVERY_OTHER < len(pages) <= _SHORT:
        return
    marks = [(page, block) for page in pages[1:] if (block := _outermost_line(page, edge))]
    heights = [edge.distance(block.box, page.height) for page, block in marks]
    if len(marks) < len(pages) - 1 or max(heights) - min(heights) > _SAME_HEIGHT:
        return
    heads = {id(block) for _, block in marks}
    innermost = max(edge.reach(block.box, page.height) for page, block in marks)
    if all(
        edge.distance(block.box, page.height) > innermost
        for page in pages
        for block in page.blocks
        if id(block) not in heads and block.label not in FURNITURE
    ):
        for page, block in marks:
            if _is_plain(block, body_size) and _is_apart(page, block, edge):
                block.label = edge.label


def _mark_titles_again(pages: Sequence[PageLayout], body_size: float) -> None:
    """Label lines at the head of a page that repeat a title on it or on a page before, perhaps with
    the page's number or cut short by dots, in plain letters.
    """
    titles = set[str]()
    for page in pages:
        titles.update(_bare(b.text) for b in page.blocks if b.style.is_large(body_size))
        titles.discard("")
        for block in page.blocks:
            at_head = block.box.top < _ZONE * page.height and len(block.lines) == 1
            if at_head and _is_plain(block, body_size) and _repeats(block, titles):
                block.label = DocItemLabel.PAGE_HEADER


def _repeats(line: LayoutBlock, titles: Set[str]) -> bool:
    title = _bare(line.text)
    if len(title) < _LEAST_CUT:  # a number may be of an entry of the index
        return title == tight(line.text) and title in titles
    if line.text.endswith(_CUT):
        return any(other.startswith(title) for other in titles)
    return title in titles


def _bare(text: str) -> str:
    """A title's letters and digits without numbers before and behind it."""
    return re.sub(r"^\d+|\d+$", "", tight(text))


def _is_plain(block: LayoutBlock, body_size: float) -> bool:
    """Whether it has no look of a heading."""
    small = block.style.size <= _LARGEST * body_size
    return block.label in _MARGINAL and small and block.style.bold < 0.5


def _outermost_line(page: PageLayout, edge: _Edge) -> LayoutBlock | None:
    block = _outermost(page, edge)
    return block if block and _is_line_in_zone(page, block, edge) else None


def _outermost(page: PageLayout, edge: _Edge) -> LayoutBlock | None:
    blocks = [block for block in page.blocks if block.label != DocItemLabel.CAPTION]
    return min(blocks, key=lambda block: edge.distance(block.box, page.height), default=None)


def _is_line_in_zone(page: PageLayout, block: LayoutBlock, edge: _Edge) -> bool:
    in_zone = edge.reach(block.box, page.height) < _NUMBER_ZONE * page.height
    return in_zone and len(block.lines) == 1 and len(block.text) < _LONGEST_VARYING


def _is_apart(page: PageLayout, block: LayoutBlock, edge: _Edge) -> bool:
    """Whether a gap is between a line and all that is farther in."""
    reach = edge.reach(block.box, page.height)
    others = (edge.distance(each.box, page.height) for each in page.blocks if each is not block)
    return min(others, default=reach + page.height) - reach > _APART * block.style.size
