"""Words that a program misread in the image of a page, and which of two readings is the better."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from citeloom.domain.documents.conversion import OF_WORDS, Doubt
from citeloom.domain.documents.language import LANGUAGE_NAMES, clear_language, language_of
from citeloom.domain.documents.quality import CELLS
from citeloom.domain.text.lexicon import (
    LEAST_FREQUENCY,
    letters_of,
    most_frequent,
    word_frequencies,
)
from citeloom.domain.text.trigrams import is_unlike, likest_language
from citeloom.domain.text.word_lists import all_words, word_list

_TOKEN = re.compile(r"\S+")
_BROKEN = re.compile(r"-[ \t]*\r?\n\s*")
_MARKS = (
    ".,;:!?()[]{}<>\"'\u201c\u201d\u2018\u2019\u201e\u00ab\u00bb\u2026\u00b7\u2022*\u2013\u2014-"
)
# of the words of two readings: of one page they shared .63 and more, however bad, of two .27 to .43
_SHARED = 0.5
_WHOLE = 0.5  # of the words of one reading: another with fewer may be of a stamp alone
_LISTED = 0.75  # of the words of a reading: of pages that were hard to read .81 and more
_FAR_MORE = 1.5  # times the words of one reading: it lacks lines that another has
_USUAL = 30  # times that a usual word of a language without a lexicon counts as seen
_OFTENER = 10  # times as often as a word that no list has, and that it is mistaken for
_OFTENER_AGAIN = 200  # where the text has that more than once
_FAR_OFTENER = 2000  # times as often as a word that a lexicon has


def _both_ways(pairs: str) -> list[tuple[str, str]]:
    alike = [pair.split(":") for pair in pairs.split()]
    return [pair for one, other in alike for pair in ((one, other), (other, one))]


def _lost(accents: str) -> list[tuple[str, str]]:
    letters = [letter.split(":") for letter in accents.split()]
    return [(plain, accented) for plain, more in letters for accented in more]


# letters that look alike in a scan and seldom make one word of another. An accent is lost, but none
# is read where there is none: `würde` is not `wurde`; and a worn `R` is read as `E`
_CONFUSIONS = [
    *_both_ways(
        "e:c l:1 i:1 m:rn h:b h:li u:ii n:ii s:f s:5 d:cl w:vv g:q y:v b:6 n:ri ü:ii ü:ti m:nl "
        "m:ln é:è ó:é ö:é ß:B т:г п:н н:и п:и е:с з:э э:з ь:ы ч:т ш:т"
    ),
    *_lost("e:éèê a:àáâä i:íî o:óöô u:üúù n:ñ c:ç E:R"),
]
_LONG = 6  # letters of a word that any letter of it tells of
_LEAST_TELLING = 3  # letters of a word that one of them, or a lexicon, tells of
_LEAST_UNLIKE = 4  # letters of a word that is unlike those of its language: of `dpkg`, not of `lib`
_USUAL_WORDS = ("function", "question", "frequent")  # the lists of a language's usual words
_ANYWHERE = "en"  # a language whose words stand in texts of others
_COMPOUNDING = ("de", "nl")
_LINKS = ("", "s", "n", "en", "es")  # between the parts of a compound
_LEAST_PART = 3  # letters of a part of a compound
_BRITISH = re.compile(r"(?<=[iy])s(?=[aei])|(?<=o)u(?=r)")  # the English list is American
_ELIDED = re.compile(r"\w{1,6}['\u2019](?=\w{2})|['\u2019]s$")  # `l'eau`, `dell'acqua`, `river's`


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of a text with how often it has each, and those of its `language`, a code, with how
    usual they are. With `is_lexicon` hardly a word of the language is missing there.
    """

    counts: Mapping[str, int]
    listed: Mapping[str, int]
    language: str = ""
    is_lexicon: bool = False

    @property
    def unit(self) -> int:
        """How often a word is listed that counts as seen once."""
        return LEAST_FREQUENCY if self.is_lexicon else 1

    def times(self, word: str) -> int:
        """How often a word was seen."""
        folded = word.lower()
        return self.counts.get(folded, 0) + self.listed.get(folded, 0) // self.unit

    def knows(self, word: str) -> bool:
        """Whether a word was seen more than once, or is listed."""
        return self.counts.get(word.lower(), 0) > 1 or self.lists(word)

    def lists(self, word: str) -> bool:
        """Whether a word, or the words that it is made of, are listed."""
        american = _BRITISH.sub(lambda found: "z" if found[0] == "s" else "", word)
        return any(map(self._is_made, {word, american, _ELIDED.sub("", word)}))

    def _is_made(self, word: str) -> bool:
        folded = word.lower()
        if folded in self.listed or (self.is_lexicon and folded in word_frequencies(_ANYWHERE)):
            return True
        cuts = range(_LEAST_PART, len(folded) - _LEAST_PART + 1)
        return self.language in _COMPOUNDING and any(
            folded[cut:] in self.listed and self._is_first_part(folded[:cut]) for cut in cuts
        )

    def _is_first_part(self, part: str) -> bool:
        return any(
            part.endswith(link) and part[: len(part) - len(link)] in self.listed
            for link in _LINKS
            if len(part) - len(link) >= _LEAST_PART
        )

    def lacks(self, word: str) -> bool:
        """Whether a word is none of the language, and seen but once; never where it may be a name,
        or no lexicon tells.
        """
        plain = len(word) >= _LEAST_TELLING and word.isalpha() and word.islower()
        return self.is_lexicon and plain and not self.knows(word)


def vocabulary_of(text: str) -> Vocabulary:
    """The words of a text, and those of its language if it is in one."""
    counts, language = Counter(map(str.lower, _tokens(text))), known_language(text)
    if is_in_no_language(text):
        return Vocabulary(counts, {}, language)
    if clear_language(text) and (lexicon := word_frequencies(language)):
        return Vocabulary(counts, lexicon, language, is_lexicon=True)
    likely = language_of(text)
    listed = dict.fromkeys(counts.keys() & all_words(likely), 1)
    return Vocabulary(counts, listed | dict.fromkeys(usual_words(likely), _USUAL), language)


def known_language(text: str) -> str:
    """The language of which the words, or their letters, tell whether they were misread; empty if
    it is not clear.
    """
    return clear_language(text) or likest_language(set(filter(str.isalpha, _tokens(text)))) or ""


def usual_words(language: str) -> frozenset[str]:
    """The words that are usual in a language; none if it is not known."""
    listed = _USUAL_WORDS if language in LANGUAGE_NAMES else ()
    return frozenset[str]().union(*(word_list(name, language) for name in listed))


def misread_share(text: str, vocabulary: Vocabulary) -> float:
    """Which share of the words of a text seem misread, from 0 to 1: those that its language lacks,
    or that are like a far more usual one.
    """
    words = _tokens(text)
    misread = sum(vocabulary.lacks(word) or _is_mistaken(word, vocabulary) for word in words)
    return misread / len(words) if words else 0.0


# signs within one word or beside it that no text has that was read right, but for a few names
_SMALL, _CAPITAL = r"a-zß-ÿ\u0430-\u044f\u0451", r"A-ZÀ-Þ\u0410-\u042f\u0401"
_WRONG_WITHIN = re.compile(
    r"[^\W\d_][?!~_|\\^¢£©®¬¦°»«<>{}$\[\u2018\u201c\u201d\u201e]+[^\W\d_]"
    rf"|[{_SMALL}]\d+[^\W\d_]|[^\W\d_]\d+[{_SMALL}]"
    rf"|\b\d+(?!st\b|nd\b|rd\b|th\b)[{_SMALL}]{{2,}}|\b\d+[{_CAPITAL}][{_SMALL}]{{2}}"
    rf"|[£¢€$¥][^\W\d_]|([a-hj-vyz])\1\1|(?:\b[{_SMALL}]{{2,}}|[ß-ÿ]|\bl)[{_CAPITAL}]|\b0[a-z]\b"
    r"|\b[A-ZÀ-Þ]{3,}[a-zß-ÿ]{3}"
    rf"|^[~_|^][^\W\d_]{{2}}|[^\W\d_]{{2}}[~_|^]$|\b1['\u2019][^\W\d_]"
    # one word in two scripts, or a capital within one of Cyrillic
    r"|[A-Za-z][\u0430-\u044f\u0451]|[\u0430-\u044f\u0451][A-Za-z\u0410-\u042f\u0401]"
)
_STOP_WITHIN = re.compile(rf"\b[{_SMALL}]{{5,}}\. [{_SMALL}]{{2,}}")
# a mark that a word is glued to, or that stands alone, signs that stand alone where a letter is
# printed or in the place of a note's mark, a capital with an accent, or an article's, within a
# sentence, and a formula: no program reads its signs and places. A stop right before a small letter
# is printed: `.changes` ends the name of a file
_STRAY = re.compile(
    rf"(?<!\S)(?:[:;,\u00b7][^\W\d_]{{2}}|[\u00a2\u00ae\u00ac^~](?=\s|$))"
    r"|[^\W\d_][.,][!?*\u00ae\u00b0\u2018\u201c]+(?=\s|$)"
    rf"|(?<=[{_SMALL}] )(?:[\u00c0-\u00de](?= [{_SMALL}])|L['\u2019](?=[{_SMALL}]))"
    rf"|(?<=\w) (?:,|\.(?![{_SMALL}]))(?= ?[^\W\d_])"
    r"|\(\)[.,]?\d|[(\[][@+%|=]|[+@%],"
    r"|(?:^|[\s(\[,])[^\s=]{0,4} ?= ?[^\s=]"
)
# numbers with a decimal point, and with a comma
_POINTS = re.compile(r"(?<![\d.,])\d{1,3}\.\d+(?![\d.,])")
_COMMAS = re.compile(r"(?<![\d.,])\d{1,3},(?:\d{1,2}|\d{4,})(?![\d.,])")
_NUMBER = re.compile(r"[-+\u2212]?\d+(?:[.,]\d+)*%?$")
# letters or a colon beside digits, or within a number
_ODD_CELL = re.compile(r"(?=\S*\d)(?:\d*[^\W\d_]{1,2}\d*|\d+[:;]\d+)\.?$")
_MOST_NUMBERS = 0.6  # of the cells of a column that has numbers
_FEW_DECIMALS = 0.34  # of those of a table: they have another sign than the others
_LONE_CONSONANT = re.compile(r"(?<=[^\W\d_]{2} )[b-df-hj-np-tv-z](?= [a-zß-ÿ]{2}|$)")
# a small っ doubles the consonant behind it: no vowel, nor one of these
_NEVER_DOUBLED = re.compile("っ[あいうえおなにぬねのまみむめもらりるれろわをん]")
_BRACKETS = (
    ("「", "」"),
    ("『", "』"),
    ("《", "》"),
)  # of Chinese and Japanese: those of a list may stand alone


def has_misread(text: str, vocabulary: Vocabulary) -> bool:
    """Whether a passage has a word that was surely misread: a digit or a sign within it, a lone
    consonant, a stray sign, a full stop within a sentence, a bracket without the other, or a word
    seen once that letters which look alike part from a far more usual one.
    """
    alone = any(vocabulary.counts.get(letter, 0) <= 1 for letter in _LONE_CONSONANT.findall(text))
    if alone or _STOP_WITHIN.search(text) or has_stray_sign(text):
        return True
    if _NEVER_DOUBLED.search(text) or _has_lone_bracket(text):
        return True
    return has_misread_word(text, vocabulary)


def has_misread_word(text: str, vocabulary: Vocabulary) -> bool:
    """Whether a word of a passage was surely misread, whatever stands beside it."""
    return any(is_misread(word, vocabulary) for word in _tokens(text))


def _has_lone_bracket(text: str) -> bool:
    """Whether a bracket of Chinese or Japanese was read as another sign: `「正解 j`."""
    paired = all(text.count(opens) == text.count(closes) for opens, closes in _BRACKETS)
    return not paired or text.count("\uff08") > text.count("\uff09") + text.count(")")


def has_stray_sign(text: str) -> bool:
    """Whether a passage has a sign that stands where print has none, a formula, two decimal signs
    in one table or a letter among its numbers.
    """
    odd = CELLS in text and (_mixes_decimals(text) or _has_odd_cell(text))
    return odd or _STRAY.search(text) is not None


def is_misread(word: str, vocabulary: Vocabulary) -> bool:
    """Whether a word was surely misread."""
    return (
        bool(_WRONG_WITHIN.search(word))
        or _has_wrong_accent(word, vocabulary)
        or _is_mistaken(word, vocabulary)
    )


def _has_wrong_accent(word: str, vocabulary: Vocabulary) -> bool:
    """Whether a word has a letter that its language has not, and is listed without its accents:
    `LOCÃTE`.
    """
    # `Motörhead` may be a name, `naïve` is a word of English
    lower = word.lower()
    if word.isascii() or not vocabulary.is_lexicon or word not in (lower, word.upper()):
        return False
    accents = {letter for letter in lower if len(unicodedata.normalize("NFD", letter)) > 1}
    parted = unicodedata.normalize("NFD", lower)
    plain = "".join(letter for letter in parted if not unicodedata.combining(letter))
    foreign = accents - letters_of(vocabulary.language)
    return bool(foreign) and plain in vocabulary.listed and not vocabulary.knows(word)


def _is_mistaken(word: str, vocabulary: Vocabulary) -> bool:
    """Whether the letters of a word tell that it was misread."""
    folded = word.lower()
    seen = max(1, vocabulary.counts.get(folded, 0))
    if len(word) < _LEAST_TELLING or word.isupper() or (seen > 1 and not word.islower()):
        return False
    # a capital is no misread small letter: `Bier` is not `hier`
    others = [other for other in _alike(f"{word[0]}{folded[1:]}") if len(other) > 1]
    usual = max(map(vocabulary.times, others), default=0)
    if vocabulary.lists(word):
        rarely = _FAR_OFTENER * max(1, vocabulary.listed.get(folded, 0)) / LEAST_FREQUENCY
        return vocabulary.is_lexicon and usual >= rarely * seen
    if usual >= (_OFTENER if seen == 1 else _OFTENER_AGAIN * seen):
        return True
    if vocabulary.is_lexicon:
        lacked = vocabulary.lacks(word)
        edited = lacked and len(word) >= _LONG and _is_edited(word, vocabulary)
        return edited or (lacked and _is_glued(word, vocabulary.language))
    plain = len(word) >= _LEAST_UNLIKE and word.isalpha() and word[1:].islower()
    return seen == 1 and plain and is_unlike(word, vocabulary.language)


def _is_edited(word: str, vocabulary: Vocabulary) -> bool:
    """Whether a long word is one of its language with one letter more, one less or another, but for
    its ending, since many words are formed of others by theirs; of its first, one less.
    """
    letters = ["", *set("".join(vocabulary.counts))]
    return any(
        f"{word[:at]}{letter}{word[at + left_out :]}" in vocabulary.listed
        for at in range(len(word) - 1)
        for left_out in ((0, 1) if at else (0,))
        for letter in letters
    )


_MOST_USUAL, _USUAL_BESIDE = 100, 1000  # of the words of a language: of two glued ones


def _is_glued(word: str, language: str) -> bool:
    """Whether a word is one of the most usual of its language and a usual one, without a space
    between them: `asmall`, `whichis`.
    """
    first, usual = (most_frequent(language, most) for most in (_MOST_USUAL, _USUAL_BESIDE))
    parts = [{word[:at], word[at:]} for at in range(1, len(word))]
    return any(pair <= usual and pair & first for pair in parts)


_MOST_NAMED = 3  # words: whoever compares these sees the others


def doubtful_words(doubts: Collection[Doubt], text: str) -> tuple[str, ...]:
    """The words of a passage that its doubts name, where these are about single words: the first
    that seem misread, judged by the passage alone.
    """
    if OF_WORDS.isdisjoint(doubts):
        return ()
    vocabulary = vocabulary_of(text)
    words = (
        word for word in _tokens(text) if is_misread(word, vocabulary) or vocabulary.lacks(word)
    )
    return tuple(islice(dict.fromkeys(words), _MOST_NAMED))


def _has_odd_cell(text: str) -> bool:
    """Whether a column of numbers in a table has a cell with digits that is none."""
    rows = [[cell.strip() for cell in line.split(CELLS)] for line in text.split("\n")]
    columns: dict[tuple[int, int], list[str]] = defaultdict(list)
    for row in rows:
        for number, cell in enumerate(row if len(row) > 1 else ()):
            columns[len(row), number].append(cell)
    return any(
        sum(map(bool, map(_NUMBER.match, cells))) > _MOST_NUMBERS * len(cells)
        and any(map(_ODD_CELL.match, cells))
        for cells in columns.values()
    )


def _mixes_decimals(text: str) -> bool:
    """Whether a few numbers have a decimal comma where most have a point, or the reverse."""
    few, most = sorted((len(_POINTS.findall(text)), len(_COMMAS.findall(text))))
    return 0 < few <= _FEW_DECIMALS * most


_LEAST_UNSURE = 3  # letters
# in a word with one of these, an engine is unsure of words that it read right, too
_UNUSUAL_SIGN = re.compile(r"[\\_@/='\u2019]")


def has_unsure(words: Iterable[str], vocabulary: Vocabulary) -> bool:
    """Whether one of the words that an OCR engine is unsure of may be misread: it stands nowhere
    else, is in no list of words, and has no sign that engines seldom know.
    """
    for word in words:
        bare = word.strip(_MARKS)
        unusual = len(bare) < _LEAST_UNSURE or _UNUSUAL_SIGN.search(bare)
        if not unusual and not vocabulary.knows(bare):
            return True
    return False


# Whether a text is in the language that it was read in.

_LEAST_OF_LANGUAGE, _LEAST_USUAL = 40, 0.2  # words, and which share of them a language's usual ones


def is_in_no_language(text: str) -> bool:
    """Whether a text that was read in an image has hardly any usual word of a language, as where
    the letters of a script, or a language, are not those that its reader knows.
    """
    words = [word.casefold() for word in _tokens(text)]
    if len(words) < _LEAST_OF_LANGUAGE or clear_language(text) is not None:
        return False
    usual = usual_words(language_of(text))
    return sum(word in usual for word in words) < _LEAST_USUAL * len(words)


def prefers_second(first: str, second: str) -> bool:
    """Whether of two readings of a page the second has fewer words misread and no fewer known, or
    far more words; or, where the first is in no language, more of the words of one; or has other
    words that are listed, as where the first is of another page.
    """
    vocabulary = vocabulary_of(f"{first}\n{second}")
    before, words = _tokens(first), _tokens(second)
    if len(words) > _FAR_MORE * len(before):
        return True
    if is_in_no_language(first) and _has_more_of_language(second, first):
        return True
    shared = (Counter(before) & Counter(words)).total()
    is_another = shared < _SHARED * min(len(before), len(words))
    is_whole = len(words) >= _WHOLE * len(before)
    if is_another and is_whole and sum(map(vocabulary.lists, words)) > _LISTED * len(words):
        return True
    fewer = misread_share(second, vocabulary) < misread_share(first, vocabulary)
    # what both readings have is known, too
    return fewer and sum(map(vocabulary.knows, words)) >= sum(map(vocabulary.knows, before))


def _has_more_of_language(second: str, first: str) -> bool:
    """Whether of two readings of a page the second has as many usual words of its language, and far
    more of all its words are such.
    """
    usual = usual_words(language_of(f"{first}\n{second}"))
    words, before = _tokens(second), _tokens(first)
    found, known = (sum(word.casefold() in usual for word in each) for each in (words, before))
    return found >= max(known, 1) and found * len(before) > _FAR_MORE * known * len(words)


def _tokens(text: str) -> list[str]:
    """The words of a text without the marks around them, those parted at a line's end as one."""
    tokens = (token.strip(_MARKS) for token in _TOKEN.findall(_BROKEN.sub("", text)))
    return [token for token in tokens if any(map(str.isalpha, token))]


def _alike(word: str) -> Iterator[str]:
    """What a word may have been before one of its letters was misread."""
    for read, printed in _CONFUSIONS:
        at = word.find(read)
        while at >= 0:
            yield f"{word[:at]}{printed}{word[at + len(read) :]}"
            at = word.find(read, at + 1)
