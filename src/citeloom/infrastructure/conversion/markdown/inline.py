"""Inline Markdown as text, with the place of each token.

The parser records where a block stands, but not where a word in it does; this one also records the
position of each inline token in the content that it parses.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from citeloom.infrastructure.conversion.hidden_text import HiddenPassage
from citeloom.infrastructure.conversion.markdown.placed_text import PlacedText
from citeloom.infrastructure.conversion.markdown.unseen import Unseen

_POSITION = "position"
_BREAKS = {"softbreak": " ", "hardbreak": "\n"}


class PositionedInline(ParserInline):
    """Parses as its base does and says of each token where it begins."""

    def parse(
        self, src: str, md: MarkdownIt, env: MutableMapping[str, Any], tokens: list[Token]
    ) -> list[Token]:
        state = _PositionedState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


class _PositionedState(StateInline):
    """Records with each token where the text it is made of begins."""

    _pending_from: int | None = None
    _marks_at: int = -1
    _marks: int = 0

    def append_pending(self, text: str) -> None:
        if self._pending_from is None:
            self._pending_from = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:  # noqa: N802 - the library's name
        token = super().pushPending()
        token.meta[_POSITION] = self._pending_from or 0
        self._pending_from = None
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        self._pending_from = None
        token.meta[_POSITION] = self.pos
        if ttype == "text":  # the marks of a run are pushed one by one before the run is passed
            self._marks = self._marks + 1 if self._marks_at == self.pos else 0
            self._marks_at = self.pos
            token.meta[_POSITION] += self._marks
        return token


def add_inline(
    text: PlacedText,
    content: str,
    tokens: Sequence[Token],
    place: Callable[[int], int],
    hidden: list[HiddenPassage],
) -> None:
    """Add what a reader sees of inline tokens, and what is styled not to be seen to `hidden`;
    `place` says where in the file a character of their content stands.
    """
    unseen = Unseen(hidden)
    automatic = False
    for index, token in enumerate(tokens):
        position = token.meta.get(_POSITION, 0)
        if token.type == "html_inline":
            unseen.pass_tag(token.content)
        if unseen:
            unseen.pass_text("" if token.type == "html_inline" else token.content)
            continue
        if token.type in ("text", "text_special", "code_inline"):
            _add_token(text, token, content, place, automatic=automatic)
        else:
            after = tokens[index + 1].meta.get(_POSITION, 0) if index + 1 < len(tokens) else 0
            end = place(after) if after > position else place(position) + 1
            text.add_space(_break_of(token), place(position), end)
        automatic = token.type == "link_open" and token.info == "auto"


def _add_token(
    text: PlacedText, token: Token, content: str, place: Callable[[int], int], *, automatic: bool
) -> None:
    """Add the words of a token; an `automatic` link is written within angle brackets."""
    position = token.meta.get(_POSITION, 0)
    if automatic:
        _add_replaced(text, token.content, place, position, content.index(">", position) + 1)
    elif token.type == "text":
        _add_text(text, token.content, content, place, position)
    elif token.type == "text_special":
        _add_replaced(text, token.content, place, position, position + len(token.markup))
    else:
        start = position + len(token.markup)
        inner = content[start : start + len(token.content)].replace("\n", " ")
        _add_lines(text, token.content, place, start + (inner != token.content))


def _break_of(token: Token) -> str:
    """The white space that a token stands for, if any."""
    if token.type == "html_inline" and token.content.lower().startswith("<br"):
        return "\n"
    return _BREAKS.get(token.type, "")


def _add_text(
    text: PlacedText, words: str, content: str, place: Callable[[int], int], position: int
) -> None:
    if content.startswith(words, position):
        text.add_words(words, place(position))
    elif words:
        _add_replaced(text, words, place, position, min(position + len(words), len(content)))


def _add_replaced(
    text: PlacedText, words: str, place: Callable[[int], int], start: int, end: int
) -> None:
    text.add(words, place(start), place(end - 1) + 1)


def _add_lines(text: PlacedText, words: str, place: Callable[[int], int], start: int) -> None:
    """Add code, in which a line end was made a space; its lines may stand apart in the file."""
    position = 0
    while position < len(words):
        first, end = place(start + position), position + 1
        while end < len(words) and place(start + end) == first + end - position:
            end += 1
        text.add(words[position:end], first, first + end - position)
        position = end
