"""Hebrew and Arabic as texts write them: with points and vowel signs or without, and with letters
that several keyboards write as another character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_SIGNS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # points and accents of Hebrew
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
_SIGN = re.compile(f"[{_SIGNS}]")
_ARE_BEHIND = re.compile(f"[{_SIGNS}\u0640]*")
_WRITTEN = re.compile("[\u0590-\u06ff\ufb1d-\ufdff\ufe70-\ufefc]")
WITHOUT_POINTS: Mapping[int, str | None] = {
    **{code: None for code in range(0x590, 0x6EE) if _SIGN.match(chr(code))},
    0x640: None,  # draws a word out
    0x6CC: "\u064a",  # yeh and kaf of Persian
    0x6A9: "\u0643",
}
"""A translation of composed letters: without points and vowel signs, and with the letters of Arabic
for those of Persian that look the same.
"""
_AS_TYPED = {**WITHOUT_POINTS, **dict.fromkeys(map(ord, "\u0622\u0623\u0625\u0671"), "\u0627")}
"""The same without what an alef bears, which is often left out in typing, and tells words apart."""


def unpointed(text: str) -> str:
    """The text, in NFKC where it has Hebrew or Arabic, with these as one types them: for search,
    not to compare quotations.
    """
    if text.isascii() or not _WRITTEN.search(text):
        return text
    return unicodedata.normalize("NFKC", text).translate(_AS_TYPED)


def end_of_letter(text: str, end: int) -> int:
    """The end of the points and signs behind a letter, or behind its place in the text."""
    signs = _ARE_BEHIND.match(text, end)
    return signs.end() if signs else end


def keeps_vowel_signs(quotation: str, work: str) -> bool:
    """Whether a quotation has no vowel signs but those of the work: it may leave some out."""
    own = _SIGN.findall(unicodedata.normalize("NFKC", quotation))
    there = iter(_SIGN.findall(unicodedata.normalize("NFKC", work)) if own else ())
    return all(sign in there for sign in own)
