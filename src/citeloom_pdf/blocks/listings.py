"""Code listings: lines in monospaced fonts, rebuilt from words and their positions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median
from typing import NamedTuple
from unicodedata import east_asian_width

from citeloom_pdf.blocks.rows import without_lines, words_of
from citeloom_pdf.elements.fonts import bare_name, font_kind, is_unnamed
from citeloom_pdf.elements.geometry import Rect, Rule, enclosing
from citeloom_pdf.elements.page import Line, Word
from citeloom_pdf.elements.patterns import BEFORE_LABEL, LABEL, is_caption, opens_heading
from citeloom_pdf.parsing.lines import joined_line

_MONO = 0.7  # of a line's characters
_BLANK_LINE = 2.2  # of the font size: a wider gap parts two listings
_FARTHEST_ACROSS = 12.0  # of the font size: how far a comment stands from its code
_RULED = 0.6  # of the width of two lines: so much of them a rule between them parts
_LETTER, _LETTERS = re.compile(r"[A-Za-z]"), re.compile(r"[A-Za-z]{2}")
_URL = re.compile(r"\W*\d*\s*https?:")
_NUMBER_REACH = 6.0  # of the font size: how far a line's number stands before it
_ALIGNED = 1.0  # points: numbers of lines begin or end under one another
_COLUMN_LINES = 3  # of prose: so many that begin or end at one place are a column's
_WIDEST_GUTTER = 40.0  # points
_PROSE_LENGTH = 20  # characters: shorter lines of prose do not tell where a column is
_NEXT = 2.0  # of the font size: how far a line is from the next of its paragraph
_ROW = 0.5  # of a label's height: so much of it is level with its line
# words at the right margin that say what a declaration declares: `procedure`, `[Constant]`
_WORD = re.compile(r"\[?[^\W\d_][^\W\d_ -]+([ -][^\W\d_]+)*\]?")
_MOST_WORDS, _LEAST_LABELLED = 3, 2  # words of one, and rows of a page that have one
_BEFORE_WORD = 3.0  # of the font size: they are farther behind the declaration
_LEAST_OF_PROSE = 40  # characters: lines that show where the margins are
_AT_MARGIN = 1.5  # points: how far from the margin words may end
_HEAVY = 0.8  # of a line in bold: more makes it a heading
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_LEAST_LENGTH = 12  # characters: shorter texts are words in a typewriter font
_INLINE_ROWS = 3  # so few rows in line with prose are a part of it
_INLINE_GAP = 0.6  # of the font size
_OVER = 0.2  # of the width of two lines: so much of them one stands over the other
_PITCH_SLACK = 0.12  # of the font size: prose farther away than rows are by this is not in line
_SPACE = 0.8  # of the pitch: a narrower gap parts letters, not words
_STRETCHED_SPACE = 0.65  # of the pitch: the same in a listing whose words are as wide as it tells
_EXACT, _LEAST_EXACT = 0.01, 3  # of the pitch; and how many words are so, to within it
# of the pitch: the same beside a word in another font, and where the line has a space of its own
_SPACE_OF_TEXT = 0.4
_CLOSING = (",", ";", ")", "]", "}")
_PITCHED = 0.3  # of a line: with less in a typewriter font, it has spaces of its own
_USUAL_PITCH = 0.55  # of the font size
_BEARINGS = 0.25  # of the pitch: a gap is wider by what its characters leave free
_TELLING = 4  # letters of a word that tells the pitch
_TALL_SHARE = 0.8  # of the words: the few above may be brackets over several rows
_TALL = 0.6  # of the tallest: lower words, such as commas, go to the nearest row


@dataclass(frozen=True, slots=True)
class CodeListing:
    """A listing's lines on the page, and its text by row."""

    lines: tuple[Line, ...]
    rows: tuple[str, ...]


def find_listings(lines: Sequence[Line], rules: Sequence[Rule] = ()) -> list[CodeListing]:
    """The listings among the lines of a page, each with its indentation as spaces.

    A horizontal rule, as that of a frame, parts two of them.
    """
    code = [line for line in lines if is_code(line)]
    prose = without_lines(lines, code)
    code += [line for line in prose if _goes_on_in_row(line, code)]
    prose = without_lines(prose, code)
    mentions = [line for line in code if _goes_on_with_prose(line, prose)]
    code = without_lines(code, mentions)
    prose += mentions
    code += _numbers_of_blank_rows(code, prose)
    prose = without_lines(prose, code)
    long = [line for line in prose if len(line.text) > _PROSE_LENGTH]
    listings = []
    for lines_of_code in _groups(code, prose, rules):
        group = [
            line
            for line in lines_of_code
            if line.text.isdecimal()
            or (gap := _distance(line, long)) >= _INLINE_GAP * line.size
            or gap >= _distance(line, lines_of_code)
        ]
        if group:
            within = enclosing(line.box for line in group).grown(1, 0)
            group += [
                line
                for line in without_lines(lines_of_code, group)
                if within.left <= line.box.left <= line.box.right <= within.right
                and _is_near_in_row(line, group)
                and not _is_near_in_row(line, prose)
            ]
        ends = without_lines(lines_of_code, group)
        if group and _stands_alone(group, [*prose, *ends]):
            box, size = enclosing(line.box for line in group), group[0].size
            around = Rect(
                box.left - _NUMBER_REACH * size, box.top - 1, box.right + 1, box.bottom + 1
            )
            whole = [
                *group,
                *[
                    line
                    for line in prose
                    if line.box.lies_in(around)
                    and (
                        line.text.isdigit()
                        or any(
                            line.box.left >= box.left
                            and line.box.shared_height(row.box) > 0.5 * line.box.height
                            for row in group
                        )
                    )
                ],
            ]
            whole += [
                line
                for line in prose
                if LABEL.fullmatch(line.text) and any(_is_label_of(line, row) for row in group)
            ]
            listings.append(CodeListing(tuple(whole), _printed(whole)))
    return [listing for listing in listings if sum(map(len, listing.rows)) > _LEAST_LENGTH]


def _numbers_of_blank_rows(code: Sequence[Line], prose: Sequence[Line]) -> list[Line]:
    """The numbers of lines that stand alone in their row, between numbers of lines of code."""
    numbers = [line for line in prose if line.text.isdecimal()]
    counting = [
        Word(number.box, number.text, "")
        for number in numbers
        if any(
            0 <= line.box.left - number.box.right <= _NUMBER_REACH * number.size
            and line.box.shared_height(number.box) > 0.5 * number.box.height
            for line in code
        )
    ]
    counting += [line.words[0] for line in code if line.words and line.words[0].text.isdecimal()]
    return [
        number
        for above, below in pairwise(sorted(counting, key=lambda word: word.box.top))
        for number in numbers
        if _are_aligned(above.box, below.box)
        and _are_aligned(above.box, number.box)
        and above.box.bottom <= number.box.top
        and number.box.bottom <= below.box.top
        and int(above.text) < int(number.text) < int(below.text)
    ]


def _are_aligned(first: Rect, second: Rect) -> bool:
    return min(abs(first.left - second.left), abs(first.right - second.right)) <= _ALIGNED


def is_code(line: Line) -> bool:
    """Whether a line is set in a typewriter font, and is no caption, heading or address."""
    if is_caption(line.text) or opens_heading(line.text) or _URL.match(line.text):
        return False
    return _is_set_as_code(line)


def _goes_on_in_row(line: Line, code: Sequence[Line]) -> bool:
    """Whether a line in a typewriter font goes on with the row of code, whatever it begins with."""
    return _is_set_as_code(line) and any(
        0 <= line.box.left - before.box.right <= _FARTHEST_ACROSS * line.size
        and before.box.shared_height(line.box) > 0.5 * line.box.height
        for before in code
    )


def _is_set_as_code(line: Line) -> bool:
    mono, math = line.style.mono, line.style.math
    letters = 1 - _number_share(line)
    return mono > _MONO * letters or (mono > 0.5 * _MONO and mono + math > 0.9 * letters)


def _goes_on_with_prose(line: Line, prose: Sequence[Line]) -> bool:
    """Whether a line that mentions code stands right above or below one of prose, and its letters
    of Chinese, Japanese or Korean are fewer, but take more of its width; or is an underscore in a
    word of one.
    """
    if line.text == "_":
        return any(_touches(line.box, other.box) for other in prose)
    if line.text.isascii() or not _WIDE.search(line.text):
        return False
    typed = sum(map(_typed_width, line.words))
    return typed < _MONO * line.box.width and any(
        len(other.text) > _PROSE_LENGTH
        and other.box.shared_width(line.box) > 0
        and abs(other.box.middle_y - line.box.middle_y) < _NEXT * line.size
        for other in prose
    )


def _touches(stroke: Rect, line: Rect) -> bool:
    """Whether an underscore stands in the row of a line, in no gap as wide as itself beside it."""
    gap = max(line.left - stroke.right, stroke.left - line.right)
    return gap < stroke.width and line.top < stroke.middle_y < line.bottom


def _typed_width(word: Word) -> float:
    """The width of a word's letters in a typewriter font, but for those twice as wide."""
    wide = len(_WIDE.findall(word.text))
    share = (len(word.text) - wide) / (len(word.text) + wide)
    return share * word.box.width if font_kind(word.font).mono else 0.0


def _number_share(line: Line) -> float:
    """The share of the line that is its line number, which may be in another font."""
    if len(line.words) < 2 or not line.words[0].text.isdigit():
        return 0.0
    return len(line.words[0].text) / sum(len(word.text) for word in line.words)


def with_labels(lines: Sequence[Line]) -> list[Line]:
    """The lines, those of declarations with the label that stands at the right margin of their row,
    as in manuals made with Texinfo: `[Function]`.
    """
    labels = [line for line in lines if LABEL.fullmatch(line.text)]
    declared = {id(label): line for label in labels if (line := _labelled(label, lines))}
    declared |= {id(label): line for label, line in _with_words_at_margin(lines)}
    if not declared:
        return list(lines)
    label_of = {id(declared[id(label)]): label for label in lines if id(label) in declared}
    return [
        joined_line([line, label_of[id(line)]]) if id(line) in label_of else line
        for line in lines
        if id(line) not in declared
    ]


def _labelled(label: Line, lines: Sequence[Line]) -> Line | None:
    return next((line for line in lines if _is_label_of(label, line)), None)


def _is_label_of(label: Line, line: Line) -> bool:
    """Whether a label stands far behind a line with code in its row."""
    level = line.box.shared_height(label.box) > _ROW * label.box.height
    gap = label.box.left - line.box.right
    return level and line.style.mono > 0 and gap > BEFORE_LABEL * line.size


def _with_words_at_margin(lines: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    """A word or two that end at the right margin of prose, each with the line far before it in its
    row: what a declaration declares, if at least two rows have one, the text goes on close below,
    and the row is not that of a running head.
    """
    long = [line.box for line in lines if len(line.text) > _LEAST_OF_PROSE]
    if len(long) < _COLUMN_LINES:
        return
    top = min((line.box.bottom for line in lines), default=0.0)
    pairs = []
    for label in lines:
        margin = [box for box in long if abs(box.right - label.box.right) <= _AT_MARGIN]
        if len(margin) < _COLUMN_LINES or not _is_word(label) or label.box.top < top:
            continue
        row = [line for line in lines if line is not label and _is_in_row(line, label)]
        before = max(row, key=lambda line: line.box.right, default=None)
        if before is None or before.style.bold > _HEAVY or before.text.isdecimal():
            continue
        gap, left = label.box.left - before.box.right, min(line.box.left for line in row)
        below = [line.box.top for line in lines if line.box.top >= before.box.middle_y]
        if (
            gap > _BEFORE_WORD * label.size
            and sum(abs(box.left - left) <= label.size for box in margin) >= _COLUMN_LINES
            and min(below, default=float("inf")) - before.box.bottom < label.size
        ):
            pairs.append((label, before))
    yield from pairs if len(pairs) >= _LEAST_LABELLED else ()


def _is_word(line: Line) -> bool:
    few = len(line.text.split()) <= _MOST_WORDS
    return few and line.style.math == 0 and _WORD.fullmatch(line.text) is not None


def _is_in_row(line: Line, label: Line) -> bool:
    return line.box.shared_height(label.box) > _ROW * label.box.height


def _groups(code: Sequence[Line], prose: Sequence[Line], rules: Sequence[Rule]) -> list[list[Line]]:
    long = [line.box for line in prose if len(line.text) > _PROSE_LENGTH]
    starts = Counter(round(box.left) - 1 for box in long)
    ends = Counter(round(box.right) + 1 for box in long)
    lefts, rights = (
        [
            float(place)
            for place, lines in margins.items()
            # the first lines of paragraphs that are indented begin where others run through
            if lines >= _COLUMN_LINES and lines > sum(box.left < place < box.right for box in long)
        ]
        for margins in (starts, ends)
    )
    between = [(end, at) for end in rights for at in lefts if 0 < at - end <= _WIDEST_GUTTER]
    gutters = _Gutters([*lefts, *rights], between)
    groups: list[list[Line]] = []
    for line in sorted(code, key=lambda line: line.box.top):
        near = [
            group
            for group in groups
            if any(
                _are_near(line, other)
                and not _are_parted(line.box, other.box, long)
                and not are_ruled_off(line.box, other.box, rules)
                and (
                    line.text.isdecimal()
                    or other.text.isdecimal()
                    or not _are_in_columns(gutters, line.box, other.box)
                )
                for other in group
            )
        ]
        groups = [group for group in groups if group not in near]
        groups.append([line, *(other for group in near for other in group)])
    return groups


class _Gutters(NamedTuple):
    """The places just outside the margins of columns, and where one ends and the next begins."""

    places: Sequence[float]
    between: Sequence[tuple[float, float]]


def _are_in_columns(gutters: _Gutters, first: Rect, second: Rect) -> bool:
    """Whether a gutter is between the two, or would be if one did not stick out of its column."""
    left, right = sorted((first, second))
    return any(left.right <= place <= right.left for place in gutters.places) or any(
        left.left < end and start <= right.left for end, start in gutters.between
    )


def _are_near(first: Line, second: Line) -> bool:
    size = max(first.size, second.size)
    down = -first.box.shared_height(second.box)
    across = -first.box.shared_width(second.box)
    return down <= _BLANK_LINE * size and across <= _FARTHEST_ACROSS * size


def _are_parted(first: Rect, second: Rect, prose: Sequence[Rect]) -> bool:
    upper, lower = sorted((first, second), key=lambda box: box.middle_y)
    both = first.union(second)
    return any(
        upper.bottom < box.middle_y < lower.top and box.shared_width(both) > 0 for box in prose
    )


def are_ruled_off(first: Rect, second: Rect, rules: Sequence[Rule]) -> bool:
    """Whether a rule as wide as the two is between them."""
    upper, lower = sorted((first, second), key=lambda box: box.middle_y)
    both = first.union(second)
    return any(
        upper.bottom - 1 <= rule.at <= lower.top + 1
        and rule.shared(both.left, both.right) > _RULED * both.width
        for rule in rules
    )


def _distance(line: Line, lines: Sequence[Line]) -> float:
    """The vertical distance to the nearest other line, not to one that it sticks out over a bit."""
    return min(
        (
            -line.box.shared_height(other.box)
            for other in lines
            if other is not line
            and line.box.shared_width(other.box) > _OVER * min(line.box.width, other.box.width)
        ),
        default=float("inf"),
    )


def _stands_alone(group: Sequence[Line], prose: Sequence[Line]) -> bool:
    """Whether the group is not part of a paragraph that mentions code."""
    box, size = enclosing(line.box for line in group), group[0].size
    if box.height > _INLINE_ROWS * _BLANK_LINE * size:
        return True
    if any(_is_within_row(line, prose) for line in group):
        return False
    prose = [line for line in prose if not _is_piece_of_row(line, box, group)]
    near = box.grown(size, _INLINE_GAP * size)
    bottoms = sorted(line.box.bottom for line in group)
    pitch = max((lower - upper for upper, lower in pairwise(bottoms)), default=float("inf"))
    return not any(
        line.box.touches(near)
        and max(line.box.bottom - bottoms[-1], bottoms[0] - line.box.bottom)
        <= pitch + _PITCH_SLACK * size
        for line in prose
        if not line.text.isdigit()
    )


def _is_piece_of_row(line: Line, box: Rect, group: Sequence[Line]) -> bool:
    """Whether a few letters of another font, as of a sign that a typewriter font lacks, stand in a
    row of the group.
    """
    within = len(line.text) < _LEAST_LENGTH and line.box.lies_in(box)
    return within and any(line.box.is_level(row.box) for row in group)


def _is_near_in_row(line: Line, lines: Sequence[Line]) -> bool:
    reach = line.box.grown(_FARTHEST_ACROSS * line.size, 0)
    return any(line.box.is_level(other.box) and other.box.touches(reach) for other in lines)


def _is_within_row(line: Line, lines: Sequence[Line]) -> bool:
    """Whether the row of a line begins and ends with text of other fonts, however wide its gaps."""
    reach = line.box.grown(_FARTHEST_ACROSS * line.size, 0)
    beside = [
        other.box
        for other in lines
        if other.box.touches(reach)
        and other.box.shared_height(line.box) > 0.5 * line.box.height
        and not other.text.isdigit()
    ]
    left = any(box.right <= line.box.left for box in beside)
    return left and any(box.left >= line.box.right for box in beside)


def _printed(lines: Sequence[Line]) -> tuple[str, ...]:
    telling = [
        word.box.width / len(word.text)
        for word in words_of(lines)
        if len(word.text) >= _TELLING and _is_typed(word) and not _has_squares(word.text)
    ]
    pitch = median(telling) if telling else _USUAL_PITCH * lines[0].size
    even = bool(telling) and max(telling) - min(telling) <= _EXACT * pitch
    least = _STRETCHED_SPACE if even and len(telling) >= _LEAST_EXACT else _SPACE
    rows = code_rows([_piece(line) for line in lines])
    left = min(word.box.left for row in rows for word in row)
    # in fonts whose letters are narrower than the pitch, signs stand apart that no space parts
    apart = {id(word) for line in lines for word in _words_apart(line)} if even else set[int]()
    return tuple(_spaced(row, left, pitch, least, apart) for row in rows)


def _words_apart(line: Line) -> Iterator[Word]:
    """The words of a line that its text has a space before."""
    lengths = [len("".join(word.text.split())) for word in line.words]
    parts = [len(part) for part in line.text.split()]
    if sum(lengths) == sum(parts):
        starts = set(accumulate(parts))
        yield from (word for at, word in zip(accumulate(lengths), line.words[1:]) if at in starts)


def _has_squares(text: str) -> bool:
    """Whether a text has letters of Chinese, Japanese or Korean, which are wider than the pitch."""
    return not text.isascii() and any(east_asian_width(letter) in "WF" for letter in text)


def code_rows(pieces: Sequence[RowPiece]) -> list[list[Word]]:
    """The words of each row from the left; a low piece may stand anywhere in its row."""
    heights = sorted(piece.height for piece in pieces)
    tallest = heights[int(_TALL_SHARE * len(heights))]
    placed: list[tuple[float, list[Word]]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.height < _TALL * tallest, piece.middle)):
        nearest = min(placed, key=lambda row: abs(row[0] - piece.middle), default=None)
        reach = 0.5 if piece.height >= _TALL * tallest else 0.9
        if nearest is not None and abs(nearest[0] - piece.middle) <= reach * tallest:
            nearest[1].extend(piece.words)
        else:
            placed.append((piece.middle, [*piece.words]))
    placed.sort(key=lambda row: row[0])
    return [sorted(row, key=lambda word: word.box.left) for _, row in placed]


class RowPiece(NamedTuple):
    """The words of a line, with the middle and the height that most of them have."""

    middle: float
    height: float
    words: Sequence[Word]


def _piece(line: Line) -> RowPiece:
    # a comment in another font is one word: its spaces are narrower than the pitch
    words = (
        words_of([line])
        if line.style.mono > _PITCHED
        else [Word(line.box, line.text, line.style.font)]
    )
    middle = median(word.box.middle_y for word in words)
    height = median(word.box.height for word in words)
    return RowPiece(middle, height, words)


def _spaced(
    row: Sequence[Word], left: float, pitch: float, least_typed: float, apart: Set[int]
) -> str:
    """The words of a row, spaces before those that stand `apart` in their line even where the gap
    is narrower than others.
    """
    text, end, is_typed = "", left, True
    for word in row:
        gap, was_typed = (word.box.left - end) / pitch, is_typed
        is_typed = _is_typed(word)
        closes = word.text.startswith(_CLOSING) and not text.strip().isdecimal()
        is_even = closes or (is_typed and was_typed)
        least = least_typed if is_even and id(word) not in apart else _SPACE_OF_TEXT
        wide = gap > least if text else gap > 0.5
        text += " " * (max(1, round(gap - _BEARINGS)) if wide else 0) + word.text
        end = word.box.right
    return text


def _is_typed(word: Word) -> bool:
    """Whether a word is in a typewriter font, or one whose name does not tell; a letter that such a
    font lacks is of another, but not of italics, and no figure or sign of ASCII.
    """
    kind = font_kind(word.font)
    letters = _LETTER if kind.italic or kind.math else _LETTERS
    is_plain = word.text.isascii() and not word.text.isalpha()
    if kind.mono or not (is_plain or letters.search(word.text)):
        return True
    return not bare_name(word.font) or is_unnamed(word.font)
