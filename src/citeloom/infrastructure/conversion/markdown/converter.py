"""Markdown, MDX and plain text, converted with the place of every word in the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from citeloom.application.ports.document_converter import PlainPages
from citeloom.domain.conversion import BlockKind, ConversionResult
from citeloom.domain.errors import EmptyDocument, InvalidMetadata
from citeloom.infrastructure.conversion.file_converter import (
    NO_PLAIN_PAGES,
    FileConverter,
    ImageReading,
)
from citeloom.infrastructure.conversion.formats.bounds import Bounds
from citeloom.infrastructure.conversion.formats.decoding import Decoded, content_of, decoded
from citeloom.infrastructure.conversion.formats.markup import Declared, embedded_metadata
from citeloom.infrastructure.conversion.hidden_text import with_hidden
from citeloom.infrastructure.conversion.markdown.document import (
    DraftBlock,
    FileOffsets,
    PlacedBody,
    body_from,
)
from citeloom.infrastructure.conversion.markdown.front_matter import front_matter_of
from citeloom.infrastructure.conversion.markdown.mdx import without_mdx
from citeloom.infrastructure.conversion.markdown.placed_text import PlacedText
from citeloom.infrastructure.conversion.markdown.reader import MarkdownReader
from citeloom.infrastructure.conversion.version import MARKDOWN_ENGINE, own_versions

_PARAGRAPH = re.compile(r"[^\s](?:(?!\n[ \t]*\n|\f).)*", re.DOTALL)
_MDX = ".mdx"


class MarkdownConverter(FileConverter):
    """Converts Markdown as GitHub reads it, with footnotes, YAML and TOML front matter, and MDX."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds

    def convert(
        self,
        path: Path,
        doc_id: str,
        _: Callable[[int], None],
        _reading: ImageReading | None = None,
        _plain: PlainPages = NO_PLAIN_PAGES,
    ) -> ConversionResult:
        text = decoded(path.name, content_of(path))
        is_mdx = path.suffix.lower() == _MDX
        front = front_matter_of(text.text)
        head, body_text = text.text[: front.end], text.text[front.end :]
        readable = head + (without_mdx(body_text) if is_mdx else body_text)
        with self._bounds.refusing(path):
            reader = MarkdownReader(readable, start=front.end, indented_code=not is_mdx)
            self._bounds.check_cells(reader.cells)
            body = body_from(list(reader.blocks()), FileOffsets(text.original))
        if front.fields is not None and not body.blocks:
            raise InvalidMetadata(
                "no content after frontmatter", "Write something below the front matter."
            )
        result = _result(path, doc_id, text, body, front.declared, front.fields)
        return with_hidden(result, reader.hidden)


class PlainTextConverter(FileConverter):
    """Converts plain text, with paragraphs separated by blank lines."""

    def convert(
        self,
        path: Path,
        doc_id: str,
        _: Callable[[int], None],
        _reading: ImageReading | None = None,
        _plain: PlainPages = NO_PLAIN_PAGES,
    ) -> ConversionResult:
        text = decoded(path.name, content_of(path))
        body = body_from(list(_paragraphs(text.text)), FileOffsets(text.original))
        return _result(path, doc_id, text, body, Declared(), None)


def _paragraphs(text: str) -> Iterator[DraftBlock]:
    for found in _PARAGRAPH.finditer(text):
        placed, words = PlacedText(), found[0].rstrip()
        placed.add_words(words, found.start())
        yield DraftBlock(
            kind=BlockKind.PARAGRAPH,
            text=placed,
            start=found.start(),
            end=found.start() + len(words),
        )


def _result(
    path: Path,
    doc_id: str,
    text: Decoded,
    body: PlacedBody,
    declared: Declared,
    fields: Mapping[str, object] | None,
) -> ConversionResult:
    if not body.blocks:
        raise EmptyDocument(
            f"{path.name} has no text", "It may hold images only, and those are not read."
        )
    return ConversionResult(
        doc_id=doc_id,
        plain_text=body.plain_text,
        blocks=body.blocks,
        headings=body.headings,
        page_map={},
        page_count=0,
        engine=MARKDOWN_ENGINE,
        converter_version=own_versions()[path.suffix.lower()],
        embedded=embedded_metadata(declared, body.plain_text),
        notes=text.notes,
        source_runs=body.runs,
        front_matter=fields,
    )
