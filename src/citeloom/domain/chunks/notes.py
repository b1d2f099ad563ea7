"""Zotero's notes: their text, and the quotations that Zotero writes into them with their place."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from typing import TypeAlias
from urllib.parse import unquote

from citeloom.domain.documents.conversion import (
    Block,
    BlockKind,
    ConversionResult,
    EmbeddedMetadata,
    Fragment,
    Heading,
)
from citeloom.domain.zotero.items import ZoteroLibraryRef, ZoteroNote, ZoteroTag

# The HTML of a Zotero note as headings and paragraphs.

_HEADING = re.compile(r"h([1-6])")
_START = re.compile(r"\d{1,9}")
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
_SCRIPT = re.compile("<(su[bp])>\\s*([-+\u2212]?\\d+|\\d*[-+\u2212])\\s*</\\1>")
_SCRIPTS = {
    "sup": str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻"),
    "sub": str.maketrans("0123456789+-\u2212", "₀₁₂₃₄₅₆₇₈₉₊₋₋"),
}

_Part: TypeAlias = tuple[BlockKind, int, str]
"""A part's kind, heading level (else 0) and text."""


def with_scripts(html: str) -> str:
    """The HTML with raised and lowered figures as Unicode has them: `10⁵` is not `105`."""
    return _SCRIPT.sub(lambda script: script[2].translate(_SCRIPTS[script[1]]), html)


def note_document(doc_id: str, html: str, *, title: str = "") -> ConversionResult:
    """A note as a document without pages; `title` is that of the work it is about.

    Highlights and citations in it become plain text. A note without text has no blocks.
    """
    reader = _NoteReader()
    reader.feed(with_scripts(html))
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
            above = (n for n in reversed(range(len(headings))) if headings[n].level < level)
            parent = next(above, None)
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

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag == "br":
            self._text.append("\n")
        elif tag in ("ul", "ol"):
            self.end_part()
            start = _START.match(dict(attrs).get("start") or "1")
            self._lists.append((int(start[0]) if start else 1) if tag == "ol" else None)
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
        if tag == "li":  # with the bullet or number of the innermost list
            number = self._lists[-1] if self._lists else None
            self._mark = "- " if number is None else f"{number}. "
            if number is not None:
                self._lists[-1] = number + 1


# The quotations that Zotero writes into notes with their place, apart from the reader's words.

_URI = re.compile(r"zotero\.org/(?:groups/(\d+)|users/\S+?)/items/([A-Z0-9]{8})$")
_BLOCK = re.compile(r"p|div|li|ul|ol|blockquote|h[1-6]|table|tr|td|th|pre")
_QUOTED = re.compile(r"[\u201c\u201e\u00ab\"](.*)[\u201d\u201c\u00bb\"]", re.DOTALL)
_KEY_DIGITS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroAddress:
    """Something of Zotero's by its key; `group_id` is 0 in the user's own library."""

    group_id: int
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteQuote:
    """A passage of a work quoted in a note, and what the note says of it in the same paragraph.

    `work`, `attachment` and `annotation` are what Zotero recorded with it, the last as its key.
    `page_index` counts from 0, `page_label` is Zotero's.
    """

    note: ZoteroNote
    text: str
    remark: str = ""
    work: ZoteroAddress | None = None
    attachment: ZoteroAddress | None = None
    annotation: str = ""
    page_index: int | None = None
    page_label: str = ""
    color: str = ""

    @property
    def library(self) -> ZoteroLibraryRef:
        return self.note.library

    @property
    def tags(self) -> tuple[ZoteroTag, ...]:
        return self.note.tags

    @property
    def key(self) -> str:
        """The same for the same quotation in a note, whatever else the note says."""
        attachment = self.attachment.key if self.attachment else ""
        identity = json.dumps(
            (attachment, self.annotation, self.page_label, self.text, self.remark)
        )
        return f"{self.note.key}/{hashlib.sha256(identity.encode()).hexdigest()[:_KEY_DIGITS]}"


def quotes_in(note: ZoteroNote) -> tuple[tuple[NoteQuote, ...], str]:
    """The quotations in a note, each once, and the HTML of the note without them."""
    if "data-annotation" not in note.html:
        return (), note.html
    reader = _QuoteReader(note)
    reader.feed(with_scripts(note.html))
    reader.close()
    reader.end_quote()
    return tuple({quote.key: quote for quote in reader.quotes}.values()), "".join(reader.rest)


@dataclass(slots=True, kw_only=True)
class _Quoted:
    """A quotation that is being read: its data and text, its citation's data, the words after."""

    data: Mapping[str, object]
    text: list[str] = field(default_factory=list)
    cited: Mapping[str, object] = field(default_factory=dict)
    remark: list[str] = field(default_factory=list)


class _QuoteReader(HTMLParser):
    """Parts quotations, with the rest of their paragraph, from the other HTML of a note."""

    def __init__(self, note: ZoteroNote) -> None:
        super().__init__(convert_charrefs=True)
        self.quotes: list[NoteQuote] = []
        self.rest: list[str] = []
        self._note = note
        self._quoted: _Quoted | None = None
        self._in_citation = False
        self._spans = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if self._spans:
            self._spans += tag == "span"
        elif tag == "span" and given.get("data-annotation"):
            self.end_quote()
            self._quoted = _Quoted(data=_decoded(given["data-annotation"]))
            self._spans, self._in_citation = 1, False
        elif tag == "span" and self._quoted and given.get("data-citation"):
            self._quoted.cited = self._quoted.cited or _mapping(
                _first(_decoded(given["data-citation"]).get("citationItems"))
            )
            self._spans, self._in_citation = 1, True
        else:
            self._pass_tag(tag, self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if self._spans:
            self._spans -= tag == "span"
        else:
            self._pass_tag(tag, f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._quoted is None:
            self.rest.append(escape(data))
        elif not self._spans:
            self._quoted.remark.append(data)
        elif not self._in_citation:
            self._quoted.text.append(data)

    def end_quote(self) -> None:
        """Keep the quotation that was being read, if any."""
        quoted, self._quoted, self._spans = self._quoted, None, 0
        if quoted is not None and (quote := _quote(self._note, quoted)).text:
            self.quotes.append(quote)

    def _pass_tag(self, tag: str, written: str) -> None:
        if _BLOCK.fullmatch(tag):
            self.end_quote()
        if self._quoted is None:
            self.rest.append(written)
        elif tag == "br":
            self._quoted.remark.append("\n")


def _quote(note: ZoteroNote, quoted: _Quoted) -> NoteQuote:
    data, position = quoted.data, _mapping(quoted.data.get("position"))
    cited = _mapping(data.get("citationItem")) or quoted.cited
    page = position.get("pageIndex")
    text = _joined(quoted.text)
    within = _QUOTED.fullmatch(text)
    return NoteQuote(
        note=note,
        text=within[1].strip() if within else text,
        remark=_joined(quoted.remark),
        work=_address(_first(cited.get("uris"))),
        attachment=_address(data.get("attachmentURI")),
        annotation=_text(data.get("annotationKey")),
        page_index=page if isinstance(page, int) else None,
        page_label=_text(data.get("pageLabel")) or _text(cited.get("locator")),
        color=_text(data.get("color")),
    )


def _decoded(attribute: str | None) -> Mapping[str, object]:
    """What an attribute holds as URI-encoded JSON; nothing where that cannot be read."""
    try:
        return _mapping(json.loads(unquote(attribute or "")))
    except (ValueError, RecursionError):
        return {}


def _first(values: object) -> object:
    return values[0] if isinstance(values, list) and values else None


def _address(uri: object) -> ZoteroAddress | None:
    match = _URI.search(_text(uri))
    return ZoteroAddress(group_id=int(match[1] or 0), key=match[2]) if match else None


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _joined(texts: list[str]) -> str:
    lines = "".join(texts).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
