"""Lines that were begun on purpose: those of an address, of a list, or of the next paragraph.

Where a line is full, the first word of the next one had no room in it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence, Set
from typing import NamedTuple

from citeloom_pdf.elements.fonts import font_kind
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Line, Word
from citeloom_pdf.elements.patterns import (
    FULL_WIDTH_END,
    NUMBER_ALONE,
    REFERENCE_MARK,
    SENTENCE_END,
    is_caption,
)
from citeloom_pdf.elements.text import UNSPACED

_SPACE = 0.3  # of the font size: the space between two words
_TOUCH = 0.12  # of the font size: parts of one word are no farther apart
_SLACK = 0.5  # of the font size: a word that has no more room than this may have been moved down
_FLUSH = 2.0  # points between the ends of lines that are set to one margin: signs may stand out
_UNSPACED = re.compile(UNSPACED)
_LISTED = 0.3  # of the lines of a chain are of their own: then it is a list
_SHORT_LINES = 0.6  # of the column's width: prose in a narrower measure is wider
_NARROWEST = 0.4  # of the column's width: what stands beside text leaves so much to it
# of the room up to the margin: a line that ends earlier, before a word that had room, ends its
# part; of 5,800 lines within a paragraph of manuals that have a twin in HTML, none does
_SHORT = 0.7
_LONG_LIST = 5  # lines: of so many lines of prose one begins within a sentence
_MOSTLY = 0.5  # of the lines of a chain that goes on within no sentence are of their own
_LEAST_PROSE = 3  # lines: of two that are short one may begin like a part of a sentence
_DASHES = "\u2013\u2014 "  # a sentence may go on with one
_MARKUP = re.compile(r"<[!?/\w]")
_LETTERS = 2  # of Chinese or Japanese, which no line begins with some of
_PARTED = ("-", "\u2010", "\u00ad", "/")  # a line goes on in the next
_PROTOTYPE = re.compile(r"(\S+ ){0,4}\S* ?\(")
_CLOSED = (")", ") const", ";")  # the end of a prototype
FIGURES = tuple("0123456789⁰¹²³⁴⁵⁶⁷⁸⁹")
END_OF_PART = (*SENTENCE_END, *":;", *FIGURES)


def lines_of_their_own(
    chains: Sequence[Sequence[Line]], graphics: Sequence[Rect]
) -> list[Set[int]]:
    """For each chain of lines that stand under one another the indexes of those that are their own.
    Text may be set around `graphics`.
    """
    around = _Surroundings(
        [enclosing(line.box for line in chain) for chain in chains],
        [_margin(chain) for chain in chains],
        [_is_prose(chain) for chain in chains],
        graphics,
    )
    return [_own(chain, at, around) for at, chain in enumerate(chains)]


class _Surroundings(NamedTuple):
    """Of each chain of a page its box, where its full lines end, and whether it is prose; and the
    graphics.
    """

    boxes: Sequence[Rect]
    ends: Sequence[float]
    prose: Sequence[bool]
    graphics: Sequence[Rect]

    def is_free(self, space: Rect, but: int | None = None) -> bool:
        """Whether nothing stands there, but for one chain."""
        boxes = (box for at, box in enumerate(self.boxes) if at != but)
        return not any(space.touches(other) for other in itertools.chain(boxes, self.graphics))


def _own(chain: Sequence[Line], at: int, around: _Surroundings) -> Set[int]:
    """The lines of a chain that were begun on purpose, as those of an address are: in the line
    before was room for their first word. These begin no part of a sentence. Each line of markup
    that follows another is one, too.
    """
    if len(chain) == 1:
        return frozenset()
    markup = {index for index in range(1, len(chain)) if _is_markup(chain, index)}
    others = _prototypes(chain, at, around) | _below_short(chain, at, around)
    return markup | others | _begun_on_purpose(chain, at, around)


def _below_short(chain: Sequence[Line], at: int, around: _Surroundings) -> Set[int]:
    """The lines below one that ends so far from the margin of the page's lines that a sentence
    would have gone on in it, and those below a sentence that ends with room for their first word.
    Where few lines are such, one of them may go on within a sentence that a formula cuts off.
    """
    first = chain[0].text
    if is_caption(first) or REFERENCE_MARK.match(first) or around.prose[at]:
        return frozenset()
    left, end = around.boxes[at].left, _end_of_flush(at, around)
    broken = _broken_off(chain, end)
    is_list = len(chain) >= _LEAST_PROSE and len(broken) >= _MOSTLY * (len(chain) - 1)
    return {
        index
        for index in broken
        if not _opens_bracket(chain[index - 1])
        and (
            _is_next_sentence(chain, index)
            if chain[index - 1].box.right - left >= _SHORT * (end - left)
            else is_list or _may_begin_part(chain, index)
        )
        and around.is_free(_room_behind(chain[index - 1], end), at)
    }


def _is_next_sentence(chain: Sequence[Line], index: int) -> bool:
    """Whether a line begins a sentence; in Chinese and Japanese some begin with a Latin name."""
    before = chain[index - 1].text
    lower = chain[index].text[:1].islower()
    return before.endswith(FULL_WIDTH_END if lower else SENTENCE_END)


def _opens_bracket(line: Line) -> bool:
    return line.text.count("(") > line.text.count(")")


def _may_begin_part(chain: Sequence[Line], index: int) -> bool:
    """Whether a line may begin text of its own: not with a small letter but behind a stop or a
    figure.
    """
    before, text = chain[index - 1].text, chain[index].text
    return not text[:1].islower() or before.endswith((*".:!?;", *FULL_WIDTH_END, *FIGURES))


def _room_behind(line: Line, end: float) -> Rect:
    return Rect(line.box.right, line.box.top, end, line.box.bottom)


def _begun_on_purpose(chain: Sequence[Line], at: int, around: _Surroundings) -> Set[int]:
    left, full = around.boxes[at].left, around.ends[at]
    if not _runs_on(chain):
        broken = _broken_off(chain, _farthest_end(at, around))
        if len(broken) >= _MOSTLY * (len(chain) - 1):
            return broken
        if len(broken) >= _LISTED * (len(chain) - 1) and len(chain) >= _LONG_LIST:
            return set(range(1, len(chain)))
    broken, width = _broken_off(chain, full), full - left
    is_list = len(broken) >= _LISTED * (len(chain) - 1)
    if is_list or width < _SHORT_LINES * (max(around.ends) - left):
        end = _column_end(at, around)
        if is_list or width < _SHORT_LINES * (end - left):
            broken = _broken_off(chain, end)
            if chain[0].text[:1].islower():  # a list of words, not a sentence
                return broken
    return {index for index in broken if _may_begin_part(chain, index)}


def _prototypes(chain: Sequence[Line], at: int, around: _Surroundings) -> Set[int]:
    """Of the lines that begin in a typewriter font those that are begun on purpose: below another
    prototype of a function, or behind a colon with room for their first word.
    """
    typed = {n for n, line in enumerate(chain) if line.words and _is_typed(line.words[0])}
    end = _farthest_end(at, around) if typed - {0} else around.ends[at]
    return {
        n
        for n in typed - {0}
        if (chain[n - 1].text.endswith(":") and had_room(chain[n - 1], chain[n], end))
        or (_PROTOTYPE.match(chain[n].text) and _is_below_prototype(chain, n, typed))
    }


def _is_below_prototype(chain: Sequence[Line], at: int, typed: Set[int]) -> bool:
    """Whether a prototype ends above a line, in one line or two."""
    begins = (n for n in (at - 1, at - 2) if n in typed)
    first = next(begins, None)
    if first is None or not _PROTOTYPE.match(chain[first].text):
        return False
    return chain[at - 1].text.endswith(_CLOSED)


def _is_typed(word: Word) -> bool:
    return font_kind(word.font).mono


def _is_markup(chain: Sequence[Line], index: int) -> bool:
    """Whether a line and the one before are elements of markup."""
    return chain[index - 1].text.endswith(">") and all(
        _MARKUP.match(line.text) for line in chain[index - 1 : index + 1]
    )


def _runs_on(chain: Sequence[Line]) -> bool:
    """Whether a line goes on within a sentence, so that the lines are as long as their measure. Of
    scripts without capitals any may; a reference goes on with a name.
    """
    first = chain[0].text
    return (
        is_caption(first)
        or REFERENCE_MARK.match(first) is not None
        or any(
            text[:1].isalpha() and not text[:1].isupper()
            for text in (line.text.lstrip(_DASHES) for line in chain[1:])
        )
    )


def _is_prose(chain: Sequence[Line]) -> bool:
    """Whether a chain goes on within a sentence, and all its lines are full."""
    if len(chain) < _LEAST_PROSE or not _runs_on(chain) or _are_sentences(chain):
        return False
    return not _broken_off(chain, max(line.box.right for line in chain))


def _are_sentences(chain: Sequence[Line]) -> bool:
    """Whether each line but the last ends a sentence, as those of a list do."""
    return all(line.text.endswith(SENTENCE_END) for line in chain[:-1])


def _farthest_end(at: int, around: _Surroundings) -> float:
    """Where the longest lines end that begin as far left as the chain, unless something stands
    beside it up to there.
    """
    box, end = around.boxes[at], _end_of_flush(at, around)
    free = Rect(box.right, box.top, end, box.bottom)
    return end if around.is_free(free) else around.ends[at]


def _end_of_flush(at: int, around: _Surroundings) -> float:
    """Where the longest lines end that begin as far left as the chain. Where prose begins at the
    same place, as in a frame, it tells.
    """
    box = around.boxes[at]
    before = [at for at, other in enumerate(around.boxes) if other.left <= box.left + _FLUSH]
    flush = [
        around.ends[at]
        for at in before
        if around.prose[at] and around.boxes[at].left >= box.left - _FLUSH
    ]
    return max(around.ends[at], *flush) if flush else max(around.ends[at] for at in before)


def _column_end(at: int, around: _Surroundings) -> float:
    """Where the lines of a chain might end, by those above and below that are as long or longer,
    unless something stands beside them.
    """
    box, full = around.boxes[at], around.ends[at]
    longer = [
        (other, end)
        for other, end in zip(around.boxes, around.ends)
        if other is not box and other.left <= box.left + _FLUSH and other.right >= box.right
    ]
    above = [each for each in longer if each[0].bottom <= box.middle_y]
    below = [each for each in longer if each[0].top >= box.middle_y]
    nearest = [
        *sorted(above, key=lambda each: -each[0].bottom)[:1],
        *sorted(below, key=lambda each: each[0].top)[:1],
    ]
    end = max(full, min((end for _, end in nearest), default=full))
    return end if around.is_free(Rect(box.right, box.top, end, box.bottom)) else full


def _margin(chain: Sequence[Line]) -> float:
    """Where lines end that are full: one of three or more may reach beyond."""
    ends = sorted(line.box.right for line in chain)
    return ends[-2] if len(ends) > 2 else ends[-1]


def _broken_off(chain: Sequence[Line], margin: float) -> set[int]:
    return {index for index in range(1, len(chain)) if _is_broken_off(chain, index, margin)}


def _is_broken_off(chain: Sequence[Line], index: int, margin: float) -> bool:
    """Whether the first word of a line had room in the line before, which is no number alone; not
    where lines as long as that one are set around something.
    """
    before, line = chain[index - 1], chain[index]
    if not line.words or before.text.endswith(_PARTED) or NUMBER_ALONE.fullmatch(before.text):
        return False
    if not had_room(before, line, margin):
        return False
    left = min(before.box.left, line.box.left)
    if before.box.right - left < _NARROWEST * (margin - left):
        return True
    near = (line, *chain[max(0, index - 2) : index - 1])
    return all(abs(other.box.right - before.box.right) > _FLUSH for other in near)


def had_room(before: Line, line: Line, margin: float) -> bool:
    """Whether the first word of a line had room behind the line before."""
    width = _width_of_first_word(line)
    if _UNSPACED.match(line.text):
        width = min(width, _LETTERS * line.size)
    return before.box.right + _SPACE * line.size + width <= margin - _SLACK * line.size


def _width_of_first_word(line: Line) -> float:
    """The width up to the first space; raised letters are words of their own."""
    left, _, right, _ = line.words[0].box
    for word in line.words[1:]:
        if word.box.left - right > _TOUCH * line.size:
            break
        right = max(right, word.box.right)
    return right - left
