"""Items of a library that are the same work, by the rules by which Zotero finds duplicates."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from citeloom.domain.zotero.items import Creator, ZoteroItem

_PUNCTUATION = re.compile(r"[ !-/:-@\[-`{-~]+")
_ISBN = re.compile(r"(?<![\dX])(?:97[89][- ]?)?(?:\d[- ]?){9}[\dX](?![\dX])", re.IGNORECASE)
_YEARS_APART = 1
_NOBODY = ("", None)


def duplicates_in(items: Iterable[ZoteroItem]) -> tuple[tuple[ZoteroItem, ...], ...]:
    """The sets of items of one library that are the same work, in the order of the items.

    Two are that with the same ISBN, if they are books, or the same DOI; or with the same title and
    a creator of the same family name and initial, or no creators at all, unless their DOIs or ISBNs
    differ or their years are more than one apart.
    """
    items = tuple(items)
    sets = _Sets(len(items))
    for key_of in (_isbn, _doi):
        for alike in _alike((place, key_of(item)) for place, item in enumerate(items)):
            sets.join(alike)
    for titled in _alike((place, _folded(item.title)) for place, item in enumerate(items)):
        marks = {place: _Mark.of(items[place]) for place in titled}
        by_creator = (
            (place, creator)
            for place, mark in marks.items()
            for creator in dict.fromkeys(mark.creators or (_NOBODY,))
        )
        for places in _alike(by_creator):
            # those that agree in all else are alike; of the others each kind is compared once
            kinds: dict[tuple[Hashable, ...], list[int]] = defaultdict(list)
            for place in places:
                kinds[marks[place].rest].append(place)
            for same in kinds.values():
                sets.join(same)
            firsts = [same[0] for same in kinds.values()]
            for one in (place for place in firsts if not marks[place].doi):
                sets.join([one, *(other for other in firsts if marks[one].may_be(marks[other]))])
    return tuple(tuple(items[place] for place in places) for places in sets.several())


def _alike(keyed: Iterable[tuple[int, Hashable]]) -> list[list[int]]:
    """The places that have a key in common; an empty one is none."""
    alike: dict[Hashable, list[int]] = defaultdict(list)
    for place, key in keyed:
        if key:
            alike[key].append(place)
    return [places for places in alike.values() if len(places) > 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    """What items of one title are compared by."""

    creators: tuple[tuple[str, str | None], ...]
    doi: str
    isbn: str
    year: int | None

    @staticmethod
    def of(item: ZoteroItem) -> _Mark:
        return _Mark(
            creators=tuple(map(_creator, item.creators)),
            doi=_doi(item),
            isbn=_isbn(item),
            year=item.parsed_year,
        )

    @property
    def rest(self) -> tuple[Hashable, ...]:
        return self.doi, self.isbn, self.year

    def may_be(self, other: _Mark) -> bool:
        """Whether neither identifiers nor years say that they are two works."""
        years = self.year and other.year and abs(self.year - other.year) > _YEARS_APART
        identifiers = ((self.doi, other.doi), (self.isbn, other.isbn))
        return not years and not any(one and two and one != two for one, two in identifiers)


def _doi(item: ZoteroItem) -> str:
    doi = item.fields.get("DOI", "")
    return doi.strip().upper() if doi.startswith("10.") else ""


def _isbn(item: ZoteroItem) -> str:
    """The first valid ISBN of a book."""
    isbns = item.fields.get("ISBN", "") if item.item_type == "book" else ""
    return next(_valid_isbns(isbns), "")


class _Sets:
    """Disjoint sets of places."""

    def __init__(self, count: int) -> None:
        self._parents = list(range(count))

    def _first(self, place: int) -> int:
        while self._parents[place] != place:
            self._parents[place] = place = self._parents[self._parents[place]]
        return place

    def join(self, places: list[int]) -> None:
        for one, other in pairwise(places):
            first, second = sorted((self._first(one), self._first(other)))
            self._parents[second] = first

    def several(self) -> list[list[int]]:
        """The sets of more than one place, by their first."""
        sets: dict[int, list[int]] = defaultdict(list)
        for place in range(len(self._parents)):
            sets[self._first(place)].append(place)
        return [places for places in sets.values() if len(places) > 1]


def _creator(creator: Creator) -> tuple[str, str | None]:
    """The family name and the initial; an organisation has none."""
    return _folded(creator.family), None if creator.single else _folded(creator.given)[:1]


def _folded(text: str) -> str:
    if not text.isascii():
        letters = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _PUNCTUATION.sub(" ", text).strip().lower()


def _valid_isbns(text: str) -> Iterator[str]:
    """The ISBNs in a field whose check digits are right, without hyphens."""
    for match in _ISBN.finditer(text):
        digits = re.sub(r"[- ]", "", match[0]).upper()
        values = [10 if digit == "X" else int(digit) for digit in digits]
        if len(values) == 13:
            valid = sum(value * (1, 3)[place % 2] for place, value in enumerate(values)) % 10 == 0
        else:
            valid = sum(value * (10 - place) for place, value in enumerate(values)) % 11 == 0
        if valid:
            yield digits
