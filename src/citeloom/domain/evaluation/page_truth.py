"""Whether a text is on the pages it claims, by a second reader of those pages.

Two readers of a PDF agree on its letters, not on spaces, hyphens, ligatures or the order of the
cells of a table. So only letters and digits are compared: in runs where their order is the
same, word by word where it is not. Accents are left out: TeX's older fonts draw them as characters
of their own, which one reader composes with their letters and another does not.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from citeloom.domain.chunks.chunk import Chunk

NEAR = 0.95
"""Least share of a text's letters on its pages for the verdict near."""
RUN = 12
"""Least length in letters of a run that counts; shorter matches must be whole words."""
_LONG = 2 * RUN
_LEAST_PART = 4

_ARABIC = "[\u0620-\u06ff]"
# the strokes that join letters in justified Arabic are controls where their font says nothing
_IN_WORDS = re.compile(
    r"[\u00ad\u200b-\u200d\u2060\ufeff\ufffe]\s*|[-\u2010]\s*\n\s*|\u0640"
    rf"|(?<={_ARABIC})[\x00-\x08\x0e-\x1f]+(?={_ARABIC})"
)
_LAM_ALEF = re.compile("[\u0644\u0627]{2,}")
_WORD = re.compile(r"[^\W_]+")
# what a reader makes of the ligatures of TeX's fonts where these have no names
_TEX_LIGATURES = {"\x0b": "ff", "\x0c": "fi", "\x0e": "ffi", "\x0f": "ffl"}
_TEX_LIGATURE = re.compile(r"[\x0b\x0c\x0e\x0f]")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")

# accents as characters of their own; a grave is a quotation mark, too
_LOOSE_ACCENT = re.compile(r"[\u00a8\u00af\u00b4\u00b8\u02c6-\u02dd]|(?<=[^\W\d_])`(?=[^\W\d_])")


@lru_cache(maxsize=4096)
def _without_accents(letters: str) -> str:
    """Letters beyond ASCII in their usual forms without their marks; of a text, few are new.

    Readers turn the two letters of the Arabic ligature lam-alef round, and some words whole: beside
    each other these two are not told apart.
    """
    parts = (c for c in unicodedata.normalize("NFKD", letters) if unicodedata.category(c) != "Mn")
    text = unicodedata.normalize("NFKC", "".join(parts))
    return _LAM_ALEF.sub(lambda found: "\u0644" * len(found[0]), text)


class PageVerdict(StrEnum):
    """The result of looking for a text on its pages."""

    EXACT = "exact"
    NEAR = "near"
    WRONG_PAGE = "wrong_page"
    NOT_FOUND = "not_found"
    NO_TEXT = "no_text"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCheck:
    """The verdict, the share of letters found on the claimed pages, and the missing words.

    For a wrong page, `stands_on` has the pages the text was found on instead.
    """

    verdict: PageVerdict
    share: float = 0.0
    missing: str = ""
    stands_on: tuple[int, ...] = ()


@dataclass(frozen=True)
class Letters:
    """A text prepared for comparison: letters and digits of its words, case, forms and accents
    folded.
    """

    raw: str

    @cached_property
    def words(self) -> list[str]:
        """The words, with those hyphenated at a line's end joined."""
        bare = _TEX_LIGATURE.sub(lambda found: _TEX_LIGATURES[found[0]], self.raw)
        is_ascii = bare.isascii()  # of lines of these most have nothing to be taken out
        if not is_ascii or "`" in bare:
            bare = _LOOSE_ACCENT.sub("", bare.replace("\u0131", "i"))
        if not is_ascii:
            bare = _BEYOND_ASCII.sub(lambda found: _without_accents(found[0]), bare)
        bare = bare.casefold()
        if not is_ascii or "\n" in bare:
            bare = _IN_WORDS.sub("", bare)
        return _WORD.findall(bare)

    @cached_property
    def joined(self) -> str:
        return "".join(self.words)

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(self.words)


def check_page_span(chunk: Chunk, pages: Sequence[Letters]) -> PageCheck:
    """Look for the chunk's text on those of its document's `pages` that its span claims.

    Exact: all of it stands there, in its order. Near: at least `NEAR` of its letters do, in
    runs of `RUN` or in words, no word oftener than the pages have it. Wrong page: a part
    of it stands on another page instead, or none of it on the first or the last page it claims.
    No text: it claims no page, or one that has none to compare with, as in a scan. Else it is
    not found.
    """
    if chunk.page_span is None:
        return PageCheck(verdict=PageVerdict.NO_TEXT)
    return _Search(chunk, chunk.page_span, pages).check()


class _Search:
    """One text, the pages it claims, and which of its letters were found on them."""

    def __init__(self, chunk: Chunk, span: tuple[int, int], pages: Sequence[Letters]) -> None:
        text = self._text = Letters(chunk.text)
        self._span = span
        self._pages = pages
        # the letters that the chunk claims for its first and its last page, unless they are few
        parts: dict[int, str] = {}
        if chunk.page_starts:
            first, last = chunk.text[: chunk.page_starts[0]], chunk.text[chunk.page_starts[-1] :]
            parts = {span[0]: Letters(first).joined, span[1]: Letters(last).joined}
        self._claimed_parts = {n: part for n, part in parts.items() if len(part) >= _LEAST_PART}
        order = [placed.page for placed in chunk.boxes] or span
        self._begins, self._ends = order[0], order[-1]
        self._claimed = {n: pages[n - 1] for n in range(span[0], min(span[1], len(pages)) + 1)}
        self._runs = letters_in_runs(text.joined, self._claimed.values())
        self._found = _found(text, self._claimed.values())

    def check(self) -> PageCheck:
        if any(n in self._claimed and not self._claimed[n].words for n in self._span):
            return PageCheck(verdict=PageVerdict.NO_TEXT)
        share = sum(self._found) / max(len(self._found), 1)
        missing = " ".join(
            self._text.words[i]
            for i, (a, b) in enumerate(_spans(self._text))
            if 0 in self._found[a:b]
        )
        if self._empty_ends() or self._is_elsewhere() or self._competing_pages():
            stands_on = tuple(
                sorted({*self._pages_with(self._text.joined), *self._competing_pages()})
            )
            return PageCheck(
                verdict=PageVerdict.WRONG_PAGE, share=share, missing=missing, stands_on=stands_on
            )
        if self._in_order():
            return PageCheck(verdict=PageVerdict.EXACT, share=1.0)
        verdict = PageVerdict.NEAR if share >= NEAR else PageVerdict.NOT_FOUND
        return PageCheck(verdict=verdict, share=share, missing=missing)

    def _in_order(self) -> bool:
        """Whether the text consists of runs that follow one another on the pages."""
        letters = self._text.joined
        there = "".join(page.joined for page in self._claimed.values())
        start = position = 0
        while start < len(letters):
            position = there.find(letters[start : start + RUN], position)
            if position < 0:
                return False
            length = _common(letters, start, there, position)
            start, position = start + length, position + length
        return True

    def _empty_ends(self) -> bool:
        """Whether the first or the last claimed page holds no part of the text."""
        if self._span[1] not in self._claimed:
            return True
        return self._span[0] != self._span[1] and any(self._is_empty(n) for n in self._span)

    def _is_empty(self, number: int) -> bool:
        """Whether a page at an end of the span adds nothing to the other pages.

        Text on both counts for this page where the chunk begins or ends with it and claims to
        begin or end here, or claims it for this page letter by letter.
        """
        others = [page for n, page in self._claimed.items() if n != number]
        letters, on_others = self._text.joined, letters_in_runs(self._text.joined, others)
        in_runs = sum(self._runs) - sum(on_others)
        in_words = sum(self._found) - sum(_found(self._text, others))
        if max(in_runs, in_words) >= RUN:
            return False
        edges = [self._claimed_parts.get(number, "")]
        if number == self._begins:
            edges += letters[:_LONG], letters[: max(on_others.find(1), 0)]
        if number == self._ends:
            edges += letters[-_LONG:], letters[on_others.rfind(1) + 1 :]
        return not any(edge and edge in self._claimed[number].joined for edge in edges)

    def _is_elsewhere(self) -> bool:
        """Whether a long run that is missing on the claimed pages is on another page; not one of
        numbers that are all there, since tables have the same numbers in any order.
        """
        runs = [run.span() for run in re.finditer(rb"\0{%d,}" % _LONG, self._runs)]
        letters = self._text.joined
        return any(
            self._pages_with(letters[start:end])
            for start, end in runs
            if 0 in self._found[start:end] or sum(map(str.isalpha, letters[start:end])) >= RUN
        )

    def _pages_with(self, letters: str) -> list[int]:
        """The pages that hold a long run of the letters."""
        starts = range(0, len(letters) - _LONG + 1, RUN)
        runs = {letters[start : start + _LONG] for start in starts}
        return [
            n
            for n, page in enumerate(self._pages, start=1)
            if any(run in page.joined for run in runs)
        ]

    def _competing_pages(self) -> list[int]:
        """The pages that have more of the text's words than the claimed pages."""
        count = sum(self._found)
        if count >= NEAR * len(self._found):
            return []
        counts = self._text.counts
        return [
            n
            for n, page in enumerate(self._pages, start=1)
            if sum(len(w) * min(times, page.counts[w]) for w, times in counts.items()) > count
        ]


def _spans(text: Letters) -> Iterator[tuple[int, int]]:
    """The span of each word in the joined letters."""
    start = 0
    for word in text.words:
        yield start, start + len(word)
        start += len(word)


def _found(text: Letters, pages: Collection[Letters]) -> bytearray:
    """For each letter of the text 1 if it was found on the pages, in a run or in a word."""
    letters_found = letters_in_runs(text.joined, pages)
    left: Counter[str] = Counter()
    for page in pages:
        left.update(page.counts)
    for word, (start, end) in zip(text.words, _spans(text)):
        if left[word] > 0:
            left[word] -= 1
            letters_found[start:end] = b"\1" * len(word)
    return letters_found


def letters_in_runs(letters: str, pages: Iterable[Letters]) -> bytearray:
    """For each letter 1 if it is part of a run found on one of the pages."""
    covered = bytearray(len(letters))
    for page in pages:
        start = 0
        while start + RUN <= len(letters):
            position = page.joined.find(letters[start : start + RUN])
            if position < 0:
                start += 1
                continue
            length = _common(letters, start, page.joined, position)
            covered[start : start + length] = b"\1" * length
            start += length - RUN + 1
    return covered


def _common(first: str, start: int, second: str, position: int) -> int:
    """The length of the common run of two texts from these positions."""
    length = 0
    longest = min(len(first) - start, len(second) - position)
    while length < longest and first[start + length] == second[position + length]:
        length += 1
    return length
