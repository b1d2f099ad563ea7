"""Where two texts of one document have the same letters, and where they differ.

Letters and digits are compared, without case and in the form NFKC; what stands between two letters
is compared where the letters on both sides are the same.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

GRAM = 10  # letters by which a place of another text is looked up
_PLACES = 24  # of a text that are tried for one run of letters
_NEAR = 300  # letters that a text may lack or add and go on
_AGAIN = 20  # letters that may be repeated
_ALONE = 18  # letters: a shorter run in between, from elsewhere, is chance

_LONGEST = 200  # characters of a word
_LAST, _FIRST = re.compile(r"\S*\Z"), re.compile(r"\S*")

_DASHES = re.compile("[\u2010-\u2015\u2212\u00ad\ufe63\uff0d\x02\ufffe]")
_QUOTES = re.compile("[\"'`\u00b4\u2018-\u201f\u00ab\u00bb\u2039\u203a\u2032\u2033]+")
_AS_SPACE = re.compile("[\\s|\u2022\u25e6\u25aa\u2023\u00b7\u25cf\u25cb\u25a0\u2043\u200b-\u200f]+")
_BREAK = re.compile("[\x02\ufffe\u00ad]|-\\s*\n")
_WITHOUT_SPACES = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


class Lettered:
    """A text as its letters, each with its place, and what stands between any two of them."""

    def __init__(self, text: str) -> None:
        self.text = unicodedata.normalize("NFC", text)
        letters: list[str] = []
        places: list[int] = []
        for place, character in enumerate(self.text):
            for letter in unicodedata.normalize("NFKC", character).casefold():
                if letter.isalnum():
                    letters.append(letter)
                    places.append(place)
        self.letters = "".join(letters)
        self.places = places
        self.apart = [n for n in range(1, len(places)) if places[n] - places[n - 1] > 1]

    def between(self, index: int) -> str:
        """What stands before a letter, after the letter before it."""
        return self.text[self.places[index - 1] + 1 : self.places[index]]

    def part(self, start: int, end: int) -> str:
        """The text from one letter up to another."""
        if start >= end:
            return ""
        return self.text[self.places[start] : self.places[end - 1] + 1]

    def around(self, start: int, end: int, more: int = 30) -> str:
        """The text of some letters with its neighbours, those letters in brackets."""
        before = self.part(max(0, start - more), start)
        after = self.part(end, min(len(self.letters), end + more))
        inner = self.text[
            (self.places[start - 1] + 1 if start else 0) : (
                self.places[end] if end < len(self.places) else len(self.text)
            )
        ]
        return f"{before}[{inner}]{after}"

    def word_at(self, index: int) -> str:
        """What stands without a space around the place before a letter."""
        place = self.places[min(index, len(self.places) - 1)]
        before = self.text[max(0, place - _LONGEST) : place]
        return _LAST.search(before)[0] + _FIRST.match(self.text, place)[0]  # type: ignore[index]

    def is_without_spaces(self, index: int) -> bool:
        """Whether a letter there is of a script that sets none between words."""
        return any(_WITHOUT_SPACES.match(self.letters[n]) for n in (index - 1, index))

    def apart_in(self, start: int, end: int) -> Sequence[int]:
        """The letters after the first of a run before which something stands."""
        return self.apart[bisect_right(self.apart, start) : bisect_left(self.apart, end)]


@dataclass(frozen=True, slots=True)
class Run:
    """Letters that two texts have in common."""

    here: int
    there: int
    length: int


class Places:
    """Where in a text the runs of `GRAM` letters of some other texts stand."""

    def __init__(self, text: Lettered, others: Iterable[Lettered]) -> None:
        sought = {
            other.letters[n : n + GRAM]
            for other in others
            for n in range(len(other.letters) - GRAM + 1)
        }
        self._letters = text.letters
        self._places: Mapping[str, list[int]] = defaultdict(list)
        for n in range(len(text.letters) - GRAM + 1):
            gram = text.letters[n : n + GRAM]
            if gram in sought and len(self._places[gram]) < _PLACES:
                self._places[gram].append(n)

    def runs(self, other: Lettered) -> list[Run]:
        """The longest runs of the other text from its beginning to its end."""
        letters, at = other.letters, 0
        runs: list[Run] = []
        while at <= len(letters) - GRAM:
            places = self._places.get(letters[at : at + GRAM])
            run = self._best(letters, at, places, runs) if places else None
            if run:
                runs.append(run)
                at = run.here + run.length
            else:
                at += 1
        return _without_chance(runs)

    def _best(self, letters: str, at: int, places: Sequence[int], runs: Sequence[Run]) -> Run:
        last = runs[-1] if runs else None
        best, most = Run(at, places[0], GRAM), -1
        for place in places:
            length = _common(letters, at, self._letters, place)
            run = Run(at, place, length)
            worth = length + _NEAR * (last is not None and goes_on(last, run))
            if worth > most:
                best, most = run, worth
        return best


def _common(here: str, at: int, there: str, place: int) -> int:
    length, step = GRAM, GRAM
    while step:
        end = length + step
        if here[at + length : at + end] == there[place + length : place + end] and (
            at + end <= len(here) and place + end <= len(there)
        ):
            length, step = end, step * 2
        else:
            step //= 2
    return length


def goes_on(before: Run, after: Run) -> bool:
    """Whether a run is where the one before leads to in both texts."""
    return (
        -_AGAIN <= after.there - before.there - before.length <= _NEAR
        and after.here - before.here - before.length <= _NEAR
    )


def _without_chance(runs: Sequence[Run]) -> list[Run]:
    kept: list[Run] = []
    for n, run in enumerate(runs):
        follows = n > 0 and goes_on(runs[n - 1], run)
        leads = n + 1 < len(runs) and goes_on(run, runs[n + 1])
        if run.length >= _ALONE or follows or leads:
            kept.append(run)
    return kept


@dataclass(frozen=True, slots=True)
class Difference:
    """Letters `here` and `there` that differ between two runs, or that are followed by something
    else (`moved`), or, where there are none, what stands before a letter.
    """

    kind: str
    here: tuple[int, int]
    there: tuple[int, int]
    after: int = -1
    """Of what is moved, where the run before it leads to in the other text."""


def differences(here: Lettered, there: Lettered, runs: Sequence[Run]) -> Iterator[Difference]:
    """What differs between two texts, as far as these runs go."""
    for before, after in pairwise(runs):
        mine = before.here + before.length, after.here
        end = before.there + before.length
        if goes_on(before, after):
            other = min(end, after.there), after.there
            kind = "lacks" if mine[0] == mine[1] else "adds" if end >= after.there else "letters"
            yield Difference(kind, mine, other)
        else:
            yield Difference("moved", mine, (after.there, after.there), after=end)
    for run in runs:
        shift = run.there - run.here
        apart = {*here.apart_in(run.here, run.here + run.length)}
        apart |= {n - shift for n in there.apart_in(run.there, run.there + run.length)}
        for n in sorted(apart):
            if kind := gap_kind(here.between(n), there.between(n + shift), here, n):
                yield Difference(kind, (n, n), (n + shift, n + shift))


def plain_gap(gap: str) -> str:
    """What stands between letters, with one form of dashes, quotes and spaces."""
    gap = _QUOTES.sub("'", _DASHES.sub("-", gap.replace("\u2026", "...")))
    return _AS_SPACE.sub(" ", unicodedata.normalize("NFKC", gap))


def is_break(gap: str) -> bool:
    """Whether a word is divided there at the end of a line, or a hyphen stands there."""
    return _BREAK.search(gap) is not None


def gap_kind(mine: str, other: str, here: Lettered, index: int) -> str:
    """How what stands between two letters differs; empty where it does not."""
    mine, other = plain_gap(mine), plain_gap(other)
    signs, others = mine.replace(" ", ""), other.replace(" ", "")
    if mine == other or (signs == others and here.is_without_spaces(index)):
        return ""
    if signs == others:
        return "space at sign" if signs else "torn" if mine else "glued"
    if signs == others.replace("-", ""):
        return "hyphen lost"
    if others == signs.replace("-", ""):
        return "hyphen added"
    return "quote" if signs.replace("'", "") == others.replace("'", "") else "sign"
