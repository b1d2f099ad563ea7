"""A disk cache of dense vectors."""

from __future__ import annotations

import hashlib
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from citeloom.application.ports.embedders import DenseEmbedder
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.retrieval.passage import DenseVector

_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"


class VectorCache:
    """Vectors by key, with the precision of the index, 32 bits a number. Stored vectors survive the
    process.

    Raises `IndexUnavailable` when the file cannot be used. Any number of threads and processes may
    use it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, keys: Iterable[bytes]) -> dict[bytes, DenseVector]:
        """The cached vectors of these keys."""
        with self._open() as database:
            select = "SELECT vector FROM vectors WHERE key = ?"
            rows = {key: database.execute(select, (key,)).fetchone() for key in keys}
        return {key: array("f", row[0]).tolist() for key, row in rows.items() if row}

    def put(self, vectors: Mapping[bytes, Sequence[float]]) -> None:
        """Cache these vectors."""
        rows = [(key, array("f", vector).tobytes()) for key, vector in vectors.items()]
        with self._open() as database:
            database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
            database.commit()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=60)) as database:
                database.execute(_TABLE)
                yield database
        except (OSError, sqlite3.Error) as error:
            raise IndexUnavailable(
                f"The vector cache {self._path} cannot be used: {error}",
                "Delete the file; it will be created again.",
            ) from error


class CachedDense(DenseEmbedder):
    """Caches another embedder's vectors in a file that may be deleted at any time.

    Vectors are stored with the precision of the index, 32 bits a number.
    """

    def __init__(self, inner: DenseEmbedder, path: Path) -> None:
        self._inner = inner
        self.model_id = inner.model_id
        self._cache = VectorCache(path)

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        return self._cached("passage", texts, self._inner.embed_passages)

    def embed_query(self, text: str) -> DenseVector:
        (vector,) = self._cached("query", [text], lambda texts: [self._inner.embed_query(texts[0])])
        return vector

    def _cached(
        self,
        role: str,
        texts: Sequence[str],
        embed: Callable[[Sequence[str]], list[DenseVector]],
    ) -> list[DenseVector]:
        parts = [(self.model_id, role, text) for text in texts]
        keys = [hashlib.sha256("\0".join(part).encode()).digest() for part in parts]
        cached = self._cache.get(keys)
        missing = {key: text for key, text in zip(keys, texts) if key not in cached}
        if missing:
            made = zip(missing, embed(list(missing.values())))
            new = {key: array("f", vector) for key, vector in made}
            self._cache.put(new)
            cached |= {key: vector.tolist() for key, vector in new.items()}
        return [cached[key] for key in keys]
