"""The port through which collections are made, replaced and deleted."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from citeloom.domain.project import Collection


class VectorAdministration(Protocol):
    """Collections, each bound to its project and models. Errors as for `VectorReader`."""

    @abstractmethod
    def create(self, collection: Collection) -> None:
        """Make an empty collection with its payload indexes. Raises `InvalidProject` if a
        collection of that name is another project's, `EmbeddingMismatch` if it has other models;
        an equal one is left as it is.
        """
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
