"""Text that may be shown: what a reader cannot see, or a terminal would obey, is not in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

JOINERS = "\u200c\u200d"
SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Joiners and variation selectors: part of words and emoji, and of nothing else."""
INVISIBLE = (
    "\u00ad\u034f\u061c\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff0-\ufffb\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
"""Format characters that show nothing, marks and overrides of direction, tag characters."""
CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff"
"""Control characters save tab and line ends, and halves of characters."""
SEPARATORS = "\r\u2028\u2029"
"""Ends of lines and paragraphs that terminals and readers do not agree on."""

_SEQUENCE = re.compile(
    # A string (title, link, device control) with its end, a control sequence, any other escape.
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]"
)
_UNSEEN = re.compile(f"[{INVISIBLE}]")
_CONTROL = re.compile(f"[{CONTROLS}]")
_SEPARATOR = re.compile(f"\r\n|[{SEPARATORS}\x0b\x0c\x85]")
_ATTACHED = re.compile(f"[{JOINERS}{SELECTORS}]")
_SUSPECT = re.compile(f"[{CONTROLS}{INVISIBLE}{SEPARATORS}{JOINERS}{SELECTORS}]")
_REPLACEMENT = "\ufffd"


def printable(text: str) -> str:
    """The text without anything that a terminal obeys or a reader cannot see.

    Escape sequences, marks of direction and invisible characters are left out, other control
    characters leave a replacement character. Tabs and line ends stay, and so do joiners within
    words and emoji.
    """
    if not _SUSPECT.search(text):
        return text
    text = _SEQUENCE.sub("", text)
    text = _SEPARATOR.sub(lambda end: "\n" if end[0] == "\r\n" else " ", text)
    text = _CONTROL.sub(_REPLACEMENT, _UNSEEN.sub("", text))
    return "".join(_with_attached(text)) if _ATTACHED.search(text) else text


def one_line(text: str) -> str:
    """The printable text on one line, so that no title or name passes for a line of its own."""
    return printable(text).replace("\n", " ").replace("\t", " ")


def _with_attached(text: str) -> Iterator[str]:
    """The characters, joiners between two that they can join, selectors behind one they select."""
    before = ""
    for char, after in zip(text, (*text[1:], "")):
        if char in JOINERS:
            if not (_joins(before) and _joins(after)):
                continue
        elif _ATTACHED.match(char) and not _is_selectable(char, before):
            continue
        yield char
        before = char


def _joins(char: str) -> bool:
    """Whether a joiner may stand beside: letters, marks, emoji and their skin tones."""
    return bool(char) and unicodedata.category(char) in _JOINED and char not in JOINERS


def _is_selectable(selector: str, before: str) -> bool:
    """Whether the selector says how the character before is drawn: emoji, or Chinese characters."""
    if not before or _ATTACHED.match(before):
        return False
    if selector > "\uffff":
        return unicodedata.name(before, "").startswith("CJK")
    return before in "#*0123456789" or unicodedata.category(before)[0] in "LMS"


_JOINED = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "So", "Sk"})
