"""Letters that a PDF draws in another way than they are written: ligatures, marks before or apart
from their letters, glyphs that repeat a code or have each other's.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from citeloom_pdf.elements.direction import has_from_right, is_arabic
from citeloom_pdf.elements.geometry import Rect, enclosing
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.letter_rows import LOW, without_marks

_SAME_PLACE = 0.15  # points
_NEAR = 0.2  # of a letter's height: how far out of it a mark or stroke may stand
_UNDECODED, _STROKE = "\ufffd", 0.5  # of its width: a stroke is lower
# of the height of the tallest letters: so low a stroke of any width is, a tooth of a letter is not
_LOW_STROKE = 0.2
_TALLEST_SHARE = 10  # of ten letters the tallest one is looked at
_OVER = 0.2  # of the narrower one's width: so much of it a glyph shares that is over another one
_HALF = 0.5  # of the height of the tallest letters: no letter counts as lower
_SAME_WIDTH = 0.002  # of its height: the widths of a glyph in two sizes differ by less
_REACH = 0.7  # of a letter's height: how far before it a mark may begin that is drawn first

# The kashida stretches a word. It says something where nothing else of the word is (`ـ`), before
# an ending (`ـها`), and behind the few letters of a prefix or an abbreviation (`الـ`, `هـ`).
_LETTER = "\u0620-\u063f\u0641-\u064a\u066e-\u066f\u0671-\u06d3\u0750-\u077f\u08a0-\u08c7"
_MARK = "\u064b-\u065f\u0670"
_JOINS_NOTHING = "\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0649\u0671\u0688\u0691\u0698"
_STRETCH = re.compile(
    rf"(?<=[{_LETTER}{_MARK}])\u0640+(?=[{_MARK}]*[{_LETTER}])|(?<=[{_JOINS_NOTHING}])\u0640+"
    rf"|(?<=[{_LETTER}]{{4}})(?<!\u0627\u0644)\u0640+"
)
# of lam and alef, which are drawn as one, the alef alone bears a hamza or madda, the lam a shadda
_SIGN_OF_ALEF = re.compile("\u0644([\u0653-\u0655])\u0627")
_SIGN_OF_LAM = re.compile("(?:\u0644\u0627|[\ufefb\ufefc])([\u064b-\u0650]?\u0651[\u064b-\u0650]?)")


def as_written(text: str) -> str:
    """A word from the right without the strokes that stretch it, and the signs of a lam or alef on
    it.
    """
    if "\u0640" in text:
        text = _STRETCH.sub("", text)
    return _SIGN_OF_ALEF.sub(_lam_and_alef, _SIGN_OF_LAM.sub("\u0644\\1\u0627", text))


def _lam_and_alef(found: re.Match[str]) -> str:
    return "\u0644" + unicodedata.normalize("NFC", "\u0627" + found[1])


def with_letters_whole(letters: Iterable[Word]) -> list[Word]:
    """The letters; those of one glyph as one, of which the parser gives the first all its width,
    and those of a letter and its marks whose glyphs were given each other's codes.
    """
    whole: list[Word] = []
    once = without_repeats(without_strokes([*letters])[0])
    as_drawn = {*map(id, once)}
    for letter in _with_marks_behind(once, tallest(once)):
        before = whole[-1] if whole else None
        if before is None or not _is_one_glyph(before, letter):
            whole.append(letter)
        elif before.box.width <= 0:
            whole[-1] = letter._replace(text=_marks_behind(letter.text + before.text))
        else:
            whole[-1] = before._replace(text=_marks_behind(before.text + letter.text))
        is_joined = id(letter) not in as_drawn
        while len(whole) > 1 and _are_exchanged(*whole[-2:], is_joined=is_joined):
            (first, first_marks), (base, marks) = map(without_marks, (w.text for w in whole[-2:]))
            whole[-2:] = [whole[-1]._replace(text=base + first + first_marks + marks)]
    return _level(whole)


def with_own_codes(letters: Sequence[Word]) -> list[Word]:
    """The letters as they are drawn, those of several glyphs with the codes of these.

    WeasyPrint gives the text of a letter and its marks to the mark, which it draws first, and none
    to the letter, or to both what they have elsewhere. A glyph without a code is the letter that is
    as wide in its font, if there is one, or else `\ufffd` on a page with such letters.
    """
    coded = [*letters]
    learnt = set[tuple[str, float, str]]()  # font, width as heights go, and letter
    others: list[tuple[int, str, str]] = []  # marks over letters with a code
    for at, mark in enumerate(letters):
        if mark.box.width > 0 or not has_from_right(mark.text):
            continue
        bases, marks = without_marks(unicodedata.normalize("NFD", mark.text))
        under = next((n for n in (at + 1, at + 2) if _stands_over(mark, letters[n : n + 1])), 0)
        if not (marks and under):
            continue
        base = letters[under]
        if not base.text:
            coded[at] = mark._replace(text=marks)
            learnt.add((base.font, _width(base), bases or _UNDECODED))
        elif bases and not base.text.isspace():
            has = without_marks(unicodedata.normalize("NFD", base.text))[1]
            others.append((at, bases, "" if has.endswith(marks) else marks))
    for at, bases, marks in others:
        if marks and (learnt or len(bases) > 1):  # else an alef that is drawn as part of a lam
            coded[at] = letters[at]._replace(text=marks)
    if not learnt:
        return coded
    widths = sorted(learnt)
    return [
        letter if letter.text or letter.box.area <= 0 else _as_wide(letter, widths)
        for letter in coded
    ]


def _stands_over(mark: Word, glyphs: Sequence[Word]) -> bool:
    """Whether a mark without a width stands over a glyph, if there is one, or a little before."""
    return any(
        glyph.box.area > 0
        and glyph.box.left - _REACH * glyph.box.height <= mark.box.left <= glyph.box.right
        for glyph in glyphs
    )


def _as_wide(glyph: Word, widths: Sequence[tuple[str, float, str]]) -> Word:
    width = _width(glyph)
    first = bisect_left(widths, (glyph.font, width - _SAME_WIDTH, ""))
    end = bisect_left(widths, (glyph.font, width + _SAME_WIDTH, ""))
    found = {letter for _, _, letter in widths[first:end]} - {_UNDECODED}
    return glyph._replace(text=found.pop() if len(found) == 1 else _UNDECODED)


def _width(glyph: Word) -> float:
    return round(glyph.box.width / glyph.box.height, 4)


def _marks_behind(text: str) -> str:
    """The text of a glyph; if it begins with a mark, its letters before its marks."""
    letters, marks = without_marks(text)
    return letters + marks if text[:1] in marks else text


def without_repeats(letters: Iterable[Word]) -> list[Word]:
    """The letters; those of several glyphs, each of which has the code of all of them, once.

    Typst prints a letter with its marks so, where the font has a glyph for each: without a width,
    or in monospaced fonts as wide as a letter.
    """
    once: list[Word] = []
    for letter in letters:
        before = once[-1] if once else None
        if before is None or not _is_repeated(before, letter):
            once.append(letter)
        elif letter.box.width > before.box.width or _is_over(before, letter):
            once[-1] = letter  # the letter itself is drawn behind its marks, on the line
    return once


def tallest(letters: Sequence[Word]) -> float:
    """The height of a page's tall letters; none has none."""
    heights = sorted(letter.box.height for letter in letters)
    return heights[-1 - len(heights) // _TALLEST_SHARE] if heights else 0.0


def without_strokes(letters: Sequence[Word]) -> tuple[list[Word], list[Word]]:
    """The letters; those beside low strokes without a code that join an Arabic letter to the next
    as much wider, and these once more. Word processors draw such strokes in justified lines, and
    a mark of the next letter between the two.
    """
    low = _LOW_STROKE * tallest(letters)
    kept: list[Word] = []
    strokes: list[Word] = []
    before = -1  # the place of the last letter with a width
    for letter in letters:
        if letter.text == _UNDECODED and letter.box.height < max(_STROKE * letter.box.width, low):
            strokes.append(letter)
            continue
        kept.append(letter)
        if letter.box.width > 0:
            kept[-1:-1] = _drawn_out(kept, (before, len(kept) - 1), strokes)
            before, strokes = len(kept) - 1, []
    kept += _drawn_out(kept, (before,), strokes)
    as_drawn = {*map(id, letters)}
    return kept, [letter for letter in kept if id(letter) not in as_drawn]


def _drawn_out(
    letters: list[Word], beside: Iterable[int], strokes: Sequence[Word]
) -> Sequence[Word]:
    """Make the letter beside strokes as much wider; the strokes that are beside none."""
    if not strokes:
        return ()
    stroke = enclosing(each.box for each in strokes)
    for at in beside:
        if at >= 0 and _is_joined(letters[at], stroke):
            box = letters[at].box
            left, right = min(box.left, stroke.left), max(box.right, stroke.right)
            letters[at] = letters[at]._replace(box=box._replace(left=left, right=right))
            return ()
    return strokes


def _is_joined(letter: Word, stroke: Rect) -> bool:
    """Whether a low stroke is beside an Arabic letter, or under it."""
    box = letter.box
    near = _NEAR * box.height
    level = box.top <= stroke.top and stroke.bottom <= box.bottom + box.height
    beside = box.left - near < stroke.right and stroke.left < box.right + near
    return is_arabic(letter.text) and level and beside


def _is_repeated(first: Word, second: Word) -> bool:
    if first.text != second.text or not without_marks(first.text)[0].strip():
        return False
    if _is_over(first, second):
        return True
    flat, wide = sorted((first, second), key=lambda letter: letter.box.width)
    has_marks = len(unicodedata.normalize("NFD", first.text)) > 1
    reach = wide.box.height if has_marks else 0.0
    return (
        flat.box.width <= 0
        and first.box.shared_height(second.box) > 0
        and wide.box.left - reach <= flat.box.left <= wide.box.right + reach
    )


def _is_over(first: Word, second: Word) -> bool:
    """Whether a glyph with the code of a letter from the right and its marks stands over another
    one with a width, not beside it as that of a second such letter does.
    """
    if not (without_marks(first.text)[1] and has_from_right(first.text)):
        return False
    narrower = min(first.box.width, second.box.width)
    level = first.box.shared_height(second.box) > 0
    return level and narrower > 0 and first.box.shared_width(second.box) > _OVER * narrower


def _level(letters: Sequence[Word]) -> list[Word]:
    """The letters, those without a width, whose box is that of a mark, as high as the letter drawn
    before or behind them that is next to them.
    """
    levelled = [*letters]
    for at, letter in enumerate(letters):
        if letter.box.width <= 0 and has_from_right(letter.text) and without_marks(letter.text)[0]:
            drawn = [*letters[max(0, at - 1) : at], *letters[at + 1 : at + 2]]
            beside = [near.box for near in drawn if near.text.isalpha()]
            if beside:
                near = min(beside, key=lambda box: _distance(box, letter.box))
                box = letter.box._replace(top=near.top, bottom=near.bottom)
                levelled[at] = letter._replace(box=box)
    return levelled


def _distance(first: Rect, second: Rect) -> float:
    return abs(first.middle_x - second.middle_x) + abs(first.middle_y - second.middle_y)


def _with_marks_behind(letters: Sequence[Word], height: float) -> Sequence[Word]:
    """The letters; marks that a word processor draws before their letters as part of these."""
    flat = [letter.box.width <= 0 and not without_marks(letter.text)[0] for letter in letters]
    first, near = 0, True
    for at in range(1, len(letters) - 1):
        if flat[at]:
            first += letters[at - 1].text.isspace() - letters[at + 1].text.isspace()
            near = near and (flat[at + 1] or _reaches(letters[at], letters[at + 1], height))
    if first < 0 or not (first or near):
        return letters
    joined: list[Word] = []
    marks: list[Word] = []
    for letter, is_mark in zip(letters, flat):
        if is_mark:
            marks.append(letter)
            continue
        if marks and _reaches(marks[0], letter, height):
            text = letter.text + "".join(mark.text for mark in marks)
            joined.append(letter._replace(text=text))
        else:
            joined += [*marks, letter]
        marks = []
    return joined + marks


def _reaches(mark: Word, letter: Word, height: float) -> bool:
    """Whether a mark stands on a letter or a little before it, as letters of a height go."""
    first = letter.box.left - _REACH * max(letter.box.height, _HALF * height)
    return first <= mark.box.left <= letter.box.right and letter.text[:1].isalpha()


def _are_exchanged(mark: Word, base: Word, *, is_joined: bool) -> bool:
    """Whether the glyph of a mark, which has no width or little height, has the code of a letter,
    and that of the letter behind it the code of the mark: browsers print them so. A letter that
    `is_joined` to its own mark may have a low letter before it.
    """
    letters, marks = without_marks(base.text)
    if not marks or base.box.width <= 0:
        return False
    # the glyphs of two marks have the codes of a letter and the other mark
    first = without_marks(mark.text)[0]
    if not (first.isalpha() if first else not letters):
        return False
    low = mark.box.height < LOW * base.box.height and not is_joined
    flat = mark.box.width <= 0
    reach = (_REACH if flat else _NEAR) * base.box.height
    near = base.box.left - reach <= mark.box.left <= base.box.right
    return near and (low or flat) and has_from_right(mark.text)


def _is_one_glyph(first: Word, second: Word) -> bool:
    same = abs(first.box.left - second.box.left) < _SAME_PLACE
    flat = min(first.box.width, second.box.width) <= 0
    return same and flat and not (first.text.isspace() or second.text.isspace())
