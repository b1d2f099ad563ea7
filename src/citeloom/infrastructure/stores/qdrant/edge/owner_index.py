"""An embedded index that any number of processes use at the same time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from citeloom.application.ports.embedders import DenseEmbedder, QuestionModels, SparseEmbedder
from citeloom.application.ports.runtime import DiskSpace
from citeloom.application.ports.vector_index import (
    Capability,
    CollectionState,
    IndexDescription,
    MetadataUpdate,
    StoreAddress,
    StoreState,
    VectorIndex,
)
from citeloom.domain.errors import DiskFull, IndexLocked, InvalidProject, ModelUnavailable
from citeloom.domain.project import Collection
from citeloom.domain.retrieval.passage import (
    BatchHits,
    ChunkText,
    DenseVector,
    EmbeddedChunk,
    ExaminedChunk,
    IndexQuery,
    Selection,
    SparseVector,
    StoredChunk,
)
from citeloom.infrastructure.stores.qdrant.edge.folder import CollectionFolder, read_owner
from citeloom.infrastructure.stores.qdrant.edge.owner_collection import (
    SharedCollection,
    SharingOptions,
)
from citeloom.infrastructure.stores.qdrant.edge.owner_server import (
    CollectionServer,
    SharedEmbedders,
)
from citeloom.infrastructure.stores.records.points_index import no_collection, read_pages
from citeloom.infrastructure.stores.records.schema import (
    check_chunks,
    check_facet_key,
    collection_of,
    successor_of,
)

if TYPE_CHECKING:
    from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex
    from citeloom.infrastructure.stores.qdrant.edge.open_shards import OpenShards


_BATCH = 256


class SharedIndex(VectorIndex):
    """Collections under `root`, each open in one process, which serves it to the others.

    The first process to use a collection is its owner until `close`; `purpose` is shown to the
    others, which may use its `models`. When an owner is killed another process takes over. What
    was flushed is never lost.
    """

    def __init__(
        self,
        root: Path,
        *,
        space: DiskSpace | None = None,
        open_embedded: Callable[[], QdrantEdgeIndex] | None = None,
        models: SharedEmbedders | None = None,
        lock_timeout: float = 10.0,
        answer_timeout: float = 30.0,
        purpose: str = "",
    ) -> None:
        self._root = root
        self._options = SharingOptions(
            open_embedded=open_embedded
            or partial(embedded_index, root, space=space, purpose=purpose),
            models=models or SharedEmbedders(),
            lock_timeout=lock_timeout,
            answer_timeout=answer_timeout,
            purpose=purpose,
        )
        self._collections: dict[str, SharedCollection] = {}
        self._guard = Lock()
        self._copy: QdrantEdgeIndex | None = None

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset(Capability) - {Capability.RESTORE}

    def question_embedders(
        self, name: str, models: QuestionModels
    ) -> tuple[DenseEmbedder, SparseEmbedder | None]:
        self._options.models.add(SharedEmbedders.of(models))
        dense = (
            models.dense()
            if models.dense_is_remote
            else SharedDense(models.dense_name, models.dense, self, name)
        )
        if models.sparse_name is None:
            return dense, None
        return dense, SharedSparse(models.sparse_name, models.sparse, self, name)

    def acquire(self, name: str) -> bool:
        """Become the owner of a collection, which need not exist yet, unless another process is;
        whether this process is the owner now.
        """
        return self._collection(name).acquire()

    def has_other_owner(self, name: str) -> bool:
        owner = read_owner(self._root / collection_of(name))
        return owner is not None and owner.pid != os.getpid()

    def serve(self, name: str, models: QuestionModels) -> CollectionServer:
        self._options.models.add(SharedEmbedders.of(models))
        if self.acquire(name) and (server := self._collection(name).server):
            return server
        raise IndexLocked(
            f"Collection '{name}' is already served by "
            f"{read_owner(self._root / name) or 'another process'}",
            "Commands find that process on their own; no second server is needed.",
        )

    def binding(self, name: str) -> Collection | None:
        folder = CollectionFolder(self._root / collection_of(name))
        bound = folder.current() if name == collection_of(name) else folder.successor()
        return bound.collection if bound else None

    def check(self, names: Sequence[str]) -> StoreState:
        states = []
        for name in names:
            owner = read_owner(self._root / collection_of(name))
            exists, status = self.binding(name) is not None, f"open in {owner}" if owner else ""
            states.append(CollectionState(name=name, exists=exists, status=status))
        folder = next(path for path in (self._root, *self._root.parents) if path.exists())
        return StoreState(
            kind="Qdrant Edge",
            remote=False,
            addresses=(StoreAddress(address=str(self._root), version=version("qdrant-edge-py")),),
            may_read=os.access(folder, os.R_OK),
            may_write=os.access(folder, os.W_OK),
            collections=tuple(states),
        )

    def staged(self, name: str) -> Collection | None:
        return self.binding(successor_of(name))

    def create(self, collection: Collection) -> None:
        self._collection(collection.name).read("create", (collection,))

    def stage(self, collection: Collection) -> str:
        return str(self._existing(collection.name).read("stage", (collection,)))

    def promote(self, name: str) -> None:
        successor, shared = self._bound(successor_of(name)), self._existing(name)
        shared.flush(successor_of(name))
        try:
            shared.read("promote", (name,))
        except InvalidProject:
            if self.binding(name) != successor:  # else an owner did it and died before it answered
                raise

    def drop(self, name: str) -> None:
        shared = self._existing(name)
        self._bound(name)
        try:
            shared.read("drop", (name,))
        except InvalidProject:
            if self.binding(name) is not None:
                raise

    def optimize(self, name: str) -> None:
        self._existing(name).read("optimize", (name,))

    def upsert(self, name: str, chunks: Sequence[EmbeddedChunk]) -> None:
        shared = self._existing(name)
        check_chunks(self._bound(name), chunks)
        for start in range(0, len(chunks), _BATCH):
            shared.write("upsert", (name, list(chunks[start : start + _BATCH])))

    def delete(self, name: str, selection: Selection, *, keep: frozenset[str] = frozenset()) -> int:
        return int(self._existing(name).write("delete", (name, selection, keep)))

    def update_metadata(self, name: str, selection: Selection, update: MetadataUpdate) -> None:
        self._existing(name).write("update_metadata", (name, selection, update))

    def flush(self, name: str) -> None:
        self._existing(name).flush(name)

    def search_batch(
        self, name: str, queries: Sequence[IndexQuery], matches: Sequence[IndexQuery] = ()
    ) -> BatchHits:
        hits: BatchHits = self._read("search_batch", name, list(queries), list(matches))
        return hits

    def fetch(self, name: str, selection: Selection, chunk_ids: Sequence[str]) -> list[StoredChunk]:
        chunks: list[StoredChunk] = []
        for start in range(0, max(len(chunk_ids), 1), _BATCH):
            batch = list(chunk_ids[start : start + _BATCH])
            chunks += self._read("fetch", name, selection, batch)
        return chunks

    def scroll(self, name: str, selection: Selection) -> Iterator[StoredChunk]:
        self._existing(name)
        return read_pages(lambda after: self._read("scroll_page", name, selection, after))

    def scroll_batch(self, name: str, selections: Sequence[Selection]) -> list[list[StoredChunk]]:
        chunks: list[list[StoredChunk]] = self._read("scroll_batch", name, list(selections))
        return chunks

    def texts(self, name: str, selection: Selection) -> Iterator[ChunkText]:
        self._existing(name)
        return read_pages(lambda after: self._read("text_page", name, selection, after))

    def search_texts(self, name: str, query: IndexQuery) -> list[ChunkText]:
        texts: list[ChunkText] = self._read("search_texts", name, query)
        return texts

    def examine(self, name: str, selection: Selection) -> Iterator[ExaminedChunk]:
        self._existing(name)
        return read_pages(lambda after: self._read("examine_page", name, selection, after))

    def chunk_ids(self, name: str, selection: Selection) -> frozenset[str]:
        return frozenset(self._read("chunk_ids", name, selection))

    def count(self, name: str, selection: Selection) -> int:
        return int(self._read("count", name, selection))

    def facets(self, name: str, key: str, selection: Selection) -> dict[str, int]:
        check_facet_key(key)
        return dict(self._read("facets", name, key, selection))

    def describe(self, name: str) -> IndexDescription:
        description: IndexDescription = self._read("describe", name)
        return description

    def ask_owner(self, name: str, model_id: str, call: str, argument: object) -> Any:
        """The result of a call of `SharedEmbedders` by the owner; None where that is this process,
        or the owner does not have the model.
        """
        with suppress(DiskFull):
            return self._existing(name).ask_owner(call, (model_id, argument))
        return None

    def close(self) -> None:
        with self._guard:
            while self._collections:
                self._collections.popitem()[1].close()
            if self._copy is not None:
                self._copy.close()
                self._copy = None

    def _read(self, call: str, name: str, *arguments: object) -> Any:
        """The result of a reading call, from a copy elsewhere where the disk is full."""
        try:
            return self._existing(name).read(call, (name, *arguments))
        except DiskFull:
            copy = self._copy_elsewhere()
            if copy is None:
                raise
        return getattr(copy, call)(name, *arguments)

    def _copy_elsewhere(self) -> QdrantEdgeIndex | None:
        """The index read from a copy, since the engine writes what it opens; None without room."""
        with self._guard:
            if self._copy is None:
                from citeloom.infrastructure.stores.qdrant.edge.read_only_copy import (  # noqa: PLC0415
                    open_copy,
                    place_for_copy,
                )

                place = place_for_copy(self._root)
                self._copy = open_copy(self._root, place=place) if place else None
            return self._copy

    def _collection(self, name: str) -> SharedCollection:
        collection = collection_of(name)
        with self._guard:
            if collection not in self._collections:
                folder = self._root / collection
                self._collections[collection] = SharedCollection(collection, folder, self._options)
            return self._collections[collection]

    def _existing(self, name: str) -> SharedCollection:
        """A collection that exists."""
        self._bound(name)
        return self._collection(name)

    def _bound(self, name: str) -> Collection:
        collection = self.binding(name)
        if collection is None:
            raise no_collection(name)
        return collection


def embedded_index(
    root: Path,
    *,
    space: DiskSpace | None = None,
    purpose: str = "",
    open_shards: OpenShards | None = None,
) -> QdrantEdgeIndex:
    """An index of this process alone, which does not wait for locks."""
    from citeloom.infrastructure.stores.qdrant.edge.index import (  # noqa: PLC0415 - clients do without
        QdrantEdgeIndex,
    )

    return QdrantEdgeIndex(
        root, space=space, lock_timeout=0, purpose=purpose, open_shards=open_shards
    )


MOST_TEXTS = 128
"""More texts are embedded in this process: the owner has questions of others to answer."""


class SharedDense(DenseEmbedder):
    """Embeds questions and the sentences of answers with the owner's model where the owner is
    another process.

    The embedder of this process, `local`, is built when it is needed.
    """

    def __init__(
        self, model_id: str, local: Callable[[], DenseEmbedder], index: SharedIndex, collection: str
    ) -> None:
        self.model_id = model_id
        self._local = local
        self._ask = partial(index.ask_owner, collection, model_id)

    @property
    def dimension(self) -> int:
        return self._local().dimension

    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        vectors = None
        if len(texts) <= MOST_TEXTS:
            vectors = self._ask("embed_texts", list(texts))
        return self._local().embed_passages(texts) if vectors is None else vectors

    def embed_query(self, text: str) -> DenseVector:
        vector = self._ask("embed_dense", text)
        return self._local().embed_query(text) if vector is None else vector


class SharedSparse(SparseEmbedder):
    """As `SharedDense`, for sparse vectors; a language's own terms are made in this process."""

    def __init__(
        self,
        model_id: str,
        local: Callable[[], SparseEmbedder | None],
        index: SharedIndex,
        collection: str,
    ) -> None:
        self.model_id = model_id
        self._local = local
        self._ask = partial(index.ask_owner, collection, model_id)

    @property
    def languages(self) -> frozenset[str]:
        return self._local_embedder().languages

    def embed_passages(
        self, texts: Sequence[str], language: str | None = None
    ) -> list[SparseVector]:
        return self._local_embedder().embed_passages(texts, language)

    def embed_query(self, text: str, language: str | None = None) -> SparseVector:
        if language is not None:
            return self._local_embedder().embed_query(text, language)
        vector = self._ask("embed_sparse", text)
        return self._local_embedder().embed_query(text) if vector is None else vector

    def embed_signs(self, text: str, /) -> SparseVector:
        return self._local_embedder().embed_signs(text)

    def _local_embedder(self) -> SparseEmbedder:
        embedder = self._local()
        if embedder is None:
            raise ModelUnavailable(f"{self.model_id} is not configured", "Set sparse_model.")
        return embedder
