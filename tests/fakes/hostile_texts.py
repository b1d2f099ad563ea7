"""Texts made to be obeyed: by terminals, by readers of Markdown, by language models."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

ESCAPES = (
    "\x1b[31m",
    "\x1b]8;;http://evil.example\x1b\\",
    "\x1b]0;title\x07",
    "\x1bP1$r\x1b\\",
    "\x1bc",
    "\x1b",
    "\x9b31m",
    "\x9d0;x\x9c",
    "\x07",
    "\x08\x08",
    "\x7f",
    "\r",
    "\x0b",
    "\x0c",
    "\x85",
)
UNSEEN = (
    "\u202e",
    "\u2066",
    "\u2069",
    "\u200e",
    "\u200f",
    "\u061c",
    "\u2028",
    "\u2029",
    "\u200b",
    "\u200d",
    "\ufeff",
    "\u00ad",
    "\U000e0001",
    "\U000e0041",
    "\ud800",
    "\udc9b",
    "\ufe0f",
    "\U000e0100",
)
MARKUP = (
    "[@evil2020, p. 99]",
    "@evil2020",
    "<script>alert(1)</script>",
    "<b>",
    "<!-- x -->",
    "![](https://x.example/p.png)",
    "[a](javascript:alert(1))",
    "[a]: https://x.example",
    "https://x.example/a",
    "www.example.org",
    "<https://x.example>",
    "me@example.org",
    "`x`",
    "``",
    "```",
    "> ",
    "# ",
    "===",
    "---",
    "- ",
    "+ ",
    "* ",
    "*",
    "_x_",
    "1. ",
    "a) ",
    "(ii) ",
    "| a | b |",
    "|---|---|",
    "$x^2$",
    "[^1]",
    "^[note]",
    "~~x~~",
    ":::",
    ": term",
    "&amp;",
    "&#64;",
    "\\",
    "    ",
    "\t",
    "% title",
)
_PIECES = st.sampled_from((*ESCAPES, *UNSEEN, *MARKUP, "word", " ", "\n", "\n\n", "é", "של", "漢"))
hostile = st.lists(_PIECES | st.text(max_size=3), min_size=1, max_size=12).map("".join)


def forbidden(shown: str) -> list[str]:
    """The characters of what is shown that a terminal obeys or a reader cannot see."""
    joiners = "\u200c\u200d"
    return [
        f"U+{ord(char):04X}"
        for char in shown
        if char not in f"\n\t{joiners}"
        and (
            unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}
            or (unicodedata.category(char) == "Cf" and not _is_written(char))
        )
    ]


def _is_written(char: str) -> bool:
    """Whether a format character is seen: the number and verse signs of some scripts are."""
    return any(
        word in unicodedata.name(char) for word in ("NUMBER", "SIGN", "MARK ABOVE", "AYAH")
    ) or (
        ord(char) in {0x601, 0x603, 0x70F, 0x890, 0x891, 0x8E2, 0x600, 0x602, 0x604, 0x605, 0x6DD}
    )
