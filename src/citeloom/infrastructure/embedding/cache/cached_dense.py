"""A disk cache of dense vectors."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path

from citeloom.application.ports.embedders import DenseEmbedder
from citeloom.domain.passage import DenseVector
from citeloom.infrastructure.embedding.cache.vector_cache import VectorCache


class CachedDense(DenseEmbedder):
    """Caches another embedder's vectors in a file that may be deleted at any time.

    Vectors are stored with the precision of the index, 32 bits a number.
    """

    def __init__(self, inner: DenseEmbedder, path: Path) -> None:
        self._inner = inner
        self._cache = VectorCache(path)

    @property
    def model_id(self) -> str:
        return self._inner.model_id

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
        keys = [self._key(role, text) for text in texts]
        kept = self._cache.get(keys)
        missing = {key: text for key, text in zip(keys, texts) if key not in kept}
        if missing:
            made = zip(missing, embed(list(missing.values())))
            new = {key: array("f", vector) for key, vector in made}
            self._cache.put(new)
            kept |= {key: vector.tolist() for key, vector in new.items()}
        return [kept[key] for key in keys]

    def _key(self, role: str, text: str) -> bytes:
        return hashlib.sha256("\0".join((self.model_id, role, text)).encode()).digest()
