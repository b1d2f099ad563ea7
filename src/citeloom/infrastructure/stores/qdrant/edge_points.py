"""One open shard of Qdrant Edge."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

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
from citeloom.infrastructure.stores.qdrant.turn import Turn
from citeloom.infrastructure.stores.records.filters import Filter
from citeloom.infrastructure.stores.records.payload import Payload

_ALL_VALUES = 1_000_000
_BATCH = 64
"""Points written at once; the interpreter, and so every reader, waits for a few milliseconds."""


class EdgePoints(Points):
    """The points of a shard directory, open until `close`.

    Threads take turns call by call. While a copy of the shard is worked on, what is written is
    recorded, so that the copy can be brought up to date and take the shard's place.
    """

    def __init__(self, path: Path, collection: Collection, shard: edge.EdgeShard) -> None:
        self.collection = collection
        self._path = path
        self._shard = shard
        self._turn = Turn()
        self._writing = RLock()
        self._recorded: list[edge.UpdateOperation] | None = None

    @classmethod
    def make(cls, path: Path, collection: Collection) -> EdgePoints:
        """A new, empty shard with its payload indexes, on disk when this returns."""
        with _engine(path):
            path.mkdir(parents=True)
            shard = edge.EdgeShard.create(str(path), shard_config(collection, graph=False))
            for key, params in payload_indexes().items():
                shard.update(edge.UpdateOperation.create_field_index(key, params))
            shard.flush()
        return cls(path, collection, shard)

    @classmethod
    def open(cls, path: Path, collection: Collection) -> EdgePoints:
        """An existing shard; the caller holds its lock."""
        with _engine(path):
            shard = edge.EdgeShard.load(str(path))
        return cls(path, collection, shard)

    def upsert(self, points: Sequence[Point]) -> None:
        for start in range(0, len(points), _BATCH):
            batch = [edge_point(point) for point in points[start : start + _BATCH]]
            self._write(edge.UpdateOperation.upsert_points(batch))

    def delete(self, where: Filter) -> None:
        self._write(edge.UpdateOperation.delete_points_by_filter(edge_filter(where)))

    def set_payload(self, where: Filter, payload: Payload) -> None:
        self._write(edge.UpdateOperation.set_payload_by_filter(edge_filter(where), payload))

    def search(self, search: Search, limit: int) -> list[Record]:
        request = edge_query(search, limit)
        with self._engine() as shard:
            found = shard.query(request)
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
        with self._engine() as shard:
            found, following = shard.scroll(request)
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
        with self._engine() as shard:
            found, following = shard.scroll(request)
        return [edge_record(point) for point in found], None if following is None else str(
            following
        )

    def count(self, where: Filter) -> int:
        request = edge.CountRequest(exact=True, filter=edge_filter(where))
        with self._engine() as shard:
            return shard.count(request)

    def facet(self, key: str, where: Filter) -> dict[str, int]:
        request = edge.FacetRequest(
            key=key, limit=_ALL_VALUES, exact=True, filter=edge_filter(where)
        )
        with self._engine() as shard:
            return {str(hit.value): hit.count for hit in shard.facet(request)}

    def sample_keys(self, size: int) -> tuple[str, ...]:
        """The payload keys of the first `size` points, sorted."""
        with self._engine() as shard:
            found, _ = shard.scroll(edge.ScrollRequest(limit=size, with_payload=True))
        return tuple(sorted({key for point in found for key in point.payload or {}}))

    def info(self) -> edge.ShardInfo:
        """What the engine says of the shard."""
        with self._engine() as shard:
            return shard.info()

    def unoptimized(self) -> int:
        """How many points, about, were written since the shard was last optimised."""
        info = self.info()
        vectors = info.points_count * (2 if self.collection.hybrid else 1)
        return max(0, vectors - info.indexed_vectors_count)

    def flush(self) -> None:
        """Return once everything written survives a power cut."""
        with self._engine() as shard:
            shard.flush()

    def close(self) -> None:
        """Let go of the shard, with everything written on disk."""
        with self._engine() as shard:
            shard.flush()
            shard.close()

    def disk_bytes(self) -> int:
        """What the shard's files take up."""
        size = 0
        for path in self._path.rglob("*"):
            with suppress(FileNotFoundError):  # a copy may be taking the place just now
                file = path.stat()
                size += getattr(file, "st_blocks", -(-file.st_size // 512)) * 512
        return size

    # -- a copy that takes the shard's place

    def copy_to(self, copy: Path) -> None:
        """Copy the shard as it is now, and record what is written from now on.

        Writers wait for the copy; readers do not.
        """
        with self._writing:
            self.flush()
            with _engine(self._path):
                shutil.copytree(self._path, copy)
            self._recorded = []

    def move_to(self, copy: Path, put_in_place: Callable[[], bool]) -> bool:
        """Bring the copy up to date and go on there, if `put_in_place` agrees; the result.

        Writers wait for the last recorded writes only.
        """
        with _engine(copy):
            shard = edge.EdgeShard.load(str(copy))
            while recorded := self._take_recorded():
                _apply(shard, recorded)
            with self._writing:
                _apply(shard, self._take_recorded())
                shard.flush()
                moved = put_in_place()
                if moved:
                    self._recorded = None
                    with self._turn:
                        self._path, self._shard = copy, shard
        return moved

    def stop_recording(self) -> None:
        """Forget a copy that comes to nothing."""
        with self._writing:
            self._recorded = None

    def _take_recorded(self) -> list[edge.UpdateOperation]:
        with self._writing:
            recorded, self._recorded = self._recorded or [], []
            return recorded

    def _write(self, operation: edge.UpdateOperation) -> None:
        with self._writing:
            with self._engine() as shard:
                shard.update(operation)
            if self._recorded is not None:
                self._recorded.append(operation)

    @contextmanager
    def _engine(self) -> Iterator[edge.EdgeShard]:
        with self._turn, _engine(self._path):
            yield self._shard


def _apply(shard: edge.EdgeShard, operations: Sequence[edge.UpdateOperation]) -> None:
    for operation in operations:
        shard.update(operation)


@contextmanager
def _engine(path: Path) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if type(error) is not Exception and not isinstance(error, OSError):
            raise  # the engine knows no class of its own
        raise IndexUnavailable(
            f"The index in {path} cannot be used: {error}",
            "If this stays so, build it anew with `citeloom ingest --rebuild`.",
        ) from error
