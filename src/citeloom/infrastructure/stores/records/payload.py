"""The payload of a point, schema version 1: flat, one key a field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from threading import Lock
from typing import Any

import msgspec

from citeloom.application.ports.vector_index import MetadataUpdate
from citeloom.domain.chunks.chunk import Chunk, ChunkKind
from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.documents.language import is_language_code
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.project import SCHEMA_VERSION
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.filters import ADDED_DAY, section_keys
from citeloom.domain.retrieval.passage import ChunkText, StoredChunk
from citeloom.infrastructure.stores.records.metadata_payload import (
    lesson_fields,
    lesson_of,
    mark_fields,
    mark_of,
    metadata_fields,
    metadata_of,
    required_text,
    required_whole,
    text,
    texts,
    whole,
    wholes,
)

_making = Lock()
_made: dict[Any, msgspec.msgpack.Decoder[Any]] = {}


def decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    """The decoder of a type, the same every time.

    msgspec remembers a class before it has gone through its fields, and another thread that meets
    the class then crashes the process. So every class that threads share is first seen here.
    """
    with _making:
        if kind not in _made:
            _made[kind] = msgspec.msgpack.Decoder(kind)
        return _made[kind]


Payload = dict[str, object]

decoder(StoredChunk)  # so that no two threads are the first to meet it


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
        "machines": list(stored.machines) or None,
        "chunking": dict(stored.chunking) or None,
        **_place_fields(chunk),
        "start_position": chunk.source.start_position if chunk.source else None,
        "end_position": chunk.source.end_position if chunk.source else None,
        "heading_level": chunk.heading_level,
        "section_type": chunk.section_type.value if chunk.section_type else None,
        "page_labels": list(chunk.page_labels),
        "page_starts": list(chunk.page_starts) or None,
        "section_path": list(chunk.section_path),
        "section_keys": list(section_keys(chunk.section_path, *chunk.sections)),
        "sections": [list(path) for path in chunk.sections] or None,
        "code": [list(span) for span in chunk.code] or None,
        "heading_chain": list(chunk.heading_context),
        "boxes": [
            [placed.page, placed.box.left, placed.box.top, placed.box.right, placed.box.bottom]
            for placed in chunk.boxes
        ],
        "chunk_text": chunk.text,
        "token_count": chunk.token_count,
        "token_count_estimated": chunk.token_count_estimated or None,
        "signal_to_noise": chunk.signal_to_noise,
        "kind": chunk.kind.value,
        "doubts": [doubt.value for doubt in chunk.doubts] or None,
        "embed_model": stored.embed_model,
        "sparse_model": stored.sparse_model,
        **citation_fields(stored.citation),
        **mark_fields(chunk.mark),
        **lesson_fields(chunk.lesson),
        **metadata_fields(stored.metadata, stored.undeclared),
    }
    return {key: value for key, value in fields.items() if value is not None}


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


def citation_fields(citation: CitationMeta | None) -> Payload:
    """Every key a reference has in the payload; None where there is nothing to say."""
    if citation is None:
        return dict.fromkeys((*CITATION_KEYS, *_DERIVED))
    stored: Payload = {
        ADDED_DAY: citation.added_day,
        "in_collections": list(citation.in_collections) or None,
    }
    for key, each in CITATION_KEYS.items():
        value = getattr(citation, each.name)
        stored[key] = list(value) if isinstance(value, tuple) else value
        if value is False or (value == () and each.name not in _ALWAYS_LISTED):
            stored[key] = None
    return stored


def update_payload(update: MetadataUpdate) -> Payload:
    """The payload keys that an update changes, except page labels, which differ by chunk."""
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
    if update.machines is not None:
        payload["machines"] = list(update.machines) or None
    return payload


def from_payload(point_id: object, payload: Mapping[str, object]) -> StoredChunk:
    """The chunk a point stores.

    Raises `IndexUnavailable` naming the point when what a passage needs is missing or malformed.
    """
    try:
        return msgspec.convert(_stored(point_id, payload), StoredChunk)
    except (TypeError, ValueError, LookupError, msgspec.ValidationError) as error:
        raise _unreadable(point_id, error) from error


def _unreadable(point_id: object, error: Exception) -> IndexUnavailable:
    return IndexUnavailable(
        f"The stored point {point_id} cannot be read: {error}",
        "Ingest its document again with `citeloom ingest --force`.",
    )


TEXT_KEYS = (
    *("chunk_id", "doc_id", "chunk_idx", "chunk_text", "source_path", "citekey", "year"),
    *("page_start", "page_end", "page_starts", "page_labels", "kind", "mark_key", "mark_quotes"),
    *("section_start", "paragraph_start", "section_end", "paragraph_end", "doubts"),
)
"""The keys of a payload that `text_of_payload` reads."""


def text_of_payload(point_id: object, payload: Mapping[str, object]) -> ChunkText:
    """The text of the chunk a point stores. Raises as `from_payload`."""
    try:
        citekey = text(payload, "citekey") or None
        return ChunkText(
            chunk_id=chunk_id_of(point_id, payload),
            doc_id=required_text(payload, "doc_id"),
            chunk_idx=whole(payload, "chunk_idx") or 0,
            text=required_text(payload, "chunk_text"),
            source_path=text(payload, "source_path") or "",
            citekey=citekey,
            year=whole(payload, "year") if citekey else None,
            page_span=_page_span(payload),
            page_starts=wholes(payload, "page_starts"),
            page_labels=texts(payload, "page_labels"),
            paragraphs=_paragraph_span(payload),
            cites_place=payload.get("kind") != ChunkKind.NOTE or payload.get("mark_quotes") is True,
            doubts=_doubts(payload),
        )
    except (TypeError, ValueError, LookupError) as error:
        raise _unreadable(point_id, error) from error


def chunk_id_of(point_id: object, payload: Mapping[str, object]) -> str:
    """The chunk a point is of: its own id where the payload does not say."""
    return str(payload.get("chunk_id") or point_id)


_ALWAYS_LISTED = ("authors", "tags", "collections")
_KEY_OF = {"citekey_generated": "citekey_made_up"}
"""The keys of payloads that are not called as the field of a reference."""
CITATION_KEYS = {_KEY_OF.get(each.name, each.name): each for each in fields(CitationMeta)}
"""The keys of a reference in payloads, each with its field."""
_DERIVED = (ADDED_DAY, "in_collections")
"""Further keys of a reference, which filters read."""


_DOUBTS = frozenset(doubt.value for doubt in Doubt)
_CHUNK: Payload = {"chunk_idx": 0, "token_count": 0, "signal_to_noise": 1.0}


def _stored(point_id: object, payload: Mapping[str, object]) -> Payload:
    """The values of a chunk. Its parts get the whole payload, of which msgspec takes what they
    have a field for: to choose would take twice the time. None counts as missing.
    """
    fields = payload
    if None in payload.values():
        fields = {key: value for key, value in payload.items() if value is not None}
    metadata, undeclared = metadata_of(payload)
    chunk = {
        **_CHUNK,
        **fields,
        "id": text(fields, "chunk_id") or str(point_id),
        "doc_id": required_text(fields, "doc_id"),
        "text": required_text(fields, "chunk_text"),
        "page_span": _page_span(fields),
        "paragraphs": _paragraph_span(fields),
        "boxes": _boxes(fields.get("boxes")),
        "heading_context": fields.get("heading_chain") or (),
        "mark": mark_of(fields),
        "lesson": lesson_of(fields),
        "source": _source(fields),
        "doubts": _doubts(fields),
    }
    return {
        "source_path": "",
        **fields,
        "project_id": required_text(fields, "project_id"),
        "chunk": chunk,
        "citation": _citation(fields),
        "metadata": metadata,
        "undeclared": undeclared,
    }


def _citation(fields: Mapping[str, object]) -> Payload | None:
    if not text(fields, "citekey"):
        return None
    renamed = {name: fields[key] for name, key in _KEY_OF.items() if key in fields}
    citation = {"title": "", **fields, **renamed}
    if (language := text(fields, "language")) and not is_language_code(language):
        del citation["language"]
    return citation


def _source(fields: Mapping[str, object]) -> Payload | None:
    if "start_position" not in fields:
        return None
    return {key: required_whole(fields, key) for key in ("start_position", "end_position")}


def _page_span(fields: Mapping[str, object]) -> tuple[int, int] | None:
    page_start = whole(fields, "page_start")
    if page_start is None and fields.get("mark_key") is not None:
        return None
    if fields.get("paragraph_start") is not None:
        return None
    page_start = required_whole(fields, "page_start")
    return page_start, whole(fields, "page_end") or page_start


def _paragraph_span(fields: Mapping[str, object]) -> tuple[Paragraph, Paragraph] | None:
    if fields.get("paragraph_start") is None:
        return None
    first, last = (
        Paragraph(
            section=_section(fields, f"section_{end}"),
            number=required_whole(fields, f"paragraph_{end}"),
        )
        for end in ("start", "end")
    )
    return first, last


def _section(fields: Mapping[str, object], key: str) -> str:
    """The section under `key`, where the first version stored 0 for none."""
    return (text(fields, key) or "") if fields.get(key) else ""


def _doubts(fields: Mapping[str, object]) -> tuple[Doubt, ...]:
    return tuple(Doubt(doubt) for doubt in texts(fields, "doubts") if doubt in _DOUBTS)


def _boxes(value: object) -> list[Payload]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise TypeError("'boxes' is not a list")
    return [_box(*row) for row in value]


def _box(page: float, left: float, top: float, right: float, bottom: float) -> Payload:
    box = {"left": left, "top": top, "right": right, "bottom": bottom}
    return {"page": int(page), "box": box}
