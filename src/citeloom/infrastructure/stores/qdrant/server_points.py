"""The points of one collection on a Qdrant server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from citeloom.infrastructure.stores.qdrant.server import QdrantServer, collection_path
from citeloom.infrastructure.stores.qdrant.server_collections import Opened, ServerCollections
from citeloom.infrastructure.stores.qdrant.server_translation import (
    Json,
    metadata_index,
    server_filter,
    server_point,
    server_query,
    server_record,
)
from citeloom.infrastructure.stores.records.filters import Filter
from citeloom.infrastructure.stores.records.payload import Payload
from citeloom.infrastructure.stores.records.points import Point, Points, Record
from citeloom.infrastructure.stores.records.queries import Search

_ALL_VALUES = 1_000_000


class ServerPoints(Points):
    """Every write is waited for, so that the next read sees it."""

    def __init__(
        self,
        server: QdrantServer,
        collections: ServerCollections,
        name: str,
        *,
        oversampling: float | None = None,
    ) -> None:
        self._server = server
        self._collections = collections
        self._name = name
        self._oversampling = oversampling

    def upsert(self, points: Sequence[Point]) -> None:
        body = {"points": [server_point(point) for point in points]}
        self._send("PUT", "/points?wait=true", body)

    def index_metadata(self, keys: frozenset[str]) -> None:
        def index(known: Opened) -> None:
            for key in sorted(keys - known.indexed):
                body = {"field_name": key, "field_schema": metadata_index(key)}
                self._server.send("PUT", collection_path(known.target, "/index?wait=true"), body)
                known.indexed.add(key)

        self._collections.on(self._name, index)

    def delete(self, where: Filter) -> None:
        self._send("POST", "/points/delete?wait=true", {"filter": server_filter(where)})

    def set_payload(self, where: Filter, payload: Payload) -> None:
        body = {"payload": payload, "filter": server_filter(where)}
        self._send("POST", "/points/payload?wait=true", body)

    def search(self, search: Search, limit: int) -> list[Record]:
        [found] = self.search_batch([(search, limit)])
        return found

    def search_batch(self, searches: Sequence[tuple[Search, int]]) -> list[list[Record]]:
        if not searches:
            return []
        oversampling = self._oversampling
        if len(searches) == 1:
            query = server_query(*searches[0], oversampling)
            one = self._send("POST", "/points/query", query, question=True)
            return [_records(one["points"])]
        body = {"searches": [server_query(*one, oversampling) for one in searches]}
        several = self._send("POST", "/points/query/batch", body, question=True)
        return [_records(one["points"]) for one in several]

    def page(
        self, where: Filter, limit: int, after: str | None, keys: tuple[str, ...]
    ) -> tuple[list[Record], str | None]:
        return self._scroll(where, limit, after, {"with_payload": list(keys) or True})

    def page_batch(self, wheres: Sequence[Filter], limit: int) -> list[list[Record]]:
        """Searches for nothing, which find what matches the filter in the order of the ids."""
        returned: Json = {"limit": limit, "with_payload": True}
        body = {"searches": [{"filter": server_filter(one), **returned} for one in wheres]}
        found = self._send("POST", "/points/query/batch", body, question=True)
        return [_records(one["points"]) for one in found]

    def full_page(
        self, where: Filter, limit: int, after: str | None
    ) -> tuple[list[Record], str | None]:
        return self._scroll(where, limit, after, {"with_payload": True, "with_vector": True})

    def count(self, where: Filter) -> int:
        body = {"filter": server_filter(where), "exact": True}
        return int(self._send("POST", "/points/count", body)["count"])

    def facet(self, key: str, where: Filter) -> dict[str, int]:
        body: Json = {"key": key, "limit": _ALL_VALUES, "exact": True}
        found = self._send("POST", "/facet", body | {"filter": server_filter(where)})
        return {str(hit["value"]): hit["count"] for hit in found["hits"]}

    def sample_keys(self, size: int) -> tuple[str, ...]:
        """The payload keys of the first `size` points, sorted."""
        records, _ = self.page(Filter(()), size, None, ())
        return tuple(sorted({key for record in records for key in record.payload}))

    def _scroll(
        self, where: Filter, limit: int, after: str | None, returned: Mapping[str, object]
    ) -> tuple[list[Record], str | None]:
        body: Json = {"filter": server_filter(where), "limit": limit, **returned}
        if after is not None:
            body["offset"] = after
        found = self._send("POST", "/points/scroll", body)
        following = found.get("next_page_offset")
        return _records(found["points"]), None if following is None else str(following)

    def _send(
        self, method: str, rest: str, body: Mapping[str, object], *, question: bool = False
    ) -> Any:
        return self._collections.on(
            self._name,
            lambda known: self._server.send(
                method, collection_path(known.target, rest), body, question=question
            ),
        )


def _records(points: Sequence[Mapping[str, Any]]) -> list[Record]:
    return [server_record(point) for point in points]
