"""Administration of a vector store: collections are created, replaced and deleted."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from citeloom.domain.project import Collection


class VectorAdministration(Protocol):
    """Collections, each bound to its project and models. Errors as for `VectorReader`."""

    @abstractmethod
    def create(self, collection: Collection) -> None:
        """Create an empty collection with its payload indexes; an equal one is kept. Raises
        `InvalidProject` if the collection belongs to another project, `EmbeddingMismatch` if it
        has other models.
        """
        ...

    @abstractmethod
    def restore(self, name: str) -> bool:
        """Give a filled collection that was made for `name` its name back, where the store has lost
        it; whether it has been done.
        """
        ...

    @abstractmethod
    def optimize(self, name: str) -> None:
        """Optimise the collection for opening and searching."""
        ...

    @abstractmethod
    def stage(self, collection: Collection) -> str:
        """Stage an empty successor of the collection, or continue one with the same models; returns
        the name to write to. The current collection is unchanged.
        """
        ...

    @abstractmethod
    def promote(self, name: str) -> None:
        """Swap the staged successor in, atomically, and drop the old collection."""
        ...

    @abstractmethod
    def drop(self, name: str) -> None:
        """Delete the collection, and its successor if one is staged."""
        ...

    @abstractmethod
    def close(self) -> None:
        """Close every open collection. May be called twice."""
        ...
