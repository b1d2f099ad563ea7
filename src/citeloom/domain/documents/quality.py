"""How much of a text says something, and how much of it was not decoded."""

from __future__ import annotations

import re
import unicodedata

# How much of a text says something.

_CODE_POINTS = re.compile(r"\(cid:\d+\)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NUMBER_WEIGHT = 0.5
_NUMBERS_A_LETTER = 4.0
_CELLS = " | "
_DRAWING = re.compile(r"[\u2190-\u21ff\u2500-\u25ff]|([^\w\s])\1{2,}")
_UNDECODED = re.compile(r"\(cid:\d+\)|\ufffd")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


def signal_to_noise(text: str) -> float:
    """The share of a text's visible characters that carry meaning, from 0 to 1.

    The letters of words (two different letters or more, any script) count in full, the digits of
    numbers by half, and outside the rows of a table (`oats | 4.1`) at most four times as much as
    the words: numbers need words to mean something, so that data are not noise and the numbers
    along an axis are.
    Noise is the rest: leader dots, rules, symbols, lone and repeated letters such as the markers
    of a plot (`l ll lll`), undecoded glyphs such as
    `(cid:12)` or U+FFFD, and every repeated line, as in a duplicated
    header. Prose reaches 0.9, a table of numbers about 0.5, leader dots of a table of contents
    less than 0.2. So the default limit of 0.3 drops what nobody would quote and keeps data.
    """
    visible = words = digits = cells = 0.0
    seen: set[str] = set()
    for line in text.splitlines():
        characters = visible_characters(line)
        visible += characters
        key = " ".join(line.split())
        if not characters or key in seen:
            continue
        seen.add(key)
        decoded = _CODE_POINTS.sub(" ", line)
        words += sum(len(word) for word in _WORD.findall(decoded) if _is_word(word))
        numbers = sum(sum(c.isdigit() for c in n) for n in _NUMBER.findall(decoded))
        if _CELLS in line:
            cells += _NUMBER_WEIGHT * numbers
        else:
            digits += _NUMBER_WEIGHT * numbers
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


def visible_characters(text: str) -> int:
    return len("".join(text.split()))


def label_share(text: str) -> float:
    """The share of a text's words that are numbers, lone letters, symbols or one letter repeated,
    as the labels of a plot are, from 0 to 1.
    """
    words = text.split()
    labels = sum(not any(map(_is_word, _WORD.findall(word))) for word in words)
    return labels / len(words) if words else 0.0


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
