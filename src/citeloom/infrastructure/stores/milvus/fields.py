"""The fields of a Milvus collection: what other programs look for, and the whole payload."""

from __future__ import annotations

from collections.abc import Mapping

from pymilvus import CollectionSchema, DataType, MilvusClient

from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.records.payload import Payload
from citeloom.infrastructure.stores.records.points import Point
from citeloom.infrastructure.stores.records.schema import INTEGER_FIELDS, KEYWORD_FIELDS

ID = "section_id"
DENSE = "embedding"
SPARSE = "sparse_embedding"
PAYLOAD = "payload"
LISTS = ("tags", "section_keys")
TEXTS = tuple(key for key in KEYWORD_FIELDS if key not in LISTS)
SCALARS = (*TEXTS, *INTEGER_FIELDS)
COLUMNS = frozenset({*LISTS, *SCALARS})
"""Payload keys with a field of their own; the scalar ones are indexed."""

_LONGEST_ID = 255
_LONGEST = 65_535
_LONGEST_PATH = 1000
_LONGEST_HEADING = 500
_NO_LEVEL = 0


def schema_of(collection: Collection) -> CollectionSchema:
    """The schema of a collection."""
    schema = MilvusClient.create_schema(
        auto_id=False,
        enable_dynamic_field=False,
        description="Document section embeddings for semantic search",
    )
    schema.add_field(ID, DataType.VARCHAR, is_primary=True, max_length=_LONGEST_ID)
    schema.add_field("file_path", DataType.VARCHAR, max_length=_LONGEST_PATH)
    schema.add_field("section_heading", DataType.VARCHAR, max_length=_LONGEST_HEADING)
    schema.add_field("heading_level", DataType.INT8)
    schema.add_field("chunk_index", DataType.INT32)
    schema.add_field("token_count", DataType.INT32)
    schema.add_field(DENSE, DataType.FLOAT_VECTOR, dim=collection.dimension)
    if collection.hybrid:
        schema.add_field(SPARSE, DataType.SPARSE_FLOAT_VECTOR)
    schema.add_field(PAYLOAD, DataType.JSON)
    for key in TEXTS:
        schema.add_field(key, DataType.VARCHAR, max_length=_LONGEST, nullable=True)
    for key in LISTS:
        schema.add_field(key, DataType.JSON)
    for key in INTEGER_FIELDS:
        schema.add_field(key, DataType.INT64, nullable=True)
    return schema


def row_of(point: Point) -> dict[str, object]:
    """A point as a row."""
    row: dict[str, object] = {
        ID: point.id,
        **columns_of(point.payload),
        DENSE: point.dense,
        PAYLOAD: point.payload,
    }
    if point.sparse is not None:
        row[SPARSE] = dict(zip(point.sparse.indices, point.sparse.values))
    return row


def columns_of(payload: Mapping[str, object]) -> Payload:
    """The fields that repeat a part of the payload."""
    path = payload.get("section_path")
    heading = str(path[-1]) if isinstance(path, list) and path else ""
    return {
        **{key: payload.get(key) for key in SCALARS},
        **{key: payload.get(key) or [] for key in LISTS},
        "file_path": cut(str(payload.get("source_path") or ""), _LONGEST_PATH),
        "section_heading": cut(heading, _LONGEST_HEADING),
        "heading_level": payload.get("heading_level") or _NO_LEVEL,
        "chunk_index": payload.get("chunk_idx", 0),
        "token_count": payload.get("token_count", 0),
    }


def cut(text: str, bytes_at_most: int) -> str:
    """The text, cut to so many bytes of UTF-8, as Milvus counts."""
    return text.encode()[:bytes_at_most].decode(errors="ignore")
