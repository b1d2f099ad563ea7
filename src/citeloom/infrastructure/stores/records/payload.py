"""The payload of a point, schema version 1: flat, one key a field."""

from __future__ import annotations

from collections.abc import Mapping

from citeloom.application.ports.vector_writer import MetadataUpdate
from citeloom.domain.chunk import Chunk, ChunkKind, PageBox
from citeloom.domain.citation import CitationMeta, is_language_code
from citeloom.domain.conversion import Box
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.passage import StoredChunk
from citeloom.domain.project import SCHEMA_VERSION
from citeloom.domain.sections import Paragraph, section_keys
from citeloom.infrastructure.stores.records.fields import (
    number,
    required_text,
    required_whole,
    text,
    texts,
    whole,
)
from citeloom.infrastructure.stores.records.mark_payload import mark_fields, mark_of
from citeloom.infrastructure.stores.records.nested_payload import flattened, is_nested

Payload = dict[str, object]


def to_payload(stored: StoredChunk) -> Payload:
    """What is stored of a chunk beside its vectors; what is unknown has no key."""
    chunk = stored.chunk
    fields: Payload = {
        "version": SCHEMA_VERSION,
        "project_id": stored.project_id,
        "doc_id": chunk.doc_id,
        "chunk_id": chunk.id,
        "chunk_idx": chunk.chunk_idx,
        "attachment_key": stored.attachment_key,
        "zotero_library": stored.zotero_library,
        "source_path": stored.source_path,
        **_place_fields(chunk),
        "page_labels": list(chunk.page_labels),
        "section_path": list(chunk.section_path),
        "section_keys": list(section_keys(chunk.section_path)),
        "heading_chain": list(chunk.heading_context),
        "boxes": [_from_box(box) for box in chunk.boxes],
        "chunk_text": chunk.text,
        "token_count": chunk.token_count,
        "signal_to_noise": chunk.signal_to_noise,
        "kind": chunk.kind.value,
        "embed_model": stored.embed_model,
        "sparse_model": stored.sparse_model,
        **citation_fields(stored.citation),
        **mark_fields(chunk.mark),
    }
    return {key: value for key, value in fields.items() if value is not None}


def citation_fields(citation: CitationMeta | None) -> Payload:
    """Every key a reference has in the payload; None where there is nothing to say."""
    if citation is None:
        return dict.fromkeys(_CITATION_KEYS)
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key in _CITATION_KEYS
        for value in [getattr(citation, key)]
    }


def update_payload(update: MetadataUpdate) -> Payload:
    """The keys an update changes, save page labels, which each chunk has its own of."""
    payload: Payload = {}
    if update.citation is not None:
        payload |= citation_fields(update.citation.citation)
    if update.location is not None:
        origin = update.location.origin
        payload |= {
            "source_path": update.location.source_path,
            "attachment_key": origin.attachment_key if origin else None,
            "zotero_library": origin.library if origin else None,
        }
    return payload


def from_payload(point_id: str, payload: Mapping[str, object]) -> StoredChunk:
    """The chunk a point stores, of this schema or the older nested one.

    Raises `IndexUnavailable` naming the point when what a passage needs is missing or malformed.
    """
    try:
        return _stored(point_id, flattened(payload) if is_nested(payload) else payload)
    except (TypeError, ValueError, LookupError) as error:
        raise IndexUnavailable(
            f"The stored point {point_id} cannot be read: {error}",
            "Ingest its document again with `citeloom ingest --force`.",
        ) from error


_CITATION_KEYS = (
    "citekey",
    "title",
    "authors",
    "year",
    "doi",
    "url",
    "tags",
    "collections",
    "language",
    "container",
    "pages",
    "item_key",
)


def _stored(point_id: str, fields: Mapping[str, object]) -> StoredChunk:
    return StoredChunk(
        project_id=required_text(fields, "project_id"),
        chunk=_chunk(point_id, fields),
        source_path=text(fields, "source_path") or "",
        citation=_citation(fields),
        attachment_key=text(fields, "attachment_key"),
        zotero_library=text(fields, "zotero_library"),
        embed_model=text(fields, "embed_model") or "",
        sparse_model=text(fields, "sparse_model"),
    )


def _chunk(point_id: str, fields: Mapping[str, object]) -> Chunk:
    return Chunk(
        id=text(fields, "chunk_id") or point_id,
        doc_id=required_text(fields, "doc_id"),
        text=required_text(fields, "chunk_text"),
        page_span=_page_span(fields),
        paragraphs=_paragraphs(fields),
        section_path=texts(fields, "section_path"),
        chunk_idx=whole(fields, "chunk_idx") or 0,
        token_count=whole(fields, "token_count") or 0,
        signal_to_noise=number(fields, "signal_to_noise", default=1.0),
        kind=ChunkKind(text(fields, "kind") or ChunkKind.TEXT),
        page_labels=texts(fields, "page_labels"),
        boxes=_boxes(fields.get("boxes")),
        heading_context=texts(fields, "heading_chain"),
        mark=mark_of(fields),
    )


def _place_fields(chunk: Chunk) -> Payload:
    if chunk.paragraphs is not None:
        first, last = chunk.paragraphs
        return {
            "section_start": first.section,
            "paragraph_start": first.number,
            "section_end": last.section,
            "paragraph_end": last.number,
        }
    page_start, page_end = chunk.page_span or (None, None)
    return {"page_start": page_start, "page_end": page_end}


def _page_span(fields: Mapping[str, object]) -> tuple[int, int] | None:
    if "paragraph_start" in fields or ("mark_key" in fields and "page_start" not in fields):
        return None
    page_start = required_whole(fields, "page_start")
    return page_start, whole(fields, "page_end") or page_start


def _paragraphs(fields: Mapping[str, object]) -> tuple[Paragraph, Paragraph] | None:
    if "paragraph_start" not in fields:
        return None
    return _paragraph(fields, "start"), _paragraph(fields, "end")


def _paragraph(fields: Mapping[str, object], end: str) -> Paragraph:
    return Paragraph(
        section=text(fields, f"section_{end}") or "",
        number=required_whole(fields, f"paragraph_{end}"),
    )


def _citation(fields: Mapping[str, object]) -> CitationMeta | None:
    citekey = text(fields, "citekey")
    if not citekey:
        return None
    language = text(fields, "language")
    return CitationMeta(
        citekey=citekey,
        title=text(fields, "title") or "",
        authors=texts(fields, "authors"),
        year=whole(fields, "year"),
        doi=text(fields, "doi"),
        url=text(fields, "url"),
        tags=texts(fields, "tags"),
        collections=texts(fields, "collections"),
        language=language if language and is_language_code(language) else None,
        container=text(fields, "container"),
        pages=text(fields, "pages"),
        item_key=text(fields, "item_key"),
    )


def _from_box(placed: PageBox) -> list[float]:
    box = placed.box
    return [placed.page, box.left, box.top, box.right, box.bottom]


def _boxes(value: object) -> tuple[PageBox, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise TypeError("'boxes' is not a list")
    return tuple(_box(*row) for row in value)


def _box(page: float, left: float, top: float, right: float, bottom: float) -> PageBox:
    return PageBox(page=int(page), box=Box(left=left, top=top, right=right, bottom=bottom))
