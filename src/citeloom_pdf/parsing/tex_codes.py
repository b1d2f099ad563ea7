# ruff: noqa: RUF001 - signs that look like others are what is meant here
"""Letters that fonts of TeX have under codes of their own, read where a font does not name them.

Such a font is drawn (Type 3), or has names that say its codes alone. A reader has then a control
character for a ligature, a sign of Latin-1 for an accented letter, or, where the glyph for the code
67 is called `a67`, the sign of Zapf Dingbats of that name. Which encoding it is, the words of the
page tell. Every letter is replaced by one, so that places in the text stay what they are.

Encodings: OT1 and Cork (T1) as in LaTeX's `ot1enc.def` and `t1enc.def`, and that of the Type 1
versions of Computer Modern by Blue Sky Research, which repeats OT1's ligatures above the codes of
ASCII.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

# the signs of Zapf Dingbats in the order of their names, `a1` first; a blank has no sign
_DINGBATS = (
    "✁✂✄☎✆✝✞✟✠✡☛☞✌✍✎✏✑✒✓✔✕✖✗✘✙✚✛✜✢✣✤✥✦✧★✩✪✫✬✭✮✯✰✱✲✳✴✵✶✷✸✹✺✻✼✽✾✿❀❁❂❃❄❅❆❇❈❉❊❋●❍■❏❑"
    "▲▼◆❖ ◗❘❙❚            ❛❜❝❞❡❢❣❤✐❥❦❧♠♥♦♣    ✉✈✇①②③④⑤⑥⑦⑧⑨⑩"
)
_BRACKETS = dict(zip((89, 90, 93, 94, 91, 92, 85, 86, 87, 88, 95, 96), "❨❩❪❫❬❭❯❱❲❳❴❵"))
_CODE_OF = {
    ord(sign): chr(code)
    for code, sign in (*enumerate(_DINGBATS, start=1), *_BRACKETS.items())
    if not sign.isspace()
}
_DINGBAT = "".join(map(chr, _CODE_OF))
_VOWELS = frozenset("aeiou")
_LEAST_DINGBATS = 8  # letters of words of such: fewer may be ornaments
_LETTERS = 0.6  # of them are small letters
# of these, as in any language in Latin letters; `q` to `t` have no sign of Zapf Dingbats
_LEAST_VOWELS, _MOST_VOWELS = 0.2, 0.7
_IN_WORDS_OF_DINGBATS = re.compile(rf"(?<=[a-z{_DINGBAT}])[{_DINGBAT}]|[{_DINGBAT}](?=[a-z])")

_OT1 = {"\x0b": "\ufb00", "\x0c": "\ufb01", "\r": "\ufb02", "\x0e": "\ufb03", "\x0f": "\ufb04"}
_CORK_LIGATURES = dict(zip("\x1b\x1c\x1d\x1e\x1f", "\ufb00\ufb01\ufb02\ufb03\ufb04"))
_BLUE_SKY = dict(zip("®¯°±²", "\ufb00\ufb01\ufb02\ufb03\ufb04"))
_CORK_SIGNS = dict(zip("\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x9f\x88", "‚‹›“”„«»–—§•"))
# of the signs for text that go with it; arrows between words are letters without dots in Cork
_TEXT_SIGNS = {"\x18": "←", "\x19": "→", "\x88": "•"}
_TEXT_SIGN = re.compile(r"\x88|(?<!\S)[\x18\x19](?![a-z])")
_TEXT_BULLET = re.compile(r"(?:^|\n)\x88 *[^\W\d_]")
_CORK = dict(
    zip(
        map(chr, (*range(0x80, 0x9D), *range(0xA0, 0xBD), 0x9D, 0x9E, 0xD7, 0xF7)),
        "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳİđŒœ",
    )
)


def _in_words(codes: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=[a-z])[{codes}](?=[a-z])|(?<=[a-z]{{2}})[{codes}](?![A-Za-z\d])")


_OT1_IN_WORDS = _in_words("\x0b\x0c\x0e\x0f")
_CORK_IN_WORDS = _in_words("\x1b-\x1f")
_AT_FIRST = re.compile(r"(?<![^\s(])[\x1c\x1d](?=[a-z]{2})")
# a dash between numbers, quotation marks about words: accents and letters without dots in OT1
_CORK_ALONE = re.compile(r"(?<=\d)\x15(?=\d)|(?<![^\s(])\x10[^\W\d_]{2}[^\x10\x11]{,80}\x11(?!\w)")
_SHARP_S = re.compile(r"(?:(?<=[a-z])|(?<=[a-z][äöü]))ÿ(?=[a-zäöü\s.,;:)-]|$)")
# the Czech fonts of CSTeX have a closing quotation mark there
_CS_QUOTED = re.compile(r"„[^„“”\n\r]{2,80}ÿ(?!\w)")
_CS_MARK = re.compile(r"(?<=\S)ÿ(?!\w)")
# ligatures that begin words, and end `off` and `filosofi`, where the page is known to have such;
# the codes are those of Greek letters, too, beside an index or a bracket
_OT1_LIGATURE = re.compile(
    r"(?<=[A-Za-z])[\x0b\x0c\r\x0e\x0f](?=[a-z])|(?<=[a-z])\x0b(?!\n)"
    r"|(?<=[a-z])[\x0c\r\x0e\x0f](?=[\x02-])|(?<=[a-z]{3})[\x0c\r\x0e\x0f](?!\n)"
    r"|[\x0c\r](?=[a-z]{2})"
)
_CORK_LIGATURE = re.compile(
    r"(?<=[A-Z])[\x1b-\x1f](?=[a-z])|(?<=[a-z])[\x1b-\x1f]|[\x1c\x1d](?=[a-z])"
)
_CORK_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ\x80-\x9e¡¢£¤¥¦§¨©ª«¬®¯°±²³´¶¸¹º»¼]{2,}")
# signs that no language has between small letters
_CORK_LETTER = re.compile(r"(?<=[a-z])[\x80-\x9e¡-£¥¦§©ª®±²³¶¹º](?=[a-z])")
# letters that these are in the languages that Cork is for, small within words
_LANGUAGES = ("čďěňřšťůžĺľŕ", "ąćęłńśźż", "čćđšž", "őű", "ăşţ", "ğşı")
_BLUE_SKY_IN_WORDS = re.compile(r"(?<=[a-z])[®±](?=[a-z])")
_BLUE_SKY_LIGATURE = re.compile(r"(?<=[a-z])[®¯°±²](?=[a-z])|(?<![^\s(])[¯°](?=[a-z]{2})")
_LEAST_LETTERS, _LEAST_DIFFERENT = 6, 2  # of Cork's on a page
_LEAST_LIGATURES = 2  # within words of a page; one may be a sign


# at the beginnings of lines alone: what has no letter there is a bullet
_AT_LINE = re.compile(r"(?:^|\n)([\x01\x03-\x08\x16-\x1a\x7f])(?= ?\w)")
_LEAST_BULLETS = 2  # on a page: one may be a sign


def _as_is(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class TexCodes:
    """What a page has under codes of TeX's fonts."""

    dingbats: bool = False
    ot1: bool = False
    cork: bool = False
    cork_letters: bool = False
    blue_sky: bool = False
    text_signs: bool = False
    cs_marks: bool = False
    bullet: str = ""

    def __call__(self, text: str) -> str:
        """A text of the page with its letters, each in its place."""
        if self.dingbats:
            text = text.translate(_CODE_OF)
        if self.cs_marks:
            text = _CS_MARK.sub("“", text)
        if self.ot1:
            text = _OT1_LIGATURE.sub(lambda found: _OT1[found[0]], text)
        if self.blue_sky:
            text = _BLUE_SKY_LIGATURE.sub(lambda found: _BLUE_SKY[found[0]], text)
        if self.cork:
            text = _CORK_LIGATURE.sub(lambda found: _CORK_LIGATURES[found[0]], text)
            text = _SHARP_S.sub("ß", text.translate(_CORK_TABLE))
        if self.bullet:
            text = text.replace(self.bullet, "•")
        if self.text_signs:
            text = _TEXT_SIGN.sub(lambda found: _TEXT_SIGNS[found[0]], text)
        if self.cork_letters:
            text = _CORK_WORD.sub(_as_cork, text)
        return text


_CORK_TABLE = str.maketrans({sign: letter for sign, letter in _CORK_SIGNS.items() if sign != "\r"})
_CORK_LETTERS = str.maketrans(_CORK)


def _as_cork(word: re.Match[str]) -> str:
    return word[0] if word[0].isascii() else word[0].translate(_CORK_LETTERS)


def codes_of(text: str) -> Callable[[str], str]:
    """What turns the codes of a page into letters, by all of its text as PDFium has it."""
    dingbats = not text.isascii() and _is_of_dingbats(text)
    if dingbats:
        text = text.translate(_CODE_OF)
    if cs_marks := _CS_QUOTED.search(text) is not None:
        text = _CS_MARK.sub("“", text)
    ot1 = _OT1_IN_WORDS.search(text) is not None
    cork = not ot1 and bool(
        _CORK_IN_WORDS.search(text)
        or _AT_FIRST.search(text)
        or _CORK_ALONE.search(text)
        or len(_SHARP_S.findall(text)) >= _LEAST_LIGATURES
    )
    blue_sky = letters = False
    if not text.isascii():
        letters = _is_cork(text)
        blue_sky = not letters and len(_BLUE_SKY_IN_WORDS.findall(text)) >= _LEAST_LIGATURES
    signs = not (cork or letters) and _TEXT_BULLET.search(text) is not None
    bullet = "" if ot1 or cork or letters or blue_sky or signs else _bullet_of(text)
    codes = TexCodes(dingbats, ot1, cork, letters, blue_sky, signs, cs_marks, bullet)
    return _as_is if codes == TexCodes() else codes


def _bullet_of(text: str) -> str:
    """The control that a page has at the beginnings of lines alone, or an empty string."""
    for sign, count in Counter(_AT_LINE.findall(text)).items():
        if count >= _LEAST_BULLETS and count == text.count(sign):
            return str(sign)
    return ""


def _is_cork(text: str) -> bool:
    """Whether the signs within the words of a page are letters of one of Cork's languages."""
    found = "".join(_CORK_LETTER.findall(text)).translate(_CORK_LETTERS)
    return (
        len(found) >= _LEAST_LETTERS
        and len(set(found)) >= _LEAST_DIFFERENT
        and any(set(found) <= set(letters) for letters in _LANGUAGES)
    )


def _is_of_dingbats(text: str) -> bool:
    """Whether words of a page are of signs of Zapf Dingbats whose numbers are the codes of Latin
    letters.
    """
    found = _IN_WORDS_OF_DINGBATS.findall(text)
    letters = "".join(found).translate(_CODE_OF)
    small = [letter for letter in letters if "a" <= letter <= "z"]
    vowels = sum(letter in _VOWELS for letter in small)
    return (
        len(found) >= _LEAST_DINGBATS
        and len(small) >= _LETTERS * len(found)
        and _LEAST_VOWELS * len(small) <= vowels <= _MOST_VOWELS * len(small)
    )
