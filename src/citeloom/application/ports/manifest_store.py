"""The port to the catalogue of documents."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from citeloom.domain.manifest import ManifestEntry


class ManifestStore(Protocol):
    """Entries by project and path. What `put` returned from survives a killed process."""

    @abstractmethod
    def get(self, project_id: str, path: str) -> ManifestEntry | None:
        """The entry of a path, if there is one."""
        ...

    @abstractmethod
    def put(self, entry: ManifestEntry) -> None:
        """Store an entry, replacing the one of the same project and path."""
        ...

    @abstractmethod
    def remove(self, project_id: str, path: str) -> None:
        """Forget a path; one that is not there is no error."""
        ...

    @abstractmethod
    def entries(self, project_id: str) -> list[ManifestEntry]:
        """All entries of a project, by path."""
        ...

    @abstractmethod
    def close(self) -> None:
        """Let go of the store. May be called twice."""
        ...
