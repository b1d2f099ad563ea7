"""The normal forms in which texts are compared, with the way back to the original."""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

from citeloom.domain.text.hebrew_arabic import WITHOUT_POINTS, unpointed

# Characters that texts write in several ways, or that no reader sees.

INVISIBLE: Mapping[int, None] = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
"""The soft hyphen and characters of zero width: a translation that leaves them out."""
_SAME = {
    **dict.fromkeys(map(ord, "\u05be\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b`\u00b4\u2032\u2039\u203a"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033"), '"'),
}
_VOICED = frozenset("\uff9e\uff9f")  # the marks of half-width katakana
# each pattern begins with what it looks for, not with what stands before: that is many times faster
_BROKEN_WORD = re.compile(r"-(?<=[^\W\d_]-)[ \t]*\n\s*(?=[^\W\d_])")
_RUN = re.compile("   *")
"""Two spaces or more."""
_BETWEEN = re.compile(r"[\W_]+")


def letters_of(text: str) -> str:
    """The letters and digits of a text, case-folded, without ligatures and vowel signs."""
    return _BETWEEN.sub("", unpointed(unicodedata.normalize("NFKC", text))).casefold()


def words_of(text: str) -> list[str]:
    """The words of a text, likewise: what is between anything but letters and digits."""
    seen = unicodedata.normalize("NFKC", text.translate(INVISIBLE))
    return _BETWEEN.sub(" ", unpointed(seen)).casefold().split()


@dataclass(frozen=True, slots=True)
class NormalText:
    """A text's normal form, and the offset in the original of each of its characters."""

    text: str
    offsets: Sequence[int]

    @classmethod
    def of(cls, original: str) -> NormalText:
        """The form of words: case, ligatures, white space, the forms of dashes and quotation marks,
        the vowel signs of Hebrew and Arabic, invisible characters and hyphenation at line ends do
        not count; digits, signs and all other punctuation do. Digits raised or lowered behind a
        letter or a bracket may be plain or behind `^` or `_`; behind a digit they stay apart from
        plain ones: 10² is not 102.
        """
        text, offsets = _without_marks_of_scripts(*_folded(original))
        begun, end = len(text) - len(text.lstrip(" ")), len(text.rstrip(" "))
        pieces: list[str] = []
        places = array("I")
        for run in _RUN.finditer(text, begun, end):
            pieces.append(text[begun : run.start() + 1])
            places.extend(offsets[begun : run.start() + 1])
            begun = run.end()
        if not pieces:
            return cls(text[begun:end], offsets[begun:end])
        places.extend(offsets[begun:end])
        return cls("".join((*pieces, text[begun:end])), places)

    def may_stand_in(self, original: str) -> bool:
        """Whether this may be in the normal form of a text: sure only where it is False, and told
        in a fraction of the time.
        """
        if self.text in original or any(mark in original for mark in _VOICED):
            return True
        return self.text.translate(_SQUEEZED) in original.translate(_SQUEEZED)

    @classmethod
    def key_of(cls, original: str) -> NormalText:
        """As `quotation_key`, character by character: for the short texts where something was
        found.
        """
        letters = [_key_letter(char) for char in original]
        key = "".join(letters)
        offsets = [at for at, form in enumerate(letters) for _ in form]
        brackets = {
            at for m in _BRACKETED_SCRIPT.finditer(key) for at in (m.start() + 1, m.end() - 1)
        }
        offsets = [place for at, place in enumerate(offsets) if at not in brackets]
        key = "".join(letter for at, letter in enumerate(key) if at not in brackets)
        for pattern in (_MARKS, _QUOTE, _SPACE, _DASH):
            removed = {at for match in pattern.finditer(key) for at in range(*match.span())}
            offsets = [place for at, place in enumerate(offsets) if at not in removed]
            key = pattern.sub("", key)
        return cls(_DIGITS_APART.sub(" ", key), array("I", offsets))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span in the original of the characters `[start, end)` of the normal form."""
        last = len(self.offsets) - 1
        if last < 0:
            return 0, 0
        return self.offsets[min(start, last)], self.offsets[min(max(end - 1, start), last)] + 1


def _form(char: str, voiced: str = "") -> str:
    """A character in its form, with the mark of half-width katakana behind it."""
    code = ord(char)
    if code in INVISIBLE or char in _VOICED:
        return ""
    if code in _SAME or unicodedata.category(char) == "No":
        return _SAME.get(code, char)
    return unpointed(unicodedata.normalize("NFKC", char + voiced)).casefold().translate(_SAME)


class _Forms(dict[int, str]):
    """The form of each character by its code, made when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = form = _form(chr(code))
        return form


_FORMS = _Forms()


_SUPERSCRIPTS, _SUBSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"
_PLAIN_SCRIPTS = str.maketrans(f"{_SUPERSCRIPTS}{_SUBSCRIPTS}", "01234567890123456789")
_UNMARKED = str.maketrans("", "", "-^_")
_MARK_OF_SCRIPT = re.compile(r"[\^_](?:(?<=[^\W\d_].)|(?<=[)\]].))(?=-?\d)")
_SCRIPT_DIGIT = f"[{_SUPERSCRIPTS}{_SUBSCRIPTS}]"
_SCRIPT_DIGITS = re.compile(
    rf"{_SCRIPT_DIGIT}(?:(?<=[^\W\d_].)|(?<=[)\]].)|(?<=[^\W\d_]-.)){_SCRIPT_DIGIT}*"
)


def _without_marks_of_scripts(text: str, offsets: Sequence[int]) -> tuple[str, Sequence[int]]:
    """A folded text whose scripts behind letters and brackets are plain digits."""
    if not text.isascii():
        text = _SCRIPT_DIGITS.sub(lambda digits: digits[0].translate(_PLAIN_SCRIPTS), text)
    if "_" not in text and "^" not in text:
        return text, offsets
    marks = {match.start() for match in _MARK_OF_SCRIPT.finditer(text)}
    if not marks:
        return text, offsets
    kept = [at for at in range(len(text)) if at not in marks]
    return "".join(text[at] for at in kept), array("I", (offsets[at] for at in kept))


class _Squeezed(dict[int, str | None]):
    """The same without white space and hyphens, which a line end may part a word by."""

    def __missing__(self, code: int) -> str | None:
        plain = "".join(_FORMS[code].split()).translate(_PLAIN_SCRIPTS)
        self[code] = form = plain.translate(_UNMARKED) or None
        return form


_SQUEEZED = _Squeezed()


_ASCII_FORMS = {code: " " if chr(code).isspace() else _form(chr(code)) for code in range(0x80)}


_PLAIN: set[str] = set()
"""The letters met so far whose form is their small letter, as is that of most."""
_SIGMA = "\u03a3"
"""Its small letter depends on what stands behind it."""


def _not_plain(text: str) -> tuple[dict[str, str], set[str]]:
    """The other letters of a text whose form is one small letter, with it; and those whose form is
    none, or several.
    """
    single: dict[str, str] = {}
    odd: set[str] = set()
    for char in set(text) - _PLAIN:
        form = " " if char.isspace() else _FORMS[ord(char)]
        if len(form) != 1 or form != form.lower():
            odd.add(char)
        elif form == char.lower() and char != _SIGMA:
            _PLAIN.add(char)
        else:
            single[char] = form
    return single, odd


def _folded(original: str) -> tuple[str, Sequence[int]]:
    """The text with each character in its form, and the offset in the original of each of these."""
    breaks = {at for m in _BROKEN_WORD.finditer(original) for at in range(*m.span())}
    odd: set[str] = set()
    if original.isascii():
        folded = original.translate(_ASCII_FORMS)
    else:
        single, odd = _not_plain(original)
        folded = original
        for char, form in single.items():
            folded = folded.replace(char, form)
    if not odd and not breaks:
        return folded.lower(), range(len(original))
    voiced = {at - 1 for char in _VOICED & odd for at in _places(char, original)}
    other = {at for char in odd for at in _places(char, original)}
    forms: list[str] = []
    offsets, begun = array("I"), 0
    for at in sorted({*breaks, *voiced, *other} - {-1}):
        char = " " if original[at].isspace() else original[at]
        form = "" if at in breaks else _form(char, original[at + 1] if at in voiced else "")
        forms += (folded[begun:at].lower(), form)
        offsets += _offsets_between(begun, at)
        offsets.extend(at for _ in form)
        begun = at + 1
    forms.append(folded[begun:].lower())
    offsets += _offsets_between(begun, len(original))
    return "".join(forms), offsets


_FIRST_OFFSETS = array("I", range(0x1000))
"""Those of most texts, from which they are copied many times faster than they are counted."""


def _offsets_between(start: int, end: int) -> array[int]:
    return _FIRST_OFFSETS[start:end] if end <= 0x1000 else array("I", range(start, end))


def _places(char: str, text: str) -> Iterator[int]:
    at = text.find(char)
    while at >= 0:
        yield at
        at = text.find(char, at + 1)


# The key by which quotations are looked up, character by character.

_KEY_FORMS: Mapping[int, str | None] = {
    **_SAME,
    **INVISIBLE,
    **{ord(sign): f"^{digit}" for digit, sign in enumerate(_SUPERSCRIPTS)},
    **{ord(sign): f"_{digit}" for digit, sign in enumerate(_SUBSCRIPTS)},
    **{ord(sign): form for sign, form in zip("⁺⁻₊₋", ("^+", "^-", "_+", "_-"))},
    **dict.fromkeys(map(ord, "\u2016\u2225"), "||"),
    **{char: None for char, form in [*_SAME.items(), (ord('"'), '"')] if form == '"'},
    **dict.fromkeys(map(ord, "\u300c\u300d\u300e\u300f\uff62\uff63\u301d\u301e\u301f")),
    **dict.fromkeys(map(ord, "\x02\u00af\u0304\u0305\u203e\ufffc\ufffe")),
}
_COMPOSED: Mapping[int, str | None] = {**WITHOUT_POINTS, ord("\u2044"): "/"}
"""Of composed letters."""
_QUOTE = re.compile(r"(?<![^\W\d_])'+|'+(?![^\W\d_])")
_SPACE = re.compile(r"(?<!\d)\s+|\s+(?!\d)")
_DIGITS_APART = re.compile(r"\s+")
_DASH = re.compile(r"-+(?!\d)")


# one mark for each script, and none behind a letter or a bracket: `r2`, `r^2` and `r²` are one, as
# are `xᵢ` and `x_i`, `x_(max)` and `x_{max}`
_MARKS = re.compile(
    r"(?<=[^\W\d_])[\^_](?=[^\s^_]|[\^_]\d)|(?<=[)\]])[\^_](?=[^\s^_]|[\^_]\d)"
    r"|(?<=\d)[\^_](?=[^\W\d_])|(?<=[\^_]\d)[\^_](?=[-+\d])|(?<=[\^_][-+])[\^_](?=\d)"
)
_BRACKETED_SCRIPT = re.compile(r"[\^_](?:\([^(){}]*\)|\{[^(){}]*\})")


def quotation_key(text: str) -> str:
    """The text without white space, hyphens, dashes and quotation marks, ligatures as letters.

    Bars over letters go, too, which text layers set beside them, and the vowel signs of Hebrew and
    Arabic, which `keeps_vowel_signs` compares.
    Case and all other characters stay; so do an apostrophe between letters, a dash before a digit
    and the space between two digits, since a number would be another one without them.
    """
    key = _BRACKETED_SCRIPT.sub(lambda script: script[0][0] + script[0][2:-1], _key_letters(text))
    text = _SPACE.sub("", _QUOTE.sub("", _MARKS.sub("", key)))
    return _DASH.sub("", _DIGITS_APART.sub(" ", text))


def _key_letters(text: str) -> str:
    form = text.translate(_KEY_FORMS)
    return form if form.isascii() else unicodedata.normalize("NFKC", form).translate(_COMPOSED)


_key_letter = lru_cache(maxsize=10_000)(_key_letters)


@dataclass(frozen=True, slots=True)
class TextSpan:
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class KeyedText:
    """A long text with its key, which is made part by part; `starts` are the parts' offsets."""

    text: str
    starts: tuple[int, ...]

    @cached_property
    def key(self) -> str:
        """The key of the text, as quotations are looked up in it."""
        return "".join(self._keys)

    def part(self, at: int) -> str:
        end = self.starts[at + 1] if at + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[at] : end]

    def part_at(self, offset: int) -> int:
        """The index of the part that a character of the text is of."""
        return max(bisect_right(self.starts, offset) - 1, 0)

    def from_key(self, start: int, end: int) -> TextSpan:
        """Where in the text the characters `[start, end)` of the key are."""
        return TextSpan(self._offset(start, False), self._offset(max(end, start + 1), True))

    @cached_property
    def _keys(self) -> tuple[str, ...]:
        keys = [quotation_key(self.part(at)) for at in range(len(self.starts))]
        for at in range(len(keys) - 1):
            if keys[at][-1:].isdigit() and keys[at + 1][:1].isdigit():
                keys[at] += " "
        return tuple(keys)

    @cached_property
    def _key_starts(self) -> tuple[int, ...]:
        return tuple(accumulate(map(len, self._keys[:-1]), initial=0))

    def _offset(self, place: int, is_end: bool) -> int:
        at = max(bisect_right(self._key_starts, place - is_end) - 1, 0)
        local = place - self._key_starts[at]
        start, end = _part_key(self.part(at)).span(local - is_end, local - is_end + 1)
        return self.starts[at] + (end if is_end else start)


_part_key = lru_cache(maxsize=8_192)(NormalText.key_of)
