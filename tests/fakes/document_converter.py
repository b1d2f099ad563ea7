"""An in-memory `DocumentConverter`, and conversions made from a few lines of text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from citeloom.application.ports.conversion import Conversion, DocumentConverter, SourceFile
from citeloom.application.ports.runtime import EmitEvent, PageBegun
from citeloom.domain.documents.conversion import (
    Block,
    BlockKind,
    Box,
    ConversionResult,
    EmbeddedMetadata,
    Fragment,
    Heading,
)
from citeloom.domain.errors import (
    EmptyDocument,
    SourceChanged,
    UnreadableDocument,
    UnsupportedFormat,
)

PAGE_BREAK = "\f"
_HEADING = re.compile(r"(#+) +(.+)")
_LINE_HEIGHT = 14.0


def conversion_of(
    text: str,
    *,
    doc_id: str = "doc",
    page_labels: Mapping[int, str] | None = None,
    embedded: EmbeddedMetadata | None = None,
) -> ConversionResult:
    """A conversion of `text`: paragraphs are parted by blank lines, headings begin with `#`s,
    and a form feed turns the page, in the middle of a paragraph too.
    """
    page = _Page()
    for paragraph in re.split(r"\n[ \t]*\n", text):
        page.add(paragraph)
    return ConversionResult(
        doc_id=doc_id,
        plain_text=page.text,
        blocks=tuple(page.blocks),
        headings=tuple(page.headings),
        page_map=page.spans(),
        page_count=page.number,
        page_labels=page_labels or {},
        engine="fake",
        converter_version="fake-1",
        embedded=embedded or EmbeddedMetadata(),
    )


class _Page:
    """Where the text has got to, and what was set so far."""

    def __init__(self) -> None:
        self.number = 1
        self.text = ""
        self.blocks: list[Block] = []
        self.headings: list[Heading] = []
        self._top = 0.0

    def add(self, paragraph: str) -> None:
        """Set a paragraph or a heading."""
        fragments: list[Fragment] = []
        separator = "\n\n" if self.text else ""
        for turn, part in enumerate(paragraph.split(PAGE_BREAK)):
            if turn:
                self.number += 1
                self._top = 0.0
            if words := " ".join(part.split()):
                self.text += separator
                separator = ""
                fragments.append(self._fragment(words if not fragments else f" {words}"))
        if fragments:
            self._add_block(tuple(fragments))

    def _fragment(self, words: str) -> Fragment:
        start, top = len(self.text), self._top
        self.text += words
        self._top += _LINE_HEIGHT
        box = Box(left=72.0, top=top, right=540.0, bottom=self._top)
        return Fragment(page=self.number, box=box, start=start, end=len(self.text))

    def _add_block(self, fragments: tuple[Fragment, ...]) -> None:
        first = fragments[0]
        heading = _HEADING.fullmatch(self.text[first.start : fragments[-1].end])
        if heading is not None:
            self._add_heading(len(heading[1]), heading[2], first)
        self.blocks.append(
            Block(
                kind=BlockKind.HEADING if heading else BlockKind.PARAGRAPH,
                fragments=fragments,
                section=len(self.headings) - 1 if self.headings else None,
            )
        )

    def _add_heading(self, level: int, title: str, fragment: Fragment) -> None:
        above = (i for i in reversed(range(len(self.headings))) if self.headings[i].level < level)
        self.headings.append(
            Heading(
                level=level,
                title=title,
                page=fragment.page,
                start=fragment.start,
                parent=next(above, None),
            )
        )

    def spans(self) -> dict[int, tuple[int, int]]:
        """The page map: the smallest span that holds each page's text."""
        spans: dict[int, tuple[int, int]] = {}
        for fragment in (f for block in self.blocks for f in block.fragments):
            if fragment.page is not None:
                start, _ = spans.get(fragment.page, (fragment.start, 0))
                spans[fragment.page] = (start, fragment.end)
        return spans


Canned = ConversionResult | Exception | str


class FakeDocumentConverter(DocumentConverter):
    """Answers with what was canned for a file's name or suffix, else converts its own text.

    A canned string is converted by `conversion_of`, and an error raised. `converted` lists the
    sources in the order they were taken up; `content_hash` says what bytes a file has now.
    """

    def __init__(
        self,
        canned: Mapping[str, Canned] | None = None,
        *,
        version: str = "fake-1",
        suffixes: frozenset[str] = frozenset({".pdf", ".txt"}),
        content_hash: Callable[[Path], str] | None = None,
    ) -> None:
        self._canned = dict(canned or {})
        self._version = version
        self.own_versions: frozenset[str] = frozenset()
        self._suffixes = suffixes
        self._content_hash = content_hash or _hash_of
        self.converted: list[SourceFile] = []

    def version_of(self, suffix: str) -> str:
        return f"{self._version}{suffix}" if suffix in self.own_versions else self._version

    @property
    def suffixes(self) -> frozenset[str]:
        return self._suffixes

    def convert(self, source: SourceFile, emit: EmitEvent) -> Conversion:
        self.converted.append(source)
        result = self._result(source)
        if self._content_hash(source.path) != source.content_hash:
            raise SourceChanged(f"{source.path.name} changed while it was read")
        for page in range(result.page_count + 1):
            emit(PageBegun(page))
        return Conversion(result=result)

    def _result(self, source: SourceFile) -> ConversionResult:
        suffix = source.path.suffix.lower()
        if suffix not in self._suffixes:
            raise UnsupportedFormat(f"{source.path.name} is of a kind that cannot be read")
        canned = self._canned.get(source.path.name, self._canned.get(suffix))
        if isinstance(canned, Exception):
            raise canned
        if isinstance(canned, ConversionResult):
            return replace(canned, doc_id=source.doc_id)
        text = _text_of(source.path) if canned is None else canned
        if not text.strip():
            raise EmptyDocument(f"{source.path.name} holds no text")
        return conversion_of(text, doc_id=source.doc_id)


def _hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableDocument(f"{path.name} cannot be read") from error
