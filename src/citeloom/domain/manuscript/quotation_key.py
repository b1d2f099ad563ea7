"""The form in which quotations and works are compared character by character."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_RAISED = {
    **{ord(sign): f"^{digit}" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{ord(sign): f"_{digit}" for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")},
}
_FORMS: dict[int, str | None] = {
    **_RAISED,
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b`\u00b4\u2032\u2039\u203a"), "'"),
    **dict.fromkeys(map(ord, '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033'), None),
    **dict.fromkeys(
        map(ord, "\x02\u00ad\u00af\u0304\u0305\u203e\u200b\u200c\u200d\u2060\ufeff\ufffc\ufffe"),
        None,
    ),
}
_FRACTION = str.maketrans({"\u2044": "/"})
_QUOTE = re.compile(r"(?<![^\W\d_])'+|'+(?![^\W\d_])")
_SPACE = re.compile(r"(?<!\d)\s+|\s+(?!\d)")
_DIGITS_APART = re.compile(r"\s+")
_DASH = re.compile(r"-+(?!\d)")


def quotation_key(text: str) -> str:
    """The text without white space, hyphens, dashes and quotation marks, ligatures as letters.

    Bars over letters go, too, which text layers set beside them.
    Case and all other characters stay; so do an apostrophe between letters, a dash before a digit
    and the space between two digits, since a number would be another one without them.
    """
    text = text.translate(_FORMS)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_FRACTION)
    text = _SPACE.sub("", _QUOTE.sub("", text))
    return _DASH.sub("", _DIGITS_APART.sub(" ", text))


@dataclass(frozen=True, slots=True)
class KeyOffsets:
    """A text's key, and the offset in the text of each of its characters."""

    key: str
    offsets: Sequence[int]

    @classmethod
    def of(cls, text: str) -> KeyOffsets:
        """As `quotation_key`, character by character: for the short texts where something was
        found.
        """
        letters: list[str] = []
        offsets: list[int] = []
        for at, char in enumerate(text):
            for letter in _letters(char):
                letters.append(letter)
                offsets.append(at)
        key = "".join(letters)
        for pattern in (_QUOTE, _SPACE, _DASH):
            key, offsets = _without(pattern, key, offsets)
        return cls(_DIGITS_APART.sub(" ", key), array("I", offsets))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the text the characters `[start, end)` of the key are."""
        last = len(self.offsets) - 1
        if last < 0:
            return 0, 0
        return self.offsets[min(start, last)], self.offsets[min(max(end - 1, start), last)] + 1


@lru_cache(maxsize=10_000)
def _letters(char: str) -> str:
    form = char.translate(_FORMS)
    if form.isascii():
        return form
    return unicodedata.normalize("NFKC", form).translate(_FRACTION)


def _without(pattern: re.Pattern[str], key: str, offsets: list[int]) -> tuple[str, list[int]]:
    """The key and its offsets without what a pattern matches."""
    kept: list[str] = []
    places: list[int] = []
    at = 0
    for match in pattern.finditer(key):
        kept.append(key[at : match.start()])
        places += offsets[at : match.start()]
        at = match.end()
    return "".join([*kept, key[at:]]), places + offsets[at:]


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
_LETTER = re.compile(r"\[([^\W\d_])\](?=[^\W\d_])")
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
    marked = _LETTER.sub("\\1\x00", quotation.strip(_ENDS))
    parts: list[QuotedPart] = []
    changes = [*_SPLIT.finditer(marked)]
    at, gap, before = 0, 0, True
    for match in changes:
        text = marked[at : match.start()]
        gap = _add(parts, text, gap, (before, bool(match["omission"])))
        gap, at = max(gap, _gap(match, marked)), match.end()
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


def _gap(match: re.Match[str], text: str) -> int:
    if match["remark"]:
        return 0
    if match["omission"]:
        return LONGEST_OMISSION
    attached = text[match.start() - 1 : match.start()].isalpha()
    return _CHANGED_LETTERS if attached else _CHANGED_WORDS


def spans_between_omissions(quotation: str) -> list[str]:
    """The words of a quotation between its ellipses, without remarks such as `[sic]` and without
    the brackets of changes.
    """
    text = re.sub(rf"\s*{_REMARK}", "", quotation, flags=re.IGNORECASE)
    parts = re.split(_OMISSION, text)
    return [re.sub(r"\[([^\[\]]*)\]", r"\1", part).strip(_ENDS) for part in parts]
