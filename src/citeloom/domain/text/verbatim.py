"""Whether a text stands in another as it is: its letters, whole words, a quotation part by part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from citeloom.domain.text.normal_form import (
    KeyedText,
    NormalText,
    TextSpan,
    letters_of,
    quotation_key,
)
from citeloom.domain.text.tokens import UNSEGMENTED, content_words, unsegmented_letters

_LEAST_WORDS = 5
_STEM = 5


def occurrences(part: str, text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Each place in `text[start:end]` where the part stands; they may overlap."""
    at = text.find(part, start, end)
    while at >= 0:
        yield at
        at = text.find(part, at + 1, end)


def content_share(sentence: str, texts: Iterable[str]) -> float:
    """The share of the sentence's content words that are in the texts, up to their endings.

    1 for a sentence without content words.
    """
    stems = [word[:_STEM] for word in content_words(sentence)]
    text_stems = {word[:_STEM] for text in texts for word in content_words(text)}
    return sum(word in text_stems for word in stems) / len(stems) if stems else 1.0


# Quotations of any kind, by their letters and digits alone.


def may_be_quotation(query: str) -> bool:
    """Whether the query may be a quotation: at least five words, two letters each where no spaces
    part them, and not a question.
    """
    words = len(query.split()) + unsegmented_letters(query) // 2
    return words >= _LEAST_WORDS and not query.rstrip().endswith(("?", "\uff1f", "\u304b\u3002"))


def holds_verbatim(text: str, query: str) -> bool:
    """Whether `text` contains the letters and digits of `query` in sequence.

    White space, punctuation, hyphens, case and ligatures are ignored, since PDF readers copy them
    differently. A query without letters and digits is in no text.
    """
    query_letters = letters_of(query)
    return bool(query_letters) and query_letters in letters_of(text)


def may_run_on(text: str, query: str) -> bool:
    """Whether `text` contains the first or the second half of `query`."""
    letters, query_letters = letters_of(text), letters_of(query)
    half = len(query_letters) // 2
    return bool(half) and (query_letters[:half] in letters or query_letters[half:] in letters)


def runs_on(before: str, after: str, query: str) -> bool:
    """Whether `query` is verbatim in two neighbouring texts joined; the second may repeat the end
    of the first.
    """
    first, second = letters_of(before), letters_of(after)
    query_letters = letters_of(query)
    repeated = next(
        (size for size in range(len(second), 0, -1) if first.endswith(second[:size])), 0
    )
    return bool(query_letters) and query_letters in first + second[repeated:]


# Where a word stands in a text.

_LETTER = rf"[^\W{UNSEGMENTED}]"
"""A letter or digit beside which a word does not end."""
_EXTENSION = re.compile(r"\.[^\W\d_]")
_DOTTED_NAME = re.compile(r"(?<![\w.])\.[A-Z]{2}")
_EDGE = re.compile(rf"(?![{UNSEGMENTED}])\w")


def holds_word(text: str, word: str) -> bool:
    """Whether a text has the word as a whole word."""
    return next(word_spans(text, word), None) is not None


def word_spans(text: str, word: str) -> Iterator[tuple[int, int]]:
    """The span of each occurrence of a word, or of several in a row, as whole words.

    A letter of a script that does not part words by spaces needs no boundary beside it. The letters
    of a name with signs are no word of their own.
    """
    wanted = _normal(word)
    if not wanted.may_stand_in(text):
        return
    pattern = _whole(wanted.text)
    normal = NormalText.of(text)
    for match in pattern.finditer(normal.text):
        start, end = normal.span(*match.span())
        if not cuts_off_signs(text, start, end):
            yield start, end


def cuts_off_signs(text: str, start: int, end: int) -> bool:
    """Whether a span has the letters of a name without its signs: C of C++ and C#, NET of .NET."""
    dotted = start > 0 and _DOTTED_NAME.match(text, start - 1) is not None
    return dotted or (
        text[end - 1 : end].isalpha()
        and not text[max(end - 2, 0) : end - 1].isalnum()
        and text.startswith(("++", "#"), end)
    )


_normal = lru_cache(maxsize=256)(NormalText.of)


@lru_cache(maxsize=256)
def _whole(word: str) -> re.Pattern[str]:
    """The pattern of a word in normal form; one that matches nothing where there is none."""
    if not word:
        return re.compile(r"(?!)")
    before = rf"(?<!{_LETTER})" if _EDGE.match(word[0]) or _EXTENSION.match(word) else ""
    after = rf"(?!{_LETTER})" if _EDGE.match(word[-1]) else ""
    return re.compile(f"{before}{re.escape(word)}{after}")


def is_inside(text: str, place: int) -> bool:
    """Whether a place is within a word or a number."""
    if not 0 < place < len(text):
        return False
    before, after = text[max(place - 2, 0) : place], text[place : place + 2]
    if before[-1].isalnum() and after[0].isalnum():
        return True
    if after[0].isdigit():
        return before[-1] in "-+" or (before[-1] in ".," and before[0].isdigit())
    return before[-1].isdigit() and after[0] in ".," and after[-1].isdigit()


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The span made longer until it ends at word ends."""
    while start > 0 and is_inside(text, start):
        start -= 1
    while end < len(text) and is_inside(text, end):
        end += 1
    return start, end


# The parts of a quotation that stand in the work as they are.

_OMISSION = (
    r"\[\s*(?:\.\s*){3,}\]|\[\s*…+\s*\]|\(\s*…+\s*\)|\(\s*(?:\.\s*){3,}\)|…+|(?:\.\s?){3,}|\[--+\]"
)
_REMARK = (
    r"\[\s*(?:sic|!|\?|(?:my |own |original )?(?:emphasis|italics?|translation)[^\]]*|"
    r"(?:herv|kursiv)[^\]]*)\s*[!.]?\s*\]"
)
_CHANGE = r"\[[^\[\]\d][^\[\]]{0,119}\]|\[\s*\]"
_SPLIT = re.compile(
    rf"(?P<remark>{_REMARK})|(?P<omission>{_OMISSION})|(?P<change>{_CHANGE})", re.IGNORECASE
)
_BRACKETED_LETTER = re.compile(r"\[([^\W\d_])\](?=[^\W\d_])")
LONGEST_OMISSION = 6_000
"""How many characters of the work an ellipsis may stand for."""
_CHANGED_WORDS, _CHANGED_LETTERS = 80, 12
_ENDS = " \t\r\n.,;:\u2026"


@dataclass(frozen=True, slots=True)
class QuotedPart:
    """Characters of a quotation that stand in the work without a break, as a key.

    Up to `gap` characters of the work may lie between it and the part before. `loose` are the
    places in the key where a letter may be in either case.
    """

    key: str
    gap: int = 0
    loose: frozenset[int] = frozenset({0})


def quoted_parts(quotation: str) -> tuple[QuotedPart, ...]:
    """The parts of a quotation between its ellipses and bracketed changes, which stand in order.

    `[T]he` is one word whose first letter may have another case; `[sic]` and `[emphasis added]` are
    no part of what is quoted.
    """
    marked = _BRACKETED_LETTER.sub("\\1\x00", quotation.strip(_ENDS))
    parts: list[QuotedPart] = []
    changes = [*_SPLIT.finditer(marked)]
    at, gap, before = 0, 0, True
    for match in changes:
        text = marked[at : match.start()]
        gap = _add(parts, text, gap, (before, bool(match["omission"])))
        if match["omission"]:
            gap = LONGEST_OMISSION
        elif match["change"]:
            attached = marked[match.start() - 1 : match.start()].isalpha()
            gap = max(gap, _CHANGED_LETTERS if attached else _CHANGED_WORDS)
        at = match.end()
        before = bool(match["omission"])
    _add(parts, marked[at:], gap, (before, True))
    return tuple(parts)


def _add(parts: list[QuotedPart], text: str, gap: int, open_ends: tuple[bool, bool]) -> int:
    """Append what stands between two changes, and return the gap that still waits for a part.

    At an open end, that of the quotation or an ellipsis, punctuation and case do not count.
    """
    opens, closes = open_ends
    text = text.lstrip(_ENDS) if opens else text
    key = quotation_key(text.rstrip(_ENDS) if closes else text)
    loose = {0} if opens else set()
    while (at := key.find("\x00")) >= 0:
        loose.add(at - 1)
        key = key[:at] + key[at + 1 :]
    if not key:
        return gap
    if not gap and parts:
        last = parts.pop()
        loose = {*last.loose, *(len(last.key) + at for at in loose)}
        key, gap = last.key + key, last.gap
    parts.append(QuotedPart(key, gap, frozenset(loose)))
    return 0


def spans_between_omissions(quotation: str) -> list[str]:
    """The words of a quotation between its ellipses, without remarks such as `[sic]` and without
    the brackets of changes.
    """
    text = re.sub(rf"\s*{_REMARK}", "", quotation, flags=re.IGNORECASE)
    parts = re.split(_OMISSION, text)
    return [re.sub(r"\[([^\[\]]*)\]", r"\1", part).strip(_ENDS) for part in parts]


_MOST_OCCURRENCES = 200


def quotation_spans(quotation: str, text: KeyedText) -> Iterator[TextSpan]:
    """Where the parts of a quotation stand, one after another, character for character."""
    parts = quoted_parts(quotation)
    if not parts:
        return
    first = _places(text.key, parts[0], 0, len(text.key))
    for start in islice(first, _MOST_OCCURRENCES):
        end = start + len(parts[0].key)
        for part in parts[1:]:
            places = _places(text.key, part, end, end + part.gap + len(part.key))
            at = next(places, None)
            if at is None:
                break
            end = at + len(part.key)
        else:
            yield text.from_key(start, end)


def _places(key: str, part: QuotedPart, start: int, end: int) -> Iterator[int]:
    """Where in `key[start:end]` the part stands: looked for by its longest run whose case counts,
    if it has any.
    """
    ends = [-1, *sorted(part.loose), len(part.key)]
    runs = [(low + 1, high) for low, high in zip(ends, ends[1:])]
    low, high = max(runs, key=lambda run: run[1] - run[0])
    if low == high:
        low, high = 0, len(part.key)
    for at in occurrences(part.key[low:high], key, start + low, end):
        there = key[at - low : at - low + len(part.key)]
        if at - low + len(part.key) <= min(end, len(key)) and all(
            have == letter or (n in part.loose and have.casefold() == letter.casefold())
            for n, (have, letter) in enumerate(zip(there, part.key))
        ):
            yield at - low
