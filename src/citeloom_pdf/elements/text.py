# ruff: noqa: RUF001 - typographic characters are what is looked for here
"""Text normalisation: hyphenated words joined, ligatures and spaces resolved."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from citeloom_pdf.elements.addresses import address_at_end, goes_on
from citeloom_pdf.elements.patterns import LIST_MARK

SOFT_HYPHEN = "\u00ad"
_HYPHENS = ("-", "\u2010", "\u058a", SOFT_HYPHEN, "\x02", "\ufffe")  # the third is Armenian
_AMBIGUOUS_HYPHENS = ("-", "\u2010", "\u058a")
_NO_SPACE_BEHIND = ("(", "[", "{", "\u05be")  # the last one joins words of Hebrew
_LIGATURES = {
    code: unicodedata.normalize("NFKC", chr(code))
    for code in (*range(0xFB00, 0xFB07), 0x0132, 0x0133, 0x01C4, 0x01C7, 0x01CA)
}
# Adobe's codes for old-style digits and small capitals, from before fonts named them by features
_LIGATURES |= {0xF730 + digit: str(digit) for digit in range(10)}
_LIGATURES |= {0xF761 + letter: chr(ord("a") + letter) for letter in range(26)}
# and for Serbian forms of Cyrillic letters
_LIGATURES |= dict(zip(range(0xF6C4, 0xF6C9), "гбдпт"))
# and for signs, raised letters and accented small capitals, by the codes of small letters
_LIGATURES |= dict(zip((0xF6BE, *range(0xF6D9, 0xF6E9)), "ȷ©®™1₨—¢¢,,$$--.."))
_LIGATURES |= dict(zip(range(0xF6E9, 0xF6F4), "ᵃᵇᵈᵉⁱˡᵐᵒʳˢᵗ"))
_LIGATURES |= {0xF6F9: "ł", 0xF6FA: "œ", 0xF6FD: "š", 0xF6FF: "ž", 0xF7FF: "ÿ"}
_LIGATURES |= {0xF700 + sign: chr(sign) for sign in (*b"!$&?", *b"\xa1\xa2\xbf")}
_LIGATURES |= {0xF700 + letter: chr(letter) for letter in range(0xE0, 0xFF) if letter != 0xF7}
_LIGATURES |= {0xF8E8: "®", 0xF8E9: "©", 0xF8EA: "™"}
# bullets of Symbol and Wingdings by the codes that word processors give them
_LIGATURES |= {0xF0B7: "•", 0xF0A7: "▪", 0xF0D8: "➢", 0xF0FC: "✓"}
# digits of Latin Modern and TeX Gyre that are of one width, and the ligatures of a font whose codes
# are those of Mac OS Roman, for private use
_LIGATURES |= {0xF643 + digit: str(digit) for digit in range(10)} | {0xF0DE: "fi", 0xF0DF: "fl"}
# letters of Arabic and Hebrew by their shape in a word
_LIGATURES |= {
    code: unicodedata.normalize("NFKC", chr(code)).strip()
    for code in (*range(0xFB1D, 0xFB50), *range(0xFB50, 0xFDFE), *range(0xFE70, 0xFEFD))
}
_INVISIBLE = dict.fromkeys([0x00AD, 0x034F, 0x200B, 0x200D, 0x2060, 0xFEFF, 0xF0A0])
NON_JOINER = "\u200c"
"""Parts two Arabic letters of a word that would be joined, as Persian writes prefixes."""
_OTHER_NON_JOINER = re.compile("(?<![\u0620-\u08ff])\u200c|\u200c(?![\u0620-\u08ff])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")
# one in a word stands for a letter of it, as in `di\x01erent`
_CONTROL_IN_WORD = re.compile(r"(?<=[^\W\d_])[\x00-\x08\x0b-\x1f]|[\x00-\x08\x0b-\x1f](?=[^\W\d_])")
_UNDECODED = re.compile(r"\(cid:\d+\)|GLYPH<[^<>]*>|[\ufffd\x00-\x08\x0e-\x1f]")
_LAST_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*$")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
# the sign of a line that is broken where it is too long, as Doxygen and DocBook set it
_BROKEN = re.compile("(?<=\\S)( *)\u2190?\u21a9$")
# what a hyphen belongs to: an option of a command, a name with a figure in it (`l10n`), a path
_OF_A_NAME = re.compile(
    r"(?<!\S)\W*--[^\W\d_][\w-]*$|\w\d+[^\W\d_]+$|(?<!\S)(?:\S+/\S*)?/\S*[^\W\d_]$"
)
# Chinese and Japanese have no spaces between words, and so none between lines
UNSPACED = "[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff65]"
_UNSPACED = re.compile(UNSPACED)
# `-03` at the end of a line from the right is `03-` of a number that goes on in the next one
_NUMBER_BROKEN = re.compile("(?<=[\u0590-\u08ff] )-(\\d[\\d./-]*)\\Z")
# nor have Thai, Lao, Burmese and Khmer, whose lines end between words
_RUNNING_ON = re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]")
_FULL_WIDTH_SIGN = re.compile(
    "[\u3001\u3002\u3008-\u3011\uff01\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f]"
)
# a name such as `class_`, where it ends within a line
_ENDING_LOW = re.compile(r"(?<!\w)\w*[^\W_]_(?=[\s.,:;)’'\"])")
_SYLLABLE = re.compile("[\uac00-\ud7a3]")
_SYLLABLES = re.compile("(?=([\uac00-\ud7a3])( ?)([\uac00-\ud7a3]))")
# how often two syllables count as seen for what stands beside each of them
_UNSEEN = 3.0
# of the ends of lines: in a document that parts Korean words there, more are within a word
_PARTED = 0.5
# how much oftener within words than between them two syllables are at the end of a line that
# parts a word of the document, if its parts are words of it, too
_SURE = 3.0
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
# what nearly always keeps its hyphen
_COMPOUND_HEADS = frozenset({"self", "well", "half", "quasi", "ill", "cross", "so"})
_ALWAYS_HEADS = frozenset({"self", "well", "half", "quasi"})
# what English writes together with the word that follows
_CLOSED_HEADS = frozenset(
    "over under with some every where there here them when what inter back down after other any"
    " hand fore main mean work super sub life time data head side note book land like".split()
)
# often in a text of another language, in which English may be cited
_OTHERS = ("der", "les", "de", "di", "och", "og")
_LEAST_HEAD = 3  # letters of a compound's first part: `in` and `re` are more often a syllable
_ABBREVIATION = 5  # letters: of more are few abbreviations
_LEAST_PART = 4  # letters: shorter ones are more often a syllable than a word
# what French sets behind a verb: `contient-il`
_BEHIND_VERBS = frozenset(
    "il ils elle elles on vous nous tu je moi toi lui même mêmes ce là".split()
)
# before these a hyphen stands for the end of a compound: `Quell- und Zieltext`
_CONJUNCTIONS = frozenset({"und", "oder", "bzw", "and", "or"})
# TeX sets an accent before its letter as a character of its own, perhaps after a kern; where the
# boxes of the two are not known, the letters say whether they belong together
_ACCENTS = {
    "`": "\u0300",
    "´": "\u0301",
    "¨": "\u0308",
    "ˆ": "\u0302",
    "˜": "\u0303",
    "¸": "\u0327",
    "ˇ": "\u030c",
    "˘": "\u0306",
}
# what Word writes for the pairs of letters that some of its fonts draw as one: no language has
# these within a word of small Latin letters
_PAIRS = {"Ɵ": "ti", "Ʃ": "tt", "ƫ": "tti", "Ō": "ft", "ƞ": "tf"}
_PAIR = re.compile(
    r"(?<=[A-Za-zß-ÿ])(?:[ƟƩƫŌ](?=[a-zß-ÿ])|ƞ(?=[aeiou]))|(?<=[a-zß-ÿ])[ƩŌ]"
    # at the beginning of a word, or behind the space or line's end that is seen before a wide one
    r"|(?<!\w)Ɵ(?=[a-z]{2})|(?:(?<=[a-zß-ÿ]) |(?<!\w))[Ʃƫ](?=[a-z]{2})"
)
_LOOSE_ACCENT = re.compile(
    # an acute before an ending such as those of `it's` and `we'll` is an apostrophe
    r"([´¨])(?!(?<=[^\W\d_]´)(?:s|m|re|ll)(?![^\W\d_]))( ?)([A-Za-z\u0131])"
    r"|(ˆ)( ?)([A-Zaeiou\u0131])|(˜)( ?)([ANOano])|(¸)( ?)([CSTcst])"
    r"|(ˇ)( ?)([CDENRSTZcdenrstz])|(˘)( ?)([AGIagi\u0131])|(?<=[^\W\d_])(`)()([aeiou])(?=[^\W\d_])"
)

_WITHIN_RING = re.compile(r"(?<!\w)c(?=©)")  # plain TeX draws the sign around the letter


def undecoded_share(text: str) -> float:
    """The share of a text's visible characters that its fonts do not say the letters of."""
    visible = len("".join(text.split()))
    undecoded = sum(len(match) for match in _UNDECODED.findall(text))
    return undecoded / visible if visible else 0.0


def normalised(text: str) -> str:
    """Ligatures expanded, accents composed, white space collapsed, invisible characters removed
    but non-joiners between Arabic letters.

    Superscripts and other compatibility characters stay as they are.
    """
    text = with_pairs(text.replace("\x02", "-").translate(_LIGATURES))
    if NON_JOINER in text:
        text = _OTHER_NON_JOINER.sub("", text)
    if any(accent in text for accent in _ACCENTS):
        text = _LOOSE_ACCENT.sub(_composed, text)
    if "c©" in text:
        text = _WITHIN_RING.sub("", text)
    text = _CONTROL.sub("", _CONTROL_IN_WORD.sub("\ufffd", text.translate(_INVISIBLE)))
    return " ".join(unicodedata.normalize("NFC", text).split())


def with_pairs(text: str) -> str:
    """The text with the pairs of letters for which Word has written another letter."""
    if not any(letter in text for letter in _PAIRS):
        return text
    return _PAIR.sub(lambda pair: _PAIRS[pair[0].strip()], text)


def _composed(match: re.Match[str]) -> str:
    accent, space, letter = (part for part in match.groups() if part is not None)
    if space and letter.islower() and not match.string[: match.start()][-1:].isalpha():
        return match[0]  # an accent over nothing, as above a variable, begins no word
    composed = unicodedata.normalize("NFC", letter.replace("\u0131", "i") + _ACCENTS[accent])
    return composed if len(composed) == 1 else match[0]


def is_in_no_list(word: str) -> bool:  # noqa: ARG001 - the form of a callback
    """Where no list of words is at hand."""
    return False


class Vocabulary:
    """The words within a document's lines, which decide about the ends of lines: of hyphens, and of
    Korean words, which some documents part there without one. Of an English document, `is_english`
    tells words that it may not have.
    """

    def __init__(
        self, lines: Iterable[str], is_english: Callable[[str], bool] = is_in_no_list
    ) -> None:
        self._seen = Counter[str]()
        self._ending_low = set[str]()
        self._is_listed = is_english
        lines = list(lines)
        self._within, self._between = Counter[str](), Counter[str]()
        for line in (line for line in lines if not line.isascii()):
            for last, space, first in _SYLLABLES.findall(line):
                counts = self._between if space else self._within
                counts.update((last + first, f"{last} ", f" {first}"))
        ends = [pair for pair in pairwise(lines) if _is_korean(*pair)]
        parted = sum(self._odds_of_one_word(*pair) > 1 for pair in ends)
        self._parts_korean = parted > _PARTED * len(ends)
        for before, line in pairwise(["", *lines]):
            for word in _whole_words(before, line):
                self._seen[word.lower().replace("\u2010", "-")] += 1
                if _has_inner_capital(word):
                    self._seen[word] += 1
            self._ending_low.update(_ENDING_LOW.findall(line))
        self._heads = {word.partition("-")[0] for word in self._seen if "-" in word}
        self._is_english = self._seen["the"] > max(2, *(self._seen[word] for word in _OTHERS))
        self._is_french = self._seen["les"] > max(2, self._seen["the"], self._seen["der"])

    def goes_on(self, first: str, second: str) -> bool:
        """Whether a Korean word goes on from one line to the next: the document has the whole, or
        it parts words there and does not have the first part alone, unless a single syllable
        follows, which may be its ending.
        """
        if not _is_korean(first, second):
            return False
        head, tail = (
            match[0] if match else ""
            for match in (_LAST_WORD.search(first), _FIRST_WORD.match(second))
        )
        odds = self._odds_of_one_word(first, second)
        if self.has(head + tail):
            return odds > (_SURE if self.has(head) and self.has(tail) else 1)
        ends = len(head) > 1 and len(tail) > 1 and self.has(head)
        return self._parts_korean and not ends and odds > 1

    def _odds_of_one_word(self, first: str, second: str) -> float:
        """How much oftener two syllables are side by side within words than at the ends of two."""
        last, next_ = first[-1], second[0]
        within, between = (
            counts[last + next_]
            + _UNSEEN * self._share(f"{last} ", counts) * self._share(f" {next_}", counts)
            for counts in (self._within, self._between)
        )
        return within / between

    def _share(self, side: str, counts: Counter[str]) -> float:
        return (counts[side] + 1) / (self._within[side] + self._between[side] + 2)

    def ends_low(self, name: str) -> bool:
        """Whether the document has the name, which ends in an underscore, as a whole."""
        return name in self._ending_low

    def has(self, word: str) -> bool:
        """Whether the document uses the word."""
        return self._seen[word.lower()] > 0

    def has_compounds(self, head: str) -> bool:
        """Whether the document has compounds that begin with the word, however short it is."""
        return head.lower() in self._heads

    def is_word(self, word: str) -> bool:
        """Whether the document has the word, or the list of its language, if it is English."""
        return self.has(word) or (self._is_english and self._is_listed(word.lower()))

    def keeps_hyphen(self, head: str, tail: str, *, usually: bool = False) -> bool:
        """Whether `head-tail` is a compound rather than one hyphenated word; `usually` says that
        other words in its place are.
        """
        outer, _, last = head.replace("\u2010", "-").rpartition("-")
        written, head, tail = last + tail, last.lower(), tail.lower()
        # `OpenOffice` is one word by its capital
        is_cased = _has_inner_capital(written)
        whole = self._seen[written if is_cased else head + tail]
        compound = self._seen[f"{head}-{tail}"]
        if outer:
            whole += 0 if is_cased else self._seen[f"{outer.lower()}-{head}{tail}"]
            compound += self._seen[f"{outer.lower()}-{head}-{tail}"]
        if whole or compound:
            return compound > whole
        if usually or outer or self._has_beside(head, tail) or self._is_set_behind(head, tail):
            return True
        if head in _COMPOUND_HEADS:
            return self.has(tail) or head in _ALWAYS_HEADS
        is_listed = written.islower() and self._are_listed(head, tail)
        return is_listed or self._are_two_words(head, tail)

    def _is_set_behind(self, head: str, tail: str) -> bool:
        """Whether the head is said twice, as Malay does, or a French pronoun stands behind it."""
        is_doubled = head == tail and len(head) >= _LEAST_PART
        return is_doubled or (self._is_french and tail in _BEHIND_VERBS and self.has(tail))

    def _has_beside(self, head: str, tail: str) -> bool:
        """Whether the document has compounds with the head, and the tail as a word."""
        return len(head) >= _LEAST_HEAD and head in self._heads and self.has(tail)

    def _are_two_words(self, head: str, tail: str) -> bool:
        """Whether both are words of an English text that does not write them as one, nor does the
        list.
        """
        are_two = self._may_be_two(head, tail) and self.has(tail) and self.has(head)
        return are_two and not self._is_listed(head + tail)

    def _are_listed(self, head: str, tail: str) -> bool:
        """Whether both are words of English, by the document or the list, which has not the two as
        one.
        """
        return (
            self._may_be_two(head, tail)
            and all(self.has(word) or self._is_listed(word) for word in (head, tail))
            and not self._is_listed(head + tail)
        )

    def _may_be_two(self, head: str, tail: str) -> bool:
        long = min(len(head), len(tail)) >= _LEAST_PART
        return long and self._is_english and head not in _CLOSED_HEADS


def _whole_words(before: str, line: str) -> Iterator[str]:
    """The words within a line, and the compounds at its ends that no hyphen parts from the lines
    `before` and behind it.
    """
    words = _WORD.findall(line)
    yield from words[1:-1]
    if words and not before.endswith(_HYPHENS) and not words[0].isalpha():
        yield words[0]
    if len(words) > 1 and not line.endswith(_HYPHENS) and not words[-1].isalpha():
        yield words[-1]


def _has_inner_capital(word: str) -> bool:
    return not (word[1:].islower() or word.isupper())


def join(first: str, second: str, vocabulary: Vocabulary) -> tuple[str, str]:
    """Two consecutive pieces of text: the first, and the separator before the second.

    A hyphen that only splits a word is dropped.
    """
    first, second = first.rstrip(), second.lstrip()
    if second[:1].isdigit():
        first = _NUMBER_BROKEN.sub(r"\1-", first)
    if _is_one_word(first, second, vocabulary) or _is_range(first, second):
        return first, ""
    if not first.endswith(_HYPHENS):
        return _without_hyphen(first, second, vocabulary)
    bare = first[:-1]
    head, tail = _LAST_WORD.search(bare), _FIRST_WORD.match(second)
    if not first.endswith(_AMBIGUOUS_HYPHENS):
        return bare, ""
    if head is None or tail is None:
        return _beside_sign(first, bare, second)
    is_longer, joins = _is_longer(second, tail.end()), tail[0] in _CONJUNCTIONS
    if joins and not is_longer and not vocabulary.has(head[0] + tail[0]):
        return first, " "
    is_name = tail[0][0].isupper() and not _is_in_capitals(bare, second)
    if is_name and (head[0] + tail[0]).isupper():  # two words in capitals, or one
        are_short = len(head[0]) <= _ABBREVIATION and len(tail[0]) < _LEAST_PART
        is_name = are_short or all(map(vocabulary.has, (head[0], tail[0])))
    is_one = vocabulary.is_word(head[0] + tail[0])
    begins = joins or vocabulary.has_compounds(head[0]) or (vocabulary.has(tail[0]) and not is_one)
    is_compound = is_longer and begins
    is_in_name = bool(address_at_end(bare) or _OF_A_NAME.search(bare))
    # no word has a beginning of several capitals and an end without any
    is_abbreviation = len(head[0]) > 1 and head[0].isupper() and tail[0].islower()
    usually = is_name or is_compound or is_in_name or is_abbreviation
    keeps = vocabulary.keeps_hyphen(head[0], tail[0], usually=usually)
    return (first if keeps else bare), ""


def _without_hyphen(first: str, second: str, vocabulary: Vocabulary) -> tuple[str, str]:
    if broken := _BROKEN.search(first):
        return first[: broken.start()], " " if broken[1] else ""
    is_joined = (
        is_unspaced(first, second)
        or vocabulary.goes_on(first, second)
        or first.endswith(_NO_SPACE_BEHIND)
    )
    return first, "" if is_joined else " "


def _is_longer(text: str, at: int) -> bool:
    """Whether a word is the first of a compound: `of-the-art`."""
    return text[at : at + 1] in _AMBIGUOUS_HYPHENS and text[at + 1 : at + 2].isalpha()


def _is_one_word(first: str, second: str, vocabulary: Vocabulary) -> bool:
    """Whether a name with underscores or an address goes on in the next line."""
    if first.endswith("_") and first[-2:-1].isalnum():
        name = _ENDING_LOW.findall(f"{first} ")[-1]
        return second[:1].isalnum() and not vocabulary.ends_low(name)
    address = address_at_end(first)
    if not address or first.endswith(_HYPHENS):
        return False
    return goes_on(address, second, vocabulary.has)


def _is_range(first: str, second: str) -> bool:
    """Whether a dash without a space before it parts a number at the end of a line."""
    return first[-1:] == "\u2013" and first[-2:-1].isalnum() and second[:1].isdigit()


def _beside_sign(first: str, bare: str, second: str) -> tuple[str, str]:
    """The same where a digit or a sign is beside the hyphen: behind a stroke it only parts."""
    if bare.endswith(("/", "_")) and bare[-2:-1].isalnum() and second[:1].isalnum():
        return bare, ""
    attached = bare[-1:].isalnum() and second[:1].isalnum()
    return first, "" if attached else " "


def _is_in_capitals(first: str, second: str) -> bool:
    """Whether a parted word stands among words in capitals, so that its own say nothing."""
    beside = [*_WORD.findall(first)[-3:-1], *_WORD.findall(second)[1:3]]
    words = [word for word in beside if len(word) > 1]
    return bool(words) and all(word.isupper() for word in words)


def _is_korean(first: str, second: str) -> bool:
    return bool(_SYLLABLE.match(first[-1:]) and _SYLLABLE.match(second[:1]))


def is_unspaced(first: str, second: str) -> bool:
    """Whether two pieces of text meet in a script without spaces, or at a sign that has its own."""
    last, next_ = first[-1:], second[:1]
    return bool(
        (_UNSPACED.match(last) and _UNSPACED.match(next_))
        or (_RUNNING_ON.match(last) and _RUNNING_ON.match(next_) and not LIST_MARK.match(second))
        or _FULL_WIDTH_SIGN.match(last)
        or _FULL_WIDTH_SIGN.match(next_)
    )


def joined(lines: Sequence[str], vocabulary: Vocabulary) -> str:
    """The lines of a paragraph as one text, not yet normalised."""
    text = ""
    for line in lines:
        if text:
            text, between = join(text, line, vocabulary)
            text += between
        text += line.strip()
    return text


def listing(lines: Sequence[str]) -> str:
    """The lines of a listing, their indentation kept."""
    cleaned = (_CONTROL.sub("", line.translate(_LIGATURES)).rstrip() for line in lines)
    return "\n".join(cleaned)
