"""Underscores that are drawn as rules: TeX's older fonts have none, so that `size_t` is two words
with a stroke between them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.parsing.accents import Character, HasText, Piece, holds

_SHORTEST, _LONGEST = 0.2, 0.6  # of the height of the letters beside it
_THICKEST = 0.1  # of the same height
_HIGHEST, _LOWEST = 0.65, 1.0  # of the same height, from its top: where the baseline is
_BESIDE = 0.14  # of the same height: the kern before and behind it
ROW = 8.0  # points: the height of a row of the page, in which letters and rules are looked for
_ROOT = "\u221a"  # its bar begins at the foot of what PDFs have as its box
_UNDER = 0.3  # of the rule: what lies under more of a letter is an underline or a fraction's bar
_APART = 0.5  # of a rule: so much at most is between the two of `__`, or do they overlap
_LEVEL = 0.1  # points: how far the heights of the two may differ, and their widths


class _Underscore(NamedTuple):
    """A rule on the baseline, or two side by side, with the letter that it touches before it,
    behind it, or both.
    """

    text: str
    box: Rect
    before: Character | None
    behind: Character | None

    @property
    def owner(self) -> Character:
        """The letter that it is written with."""
        owner = self.before or self.behind
        assert owner is not None
        return owner


def with_underscores(
    pieces: Sequence[Piece], characters: Sequence[Character], rules: Iterable[Rect]
) -> list[Piece]:
    """The words or the parts of lines, with an underscore for each rule that is one; parts that
    one stands between are joined.
    """
    underscores = list(_underscores(rules, characters))
    if not underscores:
        return list(pieces)
    joined: list[Piece] = []
    for piece in pieces:
        written = _written(piece, characters, underscores)
        if joined and _stands_between(joined[-1], written, underscores):
            before = joined.pop()
            text = before.text + written.text
            written = written._replace(box=before.box.union(written.box), text=text)
        joined.append(written)
    return joined


def has_underscores(rules: Iterable[Rect], characters: Sequence[Character]) -> bool:
    """Whether any of the rules is an underscore of these letters."""
    return next(_underscores(rules, characters), None) is not None


def _underscores(rules: Iterable[Rect], characters: Sequence[Character]) -> Iterator[_Underscore]:
    rows: dict[int, list[Character]] = defaultdict(list)
    for character in characters:
        for row in range(row_of(character.box.top), row_of(character.box.bottom) + 1):
            rows[row].append(character)
    # a rule may be drawn twice
    once = {(round(rule.middle_x), round(rule.middle_y)): rule for rule in rules}
    for text, rule in _with_pairs(once.values()):
        level = [
            character
            for character in rows[row_of(rule.middle_y)]
            if character.text != _ROOT and _is_at_foot(character.box, rule)
        ]
        if any(c.box.shared_width(rule) > _UNDER * rule.width for c in level):
            continue
        near = [c for c in level if _is_as_wide(rule.width / len(text), c.box.height)]
        before = [c for c in near if -_UNDER < (rule.left - c.box.right) / c.box.height < _BESIDE]
        behind = [c for c in near if -_UNDER < (c.box.left - rule.right) / c.box.height < _BESIDE]
        if before or behind:
            yield _Underscore(
                text,
                rule,
                max(before, key=lambda c: c.box.right, default=None),
                min(behind, key=lambda c: c.box.left, default=None),
            )


def _with_pairs(rules: Iterable[Rect]) -> Iterator[tuple[str, Rect]]:
    """The rules, two side by side as one; more in a row are a dashed line."""
    row: list[Rect] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.middle_y), rule.left)):
        if row and not _are_side_by_side(row[-1], rule):
            yield from _as_pair(row)
            row = []
        row.append(rule)
    yield from _as_pair(row)


def _as_pair(row: Sequence[Rect]) -> list[tuple[str, Rect]]:
    return [("__", row[0].union(row[1]))] if len(row) == 2 else [("_", rule) for rule in row]


def _are_side_by_side(left: Rect, right: Rect) -> bool:
    return (
        abs(left.middle_y - right.middle_y) <= _LEVEL
        and abs(left.width - right.width) <= _LEVEL
        and abs(right.left - left.right) <= _APART * left.width
    )


def row_of(height: float) -> int:
    """The band of the page at this height, in which letters and rules are looked for."""
    return int(height // ROW)


def _is_at_foot(letter: Rect, rule: Rect) -> bool:
    """Whether a thin rule is at the height of the letter's baseline."""
    height = letter.height
    low = _HIGHEST * height <= rule.middle_y - letter.top <= _LOWEST * height
    return low and rule.height <= _THICKEST * height


def _is_as_wide(width: float, height: float) -> bool:
    """Whether an underscore of this width may stand beside a letter of this height."""
    return _SHORTEST * height <= width <= _LONGEST * height


def _written(
    piece: Piece, characters: Sequence[Character], underscores: Sequence[_Underscore]
) -> Piece:
    """The piece with the underscores behind its letters, and with those that only follow white
    space before them; unchanged if its letters are not known one by one.
    """
    here = [u for u in underscores if holds(piece.box, u.owner.box)]
    if not here:
        return piece
    inside = [c for c in characters if holds(piece.box, c.box) and not c.text.isspace()]
    inside.sort(key=lambda c: c.box.middle_x)
    if not _are_alike("".join(c.text for c in inside), "".join(piece.text.split())):
        return piece
    text, box = piece.text, piece.box
    for underscore in sorted(here, key=lambda u: -u.box.left):
        ahead = sum(len(c.text) for c in inside if c.box.middle_x < underscore.box.middle_x)
        text = _inserted(text, ahead, underscore)
        box = box.union(Rect(underscore.box.left, box.top, underscore.box.right, box.bottom))
    return piece._replace(box=box, text=text)


def _are_alike(drawn: str, read: str) -> bool:
    """Whether two texts differ in no letter, only in what signs are read as: `-` as a dash."""
    if drawn == read:
        return True
    signs = (a + b for a, b in zip(drawn, read) if a != b)
    return len(drawn) == len(read) and not any(map(str.isalnum, "".join(signs)))


def _inserted(text: str, ahead: int, underscore: _Underscore) -> str:
    """The text with an underscore behind so many letters, at the letters that it touches."""
    at = 0
    while ahead:
        ahead -= not text[at].isspace()
        at += 1
    first, rest = text[:at], text[at:]
    if underscore.before is None:
        return f"{first}{' ' * (rest[:1] == ' ')}{underscore.text}{rest.lstrip()}"
    return f"{first}{underscore.text}{rest.lstrip() if underscore.behind else rest}"


def _stands_between(left: HasText, right: HasText, underscores: Sequence[_Underscore]) -> bool:
    """Whether an underscore that touches both stands at the end of one piece."""
    return left.text.endswith("_") and any(
        u.before
        and u.behind
        and holds(left.box, u.before.box)
        and not holds(left.box, u.behind.box)
        and holds(right.box, u.behind.box)
        for u in underscores
    )
