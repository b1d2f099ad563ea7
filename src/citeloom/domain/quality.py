"""The signal-to-noise ratio of a text."""

from __future__ import annotations

import re

_CODE_POINTS = re.compile(r"\(cid:\d+\)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NUMBER_WEIGHT = 0.5


def signal_to_noise(text: str) -> float:
    """The share of a text's visible characters that carry meaning, from 0 to 1.

    The letters of words (two letters or more, any script) count in full, the digits of numbers
    by half: numbers need words to mean something, yet a data table is not noise.
    Noise is the rest: leader dots, rules, symbols, lone letters, undecoded glyphs such as
    `(cid:12)` or U+FFFD, and every repeated line, as in a duplicated
    header. Prose reaches 0.9, a table of numbers about 0.5, leader dots of a table of contents
    less than 0.2. So the default limit of 0.3 drops what nobody would quote and keeps data.
    """
    visible = signal = 0.0
    seen: set[str] = set()
    for line in text.splitlines():
        characters = sum(not c.isspace() for c in line)
        visible += characters
        key = " ".join(line.split())
        if not characters or key in seen:
            continue
        seen.add(key)
        decoded = _CODE_POINTS.sub(" ", line)
        signal += sum(len(word) for word in _WORD.findall(decoded))
        digits = sum(sum(c.isdigit() for c in n) for n in _NUMBER.findall(decoded))
        signal += _NUMBER_WEIGHT * digits
    return signal / visible if visible else 0.0
