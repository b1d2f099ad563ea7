"""The port through which stored chunks are read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from citeloom.domain.passage import ExaminedChunk, Hit, IndexQuery, Selection, StoredChunk
from citeloom.domain.project import Collection


class Capability(StrEnum):
    """What a store may be able to do itself; the application does the rest.

    `FUSION` fuses the two sides of a hybrid query; `IDF` weighs the terms of sparse queries by
    how rare they are in the collection; `FACETS` counts chunks by a field's values; `SWAP` puts
    a staged successor in a collection's place at once.
    """

    FUSION = "fusion"
    IDF = "idf"
    FACETS = "facets"
    SWAP = "swap"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexDescription:
    """What a store knows of a collection; sizes in bytes, 0 where it does not say."""

    collection: Collection
    points: int
    indexed_fields: Mapping[str, str]
    payload_keys: tuple[str, ...] = ()
    storage: str = ""
    disk_bytes: int = 0
    details: Mapping[str, str] = field(default_factory=dict)


class VectorReader(Protocol):
    """Collections of embedded chunks, to be read.

    Names are those of `Collection.name`. Every method that names a collection raises
    `InvalidProject` when there is none, `IndexLocked` when another process holds it and
    `IndexUnavailable` when it cannot be reached. Every selection is applied inside the store.
    """

    @property
    @abstractmethod
    def capabilities(self) -> frozenset[Capability]:
        """What the store does itself."""
        ...

    @abstractmethod
    def binding(self, name: str) -> Collection | None:
        """The collection of that name, without opening it; None where there is none."""
        ...

    @abstractmethod
    def staged(self, name: str) -> Collection | None:
        """The unfinished successor of a collection, if there is one."""
        ...

    @abstractmethod
    def search(self, name: str, query: IndexQuery) -> list[Hit]:
        """The best hits, best first; equal scores in the order of the chunk ids.

        A hybrid query is fused inside the store, both sides under the query's selection. Hits have
        their vectors where the query asks for them. Raises `HybridNotSupported` when the query
        needs sparse vectors and the collection has none.
        """
        ...

    @abstractmethod
    def fetch(self, name: str, selection: Selection, chunk_ids: Sequence[str]) -> list[StoredChunk]:
        """Those of the named chunks that are selected, in the order asked for."""
        ...

    @abstractmethod
    def scroll(self, name: str, selection: Selection) -> Iterator[StoredChunk]:
        """Every selected chunk, in no promised order, without holding them all."""
        ...

    @abstractmethod
    def examine(self, name: str, selection: Selection) -> Iterator[ExaminedChunk]:
        """Every selected chunk as `scroll` has them, with its vectors, and those that `scroll`
        cannot read, too.
        """
        ...

    @abstractmethod
    def chunk_ids(self, name: str, selection: Selection) -> frozenset[str]:
        """The ids of the selected chunks."""
        ...

    @abstractmethod
    def count(self, name: str, selection: Selection) -> int:
        """How many chunks are selected."""
        ...

    @abstractmethod
    def facets(self, name: str, key: str, selection: Selection) -> dict[str, int]:
        """Chunks by value of a keyword field (`citekey`, `doc_id`, `tags`, `kind`)."""
        ...

    @abstractmethod
    def describe(self, name: str) -> IndexDescription:
        """Size, binding and indexes."""
        ...
