"""Text of two directions: from the order it is seen in to the order it is read in.

The Unicode bidirectional algorithm says where each character of a line is drawn. A page has these
places alone, and what is drawn alike may have been written in more than one way; where it may, the
usual one is taken: `SPSS 25` rather than `25 SPSS`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

# The kinds of characters, one letter for each, so that expressions find runs of them.

_KINDS = {
    "R": "R",
    "AL": "R",
    "L": "L",
    "EN": "N",
    "AN": "A",
    "ET": "%",
    "WS": " ",
    "S": " ",
    "B": " ",
}
_ARABIC = re.compile("[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufefc]")
_FROM_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_ALONE = re.compile("(?<!R)R(?!R)")
_FOREIGN = 3  # times as many letters from the left begin and end a line that is theirs
_ADDRESS = re.compile(r"(?:https?://|www\.)[!-~]+|[!-~]+@[!-~]+")  # says nothing of its line


def has_from_right(text: str) -> bool:
    """Whether a text has a letter that is read from the right, or a digit of such a script."""
    return not text.isascii() and _FROM_RIGHT.search(text) is not None


def is_from_right(text: str) -> bool:
    """Whether most of its letters are read from the right."""
    return 2 * len(_FROM_RIGHT.findall(text)) > sum(map(str.isalpha, text))


def is_arabic(text: str) -> bool:
    """Whether more of its letters from the right are Arabic than of another script."""
    letters = _FROM_RIGHT.findall(text)
    return 2 * sum(_ARABIC.match(letter) is not None for letter in letters) > len(letters)


@lru_cache(maxsize=4096)
def _kind(text: str) -> str:
    """The kind of a character, or of a word by its first letter or else its first digit."""
    digit = other = ""
    for letter in text:
        kind = _KINDS.get(unicodedata.bidirectional(letter), "")
        if kind in ("R", "L"):
            return kind
        if kind in ("N", "A"):
            digit = digit or kind
        else:
            other = other or kind or letter
    # letters stand for kinds, none for itself
    return digit or (other if other and not other.isalnum() else ".")


def are_of_two_directions(first: str, second: str) -> bool:
    """Whether one is a letter from the right, the other one from the left, a digit or a sign of
    numbers.
    """
    kinds = {_kind(first), _kind(second)}
    return "R" in kinds and not kinds.isdisjoint("LN%")


def weight(text: str) -> int:
    """The letters read from the right, less those read from the left.

    One alone decides nothing: a ligature under a wrong code may look like it.
    """
    if not has_from_right(text):
        return -sum(map(str.isalpha, text))
    kinds = _ALONE.sub(".", "".join(map(_kind, _unmarked(text))))
    return kinds.count("R") - kinds.count("L")


def _unmarked(text: str) -> Iterable[str]:
    return (letter for letter in text if not unicodedata.category(letter).startswith(("M", "Cf")))


def is_read_from_right(text: str, *, page: bool) -> bool:
    """Whether a line as it is seen, from left to right, is read from the right on such a page."""
    strong = [
        kind for kind in map(_kind, _ADDRESS.sub("", text) if page else text) if kind in ("R", "L")
    ]
    if not strong:
        return page
    inner = strong[0] == "L" == strong[-1]
    if page:
        left, right = strong.count("L"), strong.count("R")
        return not (right and inner and left > _FOREIGN * right)
    return weight(text) > 0 and strong[0] == "R"


# Runs against the direction of a line.

CELL_GAP = "\n"  # stands for a space as wide as between cells, over which no run goes on
_SEPARATED = r"(?:[-._/:=+&#@~\u2016\u2225]|[,.;:)\]\"']{0,2} {1,2}(?:[-=<>~(\[\u2013] ?){0,2})"
_HEBREW_NUMBER = r"%*N+(?:[-+.,:/\u00a0]N+)*%*"
# behind an Arabic letter numbers are parted at signs; with none before it a number is not
_FIRST_NUMBER = r"N+(?:[-+.,:/\u00a0A]N+)*%*(?=[^RL]*\Z)"  # A: a decimal sign
_PARTED_NUMBER = r"[NA]+(?:[.,:/\u060c\u00a0][NA]+)*"
_ARABIC_NUMBER = rf"(?:{_FIRST_NUMBER}|{_PARTED_NUMBER})"
# of sections, equations and the like, each with the number of its chapter
_NUMBER_OF_PART = re.compile(
    r"(?<![\d.,/])(\d{1,2})(?:[-\u2010\u2013\u2212]\d{1,2})*[-\u2010\u2013\u2212](\d{1,2})(?![\d,/])"
)
# `.۲` between words from the left: the number of an entry of a list, set from the right
_NUMBER_OF_ENTRY = re.compile("( \\.)[\u0660-\u0669\u06f0-\u06f9]{1,2}( |\\Z)")
_PAIRS = {
    "(": ")",
    "[": "]",
    "{": "}",
    "\u00ab": "\u00bb",
    "\u2039": "\u203a",
    "<": ">",
    "\u2264": "\u2265",
}
_MIRRORED = {**_PAIRS, **{right: left for left, right in _PAIRS.items()}}
_BRACKETS = {left: right for left, right in _PAIRS.items() if left not in "<\u2264"}
_BARS = frozenset("|\u2016\u2223\u2225")  # open and close alike
_CLOSING = {right: left for left, right in _BRACKETS.items()}
# `25 kg` is drawn as `SPSS 25` is: a number is read before its unit
_UNIT = re.compile(
    r"(?:[nµμmcdk]?m|[nµμmk]?g|[mcd]?[lL]|[kMGT]?Hz|[mkMG]?W|[kMG]?Wh|[mk]V|mA|[hkM]?Pa|m?bar|[kM]J"
    r"|k?cal|[kM]?eV|dBm?|[nµμm]s|min|[kKMGTP]B|[KMGT]iB|[kMG]?bit|[kMG]?bps|px|pt|dpi|ppm|rpm"
    r"|m?mol|km/h|m/s)[²³]?"
)
_MEASURE = re.compile(rf"({_UNIT.pattern}) (\d[\d.,]*)")
_ENDED = re.compile(rf"[.,;:!?](?:{_ADDRESS.pattern}|(?!NET\b)[A-Z][\w ]*)")
# between such words and an opening bracket, behind which nothing begins so: `(Holgate et al.,`
_STOPS_AT_BRACKET = re.compile(r"(?:[.,;:]{1,2}| ?&)(?=[()\[\]])")
# the end of words that go on in the next line
_BROKEN = re.compile(r"(?: [^ ]+[.?!]|[^ .?!][.?!]?[,;])\Z")
_PERCENT = frozenset("%\u2030\u066a")
_OF_ADDRESS = frozenset("/.-_?&=#~:")
_STOPS = frozenset(".,;:!?)\u060c\u061b\u061f")
_OPENINGS = frozenset("\\@")
_SIGNS = frozenset("+-\u2212\u00b1")
_DASHES = frozenset("-\u2010\u2013\u2212")
# between two sides in words from the left, of which a line may end or begin behind one
_RELATIONS = frozenset("<>=\u2264\u2265\u2248\u00b1\u00d7")
_BESIDE_RELATION = frozenset(("", " ", *"()[]"))
# that begins a line from the right, whose bracket closes it there: `(x) (3` for `3) (x)`
_NUMBER_OF_ITEM = re.compile(r" \(\d{1,2}$")
# `10.1234/name`: a number before a stroke, not behind one
_DOI = re.compile(r"/10\.\d{4,9}$")


def _run_from_left(number: str) -> re.Pattern[str]:
    """A number, or words from the left with what stands between them and a number behind them;
    with the signs of `C++` or a number in brackets, where they are set from the left too.
    """
    return re.compile(
        rf"(?:{number})?L(?:[^RA]*L)?(?:\++(?= |\Z)|\[N[-.,N]*\]|\(N[-.,N]*\))?"
        rf"(?:{_SEPARATED}?(?!A){number})?|{number}"
    )


_RUNS = {False: _run_from_left(_HEBREW_NUMBER), True: _run_from_left(_ARABIC_NUMBER)}
_RUN_PARTED = _run_from_left(_PARTED_NUMBER)
_RUN_FROM_RIGHT = re.compile("R(?:[^L]*R)?")


class Read(NamedTuple):
    """A piece of a line: its place among those seen from left to right, and whether it stands
    in text from the right, where brackets are drawn mirrored.
    """

    place: int
    mirrored: bool


def are_numbers_from_right(lines: Iterable[str]) -> bool:
    """Whether numbers such as `4-5-1` are set from the right in lines as they are seen: those of
    the parts of a chapter are, if more of them have the same one at their right than at their left.
    """
    seen = {number.group(0, 1, 2) for line in lines for number in _NUMBER_OF_PART.finditer(line)}
    at_left, at_right = (
        max(Counter(number[side] for number in seen).values(), default=0) for side in (1, 2)
    )
    return at_right > max(at_left, 1)


def reading_order(
    pieces: Sequence[str],
    *,
    from_right: bool,
    arabic: bool,
    page: bool = True,
    numbers: bool = False,
) -> list[Read]:
    """The pieces of a line, characters or words seen from left to right, in the order of reading;
    the parts of numbers with dashes from the right, too, if `numbers` are set so.

    A letter from the right without another beside it, as in a ligature it has, counts as one from
    the left unless the line or the `page` is read from the right.
    """
    kinds = "".join(map(_kind, pieces))
    from_left = _RUN_PARTED if numbers else _RUNS[arabic]
    if not page and not from_right:
        kinds = _ALONE.sub(lambda at: "L" if len(pieces[at.start()]) == 1 else at[0], kinds)
    if from_right:
        return _from_right(pieces, kinds, 0, len(kinds), from_left, ranges=not numbers)
    read: list[Read] = []
    at = 0
    for run in _RUN_FROM_RIGHT.finditer(kinds):
        if run.start() < at:
            continue
        start, end = _with_brackets(pieces, run.start(), run.end(), at)
        read += (Read(place, mirrored=False) for place in range(at, start))
        read += _from_right(pieces, kinds, start, end, from_left, ranges=not numbers)
        at = end
    return read + [Read(place, mirrored=False) for place in range(at, len(kinds))]


def _from_right(
    pieces: Sequence[str],
    kinds: str,
    first: int,
    last: int,
    from_left: re.Pattern[str],
    *,
    ranges: bool,
) -> list[Read]:
    """The pieces between two places as they are read from the right, runs `from_left` as such, and
    so `ranges` of numbers.
    """
    runs: list[tuple[int, int]] = []
    at = first
    while run := from_left.search(kinds, at, last):
        start, end = run.span()
        if end == last and (number := _NUMBER_OF_ITEM.search("".join(pieces[start:end]))):
            end -= len(number[0])
        if doi := _DOI.search("".join(pieces[start:end])):
            end -= len(doi[0])
        end = _end_of_run(pieces, kinds, start, end, first, last)
        if end == last:
            start = _start_at_relation(pieces, kinds, start, at)
        if ranges and "".join(pieces[start:end]).isdecimal():
            end = _end_of_range(pieces, kinds, start, end, last)
        if start > at and _is_signed(pieces, kinds, start, end, first, last):
            start -= 1
        start, end = _with_openings(pieces, kinds, start, end, at, last)
        start, end = _with_brackets(pieces, start, end, at)
        end = min(end, last)
        spaces = (
            _spaces_of_cells(pieces, start, end)
            or _around_entries(pieces, kinds, start, end)
            or _space_of_unit(pieces, kinds, start, end)
        )
        for before, behind in spaces:
            runs.append((start, before))
            start = behind
        runs.append((start, end))
        at = end
    read: list[Read] = []
    at = last
    for start, end in reversed(runs):
        read += (Read(place, mirrored=True) for place in range(at - 1, end - 1, -1))
        read += (Read(place, mirrored=False) for place in range(start, end))
        at = start
    return read + [Read(place, mirrored=True) for place in range(at - 1, first - 1, -1)]


def _end_of_run(  # noqa: PLR0911 - one return a kind of sign
    pieces: Sequence[str], kinds: str, start: int, end: int, first: int, last: int
) -> int:
    """The end of a run with the sign that is set with it: the percent sign of a number, a stop
    between it and the raised number of a note, which is no letter of the line, that of an address
    which is set from the left with it, and at the end of a line that of one, of words, of a parted
    word or of one side of a relation, which go on in the next one, in brackets or not.
    """
    if start == first and kinds[end - 1] == "L":
        if broken := _STOPS_AT_BRACKET.match("".join(pieces[end : end + 3])):
            return end + len(broken[0])
        if "".join(pieces[end : end + 3]) == "://":
            return end + 3
        if pieces[end:] and pieces[end] in _DASHES and kinds[end + 1 : end + 2] in ("", " "):
            return end + 1
        if beyond := _length_of_relation(pieces, end):
            return end + beyond
        space = "".join(pieces[end : end + 3]).find(" ")
        if space > 0 and _BROKEN.search("".join(pieces[start : end + space])):
            return end + space
    if "".join(pieces[end : end + 2]) == ". ":
        return end + (
            kinds[end - 1] in "NA" or _ADDRESS.search("".join(pieces[start:end])) is not None
        )
    if end < last and pieces[end] in _PERCENT and kinds[end - 1] in "NA":
        return end if kinds[end + 1 : end + 2] in ("N", "A") else end + 1
    if start == first and "://" in "".join(pieces[start:end]):
        while end < last and pieces[end] in _OF_ADDRESS:
            end += 1
    return end


def _length_of_relation(pieces: Sequence[str], at: int) -> int:
    """How many pieces behind words that go on in the next line are set with them: a relation whose
    other side is there, or the space that this line ends with.
    """
    space, sign, behind = [*pieces[at : at + 3], "", "", ""][:3]
    if space != " " or not sign:
        return 0
    if sign in _RELATIONS:
        return 2 if behind in _BESIDE_RELATION else 0
    return int(_is_opened(pieces, at + 1))


def _is_opened(pieces: Sequence[str], at: int) -> bool:
    """Whether a piece opens a bracket that is closed in the next line."""
    other = _BRACKETS.get(pieces[at])
    behind = Counter(pieces[at + 1 :])
    return other is not None and behind[other] == behind[pieces[at]]


def _start_at_relation(pieces: Sequence[str], kinds: str, start: int, first: int) -> int:
    """The start of a number that begins a line, with the relation before it where that goes on from
    the line before: `< 0.05)` of `(p < 0.05)`.
    """
    if start - 3 < first or kinds[start] not in "NA" or pieces[start - 1] != " ":
        return start
    is_broken = pieces[start - 2] in _RELATIONS and pieces[start - 3] in _STOPS | {"("}
    return start - 2 if is_broken else start


def _end_of_range(pieces: Sequence[str], kinds: str, start: int, end: int, last: int) -> int:
    """The end of a range of numbers that goes up from left to right, as one set so does; any other
    is read from the right, where it goes up, too.
    """
    if end >= last or pieces[end] not in _DASHES or (start and pieces[start - 1] in _DASHES):
        return end
    after = end + 1
    while after < last and kinds[after] in "NA":
        after += 1
    number, other = "".join(pieces[start:end]), "".join(pieces[end + 1 : after])
    alone = after >= last or (kinds[after] not in ".,:/" and pieces[after] not in _DASHES)
    is_plain = other.isdecimal() and int(number[0]) and int(other[0])  # `0142` begins no range
    goes_up = is_plain and int(number) < int(other)
    return after if alone and goes_up else end


def _with_openings(
    pieces: Sequence[str], kinds: str, start: int, end: int, first: int, last: int
) -> tuple[int, int]:
    """The bounds of a run with the backslash or other sign on its left that begins its first word,
    where it is set from the left with it: no word ends with such. A star or backslash on the right
    of a command is its own, too.
    """
    opening = start
    while opening > first and kinds[start] == "L" and pieces[opening - 1] in _OPENINGS:
        opening -= 1
    if opening == start or (opening > first and kinds[opening - 1] in ("R", "N", "A")):
        return start, end
    if pieces[opening] == "\\" and end < last and pieces[end] in ("\\", "*"):
        end += 1
    return opening, end


def _is_signed(
    pieces: Sequence[str], kinds: str, start: int, end: int, first: int, last: int
) -> bool:
    """Whether a number has its sign on its left, as where it is set from the left. At an end of a
    line a dash beside a whole number counts the line (`1- First`) or goes on in the next one.
    """
    number = "".join(pieces[start:end])
    if pieces[start - 1] not in _SIGNS or kinds[start] not in "NA" or _DASHES & {*number}:
        return False
    before = start - 2
    while before >= first and pieces[before] in _STOPS:
        before -= 1
    if before >= first and kinds[before] not in " ([":
        return False
    if end < last and (kinds[end] == "R" or pieces[end] in _DASHES):
        return False
    at_left, at_right = start - 1 == first, end == last
    return at_left == at_right or not number.isdecimal()


def _spaces_of_cells(pieces: Sequence[str], start: int, end: int) -> list[tuple[int, int]]:
    """The bounds of the spaces in a run that are as wide as between cells."""
    return [(at, at + 1) for at in range(start, end) if pieces[at] == CELL_GAP]


def _around_entries(
    pieces: Sequence[str], kinds: str, start: int, end: int
) -> list[tuple[int, int]]:
    """The bounds of what is around the numbers of entries in a run."""
    if " ." not in kinds[start:end] or any(len(piece) > 1 for piece in pieces[start:end]):
        return []
    found = _NUMBER_OF_ENTRY.finditer("".join(pieces[start:end]))
    return [
        (start + left, start + right)
        for number in found
        for left, right in (number.span(1), number.span(2))
        if left < right
    ]


def _space_of_unit(
    pieces: Sequence[str], kinds: str, start: int, end: int
) -> list[tuple[int, int]]:
    """The bounds of the space between a unit, seen on the left, and its number, if there is one."""
    space = kinds.find(" ", start, end)
    if space < 0 or "L" in kinds[space:end] or not _UNIT.fullmatch("".join(pieces[start:space])):
        return []
    return [(space, space + 1)]


def is_of_numbers(text: str) -> bool:
    """Whether a text as it is seen on a page from the right is of numbers, is one with its unit on
    its left, or an address or name with the stop on its left that ends its sentence.
    """
    if any(map(str.isalpha, text)):
        return read_measure(text) != text or _ENDED.fullmatch(text) is not None
    return any(map(str.isdigit, text))


def read_measure(text: str) -> str:
    """A unit with its number on its right, as the two are seen in text from the right, as they are
    read; any other text as it is.
    """
    found = _MEASURE.fullmatch(text)
    return f"{found[2]} {found[1]}" if found else text


def _with_brackets(pieces: Sequence[str], start: int, end: int, first: int) -> tuple[int, int]:
    """The bounds of a run with brackets beside it whose counterparts it has."""
    inside = Counter(pieces[start:end])

    def lacks(bracket: str) -> bool:
        other = _BRACKETS.get(bracket) or _CLOSING.get(bracket)
        return other is not None and inside[other] > inside[bracket]

    def is_odd(bar: str) -> bool:
        return bar in _BARS and inside[bar] % 2 == 1

    while end < len(pieces) and lacks(pieces[end]):
        inside[pieces[end]] += 1
        end += 1
    while start > first and (lacks(pieces[start - 1]) or is_odd(pieces[start - 1])):
        start -= 1
        inside[pieces[start]] += 1
    return start, end


def mirrored(text: str) -> str:
    """A bracket's counterpart, which is drawn for it in text from the right; else the text."""
    return _MIRRORED.get(text, text)


def facing(text: str) -> int:
    """The brackets of a text that face each other, less those that face away."""
    count = 0
    for left, right in _BRACKETS.items():
        order = [letter for letter in text if letter in (left, right)]
        pairs = list(zip(order, order[1:]))
        count += pairs.count((left, right)) - pairs.count((right, left))
    return count


def words_in_order(words: Sequence[str]) -> list[str]:
    """Words from left to right, each as it is read, in the order of reading."""
    return [words[at] for at in order_of_words(words)]


def order_of_words(words: Sequence[str]) -> list[int]:
    """The places of words from left to right, each as it is read, in the order of reading: from the
    right if most letters are or the last word is.
    """
    text = " ".join(words)
    if not has_from_right(text):
        return [*range(len(words))]
    pieces = [piece for word in words for piece in (" ", word)][1:]
    strong = [kind for kind in map(_kind, words) if kind in ("R", "L")]
    from_right = weight(text) > 0 or strong[-1:] == ["R"]
    read = reading_order(pieces, from_right=from_right, arabic=is_arabic(text))
    return [piece.place // 2 for piece in read if piece.place % 2 == 0]
