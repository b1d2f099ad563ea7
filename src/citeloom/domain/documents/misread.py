"""Words that a program misread in the image of a page, and whether its text is in its language."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from citeloom.domain.documents.conversion import OF_WORDS, Doubt
from citeloom.domain.documents.language import LANGUAGE_NAMES, clear_language, language_of
from citeloom.domain.documents.quality import CELLS
from citeloom.domain.text.trigrams import is_unlike, likest_language
from citeloom.domain.text.word_lists import all_words, word_list

_TOKEN = re.compile(r"\S+")
_BROKEN = re.compile(r"-[ \t]*\r?\n\s*")
_MARKS = (
    ".,;:!?()[]{}<>\"'\u201c\u201d\u2018\u2019\u201e\u00ab\u00bb\u2026\u00b7\u2022*\u2013\u2014-"
)
# signs that stand alone in print, too
_USUAL_STRAYS = frozenset("-\u2013\u2014&=+\u2022|/*\u00b7\u25cf\u25a0\u2026")
_LONGEST_STRAY = 2
_WITHIN = re.compile(
    r"[a-z\u00c0-\u04ff][^\w\s'\u2019\-\u2010\u2013/.@:&]+[a-z\u00c0-\u04ff]|(.)\1\1", re.IGNORECASE
)
_DIGIT_WITHIN = re.compile(r"[a-zß-ÿ]\d|\d[a-zß-ÿ]{2}")
_CAPITAL_WITHIN = re.compile(r"[a-zß-ÿ][A-ZÀ-Þ]")
_COMPOUND_NAME = re.compile(r"[A-Z][a-z]+[A-Z]")  # as `PostScript`
_LONE_LETTERS = frozenset("aieoyàuå")
_AS_MANY = 0.7  # of the words of one reading: another with fewer has lines or spaces missing
_FAR_MORE = 1.5  # times the words of one reading: it lacks lines that another has
_USUAL = 30  # times that a usual word of a language counts as seen
_OFTENER = 10  # times as often as a word that it is mistaken for


def _both_ways(pairs: str) -> list[tuple[str, str]]:
    alike = [pair.split(":") for pair in pairs.split()]
    return [pair for one, other in alike for pair in ((one, other), (other, one))]


def _lost(accents: str) -> list[tuple[str, str]]:
    letters = [letter.split(":") for letter in accents.split()]
    return [(plain, accented) for plain, more in letters for accented in more]


# letters that look alike in a scan: first those that seldom make one word of another. An accent is
# lost, but none is read where there is none: `würde` is not `wurde`
_TELLING = [
    *_both_ways(
        "e:c l:1 i:1 m:rn h:b h:li u:ii n:ii s:f s:5 d:cl w:vv g:q y:v b:6 n:ri ü:ii ü:ti m:nl "
        "m:ln é:è ó:é ö:é ß:B т:г п:н н:и п:и е:с з:э э:з ь:ы ч:т ш:т"
    ),
    *_lost("e:éèê a:àáâä i:íî o:óöô u:üúù n:ñ c:ç"),
]
_CONFUSIONS = _TELLING + _both_ways(
    "i:l o:0 u:n t:f e:o a:u r:i t:i c:o a:o t:l и:в н:в п:л е:о ш:н к:в"
)
_LEAST_TELLING = 3  # letters of a word that one of them tells of
_LEAST_UNLIKE = 4  # letters of a word that is unlike those of its language: of `dpkg`, not of `lib`
_USUAL_WORDS = ("function", "question", "frequent")  # the lists of a language's usual words
# what is misread for each sign of it: a word like a usual one is rarely the only one
_OF_CONFUSED, _OF_GARBLED, _OF_STRAYS = 4.0, 0.25, 0.5


def familiar_words(text: str) -> Mapping[str, int]:
    """How often a text has each of its words; a usual one of its language counts as often seen, and
    any that is in a list of it once more.
    """
    counts, language = Counter(word.casefold() for word in _tokens(text)), language_of(text)
    if not is_in_no_language(text):
        for word in usual_words(language):
            counts[word] += _USUAL
    counts.update(counts.keys() & all_words(language))
    return counts


def usual_words(language: str) -> frozenset[str]:
    """The words that are usual in a language; none if it is not known."""
    listed = _USUAL_WORDS if language in LANGUAGE_NAMES else ()
    return frozenset[str]().union(*(word_list(name, language) for name in listed))


def misread_share(text: str, familiar: Mapping[str, int]) -> float:
    """About which share of the words of a text a program misread, from 0 to 1.

    Signs of it are words of which one letter that looks like another makes a far more `familiar`
    one (`thc`, `wbich`), signs and digits within words, and signs that stand alone; in scripts
    other than Latin only the last. Of 660 pages of manuals in seven languages, most with letters
    exchanged, 97 % of those with a tenth of their words misread or more had a share above 0.07, and
    a quarter of those with less than a fiftieth, which are full of code; of 15 whole manuals one,
    and all 15 once a twentieth of their words was.
    """
    words = _tokens(text)
    counts = Counter(word.casefold() for word in words)
    confused = sum(count for word, count in counts.items() if _is_confused(word, familiar))
    garbled = sum(map(_is_garbled, words))
    strays = sum(
        len(token) <= _LONGEST_STRAY
        and token not in _USUAL_STRAYS
        and not any(map(str.isalnum, token))
        for token in _TOKEN.findall(text)
    )
    signs = _OF_CONFUSED * confused + _OF_GARBLED * garbled + _OF_STRAYS * strays
    return min(1.0, signs / len(words)) if words else 0.0


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
# a mark that a word is glued to, signs that stand alone where a letter is printed or in the place
# of a note's mark, and a capital with an accent, or an article's, within a sentence
_STRAY = re.compile(
    rf"(?<!\S)(?:[:;,\u00b7][^\W\d_]{{2}}|[\u00a2\u00ae\u00ac^~](?=\s|$))"
    r"|[^\W\d_][.,][!?*\u00b0\u2018\u201c](?=\s|$)"
    rf"|(?<=[{_SMALL}] )(?:[\u00c0-\u00de](?= [{_SMALL}])|L['\u2019](?=[{_SMALL}]))"
)
# numbers with a decimal point, and with a comma
_POINTS = re.compile(r"(?<![\d.,])\d{1,3}\.\d+(?![\d.,])")
_COMMAS = re.compile(r"(?<![\d.,])\d{1,3},(?:\d{1,2}|\d{4,})(?![\d.,])")
_NUMBER = re.compile(r"[-+\u2212]?\d+(?:[.,]\d+)*%?$")
# letters or a colon beside digits, or within a number
_ODD_CELL = re.compile(r"(?=\S*\d)(?:\d*[^\W\d_]{1,2}\d*|\d+[:;]\d+)\.?$")
_MOST_NUMBERS = 0.6  # of the cells of a column that has numbers
_FEW_DECIMALS = 0.34  # of those of a table: they have another sign than the others
_LONE_CONSONANT = re.compile(r"(?<=[^\W\d_]{2} )[b-df-hj-np-tv-z](?= [a-zß-ÿ]{2})")


def known_language(text: str) -> str:
    """The language of which the letters of words tell whether they were misread; empty if it is not
    clear.
    """
    return clear_language(text) or likest_language(set(filter(str.isalpha, _tokens(text)))) or ""


def has_misread(text: str, familiar: Mapping[str, int], language: str = "") -> bool:
    """Whether a passage has a word that was surely misread: a digit or a sign within it, letters
    that no word of its `language` has, a lone consonant or sign, a full stop within a sentence, two
    decimal signs in one table or a letter among its numbers, or a word seen once that letters which
    look alike part from a `familiar` one.
    """
    alone = any(familiar.get(letter, 0) <= 1 for letter in _LONE_CONSONANT.findall(text))
    strays = _STOP_WITHIN.search(text) or _STRAY.search(text)
    if alone or strays or (CELLS in text and (_mixes_decimals(text) or _has_odd_cell(text))):
        return True
    return any(is_misread(word, familiar, language) for word in _tokens(text))


def is_misread(word: str, familiar: Mapping[str, int], language: str = "") -> bool:
    """Whether a word was surely misread."""
    if _WRONG_WITHIN.search(word):
        return True
    if len(word) < _LEAST_TELLING or familiar.get(word.casefold(), 0) > 1:
        return False
    # a capital is no misread small letter: `Bier` is not `hier`
    if _is_confused(f"{word[0]}{word[1:].casefold()}", familiar, _TELLING):
        return True
    plain = len(word) >= _LEAST_UNLIKE and word.isalpha() and word[1:].islower()
    return plain and is_unlike(word, language)


_MOST_NAMED = 3  # words: whoever compares these sees the others


def doubtful_words(doubts: Collection[Doubt], text: str) -> tuple[str, ...]:
    """The words of a passage that its doubts name, where these are about single words: the first
    that were surely misread, judged by the passage alone.

    Of 266 such words in 222 doubted passages of made scans 216 were misread; most of the others are
    names of programs.
    """
    if OF_WORDS.isdisjoint(doubts):
        return ()
    familiar, language = familiar_words(text), known_language(text)
    words = (word for word in _tokens(text) if is_misread(word, familiar, language))
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


def has_unsure(words: Iterable[str], familiar: Mapping[str, int]) -> bool:
    """Whether one of the words that an OCR engine is unsure of may be misread: it stands nowhere
    else, is in no list of words, and has no sign that engines seldom know.
    """
    for word in words:
        bare = word.strip(_MARKS)
        unusual = len(bare) < _LEAST_UNSURE or _UNUSUAL_SIGN.search(bare)
        if not unusual and familiar.get(bare.casefold(), 0) <= 1:
            return True
    return False


# Whether a text is in the language that it was read in.

_LETTERS_OF = {
    "de": "äöüß",
    "es": "áéíóúñ",
    "fr": "àâçèéêîôùû",
    "pt": "áâãçéêíóôõú",
}
_KEY_LETTERS = {"de": "ü", "es": "ó", "fr": "é", "pt": "ã"}  # those of the most words
_LEAST_KEY = 0.005  # of the words: usual are .03 to .1
_ACCENTED = 0.025  # of the words: with fewer, a language lacks its letters. Usual are .04 to .25
_LEAST_ACCENTED = 200  # words of a text that tell it
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


def lacks_letters(text: str) -> bool:
    """Whether a text in a language has not the letters of it that English lacks: it was read as
    English is.
    """
    language = clear_language(text) or ""
    words = [word.casefold() for word in _tokens(text)]
    if language not in _LETTERS_OF or len(words) < _LEAST_ACCENTED:
        return False
    accented = sum(not set(_LETTERS_OF[language]).isdisjoint(word) for word in words)
    key = sum(_KEY_LETTERS[language] in word for word in words)
    return accented < _ACCENTED * len(words) or key < _LEAST_KEY * len(words)


def prefers_second(first: str, second: str) -> bool:
    """Whether of two readings of a page the second has fewer words misread and about as many words,
    or far more words; or, where the first is in no language, more of the words of one.
    """
    familiar = familiar_words(f"{first}\n{second}")
    words, before = len(_tokens(second)), len(_tokens(first))
    if words > _FAR_MORE * before:
        return True
    if is_in_no_language(first) and _has_more_of_language(second, first):
        return True
    better = misread_share(second, familiar) < misread_share(first, familiar)
    return better and words >= _AS_MANY * before


def _has_more_of_language(second: str, first: str) -> bool:
    """Whether of two readings of a page the second has as many usual words of its language, and far
    more of all its words are such.
    """
    usual = usual_words(language_of(f"{first}\n{second}"))
    words, before = _tokens(second), _tokens(first)
    found, known = (sum(word.casefold() in usual for word in each) for each in (words, before))
    return found >= max(known, 1) and found * len(before) > _FAR_MORE * known * len(words)


def _is_confused(
    word: str, familiar: Mapping[str, int], confusions: Sequence[tuple[str, str]] = _CONFUSIONS
) -> bool:
    least = _OFTENER * max(1, familiar.get(word.casefold(), 0))
    return len(word) > 1 and any(
        len(other) > 1 and familiar.get(other.casefold(), 0) >= least
        for other in _alike(word, confusions)
    )


def _tokens(text: str) -> list[str]:
    """The words of a text without the marks around them, those parted at a line's end as one."""
    tokens = (token.strip(_MARKS) for token in _TOKEN.findall(_BROKEN.sub("", text)))
    return [token for token in tokens if any(map(str.isalpha, token))]


def _is_garbled(word: str) -> bool:
    if len(word) == 1:
        return word.isascii() and word.casefold() not in _LONE_LETTERS
    if _WITHIN.search(word) or _DIGIT_WITHIN.search(word):
        return True
    return bool(_CAPITAL_WITHIN.search(word)) and not _COMPOUND_NAME.search(word)


def _alike(word: str, confusions: Sequence[tuple[str, str]]) -> Iterator[str]:
    """What a word may have been before one of its letters was misread."""
    for read, printed in confusions:
        at = word.find(read)
        while at >= 0:
            yield f"{word[:at]}{printed}{word[at + len(read) :]}"
            at = word.find(read, at + 1)
