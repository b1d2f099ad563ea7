"""The writer of a vector store."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from citeloom.domain.citation import CitationMeta
from citeloom.domain.passage import EmbeddedChunk, Selection
from citeloom.domain.zotero import ZoteroOrigin


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


class VectorWriter(Protocol):
    """Writes to collections of embedded chunks. Errors as for `VectorReader`."""

    @abstractmethod
    def upsert(self, name: str, chunks: Sequence[EmbeddedChunk]) -> None:
        """Store chunks under their ids, replacing those already there. Idempotent.

        Raises `EmbeddingMismatch`, and stores nothing, when a chunk's models or its vector's
        dimension are not those the collection is bound to, or a vector is zero or not finite.
        """
        ...

    @abstractmethod
    def delete(self, name: str, selection: Selection, *, keep: frozenset[str] = frozenset()) -> int:
        """Delete the selected chunks except those in `keep`; returns how many."""
        ...

    @abstractmethod
    def update_metadata(self, name: str, selection: Selection, update: MetadataUpdate) -> None:
        """Update the metadata of the selected chunks, not their text and vectors."""
        ...

    @abstractmethod
    def flush(self, name: str) -> None:
        """Return once all writes so far are durable."""
        ...
