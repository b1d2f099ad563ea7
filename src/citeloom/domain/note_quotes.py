"""The quotations that Zotero writes into notes with their place, apart from the reader's words."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from urllib.parse import unquote

from citeloom.domain.zotero import ZoteroLibraryRef, ZoteroNote, ZoteroTag

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
        """That of its note."""
        return self.note.library

    @property
    def tags(self) -> tuple[ZoteroTag, ...]:
        """Those of its note."""
        return self.note.tags

    @property
    def key(self) -> str:
        """The same for the same quotation in a note, whatever else the note says."""
        attachment = self.attachment.key if self.attachment else ""
        told = json.dumps((attachment, self.annotation, self.page_label, self.text, self.remark))
        return f"{self.note.key}/{hashlib.sha256(told.encode()).hexdigest()[:_KEY_DIGITS]}"


def quotes_in(note: ZoteroNote) -> tuple[tuple[NoteQuote, ...], str]:
    """The quotations in a note, each once, and the HTML of the note without them."""
    if "data-annotation" not in note.html:
        return (), note.html
    reader = _QuoteReader(note)
    reader.feed(note.html)
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
            self._quoted.cited = self._quoted.cited or _first_cited(given["data-citation"])
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
        work=_work(cited),
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


def _first_cited(attribute: str | None) -> Mapping[str, object]:
    items = _decoded(attribute).get("citationItems")
    return _mapping(items[0]) if isinstance(items, list) and items else {}


def _work(cited: Mapping[str, object]) -> ZoteroAddress | None:
    uris = cited.get("uris")
    return _address(uris[0]) if isinstance(uris, list) and uris else None


def _address(uri: object) -> ZoteroAddress | None:
    found = _URI.search(_text(uri))
    return ZoteroAddress(group_id=int(found[1] or 0), key=found[2]) if found else None


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _joined(texts: list[str]) -> str:
    lines = "".join(texts).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
