"""Milvus: its client and failures, the fields of a collection, and filters as expressions."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Lock

from pymilvus import CollectionSchema, DataType, MilvusClient
from pymilvus.exceptions import ConnectionConfigException, MilvusException
from pymilvus.milvus_client import IndexParams

from citeloom.domain.errors import IndexLocked, IndexUnavailable
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.records.payload import Payload
from citeloom.infrastructure.stores.records.points_index import Point
from citeloom.infrastructure.stores.records.queries import Between, Condition, Filter, MatchAny
from citeloom.infrastructure.stores.records.schema import INTEGER_FIELDS, KEYWORD_FIELDS


@contextmanager
def answering(address: str) -> Iterator[None]:
    """Turn the client's failures into `IndexUnavailable`."""
    try:
        yield
    except MilvusException as error:
        raise IndexUnavailable(
            f"Milvus at {address} refused: {error.message}",
            "See that it runs and that you may use it, then try again.",
        ) from error


def create_loaded(
    client: MilvusClient,
    name: str,
    schema: CollectionSchema,
    indexes: IndexParams,
    properties: Mapping[str, str] | None = None,
) -> None:
    """Create an empty collection with its indexes, and load it.

    The indexes have nothing to take in yet, so none is waited for: the client would look for the
    end of each after half a second.
    """
    options = {"properties": dict(properties)} if properties else {}
    client.create_collection(name, schema=schema, consistency_level="Strong", **options)
    client.create_index(name, indexes, sync=False)
    client.load_collection(name)


# Milvus Lite within this process, for as long as something uses it.

_users: Counter[Path] = Counter()
_guard = Lock()

logging.getLogger("milvus_lite").setLevel(logging.CRITICAL)  # it logs what it also raises


def open_lite(folder: Path) -> MilvusClient:
    """A client of the folder. Raises `IndexLocked` if another process has it open."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        client = MilvusClient(str(folder))
    except ConnectionConfigException as error:
        raise IndexLocked(
            f"Milvus Lite cannot open {folder}: another process may have it open",
            "Wait until it is done, or run a Milvus server, which serves many processes.",
        ) from error
    with _guard:
        _users[folder.absolute()] += 1
    return client


def release_lite(folder: Path) -> None:
    """Let other processes have the folder once its last user here is done with it."""
    with _guard:
        _users[folder.absolute()] -= 1
        if _users[folder.absolute()] == 0:
            servers = import_module("milvus_lite.server_manager")
            servers.server_manager_instance.release_server(str(folder))


# The fields of a Milvus collection: what other programs look for, and the whole payload.

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
        row[SPARSE] = point.sparse.weights
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


# Filters as Milvus expressions; every value is written as a literal of theirs.

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_NOTHING = f'{ID} == ""'
"""No point has an empty id."""


def expression(where: Filter) -> str:
    """The filter as an expression that is never empty."""
    parts = [_condition(condition) for condition in where.must]
    parts += [_never(condition) for condition in where.must_not]
    if where.only is not None:
        parts.append(f"{ID} in {_array(sorted(where.only))}" if where.only else _NOTHING)
    if where.never:
        parts.append(f"{ID} not in {_array(sorted(where.never))}")
    return " and ".join(f"({part})" for part in parts)


def literal(value: object) -> str:
    """A value as Milvus reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return f'"{str(value).translate(_ESCAPES)}"'


def _condition(condition: Condition) -> str:
    match condition:
        case MatchAny(key=key, values=values):
            return _one_of(key, values)
        case Between(key=key, lowest=lowest, highest=highest):
            bounds = ((">=", lowest), ("<=", highest))
            return " and ".join(
                f"{_field(key)} {sign} {literal(bound)}"
                for sign, bound in bounds
                if bound is not None
            )


def _never(condition: Condition) -> str:
    """The negation of a condition, which also holds where the field is missing."""
    field = _field(condition.key)
    missing = "" if condition.key in COLUMNS else f"not exists {field} or "
    return f"{missing}not ({_condition(condition)})"


def _one_of(key: str, values: Iterable[str]) -> str:
    if key in LISTS:
        return f"json_contains_any({key}, {_array(values)})"
    if key in COLUMNS:
        return f"{key} in {_array(values)}"
    field = _field(key)
    equal = (f"{field} == {literal(value)}" for value in values)
    return " or ".join([*equal, f"json_contains_any({field}, {_array(values)})"])


def _field(key: str) -> str:
    return key if key in COLUMNS else f"{PAYLOAD}[{literal(key)}]"


def _array(values: Iterable[object]) -> str:
    return f"[{', '.join(map(literal, values))}]"
