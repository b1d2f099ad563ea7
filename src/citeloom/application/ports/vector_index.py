"""The port to the vector store."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from citeloom.domain.citation import CitationMeta
from citeloom.domain.passage import (
    EmbeddedChunk,
    ExaminedChunk,
    Hit,
    IndexQuery,
    Selection,
    StoredChunk,
)
from citeloom.domain.project import Collection
from citeloom.domain.zotero import ZoteroOrigin


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


class VectorIndex(Protocol):
    """Collections of embedded chunks, each bound to its models.

    Names are those of `Collection.name`. Every method that names a collection raises
    `InvalidProject` when there is none, `IndexLocked` when another process holds it and
    `IndexUnavailable` when it cannot be reached. Every selection is applied inside the store.
    """

    @abstractmethod
    def binding(self, name: str) -> Collection | None:
        """The collection of that name, without opening it; None where there is none."""
        ...

    @abstractmethod
    def create(self, collection: Collection) -> None:
        """Make an empty collection with its payload indexes. Raises `EmbeddingMismatch` if a
        collection of that name with other models exists; an equal one is left as it is.
        """
        ...

    @abstractmethod
    def upsert(self, name: str, chunks: Sequence[EmbeddedChunk]) -> None:
        """Store chunks under their ids, replacing those already there. Idempotent.

        Raises `EmbeddingMismatch`, and stores nothing, when a chunk's models or its vector's
        dimension are not those the collection is bound to, or a vector is zero or not finite.
        """
        ...

    @abstractmethod
    def chunk_ids(self, name: str, selection: Selection) -> frozenset[str]:
        """The ids of the selected chunks."""
        ...

    @abstractmethod
    def delete(self, name: str, selection: Selection, *, keep: frozenset[str] = frozenset()) -> int:
        """Delete the selected chunks save those whose id is in `keep`; how many went."""
        ...

    @abstractmethod
    def recite(self, name: str, selection: Selection, citation: CitationMeta | None) -> None:
        """Give the selected chunks another reference; their text and vectors stay."""
        ...

    @abstractmethod
    def relocate(
        self, name: str, selection: Selection, source_path: str, origin: ZoteroOrigin | None
    ) -> None:
        """Say of the selected chunks that their file lies elsewhere; all else stays."""
        ...

    @abstractmethod
    def relabel(self, name: str, selection: Selection, labels: Mapping[int, str]) -> None:
        """Give each selected chunk the printed labels of its pages, or none where one has none."""
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

    @abstractmethod
    def flush(self, name: str) -> None:
        """Return once everything stored so far survives a power cut."""
        ...

    @abstractmethod
    def optimize(self, name: str) -> None:
        """Bring the collection into the form it is fastest to open and search in."""
        ...

    @abstractmethod
    def stage(self, collection: Collection) -> str:
        """Make an empty successor beside the collection of the same name, or continue the one
        with the same models; the name to fill it under. The current one stays as it is.
        """
        ...

    @abstractmethod
    def staged(self, name: str) -> Collection | None:
        """The unfinished successor of a collection, if there is one."""
        ...

    @abstractmethod
    def promote(self, name: str) -> None:
        """Put the staged successor in the collection's place, at once, and drop the old one."""
        ...

    @abstractmethod
    def drop(self, name: str) -> None:
        """Delete the collection with everything in it, and its successor if one is staged."""
        ...

    @abstractmethod
    def close(self) -> None:
        """Let go of every collection that is open. May be called twice."""
        ...
