"""Text whose codes are not the letters that its page shows, since a font has codes of its own.

Such a font may draw a Cyrillic letter for the code of `Ï`, the next letter of the alphabet for each
one, or any letter for any sign. Where the codes are those of a known code page, they are decoded.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise

from citeloom.domain.text.word_lists import all_words, listed_languages, words_of_all_languages

# codes of controls and for private use: no font says by them what it draws
_UNKNOWN = "\x80-\x84\x86-\x9f\ufffd\ue000-\uf8ff"
# at the beginning of a text such a code is a bullet
_UNKNOWN_IN_WORD = re.compile(
    f"[^\\W_][{_UNKNOWN}]|[{_UNKNOWN}][^\\W_]|[{_UNKNOWN}]{{2}}|(?<=[^\\s{_UNKNOWN}] )\ufffd"
)
# of Latin letters that few languages have, the capitals
_RARE_CAPITALS = "".join(filter(str.isupper, map(chr, range(0x180, 0x250))))
# what no language has between small letters; an accent may stand there, and a quotation mark
_SIGN_IN_WORD = re.compile(rf"(?<=[a-zß-ÿ])[¢£¤¥¦§©ª¬®±¶º¼½¾À-ÖØ-Þ{_RARE_CAPITALS}](?=[a-zß-öø-ÿ])")
# a word of capitals has no such sign twice: an address has one
_AT_AMONG_CAPITALS = re.compile("[A-Z]@[A-Z]+@")
_GLYPH_CODE = re.compile(r"\(cid:\d+\)|GLYPH<[^<>]*>")
# what readers have for the codes of fonts without names of letters: dingbats, or their names
_DINGBAT = re.compile(f"[{_UNKNOWN}\u2701-\u2712\u2719-\u2775\u2780-\u2793]|\\ba\\d{{2,3}}\\b")
_LEAST_DINGBATS, _OF_DINGBATS = 2, 0.1  # of the letters and signs of a text
_WORD = re.compile(r"[^\W\d_]{2,}")
# the letters and signs above the codes of ASCII in Latin-1, under which code pages have letters
_HIGH = re.compile("[\u00a1-\u00ff]")
_MOSTLY_HIGH = 0.4  # of the letters of a text; of languages in Latin letters Vietnamese has most
_LEAST_LETTERS = 6
# whose words have no letters of scripts of alphabets but their own; a danda is of all of them
_INDIC_WORD = re.compile(r"\S*[\u0904-\u0963\u0966-\u0dff]\S*")
_OTHER_LETTER = re.compile("[\u0100-\u024f\u0370-\u1ccf]")
_INDIC_BLOCK = 0x80
# a letter that Latin alone has within a word of Greek or Cyrillic, as of a ligature without a code
_LATIN_AMONG_OTHERS = re.compile(
    "[\u0370-\u052f\u1f00-\u1fff]{2}[ß-öø-ɏ]|[ß-öø-ɏ][\u0370-\u052f\u1f00-\u1fff]{2}"
)
_SYLLABLE = re.compile("[\uac00-\ud7a3]")
_LEAST_RARE, _RARE = 2, 0.01  # of the syllables: dialects and foreign names have one here and there
# beside a letter of Hebrew or Arabic no word has a Greek or Cyrillic letter, one of Latin with an
# accent, or a dingbat, for which its font has a quotation mark; nor one or two Latin ones within it
_FROM_RIGHT = (
    "[\u05d0-\u05ea\u0620-\u063f\u0641-\u06d3\u06d5\u06fa-\u06ff\ufb50-\ufdfb\ufe70-\ufefc]"
)
_STRANGE = "[\u00df-\u00f6\u00f8-\u024f\u0300-\u034e\u0350-\u036f\u0370-\u052f\u2719-\u2775]"
_STRANGE_FROM_RIGHT = re.compile(
    f"{_FROM_RIGHT}(?:{_STRANGE}|[A-Za-z]{{1,2}}{_FROM_RIGHT})|{_STRANGE}{_FROM_RIGHT}"
)
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_LATIN = re.compile(r"[a-z]{2,}")
_LEAST_PAIRS = 16  # of letters: fewer do not tell, and those of a formula are few
_UNLIKELY = -1.2  # the mean of what a pair of letters tells, in nats: in prose it is 0.3 to 1
_LIKELY = -0.5  # of a few words, on a page of letters that are not its own
_USUAL_WORDS = ("frequent", "function", "question")
_READABLE = 0.05  # of the words: so many usual ones of any language, and it is a text
_MOSTLY = 0.5  # of the letters of a text, or of the letters and signs of a page


def unreadable_parts(parts: Sequence[str]) -> frozenset[int]:
    """The indexes of a page's texts whose letters are not those of the page; where most are such,
    with those that have no usual word.
    """
    found = frozenset(at for at, part in enumerate(parts) if is_unreadable(part))
    if not found or sum(len(parts[at]) for at in found) < _MOSTLY * sum(map(len, parts)):
        return found
    return found | {
        at
        for at, part in enumerate(parts)
        if not _has_usual(plain := _plain(part)) and _likelihood(_pairs(plain)) < _LIKELY
    }


def may_be_unreadable(text: str) -> bool:
    """Whether some lines of a page are likely to be unreadable: they are, or have no usual word and
    letters in an order that is rare.

    For whoever looks at their picture then: shuffled letters of German are not so unlikely.
    """
    if is_unreadable(text):
        return True
    pairs = _pairs(plain := _plain(text))
    return len(pairs) >= _LEAST_PAIRS and not _has_usual(plain) and _likelihood(pairs) < _LIKELY


def is_unreadable(text: str) -> bool:
    """Whether the letters of a passage are not those of its page: there are codes without a letter
    or signs in its words, letters of two scripts where words have one, nearly all letters with
    accents, or letters in an order that no language has.

    Of 5,112 blocks of 166 manuals in many languages 87 are, most of them truly unreadable.
    """
    if _AT_AMONG_CAPITALS.search(text):
        return True
    if text.isascii():
        return bool(_GLYPH_CODE.search(text)) or _is_of_dingbats(text) or _is_unlikely(text)
    return bool(
        _UNKNOWN_IN_WORD.search(text)
        or _SIGN_IN_WORD.search(text)
        or _GLYPH_CODE.search(text)
        or _is_of_dingbats(text)
        or _is_high(text)
        or _mixes_scripts(text)
        or _has_rare_syllables(text)
        or _STRANGE_FROM_RIGHT.search(text)
        or _is_unlikely(text)
    )


def _is_of_dingbats(text: str) -> bool:
    dingbats = _DINGBAT.findall(text)
    visible = len("".join(text.split()))
    return (
        len(set(dingbats)) >= _LEAST_DINGBATS and sum(map(len, dingbats)) > _OF_DINGBATS * visible
    )


def _is_high(text: str) -> bool:
    letters = "".join(_WORD.findall(text))
    return len(letters) >= _LEAST_LETTERS and high_share(letters) > _MOSTLY_HIGH


def high_share(text: str) -> float:
    """The share of a text's letters in words that Latin-1 has above the codes of ASCII."""
    if text.isascii():
        return 0.0
    letters = "".join(_WORD.findall(text))
    return len(_HIGH.findall(letters)) / len(letters) if letters else 0.0


def _mixes_scripts(text: str) -> bool:
    """Whether a word in an Indic script has letters of another one, or one in Greek or Cyrillic a
    letter with an accent that these do not have.
    """
    return _LATIN_AMONG_OTHERS.search(text) is not None or any(
        len({ord(letter) // _INDIC_BLOCK for letter in _OTHER_LETTER.findall(word)}) > 1
        for word in _INDIC_WORD.findall(text)
    )


def _has_rare_syllables(text: str) -> bool:
    """Whether Korean has several syllables that no word has, by the set KS X 1001 of usual ones."""
    syllables = _SYLLABLE.findall(text)
    # two bytes for a syllable of the set, and eight that spell any other
    rare = (len("".join(syllables).encode("euc_kr")) - 2 * len(syllables)) / 6
    return rare >= max(_LEAST_RARE, _RARE * len(syllables))


def _has_usual(plain: str) -> bool:
    """Whether enough words of a text in small letters without accents are usual in a language."""
    words = _WORD.findall(plain)
    usual = _usual_words()
    return sum(word in usual for word in words) > _READABLE * len(words)


def _is_unlikely(text: str) -> bool:
    """Whether letters follow one another as they do in no language with Latin letters."""
    plain = _plain(text)
    if _has_usual(plain):
        return False
    pairs = _pairs(plain)
    letters = sum(map(len, _words(plain)))
    if len(pairs) < _LEAST_PAIRS or letters < _MOSTLY * sum(map(str.isalpha, plain)):
        return False
    return _likelihood(pairs) < _UNLIKELY


def _words(plain: str) -> list[str]:
    return [word for word in _LATIN.findall(plain) if len(set(word)) > 1]


def _pairs(plain: str) -> list[tuple[str, str]]:
    """The letters of words, each with the one before it."""
    return [pair for word in _words(plain) for pair in pairwise(word)]


def _likelihood(pairs: Sequence[tuple[str, str]]) -> float:
    """The mean of what pairs of letters tell; of none, that they are of no language."""
    if not pairs:
        return -math.inf
    return sum(map(_likelihoods().__getitem__, pairs)) / len(pairs)


def _plain(text: str) -> str:
    """Small letters without accents."""
    small = text.casefold()
    if small.isascii():
        return small
    apart = unicodedata.normalize("NFD", small)
    return "".join(char for char in apart if not unicodedata.combining(char))


@cache
def _usual_words() -> frozenset[str]:
    """Those of all languages, without accents."""
    words = frozenset[str]().union(*map(words_of_all_languages, _USUAL_WORDS))
    return frozenset(map(_plain, words))


@cache
def _likelihoods() -> Mapping[tuple[str, str], float]:
    """By two letters, how much likelier the second follows in the listed words of all languages
    than among letters in any order, as a logarithm.
    """
    words = {_plain(word) for language in listed_languages() for word in all_words(language)}
    counts = Counter(
        pair for word in words for part in _LATIN.findall(word) for pair in pairwise(part)
    )
    firsts = Counter[str]()
    for (first, _), count in counts.items():
        firsts[first] += count
    size = len(_ALPHABET)
    return {
        (first, second): math.log(
            (counts[first, second] + 0.5) / (firsts[first] + 0.5 * size) * size
        )
        for first in _ALPHABET
        for second in _ALPHABET
    }


# Code pages whose letters a font has in the place of those of Latin-1.

_LANGUAGES_OF = {
    "cp1251": ("ru", "bg", "uk", "sr"),
    "koi8-r": ("ru",),
    "iso8859-7": ("el",),
    "cp874": ("th",),
}
# TeX's Cyrillic fonts differ from Windows' code page in a few signs
_TEX_CYRILLIC = {"¼": "ё", "\x9c": "Ё", "¾": "«", "¿": "»", "\x7f": "-"}
# the ten letters that make up two thirds of any text in a language of the code page, and of texts
# that are read by another one a third
_COMMONEST = {"cp1251": "оеаинтсрвл", "koi8-r": "оеаинтсрвл", "iso8859-7": "αοιετσνηυρ"}
_OF_COMMONEST, _LEAST_CODED = 0.52, 60  # of the letters, and how many letters tell
_CODED_WORD = re.compile("[\u00a1-\u00ff]{2,}")
_BETWEEN_MARKS = re.compile(r"[\s.,;:!?()\-]+")
_LEAST_KNOWN, _KNOWN = 4, 0.08  # words of a language, different and of all: then it is the language


def code_page_of(texts: Iterable[str]) -> Mapping[int, str] | None:
    """What the letters of texts stand for, if they make words of a language by a code page, or at
    least are mostly of its letters alone, as often as the language has these.
    """
    words = [word for text in texts for word in _BETWEEN_MARKS.split(text) if word]
    for code_page, languages in _LANGUAGES_OF.items():
        table = _table(code_page)
        decoded = [word.translate(table).casefold() for word in words]
        for language in languages:
            listed = all_words(language)
            known = [word for word in decoded if len(word) > 1 and word in listed]
            if len(set(known)) >= _LEAST_KNOWN and len(known) >= _KNOWN * len(words):
                return table
    coded = [word for word in words if _CODED_WORD.fullmatch(word)]
    if 2 * len(coded) <= len(words):
        return None
    high = "".join(coded)
    for code_page, commonest in _COMMONEST.items() if len(high) >= _LEAST_CODED else ():
        decoded_letters = _plain(high.translate(_table(code_page)))
        if sum(map(decoded_letters.count, commonest)) >= _OF_COMMONEST * len(decoded_letters):
            return _table(code_page)
    return None


@cache
def _table(code_page: str) -> Mapping[int, str]:
    letters = {
        code: letter
        for code in range(0xA1, 0x100)
        if (letter := bytes([code]).decode(code_page, "ignore")) and letter.isalpha()
    }
    signs = _TEX_CYRILLIC if code_page == "cp1251" else {}
    return {**letters, **{ord(code): letter for code, letter in signs.items() if ord(code) < 0xC0}}
