"""The points of one collection on a Qdrant server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from citeloom.domain.errors import IndexUnavailable
from citeloom.infrastructure.stores.qdrant.server_translation import (
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

    def __init__(self, client: QdrantClient, name: str, *, address: str) -> None:
        self._client = client
        self._name = name
        self._address = address

    def upsert(self, points: Sequence[Point]) -> None:
        with answering(self._address):
            self._client.upsert(self._name, [server_point(point) for point in points], wait=True)

    def index_metadata(self, keys: frozenset[str]) -> None:
        with answering(self._address):
            indexed = self._client.get_collection(self._name).payload_schema
            for key in sorted(keys - indexed.keys()):
                self._client.create_payload_index(self._name, key, metadata_index(key), wait=True)

    def delete(self, where: Filter) -> None:
        selector = models.FilterSelector(filter=server_filter(where))
        with answering(self._address):
            self._client.delete(self._name, selector, wait=True)

    def set_payload(self, where: Filter, payload: Payload) -> None:
        selector = models.FilterSelector(filter=server_filter(where))
        with answering(self._address):
            self._client.set_payload(self._name, payload, selector, wait=True)

    def search(self, search: Search, limit: int) -> list[Record]:
        with answering(self._address):
            response = self._client.query_points(
                self._name,
                limit=limit,
                with_payload=True,
                with_vectors=search.with_vectors,
                **server_query(search),
            )
        return [server_record(point) for point in response.points]

    def page(
        self, where: Filter, limit: int, after: str | None, keys: tuple[str, ...]
    ) -> tuple[list[Record], str | None]:
        with answering(self._address):
            found, following = self._client.scroll(
                self._name,
                scroll_filter=server_filter(where),
                limit=limit,
                offset=after,
                with_payload=list(keys) if keys else True,
            )
        records = [Record(id=str(point.id), payload=point.payload or {}) for point in found]
        return records, None if following is None else str(following)

    def full_page(
        self, where: Filter, limit: int, after: str | None
    ) -> tuple[list[Record], str | None]:
        with answering(self._address):
            found, following = self._client.scroll(
                self._name,
                scroll_filter=server_filter(where),
                limit=limit,
                offset=after,
                with_payload=True,
                with_vectors=True,
            )
        return [server_record(r) for r in found], None if following is None else str(following)

    def count(self, where: Filter) -> int:
        with answering(self._address):
            return self._client.count(self._name, server_filter(where), exact=True).count

    def facet(self, key: str, where: Filter) -> dict[str, int]:
        with answering(self._address):
            response = self._client.facet(
                self._name, key, facet_filter=server_filter(where), limit=_ALL_VALUES, exact=True
            )
        return {str(hit.value): hit.count for hit in response.hits}


@contextmanager
def answering(address: str) -> Iterator[None]:
    """Turn the client's failures into `IndexUnavailable`, with what to do about each."""
    try:
        yield
    except UnexpectedResponse as error:
        raise IndexUnavailable(
            f"The Qdrant server at {address} refused: {error}", _advice(error.status_code)
        ) from error
    except ResponseHandlingException as error:
        raise IndexUnavailable(
            f"No Qdrant server answers at {address}: {error.source}",
            "Start it, or correct [qdrant] url; without a url the index is kept in process.",
        ) from error
    except QdrantException as error:
        raise IndexUnavailable(
            f"The Qdrant server at {address} is busy: {error}", "Try again later."
        ) from error


def _advice(status: int | None) -> str:
    if status in (401, 403):
        return "Set the API key in the environment: CITELOOM_QDRANT__API_KEY."
    return "See the server's log."
