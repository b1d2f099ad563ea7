"""Letters of fonts that map their codes to nothing, or to U+0000: the parser has an empty text for
each, and none of them in its words and lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Word

_SIGN = "\ufffd"  # what stands for such a letter, as for one that cannot be decoded
_APART = 0.3  # of their height: letters that are farther apart are of two words
_SAME_ROW = 0.1  # of their height
_THINNEST = 0.1  # points: what is narrower is not seen


def uncoded_words(letters: Iterable[Word]) -> Iterator[Word]:
    """The runs of letters without a code, in the order of drawing, each as a word of its own."""
    run: list[Word] = []
    for letter in letters:
        if letter.text or letter.box.width < _THINNEST:
            continue
        if run and not _goes_on(run[-1], letter):
            yield _joined(run)
            run = []
        run.append(letter)
    if run:
        yield _joined(run)


def _goes_on(before: Word, letter: Word) -> bool:
    size = before.box.height
    return (
        letter.font == before.font
        and abs(letter.box.bottom - before.box.bottom) <= _SAME_ROW * size
        and abs(letter.box.left - before.box.right) <= _APART * size
    )


def _joined(run: list[Word]) -> Word:
    box: Rect = enclosing(letter.box for letter in run)
    return Word(box, _SIGN * len(run), run[0].font)
