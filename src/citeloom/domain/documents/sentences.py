"""Sentence boundaries by position, and texts that are quotations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from citeloom.domain.retrieval.whole_words import unsegmented_letters

# Sentence boundaries by position.

_CLOSING, _OPENING = "\"'”\u2019»)\\]", "\"'“\u2018«(\\["
_END = re.compile(rf"[.!?…]+[{_CLOSING}]*\s+(?=[{_OPENING}]*[A-ZÀ-ÖØ-ÞΑ-ΩА-Я0-9])|\n+")

# Words that end in a full stop without ending a sentence, in English and German.
_ABBREVIATIONS = """
    al approx art bzw ca cf ch chap dr ed eds eg e.g eq eqs est etc evtl f fig figs ff ggf hrsg
    ie i.e inc incl jr kap lit max min mr mrs ms no nos nr p pp prof ref refs resp s sec sect
    sog st tab u.a usw vgl viz vol vs z.b zit
""".split()


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """The `(start, end)` of each sentence of `text`, without surrounding white space.

    Line breaks end sentences: within a block they separate table rows, verses or code.
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
