"""Inline Markdown as text, with the place of each token.

The parser records where a block stands, but not where a word in it does; this one also records the
position of each inline token in the content that it parses.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from html.parser import HTMLParser
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from citeloom.domain.documents.conversion import BlockKind
from citeloom.infrastructure.conversion.formats.html_page import reason_of_tag
from citeloom.infrastructure.conversion.formats.printed_text import script_of
from citeloom.infrastructure.conversion.hidden_passages import HiddenPassage
from citeloom.infrastructure.conversion.markdown.placed_text import DraftBlock, Lines, PlacedText

# Elements of HTML that a reader does not see.

_TAGS = frozenset("script style template noscript svg iframe object select textarea".split())
_EMPTY = frozenset("area base br col embed hr img input link meta source track wbr".split())
_HIDDEN = re.compile(
    r"""\shidden(?=[\s=/>])|aria-hidden\s*=\s*["']?true|display\s*:\s*none|visibility\s*:\s*hidden""",
    re.IGNORECASE,
)
_NAME = re.compile(r"</?([A-Za-z][\w-]*)")


class Unseen:
    """Follows tags, and knows whether what comes next is within an element that is not seen.

    Text that the style of its element hides is added to `hidden`.
    """

    def __init__(self, hidden: list[HiddenPassage]) -> None:
        self._hidden = hidden
        self._reason = ""
        self.tag = ""
        self._depth = 0

    def __bool__(self) -> bool:
        return self._depth > 0

    def close(self) -> None:
        self._depth = 0

    def pass_tag(self, written: str) -> None:
        named = _NAME.match(written)
        if named is None:
            return
        tag, closes = named[1].lower(), written.startswith("</")
        if self._depth:
            self._depth += (tag == self.tag) * (-1 if closes else 1)
        elif not closes and tag not in _EMPTY:
            self._reason = reason_of_tag(written)
            if self._reason or tag in _TAGS or _HIDDEN.search(written):
                self.tag, self._depth = tag, int(not written.endswith("/>"))

    def pass_text(self, text: str) -> None:
        """Note text within an element that is not seen."""
        if self._reason and text.strip():
            self._hidden.append(HiddenPassage(text=" ".join(text.split()), reason=self._reason))


# What a reader sees of HTML in Markdown, with the place of each word.

_APART = frozenset(
    "address article aside blockquote caption details dd div dl dt figcaption figure footer form"
    " h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table ul".split()
)
_KINDS = {
    "table": BlockKind.TABLE,
    "caption": BlockKind.CAPTION,
    "pre": BlockKind.CODE,
    "li": BlockKind.LIST_ITEM,
    **{f"h{level}": BlockKind.HEADING for level in range(1, 7)},
}
_AROUND_ROWS = ("table", "caption")


def html_blocks(
    content: str, lines: Lines, span: tuple[int, int], unseen: Unseen
) -> Iterator[DraftBlock]:
    """The blocks of a piece of HTML that takes up `span` in the file; `lines` are its own. What
    comes behind it is within the elements of `unseen` that it leaves open.
    """
    reader = _HtmlReader(lines, unseen)
    reader.feed(content)
    reader.close()
    reader.begin_block("")
    blocks = [block for block in reader.blocks if block[1].finish().parts]
    for index, (tag, text) in enumerate(blocks):
        yield DraftBlock(
            kind=_KINDS.get(tag, BlockKind.PARAGRAPH),
            text=text,
            start=text.parts[0].start if index else span[0],
            end=span[1] if index == len(blocks) - 1 else text.parts[-1].end,
            level=int(tag[1]) if _KINDS.get(tag) is BlockKind.HEADING else 0,
        )


class _HtmlReader(HTMLParser):
    """Collects the text of each block; a table is one, with a line for each row."""

    def __init__(self, lines: Lines, unseen: Unseen) -> None:
        super().__init__(convert_charrefs=False)
        self.blocks: list[tuple[str, PlacedText]] = []
        self._lines = lines
        self._text = PlacedText()
        self._tag = ""
        self._raised: bool | None = None
        self._unseen = unseen
        self._tables = 0

    def begin_block(self, tag: str) -> None:
        """End the block and begin another."""
        self.blocks.append((self._tag, self._text))
        self._text, self._tag = PlacedText(), tag

    def handle_starttag(self, tag: str, _attrs: Sequence[tuple[str, str | None]]) -> None:
        self._unseen.pass_tag(self.get_starttag_text() or "")
        if self._unseen:
            return
        self._raised = _SCRIPTS.get(f"<{tag}>")
        self._tables += tag == "table"
        if tag in _APART and (not self._tables or tag in _AROUND_ROWS):
            self.begin_block(tag)
        elif tag in ("tr", "br"):
            self._text.add_space("\n", *self._tag_span())
        elif tag in ("td", "th"):
            self._begin_cell()
        if tag == "li" and not self._tables:
            self._text.add("- ", *self._tag_span())

    def _begin_cell(self) -> None:
        if self._text.parts and not self._text.parts[-1].text.endswith("\n"):
            self._text.finish().add(" | ", *self._tag_span())

    def handle_startendtag(self, tag: str, _attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag == "br" and not self._unseen:
            self._text.add_space("\n", *self._tag_span())

    def handle_endtag(self, tag: str) -> None:
        self._raised = None
        if self._unseen:
            self._unseen.pass_tag(f"</{tag}>")
            return
        if tag in _APART and (not self._tables or tag in _AROUND_ROWS):
            self.begin_block("table" if tag == "caption" and self._tables else "")
        self._tables -= tag == "table" and self._tables > 0

    def handle_data(self, data: str) -> None:
        if self._unseen:
            self._unseen.pass_text(data)
            return
        line, column = self.getpos()
        if written := _script(data, self._text, raised=self._raised):
            start = self._lines.place_in(line - 1, column)
            self._text.add(written, start, start + len(data))
            return
        for number, part in enumerate(data.split("\n")):
            start = self._lines.place_in(line - 1 + number, 0 if number else column)
            if number and self._tag == "pre":
                self._text.add("\n", start - 1, start)
            elif number:
                self._text.add_space(" ", start - 1, start)
            if self._tag == "pre":
                self._text.add(part, start, start + len(part))
            else:
                self._text.add_words(part, start)

    def handle_entityref(self, name: str) -> None:
        self._add_character(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._add_character(f"&#{name};")

    def _add_character(self, written: str) -> None:
        if not self._unseen:
            self._text.add(html.unescape(written), self._here(), self._here() + len(written))

    def _tag_span(self) -> tuple[int, int]:
        return self._here(), self._here() + len(self.get_starttag_text() or "<")

    def _here(self) -> int:
        line, column = self.getpos()
        return self._lines.place_in(line - 1, column)


_POSITION = "position"
_SCRIPTS = {"<sup>": True, "<sub>": False}
_LONGEST = 10_000  # characters of a formula
_DOLLARS = re.compile(
    r"\$\$(?:[^$\\]|\\.|\$(?!\$))+\$\$|\$(?=\S)(?:[^$\\]|\\.)+(?<=\S)\$(?!\d)", re.DOTALL
)
"""A formula as Pandoc takes dollar signs."""
_ENVIRONMENT = re.compile(r"\\begin\{([A-Za-z]+\*?)\}")


def formula(state: StateInline, silent: bool) -> bool:
    """A formula between dollar signs or in an environment of LaTeX, as it is written: its signs
    are no marks of Markdown.
    """
    end = end_of_formula(state.src, state.pos)
    if not end:
        return False
    if not silent:
        token = state.push("code_inline", "", 0)
        token.content = state.src[state.pos : end].replace("\n", " ")
    state.pos = end
    return True


def end_of_formula(source: str, start: int) -> int:
    """Where the formula that begins there ends, 0 where none does."""
    if source[start] == "$":
        dollars = _DOLLARS.match(source, start, start + _LONGEST)
        return dollars.end() if dollars else 0
    begun = _ENVIRONMENT.match(source, start)
    ends = f"\\end{{{begun[1]}}}" if begun else ""
    at = source.find(ends, start, start + _LONGEST) if ends else -1
    return at + len(ends) if at >= 0 else 0


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
    raised: bool | None = None
    for index, token in enumerate(tokens):
        position = token.meta.get(_POSITION, 0)
        if token.type == "html_inline":
            unseen.pass_tag(token.content)
            raised = _SCRIPTS.get(token.content.lower().strip())
        if unseen:
            unseen.pass_text("" if token.type == "html_inline" else token.content)
            continue
        if token.type == "text" and (written := _script(token.content, text, raised=raised)):
            _add_replaced(text, written, place, position, position + len(token.content))
        elif token.type == "image":
            _add_caption(text, token, content, place, hidden)
        elif token.type in ("text", "text_special", "code_inline"):
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
        if content.startswith(token.content, position):
            text.add_words(token.content, place(position))
        elif token.content:
            _add_replaced(
                text,
                token.content,
                place,
                position,
                min(position + len(token.content), len(content)),
            )
    elif token.type == "text_special":
        _add_replaced(text, token.content, place, position, position + len(token.markup))
    else:
        start = position + len(token.markup)
        inner = content[start : start + len(token.content)].replace("\n", " ")
        _add_lines(text, token.content, place, start + (inner != token.content))


def _script(letters: str, text: PlacedText, *, raised: bool | None) -> str:
    """Raised or lowered letters behind a text as Unicode has them; none if these stay plain."""
    plain = letters.strip()
    if raised is None or not plain or "\n" in letters:
        return ""
    written = script_of(plain, text.last, raised=raised)
    return written if written != plain else ""


def _add_caption(
    text: PlacedText,
    image: Token,
    content: str,
    place: Callable[[int], int],
    hidden: list[HiddenPassage],
) -> None:
    """Add what is written of a picture, which Pandoc sets as its caption."""
    start = image.meta.get(_POSITION, 0) + len("![")
    if content.startswith(image.content, start):
        inner = image.children or []
        add_inline(text, image.content, inner, lambda at: place(start + at), hidden)


def _break_of(token: Token) -> str:
    """The white space that a token stands for, if any."""
    if token.type == "html_inline" and token.content.lower().startswith("<br"):
        return "\n"
    return _BREAKS.get(token.type, "")


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
