"""Whether a text stands in another as it is: its letters, whole words, a quotation part by part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from citeloom.domain.text.hebrew_arabic import end_of_letter, keeps_vowel_signs
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
    yield from word_matches(_whole(wanted.text), text)


def word_matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Where a pattern of words matches the normal form of a text, with the points behind the last
    letter, and without the letters of names with signs.
    """
    normal, may_be_pointed = NormalText.of(text), not text.isascii()
    for match in pattern.finditer(normal.text):
        start, end = normal.span(*match.span())
        if not _cuts_off_signs(text, start, end):
            yield start, end_of_letter(text, end) if may_be_pointed else end


def _cuts_off_signs(text: str, start: int, end: int) -> bool:
    """Whether a span has the letters of a name without its signs: C of C++ and C#, NET of .NET."""
    if start > 0 and text[start - 1] == "." and _DOTTED_NAME.match(text, start - 1):
        return True
    return (
        text.startswith(("++", "#"), end)
        and text[end - 1 : end].isalpha()
        and not text[max(end - 2, 0) : end - 1].isalnum()
    )


_normal = lru_cache(maxsize=256)(NormalText.of)


@lru_cache(maxsize=256)
def _whole(word: str) -> re.Pattern[str]:
    """The pattern of a word in normal form; one that matches nothing where there is none."""
    if not word:
        return re.compile(r"(?!)")
    letters = re.escape(word)
    # what stands before is looked at last: a pattern that begins with its word is found faster
    whole = _EDGE.match(word[0]) or _EXTENSION.match(word)
    before = f"(?<!{_LETTER}{letters})" if whole else ""
    after = rf"(?!{_LETTER})" if _EDGE.match(word[-1]) else ""
    return re.compile(f"{letters}{before}{after}")


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
    r"\[\s*(?:sic|!|\?|(?:my |own |original |no )?(?:emphasis|italics?|translation)[^\]]*|"
    r"(?:\w+ ){0,2}(?:foot)?(?:notes?|citations?|references?|quotation marks) (?:omitted|removed)|"
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
class Change:
    """What a quotation has between two of its parts: an ellipsis, or words in brackets, with the
    letters that these are attached to. Up to `gap` characters of the work may be there.
    """

    gap: int = 0
    words: str = ""
    is_omission: bool = False
    is_attached: bool = False

    def and_then(self, other: Change) -> Change:
        """Both, with nothing of the work between them."""
        return Change(
            max(self.gap, other.gap),
            f"{self.words} {other.words}".strip(),
            self.is_omission or other.is_omission,
            self.is_attached or other.is_attached,
        )


@dataclass(frozen=True, slots=True)
class QuotedPart:
    """Characters of a quotation that stand in the work without a break, as a key.

    `before` is what the quotation has before it, `behind` what it has behind the last part. `loose`
    are the places in the key where a letter may be in either case.
    """

    key: str
    before: Change = Change()
    behind: Change = Change()
    loose: frozenset[int] = frozenset({0})


def quoted_parts(quotation: str) -> tuple[QuotedPart, ...]:
    """The parts of a quotation between its ellipses and bracketed changes, which stand in order.

    `[T]he` is one word whose first letter may have another case; `[sic]` and `[emphasis added]` are
    no part of what is quoted.
    """
    marked = _BRACKETED_LETTER.sub("\\1\x00", quotation.strip(_ENDS))
    parts: list[QuotedPart] = []
    at, change, opens = 0, Change(), True
    for match in _SPLIT.finditer(marked):
        is_omission = bool(match["omission"])
        change = _add(parts, marked[at : match.start()], change, (opens, is_omission))
        if not match["remark"]:
            change = change.and_then(_change(marked, match))
        at, opens = match.end(), is_omission
    rest = _add(parts, marked[at:], change, (opens, True))
    if parts and rest.gap:
        parts[-1] = replace(parts[-1], behind=rest)
    return tuple(parts)


def _change(marked: str, match: re.Match[str]) -> Change:
    """The ellipsis, or the words in brackets."""
    if match["omission"]:
        return Change(LONGEST_OMISSION, is_omission=True)
    start, end = match.span()
    gap = _CHANGED_LETTERS if marked[start - 1 : start].isalpha() else _CHANGED_WORDS
    while start > 0 and marked[start - 1].isalpha():
        start -= 1
    while end < len(marked) and marked[end].isalpha():
        end += 1
    words = re.sub(r"[\[\]\x00]", "", marked[start:end])
    return Change(gap, words.strip(), is_attached=(start, end) != match.span())


def _add(
    parts: list[QuotedPart], text: str, change: Change, open_ends: tuple[bool, bool]
) -> Change:
    """Append what stands between two changes, and return the change that still waits for a part.

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
        return change
    if not change.gap and parts:
        last = parts.pop()
        loose = {*last.loose, *(len(last.key) + at for at in loose)}
        key, change = last.key + key, last.before
    parts.append(QuotedPart(key, change, loose=frozenset(loose)))
    return Change()


def spans_between_omissions(quotation: str) -> list[str]:
    """The words of a quotation between its ellipses, without remarks such as `[sic]` and without
    the brackets of changes.
    """
    text = re.sub(rf"\s*{_REMARK}", "", quotation, flags=re.IGNORECASE)
    parts = re.split(_OMISSION, text)
    return [re.sub(r"\[([^\[\]]*)\]", r"\1", part).strip(_ENDS) for part in parts]


_MOST_OCCURRENCES = 200


@dataclass(frozen=True, slots=True)
class Gap:
    """Where a quotation has an ellipsis or words in brackets: these words, and those of the work
    there; at an end of the quotation, as many of the work's words beside it.
    """

    change: Change
    work: str


@dataclass(frozen=True, slots=True)
class QuotedPlace:
    """Where a quotation stands in a work, character for character, and what it has changed."""

    span: TextSpan
    gaps: tuple[Gap, ...] = ()


def quotation_spans(quotation: str, text: KeyedText) -> Iterator[TextSpan]:
    """Where the parts of a quotation stand, one after another, character for character."""
    return (place.span for place in quotation_places(quotation, text))


def quotation_places(quotation: str, text: KeyedText) -> Iterator[QuotedPlace]:
    """Likewise, with what its ellipses and brackets stand for."""
    parts = quoted_parts(quotation)
    if not parts:
        return
    first = _places(text.key, parts[0], 0, len(text.key))
    for start in islice(first, _MOST_OCCURRENCES):
        ends = [(start, start + len(parts[0].key))]
        for part in parts[1:]:
            low = ends[-1][1]
            places = _places(text.key, part, low, low + part.before.gap + len(part.key))
            at = next(places, None)
            if at is None:
                break
            ends.append((at, at + len(part.key)))
        else:
            span = text.from_key(start, ends[-1][1])
            if not keeps_vowel_signs(quotation, text.text[span.start : span.end + _SIGNS]):
                continue
            yield QuotedPlace(span, tuple(_gaps(parts, ends, text, span)))


_BESIDE = 160
_SIGNS = 3  # that the last letter of a quotation may bear
_SENTENCE_END = re.compile(r"[.!?\u3002\uff01\uff1f][\"'\u201d\u2019\u00bb)\]]*(?:\s|$)")


def _gaps(
    parts: tuple[QuotedPart, ...],
    places: list[tuple[int, int]],
    text: KeyedText,
    span: TextSpan,
) -> Iterator[Gap]:
    if count := len(parts[0].before.words.split()):
        beside = text.text[max(span.start - _BESIDE, 0) : span.start]
        words = _SENTENCE_END.split(beside)[-1].split()
        yield Gap(parts[0].before, " ".join(words[-count:]))
    for part, (_, low), (high, _) in zip(parts[1:], places, places[1:]):
        yield Gap(part.before, _between(text, low, high, is_attached=part.before.is_attached))
    if count := len(parts[-1].behind.words.split()):
        words = _SENTENCE_END.split(text.text[span.end : span.end + _BESIDE])[0].split()
        yield Gap(parts[-1].behind, " ".join(words[:count]))


def _between(text: KeyedText, low: int, high: int, *, is_attached: bool) -> str:
    """What stands between two places of the key, with the words that letters are attached to."""
    if is_attached:
        around = text.from_key(low - 1, high + 1)
        start, end = whole_words(text.text, around.start, around.end)
        return text.text[start:end]
    hidden = text.from_key(low, high)
    return text.text[hidden.start : hidden.end] if low < high else ""


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
