"""Garbled characters: what faulty decoding produces instead of text."""

from __future__ import annotations

import re
import unicodedata

_UNDECODED = re.compile(r"\(cid:\d+\)|GLYPH<[^<>]*>")
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
    codes = sum(map(len, _UNDECODED.findall(text)))
    wrong = sum(map(_is_no_text, text))
    mistaken = sum(len(run) for run in _FOREIGN.findall(text) if _is_mistaken(run))
    return min(1.0, (codes + wrong + mistaken) / visible)


def _is_no_text(character: str) -> bool:
    if character == "\ufffd":
        return True
    return character not in _KEPT and unicodedata.category(character) in _NO_TEXT


def _is_mistaken(run: str) -> bool:
    try:
        run.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return False
    return True
