"""How much of a text says something, and how much of it was not decoded or misread."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from citeloom.domain.documents.language import LANGUAGE_NAMES, clear_language, language_of
from citeloom.domain.text.word_lists import all_words, word_list

# How much of a text says something.

_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_HALF = 0.5
_NUMBERS_A_LETTER = 4.0
_BAR = "|"
CELLS = f" {_BAR} "
_GAP = re.compile(r"(?<=\S)[ \t]+(?=\S)")
_SENTENCE = re.compile(r"(?:\S+\s+){7}.*[.!?]")  # of eight words or more
_LEAST_WORDS = 0.2  # of the visible characters are in words: fewer may be a plot's labels
_DRAWING = re.compile(r"[\u2190-\u21ff\u2500-\u25ff]|([^\w\s])\1{2,}")
_LEADERS = re.compile(r"([^\w\s])(?:\s?\1){2,}")
_UNDECODED = re.compile(r"\(cid:\d+\)|\ufffd")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


def signal_to_noise(text: str) -> float:
    """The share of a text's visible characters that carry meaning, from 0 to 1.

    The letters of words (two different letters or more, any script) count in full, the digits of
    numbers by half, and outside the rows of a table (`oats | 4.1`) at most four times as much as
    the words: numbers need words to mean something, so that data are not noise and the numbers
    along an axis are. In the rows of a table all counts by half that is no word, the bars between
    cells as white space, and a row may stand again; but rows of one letter are a plot's marks.
    Noise is the rest: leader dots, rules, symbols, lone and repeated letters such as the markers
    of a plot (`l ll lll`), undecoded glyphs such as `(cid:12)` or U+FFFD, and every repeated line,
    as in a duplicated header, but for a sentence, as the note below each of several tables. Prose
    reaches 0.9, a table of numbers about 0.5, leader dots of a table of contents less than 0.2. So
    the default limit of 0.3 drops what nobody would quote and keeps data.
    """
    visible = words = digits = cells = 0.0
    seen: set[str] = set()
    for line in text.splitlines():
        is_row = CELLS in line
        shown = line.replace(_BAR, " ") if is_row else line
        characters = visible_characters(shown)
        visible += characters
        key = " ".join(line.split())
        if not characters or (key in seen and not is_row and not _SENTENCE.fullmatch(key)):
            continue
        seen.add(key)
        decoded = _UNDECODED.sub(" ", shown)
        in_words = _in_words(decoded)
        words += in_words
        if not is_row:
            digits += _HALF * sum(
                sum(c.isdigit() for c in number) for number in _NUMBER.findall(decoded)
            )
        elif _is_data(decoded):
            cells += _HALF * (visible_characters(decoded) - in_words)
    signal = words + cells + min(digits, _NUMBERS_A_LETTER * words)
    return signal / visible if visible else 0.0


def code_signal(text: str) -> float:
    """The share of a listing's or a diagram's visible characters that carry meaning, from 0 to 1.

    Symbols, numbers and repeated lines are part of code. The lines, arrows and rules of a diagram
    do not count. Noise is undecoded glyphs, and lines without a letter or a digit.
    """
    visible = signal = 0
    for line in text.splitlines():
        drawn = _DRAWING.sub(" ", line)
        visible += visible_characters(drawn)
        decoded = _UNDECODED.sub(" ", drawn)
        if _LETTER_OR_DIGIT.search(decoded):
            signal += visible_characters(decoded)
    return signal / visible if visible else 0.0


def passage_signal(text: str) -> float:
    """The signal to noise of a passage: where it has words, half of all that stands there, as lone
    letters and signs in a list of accents or of commands, but no leaders and undecoded glyphs.
    """
    signal, visible = signal_to_noise(text), visible_characters(text)
    if signal >= _HALF or _in_words(text) <= _LEAST_WORDS * visible:
        return signal
    lines = dict.fromkeys(" ".join(line.split()) for line in text.splitlines())
    once = _LEADERS.sub(" ", _UNDECODED.sub(" ", "\n".join(lines)))
    return max(signal, _HALF * visible_characters(once) / visible)


def listing_signal(text: str) -> float:
    """The signal to noise of what was recognised as code by its layout, as a plot may be: as of
    code where it has words, and else of columns, such as a program's output has.
    """
    if _in_words(text) >= _LEAST_WORDS * visible_characters(text):
        return code_signal(text)
    return max(signal_to_noise(text), signal_to_noise(_GAP.sub(CELLS, text)))


def visible_characters(text: str) -> int:
    return len("".join(text.split()))


def label_share(text: str) -> float:
    """The share of a text's words that are numbers, lone letters, symbols or one letter repeated,
    as the labels of a plot are, from 0 to 1.
    """
    words = text.split()
    labels = sum(not any(map(_is_word, _WORD.findall(word))) for word in words)
    return labels / len(words) if words else 0.0


def _in_words(text: str) -> int:
    """How many letters are in words."""
    return sum(len(word) for word in _WORD.findall(text) if _is_word(word))


def _is_data(row: str) -> bool:
    """Whether a row of a table has a digit or different letters."""
    letters = "".join(_LETTER_OR_DIGIT.findall(row))
    return _is_word(letters) or any(map(str.isdigit, letters))


def _is_word(letters: str) -> bool:
    return len(set(letters.lower())) > 1


# Garbled characters: what faulty decoding produces instead of text.

_UNDECODED_GLYPHS = re.compile(r"\(cid:\d+\)|GLYPH<[^<>]*>")
_FOREIGN = re.compile(r"[^\x00-\x7f]{2,}")
_KEPT = frozenset("\t\n\r\f")
_NO_TEXT = frozenset({"Cc", "Cn", "Co", "Cs"})


def garbled_share(text: str) -> float:
    """The share of a text's visible characters that are garbled, from 0 to 1.

    These are glyphs without a character (`(cid:12)`), U+FFFD, characters for private use, control
    characters, and UTF-8 that was read as Windows-1252 (`Ã¤` for `ä`).
    """
    visible = sum(not character.isspace() for character in text)
    if not visible:
        return 0.0
    codes = sum(map(len, _UNDECODED_GLYPHS.findall(text)))
    wrong = sum(
        char == "\ufffd" or (char not in _KEPT and unicodedata.category(char) in _NO_TEXT)
        for char in text
    )
    mistaken = sum(len(run) for run in _FOREIGN.findall(text) if _is_mistaken(run))
    return min(1.0, (codes + wrong + mistaken) / visible)


def _is_mistaken(run: str) -> bool:
    try:
        run.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return False
    return True


# Words that a program misread in the image of a page.

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
# letters that look alike in a scan
_ALIKE = [
    pair.split(":")
    for pair in (
        "e:c i:l l:1 i:1 o:0 m:rn h:b h:li u:n u:ii n:ii s:f s:5 t:f d:cl w:vv g:q y:v e:o a:u r:i "
        "b:6 t:i c:o a:o n:ri t:l ü:ii"
    ).split()
]
_CONFUSIONS = [pair for one, other in _ALIKE for pair in ((one, other), (other, one))]
# those that seldom make one word of another
_TELLING = [
    pair
    for pair in _CONFUSIONS
    if {":".join(pair), ":".join(pair[::-1])}
    & set("e:c l:1 i:1 m:rn h:b h:li u:ii n:ii ü:ii d:cl w:vv g:q s:f n:ri s:5 b:6 y:v".split())
]
_LEAST_TELLING = 3  # letters of a word that one of them tells of
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
_WRONG_WITHIN = re.compile(
    r"[^\W\d_][?!~_|\\^¢£©®¬¦°»«<>{}\u2018\u201c\u201d\u201e]+[^\W\d_]"
    r"|[a-zß-ÿ]\d+[^\W\d_]|[^\W\d_]\d+[a-zß-ÿ]|\b\d+(?!st\b|nd\b|rd\b|th\b)[a-zß-ÿ]{2,}"
    r"|[£¢€$¥][^\W\d_]|([a-hj-vyz])\1\1|(?:\b[a-zß-ÿ]{2,}|[ß-ÿ])[A-ZÀ-Þ]"
)
_STOP_WITHIN = re.compile(r"\b[a-zß-ÿ]{5,}\. [a-zß-ÿ]{2,}")
_LONE_CONSONANT = re.compile(r"(?<=[^\W\d_]{2} )[b-df-hj-np-tv-z](?= [a-zß-ÿ]{2})")


def has_misread(text: str, familiar: Mapping[str, int]) -> bool:
    """Whether a passage has a word that was surely misread: a digit or a sign within it, a lone
    consonant, a full stop within a sentence, or a word seen once that letters which look alike
    part from a `familiar` one.

    Of 200 passages of made scans, half of those with a word wrong have one, and 9 of 93 others.
    """
    alone = any(familiar.get(letter, 0) <= 1 for letter in _LONE_CONSONANT.findall(text))
    if alone or _STOP_WITHIN.search(text):
        return True
    return any(
        _WRONG_WITHIN.search(word)
        or (
            len(word) >= _LEAST_TELLING
            and familiar.get(word.casefold(), 0) <= 1
            # a capital is no misread small letter: `Bier` is not `hier`
            and _is_confused(f"{word[0]}{word[1:].casefold()}", familiar, _TELLING)
        )
        for word in _tokens(text)
    )


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
    letters = _LETTERS_OF.get(clear_language(text) or "", "")
    words = [word.casefold() for word in _tokens(text)]
    if not letters or len(words) < _LEAST_ACCENTED:
        return False
    return sum(not set(letters).isdisjoint(word) for word in words) < _ACCENTED * len(words)


# of the words of a page in Arabic script, how many are letters torn off the words beside them:
# a few where some glyphs have no letter of their own, and many where most have none
_FEW_TORN, _MANY_TORN, _LEAST_TORN = 0.01, 0.05, 3
_ARABIC = "\u0620-\u063f\u0641-\u064a\u066e-\u06d3"
_ARABIC_WORD = re.compile(rf"[{_ARABIC}]+")
# "and" is a word, and letters before a number or a bracket are numerals and abbreviations
_TORN = re.compile(rf"(?<=[{_ARABIC}] )(?!\u0648)[{_ARABIC}](?= [{_ARABIC}])")


def torn_parts(parts: Sequence[str]) -> frozenset[int]:
    """The indexes of a page's texts in Arabic script whose words lack letters or are torn, as of
    fonts whose glyphs share one letter: those with single letters among the words, or, where these
    are many on the page, all.
    """
    plain = [_without_marks(part) for part in parts]
    words = [len(_ARABIC_WORD.findall(part)) for part in plain]
    torn = [len(_TORN.findall(part)) for part in plain]
    if sum(torn) < max(_LEAST_TORN, _FEW_TORN * sum(words)):
        return frozenset()
    found = words if sum(torn) >= _MANY_TORN * sum(words) else torn
    return frozenset(at for at, count in enumerate(found) if count)


def _without_marks(text: str) -> str:
    letters = unicodedata.normalize("NFKC", text)
    return "".join(char for char in letters if unicodedata.category(char) not in ("Mn", "Cf"))


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
    word: str, familiar: Mapping[str, int], confusions: Sequence[Sequence[str]] = _CONFUSIONS
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


def _alike(word: str, confusions: Sequence[Sequence[str]]) -> Iterator[str]:
    """What a word may have been before one of its letters was misread."""
    for read, printed in confusions:
        at = word.find(read)
        while at >= 0:
            yield f"{word[:at]}{printed}{word[at + len(read) :]}"
            at = word.find(read, at + 1)
