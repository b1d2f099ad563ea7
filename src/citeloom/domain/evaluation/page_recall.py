"""Which words of a page arrived nowhere, glued or broken, by a second reader of the page.

Two readers agree on letters, not on spaces, hyphens or the order of cells: so a line has arrived
whose letters stand together in the texts that were made of the page, and of any other line the
words that these have, each as often as they have it, also as the half of a word that the end of a
line parts, or as the parts of words of these; of a formula, whose letters two readers part
differently, letters that are in no other line. A sign of TeX's fonts for formulas may be the letter
that has its code. Numbers that count lines are left out on purpose. Chinese, Japanese, Korean and
other scripts whose words stand together or are parted at any line's end are compared by characters;
two count as a word.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby, pairwise

from citeloom.domain.documents.conversion import LostWords
from citeloom.domain.evaluation.line_order import PageText, PrintedLine, PrintedPage, StoredText
from citeloom.domain.evaluation.page_truth import RUN, Letters, letters_in_runs

_LEADER = re.compile(r"(?:\.\s?){4,}\s*\S{0,8}\s*$")
_EDGE_LINES = 3  # at the head and at the foot of a page: running heads, numbers of pages
_LEAST_PAGES = 3  # a line that recurs on so many is a running head
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^{_UNSPACED}]+")
_CHARACTER = re.compile(rf"[{_UNSPACED}]")
_FIRST_UNSPACED = "\u0e00"
_SAMPLE = 12  # words
# signs of TeX's fonts for formulas whose names a reader may not know: it gives the letter that has
# their code, of some one of two
_CODES = str.maketrans(
    {
        **dict(zip("\u27e8\u2329\u3008\u27e9\u232a\u3009\u2016\u2225\u0338\u221a", "hhhiiikk6p")),
        **dict(zip("\u230a\u230b\u2308\u2309\u2a3f\u2207\u222b\u2211\u220f", "bcdeqrZXY")),
        **dict(zip("\u2294\u2293\u2291\u2292\u2240\u2210\u22c3\u22c2", "tuvwo`ST")),
        "\u2260": "6=",
        "\u2209": "6\u2208",
        "\u21a6": "7\u2192",
        "\u03f5": "\x0f",
    }
)
_CODED = frozenset(map(chr, _CODES))
_OTHER_CODES = {"\u222b": "r", "\u2211": "p", "\u220f": "q", "{": "n", "}": "o"}
_LEAST_HALF = 2  # letters of a word that the end of a line parts
_FEW_LETTERS = 4  # of a variable with its indexes
_SHORT = 6  # letters of a word that may be made of several of these
_LEAST_TOGETHER = 3  # letters of words that are parted otherwise
_LEAST_COUNTED = 3  # numbers that go up by one, one a line, count these


@dataclass(frozen=True, slots=True)
class LostLine:
    """A line of a page, and those of its words that arrived nowhere."""

    line: PrintedLine
    words: tuple[str, ...]
    of: int
    """How many words the line has."""

    @property
    def printed(self) -> tuple[str, ...]:
        """The words as the page spells them."""
        return tuple(as_printed(self.words, self.line.text))


@dataclass(frozen=True, slots=True)
class PageWords:
    """How many words a page has, its lines with words that arrived nowhere, and the numbers that
    count its lines and did not, either.
    """

    count: int
    lost: tuple[LostLine, ...] = ()
    line_numbers: tuple[str, ...] = ()

    @property
    def lost_words(self) -> Sequence[str]:
        """The words that arrived nowhere, as the page spells them."""
        return [word for line in self.lost for word in line.printed]

    @property
    def lost_count(self) -> int:
        """How many these are."""
        return count_words(self.lost_words)


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared."""
    return [*_tokens(Letters(text).words)]


def as_printed(words: Iterable[str], text: str) -> list[str]:
    """Some words of a text as they are compared, in its own spelling, as far as both part them
    alike.
    """
    spelled: dict[str, str] = {}
    for token in text.split():
        own, parts = words_of(token), "".join(map(_letter_or_space, token)).split()
        if len(own) == len(parts):
            spelled.update(zip(own, parts))
    return [spelled.get(word, word) for word in words]


def _letter_or_space(char: str) -> str:
    """A letter, digit or mark over one as itself, what is invisible as nothing."""
    kind = unicodedata.category(char)
    return char if kind[0] in "LMN" else "" if kind == "Cf" else " "


def _tokens(words: Sequence[str]) -> Sequence[str]:
    """The words, those in a script without spaces by their characters."""
    if _CHARACTER.search("".join(words)) is None:
        return words
    return [token for word in words for token in _TOKEN.findall(word)]


def count_words(words: Iterable[str]) -> int:
    """How many words these are, two characters of a script without spaces counted as one."""
    lengths = Counter(word > _FIRST_UNSPACED and bool(_CHARACTER.match(word)) for word in words)
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
    return edges + [line.text for line in page.all_lines if _LEADER.search(line.text)]


def _edge_lines(page: PrintedPage) -> Sequence[PrintedLine]:
    ordered = sorted(page.all_lines, key=lambda line: line.top)
    return [*ordered[:_EDGE_LINES], *ordered[_EDGE_LINES:][-_EDGE_LINES:]]


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "#", " ".join(text.casefold().split()))


class _Arrived:
    """The texts that were made of a page, also with the codes of signs in their place, and how
    often each word is left of them.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        raw = "\n\n".join(texts)
        coded = raw if _CODED.isdisjoint(raw) else raw.translate(_CODES)
        self.readings = [Letters(text) for text in dict.fromkeys((raw, coded))]
        self.left = Counter[str]()
        for reading in self.readings:
            self.left |= Counter(_tokens(reading.words))
        if len(self.readings) > 1:
            self.left.update({code: raw.count(sign) for sign, code in _OTHER_CODES.items()})

    def spare_letters(self, printed: Set[str]) -> Counter[str]:
        """The letters of short words that are not printed as such; those that are may be the
        overlap of chunks.
        """
        short = {word for word in _tokens(self.readings[0].words) if len(word) <= _SHORT} - printed
        return Counter("".join(word * self.left[word] for word in short))

    def take(self, words: Sequence[str]) -> bool:
        """Whether these words are some of the texts' own, however both are parted; these are then
        taken.
        """
        letters = "".join(words)
        if len(letters) >= _LEAST_TOGETHER and not (len(letters) < RUN and letters.isdecimal()):
            for reading, ends in zip(self.readings, self._ends):
                own = _words_at(letters, reading, ends)
                if own:
                    for token in _tokens(own):
                        self.left[token] -= 1
                    return True
        if len(letters) < RUN or not any(letters in reading.joined for reading in self.readings):
            return False
        self.left.subtract(words)
        return True

    @cached_property
    def _ends(self) -> Sequence[Mapping[int, int]]:
        """How many words end by each place in the letters of each reading where one does."""
        return [
            {end: at for at, end in enumerate(accumulate(map(len, reading.words), initial=0))}
            for reading in self.readings
        ]


def _words_at(letters: str, reading: Letters, ends: Mapping[int, int]) -> Sequence[str]:
    """The words of a reading that have the letters, if whole words do."""
    position = reading.joined.find(letters)
    while position >= 0:
        first, last = ends.get(position), ends.get(position + len(letters))
        if first is not None and last is not None:
            return reading.words[first:last]
        position = reading.joined.find(letters, position + 1)
    return ()


def page_words(page: PrintedPage, arrived: Sequence[str]) -> PageWords:
    """Compare the words of a page with the texts that were made of it."""
    texts = _Arrived(arrived)
    lines = page.all_lines or tuple(PrintedLine(text=line) for line in page.text.splitlines())
    words = [words_of(line.text) for line in lines]
    bare = _without_halves(words, texts.left)
    scattered = []
    for at, (line, of_line) in enumerate(zip(lines, words)):
        if of_line and not texts.take(of_line):
            scattered.append((at, line))
    missed = [(at, line, tuple(_missing(bare[at], texts))) for at, line in scattered]
    spare = texts.spare_letters({word for of_line in words for word in of_line})
    lost = [
        LostLine(line, missing, len(words[at]))
        for at, line, found in missed
        if (missing := tuple(word for word in found if not _is_spare(word, spare)))
    ]
    found = tuple(_without_line_numbers(lost))
    kept = set(map(id, found))
    numbers = tuple(line.words[0] for line in lost if id(line) not in kept)
    return PageWords(count_words(word for of_line in words for word in of_line), found, numbers)


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


def _is_spare(word: str, spare: Counter[str]) -> bool:
    """Whether a few letters are among those that arrived and are no line's; they are then taken."""
    letters = Counter(word)
    if len(word) > _FEW_LETTERS or not letters <= spare:
        return False
    spare.subtract(letters)
    return True


def _number_of(line: LostLine) -> int | None:
    """The number at an end of a line, if nothing else of it is missing."""
    if len(line.words) > 1 or not line.words[0].isdecimal():
        return None
    words = words_of(line.line.text)
    return int(line.words[0]) if line.words[0] in (words[0], words[-1]) else None


def _missing(words: Sequence[str], texts: _Arrived) -> Iterator[str]:
    """The words of a line of which none is left, and that are in no run of letters, either, nor
    together the texts' own.
    """
    found = []
    for word in words:
        as_read = word if texts.left[word] > 0 else _turned(word, texts.left)
        found.append(texts.left[as_read] > 0)
        texts.left[as_read] -= 1
    if all(found):
        return
    in_runs = letters_in_runs("".join(words), texts.readings)
    ends = [*accumulate(map(len, words), initial=0)]
    is_missing = [
        not found[at] and 0 in in_runs[start:end] for at, (start, end) in enumerate(pairwise(ends))
    ]
    for missing, group in groupby(zip(is_missing, words), key=lambda each: each[0]):
        neighbours = [word for _, word in group]
        if missing and not texts.take(neighbours):
            yield from neighbours


def _turned(word: str, left: Counter[str]) -> str:
    """A word from the right as it is written, where the second reader has it as it is drawn."""
    turned = word[::-1]
    from_right = unicodedata.bidirectional(word[0]) in ("R", "AL")
    return turned if from_right and left[turned] > 0 else word


# Words that are glued or broken.

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
