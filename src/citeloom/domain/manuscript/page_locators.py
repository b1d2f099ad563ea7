"""The pages that the locator of a citation names, and whether a work has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# Locators as people write them.

_OTHER = re.compile(
    r"^\W*(?:chap(?:ter)?s?|ch|kap(?:itel)?|cap|sec(?:tion)?s?|§+|¶+|para(?:graph)?s?|abs(?:atz)?|"
    r"fig(?:ure)?s?|abb|tab(?:le)?s?|vol(?:ume)?s?|bd|no|nos|l|ll|lines?|vv?|verses?|col(?:umn)?s?|"
    r"fol(?:io)?s?|app(?:endix)?|eq(?:uation)?s?|n|nn|notes?|anm|part|bk|book|loc(?:ation)?s?|"
    r"slides?|s\.v)(?:\b|(?<=\W))\.?",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^\W*(?:pp?|pages?|pgs?|s|seiten?|p[áa]gs?|p[áa]ginas?|bl|blz|str|ss?|f)(?:\b|(?=\d))\.?\s*(?=[\divxlcmDA-Z])",
    re.IGNORECASE,
)
_NUMBER = r"(?:[A-Za-z]{1,2}[-.]?)?\d+[a-e]?|[ivxlcdm]+|[IVXLCDM]+"
_RANGE = re.compile(
    rf"\s*[,;&]?\s*(?:(?:and|und|e|y|et)\s+)?"
    rf"(?P<first>{_NUMBER})(?:\s*(?:[-\u2010-\u2015\u2212]+|to|bis)\s*(?P<last>{_NUMBER})"
    r"|\s*(?P<on>ff?|sqq?)\b\.?)?(?=$|[\s,;.:)\]&])"
)
_ROMAN = re.compile(r"[ivxlcdm]+", re.IGNORECASE)
_FOLLOWING = 10
"""How many pages `ff.` may mean."""


@dataclass(frozen=True, slots=True)
class PageRange:
    """Pages from `first` to `last` as they are written, and `following` more."""

    first: str
    last: str
    following: int = 0


@dataclass(frozen=True, slots=True)
class PageLocator:
    """The pages that a citation names: `45`, `45-47`, `iv`, `45ff.`, `45, 50`; `[start, end)` is
    where in the suffix they stand.
    """

    ranges: tuple[PageRange, ...]
    start: int
    end: int
    text: str

    def __str__(self) -> str:
        return self.text


def page_locator(suffix: str) -> PageLocator | None:
    """The pages that the suffix of a citation names; None where it names none."""
    if _OTHER.match(suffix):
        return None
    label = _LABEL.match(suffix)
    at = label.end() if label else len(suffix) - len(suffix.lstrip(" ,;\xa0("))
    start, ranges, end = at, [], at
    while found := _RANGE.match(suffix, end):
        ranges.append(_page_range(found))
        end = found.end()
    if not ranges or (label is None and not ranges[0].first[-1:].isdigit()):
        return None
    while start < end and not suffix[start].isalnum():
        start += 1
    return PageLocator(tuple(ranges), start, end, suffix[start:end])


def _page_range(found: re.Match[str]) -> PageRange:
    first, last = found["first"], found["last"]
    if found["on"]:
        many = found["on"] in {"ff", "sqq"}
        return PageRange(first, first, _FOLLOWING if many else 1)
    if last is None:
        return PageRange(first, first)
    if first.isdigit() and last.isdigit() and len(last) < len(first):
        last = first[: -len(last)] + last
    return PageRange(first, last)


# The pages of a work.


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPages:
    """The pages of a work: how many its file has, their printed labels where these are known, and
    the pages that its reference gives, such as `101-110`.
    """

    count: int
    labels: Mapping[int, str]
    reference: str = ""

    def physical(self, locator: PageLocator) -> frozenset[int]:
        """The physical pages that a locator may mean: those with the printed labels; where no page
        has such a label, those that follow from the pages of the reference, and the number of the
        page in the file.
        """
        return frozenset(page for one in locator.ranges for page in self._pages(one))

    def label(self, page: int) -> str:
        """The label of a page as it is cited: printed, else by the reference, else physical."""
        if page in self.labels:
            return self.labels[page]
        first = self._first
        return str(first + page - 1) if first is not None else str(page)

    def _pages(self, pages: PageRange) -> Iterable[int]:
        first, last = self._page(pages.first), self._page(pages.last)
        if first is None and last is None:
            return ()
        low = first if first is not None else last or 1
        high = last if last is not None else low
        return range(low, min(high + pages.following, max(self.count, low)) + 1)

    def _page(self, name: str) -> int | None:
        folded = name.casefold()
        for page, label in self.labels.items():
            if label.casefold() == folded:
                return page
        number = int(name) if name.isdecimal() else None
        if number is None:
            return None
        first = self._first
        if first is not None and first <= number < first + self.count:
            return number - first + 1
        return number if 1 <= number <= self.count else None

    @property
    def _first(self) -> int | None:
        """The number of the first page by the reference, where its range is as long as the file."""
        found = re.fullmatch(r"\s*(\d+)\s*[-\u2013]+\s*(\d+)\s*", self.reference)
        if not found or int(found[2]) - int(found[1]) + 1 != self.count:
            return None
        return int(found[1])
