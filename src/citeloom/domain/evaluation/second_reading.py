"""Whether a part of a page's text is as a second reader of the page has it.

Both readers agree on letters and their order within a block of text, and on the spaces and signs
between letters of a line; where they do not, one of the two is wrong. Nothing is known of the
cause. Left out are hyphens and what stands at the ends of lines, where a reader joins words, forms
of quotation marks and bullets, spaces of scripts that set none, and numbers alone, such as marks of
notes, and parts with formulas.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from citeloom.domain.evaluation.line_order import PageText
from citeloom.domain.evaluation.page_truth import RUN, Letters

_LEAST = 4  # letters of a part: fewer stand anywhere
_NEAR = 300  # letters between two runs of a part: of more, they stand in two places
_REPEATED = 20  # letters that two runs share where one ends and the next begins by the same ones
_FOUND = 0.5  # of a part's letters must be in runs
_HYPHENS = re.compile("[-\u2010-\u2015\u2212\x02\ufffe\u00ad]")
_QUOTES = re.compile("[\"'`\u00b4\u2018-\u201f\u00ab\u00bb\u2039\u203a]")
_SPACES = re.compile("[\\s|\u2022\u25e6\u25aa\u2023\u00b7\u25cf\u25cb\u25a0\u2043]+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\uffef]")
_RAISED = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
# PDFium has spaces before the signs that close, after those that open, of narrow fonts
_WIDE = re.compile(r" (?=[,.)\]}])|(?<=[(\[{]) ")
_ACCENTS = frozenset({"Mn", "Sk"})
_FORMULA = re.compile(
    "[\u27e8\u27e9\u2329\u232a\u3008\u3009\u2080-\u209c\u1d62-\u1d6a\U0001d400-\U0001d7ff]|[_^]\\("
)
_LINE_END = re.compile("[\n\x02\ufffe]")


class SecondReading:
    """A page as the second reader has it, and the parts of text that were made of it."""

    def __init__(self, text: str, parts: Sequence[PageText]) -> None:
        self._text = text
        self._parts = parts
        self._read = [Letters(part.text) for part in parts]

    def differing(self) -> Iterator[int]:
        """The indexes of the parts that the page has not with their letters together, or not with
        their spaces and signs.

        Parts that are aside and parts with a formula are not compared; one that stands on the page
        more than once is only by its letters.
        """
        for index, part in enumerate(self._parts):
            is_compared = not part.aside and not _FORMULA.search(part.text)
            if is_compared and _plain(part.text) not in self._plain and self._differs(index):
                yield index

    def _differs(self, index: int) -> bool:
        letters = self._read[index].joined
        if letters in self._letters:
            return len(letters) >= _LEAST and self._is_parted(self._parts[index].text)
        return len(letters) >= RUN and self._is_interrupted(index)

    @cached_property
    def _letters(self) -> str:
        return Letters(self._text).joined

    @cached_property
    def _plain(self) -> str:
        return _plain(self._text)

    @cached_property
    def _spelled(self) -> _Spelled:
        return _Spelled(self._text)

    def _is_parted(self, part: str) -> bool:
        """Whether the part lacks a space or a sign, or has another sign, within a line."""
        ours, page = _Spelled(part), self._spelled
        at = page.letters.find(ours.letters)
        if at < 0 or page.letters.find(ours.letters, at + 1) >= 0:
            return False
        apart = {*ours.apart, *(n - at for n in page.apart_in(at, at + len(ours.letters)))}
        return any(
            _lacks(ours.before(n), page.before(n + at))
            for n in apart
            if not _UNSPACED.search(ours.letters[n - 1 : n + 1])
            and not ours.is_raised(n)
            and not page.is_wide(n + at)
        )

    def _is_interrupted(self, index: int) -> bool:
        """Whether the page has most of the letters not, or not the first or the last of them, or
        a few others between them, or has them in another order.
        """
        letters, page = self._read[index].joined, self._letters
        runs = list(_runs(letters, page))
        if sum(run.length for run in runs) < _FOUND * len(letters):
            return True
        if runs[0].here > 0 or (runs[-1].end < len(letters) and not self._ends_at(runs[-1].after)):
            return True
        for before, after in pairwise(runs):
            if before.after - after.there > _REPEATED or after.here - before.end > _NEAR:
                return True
            passed = page[before.after : after.there] if before.end == after.here else ""
            if passed and not passed.isdecimal() and len(passed) <= _NEAR:
                return True
        return False

    def _ends_at(self, place: int) -> bool:
        """Whether a column ends there: the page does, but for a number, or another part begins."""
        rest = self._letters[place:]
        starts = (read.joined[:RUN] for read in self._read)
        return len(rest) < RUN or any(rest.startswith(s) for s in starts if len(s) >= _LEAST)


class _Spelled:
    """A text as its letters, each with its place."""

    def __init__(self, text: str) -> None:
        self._text = unicodedata.normalize("NFC", text)
        found = [
            (letter, place)
            for place, character in enumerate(self._text)
            for letter in unicodedata.normalize("NFKC", character).casefold()
            if letter.isalnum()
        ]
        self.letters = "".join(letter for letter, _ in found)
        self._places = [place for _, place in found]
        self.apart = [
            n for n, (before, place) in enumerate(pairwise(self._places), 1) if place - before > 1
        ]

    def before(self, index: int) -> str:
        """What stands between a letter and the one before it."""
        return self._text[self._places[index - 1] + 1 : self._places[index]]

    def is_raised(self, index: int) -> bool:
        """Whether a letter is raised, as the mark of a note: readers part it otherwise."""
        return self._text[self._places[index]] in _RAISED

    def is_wide(self, index: int) -> bool:
        """Whether the letters there are set wide: three of them one after another stand apart."""
        near = {*self.apart_in(index - 3, index + 3)}
        return any(near.issuperset(range(n, n + 3)) for n in range(index - 2, index + 1))

    def apart_in(self, start: int, end: int) -> list[int]:
        """The letters of a run but the first that do not follow the one before at once."""
        return self.apart[bisect_right(self.apart, start) : bisect_left(self.apart, end)]


def _plain(text: str) -> str:
    """A text with one form of spaces, without hyphens, quotation marks and bullets."""
    bare = _QUOTES.sub("", _HYPHENS.sub("", unicodedata.normalize("NFKC", text)))
    return _SPACES.sub(" ", bare).strip().casefold()


def _lacks(ours: str, printed: str) -> bool:
    """Whether a space or a sign between two letters of a line is missing, or is another one."""
    if ours == printed or _LINE_END.search(printed):
        return False
    ours, printed = _marked(ours), _marked(printed)
    signs, others = ours.replace(" ", ""), printed.replace(" ", "")
    if signs == others:
        return len(ours) < len(_WIDE.sub("", printed))
    signs, others = (text.replace("-", "").replace("'", "") for text in (signs, others))
    return signs != others and others not in signs


def _marked(gap: str) -> str:
    """What stands between two letters, with one form of quotes, hyphens and spaces, and without
    accents, which readers place otherwise.
    """
    gap = _QUOTES.sub("'", _HYPHENS.sub("-", unicodedata.normalize("NFKD", gap)))
    return _SPACES.sub(" ", "".join(c for c in gap if unicodedata.category(c) not in _ACCENTS))


@dataclass(frozen=True, slots=True)
class _Run:
    """Letters that a part and its page have in common."""

    here: int
    there: int
    length: int

    @property
    def end(self) -> int:
        """The letter of the part after them."""
        return self.here + self.length

    @property
    def after(self) -> int:
        """The letter of the page after them."""
        return self.there + self.length


def _runs(letters: str, page: str) -> Iterator[_Run]:
    """The runs of letters that the page has, too, each behind the one before where it can be."""
    at = end = 0
    while at <= len(letters) - RUN:
        start = letters[at : at + RUN]
        place = page.find(start, end)
        if place < 0:
            place = page.find(start)
        if place < 0:
            at += 1
            continue
        run = _Run(at, place, _common(letters, at, page, place))
        yield run
        at, end = run.end, run.after


def _common(letters: str, at: int, page: str, place: int) -> int:
    length, step = RUN, 8 * RUN
    while step:
        more = letters[at + length : at + length + step]
        if len(more) == step and more == page[place + length : place + length + step]:
            length += step
        else:
            step //= 2
    return length
