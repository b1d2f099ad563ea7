"""One open shard of Qdrant Edge."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

import qdrant_edge as edge

from citeloom.application.disk_space import is_out_of_room, no_room_for
from citeloom.domain.errors import IndexUnavailable
from citeloom.infrastructure.stores.qdrant.edge.open_shards import FairLock, OpenShards
from citeloom.infrastructure.stores.qdrant.edge.optimizer import check_shard, damaged
from citeloom.infrastructure.stores.qdrant.edge.translation import (
    edge_filter,
    edge_point,
    edge_query,
    edge_record,
    metadata_index,
    payload_indexes,
    shard_config,
)
from citeloom.infrastructure.stores.records.points_index import Point, Points, Record
from citeloom.infrastructure.stores.records.queries import fused

if TYPE_CHECKING:
    from citeloom.domain.project import Collection
    from citeloom.infrastructure.stores.records.payload import Payload
    from citeloom.infrastructure.stores.records.queries import Filter, IndexSearch

_ALL_VALUES = 1_000_000
_NO_ROOM = "No space left on device"  # as the engine says it
_OF_THE_SYSTEM = re.compile(r"\(os error (?!2\))")  # as of a file that may not be read
_PANIC = "PanicException"  # of a damaged file; it is no `Exception`, and cannot be imported
_LOG = logging.getLogger(__name__)
_ALWAYS_INDEXED = "doc_id"
_BATCH = 64
"""Points written at once; the interpreter, and so every reader, is blocked for milliseconds."""


class EdgePoints(Points):
    """The points of a shard directory, open until `close`, or `release` and until the next call.

    A fair lock serves one thread's call at a time. While a copy of the shard is being optimised,
    writes are recorded, so that they can be replayed on the copy before it is swapped in.
    `open_shards` bounds how many shards are open.
    """

    def __init__(
        self, path: Path, collection: Collection, shard: edge.EdgeShard, open_shards: OpenShards
    ) -> None:
        self.collection = collection
        self._path = path
        self._shard: edge.EdgeShard | None = shard
        self._lock = FairLock()
        self._write_lock = RLock()
        self._recorded: list[edge.UpdateOperation] | None = None
        self._written = self._copied = 0  # points, since it was made or optimised
        self._is_unflushed = False
        self._is_closed = False
        self._open_shards = open_shards
        self.last_used = open_shards.now()
        open_shards.opened(self)

    @classmethod
    def make(cls, path: Path, collection: Collection, open_shards: OpenShards) -> EdgePoints:
        """A new, empty shard with its payload indexes, on disk when this returns."""
        with _engine(path):
            path.mkdir(parents=True)
            shard = edge.EdgeShard.create(str(path), shard_config(collection, graph=False))
            for key, params in payload_indexes().items():
                shard.update(edge.UpdateOperation.create_field_index(key, params))
            shard.flush()
        return cls(path, collection, shard, open_shards)

    @classmethod
    def open(cls, path: Path, collection: Collection, open_shards: OpenShards) -> EdgePoints:
        """An existing shard; the caller holds its lock. Raises `IndexUnavailable` if it is not
        there, or not whole.

        A shard that another process left, or anything has changed since it was closed, is read in
        a process of its own first.
        """
        return cls(path, collection, _opened(path, collection), open_shards)

    @classmethod
    def load(cls, path: Path, collection: Collection) -> EdgePoints:
        """An existing shard as `open` gives it, read by nobody before."""
        return cls(path, collection, _loaded(path), OpenShards(most=0, idle_seconds=0))

    def upsert(self, points: Sequence[Point]) -> None:
        for start in range(0, len(points), _BATCH):
            batch = [edge_point(point) for point in points[start : start + _BATCH]]
            with self._write_lock:
                self._write(edge.UpdateOperation.upsert_points(batch))
                self._written += len(batch)

    def index_metadata(self, keys: frozenset[str]) -> None:
        for key in sorted(keys - self.info().payload_schema.keys()):
            self._write(edge.UpdateOperation.create_field_index(key, metadata_index(key)))

    def delete(self, where: Filter) -> None:
        self._write(edge.UpdateOperation.delete_points_by_filter(edge_filter(where)))

    def set_payload(self, where: Filter, payload: Payload) -> None:
        self._write(edge.UpdateOperation.set_payload_by_filter(edge_filter(where), payload))

    def search(self, search: IndexSearch, limit: int) -> list[Record]:
        if search.fusion is not None:
            return self._fused(search, limit)
        request = edge_query(search, limit)
        with self._engine() as shard:
            points = shard.query(request)
        return [edge_record(point) for point in points]

    def _fused(self, search: IndexSearch, limit: int) -> list[Record]:
        scores = {str(hit.id): score for hit, score in fused(search, limit, self.search)}
        with self._engine() as shard:
            points = shard.retrieve(
                list(scores),
                with_payload=list(search.keys) or True,
                with_vector=list(search.vectors) or False,
            )
        records = [edge_record(point) for point in points]
        for record in records:
            record.score = scores[str(record.id)]
        return records

    def page(
        self, where: Filter, limit: int, after: str | None, keys: tuple[str, ...]
    ) -> tuple[list[Record], str | None]:
        return self._scroll(where, limit, after, list(keys) or True)

    def full_page(
        self, where: Filter, limit: int, after: str | None
    ) -> tuple[list[Record], str | None]:
        return self._scroll(where, limit, after, with_vector=True)

    def _scroll(
        self,
        where: Filter,
        limit: int,
        after: str | None,
        with_payload: bool | list[str] = True,
        *,
        with_vector: bool = False,
    ) -> tuple[list[Record], str | None]:
        request = edge.ScrollRequest(
            offset=after,
            limit=limit,
            filter=edge_filter(where),
            with_payload=with_payload,
            with_vector=with_vector,
        )
        with self._engine() as shard:
            points, following = shard.scroll(request)
        records = [edge_record(point) for point in points]
        return records, None if following is None else str(following)

    def count(self, where: Filter) -> int:
        request = edge.CountRequest(exact=True, filter=edge_filter(where))
        with self._engine() as shard:
            return shard.count(request)

    def facet(self, key: str, where: Filter) -> dict[str, int]:
        if key not in self.info().payload_schema:
            return self.count_values(key, where)
        request = edge.FacetRequest(
            key=key, limit=_ALL_VALUES, exact=True, filter=edge_filter(where)
        )
        with self._engine() as shard:
            return {str(hit.value): hit.count for hit in shard.facet(request)}

    def sample_keys(self, size: int) -> tuple[str, ...]:
        """The payload keys of the first `size` points, sorted."""
        with self._engine() as shard:
            points, _ = shard.scroll(edge.ScrollRequest(limit=size, with_payload=True))
        return tuple(sorted({key for point in points for key in point.payload or {}}))

    def info(self) -> edge.ShardInfo:
        """The engine's information about the shard."""
        with self._engine() as shard:
            return shard.info()

    def unoptimized(self) -> int:
        """Roughly how many points were written since the shard was last optimised.

        Of what earlier processes wrote, only as many are known as the engine has no index for; it
        counts replaced and deleted points among those that have one.
        """
        info = self.info()
        vectors = info.points_count * (2 if self.collection.hybrid else 1)
        return max(self._written, vectors - info.indexed_vectors_count)

    def flush(self) -> None:
        """Return once every write is durable."""
        with self._engine() as shard:
            shard.flush()
            self._is_unflushed = False

    def close(self) -> None:
        """Close the shard for good; its writes are durable then."""
        with self._lock:
            self._is_closed = True
            self._close()

    @property
    def is_open(self) -> bool:
        """Whether the engine has the shard open."""
        return self._shard is not None

    def release(self, *, unflushed: bool) -> bool:
        """Close the shard until the next call, unless a call is running or a copy of it is being
        optimised, or there are writes without a flush and `unflushed` is not set; whether it was
        closed. Never waits.
        """
        if not self._write_lock.acquire(blocking=False):
            return False
        try:
            in_hand = self._recorded is not None or (self._is_unflushed and not unflushed)
            if in_hand or not self._lock.acquire_at_once():
                return False
            try:
                return self._close()
            finally:
                self._lock.release()
        finally:
            self._write_lock.release()

    def disk_bytes(self) -> int:
        """The disk space of the shard's files."""
        size = 0
        for folder, _, names in os.walk(self._path):  # it skips a folder that is gone
            for name in names:
                with suppress(FileNotFoundError):  # an optimised copy may be swapped in meanwhile
                    size += _allocated(Path(folder, name).stat())
        return size

    # -- a copy that replaces the shard

    def copy_to(self, copy: Path) -> None:
        """Copy the shard as it is, and record every write from then on.

        Writers wait for the copy; readers do not.
        """
        with self._write_lock:
            self.flush()
            with _engine(self._path):
                shutil.copytree(self._path, copy)
            self._recorded = []
            self._copied = self._written

    def switch_to(self, copy: Path, swap: Callable[[], bool]) -> bool:
        """Replay the recorded writes on the copy and use it from then on, if `swap` returns True.

        Returns what `swap` did. Writers wait for the last recorded writes only.
        """
        with _engine(copy):
            shard = edge.EdgeShard.load(str(copy))
            while recorded := self._take_recorded():
                _apply(shard, recorded)
            with self._write_lock:
                _apply(shard, self._take_recorded())
                shard.flush()
                swapped = swap()
                if swapped:
                    self._recorded = None
                    self._written -= self._copied
                    with self._lock:
                        self._path, self._shard = copy, shard
        return swapped

    def stop_recording(self) -> None:
        """Discard the recorded writes of an abandoned copy."""
        with self._write_lock:
            self._recorded = None

    def _take_recorded(self) -> list[edge.UpdateOperation]:
        with self._write_lock:
            recorded, self._recorded = self._recorded or [], []
            return recorded

    def _write(self, operation: edge.UpdateOperation) -> None:
        with self._write_lock:
            with self._engine() as shard:
                self._is_unflushed = True
                shard.update(operation)
            if self._recorded is not None:
                self._recorded.append(operation)

    @contextmanager
    def _engine(self) -> Iterator[edge.EdgeShard]:
        with self._lock:
            if self._shard is None:
                if self._is_closed:  # and its lock is another process's by now
                    raise _failed(self._path, RuntimeError("it is closed"))
                self._shard = _opened(self._path, self.collection)
                self._open_shards.opened(self)
            with _engine(self._path):
                yield self._shard
            self.last_used = self._open_shards.now()

    def _close(self) -> bool:
        """Close the shard if it is open; whether it was. The caller has the lock."""
        if (shard := self._shard) is None:
            return False
        with _engine(self._path):
            if self._is_unflushed:  # else a question would wait for the disk
                shard.flush()
                self._is_unflushed = False
            shard.close()
        self._shard = None
        with suppress(OSError):  # without the note whoever opens the shard next reads it first
            _note(self._path).write_text(_state(self._path), encoding="utf-8")
        return True


def _opened(path: Path, collection: Collection) -> edge.EdgeShard:
    """The shard in a directory; one that changed since it was closed, or whose files the disk has
    no room to fill, is first read by another process.
    """
    if path.is_dir():
        try:
            is_as_closed = _note(path).read_text(encoding="utf-8") == _state(path)
            may_kill = not is_as_closed or _holes(path) > shutil.disk_usage(path).free
        except (OSError, ValueError):
            may_kill = True
        if may_kill:
            check_shard(path, collection)
    return _loaded(path)


def _loaded(path: Path) -> edge.EdgeShard:
    """The shard in a directory. Raises `IndexUnavailable` if it is not there, or not whole."""
    try:
        with _engine(path):
            shard = edge.EdgeShard.load(str(path))
            if _ALWAYS_INDEXED not in shard.info().payload_schema:
                raise OSError("its segments are gone")  # the engine makes new ones, which are empty
            return shard
    except IndexUnavailable as failed:
        error = failed.__cause__
        if path.is_dir() and _OF_THE_SYSTEM.search(str(error)):
            raise
        # What the engine says of a damaged shard goes to the log alone.
        _LOG.debug("the engine cannot open %s: %s", path, error)
        raise damaged(path) from error


def _note(shard: Path) -> Path:
    """The file that says how a shard was closed."""
    return shard.parent / f"closed-{shard.name}"


def _state(shard: Path) -> str:
    """A digest of the size and time of change of each file."""
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(shard):
        folders.sort()
        for name in sorted(names):
            known = Path(folder, name).stat()
            digest.update(f"{name} {known.st_size} {known.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _holes(shard: Path) -> int:
    """Bytes of its files that take no room yet, which some file systems fill when they are read."""
    files = (Path(folder, name).stat() for folder, _, names in os.walk(shard) for name in names)
    return sum(max(0, file.st_size - _allocated(file)) for file in files)


def _allocated(file: os.stat_result) -> int:
    return int(getattr(file, "st_blocks", -(-file.st_size // 512)) * 512)


def _apply(shard: edge.EdgeShard, operations: Sequence[edge.UpdateOperation]) -> None:
    for operation in operations:
        shard.update(operation)


@contextmanager
def _engine(path: Path) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        if type(error).__name__ == _PANIC:
            _LOG.debug("the engine cannot read %s: %s", path, error)
            raise damaged(path) from error
        if type(error) is not Exception and not isinstance(error, OSError):
            raise  # else the engine raises plain exceptions only
        if is_out_of_room(error) or _NO_ROOM in str(error):
            raise no_room_for(f"the index in {path}") from error
        raise _failed(path, error) from error


def _failed(path: Path, error: Exception) -> IndexUnavailable:
    return IndexUnavailable(
        f"The index in {path} cannot be used: {error}",
        "If this persists, rebuild it: `citeloom ingest --rebuild`.",
    )
