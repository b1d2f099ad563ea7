"""The chunks of one collection in PostgreSQL, and their rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from psycopg import sql

from citeloom.domain.retrieval.passage import SparseVector
from citeloom.infrastructure.stores.records.metadata_payload import UNDECLARED
from citeloom.infrastructure.stores.records.payload import Payload
from citeloom.infrastructure.stores.records.points_index import Point, Points, Record
from citeloom.infrastructure.stores.records.queries import Filter, IndexSearch
from citeloom_postgres.collections import StoredCollection
from citeloom_postgres.connections import Connection
from citeloom_postgres.searching import (
    Parameters,
    condition,
    counting,
    numbered,
    payload_of,
    statement,
    terms_by_number,
)
from citeloom_postgres.tables import (
    dense_text,
    read_dense,
    read_sparse,
    sent_dense,
    sent_pairs,
    sent_sparse,
    sparse_text,
)

# A chunk as a row: what is filtered by, what is only read, and its vectors.

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
        return [_storable(member) for member in value]
    if isinstance(value, dict):
        return {str(_storable(key)): _storable(member) for key, member in value.items()}
    return value


T = TypeVar("T")
Work = Callable[[Connection, StoredCollection], T]

_PAGE = """
SELECT chunk_id, {payload}, 0.0::float8, {vectors} FROM {rows} AS chunks
WHERE {condition} AND chunk_id > {after} ORDER BY chunk_id LIMIT {limit}"""
_FIRST = """
SELECT {number}, chunk_id, fields || body FROM {rows} AS chunks
WHERE {condition} ORDER BY chunk_id LIMIT {limit}"""
_FACET = """
SELECT value, count(DISTINCT chunk_id) FROM {rows} AS chunks, LATERAL jsonb_array_elements_text(
    CASE jsonb_typeof(fields -> {key}::text) WHEN 'array' THEN fields -> {key}::text
    WHEN 'string' THEN jsonb_build_array(fields -> {key}::text) ELSE '[]' END) AS value
WHERE {condition} GROUP BY value"""


@dataclass(frozen=True, slots=True)
class Row:
    """A result row of a statement of several searches: the search's place, and the values sent."""

    search: int
    chunk_id: str
    payload: Mapping[str, object] | None
    score: float
    dense: bytes | None
    sparse: bytes | None

    def record(self, terms: Mapping[int, int], *, whole: bool) -> Record:
        """The record; `terms` are those of the numbers in a `whole` sparse vector."""
        return Record(
            id=self.chunk_id,
            payload=self.payload or {},
            score=self.score,
            dense=None if self.dense is None else sent_dense(self.dense),
            sparse=self._weights(terms, whole=whole),
        )

    def _weights(self, terms: Mapping[int, int], *, whole: bool) -> SparseVector | None:
        if self.sparse is None:
            return None
        if whole:
            return _vector(sent_sparse(self.sparse), terms)
        weights = sent_pairs(self.sparse, "weights")
        return _vector(weights, {term: term for term in weights})


class PostgresPoints(Points):
    """Every call is a transaction: `read` and `write` run it with the collection as it then is,
    `write` with nobody else changing it.
    """

    def __init__(
        self, read: Callable[[Work[object]], object], write: Callable[[Work[object]], object]
    ) -> None:
        self._run_read = read
        self._run_write = write

    def upsert(self, points: Sequence[Point]) -> None:
        by_id = {point.id: point for point in points}
        distinct = list(by_id.values())
        self._write(lambda connection, stored: _replace(connection, stored, distinct))

    def index_metadata(self, keys: frozenset[str]) -> None:  # noqa: ARG002 - one index has them all
        return

    def delete(self, where: Filter) -> None:
        self._write(lambda connection, stored: _delete(connection, stored, where))

    def set_payload(self, where: Filter, payload: Payload) -> None:
        self._write(lambda connection, stored: _patch(connection, stored, where, payload))

    def search(self, search: IndexSearch, limit: int) -> list[Record]:
        [records] = self.search_batch([(search, limit)])
        return records

    def search_batch(self, searches: Sequence[tuple[IndexSearch, int]]) -> list[list[Record]]:
        if not searches:
            return []
        return self._read(lambda connection, stored: _search(connection, stored, searches))

    def page(
        self, where: Filter, limit: int, after: str | None, keys: tuple[str, ...]
    ) -> tuple[list[Record], str | None]:
        return self._read(
            lambda connection, stored: _page(connection, stored, where, limit, after, keys=keys)
        )

    def page_batch(self, wheres: Sequence[Filter], limit: int) -> list[list[Record]]:
        return self._read(lambda connection, stored: _pages(connection, stored, wheres, limit))

    def full_page(
        self, where: Filter, limit: int, after: str | None
    ) -> tuple[list[Record], str | None]:
        return self._read(
            lambda connection, stored: _page(connection, stored, where, limit, after, vectors=True)
        )

    def count(self, where: Filter) -> int:
        return self._read(lambda connection, stored: _count(connection, stored, where))

    def facet(self, key: str, where: Filter) -> dict[str, int]:
        return self._read(lambda connection, stored: _facet(connection, stored, key, where))

    def _read(self, work: Work[T]) -> T:
        return cast("T", self._run_read(work))

    def _write(self, work: Work[T]) -> T:
        return cast("T", self._run_write(work))


def _replace(connection: Connection, stored: StoredCollection, points: Sequence[Point]) -> None:
    tables = stored.tables
    numbers = numbered(connection, tables, terms_of(points))
    _delete(connection, stored, Filter(()).among(frozenset(point.id for point in points)))
    *others, last = tables.insert()
    values = columns_of(points, numbers)
    for other in others:
        connection.execute(other, values)
    counted = connection.execute(counting(tables, last, sign=1), values)
    _add_chunks(connection, stored, _number(counted.fetchone()))


def _delete(connection: Connection, stored: StoredCollection, where: Filter) -> None:
    parameters = Parameters()
    first, *others = stored.tables.delete(condition(where, parameters))
    counted = connection.execute(counting(stored.tables, first, sign=-1), parameters.values)
    for other in others:
        connection.execute(other, parameters.values)
    _add_chunks(connection, stored, -_number(counted.fetchone()))


def _add_chunks(connection: Connection, stored: StoredCollection, more: int) -> None:
    connection.execute(
        "UPDATE citeloom.collections SET chunks = chunks + %s WHERE name = %s", (more, stored.name)
    )


def _patch(
    connection: Connection, stored: StoredCollection, where: Filter, payload: Payload
) -> None:
    parameters = Parameters()
    parts = Parts.of({key: value for key, value in payload.items() if value is not None})
    changed = stored.tables.patch(condition(where, parameters))
    parameters.values |= {
        "fields": json.dumps(parts.fields),
        "body": json.dumps(parts.body),
        "removed": [key for key, value in payload.items() if value is None],
    }
    connection.execute(changed, parameters.values)


def _search(
    connection: Connection, stored: StoredCollection, searches: Sequence[tuple[IndexSearch, int]]
) -> list[list[Record]]:
    """The records of each search, best first, by one statement."""
    query, parameters = statement(searches, stored.tables, stored.number)
    fetched = connection.execute(query, parameters.values, binary=True).fetchall()
    rows = [Row(*values[:6]) for values in cast("list[tuple[Any, ...]]", fetched)]
    terms = [sent_pairs(row.sparse, "terms") for row in rows if row.search < 0]
    by_number = cast("Mapping[int, int]", terms[0] if terms else {})
    records: list[list[Record]] = [[] for _ in searches]
    for row in rows:
        if row.search >= 0:
            whole = searches[row.search][0].terms is None
            records[row.search].append(row.record(by_number, whole=whole))
    return [sorted(hits, key=lambda record: (-record.score, str(record.id))) for hits in records]


def _page(
    connection: Connection,
    stored: StoredCollection,
    where: Filter,
    limit: int,
    after: str | None,
    *,
    keys: tuple[str, ...] = (),
    vectors: bool = False,
) -> tuple[list[Record], str | None]:
    parameters = Parameters()
    query = sql.SQL(_PAGE).format(
        payload=payload_of(keys, parameters),
        vectors=sql.SQL("dense::text, sparse::text" if vectors else "NULL, NULL"),
        rows=stored.tables.rows,
        condition=condition(where, parameters),
        after=parameters.add(after or ""),
        limit=parameters.add(limit),
    )
    rows = connection.execute(query, parameters.values).fetchall()
    records = _records(connection, stored, rows)
    return records, str(records[-1].id) if len(records) == limit else None


def _pages(
    connection: Connection, stored: StoredCollection, wheres: Sequence[Filter], limit: int
) -> list[list[Record]]:
    """The first rows that meet each condition, by one statement."""
    parameters = Parameters()
    parts = [
        sql.SQL(_FIRST).format(
            number=sql.Literal(number),
            rows=stored.tables.rows,
            condition=condition(where, parameters),
            limit=parameters.add(limit),
        )
        for number, where in enumerate(wheres)
    ]
    query = sql.SQL(" UNION ALL ").join(sql.SQL("({})").format(part) for part in parts)
    pages: list[list[Record]] = [[] for _ in wheres]
    rows = connection.execute(query, parameters.values).fetchall()
    for number, chunk_id, payload in cast("list[tuple[int, str, dict[str, object]]]", rows):
        pages[number].append(Record(id=chunk_id, payload=payload))
    return pages


def _count(connection: Connection, stored: StoredCollection, where: Filter) -> int:
    parameters = Parameters()
    query = sql.SQL("SELECT count(*) FROM {} AS chunks WHERE {}").format(
        stored.tables.rows, condition(where, parameters)
    )
    return _number(connection.execute(query, parameters.values).fetchone())


def _facet(
    connection: Connection, stored: StoredCollection, key: str, where: Filter
) -> dict[str, int]:
    parameters = Parameters()
    query = sql.SQL(_FACET).format(
        rows=stored.tables.rows,
        key=parameters.add(key),
        condition=condition(where, parameters),
    )
    counts = connection.execute(query, parameters.values).fetchall()
    return dict(cast("list[tuple[str, int]]", counts))


def _records(
    connection: Connection, stored: StoredCollection, rows: Sequence[Sequence[object]]
) -> list[Record]:
    typed_rows = cast(
        "Sequence[tuple[str, Mapping[str, object], float, str | None, str | None]]", rows
    )
    sparse = [None if text is None else read_sparse(text) for *_, text in typed_rows]
    terms = stored.terms
    missing = {number for vector in sparse if vector for number in vector if number not in terms}
    if missing:
        terms.update(terms_by_number(connection, stored.tables, missing))
    return [
        Record(
            id=chunk_id,
            payload=payload or {},
            score=score,
            dense=None if dense is None else read_dense(dense),
            sparse=None if weights is None else _vector(weights, terms),
        )
        for (chunk_id, payload, score, dense, _), weights in zip(typed_rows, sparse)
    ]


def _vector(weights: Mapping[int, float], terms: Mapping[int, int]) -> SparseVector:
    return SparseVector.of({terms[number]: value for number, value in weights.items()})


def _number(row: tuple[object, ...] | None) -> int:
    return int(str(row[0])) if row else 0
