"""MDX as Markdown: imports, exports, tags, comments and expressions become white space.

An expression within a sentence stands as it is written: without it the sentence would say something
else. What is left keeps its place in the file, character by character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_MODULE = re.compile(
    r"""import\s*["']|import\s[^\n;]*?\sfrom\s*["']|import\s*(?:\w+\s*,\s*)?\{|import\s+\*"""
    r"""|export\s+(?:default|const|let|var|function|class|async)\b|export\s*[{*]"""
)
_MARKERS = r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*"
_FENCE = re.compile(rf"{_MARKERS}(`{{3,}}(?=[^`\n]*$)|~{{3,}})", re.MULTILINE)
_SPECIAL = re.compile(
    rf"^(?=import|export|{_MARKERS}(?:`{{3,}}[^`\n]*$|~{{3,}}))|[\\`<{{]", re.MULTILINE
)
_TICKS = re.compile("`+")
_TAG = re.compile(r"</?(?:[A-Za-z][\w.:-]*(?=[\s/>{])|(?=>))")
_IN_TAG = re.compile(r""""[^"]*"|'[^']*'|[{>]|\n[ \t]*(?=\n)""")
_LINK = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]+:[^\s<>{}]*>")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_IN_CODE = re.compile(
    r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|/\*.*?\*/|//[^\n]*"""
    r"""|[{}()\[\]]|\n[ \t]*(?=\n|\Z)""",
    re.DOTALL,
)
_SAYS_NOTHING = re.compile(r"""\{\s*(?:/\*.*\*/\s*|#[^{}]*|"\s*"|'\s*'|`\s*`)?\s*\}""", re.DOTALL)
_BESIDE = re.compile(r"<[^>]*>?|\{[^}]*\}?")
_SEEN = re.compile(r"[^\n]")
_MOST_UNCLOSED = 100
"""After so many brackets and tags that nothing closes, the rest is no MDX and is left as it is."""


def without_mdx(text: str) -> str:
    """The text as Markdown of the same length; code in fences and backticks is left as it is."""
    return "".join(_Scanner(text).parts())


class _Scanner:
    """Goes through the text once from one special character to the next."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._unclosed = 0

    def parts(self) -> Iterator[str]:
        """The text in parts, those of MDX as white space."""
        text, position = self._text, 0
        while found := _SPECIAL.search(text, position):
            start = found.start()
            yield text[position:start]
            position, is_kept = self._passed(start)
            position = position if position > start else start + 1
            part = text[start:position]
            yield part if is_kept or position == start + 1 else _SEEN.sub(" ", part)
        yield text[position:]

    def _passed(self, start: int) -> tuple[int, bool]:
        """Where what begins at `start` ends, and whether it is kept; `start` if it is nothing."""
        at_line_start = start == 0 or self._text[start - 1] == "\n"
        if at_line_start and (fence := _FENCE.match(self._text, start)):
            return self._end_of_fence(fence), True
        if at_line_start and _MODULE.match(self._text, start):
            return self._end_of_module(start), False
        mark = self._text[start]
        if mark == "`":
            return self._end_of_code(start), True
        if mark in "{<" and self._unclosed < _MOST_UNCLOSED:
            if mark == "<":
                return self._end_of_tag(start)
            end = self._end_of_expression(start)
            return end, self._is_within_a_line(start, end)
        return min(start + 1 + (mark == "\\"), len(self._text)), True

    def _end_of_fence(self, fence: re.Match[str]) -> int:
        mark = fence[1]
        closing = re.compile(rf"^[ \t>]*{mark}{mark[0]}*[ \t]*$", re.MULTILINE)
        closed = closing.search(self._text, fence.end())
        return closed.end() if closed else len(self._text)

    def _end_of_code(self, start: int) -> int:
        """Behind the backticks that close the code, or behind the opening ones if none do."""
        ticks = _TICKS.match(self._text, start)
        if ticks is None:
            return start
        limit = self._text.find("\n\n", ticks.end())
        end = limit if limit >= 0 else len(self._text)
        closings = _TICKS.finditer(self._text, ticks.end(), end)
        return next((one.end() for one in closings if one[0] == ticks[0]), ticks.end())

    def _end_of_module(self, start: int) -> int:
        """At the first blank line that is not within brackets, or else at the end."""
        depth = 0
        for token in _IN_CODE.finditer(self._text, start):
            if token[0].startswith("\n") and depth <= 0:
                return token.start()
            depth += (token[0] in "{([") - (token[0] in "})]")
        return len(self._text)

    def _end_of_expression(self, start: int) -> int:
        """Behind the bracket that closes the one at `start`; `start` if none does."""
        depth = 0
        for token in _IN_CODE.finditer(self._text, start):
            depth += (token[0] == "{") - (token[0] == "}")
            if depth == 0 and token[0] == "}":
                return token.end()
        self._unclosed += 1
        return start

    def _is_within_a_line(self, start: int, end: int) -> bool:
        """Whether an expression has words beside it; comments, anchors and spaces say nothing."""
        if end <= start or _SAYS_NOTHING.fullmatch(self._text, start, end):
            return False
        before = self._text[self._text.rfind("\n", 0, start) + 1 : start]
        behind = self._text[end:].partition("\n")[0]
        return any(map(str.isalnum, _BESIDE.sub("", before + behind)))

    def _end_of_tag(self, start: int) -> tuple[int, bool]:
        """Behind a tag or a comment, which is left out; a link in angle brackets is kept."""
        if link := _LINK.match(self._text, start):
            return link.end(), True
        if comment := _COMMENT.match(self._text, start):
            return comment.end(), False
        tag = _TAG.match(self._text, start)
        position = tag.end() if tag else start
        while tag and (token := _IN_TAG.search(self._text, position)):
            position = token.end()
            if token[0] == ">":
                return position, False
            if token[0].startswith("\n"):
                break
            if token[0] == "{":
                position = max(self._end_of_expression(token.start()), position)
        self._unclosed += tag is not None
        return start, True
