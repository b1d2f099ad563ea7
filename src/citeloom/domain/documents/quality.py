"""How much of a text says something, and how much of it was not decoded or is torn."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

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


# Letters torn off their words.

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
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFKC", text)
    return "".join(char for char in letters if unicodedata.category(char) not in ("Mn", "Cf"))
