"""The vector store: reading, writing and administration."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from citeloom.domain.errors import ConfigError
from citeloom.domain.project import Collection
from citeloom.domain.references.citation import CitationMeta, ZoteroOrigin
from citeloom.domain.retrieval.passage import (
    BatchHits,
    ChunkText,
    EmbeddedChunk,
    ExaminedChunk,
    Hit,
    IndexQuery,
    Selection,
    StoredChunk,
)

if TYPE_CHECKING:
    from citeloom.application.ports.embedders import DenseEmbedder, QuestionModels, SparseEmbedder
    from citeloom.application.ports.runtime import WriteLease


class Capability(StrEnum):
    """What a store can do itself; the application does the rest.

    `FUSION` fuses the two sides of a hybrid query; `IDF` weights the terms of sparse queries by
    inverse document frequency; `FACETS` counts chunks by a field's values; `SWAP` replaces a
    collection by its staged successor atomically; `RESTORE` gives a collection back a name that it
    lost.
    """

    FUSION = "fusion"
    IDF = "idf"
    FACETS = "facets"
    SWAP = "swap"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexDescription:
    """A store's description of a collection."""

    collection: Collection
    """What it is bound to."""
    points: int
    """How many chunks."""
    indexed_fields: Mapping[str, str]
    """The fields that filters use, and their kind."""
    payload_keys: tuple[str, ...] = ()
    """What is stored of a chunk."""
    storage: str = ""
    """Where."""
    disk_bytes: int = 0
    """0 where that is unknown."""
    details: Mapping[str, str] = field(default_factory=dict)
    """What the engine says; of a Qdrant server also `shards`, `copies` and `nodes`."""
    problems: tuple[str, ...] = ()
    """What is wrong with copies and indexing, a sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreAddress:
    """An address of a store, and what answers there."""

    address: str
    """As configured."""
    version: str = ""
    """Of what answers there."""
    milliseconds: float = 0.0
    """Of an exchange."""
    error: str = ""
    """Why nothing answers; else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionState:
    """The state of a collection, in the store's own words."""

    name: str
    """The collection."""
    exists: bool
    """Whether it is there."""
    points: int = 0
    """How many chunks."""
    status: str = ""
    """In the store's own word."""
    shards: int = 0
    """How many; 0 where the store does not say."""
    copies: int = 0
    """How many are active of the shard with the fewest."""
    copies_configured: int = 0
    """How many there should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreState:
    """The state of a store, and the rights of the key or user that it is asked with."""

    kind: str
    """The engine."""
    remote: bool
    """Whether the store is on a server."""
    addresses: tuple[StoreAddress, ...]
    """Where it is."""
    may_read: bool | None = None
    """Null where it could not be found out."""
    may_write: bool | None = None
    """Likewise."""
    collections: tuple[CollectionState, ...] = ()
    """Those of the projects."""
    peers: tuple[str, ...] = ()
    """The nodes of a cluster."""
    problems: tuple[str, ...] = ()
    """What is missing, a sentence each."""
    notes: tuple[str, ...] = ()
    """What needs nothing to be done, a sentence each."""

    @property
    def is_available(self) -> bool:
        """Whether it answers, and may be read."""
        return bool(self.may_read) and any(not address.error for address in self.addresses)


class VectorReader(Protocol):
    """Reads collections of embedded chunks.

    `name` is a `Collection.name`. Every method that takes one raises `InvalidProject` if there is
    no such collection, `IndexLocked` if another process has it locked, and `IndexUnavailable` if
    it cannot be reached. Every selection is applied inside the store.
    """

    @property
    @abstractmethod
    def capabilities(self) -> frozenset[Capability]:
        """What the store can do itself."""

    @abstractmethod
    def binding(self, name: str) -> Collection | None:
        """The collection of that name, without opening it; None where there is none."""

    @abstractmethod
    def staged(self, name: str) -> Collection | None:
        """The unfinished successor of a collection, if there is one."""

    def search(self, name: str, query: IndexQuery) -> list[Hit]:
        """The best hits, best first; equal scores in the order of the chunk ids.

        A hybrid query is fused inside the store, both sides under the query's selection. Hits have
        vectors if the query requests them. Raises `HybridNotSupported` when the query
        needs sparse vectors and the collection has none.
        """
        return self.search_batch(name, [query]).hits[0]

    @abstractmethod
    def search_batch(
        self, name: str, queries: Sequence[IndexQuery], matches: Sequence[IndexQuery] = ()
    ) -> BatchHits:
        """As `search` for each of the queries, in one exchange with the store.

        The results of `matches` have no text, which is less to carry: ids, scores and the requested
        vectors; which of equal scores are at the limit is left to the store. Raises as `search`.
        """

    @abstractmethod
    def fetch(self, name: str, selection: Selection, chunk_ids: Sequence[str]) -> list[StoredChunk]:
        """The named chunks that are selected, in the given order."""

    @abstractmethod
    def scroll(self, name: str, selection: Selection) -> Iterator[StoredChunk]:
        """Every selected chunk, in any order, loaded page by page."""

    @abstractmethod
    def scroll_batch(self, name: str, selections: Sequence[Selection]) -> list[list[StoredChunk]]:
        """The chunks of each selection, up to 1,000 of each, in any order, in one exchange with the
        store.
        """

    @abstractmethod
    def texts(self, name: str, selection: Selection) -> Iterator[ChunkText]:
        """The text of every selected chunk, in any order, loaded page by page: far less to read
        than `scroll`.
        """

    @abstractmethod
    def search_texts(self, name: str, query: IndexQuery) -> list[ChunkText]:
        """The texts of the best hits; which of equal scores are at the limit is left to the store.
        Raises as `search`.
        """

    @abstractmethod
    def examine(self, name: str, selection: Selection) -> Iterator[ExaminedChunk]:
        """As `scroll`, with vectors, and including chunks whose payload is invalid."""

    @abstractmethod
    def chunk_ids(self, name: str, selection: Selection) -> frozenset[str]:
        """The ids of the selected chunks."""

    @abstractmethod
    def count(self, name: str, selection: Selection) -> int:
        """How many chunks are selected."""

    @abstractmethod
    def facets(self, name: str, key: str, selection: Selection) -> dict[str, int]:
        """Chunks by value of a keyword field (`citekey`, `doc_id`, `tags`, `kind`), of those that
        have one.
        """

    @abstractmethod
    def describe(self, name: str) -> IndexDescription:
        """Size, binding and indexes."""

    @abstractmethod
    def check(self, names: Sequence[str]) -> StoreState:
        """The state of the store and of these collections, which need not exist. Nothing is stored
        or changed, and nothing is raised for a store that does not answer or refuses. Without names
        it is only asked whether it answers.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationUpdate:
    """The new reference of chunks; None removes it."""

    citation: CitationMeta | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocationUpdate:
    """The new path of the chunks' file, and its Zotero attachment."""

    source_path: str
    origin: ZoteroOrigin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataUpdate:
    """New metadata of stored chunks; None leaves it unchanged.

    `page_labels` maps physical pages to printed labels: each chunk gets those of its pages, or none
    if one of its pages has no label. `machines` are those that still have the document.
    """

    citation: CitationUpdate | None = None
    location: LocationUpdate | None = None
    page_labels: Mapping[int, str] | None = None
    machines: tuple[str, ...] | None = None


class Serving(Protocol):
    """A project's index, served to other processes until its library is closed."""

    @property
    @abstractmethod
    def idle_seconds(self) -> float:
        """Seconds since the last call of another process; 0 while one is running."""


class VectorIndex(VectorReader, Protocol):
    """A vector store: collections of embedded chunks, each bound to its project and models.

    A store that one process at a time has open, its owner, lets the others ask that one; one that
    serves them all by itself has no owner, as all have none unless they say otherwise. Errors as
    for `VectorReader`.
    """

    # -- writing to collections

    @abstractmethod
    def upsert(self, name: str, chunks: Sequence[EmbeddedChunk]) -> None:
        """Store chunks under their ids, replacing those already there. Idempotent.

        Raises `EmbeddingMismatch`, and stores nothing, when a chunk's models or its vector's
        dimension are not those the collection is bound to, or a vector is zero or not finite.
        """

    @abstractmethod
    def delete(self, name: str, selection: Selection, *, keep: frozenset[str] = frozenset()) -> int:
        """Delete the selected chunks except those in `keep`; returns how many."""

    @abstractmethod
    def update_metadata(self, name: str, selection: Selection, update: MetadataUpdate) -> None:
        """Update the metadata of the selected chunks, not their text and vectors."""

    @abstractmethod
    def flush(self, name: str) -> None:
        """Return once all writes so far are durable."""

    # -- collections that are created, replaced and deleted

    @abstractmethod
    def create(self, collection: Collection) -> None:
        """Create an empty collection with its payload indexes; an equal one is kept. Raises
        `InvalidProject` if the collection belongs to another project, `EmbeddingMismatch` if it
        has other models.
        """

    def restore(self, _: str, /) -> bool:
        """Give a filled collection that was made for a name this name back, where the store has
        lost it; whether it has been done.
        """
        return False

    @abstractmethod
    def optimize(self, name: str) -> None:
        """Optimise the collection for opening and searching."""

    @abstractmethod
    def stage(self, collection: Collection) -> str:
        """Stage an empty successor of the collection, or continue one with the same models; returns
        the name to write to. The current collection is unchanged.
        """

    @abstractmethod
    def promote(self, name: str) -> None:
        """Swap the staged successor in, atomically, and drop the old collection."""

    @abstractmethod
    def drop(self, name: str) -> None:
        """Delete the collection, and its successor if one is staged."""

    @abstractmethod
    def close(self) -> None:
        """Close every open collection. May be called twice."""

    # -- sharing the store between processes and machines

    def write_lease(self, here: WriteLease) -> WriteLease:
        """The lease to change projects: `here`, that of this machine, with what keeps other
        machines out where the store can do that.
        """
        return here

    def question_embedders(
        self, _: str, models: QuestionModels, /
    ) -> tuple[DenseEmbedder, SparseEmbedder | None]:
        """The embedders of a collection's questions: the owner's where that is another process,
        or else `models`, which others may use once they are loaded.
        """
        return models.dense(), models.sparse()

    def has_other_owner(self, _: str, /) -> bool:
        """Whether another process is recorded as the owner of a collection; opens nothing."""
        return False

    def serve(self, name: str, _: QuestionModels, /) -> Serving:
        """Become the owner of a collection, and serve it and the models to other processes.

        Raises `IndexLocked` if another one does, and `ConfigError` if the store has no owner.
        """
        raise ConfigError(
            f"the index '{name}' is on a server, or read-only",
            "Processes can share only an index in a writable data folder.",
        )
