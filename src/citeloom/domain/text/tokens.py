"""Words and sentences as texts have them: with signs, in scripts without spaces, and which carry
content.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil

from citeloom.domain.text.word_lists import word_list, words_of_all_languages

_LEAST_LETTERS = 4
WORD = re.compile(r"[^\W_](?:[\w.'\u2019/+-]*[^\W_])?[+#]*")
"""A word as it is written: with the signs within it and behind it, as in C++ and n/a."""
_WORD_OR_NUMBER = re.compile(r"[^\W_][\w'\u2019-]*")


def content_words(text: str) -> list[str]:
    """The words of a text that carry its content, without function words."""
    words = (word.strip("'\u2019-").casefold() for word in _WORD_OR_NUMBER.findall(text))
    functional = word_list("function", "en", "de", "pt")
    return [word for word in words if len(word) >= _LEAST_LETTERS and word not in functional]


# Text that no spaces part into words.

UNSEGMENTED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0edf\u1000-\u109f\u1780-\u17d3"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc-\u30ff"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Chinese characters
    "\uac00-\ud7a3"  # Korean, whose words have endings
)
"""The letters, as of a character class, of scripts that do not part words by spaces."""
_RUN = re.compile(rf"[{UNSEGMENTED}]+")


def has_unsegmented(text: str) -> bool:
    """Whether a text has a letter of a script that does not part words by spaces."""
    return _RUN.search(text) is not None


def unsegmented_letters(text: str) -> int:
    """How many such letters a text has."""
    return sum(map(len, _RUN.findall(text)))


def word_count(text: str) -> int:
    """How many words a text has, two letters each where no spaces part them."""
    spaced = [word for word in _RUN.sub(" ", text).split() if any(map(str.isalnum, word))]
    return len(spaced) + unsegmented_letters(text) // 2


def pairs_of_letters(word: str) -> list[str]:
    """The parts of a word: each two letters side by side of a run that has no spaces, a single
    letter by itself, and what is between runs as it is. Marks stay with their letter.
    """
    parts: list[str] = []
    at = 0
    for run in _RUN.finditer(word):
        parts += [word[at : run.start()], *_pairs(run[0])]
        at = run.end()
    return [part for part in (*parts, word[at:]) if part]


def _pairs(run: str) -> list[str]:
    letters: list[str] = []
    for char in run:
        if letters and unicodedata.category(char).startswith("M"):
            letters[-1] += char
        else:
            letters.append(char)
    return [first + second for first, second in zip(letters, letters[1:])] or letters


# Words with signs, such as C++, n=37 or .NET, and symbols, such as \u221d.

SYMBOLS = (
    "\u00a2-\u00a7\u00a9\u00ac\u00ae\u00b0\u00b1\u00b6\u00d7\u00f7\u20a0-\u20cf\u2190-\u2211\u2213-\u24ff"
    "\u2600-\u2bff\U0001f000-\U0001faff"
)
"""Symbols, as of a character class: of money, mathematics and pictures, without the minus sign, and
without lines and shapes, which are bullets and rules.
"""
_LONGEST_WITH_SIGNS = 40
_LONGEST_OPERATOR = 4
_HYPHENS = str.maketrans("\u2010\u2011\u2212", "---")
_SYMBOL = re.compile(f"[{SYMBOLS}]")
_WITH_SIGNS = re.compile(
    rf"(?:(?<![\w.])\.(?=[^\W\d_])|(?<![\w+#-])--?(?=[\w>])|:(?==))?"  # .NET, --explain, ->, :=
    rf"[\w{SYMBOLS}+#=<>&|^~%$@\\](?:[\w{SYMBOLS}+#=<>&|^~%$@\\.:!?*]|-(?![^\W\d_]))*"
)
_PLAIN_WORD = re.compile(r"[\w.:!?*-]*")
_VERSION = re.compile(r"([^\W\d_]+(?:\+\+|#))\w")


def words_with_signs(text: str) -> Iterator[str]:
    """The words of a text that have a sign or a symbol, operators of two signs or more, and symbols
    that stand alone; dashes as hyphens.
    """
    for match in _WITH_SIGNS.finditer(text.translate(_HYPHENS)):
        word = match[0].rstrip(".:!?*-")
        if _has_sign(word) and len(word) <= _LONGEST_WITH_SIGNS:
            yield word


def _has_sign(word: str) -> bool:
    """Whether a word is more than letters, digits and what stands between sentences and parts."""
    if _PLAIN_WORD.fullmatch(word):
        return word[:1] in {".", "-"} and len(word) > 1
    operator = not any(char.isalnum() or _SYMBOL.match(char) for char in word)
    return not operator or 1 < len(word) <= _LONGEST_OPERATOR


def parts_with_signs(word: str) -> list[str]:
    """The symbols in a word with signs, and the name before a version: C++ of C++17."""
    symbols = _SYMBOL.findall(word) if len(word) > 1 else []
    return [*symbols, *_VERSION.findall(word)]


# Sentence boundaries by position.

_CLOSING, _OPENING = "\"'”\u2019»)\\]\u00b9\u00b2\u00b3\u2070\u2074-\u2079", "\"'“\u2018«(\\["
"""What may stand between the end of a sentence and the next one: the number of a note, too."""
SENTENCE_ENDS = (
    ".!?…\u0589\u061f\u06d4\u0964\u0965\u1362\u3002\uff0e\uff61\uff01\uff1f\u17d4\u17d5\u104b"
)
"""Marks that end a sentence: Latin, Armenian, Arabic, Urdu, Hindi, Amharic, Chinese, Japanese,
Khmer and Burmese.
"""
_UNSPACED_END = (
    "(?:[\u3002\uff61\uff01\uff1f]|(?<![0-9\uff10-\uff19])\uff0e)+(?![\u300d\u300f])"
    "[\u201d\u2019\u300b\uff09\\s]*"
)
"""The end of a Chinese or Japanese sentence, unless in corner brackets: there it goes on. A stop
as wide as a letter may stand in a number.
"""
_CAPITALS = "".join(
    letter
    for letter in map(chr, (*range(0xC0, 0x590), *range(0x1E00, 0x2000)))
    if letter.isupper() or letter.istitle()
)
"""Those of Latin with accents, Greek, Cyrillic and Armenian."""
_CASELESS = (
    "\u0590-\u10ff\u1200-\u139f\u1780-\u17ff\u3005-\u9fff"  # Hebrew to Burmese, Chinese, Japanese
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
)
"""The letters, as of a character class, of scripts without capitals."""
_THAI = "[\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0edf]"
"""A letter of Thai or Lao, in which a space parts clauses."""
_END = re.compile(
    rf"[{SENTENCE_ENDS}]+[{_CLOSING}]*\s+(?=[{_OPENING}]*[A-Z0-9{_CAPITALS}{_CASELESS}])|\n+"
    rf"|{_UNSPACED_END}|[\u17d4\u17d5\u104b]+\s*|(?<={_THAI}{{10}})\s+(?={_THAI}{{10}})"
)


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """The `(start, end)` of each sentence of `text`, without surrounding white space.

    Line breaks end sentences: within a block they separate table rows, verses or code. So do the
    full stops of Chinese, Japanese, Khmer and Burmese, and spaces in Thai and Lao.
    """
    start = 0
    for match in _END.finditer(text):
        if "\n" not in match.group() and _is_abbreviated(text, start, match.start()):
            continue
        end = match.start() + len(match.group().rstrip())
        yield from _stripped(text, start, end)
        start = match.end()
    yield from _stripped(text, start, len(text))


def line_spans(text: str) -> Iterator[tuple[int, int]]:
    """The `(start, end)` of each line of `text` that is not blank."""
    for match in re.finditer(r"[^\n]+", text):
        yield from _stripped(text, match.start(), match.end())


def _is_abbreviated(text: str, start: int, stop: int) -> bool:
    """Whether the full stop at `stop` belongs to an abbreviation, an initial or a number."""
    if text[stop] != ".":
        return False
    word = re.split(r"[\s(\[]", text[start:stop])[-1].lower()
    if len(word) == 1 and word.isalpha():
        return True
    if word in words_of_all_languages("abbreviation"):
        return True
    # a short number that opens a line, as in `3. Results`
    opens = text[start:stop].strip().lower() == word
    return opens and word.rstrip(".").isdigit() and len(word) <= 3


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


# Words of scripts that a model of English does not read: it spells them, or has one token for any.

SPELLED = "\u0370-\u10ff\u1200-\u1cff\u1f00-\u1fff\u2d30-\u2d7f\ufb1d-\ufdff\ufe70-\ufefc"
"""The letters, as of a character class, of such alphabets."""
_KANA, _HANGUL = "\u3041-\u3096\u30a1-\u30fa\u30fc", "\uac00-\ud7a3"
SYLLABLES = _KANA + _HANGUL
"""Kana and Hangul, likewise."""
_IDEOGRAPHS = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_SPELLED_WORDS = (
    (re.compile(f"[{SPELLED}]{{2,}}"), 4.3),  # as many letters as English has to a token
    # as many as translations of the same pages have to an English token
    (re.compile(f"[{_HANGUL}]+"), 2.0),
    (re.compile(f"[{_KANA}]+"), 3.0),
    (re.compile(f"[{_IDEOGRAPHS}]+"), 1.4),
)


def without_spelled_words(text: str) -> tuple[str, int]:
    """The text without such words, and how many tokens an English text has that says as much."""
    tokens = 0.0
    if not text.isascii():
        for words, letters_a_token in _SPELLED_WORDS:
            tokens += sum(map(len, words.findall(text))) / letters_a_token
            text = words.sub(" ", text)
    return text, ceil(tokens)


def joined_pairs(words: Sequence[str], question: str) -> list[str]:
    """The words, those of two letters without spaces between words joined where they overlap in the
    question, as it has them.
    """
    pairs = [word for word in words if has_unsegmented(word)]
    spans = (match.span() for pair in pairs for match in re.finditer(re.escape(pair), question))
    joined = joined_spans(spans, lambda end, start: start < end)
    stretches = dict.fromkeys(question[start:end] for start, end in joined)
    return [*(word for word in words if word not in pairs), *stretches]


def joined_spans(
    spans: Iterable[tuple[int, int]], meet: Callable[[int, int], bool]
) -> list[tuple[int, int]]:
    """The spans, ascending; where the end of one and the start of the next `meet`, they are one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and meet(joined[-1][1], start):
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
