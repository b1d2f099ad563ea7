"""A stored chunk as a point: its id, its vectors and its payload."""

from __future__ import annotations

import uuid
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from citeloom.domain.retrieval.passage import EmbeddedChunk, SparseVector
from citeloom.infrastructure.stores.records.payload import Payload, chunk_id_of, to_payload
from citeloom.infrastructure.stores.records.queries import Filter, IndexSearch

# The ids that chunks have in a store.

_NAMESPACE = uuid.UUID("5b1f0f52-6d0e-5d8a-9c3e-0a7c1d5e4b21")
_UUID_LENGTH = 36


def point_id(chunk_id: str) -> str:
    """The UUID of a chunk's point, the same on every machine: its id where that is a UUID."""
    return chunk_id if _is_uuid(chunk_id) else str(uuid.uuid5(_NAMESPACE, chunk_id))


def _is_uuid(chunk_id: str) -> bool:
    if len(chunk_id) != _UUID_LENGTH:
        return False
    try:
        return str(uuid.UUID(chunk_id)) == chunk_id
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What is written."""

    id: str
    dense: list[float]
    sparse: SparseVector | None
    payload: Payload


@dataclass(slots=True, kw_only=True)
class Record:
    """What is read; `score` is 0 outside a search, vectors are None unless requested.

    `id` is of the type that the store uses; `str` of it is the point id.
    """

    id: object
    payload: Mapping[str, object]
    score: float = 0.0
    dense: list[float] | None = None
    sparse: SparseVector | None = None

    @property
    def chunk_id(self) -> str:
        """The chunk the point is of."""
        return chunk_id_of(self.id, self.payload)


def point_of(embedded: EmbeddedChunk, id_of: Callable[[str], str] = point_id) -> Point:
    """The point that stores a chunk, under its id in the store."""
    return Point(
        id=id_of(embedded.stored.chunk.id),
        dense=[float(x) for x in embedded.dense],
        sparse=embedded.sparse,
        payload=to_payload(embedded.stored),
    )


class Points(Protocol):
    """The points of one open collection."""

    @abstractmethod
    def upsert(self, points: Sequence[Point]) -> None:
        """Write points, replacing those with the same id."""
        ...

    @abstractmethod
    def index_metadata(self, keys: frozenset[str]) -> None:
        """Index the keys of metadata that have no payload index yet, if the store needs any."""
        ...

    @abstractmethod
    def delete(self, where: Filter) -> None:
        """Delete the points that match."""
        ...

    @abstractmethod
    def set_payload(self, where: Filter, payload: Payload) -> None:
        """Set payload keys of the points that match; a key set to None is removed."""
        ...

    @abstractmethod
    def search(self, search: IndexSearch, limit: int) -> list[Record]:
        """The `limit` best points, best first, ties in any order."""
        ...

    def search_batch(self, searches: Sequence[tuple[IndexSearch, int]]) -> list[list[Record]]:
        """The results of each search with its limit; in one request where the store can."""
        return [self.search(search, limit) for search, limit in searches]

    @abstractmethod
    def page(
        self, where: Filter, limit: int, after: str | None, keys: tuple[str, ...]
    ) -> tuple[list[Record], str | None]:
        """Up to `limit` matching points from `after` on, with the payload `keys` (all of them
        if none is named), and where the next page starts.
        """
        ...

    def page_batch(self, wheres: Sequence[Filter], limit: int) -> list[list[Record]]:
        """Up to `limit` points that match each filter, with the whole payload; in one request where
        the store can.
        """
        return [self.page(where, limit, None, ())[0] for where in wheres]

    @abstractmethod
    def full_page(
        self, where: Filter, limit: int, after: str | None
    ) -> tuple[list[Record], str | None]:
        """As `page`, with the whole payload and the vectors."""
        ...

    @abstractmethod
    def count(self, where: Filter) -> int:
        """How many points match, exactly."""
        ...

    @abstractmethod
    def facet(self, key: str, where: Filter) -> dict[str, int]:
        """Matching points by value of `key`, exactly."""
        ...
