"""The place in a work that is nearest to a quotation, and what differs, word by word."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from citeloom.domain.answers.quotes import negations, numbers
from citeloom.domain.manuscript.quotation_key import quotation_key, spans_between_omissions
from citeloom.domain.manuscript.work_text import TextSpan, WorkText

NEAR_SHARE = 0.6
"""The share of a quotation's letters that must stand in the work in words of their own."""
_LEAST_RUN = 0.2
"""The share of its letters that must stand there in one piece."""
_SHINGLES = ((14, 5), (8, 3))
_LEAST_PIECES = 0.25
"""The share of a quotation's pieces that a place has where nearly all of its words stand: one word
in ten that differs breaks four pieces in ten.
"""
_MOST_PIECES = 16
_MOST_PLACES, _MOST_WINDOWS = 40, 4
_BUCKET, _SLACK = 240, 80
_STRAY = 9
_ROOM = 4
"""How many words more the work may have at either end."""
_MOST_LEFT_OUT = 25
"""How many words of the work may be missing in one place of a quotation that is near."""
_LONGEST = 6_000


class Remark(StrEnum):
    """What a change does to the meaning."""

    NUMBER = "number"
    NEGATION = "negation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Words of a quotation where the work has others; either may be empty."""

    quote: str
    work: str
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMatch:
    """Where a work comes near a quotation: the share of its letters there, and the changes."""

    span: TextSpan
    share: float
    changes: tuple[Change, ...]


def nearest_match(quotation: str, work: WorkText, at_least: float = NEAR_SHARE) -> NearMatch | None:
    """The place in a work that is nearest to a quotation, each part between ellipses by itself;
    None where a smaller share of its letters than `at_least` is there.
    """
    spans = spans_between_omissions(quotation[:_LONGEST])
    parts = [(part, own) for part in spans if (own := _tokens(part))]
    pieces = _LEAST_PIECES if at_least > NEAR_SHARE else 0.0
    matches = [_nearest(quotation_key(part), own, work, pieces) for part, own in parts]
    candidates = [match for match in matches if match is not None]
    if not candidates or len(candidates) < len(parts):
        return None
    sizes = [_size(own) for _, own in parts]
    share = sum(match.share * size for match, size in zip(candidates, sizes)) / (sum(sizes) or 1)
    if share < at_least:
        return None
    return NearMatch(
        span=TextSpan(min(m.span.start for m in candidates), max(m.span.end for m in candidates)),
        share=share,
        changes=tuple(change for match in candidates for change in match.changes),
    )


# The windows of a work in which most of a quotation stands.


def _nearest(key: str, own: Sequence[_Token], work: WorkText, pieces: float) -> NearMatch | None:
    """The place in a work that is nearest to a part of a quotation, of which these are the key and
    the words.
    """
    windows = _windows(key, work.key, pieces) if _has_run(key, work.key) else ()
    aligned = (_aligned(own, work, window) for window in windows)
    return max(
        (match for match in aligned if match is not None),
        key=lambda match: (match.share, -match.span.start),
        default=None,
    )


def _has_run(key: str, text: str) -> bool:
    """Whether so many characters of the quotation's key stand in the work's in one piece that
    `_LEAST_RUN` of its letters can.
    """
    size = int(len(key) * _LEAST_RUN / 2.4)
    if size < _SHINGLES[-1][0]:
        return True
    return any(key[at : at + size] in text for at in range(0, len(key) - size + 1, size))


def _windows(key: str, text: str, pieces: float) -> list[tuple[int, int]]:
    """The spans of the work's key that share most pieces with the quotation's, best first, and at
    least this share of them.
    """
    for size, least_step in _SHINGLES:
        step = max(least_step, (len(key) - size) // _MOST_PIECES) if pieces else least_step
        votes: Counter[int] = Counter()
        begins: dict[int, list[int]] = defaultdict(list)
        for at in range(0, max(len(key) - size, 0) + 1, step):
            for place in _places(text, key[at : at + size]):
                bucket = (place - at) // _BUCKET
                votes[bucket] += 1
                begins[bucket].append(place - at)
        if votes:
            break
    else:
        return []
    least = pieces * (len(key) - size) / step
    joined = Counter(
        {bucket: count for bucket in votes if (count := votes[bucket] + votes[bucket + 1]) >= least}
    )
    windows = []
    for bucket, _ in joined.most_common(_MOST_WINDOWS):
        its = [*begins[bucket], *begins.get(bucket + 1, ())]
        end = max(its) + len(key) + _BUCKET  # words may be left out behind the last piece
        windows.append((max(min(its) - _SLACK, 0), min(end, len(text))))
    return windows


def _places(text: str, piece: str) -> Iterable[int]:
    at = text.find(piece)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(piece, at + 1)


# Words in order.

_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010][ \t]*\n\s*(?=[^\W\d_])")
_HERE = "\u00ad"
"""Takes the place of a line break within a word, so that offsets stay."""
_TOKEN = re.compile(
    rf"[^\W_](?:{_HERE}*[^\W_])*(?:['\u2019.,:/-]{_HERE}*[^\W_](?:{_HERE}*[^\W_])*)*|[^\s\w{_HERE}]"
)
_MARKS = frozenset(
    "\"'\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u00ab\u00bb\u2039\u203a`-\u2010\u2011\u2012\u2013\u2014"
)


class _Token(NamedTuple):
    key: str
    text: str
    start: int
    end: int


def _tokens(text: str) -> list[_Token]:
    """Words and signs; quotation marks and dashes alone do not count."""
    whole = _HYPHENATED.sub(lambda broken: _HERE * len(broken[0]), text)
    return [
        _Token(_word_key(word), word, *match.span())
        for match in _TOKEN.finditer(whole)
        if (word := match[0].replace(_HERE, "")) not in _MARKS
    ]


@lru_cache(maxsize=50_000)
def _word_key(word: str) -> str:
    return quotation_key(word).casefold() or word


def _aligned(own: Sequence[_Token], work: WorkText, window: tuple[int, int]) -> NearMatch | None:
    """The words of a part of a quotation set beside those of a window of the work."""
    whole = work.from_key(*window)
    its = _tokens(work.text[whole.start : whole.end])
    blocks = _without_strays(_together(_matches(own, its), own), own)
    if not blocks:
        return None
    blocks = _with_ends(blocks, own, its)
    first, last = blocks[0], blocks[-1]
    low = max(first.b - first.a, 0)
    high = min(last.b + last.size + len(own) - last.a - last.size, len(its))
    runs, changes = [0], []
    for one, other in _steps(own, its, blocks, (low, high)):
        quote, there = (" ".join(token.text for token in tokens) for tokens in (one, other))
        if quote and _same(quote, there):
            runs.append(_size(one))
        elif quote or there:
            remarks = tuple(_remarks(quote, there))
            changes.append(Change(quote=quote, work=there, remarks=remarks))
    total = _size(own) or 1
    if max(runs) < _LEAST_RUN * total:
        return None
    span = TextSpan(whole.start + its[low].start, whole.start + its[high - 1].end)
    return NearMatch(span=span, share=sum(runs) / total, changes=tuple(changes))


def _together(blocks: list[Match], own: Sequence[_Token]) -> list[Match]:
    """The matching blocks that stand near one another in the work: the most of the quotation."""
    groups: list[list[Match]] = []
    for block in blocks:
        if groups and block.b - groups[-1][-1].b - groups[-1][-1].size <= _MOST_LEFT_OUT:
            groups[-1].append(block)
        else:
            groups.append([block])

    def size(group: list[Match]) -> int:
        return sum(_size(own[block.a : block.a + block.size]) for block in group)

    return max(groups, key=size, default=[])


def _without_strays(blocks: list[Match], own: Sequence[_Token]) -> list[Match]:
    """The matching blocks without short ones at either end that stand far from the others."""
    kept = list(blocks)
    while len(kept) > 1 and _is_stray(kept[0], (kept[0], kept[1]), own):
        kept.pop(0)
    while len(kept) > 1 and _is_stray(kept[-1], (kept[-2], kept[-1]), own):
        kept.pop()
    return kept


def _is_stray(block: Match, pair: tuple[Match, Match], own: Sequence[_Token]) -> bool:
    low, high = pair
    gap = high.b - low.b - low.size
    own_gap = high.a - low.a - low.size
    return _size(own[block.a : block.a + block.size]) < _STRAY and gap > own_gap + 4


def _with_ends(blocks: list[Match], own: Sequence[_Token], its: Sequence[_Token]) -> list[Match]:
    """The matching blocks with those of the words before the first and behind the last, each as
    near to these as can be: a short word may have been matched where the work has it elsewhere.
    """
    first, last = blocks[0], blocks[-1]
    its_head = its[max(first.b - first.a - _ROOM, 0) : first.b]
    head = _matches(own[: first.a][::-1], its_head[::-1])
    at, place = last.a + last.size, last.b + last.size
    tail = _matches(own[at:], its[place : place + len(own) - at + _ROOM])
    return [
        *(
            Match(first.a - one.a - one.size, first.b - one.b - one.size, one.size)
            for one in reversed(head)
        ),
        *blocks,
        *(Match(at + one.a, place + one.b, one.size) for one in tail),
    ]


def _matches(own: Sequence[_Token], its: Sequence[_Token]) -> list[Match]:
    """The runs of words that both have, in order."""
    matcher = SequenceMatcher(None, [t.key for t in own], [t.key for t in its], autojunk=False)
    return matcher.get_matching_blocks()[:-1]


_Step = tuple[Sequence[_Token], Sequence[_Token]]


def _steps(
    own: Sequence[_Token], its: Sequence[_Token], blocks: list[Match], ends: tuple[int, int]
) -> list[_Step]:
    """The quotation and the work side by side: runs that are the same, and those between them."""
    steps: list[_Step] = []
    at, place = 0, ends[0]
    for block in blocks:
        steps.append((own[at : block.a], its[place : block.b]))
        at, place = block.a + block.size, block.b + block.size
        steps.append((own[block.a : at], its[block.b : place]))
    return [*steps, (own[at:], its[place : ends[1]])]


def _same(quote: str, work: str) -> bool:
    """Whether both are the same letters, however these are divided into words."""
    return quote == work or (quotation_key(quote).casefold() == quotation_key(work).casefold())


def _size(tokens: Sequence[_Token]) -> int:
    """How many letters and digits there are."""
    return sum(map(str.isalnum, "".join(token.text for token in tokens)))


_NEGATING = ("un", "in", "im", "ir", "il", "non", "dis", "a", "nicht")


def _remarks(quote: str, work: str) -> Iterable[Remark]:
    if numbers(quote) != numbers(work) or _digits(quote) != _digits(work):
        yield Remark.NUMBER
    if negations(quote) != negations(work) or _is_negated(quote, work):
        yield Remark.NEGATION


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _is_negated(quote: str, work: str) -> bool:
    """Whether a word has a negating prefix on one side alone."""
    own, its = set(quote.casefold().split()), set(work.casefold().split())
    sides = ((own - its, its - own), (its - own, own - its))
    return any(
        prefix + word in others for words, others in sides for word in words for prefix in _NEGATING
    )
