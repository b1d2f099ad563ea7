"""Words that are glued ("rivercarries") or broken ("ex ternal"), by a second reader of the page.

Readers differ in where they see a space. The words of the whole document decide: a word is glued
where the other reader parts it into words of the document and it is none itself, and broken where
the other reader has a word of the document whole.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from citeloom.domain.evaluation.line_order import PageText, PrintedPage, StoredText
from citeloom.domain.evaluation.page_truth import Letters

_PLAIN = re.compile(r"[^\w\s]*[^\W\d_]+[^\w\s]*")
_KNOWN = 2  # times that a word of the document occurs in it
_LEAST_WHOLE, _LEAST_PART = 4, 2  # letters


@dataclass(frozen=True, slots=True, kw_only=True)
class WordFaults:
    """How many words were compared, and those that are wrong."""

    words: int = 0
    glued: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


class _Words:
    """The words of a text by their letters, and whether each is nothing but letters."""

    def __init__(self, text: str) -> None:
        tokens = [(Letters(token).joined, token) for token in text.split()]
        self.letters = [letters for letters, _ in tokens if letters]
        self.plain = [_PLAIN.fullmatch(token) is not None for letters, token in tokens if letters]
        self.ends = list(accumulate(map(len, self.letters)))

    def between(self, start: int, end: int) -> list[str] | None:
        """The words that make up the letters `[start, end)`, if whole words do."""
        first, last = self._at(start), self._at(end)
        return None if first is None or last is None else self.letters[first:last]

    def _at(self, position: int) -> int | None:
        """How many words end by this letter, if one ends with it."""
        if position == 0:
            return 0
        index = bisect_left(self.ends, position)
        return index + 1 if self.ends[index : index + 1] == [position] else None


def word_faults(pages: Iterable[tuple[PrintedPage, Sequence[PageText]]]) -> WordFaults:
    """Compare the spaces of the stored parts of each page with those of its printed lines."""
    read = list(pages)
    counts = Counter(word for page, _ in read for word in _Words(page.text).letters)
    words, glued, broken = 0, list[str](), list[str]()
    for page, parts in read:
        stored = StoredText(parts)
        ours = _Words("\n\n".join(part.text for part in parts))
        for line in stored.found(page.lines):
            if line.position < 0 or line.aside:
                continue
            printed = _Words(line.line.text)
            words += len(printed.letters)
            glued += _glued(ours, printed, line.position, counts)
            broken += _broken(ours, printed, line.position, counts)
    return WordFaults(words=words, glued=tuple(glued), broken=tuple(broken))


def _glued(ours: _Words, printed: _Words, at: int, counts: Counter[str]) -> Iterator[str]:
    """Words of the stored text that the printed line parts."""
    first = bisect_left(ours.ends, at)
    last = bisect_right(ours.ends, at + printed.ends[-1])
    for index in range(first, last):
        word, end = ours.letters[index], ours.ends[index] - at
        parts = printed.between(end - len(word), end) if end >= len(word) else None
        if not parts or len(parts) < 2 or not ours.plain[index] or counts[word]:
            continue
        if all(len(part) >= _LEAST_PART and counts[part] >= _KNOWN for part in parts):
            yield word


def _broken(ours: _Words, printed: _Words, at: int, counts: Counter[str]) -> Iterator[str]:
    """Words of the printed line that the stored text parts."""
    for index, (start, end) in enumerate(pairwise([0, *printed.ends])):
        word = printed.letters[index]
        if len(word) < _LEAST_WHOLE or not printed.plain[index] or counts[word] < _KNOWN:
            continue
        parts = ours.between(at + start, at + end)
        if parts and len(parts) > 1 and not all(counts[part] >= _KNOWN for part in parts):
            yield " ".join(parts)
