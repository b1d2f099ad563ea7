"""Where a text stands nearly word for word in another: in one piece, or with words that differ, and
whether these are numbers or negations.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from enum import StrEnum
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from citeloom.domain.text.hebrew_arabic import keeps_vowel_signs
from citeloom.domain.text.normal_form import KeyedText, TextSpan, quotation_key
from citeloom.domain.text.tokens import UNSEGMENTED
from citeloom.domain.text.verbatim import occurrences, spans_between_omissions
from citeloom.domain.text.word_lists import word_list, words_of_all_languages

# What turns a statement into another one by a single word: numbers and negations.

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_NUMBER = re.compile(r"(?<![\w.,])[-+]?\d+(?:[.,]\d+)*|\d+(?:[.,]\d+)*|[²³¹⁰-⁹₀-₉¼-¾]")
_UNSEGMENTED = re.compile(f"[{UNSEGMENTED}]")
_BETWEEN_UNSEGMENTED = re.compile(f"(?<=[{UNSEGMENTED}]) (?=[{UNSEGMENTED}])")
_NEGATING = ("un", "in", "im", "ir", "il", "non", "dis", "a", "nicht")


class Remark(StrEnum):
    """What a change does to the meaning."""

    NUMBER = "number"
    NEGATION = "negation"
    NAME = "name"
    OPPOSITE = "opposite"


def negations(text: str) -> Counter[str]:
    """The negating words of a text, English contractions as `not`, in each language that has a list
    of them; what no spaces part, wherever it stands.
    """
    counts: Counter[str] = Counter()
    negating = words_of_all_languages("not")
    for word in _words(text):
        if word.endswith("n't") or word == "cannot":
            counts["not"] += 1
        elif word in negating:
            counts[word] += 1
        elif word.startswith("n'"):
            counts["ne"] += 1
    if _UNSEGMENTED.search(text):
        counts += Counter(word for word in negating if _UNSEGMENTED.match(word) and word in text)
    return counts


def numbers(text: str) -> Counter[str]:
    """The numbers of a text as they are written, in digits and in words."""
    digits = (number.replace(",", ".").removeprefix("+") for number in _NUMBER.findall(text))
    in_words = word_list("number", "en", "de", "pt")
    return Counter(digits) + Counter(word for word in _words(text) if word in in_words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.replace("\u2019", "'").casefold())


def remarks_on(quote: str, work: str) -> Iterator[Remark]:
    """What words of a quotation change of those that the work has there."""
    digits, work_digits = (re.findall(r"\d+", text) for text in (quote, work))
    if numbers(quote) != numbers(work) or digits != work_digits:
        yield Remark.NUMBER
    words, work_words = set(quote.casefold().split()), set(work.casefold().split())
    only, work_only = words - work_words, work_words - words
    has_prefix = any(
        prefix + word in others
        for those, others in ((only, work_only), (work_only, only))
        for word in those
        for prefix in _NEGATING
    )
    if has_prefix or negations(quote) != negations(work):
        yield Remark.NEGATION


# In one piece: the places where so much of a quote stands without a break.


class CommonPiece(NamedTuple):
    """A piece that a quote and a text have in common: where it begins in either, and its length."""

    at: int
    place: int
    size: int


def pieces_in_common(quote: str, text: str, least: int) -> list[CommonPiece]:
    """The pieces of at least so many characters, more than half of the quote, longest first.

    Wherever a piece of that length begins, it holds the middle of the quote.
    """
    first, last = len(quote) - least, max(least, len(quote) - least + 1)
    pieces = []
    for place in occurrences(quote[first:last], text):
        before = _common(quote[:first][::-1], text[max(place - first, 0) : place][::-1])
        behind = place + last - first
        after = _common(quote[last:], text[behind : behind + len(quote) - last])
        piece = CommonPiece(first - before, place - before, before + last - first + after)
        if piece.size >= least:
            pieces.append(piece)
    return sorted(pieces, key=lambda piece: -piece.size)


def _common(first: str, second: str) -> int:
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


# With words that differ: the place that is nearest, and the words on either side.

_LEAST_RUN = 0.2
"""The share of a quotation's letters that must stand in the text in one piece."""
_SHINGLES = ((14, 5), (8, 3))
_NEARLY_ALL, _LEAST_PIECES = 0.8, 0.25
"""The share of a quotation's pieces that a place has where nearly all of its words stand: one word
in ten that differs breaks four pieces in ten.
"""
_MOST_PIECES = 16
_MOST_PLACES, _MOST_WINDOWS = 40, 4
_BUCKET, _SLACK = 240, 80
_STRAY = 9
_ROOM = 4
"""How many words more the text may have at either end."""
_MOST_LEFT_OUT = 25
"""How many words of the text may be missing in one place of a quotation that is near."""
_LONGEST = 6_000
_LONGEST_WORD = 80
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010][ \t]*\n\s*(?=[^\W\d_])")
_HERE = "\u00ad"
"""Takes the place of a line break within a word, so that offsets stay."""
_LETTER = rf"[^\W_{UNSEGMENTED}]"
_TOKEN = re.compile(
    rf"{_LETTER}(?:{_HERE}*{_LETTER})*(?:['\u2019.,:/-]{_HERE}*{_LETTER}(?:{_HERE}*{_LETTER})*)*"
    rf"|[{UNSEGMENTED}]|[^\s\w{_HERE}]"
)
_CUT_WORD = re.compile(rf"{_LETTER}{{1,{_LONGEST_WORD}}}$")
_MARKS = frozenset(
    "\"'\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u00ab\u00bb\u2039\u203a`"
    "\u300c\u300d\u300e\u300f\uff62\uff63\u301d\u301e\u301f-\u2010\u2011\u2012\u2013\u2014"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordChange:
    """Words of a quotation where the work has others; either may be empty."""

    quote: str
    work: str
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMatch:
    """Where a work comes near a quotation: the share of its letters there, and the changes."""

    span: TextSpan
    share: float
    changes: tuple[WordChange, ...]


def nearest_match(quotation: str, work: KeyedText, at_least: float) -> NearMatch | None:
    """The place in a work that is nearest to a quotation, each part between ellipses by itself;
    None where a smaller share of its letters than `at_least` is there.
    """
    if len(quotation) > _LONGEST:
        quotation = _CUT_WORD.sub("", quotation[:_LONGEST])
    spans = spans_between_omissions(quotation)
    parts = [(part, tokens) for part in spans if (tokens := _tokens(part))]
    least_pieces = _LEAST_PIECES if at_least >= _NEARLY_ALL else 0.0
    matches: list[NearMatch] = []
    for part, tokens in parts:
        windows = _windows(quotation_key(part), work.key, least_pieces)
        aligned = (_aligned(tokens, work, window) for window in windows)
        candidates = [match for match in aligned if match is not None]
        if not candidates:
            return None
        matches.append(max(candidates, key=lambda match: (match.share, -match.span.start)))
    sizes = [_size(tokens) for _, tokens in parts]
    share = sum(match.share * size for match, size in zip(matches, sizes)) / (sum(sizes) or 1)
    if not matches or share < at_least:
        return None
    return NearMatch(
        span=TextSpan(min(m.span.start for m in matches), max(m.span.end for m in matches)),
        share=share,
        changes=tuple(change for match in matches for change in match.changes),
    )


def _windows(key: str, text: str, least_share: float) -> list[tuple[int, int]]:
    """The spans of the work's key that share most pieces with the quotation's, best first, and at
    least this share of them; none where no run of characters is there in which `_LEAST_RUN` of its
    letters can be.
    """
    run = int(len(key) * _LEAST_RUN / 2.4)
    if run >= _SHINGLES[-1][0] and not any(
        key[at : at + run] in text for at in range(0, len(key) - run + 1, run)
    ):
        return []
    for size, least_step in _SHINGLES:
        step = max(least_step, (len(key) - size) // _MOST_PIECES) if least_share else least_step
        begins: dict[int, list[int]] = defaultdict(list)
        for at in range(0, max(len(key) - size, 0) + 1, step):
            for place in islice(occurrences(key[at : at + size], text), _MOST_PLACES):
                begins[(place - at) // _BUCKET].append(place - at)
        if begins:
            break
    least = least_share * (len(key) - size) / step
    both = {bucket: [*places, *begins.get(bucket + 1, ())] for bucket, places in begins.items()}
    most = sorted(both.values(), key=len, reverse=True)[:_MOST_WINDOWS]
    return [
        # words may be left out behind the last piece
        (max(min(places) - _SLACK, 0), min(max(places) + len(key) + _BUCKET, len(text)))
        for places in most
        if len(places) >= least
    ]


# The words of two texts side by side.


@dataclass(frozen=True, slots=True)
class AlignedWords:
    """Words of a quotation and of the work that stand side by side."""

    quote: str
    """In the quotation; may be empty."""
    work: str
    """In the work; may be empty."""
    same: bool
    """Whether they differ in nothing but white space, hyphens and quotation marks."""


def aligned_words(quote: str, work: str) -> Iterator[AlignedWords]:
    """The words of two texts side by side, from the first to the last."""
    own, others = (_WRITTEN.findall(text) for text in (quote, work))
    keys, other_keys = ([quotation_key(word) or word for word in words] for words in (own, others))
    matcher = SequenceMatcher(None, keys, other_keys, autojunk=False)
    for tag, start, end, low, high in matcher.get_opcodes():
        # the same letters, however these are divided into words
        same = tag == "equal" or "".join(keys[start:end]) == "".join(other_keys[low:high])
        yield AlignedWords(_spaced(own[start:end]), _spaced(others[low:high]), same)


_WRITTEN = re.compile(rf"[{UNSEGMENTED}]|[^\s{UNSEGMENTED}]+")


def _spaced(words: Sequence[str]) -> str:
    return _BETWEEN_UNSEGMENTED.sub("", " ".join(words))


class _Token(NamedTuple):
    key: str
    text: str
    start: int
    end: int


def _tokens(text: str, at: int = 0) -> list[_Token]:
    """Words and signs of a text that begins `at` an offset; quotation marks and dashes alone do
    not count.
    """
    whole = _HYPHENATED.sub(lambda broken: _HERE * len(broken[0]), text)
    return [
        _Token(_word_key(word), word, at + match.start(), at + match.end())
        for match in _TOKEN.finditer(whole)
        if (word := match[0].replace(_HERE, "")) not in _MARKS
    ]


def _tokens_within(span: TextSpan, text: str) -> list[_Token]:
    """Those of a part of a text, whole where the part begins or ends within a word."""
    low = max(span.start - _LONGEST_WORD, 0)
    tokens = _tokens(text[low : span.end + _LONGEST_WORD], low)
    return [token for token in tokens if token.end > span.start and token.start < span.end]


@lru_cache(maxsize=50_000)
def _word_key(word: str) -> str:
    return quotation_key(word).casefold() or word


def _aligned(quote: Sequence[_Token], work: KeyedText, window: tuple[int, int]) -> NearMatch | None:
    """The words of a part of a quotation set beside those of a window of the work."""
    there = _tokens_within(work.from_key(*window), work.text)
    blocks = _without_strays(_nearby_blocks(_blocks(quote, there), quote), quote)
    if not blocks:
        return None
    blocks = _with_ends(blocks, quote, there)
    first, last = blocks[0], blocks[-1]
    low = max(first.b - first.a, 0)
    high = min(last.b + last.size + len(quote) - last.a - last.size, len(there))
    runs, changes = [0], []
    at, place = 0, low
    for block in (*blocks, Match(len(quote), high, 0)):
        end = block.a + block.size
        for quoted, others in (
            (quote[at : block.a], there[place : block.b]),
            (quote[block.a : end], there[block.b : block.b + block.size]),
        ):
            own, other = _joined(quoted), _joined(others)
            # the same letters, however these are divided into words
            same = quotation_key(own).casefold() == quotation_key(other).casefold()
            if own and same and keeps_vowel_signs(own, other):
                runs.append(_size(quoted))
            elif own or other:
                remarks = tuple(remarks_on(own, other))
                changes.append(WordChange(quote=own, work=other, remarks=remarks))
        at, place = end, block.b + block.size
    total = _size(quote) or 1
    if max(runs) < _LEAST_RUN * total:
        return None
    span = TextSpan(there[low].start, there[high - 1].end)
    return NearMatch(span=span, share=sum(runs) / total, changes=tuple(changes))


def _blocks(quote: Sequence[_Token], there: Sequence[_Token]) -> list[Match]:
    keys, work_keys = ([token.key for token in tokens] for tokens in (quote, there))
    return SequenceMatcher(None, keys, work_keys, autojunk=False).get_matching_blocks()[:-1]


def _nearby_blocks(blocks: list[Match], quote: Sequence[_Token]) -> list[Match]:
    """The matching blocks that stand near one another in the work: the most of the quotation."""
    groups: list[list[Match]] = []
    for block in blocks:
        if groups and block.b - groups[-1][-1].b - groups[-1][-1].size <= _MOST_LEFT_OUT:
            groups[-1].append(block)
        else:
            groups.append([block])

    def size(group: list[Match]) -> int:
        return sum(_size(quote[block.a : block.a + block.size]) for block in group)

    return max(groups, key=size, default=[])


def _without_strays(blocks: list[Match], quote: Sequence[_Token]) -> list[Match]:
    """The matching blocks without short ones at either end that stand far from the others."""

    def is_stray(block: Match, low: Match, high: Match) -> bool:
        gap, quote_gap = high.b - low.b - low.size, high.a - low.a - low.size
        return gap > quote_gap + 4 and _size(quote[block.a : block.a + block.size]) < _STRAY

    kept = list(blocks)
    while len(kept) > 1 and is_stray(kept[0], kept[0], kept[1]):
        kept.pop(0)
    while len(kept) > 1 and is_stray(kept[-1], kept[-2], kept[-1]):
        kept.pop()
    return kept


def _with_ends(
    blocks: list[Match], quote: Sequence[_Token], there: Sequence[_Token]
) -> list[Match]:
    """The matching blocks with those of the words before the first and behind the last, each as
    near to these as can be: a short word may have been matched where the work has it elsewhere.
    """
    first, last = blocks[0], blocks[-1]
    before = there[max(first.b - first.a - _ROOM, 0) : first.b]
    head = _blocks(quote[: first.a][::-1], before[::-1])
    at, place = last.a + last.size, last.b + last.size
    tail = _blocks(quote[at:], there[place : place + len(quote) - at + _ROOM])
    return [
        *(
            Match(first.a - block.a - block.size, first.b - block.b - block.size, block.size)
            for block in reversed(head)
        ),
        *blocks,
        *(Match(at + block.a, place + block.b, block.size) for block in tail),
    ]


def _joined(tokens: Sequence[_Token]) -> str:
    """The tokens as they are written: no spaces part the letters of a script that has none."""
    return _BETWEEN_UNSEGMENTED.sub("", " ".join(token.text for token in tokens))


def _size(tokens: Sequence[_Token]) -> int:
    return sum(map(str.isalnum, "".join(token.text for token in tokens)))
