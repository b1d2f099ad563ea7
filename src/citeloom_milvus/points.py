"""The points of one collection in Milvus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pymilvus import MilvusClient

from citeloom.domain.retrieval.passage import SparseVector
from citeloom.infrastructure.stores.records import queries, schema
from citeloom.infrastructure.stores.records.payload import Payload
from citeloom.infrastructure.stores.records.points_index import Point, Points, Record
from citeloom.infrastructure.stores.records.queries import Filter
from citeloom_milvus.fields import (
    DENSE,
    ID,
    PAYLOAD,
    SPARSE,
    answering,
    columns_of,
    expression,
    row_of,
)
from citeloom_milvus.settings import MilvusTable

_BATCH = 256
_MOST_HITS = 16_384
"""Milvus returns no more from one search."""
_FIELDS = {schema.DENSE: DENSE, schema.SPARSE: SPARSE}

_Row = Mapping[str, Any]


class MilvusPoints(Points):
    """Every read sees every write before it: collections are made with strong consistency."""

    def __init__(
        self, client: MilvusClient, name: str, *, hybrid: bool, options: MilvusTable, address: str
    ) -> None:
        self._client = client
        self._name = name
        self._vectors = [DENSE, SPARSE] if hybrid else [DENSE]
        self._options = options
        self._address = address

    def upsert(self, points: Sequence[Point]) -> None:
        if points:
            with answering(self._address):
                self._client.upsert(self._name, [row_of(point) for point in points])

    def index_metadata(self, keys: frozenset[str]) -> None:
        """Do nothing: metadata is filtered in the payload."""

    def delete(self, where: Filter) -> None:
        with answering(self._address):
            self._client.delete(self._name, filter=expression(where))

    def set_payload(self, where: Filter, payload: Payload) -> None:
        for ids in batched(self.ids(where), _BATCH):
            rows = [_updated(record, payload) for record in self.records(ids)]
            with answering(self._address):
                self._client.upsert(self._name, rows, partial_update=True)

    def search(self, search: queries.IndexSearch, limit: int) -> list[Record]:
        if search.fusion is not None:
            return self._fused(search, limit)
        fields = [PAYLOAD, *(self._vectors if search.with_vectors else ())]
        with answering(self._address):
            rows = self._one_side(search, min(limit, _MOST_HITS), fields)
        return [_hit(row) for row in rows]

    def _fused(self, search: queries.IndexSearch, limit: int) -> list[Record]:
        found = queries.fused(search, limit, self.search)
        scores = {str(hit.id): score for hit, score in found}
        records = [hit for hit, _ in found]
        if search.with_vectors:
            records = self.records(list(scores), full=True)
        for record in records:
            record.score = scores[str(record.id)]
        return records

    def _one_side(
        self, search: queries.IndexSearch, limit: int, fields: list[str]
    ) -> Sequence[_Row]:
        [side, *_] = search.sides
        results = self._client.search(
            self._name,
            data=[_vector(side)],
            anns_field=_FIELDS[side.using],
            search_params=self._parameters(side, limit),
            filter=expression(search.where),
            limit=limit,
            output_fields=fields,
        )
        return list(results[0])

    def _parameters(self, side: queries.Nearest, limit: int) -> dict[str, object]:
        if side.using == schema.SPARSE:
            return {"metric_type": "IP", "params": {"drop_ratio_search": 0.0}}
        return self._options.search_parameters(limit)

    def page(
        self,
        where: Filter,
        limit: int,
        after: str | None,
        keys: tuple[str, ...],  # noqa: ARG002 - the payload is one field
    ) -> tuple[list[Record], str | None]:
        return self._page(where, limit, after, full=False)

    def full_page(
        self, where: Filter, limit: int, after: str | None
    ) -> tuple[list[Record], str | None]:
        return self._page(where, limit, after, full=True)

    def _page(
        self, where: Filter, limit: int, after: str | None, *, full: bool
    ) -> tuple[list[Record], str | None]:
        ids = self.ids(where)
        start = bisect_left(ids, after) if after is not None else 0
        page, next_page = ids[start : start + limit], ids[start + limit : start + limit + 1]
        return self.records(page, full=full), next_page[0] if next_page else None

    def count(self, where: Filter) -> int:
        with answering(self._address):
            [row] = self._client.query(
                self._name, filter=expression(where), output_fields=["count(*)"]
            )
        return int(row["count(*)"])

    def facet(self, key: str, where: Filter) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for batch in self._batches(where, [ID, PAYLOAD]):
            for row in batch:
                counts.update(_values(row[PAYLOAD].get(key)))
        return dict(counts)

    def ids(self, where: Filter) -> list[str]:
        """The ids of the matching points, sorted."""
        return sorted(row[ID] for batch in self._batches(where, [ID]) for row in batch)

    def records(self, ids: Sequence[str], *, full: bool = False) -> list[Record]:
        """The points of these ids in that order, `full` ones with their vectors."""
        if not ids:
            return []
        fields = [ID, PAYLOAD, *(self._vectors if full else ())]
        with answering(self._address):
            rows = self._client.get(self._name, ids=list(ids), output_fields=fields)
        by_id = {row[ID]: _record(row) for row in rows}
        return [by_id[record_id] for record_id in ids if record_id in by_id]

    def _batches(self, where: Filter, fields: list[str]) -> Iterator[list[_Row]]:
        """The matching points in pages, in the order of their ids."""
        with answering(self._address):
            pages = self._client.query_iterator(
                self._name, batch_size=_BATCH, filter=expression(where), output_fields=fields
            )
            try:
                while batch := pages.next():
                    yield list(batch)
            finally:
                pages.close()


def batched(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """The ids in batches of at most `size`."""
    for start in range(0, len(ids), size):
        yield ids[start : start + size]


def _updated(record: Record, payload: Payload) -> dict[str, object]:
    """The fields of a row that change with its payload; a key set to None is removed."""
    merged = {**record.payload, **payload}
    updated = {key: value for key, value in merged.items() if value is not None}
    return {ID: record.id, **columns_of(updated), PAYLOAD: updated}


def _vector(side: queries.Nearest) -> object:
    vector = side.vector
    if isinstance(vector, SparseVector):
        return vector.weights
    return vector


def _hit(row: _Row) -> Record:
    record = _record({ID: row[ID], **row["entity"]})
    record.score = float(row["distance"])
    return record


def _record(row: _Row) -> Record:
    sparse, dense = row.get(SPARSE), row.get(DENSE)
    return Record(
        id=row[ID],
        payload=row.get(PAYLOAD, {}),
        dense=None if dense is None else list(map(float, dense)),
        sparse=None if sparse is None else _sparse(sparse),
    )


def _sparse(terms: Mapping[int, float]) -> SparseVector:
    return SparseVector.of({term: float(weight) for term, weight in terms.items()})


def _values(value: object) -> list[str]:
    """The values that a payload field counts under."""
    if value is None:
        return []
    return list(map(str, value)) if isinstance(value, list) else [str(value)]
