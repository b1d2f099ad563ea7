"""Footnotes: small text at the foot of a column, from the first mark on, or text of any size with a
mark that calls it in the text above.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import pairwise

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import BODY, LayoutBlock, PageLayout
from citeloom_pdf.elements.patterns import FOOTNOTE_MARK, is_prose
from citeloom_pdf.elements.scripts import plain_script
from citeloom_pdf.structure.reading_order import ENDED

_SMALLER = 0.93  # of the body's size
_SAME_SIZE = 0.03  # of a note's size: another's differs less
_CLOSING_UP = 0.3  # of a note's size: there is more room between it and the text
_BRACKETS = 60  # letters: what is in brackets is seldom longer
_NOTES = (*BODY, DocItemLabel.FOOTNOTE)
_FIGURES = "\u00b9\u00b2\u00b3\u2070\u2074-\u2079"
_SIGNS = "*\u2020\u2021\u00a7\u00b6\u2217\u2016"
_OPENS = r"(?=[^\W_]|[(\[\"\u201c\u201e\u00ab\u00bb\u2018\u300c\u300e\u300a\u2026])"
# what a note begins with: a number right before a letter, raised figures, or a number or signs in
# brackets
_MARK = re.compile(
    rf"\s*(?:(\d{{1,3}})(?=[^\W\d_])|\(?([{_FIGURES}]{{1,3}}) ?\)?\s*{_OPENS}"
    rf"|(\(?(?:\d{{1,3}}|[{_SIGNS}]{{1,4}}))\)\s*{_OPENS}|(\d{{1,3}}\.)\s*{_OPENS})"
)
# what calls it: such figures behind a word or a stop, such a bracket right behind one
_CALL = re.compile(
    rf"(?:[^\W\d_]{{2}}|[.,;:!?)\]\u00bb\u201d\u060c\u061f])(?:\s?\(?([{_FIGURES}]{{1,3}})"
    rf"|((?:\d{{1,3}}|[{_SIGNS}]{{1,4}}))\)|\s?(\(\d{{1,3}})\))"
)


def mark_footnotes(pages: Sequence[PageLayout], body_size: float) -> None:
    """Label small text with the mark of a note, below which its column has none of the usual size,
    and all below it; at the foot of the next column also what goes on with a note.
    """
    goes_on = has_notes = False
    for page in pages:
        texts = [block for block in page.blocks if block.label in _NOTES and block.lines]
        called = _called(texts)
        for foot in _feet(texts, called, body_size):
            marked = (i for i, block in enumerate(foot) if _begins(block, called))
            head = foot[0]
            goes_on = goes_on and head.label == DocItemLabel.TEXT and is_prose(head.text)
            first = 0 if goes_on else next(marked, len(foot))
            notes = foot[first:]
            while has_notes and notes and (above := _closing_up(notes[0], texts)):
                notes = [above, *notes]
            for block in notes:
                block.label = DocItemLabel.FOOTNOTE
            has_notes = bool(notes)
            goes_on = has_notes and not notes[-1].text.rstrip().endswith(ENDED)


def _closing_up(note: LayoutBlock, texts: Sequence[LayoutBlock]) -> LayoutBlock | None:
    """The text as large as a note and right above it, as nothing but another note is."""
    size = note.style.size
    above = (
        block
        for block in texts
        if -_CLOSING_UP * size <= note.box.top - block.box.bottom <= _CLOSING_UP * size
        and block.box.top < note.box.top
        and block.box.shared_width(note.box) > 0
        and abs(block.style.size - size) <= _SAME_SIZE * size
    )
    return max(above, key=lambda block: block.box.bottom, default=None)


def _feet(
    texts: Sequence[LayoutBlock], called: Set[str], body_size: float
) -> list[list[LayoutBlock]]:
    """The small or called text at the foot of each column that has other text above it, from the
    left.
    """
    usual = [
        block
        for block in texts
        if block.style.size >= _SMALLER * body_size
        and (_mark(block) not in called or _mark(block).startswith("(") or "." in _mark(block))
    ]
    feet: list[list[LayoutBlock]] = []
    for block in sorted(texts, key=lambda block: block.box.top):
        column = [other for other in usual if other.box.shared_width(block.box) > 0]
        if block in usual or not column or max(o.box.bottom for o in column) > block.box.top + 2:
            continue
        same = (foot for foot in feet if foot[-1].box.shared_width(block.box) > 0)
        foot = next(same, None)
        if foot is None:
            feet.append([block])
        else:
            foot.append(block)
    return sorted(feet, key=lambda foot: foot[0].box.left)


def _begins(block: LayoutBlock, called: Set[str]) -> bool:
    """Whether a text begins with a mark: a called one, or any of small text, as a letter is."""
    if FOOTNOTE_MARK.match(block.text) or _mark(block) in called:
        return True
    letter, behind = block.text[:1], block.text[2:3]
    return block.text[1:2] == " " and letter.islower() and behind.isupper()


def _called(texts: Sequence[LayoutBlock]) -> Set[str]:
    """The marks that texts begin with and others call; of numbers also those next to one that is
    called.
    """
    marks = {mark for block in texts if (mark := _mark(block))}
    calls = {
        plain_script("".join(call.groups(""))) + stop
        for block in (texts if marks else ())
        for call in _CALL.finditer(block.text)
        if not (call[2] and _is_in_brackets(block.text, call.end()))
        for stop in ("", "."[: call[1] is not None])
    }
    numbers = sorted(int(mark) for mark in marks if mark.isdecimal())
    for order in (numbers, numbers[::-1]):
        for before, number in pairwise(order):
            if abs(number - before) == 1 and str(before) in calls:
                calls.add(str(number))
    return marks & calls


def _is_in_brackets(text: str, end: int) -> bool:
    """Whether the bracket that ends here was opened shortly before: `(see p.4)`."""
    before = text[max(0, end - _BRACKETS) : end]
    return before.count("(") >= before.count(")")


def _mark(block: LayoutBlock) -> str:
    """The number or sign that a text begins with as a note does."""
    mark = _MARK.match(block.text)
    return plain_script("".join(mark.groups(""))) if mark else ""
