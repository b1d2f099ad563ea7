"""Chunks as points: what a store does with these, and a `VectorIndex` of what it does."""

from __future__ import annotations

import uuid
from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from citeloom.application.ports.vector_index import (
    Capability,
    CollectionState,
    MetadataUpdate,
    StoreAddress,
    StoreState,
    VectorIndex,
)
from citeloom.domain.documents.printed_pages import span_labels
from citeloom.domain.errors import HybridNotSupported, IndexUnavailable, InvalidProject
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import (
    BatchHits,
    ChunkText,
    EmbeddedChunk,
    ExaminedChunk,
    Hit,
    IndexQuery,
    Match,
    Selection,
    SparseVector,
    StoredChunk,
)
from citeloom.infrastructure.stores.records.metadata_payload import filterable_keys
from citeloom.infrastructure.stores.records.payload import (
    TEXT_KEYS,
    Payload,
    chunk_id_of,
    from_payload,
    text_of_payload,
    to_payload,
    update_payload,
)
from citeloom.infrastructure.stores.records.queries import (
    ID_ALONE,
    Filter,
    IndexSearch,
    best,
    in_order,
    search_for,
    selecting,
    with_margin,
)
from citeloom.infrastructure.stores.records.schema import (
    check_chunks,
    check_dense,
    check_facet_key,
    payload_faults,
    successor_of,
)

if TYPE_CHECKING:
    from citeloom.domain.project import Collection

_NAMESPACE = uuid.UUID("5b1f0f52-6d0e-5d8a-9c3e-0a7c1d5e4b21")
_UUID_LENGTH = 36


def point_id(chunk_id: str) -> str:
    """The UUID of a chunk's point, the same on every machine: its id where that is a UUID."""
    if len(chunk_id) == _UUID_LENGTH:
        with suppress(ValueError):
            if str(uuid.UUID(chunk_id)) == chunk_id:
                return chunk_id
    return str(uuid.uuid5(_NAMESPACE, chunk_id))


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

    @abstractmethod
    def index_metadata(self, keys: frozenset[str]) -> None:
        """Index the keys of metadata that have no payload index yet, if the store needs any."""

    @abstractmethod
    def delete(self, where: Filter) -> None:
        """Delete the points that match."""

    @abstractmethod
    def set_payload(self, where: Filter, payload: Payload) -> None:
        """Set payload keys of the points that match; a key set to None is removed."""

    @abstractmethod
    def search(self, search: IndexSearch, limit: int) -> list[Record]:
        """The `limit` best points, best first, ties in any order."""

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

    @abstractmethod
    def count(self, where: Filter) -> int:
        """How many points match, exactly."""

    @abstractmethod
    def facet(self, key: str, where: Filter) -> dict[str, int]:
        """Matching points by value of `key`, exactly."""

    def count_values(self, key: str, where: Filter) -> dict[str, int]:
        """Matching points by value of `key`, which has no payload index to count by."""
        counts: Counter[str] = Counter()
        for record in read_pages(lambda after: self.page(where, _ID_PAGE, after, (key,))):
            value = record.payload.get(key)
            values = value if isinstance(value, list) else [value] if value else []
            counts.update(map(str, values))
        return dict(counts)


Item = TypeVar("Item")


def read_pages(page: Callable[[str | None], tuple[list[Item], str | None]]) -> Iterator[Item]:
    """Every item of all pages; `page` returns the page from an offset on, and the next offset."""
    after: str | None = None
    while True:
        items, after = page(after)
        yield from items
        if after is None:
            return


_BATCH = 256
_PAGE = 256
_ID_PAGE = 4096
_MOST_OF_EACH = 1000


class PointsIndex(VectorIndex):
    """Chunks as points; subclasses say how collections are kept and how points are accessed."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset(Capability) - {Capability.RESTORE}

    @abstractmethod
    def points(self, name: str) -> Points:
        """The points of a collection that exists."""

    def id_of(self, chunk_id: str) -> str:
        """The id under which a chunk is stored."""
        return point_id(chunk_id)

    def bound(self, name: str) -> Collection:
        """The collection of that name, which must exist."""
        collection = self.binding(name)
        if collection is None:
            raise no_collection(name)
        return collection

    def check(self, names: Sequence[str]) -> StoreState:
        """The state of an embedded store, which needs no rights beyond those of its files."""
        return StoreState(
            kind="embedded",
            remote=False,
            addresses=(StoreAddress(address="in this process"),),
            may_read=True,
            collections=tuple(
                CollectionState(name=collection, exists=self.binding(collection) is not None)
                for collection in names
            ),
        )

    def staged(self, name: str) -> Collection | None:
        return self.binding(successor_of(name))

    def upsert(self, name: str, chunks: Sequence[EmbeddedChunk]) -> None:
        check_chunks(self.bound(name), chunks)
        points = self.points(name)
        for start in range(0, len(chunks), _BATCH):
            batch = [point_of(chunk, self.id_of) for chunk in chunks[start : start + _BATCH]]
            keys = frozenset(key for point in batch for key in filterable_keys(point.payload))
            if keys:
                points.index_metadata(keys)
            points.upsert(batch)

    def chunk_ids(self, name: str, selection: Selection) -> frozenset[str]:
        records = _pages(self.points(name), selecting(selection), _ID_PAGE, ("chunk_id",))
        return frozenset(str(record.payload.get("chunk_id", record.id)) for record in records)

    def delete(self, name: str, selection: Selection, *, keep: frozenset[str] = frozenset()) -> int:
        points = self.points(name)
        where = selecting(selection).without(frozenset(map(self.id_of, keep)))
        count = points.count(where)
        if count:
            points.delete(where)
        return count

    def update_metadata(self, name: str, selection: Selection, update: MetadataUpdate) -> None:
        payload = update_payload(update)
        if payload:
            said = {key: value for key, value in payload.items() if value is not None}
            self.points(name).index_metadata(frozenset(filterable_keys(said)))
            self.points(name).set_payload(selecting(selection), payload)
        if update.page_labels is None:
            return
        changed: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for stored in self.scroll(name, selection):
            printed = span_labels(update.page_labels, stored.chunk.page_span)
            if printed != stored.chunk.page_labels:
                changed[printed].add(self.id_of(stored.chunk.id))
        for printed, ids in changed.items():
            where = selecting(selection).among(frozenset(ids))
            self.points(name).set_payload(where, {"page_labels": list(printed)})

    def search_batch(
        self, name: str, queries: Sequence[IndexQuery], matches: Sequence[IndexQuery] = ()
    ) -> BatchHits:
        bound = self.bound(name)
        for query in (*queries, *matches):
            _check_query(bound, query)
        points = self.points(name)
        hybrid = bound.hybrid
        searches = [
            *((search_for(query, hybrid=hybrid), with_margin(query.limit)) for query in queries),
            *((search_for(query, ID_ALONE, hybrid=hybrid), query.limit) for query in matches),
        ]
        batch = [(search, limit) for search, limit in searches if search is not None]
        answers = iter(points.search_batch(batch))
        results = [next(answers) if search is not None else [] for search, _ in searches]
        hits: list[list[Hit]] = []
        for query, (search, _), first in zip(queries, searches, results):
            ask = partial(points.search, search) if search else None
            hits.append([_hit(record) for record in best(query.limit, ask, first)] if ask else [])
        alone = [
            [
                Match(
                    chunk_id=record.chunk_id,
                    score=record.score,
                    dense=record.dense,
                    sparse=record.sparse,
                )
                for record in in_order(records)
            ]
            for records in results[len(queries) :]
        ]
        return BatchHits(hits=tuple(hits), matches=tuple(alone))

    def fetch(self, name: str, selection: Selection, chunk_ids: Sequence[str]) -> list[StoredChunk]:
        points, where = self.points(name), selecting(selection)
        chunks: dict[str, StoredChunk] = {}
        for start in range(0, len(chunk_ids), _PAGE):
            batch = frozenset(map(self.id_of, chunk_ids[start : start + _PAGE]))
            for record in _pages(points, where.among(batch), _PAGE):
                stored = from_payload(record.id, record.payload)
                chunks[stored.chunk.id] = stored
        return [chunks[chunk_id] for chunk_id in chunk_ids if chunk_id in chunks]

    def scroll(self, name: str, selection: Selection) -> Iterator[StoredChunk]:
        self.points(name)
        return read_pages(lambda after: self.scroll_page(name, selection, after))

    def scroll_batch(self, name: str, selections: Sequence[Selection]) -> list[list[StoredChunk]]:
        if not selections:
            return []
        pages = self.points(name).page_batch([*map(selecting, selections)], _MOST_OF_EACH)
        return [
            [from_payload(record.id, record.payload) for record in records] for records in pages
        ]

    def texts(self, name: str, selection: Selection) -> Iterator[ChunkText]:
        self.points(name)
        return read_pages(lambda after: self.text_page(name, selection, after))

    def search_texts(self, name: str, query: IndexQuery) -> list[ChunkText]:
        _check_query(self.bound(name), query)
        search = search_for(query, TEXT_KEYS)
        records = self.points(name).search(search, query.limit) if search else []
        return [text_of_payload(record.id, record.payload) for record in records]

    def examine(self, name: str, selection: Selection) -> Iterator[ExaminedChunk]:
        self.points(name)
        return read_pages(lambda after: self.examine_page(name, selection, after))

    def scroll_page(
        self, name: str, selection: Selection, after: str | None
    ) -> tuple[list[StoredChunk], str | None]:
        """One page of `scroll` from `after` on, and where the next page begins."""
        records, following = self.points(name).page(selecting(selection), _PAGE, after, ())
        return [from_payload(record.id, record.payload) for record in records], following

    def text_page(
        self, name: str, selection: Selection, after: str | None
    ) -> tuple[list[ChunkText], str | None]:
        """One page of `texts`, as for `scroll_page`."""
        records, following = self.points(name).page(selecting(selection), _PAGE, after, TEXT_KEYS)
        return [text_of_payload(record.id, record.payload) for record in records], following

    def examine_page(
        self, name: str, selection: Selection, after: str | None
    ) -> tuple[list[ExaminedChunk], str | None]:
        """One page of `examine`, as for `scroll_page`."""
        records, following = self.points(name).full_page(selecting(selection), _PAGE, after)
        return [examined(record) for record in records], following

    def count(self, name: str, selection: Selection) -> int:
        return self.points(name).count(selecting(selection))

    def facets(self, name: str, key: str, selection: Selection) -> dict[str, int]:
        check_facet_key(key)
        counts = self.points(name).facet(key, selecting(selection))
        return {value: count for value, count in counts.items() if value}


def no_collection(name: str) -> InvalidProject:
    """The error for a collection that does not exist."""
    return InvalidProject(
        f"There is no collection '{name}'",
        "Ingest something into the project first: `citeloom ingest`.",
    )


def _check_query(bound: Collection, query: IndexQuery) -> None:
    if query.mode is not Mode.DENSE and not bound.hybrid:
        raise HybridNotSupported(
            f"Collection '{bound.name}' has no sparse vectors, so it cannot answer a "
            f"{query.mode.value} query",
            "Ask with `--mode dense`, or set a sparse_model and run `citeloom ingest --rebuild`.",
        )
    if query.mode is not Mode.SPARSE and query.dense is not None:
        check_dense(bound, query.dense, "the query")


def _hit(record: Record) -> Hit:
    return Hit(
        stored=from_payload(record.id, record.payload),
        score=record.score,
        dense=record.dense,
        sparse=record.sparse,
    )


def examined(record: Record) -> ExaminedChunk:
    """The chunk a point stores, with its faults."""
    faults = payload_faults(record.payload)
    stored = None
    try:
        stored = from_payload(record.id, record.payload)
    except IndexUnavailable as error:
        faults = (*faults, error.message)
    return ExaminedChunk(
        id=str(record.payload.get("chunk_id") or record.id),
        text=str(record.payload.get("chunk_text") or ""),
        stored=stored,
        faults=faults,
        dense=record.dense,
        sparse=record.sparse,
    )


def _pages(
    points: Points, where: Filter, size: int, keys: tuple[str, ...] = ()
) -> Iterator[Record]:
    return read_pages(lambda after: points.page(where, size, after, keys))
