"""Grouping lines into paragraphs by position, line pitch, font and indentation."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from statistics import median_low, multimode

from citeloom_pdf.blocks.entries import WIDEST_GAP
from citeloom_pdf.blocks.own_lines import END_OF_PART, FIGURES, had_room, lines_of_their_own
from citeloom_pdf.elements.direction import is_from_right
from citeloom_pdf.elements.fonts import font_family, font_kind
from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import Line
from citeloom_pdf.elements.patterns import (
    BEFORE_LABEL,
    BULLET,
    CAPTION_THEN_STOP,
    FULL_WIDTH_END,
    HEADING_NUMBER,
    LABEL,
    LIST_MARK,
    REFERENCE_MARK,
    SENTENCE_END,
    is_caption,
    opens_heading,
    tight,
    unnumbered,
)
from citeloom_pdf.elements.text import UNSPACED, is_unspaced
from citeloom_pdf.parsing.columns import are_in_columns, column_ends
from citeloom_pdf.parsing.torn_lines import row_edges

_SAME_SIZE = 0.06  # lines of one caption or one heading differ less in size
_FARTHEST = 2.6  # of the font size: a line below a wider gap is another paragraph's
_FARTHEST_SENTENCE = 2.0  # of the font size, from line to line, where a sentence goes on
_FULL_LINES = 4  # of a page end at one place where lines are full
_UNSPACED = re.compile(UNSPACED)
_RESIZED = 0.16  # of the size: so much less of it letters of Chinese and Japanese may be measured
_LEAST_SEEN = 3  # lines that tell a pitch
_CERTAIN = 8  # lines that leave no doubt of a pitch
# of the font size: so much more space below a sentence parts two paragraphs; of 320 sentences that
# end with a line within a paragraph of manuals that have a twin in HTML, none has it
_SPACED = 0.2
_USUAL_PITCH = 1.25  # of the font size, where the page does not tell
_TALL = 0.3  # of the font size: a formula that reaches farther out of its line moves others away
_INDENT = 0.8  # of the font size: less is not an indentation
_INDENTED = 3.0  # of the font size: the first line of a paragraph is not farther in
_SHOWN = 0.6  # of the font size: an example stands farther below what announces it than lines do
_LONGER = 2.0  # of the width of a label: its text is longer
_DEEP_INDENT = 5.0  # and more is another column's or a centred line
_DIVIDED = re.compile("[^\\W\\d_][-\u2010\u00ad]$")  # a line that ends within a word
_NOTE_NUMBER = re.compile(r"[⁰¹²³⁴-⁹]{1,3}\s")
_NOTE_SIGN = re.compile(r"[†‡]{1,3}\s?\w")
_CLOSING = ('"', "”", ")", "」", "』", "）")  # noqa: RUF001
_END_OF_ENTRY = (*".)", *FULL_WIDTH_END, *FIGURES)


def paragraphs_of(
    lines: Sequence[Line],
    rules: Sequence[Rule],
    titles: Set[str] = frozenset(),
    graphics: Sequence[Rect] = (),
) -> list[list[Line]]:
    """The lines of each paragraph, heading, list item and so on, from top to bottom.

    A line that equals one of `titles` is a paragraph of its own. Text may be set around `graphics`.
    """
    ordered = sorted(lines, key=lambda line: (line.box.top, line.box.left))
    if not is_from_right("".join(line.text for line in ordered)):
        return _parts(_chains(ordered, rules, titles), graphics)
    # such text begins and ends where another one ends and begins
    turned = [replace(line, box=line.box.mirrored(), words=line.words[::-1]) for line in ordered]
    seen = {id(facing): line for line, facing in zip(ordered, turned)}
    chains = _chains(turned, [Rule(rule.at, -rule.end, -rule.start) for rule in rules], titles)
    parts = _parts(chains, [graphic.mirrored() for graphic in graphics])
    return [[seen[id(line)] for line in part] for part in parts]


def _parts(chains: Sequence[Sequence[Line]], graphics: Sequence[Rect]) -> list[list[Line]]:
    owns = lines_of_their_own(chains, graphics)
    return [part for chain, own in zip(chains, owns) for part in _split(chain, own)]


def _chains(lines: Sequence[Line], rules: Sequence[Rule], titles: Set[str]) -> list[list[Line]]:
    following = _following(lines, rules, titles)
    preceded = set(following.values())
    return [
        [lines[member] for member in _chain(first, following)]
        for first in range(len(lines))
        if first not in preceded
    ]


def _following(lines: Sequence[Line], rules: Sequence[Rule], titles: Set[str]) -> dict[int, int]:
    """For each line that goes on in another below, the index of that line."""
    alone = {index for index, line in enumerate(lines) if _stands_alone(line, titles)}
    below = [_line_below(lines, index) for index in range(len(lines))]
    seen: dict[int, list[float]] = defaultdict(list)
    for index, other in enumerate(below):
        if other is None or len(lines[index].text) <= 20:
            continue
        upper, lower = lines[index], lines[other]
        if abs(upper.size - lower.size) < 0.8 and not (_is_tall(upper) or _is_tall(lower)):
            pitch = round((lower.box.bottom - upper.box.bottom) * 2) / 2
            seen[round(upper.size)].append(pitch)
    pitches = _Pitches(
        {size: (median_low(multimode(pitches)), len(pitches)) for size, pitches in seen.items()}
    )
    ends = Counter(round(line.box.right) for line in lines)
    ends_of_columns = column_ends(lines)
    following: dict[int, int] = {}
    preceded: set[int] = set()
    entries: dict[int, tuple[Rect, Rect] | None] = {}  # label and text that a line goes on with
    for index, other in enumerate(below):
        if other is None or other in preceded or index in alone or other in alone:
            continue
        upper, lower = lines[index], lines[other]
        if index not in entries:
            entries[index] = _label_and_text(lines, index, ends_of_columns)
        entry = entries[index]
        goes_on = _divides_word(upper, lower) or (
            (_near_enough(upper, lower, pitches) or _goes_on_over_gap(upper, lower, ends))
            and _looks_alike(upper, lower)
            and not _parted_by_label(lines, index, other, ends_of_columns)
            and not _leaves_text(entry, upper, lower)
            and not _ends_above_gap(upper, lower, pitches)
        )
        if goes_on and not _parted_by_rule(upper, lower, rules):
            entries[other] = (entry[0], entry[1].union(lower.box)) if entry else None
            following[index] = other
            preceded.add(other)
    return following


def _stands_alone(line: Line, titles: Set[str]) -> bool:
    if opens_heading(line.text) or _is_labelled(line):
        return True
    texts = (tight(line.text), tight(unnumbered(line.text)))
    return not line.text[:1].islower() and not titles.isdisjoint(texts)


def _is_labelled(line: Line) -> bool:
    """Whether it is a whole declaration, its label far behind it."""
    is_whole = line.style.mono > 0 and line.text.count("(") == line.text.count(")")
    label = LABEL.search(line.text) if is_whole else None
    at = len(line.words) - len(label[0].split()) if label else 0
    gap = line.words[at].box.left - line.words[at - 1].box.right if at > 0 else 0.0
    return gap > BEFORE_LABEL * line.size


def _chain(first: int, following: Mapping[int, int]) -> list[int]:
    chain = [first]
    while chain[-1] in following:
        chain.append(following[chain[-1]])
    return chain


def _line_below(lines: Sequence[Line], index: int) -> int | None:
    """The nearest line below that shares a good part of the width; lines go from top to bottom."""
    upper = lines[index]
    best: int | None = None
    for other in range(index + 1, len(lines)):
        lower = lines[other]
        gap = lower.box.top - upper.box.bottom
        if gap > 3 * upper.size:
            break
        if gap > _FARTHEST * upper.size or lower.box.top <= upper.box.top + 0.35 * upper.size:
            continue
        shared = upper.box.shared_width(lower.box)
        below = shared > 0.3 * min(upper.box.width, lower.box.width)
        if best is None and not below and _is_text_of(upper, lower):
            break
        if not (below or _is_left_of_indent(upper, lower)):
            continue
        if best is None or _is_nearer(upper, lower, lines[best]):
            best = other
    return best


def _is_text_of(term: Line, text: Line) -> bool:
    """Whether a line stands below a short one and indented beyond it, as the text of a term does:
    the next term does not go on with this one.
    """
    indent = text.box.left - term.box.left
    is_below = text.box.top > term.box.bottom - 0.2 * term.size
    alike = abs(text.size - term.size) <= _SAME_SIZE * term.size
    longer = text.box.width > _LONGER * term.box.width
    return is_below and alike and longer and 0 < indent <= _DEEP_INDENT * term.size


def _is_left_of_indent(upper: Line, lower: Line) -> bool:
    """Whether a short last line begins before the place where the first one is indented, which does
    not end like an entry of an index.
    """
    indent = upper.box.left - lower.box.left
    if upper.text.endswith(END_OF_PART):
        return False
    return 0 < indent <= _INDENTED * upper.size


def _is_nearer(upper: Line, lower: Line, best: Line) -> bool:
    """Whether `lower` is in the row of `best`, but shares more width with `upper`."""
    beside = abs(lower.box.top - best.box.top) <= 0.4 * lower.size
    return beside and upper.box.shared_width(lower.box) > upper.box.shared_width(best.box)


def _is_tall(line: Line) -> bool:
    """Whether a formula in the line reaches above or below it."""
    top, bottom = row_edges(line)
    return max(top - line.box.top, line.box.bottom - bottom) > _TALL * line.size


class _Pitches(dict[int, "tuple[float, int]"]):
    """For each rounded font size the usual line pitch and how often it was seen."""

    def of(self, size: float) -> tuple[float, int]:
        """The same for a font size; for one hardly seen, of the next size that is: letters of two
        scripts in one line are of two sizes.
        """
        near = (self.get(round(size) + step, (0.0, 0)) for step in (0, 1, -1))
        return next((seen for seen in near if seen[1] >= _LEAST_SEEN), (0.0, 0))


def _near_enough(upper: Line, lower: Line, pitches: _Pitches) -> bool:
    size = min(upper.size, lower.size)
    largest = max(upper.size, lower.size)
    are_unspaced = all(_UNSPACED.search(line.text) for line in (upper, lower))
    if largest - size > max(0.9, (_RESIZED if are_unspaced else 0.13) * largest):
        return False
    usual, seen = pitches.of(upper.size)
    expected = usual or _USUAL_PITCH * upper.size
    expected = min(max(expected, size), _FARTHEST * size)
    (_, above), (top, below) = row_edges(upper), row_edges(lower)
    pitch = below - above
    if are_unspaced:  # a word in Latin letters reaches below its line
        pitch = min(pitch, lower.box.top - upper.box.top)
    certain = pitch > 1.35 * size or seen >= _CERTAIN
    if pitch <= 1.2 * expected + 0.8 or not certain:
        return True
    # a formula moves its line away from the others by what it is higher
    return pitch - (upper.box.bottom - above) - (top - lower.box.top) <= expected + 0.8


def _ends_above_gap(upper: Line, lower: Line, pitches: _Pitches) -> bool:
    """Whether a sentence ends above more space than there is between the lines of the page."""
    usual, seen = pitches.of(upper.size)
    if seen < _CERTAIN or not upper.text.endswith(SENTENCE_END):
        return False
    if lower.text[:1].islower() and upper.text.endswith(_CLOSING):
        return False  # quoted words and those in brackets end within a sentence, too
    pitch = row_edges(lower)[1] - row_edges(upper)[1]
    return pitch > usual + _SPACED * upper.size and not (_is_tall(upper) or _is_tall(lower))


def _goes_on_over_gap(upper: Line, lower: Line, ends: Mapping[int, int]) -> bool:
    """Whether a full line goes on within its sentence in a line somewhat farther down, or in one
    whose size was measured differently.
    """
    if not (lower.text[:1].islower() and upper.style.font == lower.style.font):
        return False
    at, size = round(upper.box.right), max(upper.size, lower.size)
    full = sum(ends[place] for place in range(at - 1, at + 2)) >= _FULL_LINES
    near = lower.box.bottom - upper.box.bottom <= _FARTHEST_SENTENCE * size
    with_code = max(upper.style.mono, lower.style.mono) > 0  # in smaller letters
    alike = with_code or _are_alike(upper, lower)
    return full and near and alike and not upper.text.endswith(END_OF_PART)


def _divides_word(upper: Line, lower: Line) -> bool:
    """Whether a line of prose ends within a word, which goes on in the next one, whatever its font,
    unless with a capital, and however high a sign in it reaches: where that is a long name in
    smaller letters of code, the next line is measured smaller, but is as high.
    """
    first = lower.text[:1]
    if not (_DIVIDED.search(upper.text) and (first.islower() or first.isupper())):
        return False
    if first.isupper() and not _looks_alike(upper, lower):
        return False
    near = lower.box.top - upper.box.top <= _FARTHEST_SENTENCE * upper.size
    return near and _are_alike(upper, lower) and not _ends_early(upper, lower)


def _are_alike(upper: Line, lower: Line) -> bool:
    """Whether lines are of one size, or they or words of theirs as high as each other: where boxes
    are those of the ink, as in fonts of bitmaps, a line without descenders is measured smaller.
    """
    heights = [word.box.height for word in upper.words]
    pairs = chain(
        ((upper.size, lower.size), (upper.box.height, lower.box.height)),
        ((height, word.box.height) for height in heights for word in lower.words),
    )
    return any(abs(first - second) <= _SAME_SIZE * first for first, second in pairs)


def _looks_alike(upper: Line, lower: Line) -> bool:
    # a mention of code may fill a line of prose
    if (upper.style.mono > 0.7) != (lower.style.mono > 0.7) and (
        _ends_early(upper, lower) or _is_shown_apart(upper, lower)
    ):
        return False
    heavy = min(upper.style.bold, lower.style.bold) > 0.97
    resized = abs(upper.size - lower.size) > _SAME_SIZE * upper.size
    # two headings one below the other: a line that goes on is full, and of one size
    if heavy and resized and (HEADING_NUMBER.match(lower.text) or _ends_early(upper, lower)):
        return False
    return _same_weight(upper, lower) and _same_slant(upper, lower) and _same_family(upper, lower)


def _is_shown_apart(upper: Line, lower: Line) -> bool:
    """Whether a line of code stands as an example below words that announce it or far in, above
    or below prose.
    """
    prose, code = (upper, lower) if lower.style.mono > 0.7 else (lower, upper)
    apart = lower.box.top - upper.box.bottom > _SHOWN * lower.size
    if code is lower and apart and prose.text.endswith(":"):
        return True
    listed = LIST_MARK.match(upper.text) is not None
    farthest = _DEEP_INDENT if listed or code is upper else _INDENTED
    return code.box.left - prose.box.left > farthest * prose.size


def _same_weight(upper: Line, lower: Line) -> bool:
    heavy, light = upper.style.bold, lower.style.bold
    if heavy > 0.5 and _turns_light(upper, lower):
        return False
    if (heavy > 0.97) == (light > 0.97) or (heavy > 0.3 and light > 0.3):
        return True
    # a full bold line that goes on: its last words are bold still
    runs_on = upper.box.width > 0.93 * max(upper.box.width, lower.box.width)
    return (
        heavy > 0.97
        and runs_on
        and not upper.text.endswith((".", ":"))
        and len(upper.text) > 25
        and light > 0.1
    )


def _turns_light(upper: Line, lower: Line) -> bool:
    """Whether a line ends in bold where the first word of the next, not bold, had room in it."""
    if not (upper.words and lower.words):
        return False
    last, first = font_kind(upper.words[-1].font), font_kind(lower.words[0].font)
    return last.bold and not first.bold and had_room(upper, lower, lower.box.right)


def _ends_early(upper: Line, lower: Line) -> bool:
    return upper.box.right < lower.box.right - 1.5 * min(upper.size, lower.size)


def _same_slant(upper: Line, lower: Line) -> bool:
    if (upper.style.italic > 0.9) == (lower.style.italic > 0.9):
        return True
    short = _ends_early(upper, lower) or upper.box.width < 0.7 * lower.box.width
    indent = upper.box.left > lower.box.left - 2 * min(upper.size, lower.size)
    return not (upper.style.font != lower.style.font and short and len(upper.text) < 90 and indent)


def _same_family(upper: Line, lower: Line) -> bool:
    if upper.style.font == lower.style.font:
        return True
    return not (
        _in_one_font(upper)
        and _in_one_font(lower)
        and font_family(upper.style.font) != font_family(lower.style.font)
        and _ends_early(upper, lower)
        and len(upper.text) < 90
    )


def _in_one_font(line: Line) -> bool:
    return len({word.font for word in line.words}) <= 1


def _parted_by_rule(upper: Line, lower: Line, rules: Sequence[Rule]) -> bool:
    left, right = max(upper.box.left, lower.box.left), min(upper.box.right, lower.box.right)
    narrow = min(upper.box.width, lower.box.width)
    return any(
        upper.box.bottom - 1.5 <= rule.at <= lower.box.top + 2
        and rule.shared(left, right) > 0.5 * narrow
        for rule in rules
    )


def _parted_by_label(lines: Sequence[Line], upper: int, lower: int, ends: Sequence[Rule]) -> bool:
    """Whether the row of either goes on beside it with what is read between the two: a label that
    stands before the lower one, below the upper one, or the text of an upper one that is a label,
    above another label.
    """
    above, below = lines[upper], lines[lower]
    if below.box.left - above.box.left > _INDENT * below.size:
        label = _beside(lines, lower, ends, right=False)
        if label is not None and above.box.left - label.box.left <= _INDENTED * below.size:
            return True
    text = _beside(lines, upper, ends, right=True)
    return (
        text is not None
        and text.box.width > _LONGER * above.box.width
        and text.box.left > below.box.right
        and _beside(lines, lower, ends, right=True) is None
    )


def _label_and_text(
    lines: Sequence[Line], index: int, ends: Sequence[Rule]
) -> tuple[Rect, Rect] | None:
    """The boxes of a label and of the line that begins the text beside it, which is far longer."""
    label, box = _beside(lines, index, ends, right=False), lines[index].box
    return (label.box, box) if label and _LONGER * label.box.width < box.width else None


def _leaves_text(entry: tuple[Rect, Rect] | None, upper: Line, lower: Line) -> bool:
    """Whether a line stands below the label of a text, which ended before it."""
    if entry is None or lower.box.left >= entry[0].right:
        return False
    return had_room(upper, lower, entry[1].right)


def _beside(lines: Sequence[Line], index: int, ends: Sequence[Rule], *, right: bool) -> Line | None:
    """The nearest part of a line's row on one side, unless a column of prose ends between them;
    lines go from top to bottom.
    """
    line, nearest, least = lines[index], None, WIDEST_GAP * lines[index].size
    for step in (-1, 1):
        other = index + step
        while 0 <= other < len(lines) and abs(lines[other].box.top - line.box.top) < line.size:
            box = lines[other].box
            gap = box.left - line.box.right if right else line.box.left - box.right
            if 0 <= gap < least and line.box.is_level(box):
                nearest, least = lines[other], gap
            other += step
    if nearest is None:
        return None
    sides = (line.box, nearest.box) if right else (nearest.box, line.box)
    return None if are_in_columns(*sides, ends) else nearest


def _split(chain: Sequence[Line], own: Set[int]) -> list[list[Line]]:
    """A chain of similar lines split where indents, marks or short lines begin a paragraph, and
    before those of their `own`.
    """
    left = min(line.box.left for line in chain)
    right = max(line.box.right for line in chain)
    middle = chain[0].box.middle_x
    centred = (
        len(chain) > 1
        and not LIST_MARK.match(chain[0].text)
        and all(abs(line.box.middle_x - middle) < 4 for line in chain)
        and max(line.box.left for line in chain) - left > 6
    )
    parts = [[chain[0]]]
    for index in range(1, len(chain)):
        line = chain[index]
        is_code = line.style.mono > 0.7 and not _opens_item(line)
        keeps = centred or (is_code and not (index in own and _ends_prose(chain[index - 1])))
        begins = not keeps and (
            index in own or _begins_paragraph(chain, index, parts[-1], (left, right))
        )
        if begins or _leaves_caption(parts[-1][0], line):
            parts.append([line])
        else:
            parts[-1].append(line)
    return parts


def _ends_prose(line: Line) -> bool:
    return line.style.mono <= 0.7 and line.text.endswith(END_OF_PART)


def _opens_item(line: Line) -> bool:
    """Whether a line opens an item of a list, with a bullet that is no sign of code."""
    return BULLET.match(line.text) is not None and not line.text.startswith("*")


def _leaves_caption(first: Line, line: Line) -> bool:
    """Whether a line below a caption is larger than it, as that of the text is."""
    return is_caption(first.text) and line.size > (1 + _SAME_SIZE) * first.size


def _begins_paragraph(
    chain: Sequence[Line], index: int, current: Sequence[Line], margins: tuple[float, float]
) -> bool:
    left, right = margins
    before, line = chain[index - 1], chain[index]
    if _begins_entry(before, line, current, right) or (
        is_caption(line.text) and CAPTION_THEN_STOP.match(line.text)
    ):
        return True
    opening = current[0].text
    is_marked = LIST_MARK.match(opening) or REFERENCE_MARK.match(opening)
    if _is_indented(before, line, left) and not is_marked:
        after = chain[index + 1] if index + 1 < len(chain) else None
        if after is None:
            return before.text.endswith(SENTENCE_END)
        return after.box.left - left < 0.6 * line.size and before.text.endswith(END_OF_PART)
    first = current[0].box.left
    indent = _INDENT * line.size
    if (
        len(current) > 1
        and before.box.left - line.box.left > indent
        and first - line.box.left < 1.2
        and before.box.left - first > indent
        and (before.text.endswith(_END_OF_ENTRY) or had_room(before, line, right))
    ):
        return True
    if before.box.left - line.box.left > indent and had_room(before, line, right):
        return before.text.endswith(SENTENCE_END)
    return len(current) >= 2 and _ends_short(before, left, right) and _may_begin(line.text)


def _may_begin(text: str) -> bool:
    """Whether a sentence may begin so: with a capital, or in a script that has none."""
    return text[:1].isupper() or is_unspaced(text[:1], text[:1])


def _ends_short(line: Line, left: float, right: float) -> bool:
    """Whether a sentence ends well before the right margin."""
    short = line.box.right < right - 0.22 * (right - left)
    return short and line.text.endswith((*".!?:", *FULL_WIDTH_END))


def _begins_entry(before: Line, line: Line, current: Sequence[Line], right: float) -> bool:
    """Whether a line opens a note, a reference or a list item. A sentence may go on with a
    reference in brackets.
    """
    if _NOTE_NUMBER.match(line.text):
        return True
    if _NOTE_SIGN.match(line.text) and before.text.endswith(SENTENCE_END):
        return True
    if REFERENCE_MARK.match(line.text) and (
        REFERENCE_MARK.match(current[0].text) or _ends_part(before, right)
    ):
        return True
    bullet = BULLET.match(line.text)
    numbered = (
        LIST_MARK.match(line.text)
        and before.box.right < right + 3
        and (line.box.left <= current[0].box.left + 2 * line.size or _ends_clause(before))
    )
    if not (bullet or numbered):
        return False
    in_list = bool(LIST_MARK.match(current[0].text)) or bullet is not None
    return in_list or _ends_clause(before)


def _ends_clause(line: Line) -> bool:
    # Arabic semicolon and full stop
    return line.text.endswith((".", ":", ";", "\u061b", "\u06d4", *FULL_WIDTH_END))


def _ends_part(line: Line, right: float) -> bool:
    """Whether a line ends before the margin, or with a sentence."""
    return line.box.right < right - line.size or line.text.endswith(SENTENCE_END)


def _is_indented(before: Line, line: Line, left: float) -> bool:
    indent = line.box.left - left
    return (
        _INDENT * line.size < indent < _DEEP_INDENT * line.size
        and before.box.left - left < 0.6 * line.size
    )
