"""The HTML of a Zotero note as headings and paragraphs."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TypeAlias

from citeloom.domain.conversion import (
    Block,
    BlockKind,
    ConversionResult,
    EmbeddedMetadata,
    Fragment,
    Heading,
)

_HEADING = re.compile(r"h([1-6])")
_KINDS = {
    "p": BlockKind.PARAGRAPH,
    "div": BlockKind.PARAGRAPH,
    "blockquote": BlockKind.PARAGRAPH,
    "li": BlockKind.LIST_ITEM,
    "pre": BlockKind.CODE,
    "table": BlockKind.TABLE,
}
_UNSEEN = ("script", "style", "head", "template")
_SPACE = re.compile(r"[ \t\r\f\n\u00a0]+")
_PARAGRAPH_GAP = "\n\n"

_Part: TypeAlias = tuple[BlockKind, int, str]
"""A part's kind, heading level (else 0) and text."""


def note_document(doc_id: str, html: str, *, title: str = "") -> ConversionResult:
    """A note as a document without pages; `title` is that of the work it is about.

    Highlights and citations in it become plain text. A note without text has no blocks.
    """
    reader = _NoteReader()
    reader.feed(html)
    reader.close()
    reader.end_part()
    return document_of_parts(doc_id, reader.parts, title=title)


def document_of_parts(doc_id: str, parts: list[_Part], *, title: str = "") -> ConversionResult:
    """A document without pages, made of headings and paragraphs."""
    blocks: list[Block] = []
    headings: list[Heading] = []
    start = 0
    for kind, level, text in parts:
        if kind is BlockKind.HEADING:
            parent = _parent(headings, level)
            headings.append(Heading(level=level, title=text, start=start, parent=parent))
        fragment = Fragment(start=start, end=start + len(text))
        section = len(headings) - 1 if headings else None
        blocks.append(Block(kind=kind, fragments=(fragment,), section=section))
        start += len(text) + len(_PARAGRAPH_GAP)
    return ConversionResult(
        doc_id=doc_id,
        plain_text=_PARAGRAPH_GAP.join(text for _, _, text in parts),
        blocks=tuple(blocks),
        headings=tuple(headings),
        page_map={},
        page_count=0,
        embedded=EmbeddedMetadata(title=title),
    )


def _parent(headings: list[Heading], level: int) -> int | None:
    """The nearest preceding heading of a higher level."""
    above = (index for index in reversed(range(len(headings))) if headings[index].level < level)
    return next(above, None)


class _NoteReader(HTMLParser):
    """Collects the parts of a note; inline elements belong to the part they are in."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[_Part] = []
        self._text: list[str] = []
        self._kind, self._level = BlockKind.PARAGRAPH, 0
        self._lists: list[int | None] = []
        self._mark = ""
        self._verbatim = self._unseen = 0
        self._in_table = 0

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag == "br":
            self._text.append("\n")
        elif tag in ("ul", "ol"):
            self.end_part()
            self._lists.append(1 if tag == "ol" else None)
        elif tag in ("td", "th"):
            self._text.append(" | " if "".join(self._text[-1:]).strip() else "")
        elif tag == "tr":
            self._text.append("\n")
        elif not self._in_table:
            self._begin(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(self._unseen - 1, 0)
        elif tag in ("ul", "ol"):
            self.end_part()
            self._lists = self._lists[:-1]
        elif tag == "table" or (not self._in_table and (tag in _KINDS or _HEADING.match(tag))):
            self._in_table = 0
            if tag == "p" and self._kind is BlockKind.LIST_ITEM:
                self._text.append("\n")
            else:
                self.end_part()

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._text.append(data if self._verbatim else _SPACE.sub(" ", data))

    def end_part(self) -> None:
        """Make a part of the text read since the last one, if there is any."""
        lines = "".join(self._text).split("\n")
        if self._kind is not BlockKind.CODE:
            lines = [" ".join(line.split(" ")).strip() for line in lines]
        text = "\n".join(line for line in lines if line.strip())
        if text and self._kind is BlockKind.HEADING:
            text = " ".join(text.split())
        if text:
            self.parts.append((self._kind, self._level, self._mark + text))
        self._text, self._mark = [], ""
        self._kind, self._level, self._verbatim = BlockKind.PARAGRAPH, 0, 0

    def _begin(self, tag: str) -> None:
        heading = _HEADING.fullmatch(tag)
        if heading is None and tag not in _KINDS:
            return
        if tag == "p" and self._kind is BlockKind.LIST_ITEM:
            return
        self.end_part()
        if heading is not None:
            self._kind, self._level = BlockKind.HEADING, int(heading[1])
            return
        self._kind = _KINDS[tag]
        self._verbatim, self._in_table = int(tag == "pre"), int(tag == "table")
        if tag == "li":
            self._mark = self._next_mark()

    def _next_mark(self) -> str:
        """The bullet or number of the next item of the innermost list."""
        number = self._lists[-1] if self._lists else None
        if number is None:
            return "- "
        self._lists[-1] = number + 1
        return f"{number}. "
