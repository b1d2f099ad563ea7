"""A chunk as a row: what is filtered by, what is only read, and its vectors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citeloom.domain.passage import SparseVector
from citeloom.infrastructure.stores.postgres.vectors import dense_text, sparse_text
from citeloom.infrastructure.stores.records.metadata_payload import UNDECLARED
from citeloom.infrastructure.stores.records.payload import Payload
from citeloom.infrastructure.stores.records.points import Point

_BODY = frozenset(
    (
        "chunk_text",
        "boxes",
        "heading_chain",
        "signal_to_noise",
        "token_count",
        "mark_comment",
        "mark_rects",
    )
)
"""What no filter asks for: kept out of the indexed part, so that this stays small."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A payload, parted into what filters ask for and what is only read."""

    fields: Payload
    body: Payload

    @classmethod
    def of(cls, payload: Mapping[str, object]) -> Parts:
        """The parts of a payload."""
        clean = {key: _storable(value) for key, value in payload.items()}
        return cls(
            fields={key: value for key, value in clean.items() if not _is_body(key)},
            body={key: value for key, value in clean.items() if _is_body(key)},
        )


def _is_body(key: str) -> bool:
    return key in _BODY or key.startswith(UNDECLARED)


def columns_of(points: Sequence[Point], numbers: Mapping[int, int]) -> dict[str, list[object]]:
    """The values of the rows to write, column by column; `numbers` are those of the terms."""
    columns: dict[str, list[object]] = {
        name: [] for name in ("chunk_id", "fields", "body", "dense", "sparse", "terms")
    }
    for point in points:
        parts = Parts.of(point.payload)
        weights = weights_of(point.sparse, numbers)
        columns["chunk_id"].append(point.id)
        columns["fields"].append(json.dumps(parts.fields))
        columns["body"].append(json.dumps(parts.body))
        columns["dense"].append(dense_text(point.dense))
        columns["sparse"].append(None if weights is None else sparse_text(weights))
        columns["terms"].append(None if weights is None else json.dumps(sorted(weights)))
    return columns


def weights_of(vector: SparseVector | None, numbers: Mapping[int, int]) -> dict[int, float] | None:
    """The weights of a vector's terms by their numbers; None where there is no vector."""
    if vector is None:
        return None
    pairs = zip(vector.indices, vector.values)
    return {numbers[index]: value for index, value in pairs if value and index in numbers}


def terms_of(points: Sequence[Point]) -> list[int]:
    """The distinct terms of points, ascending."""
    vectors = (point.sparse for point in points if point.sparse is not None)
    return sorted({index for vector in vectors for index in vector.indices})


def _storable(value: object) -> object:
    """A value with � for characters that no text in PostgreSQL can hold."""
    if isinstance(value, str):
        return value.replace("\0", "�").encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list | tuple):
        return [_storable(one) for one in value]
    if isinstance(value, dict):
        return {str(_storable(key)): _storable(one) for key, one in value.items()}
    return value
