"""Letters and signs of mathematics as Unicode has them.

TeX's fonts of double-struck, script and Fraktur letters have the codes of plain ones, a struck-out
sign is a stroke and the sign, and an accent is set before its letter.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain

from citeloom_pdf.elements.fonts import bare_name, font_kind, is_unnamed
from citeloom_pdf.elements.geometry import PlacedGlyphs
from citeloom_pdf.elements.page import Line, Word

_ALPHABETS = (
    (
        re.compile(r"msbm|[tp]xsyb|blackboard|bbold|bbm|dsrom|dsss", re.IGNORECASE),
        "DOUBLE-STRUCK",
        "CAPITAL",
    ),
    (
        re.compile(r"cmb?sy|lmsy|lmmathsymbols|rsfs|eus[mb]|txsy|pxsy|mtsy", re.IGNORECASE),
        "SCRIPT",
        "CAPITAL",
    ),
    (re.compile(r"euf[mb]", re.IGNORECASE), "FRAKTUR", "CAPITAL SMALL"),
)
_BLACK_LETTER = "FRAKTUR"  # but the few that Unicode had before are called black-letter
_SIGNS_ALONE = re.compile(r"cmb?sy\d|cmex\d|lmsy\d|lmex\d", re.IGNORECASE)
_BARS = re.compile(r"([\u2223\u2225\u2016])\1+")  # pieces of a tall one
_STYLED = re.compile("(?<=[\u2102-\u2138\U0001d49c-\U0001d503])[\ufe00\ufe01]")
_STRUCK = re.compile(r"\u0338 ?([=\u2190-\u22ff<>])")
_NO_MEMBER = re.compile(r"/ ?([\u2208\u220b])")
_CONGRUENT = re.compile("\u223c=")  # drawn above one another
_MAPS_TO = re.compile(r"[\u21a6\ue000-\uf8ff] ?\u2192")
_LETTER = "[A-Za-z\u0391-\u03f5\u2102-\u2138\U0001d400-\U0001d7cb]"  # on the line, no script
_APART = {"\u02c6": "\u0302", "\u02dc": "\u0303"}  # wide accents, which are characters of their own
_ACCENT = f"[\u0300-\u0308\u20d7{''.join(_APART)}]"
_ACCENT_BEFORE = re.compile(rf"(?<![^\W\d_])({_ACCENT})({_LETTER})(?!{_LETTER})")
_WIDE_ACCENT = re.compile(rf"(?<![^\W\d_]){_ACCENT}{_LETTER}{{2}}")
_NUMBERED = re.compile(r"AdvP[0-9A-F]{3,6}")  # of Advent 3B2: text has other names, too
_NAME = re.compile(r"[^\W\d_]{4,}")
_NAMED = 0.3  # of the letters of a font of signs are in words as long, such as `aijk`
_MARKS = frozenset({"Po", "Pd", "Pi", "Pf", "So"})  # punctuation and symbols of no mathematics
_SIGNS = frozenset(
    "\u02c6\u02dc\u0338\u223c\u2208\u220b\u2192\u20d7"
    "\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308"
)


# what a font of TeX has under the names `epsilon1` and `angbracketleft`
_ANGLES = str.maketrans("\u2329\u3008\u232a\u3009", "\u27e8\u27e8\u27e9\u27e9")
_NAMED_ALIKE = {"\u01eb": "\u03f5", **{chr(one): chr(other) for one, other in _ANGLES.items()}}


# fonts of mathematical italics, which have no question mark but a star under its code
_ITALICS = re.compile(r"cmmi|cmmib|mtmi|[nprt]xmi|lmmi|lmmathitalic", re.IGNORECASE)
_STAR = "\u22c6"


@lru_cache(maxsize=4096)
def styled(letter: str, font: str) -> str:
    """A letter of a font of mathematics as its alphabet has it: of MSBM10, double-struck."""
    if letter == "?" and _ITALICS.search(font):
        return _STAR
    if letter in _NAMED_ALIKE:
        return _NAMED_ALIKE[letter] if font_kind(font).math else letter
    for fonts, alphabet, cases in _ALPHABETS:
        case = "CAPITAL" if letter.isupper() else "SMALL"
        if fonts.search(font) and letter.isascii() and letter.isalpha() and case in cases:
            return _named(letter, alphabet, case)
    return letter


def with_angles_alike(letters: str) -> str:
    """The letters with all angle brackets those of mathematics where one is."""
    if "\u27e8" not in letters and "\u27e9" not in letters:
        return letters
    return letters.translate(_ANGLES)


def _named(letter: str, alphabet: str, case: str) -> str:
    early = "BLACK-LETTER" if alphabet == _BLACK_LETTER else alphabet
    for name in (f"MATHEMATICAL {alphabet} {case} {letter}", f"{early} {case} {letter}"):
        try:
            return unicodedata.lookup(name)
        except KeyError:
            continue
    return letter


@lru_cache(maxsize=4096)
def is_code(letter: str, font: str) -> bool:
    """Whether a letter or digit is of a font that has none: the code of a sign without a name."""
    plain = letter.isascii() and (letter.islower() or letter.isdigit())
    return plain and _SIGNS_ALONE.search(font) is not None


def fonts_of_signs(
    lines: Iterable[Line], placed: PlacedGlyphs, font_of: Callable[[int], str]
) -> frozenset[str]:
    """The fonts in which no words are set and whose codes are those of other letters: TeX's bitmaps
    of italics and signs, which are unnamed Type 3 fonts, those of figures alone left out, and the
    signs of a typesetting system that numbers its fonts.
    """
    words = defaultdict[str, list[Word]](list)
    for word in chain.from_iterable(line.words for line in lines):
        words[word.font].append(word)

    def are_signs(font: str, found: Sequence[Word]) -> bool:
        texts = [word.text for word in found]
        if not is_unnamed(font):
            return _NUMBERED.fullmatch(bare_name(font)) is not None and _are_signs(
                texts, figures=True
            )
        first = placed.inside(found[0].box)[:1]
        return _are_signs(texts, figures=False) and not any(font_of(glyph.at) for glyph in first)

    return frozenset(font for font, found in words.items() if are_signs(font, found))


def is_plain(word: str) -> bool:
    """Whether a word is of marks alone that are no codes: signs of paragraphs, bullets, dashes."""
    return all(
        not sign.isascii() and sign != "\ufffd" and unicodedata.category(sign) in _MARKS
        for sign in word
    )


def _are_signs(words: Sequence[str], *, figures: bool) -> bool:
    """Whether words are of signs; `figures` alone may be some."""
    text = " ".join(word for word in words if not is_plain(word))
    letters = sum(map(str.isalpha, text))
    named = sum(map(len, _NAME.findall(text)))
    sign = r"[^\W_]" if figures else r"[^\W\d]|[^\w\s.,;:()\[\]-]"
    return named <= _NAMED * letters and re.search(sign, text) is not None


def with_whole_signs(text: str) -> str:
    """A text with signs that are set in two parts as one, each accent behind its letter."""
    text = _STYLED.sub("", _BARS.sub(r"\1", text))
    if _SIGNS.isdisjoint(text):
        return text
    text = _STRUCK.sub(lambda sign: unicodedata.normalize("NFC", f"{sign[1]}\u0338"), text)
    text = _NO_MEMBER.sub(lambda sign: unicodedata.normalize("NFC", f"{sign[1]}\u0338"), text)
    text = _CONGRUENT.sub("\u2245", text)
    text = _MAPS_TO.sub("\u21a6", text)
    return _ACCENT_BEFORE.sub(
        lambda pair: unicodedata.normalize("NFC", pair[2] + _APART.get(pair[1], pair[1])), text
    )


def has_wide_accent(text: str) -> bool:
    """Whether an accent stands before several letters, over all of which it may be set."""
    return _WIDE_ACCENT.search(text) is not None
