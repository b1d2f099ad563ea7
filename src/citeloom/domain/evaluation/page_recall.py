"""Which words of a page arrived nowhere, by a second reader of the page.

Two readers agree on letters, not on spaces, hyphens or the order of cells: so a line has arrived
whose letters stand together in the texts that were made of the page, and of any other line the
words that these have, each as often as they have it, also as the half of a word that the end of a
line parts. Numbers that count lines are left out on purpose. Chinese, Japanese, Korean and other
scripts whose words stand together or are parted at any line's end are compared by characters; two
count as a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from citeloom.domain.documents.conversion import LostWords
from citeloom.domain.evaluation.line_order import PrintedLine, PrintedPage
from citeloom.domain.evaluation.page_truth import RUN, Letters, letters_in_runs

_LEADER = re.compile(r"(?:\.\s?){4,}\s*\S{0,8}\s*$")
_EDGE_LINES = 3  # at the head and at the foot of a page: running heads, numbers of pages
_LEAST_PAGES = 3  # a line that recurs on so many is a running head
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^{_UNSPACED}]+")
_CHARACTER = re.compile(rf"[{_UNSPACED}]")
_SAMPLE = 12  # words
_LEAST_HALF = 2  # letters of a word that the end of a line parts
_LEAST_COUNTED = 3  # numbers that go up by one, one a line, count these


@dataclass(frozen=True, slots=True)
class LostLine:
    """A line of a page, and those of its words that arrived nowhere."""

    line: PrintedLine
    words: tuple[str, ...]
    of: int
    """How many words the line has."""


@dataclass(frozen=True, slots=True)
class PageWords:
    """How many words a page has, and its lines with words that arrived nowhere."""

    count: int
    lost: tuple[LostLine, ...] = ()

    @property
    def lost_words(self) -> Sequence[str]:
        """The words that arrived nowhere."""
        return [word for line in self.lost for word in line.words]

    @property
    def lost_count(self) -> int:
        """How many these are."""
        return count_words(self.lost_words)


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared."""
    return [token for word in Letters(text).words for token in _TOKEN.findall(word)]


def count_words(words: Iterable[str]) -> int:
    """How many words these are, two characters of a script without spaces counted as one."""
    lengths = Counter(_CHARACTER.match(word) is not None for word in words)
    return lengths[False] + (lengths[True] + 1) // 2


def lost_words(words: Sequence[str]) -> LostWords:
    """How many words these are, and the first of them."""
    return LostWords(count=count_words(words), sample=" ".join(words[:_SAMPLE]))


def running_lines(pages: Sequence[PrintedPage]) -> frozenset[str]:
    """What stands at the head or the foot of several pages, but for its numbers."""
    seen = Counter(
        key for page in pages for key in {_without_numbers(line.text) for line in _edge_lines(page)}
    )
    return frozenset(key for key, times in seen.items() if times >= _LEAST_PAGES)


def left_out(page: PrintedPage, running: Collection[str]) -> list[str]:
    """The lines that are left out of any text on purpose: running heads and contents."""
    edges = [line.text for line in _edge_lines(page) if _without_numbers(line.text) in running]
    return edges + [line.text for line in page.lines if _LEADER.search(line.text)]


def _edge_lines(page: PrintedPage) -> Sequence[PrintedLine]:
    ordered = sorted(page.lines, key=lambda line: line.top)
    return [*ordered[:_EDGE_LINES], *ordered[_EDGE_LINES:][-_EDGE_LINES:]]


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "#", " ".join(text.casefold().split()))


def page_words(page: PrintedPage, arrived: Sequence[str]) -> PageWords:
    """Compare the words of a page with the texts that were made of it."""
    texts = Letters("\n\n".join(arrived))
    left = Counter(words_of(texts.raw))
    lines = page.lines or tuple(PrintedLine(text=line) for line in page.text.splitlines())
    words = [words_of(line.text) for line in lines]
    bare = _without_halves(words, left)
    scattered = []
    for at, (line, of_line) in enumerate(zip(lines, words)):
        letters = "".join(of_line)
        if len(letters) >= RUN and letters in texts.joined:
            left.subtract(of_line)
        elif letters:
            scattered.append((at, line))
    lost = [
        LostLine(line, missing, len(words[at]))
        for at, line in scattered
        if (missing := tuple(_missing(bare[at], left, texts)))
    ]
    found = tuple(_without_line_numbers(lost))
    return PageWords(count_words(word for of_line in words for word in of_line), found)


def _without_halves(words: Sequence[Sequence[str]], left: Counter[str]) -> Sequence[Sequence[str]]:
    """The words of the lines without the two halves of a word that is in the texts instead, parted
    by the end of a line; the words are taken from what is `left`.
    """
    bare = [*words]
    for at, (upper, lower) in enumerate(pairwise(words)):
        halves = (*upper[-1:], *lower[:1])
        whole = "".join(halves)
        parted = len(halves) > 1 and min(map(len, halves)) >= _LEAST_HALF
        if parted and left[whole] > 0 and min(left[half] for half in halves) <= 0:
            left[whole] -= 1
            bare[at], bare[at + 1] = bare[at][:-1], lower[1:]
    return bare


def _without_line_numbers(lost: Iterable[LostLine]) -> Iterator[LostLine]:
    """The lines but for those of which nothing is missing but a number that counts them."""
    counting: list[LostLine] = []
    for line in lost:
        number = _number_of(line)
        if counting and number != int(counting[-1].words[0]) + 1:
            yield from counting if len(counting) < _LEAST_COUNTED else ()
            counting = []
        if number is None:
            yield line
        else:
            counting.append(line)
    yield from counting if len(counting) < _LEAST_COUNTED else ()


def _number_of(line: LostLine) -> int | None:
    """The number at an end of a line, if nothing else of it is missing."""
    if len(line.words) > 1 or not line.words[0].isdecimal():
        return None
    words = words_of(line.line.text)
    return int(line.words[0]) if line.words[0] in (words[0], words[-1]) else None


def _missing(words: Sequence[str], left: Counter[str], texts: Letters) -> Iterator[str]:
    """The words of a line of which none is left, and that are in no run of letters, either."""
    found = []
    for word in words:
        found.append(left[word] > 0)
        left[word] -= 1
    if all(found):
        return
    in_runs = letters_in_runs("".join(words), [texts])
    start = 0
    for word, is_found in zip(words, found):
        end = start + len(word)
        if not is_found and 0 in in_runs[start:end]:
            yield word
        start = end
