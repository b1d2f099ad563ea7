"""One open shard of Qdrant Edge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import qdrant_edge as edge

from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.qdrant.edge_translation import (
    edge_filter,
    edge_point,
    edge_query,
    edge_record,
    payload_indexes,
    shard_config,
)
from citeloom.infrastructure.stores.qdrant.points import Point, Points, Record
from citeloom.infrastructure.stores.qdrant.queries import Search
from citeloom.infrastructure.stores.qdrant.schema import TextTokenizer
from citeloom.infrastructure.stores.records.filters import Filter
from citeloom.infrastructure.stores.records.payload import Payload

_ALL_VALUES = 1_000_000


class EdgePoints(Points):
    """The points of a shard directory, open until `close`.

    Every `optimize_every` points written, the shard is optimised: in one go at the end a large
    one would need many times the memory.
    """

    def __init__(
        self, path: Path, collection: Collection, shard: edge.EdgeShard, *, optimize_every: int
    ) -> None:
        self.collection = collection
        self._path = path
        self._shard = shard
        self._optimize_every = optimize_every
        self._written = 0

    @classmethod
    def make(
        cls, path: Path, collection: Collection, *, tokenizer: TextTokenizer, optimize_every: int
    ) -> EdgePoints:
        """A new, empty shard with its payload indexes, on disk when this returns."""
        with _engine(path):
            path.mkdir(parents=True)
            shard = edge.EdgeShard.create(str(path), shard_config(collection))
            for key, params in payload_indexes(tokenizer).items():
                shard.update(edge.UpdateOperation.create_field_index(key, params))
            shard.flush()
        return cls(path, collection, shard, optimize_every=optimize_every)

    @classmethod
    def open(cls, path: Path, collection: Collection, *, optimize_every: int) -> EdgePoints:
        """An existing shard; the caller holds its lock."""
        with _engine(path):
            shard = edge.EdgeShard.load(str(path))
        return cls(path, collection, shard, optimize_every=optimize_every)

    def upsert(self, points: Sequence[Point]) -> None:
        with _engine(self._path):
            written = [edge_point(point) for point in points]
            self._shard.update(edge.UpdateOperation.upsert_points(written))
        self._written += len(points)
        if self._written >= self._optimize_every:
            self.optimize()

    def delete(self, where: Filter) -> None:
        with _engine(self._path):
            self._shard.update(edge.UpdateOperation.delete_points_by_filter(edge_filter(where)))

    def set_payload(self, where: Filter, payload: Payload) -> None:
        with _engine(self._path):
            operation = edge.UpdateOperation.set_payload_by_filter(edge_filter(where), payload)
            self._shard.update(operation)

    def search(self, search: Search, limit: int) -> list[Record]:
        with _engine(self._path):
            found = self._shard.query(edge_query(search, limit))
            return [edge_record(point) for point in found]

    def page(
        self, where: Filter, limit: int, after: str | None, keys: tuple[str, ...]
    ) -> tuple[list[Record], str | None]:
        request = edge.ScrollRequest(
            offset=after,
            limit=limit,
            filter=edge_filter(where),
            with_payload=list(keys) if keys else True,
        )
        with _engine(self._path):
            found, following = self._shard.scroll(request)
            records = [Record(id=str(point.id), payload=point.payload or {}) for point in found]
        return records, None if following is None else str(following)

    def full_page(
        self, where: Filter, limit: int, after: str | None
    ) -> tuple[list[Record], str | None]:
        request = edge.ScrollRequest(
            offset=after,
            limit=limit,
            filter=edge_filter(where),
            with_payload=True,
            with_vector=True,
        )
        with _engine(self._path):
            found, following = self._shard.scroll(request)
            records = [edge_record(point) for point in found]
        return records, None if following is None else str(following)

    def count(self, where: Filter) -> int:
        with _engine(self._path):
            return self._shard.count(edge.CountRequest(exact=True, filter=edge_filter(where)))

    def facet(self, key: str, where: Filter) -> dict[str, int]:
        request = edge.FacetRequest(
            key=key, limit=_ALL_VALUES, exact=True, filter=edge_filter(where)
        )
        with _engine(self._path):
            return {str(hit.value): hit.count for hit in self._shard.facet(request)}

    def sample_keys(self, size: int) -> tuple[str, ...]:
        """The payload keys of the first `size` points, sorted."""
        with _engine(self._path):
            found, _ = self._shard.scroll(edge.ScrollRequest(limit=size, with_payload=True))
            return tuple(sorted({key for point in found for key in point.payload or {}}))

    def info(self) -> edge.ShardInfo:
        """What the engine says of the shard."""
        with _engine(self._path):
            return self._shard.info()

    def flush(self) -> None:
        """Return once everything written survives a power cut."""
        with _engine(self._path):
            self._shard.flush()

    def optimize(self) -> None:
        """Merge segments and build indexes; the interpreter waits for it."""
        with _engine(self._path):
            self._shard.optimize()
        self._written = 0

    def close(self) -> None:
        """Let go of the shard, with everything written on disk."""
        with _engine(self._path):
            self._shard.flush()
            self._shard.close()

    def disk_bytes(self) -> int:
        """What the shard's files take up."""
        files = [path.stat() for path in self._path.rglob("*") if path.is_file()]
        return sum(getattr(file, "st_blocks", -(-file.st_size // 512)) * 512 for file in files)


@contextmanager
def _engine(path: Path) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if type(error) is not Exception:  # the engine knows no class of its own
            raise
        raise IndexUnavailable(
            f"The index in {path} cannot be used: {error}",
            "If this stays so, build it anew with `citeloom ingest --rebuild`.",
        ) from error
