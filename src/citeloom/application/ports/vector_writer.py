"""The port through which chunks are stored, changed and deleted."""

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
    """The reference that chunks have from now on; None is no reference."""

    citation: CitationMeta | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocationUpdate:
    """Where the file of chunks lies from now on, and which attachment of Zotero's it is."""

    source_path: str
    origin: ZoteroOrigin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataUpdate:
    """What changes of stored chunks beside their text and vectors; what is None stays.

    `page_labels` are the printed labels by physical page: each chunk gets those of its own pages,
    and none where one of them has none.
    """

    citation: CitationUpdate | None = None
    location: LocationUpdate | None = None
    page_labels: Mapping[int, str] | None = None


class VectorWriter(Protocol):
    """Collections of embedded chunks, to be written. Errors as for `VectorReader`."""

    @abstractmethod
    def upsert(self, name: str, chunks: Sequence[EmbeddedChunk]) -> None:
        """Store chunks under their ids, replacing those already there. Idempotent.

        Raises `EmbeddingMismatch`, and stores nothing, when a chunk's models or its vector's
        dimension are not those the collection is bound to, or a vector is zero or not finite.
        """
        ...

    @abstractmethod
    def delete(self, name: str, selection: Selection, *, keep: frozenset[str] = frozenset()) -> int:
        """Delete the selected chunks save those whose id is in `keep`; how many went."""
        ...

    @abstractmethod
    def update_metadata(self, name: str, selection: Selection, update: MetadataUpdate) -> None:
        """Change what is known of the selected chunks; their text and vectors stay."""
        ...

    @abstractmethod
    def flush(self, name: str) -> None:
        """Return once everything stored so far survives a power cut."""
        ...
