"""Spaces between words, from two readings of a line and the gaps between its letters.

The parser splits a line at gaps of a fixed width, so that a tightly set line comes out glued and
letter-spaced text broken. PDFium knows the fonts' own spaces, and errs elsewhere. Where the two
differ, the words that both read alike elsewhere on the page decide, and then the gaps.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from statistics import median
from typing import NamedTuple, Protocol

from citeloom_pdf.elements.direction import has_from_right
from citeloom_pdf.elements.fonts import font_kind
from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs, Rect
from citeloom_pdf.elements.page import Line, Word
from citeloom_pdf.elements.patterns import LEADER
from citeloom_pdf.elements.text import SOFT_HYPHEN
from citeloom_pdf.parsing.joined_marks import has_joined_marks

# The width that parts the gaps between words from those between letters.

_LEAST_SHARE, _MOST_SHARE = 0.05, 0.45  # of all gaps are between words
_APART = 4.5  # how many times as far apart the two kinds are as each kind's own gaps


def splitting_gap(gaps: Sequence[float]) -> float | None:
    """The gap that best parts narrow from wide ones (Otsu's method); None if they are of one kind.

    Wide ones are those between words only if they are fewer, and clearly apart from the others.
    """
    ordered = sorted(gaps)
    count = len(ordered)
    best: tuple[float, int] | None = None
    for wide in range(max(1, int(_LEAST_SHARE * count)), int(_MOST_SHARE * count) + 1):
        narrow = count - wide
        between = (_mean(ordered[narrow:]) - _mean(ordered[:narrow])) ** 2 * narrow * wide
        if best is None or between > best[0]:
            best = (between, narrow)
    if best is None:
        return None
    narrow_gaps, wide_gaps = ordered[: best[1]], ordered[best[1] :]
    spread = max(_spread(narrow_gaps), _spread(wide_gaps))
    if _mean(wide_gaps) - _mean(narrow_gaps) < _APART * spread:
        return None
    return (narrow_gaps[-1] + wide_gaps[0]) / 2


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _spread(values: Sequence[float]) -> float:
    middle = _mean(values)
    return math.sqrt(sum((value - middle) ** 2 for value in values) / len(values))


# Letter-spaced fonts: the even gap between their letters, and the wider one between words.

_LEAST_TRACKING = 0.04  # of the letters' height: kerning is less
_LEAST_GAPS = (
    6  # of a line that tells whether its font is letter-spaced: a formula's parts are short
)
_EVEN = 0.25  # of the usual gap: how much further apart or nearer others are
_EVEN_SHARE = 0.55  # of the gaps: those between words, and kerned ones, are the others
_WIDER = 1.5  # times the usual gap: a word's end adds half a space to that
_HALF_SPACE = 0.1  # of the letters' height
_NEARER = 0.5  # of the usual gap between words: letters of one that are set apart are so near
_THIN = 0.2  # of the letters' height: no space is thinner where others of its line are twice that
_INITIAL = 0.5  # of the font size: how wide a large letter at least is, and what parts it
_LEAST_SPELLED = 4  # small letters of a word that nothing else tells


def letter_spaced(lines: Iterable[tuple[str, Sequence[float]]]) -> Mapping[str, float]:
    """The usual gap of each font that sets its letters evenly apart, from its lines' gaps."""
    gaps: dict[str, list[float]] = defaultdict(list)
    for font, line_gaps in lines:
        gaps[font] += line_gaps if len(line_gaps) >= _LEAST_GAPS else ()
    usual = {font: median(font_gaps) for font, font_gaps in gaps.items() if font_gaps}
    return {font: gap for font, gap in usual.items() if _is_tracked(gaps[font], gap)}


def _is_tracked(gaps: Sequence[float], usual: float) -> bool:
    if usual < _LEAST_TRACKING:
        return False
    even = sum(abs(gap - usual) <= _EVEN * usual + 0.01 for gap in gaps)
    return even >= _EVEN_SHARE * len(gaps)


def least_word_gap(gaps: Sequence[float], tracking: float) -> float:
    """The gap of a letter-spaced line from which on it is one between words."""
    usual = median(gaps) if len(gaps) >= _LEAST_GAPS else tracking
    least = _WIDER * min(usual, 2 * tracking) + _HALF_SPACE
    split = splitting_gap([max(gap, 0.0) for gap in gaps])
    return split if split is not None and split > least else least


_LONGEST = 400  # letters of a line
_MOST_OTHERS = 2  # as many glyphs as letters: a box with more is not that of the line
_ALIKE = 0.7  # of a line's letters are the same in both readings
_PRINTED = 0.2  # the cost of a word that only PDFium has elsewhere
_MATH = 0.3  # of a line: the letters of a formula are no words, however even their gaps
_MONO = 0.7  # of a line: its spaces follow from the pitch
_UNKNOWN = 0.6  # the cost of a word not seen elsewhere, to which its length adds
_USUAL_LENGTH = 10.0  # letters: a longer unknown word is rather two
_GAP_WEIGHT = 0.8  # what a space against the gaps costs at most
_USUAL_SPACE = 0.1  # of the letters' height
_NO_GAP, _SEEN_GAP = 0.03, 0.08  # of the letters' height: kerning, and half a space
_NO_ADVANCE = 0.01  # of the letters' height: the letter stands where the one before it ends
_AS_WIDE, _LEAST_AGREED = 0.9, 4  # of the usual gap of the spaces in both readings, if so many
_OFF_ROW = 0.1  # of the letters' height: a raised number is farther off
_PLACED = 0.9  # of a letter-spaced line's letters have their place
_CLOSING = frozenset(",.;:!?)]}")
_CLOSING_TIGHT = frozenset(",.)]}")  # no language has a space before these
_OPENING = frozenset("([{")
_LONE_SIGN = 0.9  # the cost of a bracket or a stop by itself: more than any gap against it
# Korean letters fill squares, between which every gap is wide and even, and words have spaces
_SYLLABLE = re.compile("[\uac00-\ud7a3]")
_SQUARES = re.compile("[\u3040-\u30ff\u3400-\u9fff]{2}|[\uac00-\ud7a3]{2}")
_LEAST_PAIRS = 3  # of a line: two letters may be set apart as a title
_MOST_STRETCHED = 0.5  # of the letters' height, between letters of a stretched line


class SeenWords(Protocol):
    """Tells whether the document has a word elsewhere."""

    def has(self, word: str) -> bool: ...


class _Letters(NamedTuple):
    """A line's letters; for each whether a space precedes it in either reading, and its gap.

    `second` is None where the second reading does not have the letter and the one before it side
    by side.
    """

    text: str
    first: list[bool]
    second: list[bool | None]
    gaps: list[float]
    glyphs: list[Glyph | None]


def with_spaces_checked(
    lines: Sequence[Line], placed: PlacedGlyphs, printed: SeenWords
) -> list[Line]:
    """The lines, those with a second reading with the spaces that fit best."""
    readings = [
        None
        if line.rotated or _has_pitch(line) or _is_read_by_letters(line)
        else _both(line, placed)
        for line in lines
    ]
    agreed = _agreed_words(reading for reading in readings if reading is not None)
    words = _Words(agreed, printed)
    tracked = letter_spaced(
        (line.style.font, _gaps(reading))
        for line, reading in zip(lines, readings)
        if reading is not None and _shows_tracking(line)
    )
    return [
        _respaced(
            line, reading, words, None if LEADER.search(line.text) else tracked.get(line.style.font)
        )
        if reading is not None
        else _with_initial(line, printed)
        for line, reading in zip(lines, readings)
    ]


def _has_pitch(line: Line) -> bool:
    """Whether its letters are those of a typewriter, which no font of Korean is."""
    return line.style.mono > _MONO and not _SYLLABLE.search(line.text)


def _shows_tracking(line: Line) -> bool:
    """Whether the gaps of a line are those between letters, not of leaders or formulas."""
    other = LEADER.search(line.text) or _SYLLABLE.search(line.text)
    return line.style.math <= _MATH and not other


def _is_read_by_letters(line: Line) -> bool:
    return has_from_right(line.text) or has_joined_marks(line.text)


def _both(line: Line, placed: PlacedGlyphs) -> _Letters | None:
    """Both readings of the line, None if they are hardly of the same text."""
    text = "".join(line.text.split())
    glyphs = placed.inside(line.box)
    if not 2 <= len(text) <= _LONGEST or not glyphs or len(glyphs) > _MOST_OTHERS * len(text):
        return None
    matched = matched_glyphs(text.replace(SOFT_HYPHEN, "-"), glyphs)
    if sum(glyph is not None for glyph in matched) < _ALIKE * len(text):
        return None
    second, gaps = _second(matched)
    for inner in _code_in_letters(line, text, second):
        second[inner] = [False] * len(second[inner])
    spaces: list[bool] = []
    for word in line.text.split():
        spaces += [True, *([False] * (len(word) - 1))]
    return _Letters(text, spaces, second, gaps, matched)


def _code_in_letters(line: Line, text: str, spaces: Sequence[bool | None]) -> Iterator[slice]:
    """The letters, but for the first of each, of words of code in a line between most of which
    PDFium has a space: it measures the pitch of such a font by the font around it.
    """
    owners = _owners(line)
    if not line.style.mono or len(owners) != len(text):
        return
    end = 0
    for word in line.words:
        start, end = end, end + len("".join(word.text.split()))
        inner = slice(start + 1, end)
        if font_kind(word.font).mono and 2 * spaces[inner].count(True) > len(spaces[inner]):
            yield inner


def _owners(line: Line) -> list[Word]:
    """The word of each letter of a line, where its words are all of it."""
    return [word for word in line.words for _ in "".join(word.text.split())]


def matched_glyphs(text: str, glyphs: Sequence[Glyph]) -> list[Glyph | None]:
    """For each letter of the text its glyph, if the two readings agree on it."""
    other = "".join(glyph.text for glyph in glyphs)
    if text == other:
        return list(glyphs)
    matches: list[Glyph | None] = [None] * len(text)
    for block in SequenceMatcher(None, text, other, autojunk=False).get_matching_blocks():
        matches[block.a : block.a + block.size] = glyphs[block.b : block.b + block.size]
    return matches


def _second(matched: Sequence[Glyph | None]) -> tuple[list[bool | None], list[float]]:
    spaces: list[bool | None] = [None] * len(matched)
    gaps = [0.0] * len(matched)
    for index, (before, glyph) in enumerate(pairwise(matched), start=1):
        if before is None or glyph is None or glyph.order != before.order + 1:
            continue
        _, top, right, bottom = before.box
        spaces[index] = glyph.spaced
        gaps[index] = (glyph.box.left - right) / max(1.0, bottom - top)
    return spaces, gaps


def _agreed_words(readings: Iterable[_Letters]) -> Counter[str]:
    """The words that both readings have alike."""
    words = Counter[str]()
    for reading in readings:
        starts = [index for index, space in enumerate(reading.first) if space and index]
        for start, end in pairwise([0, *starts, len(reading.text)]):
            inside = reading.second[start + 1 : end]
            opens = start == 0 or reading.second[start] is True
            closes = end == len(reading.text) or reading.second[end] is True
            if opens and closes and inside.count(False) == len(inside):
                words[_key(reading.text[start:end])] += 1
    return words


def _key(word: str) -> str:
    return word.strip("()[]{}.,;:!?\"'“”‘’").lower()  # noqa: RUF001


def _respaced(line: Line, reading: _Letters, words: _Words, tracking: float | None) -> Line:
    if tracking is not None and len(_gaps(reading)) >= _PLACED * (len(reading.text) - 1):
        least = least_word_gap(_gaps(reading), tracking)
        letters = zip(reading.text, reading.first, reading.second, reading.gaps)
        spaces = [
            letter != SOFT_HYPHEN and (first if second is None else gap > least)
            for letter, first, second, gap in letters
        ]
        spaces = [True, *spaces[1:]]
    else:
        spaces = _by_words(reading, words)
        for start, end in _spelled_words(line, reading, words.printed):
            spaces[start:end] = [True, *([False] * (end - start - 1))]
    spaces = _by_squares(reading, spaces)
    spaced = line if spaces == reading.first else _rebuilt(line, reading, spaces)
    return _with_initial(spaced, words.printed)


def _with_initial(line: Line, printed: SeenWords) -> Line:
    """The line, a large letter that opens it as the first of the word beside it, which the document
    has elsewhere, as it has not the word without that letter. It reaches down into further lines,
    so that it is none of the line's words.
    """
    initial, _, rest = line.text.partition(" ")
    if len(initial) != 1 or not initial.isupper() or not rest[:1].islower() or not line.words:
        return line
    first = line.words[0]
    word = initial + first.text
    if not rest.startswith(first.text) or first.box.left - line.box.left < _INITIAL * line.size:
        return line
    if not printed.has(_key(word)) or printed.has(_key(first.text)):
        return line
    whole = Word(first.box._replace(left=line.box.left), word, first.font)
    return replace(line, text=initial + rest, words=(whole, *line.words[1:]))


def _spelled_words(line: Line, reading: _Letters, printed: SeenWords) -> Iterator[tuple[int, int]]:
    """The words whose letters are set apart, in a line of which other parts are not: where words
    in another font stand among them, office programs stretch each part of a line by itself.
    """
    parts = [
        (start, end)
        for start, end in _parts_in_one_font(line, reading)
        if min(reading.gaps[start + 1 : end]) >= _LEAST_TRACKING
        and not _SQUARES.search(reading.text, start, end)
    ]
    if not parts:
        return
    inside = {index for start, end in parts for index in range(start + 1, end)}
    places = [i for i, both in enumerate(zip(reading.first, reading.second)) if all(both)]
    for start, end in parts:
        gaps = reading.gaps[start + 1 : end]
        usual = sorted(gaps)[len(gaps) // 4]
        least = _WIDER * usual + _HALF_SPACE
        between = [
            reading.gaps[index]
            for index in places
            if index not in inside or reading.gaps[index] > least
        ]
        if not between or usual > _NEARER * median(between):
            continue
        cuts = [start, *(i for i in range(start + 1, end) if reading.gaps[i] > least), end]
        for first, last in pairwise(cuts):
            word = _key(reading.text[first:last])
            is_thin = usual <= _THIN and len(word) > 2
            is_small = reading.text[first + 1 : last].islower()
            is_known = is_small and (len(word) >= _LEAST_SPELLED or printed.has(word))
            if word.replace("-", "").isalnum() and (is_thin or is_known):
                yield first, last


def _parts_in_one_font(line: Line, reading: _Letters) -> Iterator[tuple[int, int]]:
    """The stretches of two or more letters side by side in one font, where it is known."""
    ends = [*accumulate(len("".join(word.text.split())) for word in line.words)]
    if ends[-1:] != [len(reading.text)]:
        return
    changes = {end for end, (a, b) in zip(ends, pairwise(line.words)) if a.font != b.font}
    starts = [at for at, space in enumerate(reading.second) if space is None or at in changes]
    yield from (part for part in pairwise([*starts, len(reading.text)]) if part[1] - part[0] > 1)


def _by_squares(reading: _Letters, spaces: list[bool]) -> list[bool]:
    """The spaces as the squares tell that letters of Chinese, Japanese and Korean fill: one between
    two of these is wider than the other gaps of its line, a stretched one too. Only between Korean
    ones a gap so wide is always one.
    """
    pairs = [
        index
        for index in range(1, len(spaces))
        if reading.second[index] is not None and _SQUARES.match(reading.text, index - 1)
    ]
    if len(pairs) < _LEAST_PAIRS:
        return spaces
    usual = sorted(reading.gaps[index] for index in pairs)[len(pairs) // 4]  # words may be short
    if usual > _MOST_STRETCHED:
        return spaces
    found = list(spaces)
    for index in pairs:
        apart = reading.gaps[index] > usual + _HALF_SPACE
        korean = _SYLLABLE.match(reading.text, index)
        found[index] = apart and (found[index] or korean is not None)
    return found


def _by_words(reading: _Letters, words: _Words) -> list[bool]:
    """The spaces with which the line has most known words."""
    alike = reading.first[1:] == reading.second[1:]
    places = () if alike else range(1, len(reading.text))
    wide = _wide_gap(reading)
    disputed = [
        index
        for index in places
        if _is_disputed(reading, index)
        and not (reading.first[index] and reading.gaps[index] >= wide)
    ]
    spaces = [space and not _follows(reading, index) for index, space in enumerate(reading.first)]
    if disputed:
        least = _least_gap(reading)
        for start, end in _regions(reading, disputed):
            spaces[start + 1 : end] = _best(reading, words, least, start, end)
    unseen = [
        index
        for index in range(1, len(spaces))
        if spaces[index] and reading.second[index] and reading.gaps[index] <= _NO_GAP
    ]
    if not unseen or _least_gap(reading) < _SEEN_GAP:
        return spaces
    cuts = [index for index, space in enumerate(spaces) if space] + [len(spaces)]
    for index in unseen:
        at = cuts.index(index)
        if words.printed.has(_key(reading.text[cuts[at - 1] : cuts[at + 1]])):
            spaces[index] = False
    return spaces


def _gaps(reading: _Letters) -> list[float]:
    """The gaps between letters that the second reading has side by side."""
    return [gap for gap, second in zip(reading.gaps, reading.second) if second is not None]


def _is_disputed(reading: _Letters, index: int) -> bool:
    """Whether the readings differ before this letter; a number may be raised, and stays apart, but
    from a sign that closes, and one beside a word in its row is parted from it by a space that only
    PDFium has: `Example 2`.
    """
    second, pair = reading.second[index], reading.text[index - 1 : index + 1]
    if second is None or second == reading.first[index] or _follows(reading, index):
        return False
    if not any(map(str.isdigit, pair)) or (not second and pair[1] in _CLOSING_TIGHT):
        return True
    beside_word = any(map(str.isalpha, pair))
    return second and beside_word and _are_in_one_row(*reading.glyphs[index - 1 : index + 1])


def _follows(reading: _Letters, index: int) -> bool:
    """Whether a sign stands where the letter before it ends, or a letter so behind a sign in its
    row, without a space; a raised letter or figure may be the mark of a note.
    """
    before, letter = reading.text[index - 1], reading.text[index]
    if reading.second[index] is not False or abs(reading.gaps[index]) > _NO_ADVANCE:
        return False
    if letter.isalnum():
        is_level = _are_in_one_row(*reading.glyphs[index - 1 : index + 1])
        return letter.isalpha() and not before.isalnum() and is_level
    return True


def _are_in_one_row(first: Glyph | None, second: Glyph | None) -> bool:
    """Whether two letters are of one size and stand on one line."""
    if first is None or second is None:
        return False
    high = max(first.box.height, second.box.height)
    tops, feet = first.box.top - second.box.top, first.box.bottom - second.box.bottom
    return max(abs(tops), abs(feet)) <= _OFF_ROW * high


def _regions(reading: _Letters, disputed: Sequence[int]) -> list[tuple[int, int]]:
    """The stretches between spaces that both readings have, with a disputed place in each."""
    regions: list[tuple[int, int]] = []
    for index in disputed:
        if regions and index < regions[-1][1]:
            continue
        start, end = index, index
        while start > 0 and not (reading.first[start] and start not in disputed):
            start -= 1
        while end < len(reading.text) and not (reading.first[end] and end not in disputed):
            end += 1
        regions.append((start, end))
    return regions


def _least_gap(reading: _Letters) -> float:
    """The gap between those within words and those between them, where the readings agree. The one
    behind a bullet or a number of a list is as wide as the list is indented.
    """
    inner: list[float] = []
    outer: list[float] = []
    first = next((at for at, letter in enumerate(reading.text) if letter.isalpha()), 0)
    for index in range(first + 1, len(reading.text)):
        second = reading.second[index]
        if second is not None and second == reading.first[index]:
            (outer if second else inner).append(reading.gaps[index])
    if not outer or not inner:
        return _USUAL_SPACE
    return float(median(inner) + median(outer)) / 2


def _wide_gap(reading: _Letters) -> float:
    """The gap from which on a space that only the parser has is as wide as others of its line."""
    places = zip(reading.gaps, reading.first, reading.second)
    agreed = [gap for gap, first, second in places if first and second]
    return _AS_WIDE * median(agreed) if len(agreed) >= _LEAST_AGREED else math.inf


def _best(reading: _Letters, words: _Words, least: float, start: int, end: int) -> list[bool]:
    """The spaces within a stretch that cost least, for each letter after the first."""
    places = [
        index for index in range(start + 1, end) if reading.first[index] or reading.second[index]
    ]
    cuts = [start, *places, end]
    costs = [0.0, *([float("inf")] * (len(cuts) - 1))]
    before = [0] * len(cuts)
    for right in range(1, len(cuts)):
        for left in range(right):
            word = reading.text[cuts[left] : cuts[right]]
            cost = costs[left] + _word_cost(word, words)
            cost += sum(
                _gap_cost(reading, place, least, space=False) for place in cuts[left + 1 : right]
            )
            if left:
                cost += _gap_cost(reading, cuts[left], least, space=True)
            if cost < costs[right]:
                costs[right], before[right] = cost, left
    chosen: set[int] = set()
    at = len(cuts) - 1
    while at:
        at = before[at]
        chosen.add(cuts[at])
    return [index in chosen for index in range(start + 1, end)]


class _Words(NamedTuple):
    """The words both readings of the page agree on, and those PDFium has in the document."""

    agreed: Counter[str]
    printed: SeenWords


def _word_cost(word: str, words: _Words) -> float:
    key = _key(word)
    letters = sum(character.isalpha() for character in key)
    if not key:
        if word[0] in _CLOSING_TIGHT or word[-1] in _OPENING:
            return _LONE_SIGN
        return 0.3 if word[0] in _CLOSING else 0.1
    if words.agreed[key] or not letters:
        return 0.0
    if words.printed.has(key):
        return _PRINTED
    return _UNKNOWN + (letters / _USUAL_LENGTH) ** 2


def _gap_cost(reading: _Letters, index: int, least: float, *, space: bool) -> float:
    """What it costs to have a space, or none, before this letter, against the gap there."""
    excess = (reading.gaps[index] - least) / max(abs(least), 0.02)
    against = -excess if space else excess
    return _GAP_WEIGHT * min(1.0, max(0.0, against))


def _rebuilt(line: Line, reading: _Letters, spaces: Sequence[bool]) -> Line:
    """The line with these spaces, and its words with their places where each letter has one."""
    cuts = [index for index, space in enumerate(spaces) if space]
    parts = [(start, end) for start, end in zip(cuts, [*cuts[1:], len(spaces)])]
    text = " ".join(reading.text[start:end] for start, end in parts)
    owners = _owners(line)
    if "".join(word.text for word in line.words).replace(" ", "") != reading.text:
        return replace(line, text=text)
    words = tuple(_word(reading, owners, start, end) for start, end in parts)
    return replace(line, text=text, words=words)


def _word(reading: _Letters, owners: Sequence[Word], start: int, end: int) -> Word:
    first, last = owners[start], owners[end - 1]
    left, right = reading.glyphs[start], reading.glyphs[end - 1]
    box = Rect(
        left.box.left if left else first.box.left,
        min(first.box.top, last.box.top),
        right.box.right if right else last.box.right,
        max(first.box.bottom, last.box.bottom),
    )
    return Word(box, reading.text[start:end], first.font)
