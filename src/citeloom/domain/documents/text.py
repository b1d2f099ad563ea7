"""Text as it is written: normal form, whole words, sentences, and what stands in it verbatim."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from citeloom.domain.text.word_lists import word_list

# Text in a normal form in which quotations are compared, with the way back to the original.

_DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")


_QUOTES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b`\u00b4\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
}


_SAME = {**_DASHES, **_QUOTES}


_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


_VOICED = frozenset("\uff9e\uff9f")  # the marks of half-width katakana


_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])-[ \t]*\n\s*(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class NormalText:
    """A text's normal form, and the offset in the original of each of its characters.

    Case, ligatures, white space, the forms of dashes and quotation marks, invisible characters and
    hyphenation at line ends do not count; digits, signs and all other punctuation do. Superscript
    digits stay apart from plain ones: 10² is not 102.
    """

    text: str
    offsets: tuple[int, ...]

    @classmethod
    def of(cls, original: str) -> NormalText:
        """The normal form of a text."""
        pairs = list(_collapsed(_characters(original)))
        return cls("".join(char for char, _ in pairs), tuple(place for _, place in pairs))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span in the original of the characters `[start, end)` of the normal form."""
        return self.offsets[start], self.offsets[end - 1] + 1


def _characters(original: str) -> Iterator[tuple[str, int]]:
    breaks = {at for m in _BROKEN_WORD.finditer(original) for at in range(m.start(), m.end())}
    for place, char in enumerate(original):
        if place not in breaks and char not in _INVISIBLE and char not in _VOICED:
            voiced = original[place + 1 : place + 2]
            letters = f"{char}{voiced}" if voiced in _VOICED and voiced else char
            yield from ((letter, place) for letter in _folded(letters))


def _folded(char: str) -> str:
    if char in _SAME:
        return _SAME[char]
    if unicodedata.category(char[0]) == "No":
        return char
    return "".join(
        _SAME.get(letter, letter) for letter in unicodedata.normalize("NFKC", char).casefold()
    )


def _collapsed(characters: Iterator[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """The characters with each run of white space as one space, and none at either end."""
    space: int | None = None
    begun = False
    for char, place in characters:
        if char.isspace():
            space = place if space is None else space
            continue
        if space is not None and begun:
            yield " ", space
        space, begun = None, True
        yield char, place


# Words that carry content, by their letters alone.


_LEAST_LETTERS = 4


_WORD_OR_NUMBER = re.compile(r"[^\W_][\w'\u2019-]*")


def content_words(text: str) -> list[str]:
    """The words of a text that carry its content, without function words."""
    words = (word.strip("'\u2019-").casefold() for word in _WORD_OR_NUMBER.findall(text))
    functional = word_list("function", "en", "de", "pt")
    return [word for word in words if len(word) >= _LEAST_LETTERS and word not in functional]


# Whole words, and the parts of text that no spaces part into words.


UNSEGMENTED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0edf\u1000-\u109f\u1780-\u17d3"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc-\u30ff"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Chinese characters
    "\uac00-\ud7a3"  # Korean, whose words have endings
)
"""The letters, as of a character class, of scripts that do not part words by spaces."""


_RUN = re.compile(rf"[{UNSEGMENTED}]+")


_LETTER = rf"[^\W{UNSEGMENTED}]"
"""A letter or digit beside which a word does not end."""


_EXTENSION = re.compile(r"\.[^\W\d_]")


_DOTTED_NAME = re.compile(r"(?<![\w.])\.[A-Z]{2}")


_EDGE = re.compile(rf"(?![{UNSEGMENTED}])\w")


def has_unsegmented(text: str) -> bool:
    """Whether a text has a letter of a script that does not part words by spaces."""
    return _RUN.search(text) is not None


def unsegmented_letters(text: str) -> int:
    """How many such letters a text has."""
    return sum(map(len, _RUN.findall(text)))


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


# Where a word stands in a text.


def holds_word(text: str, word: str) -> bool:
    """Whether a text has the word as a whole word."""
    return next(word_spans(text, word), None) is not None


def word_spans(text: str, word: str) -> Iterator[tuple[int, int]]:
    """The span of each occurrence of a word, or of several in a row, as whole words.

    A letter of a script that does not part words by spaces needs no boundary beside it. The letters
    of a name with signs are no word of their own.
    """
    pattern = _whole(NormalText.of(word).text)
    normal = NormalText.of(text)
    for match in pattern.finditer(normal.text):
        start, end = normal.span(*match.span())
        if not cuts_off_signs(text, start, end):
            yield start, end


def cuts_off_signs(text: str, start: int, end: int) -> bool:
    """Whether a span has the letters of a name without its signs: C of C++ and C#, NET of .NET."""
    dotted = start > 0 and _DOTTED_NAME.match(text, start - 1) is not None
    return dotted or (
        text[end - 1 : end].isalpha()
        and not text[max(end - 2, 0) : end - 1].isalnum()
        and text.startswith(("++", "#"), end)
    )


@lru_cache(maxsize=256)
def _whole(word: str) -> re.Pattern[str]:
    """The pattern of a word in normal form; one that matches nothing where there is none."""
    if not word:
        return re.compile(r"(?!)")
    before = rf"(?<!{_LETTER})" if _EDGE.match(word[0]) or _EXTENSION.match(word) else ""
    after = rf"(?!{_LETTER})" if _EDGE.match(word[-1]) else ""
    return re.compile(f"{before}{re.escape(word)}{after}")


# Sentence boundaries by position.

_CLOSING, _OPENING = "\"'”\u2019»)\\]", "\"'“\u2018«(\\["


SENTENCE_ENDS = ".!?…\u061f\u06d4\u0964\u0965\u3002\uff61\uff01\uff1f\u17d4\u17d5\u104b"
"""Marks that end a sentence: Latin, Arabic, Urdu, Hindi, Chinese, Japanese, Khmer and Burmese."""


_UNSPACED_END = "[\u3002\uff61\uff01\uff1f]+(?![\u300d\u300f])[\u201d\u2019\u300b\uff09\\s]*"
"""The end of a Chinese or Japanese sentence, unless in corner brackets: there it goes on."""


_CASELESS = (
    "\u0590-\u10ff\u1200-\u139f\u1780-\u17ff\u3005-\u9fff"  # Hebrew to Burmese, Chinese, Japanese
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
)
"""The letters, as of a character class, of scripts without capitals."""


_THAI = "[\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0edf]"
"""A letter of Thai or Lao, in which a space parts clauses."""


_END = re.compile(
    rf"[{SENTENCE_ENDS}]+[{_CLOSING}]*\s+(?=[{_OPENING}]*[A-ZÀ-ÖØ-ÞΑ-ΩА-Я0-9{_CASELESS}])|\n+"
    rf"|{_UNSPACED_END}|[\u17d4\u17d5\u104b]+\s*|(?<={_THAI}{{10}})\s+(?={_THAI}{{10}})"
)


# Words that end in a full stop without ending a sentence, in English and German.
_ABBREVIATIONS = """
    al approx art bzw ca cf ch chap dr ed eds eg e.g eq eqs est etc evtl f fig figs ff ggf hrsg
    ie i.e inc incl jr kap lit max min mr mrs ms no nos nr p pp prof ref refs resp s sec sect
    sog st tab u.a usw vgl viz vol vs z.b zit
""".split()


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
    return word in _ABBREVIATIONS or _is_ordinal(word, text[start:stop])


def _is_ordinal(word: str, sentence: str) -> bool:
    """Whether a short number opens a line, as in `3. Results`, where its stop ends nothing."""
    return word.rstrip(".").isdigit() and len(word) <= 3 and sentence.strip().lower() == word


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


# Recognising quotations: queries that may be one, and texts that contain them verbatim.

_LEAST_WORDS = 5


_BETWEEN = re.compile(r"[\W_]+")


def may_be_quotation(query: str) -> bool:
    """Whether the query may be a quotation: at least five words, two letters each where no spaces
    part them, and not a question.
    """
    words = len(query.split()) + unsegmented_letters(query) // 2
    return words >= _LEAST_WORDS and not query.rstrip().endswith(("?", "\uff1f", "\u304b\u3002"))


def holds_verbatim(text: str, query: str) -> bool:
    """Whether `text` contains the letters and digits of `query` in sequence.

    White space, punctuation, hyphens, case and ligatures are ignored, since PDF readers copy them
    differently. A query without letters and digits is in no text.
    """
    query_letters = letters_of(query)
    return bool(query_letters) and query_letters in letters_of(text)


def may_run_on(text: str, query: str) -> bool:
    """Whether `text` contains the first or the second half of `query`."""
    letters, query_letters = letters_of(text), letters_of(query)
    half = len(query_letters) // 2
    return bool(half) and (query_letters[:half] in letters or query_letters[half:] in letters)


def runs_on(before: str, after: str, query: str) -> bool:
    """Whether `query` is verbatim in two neighbouring texts joined; the second may repeat the end
    of the first.
    """
    first, second = letters_of(before), letters_of(after)
    repeated = next(
        (size for size in range(len(second), 0, -1) if first.endswith(second[:size])), 0
    )
    query_letters = letters_of(query)
    return bool(query_letters) and query_letters in first + second[repeated:]


def letters_of(text: str) -> str:
    """The letters and digits of a text, case-folded and without ligatures."""
    return _BETWEEN.sub("", unicodedata.normalize("NFKC", text)).casefold()


def words_of(text: str) -> list[str]:
    """The words of a text, likewise: what is between anything but letters and digits."""
    return _BETWEEN.sub(" ", unicodedata.normalize("NFKC", text)).casefold().split()
