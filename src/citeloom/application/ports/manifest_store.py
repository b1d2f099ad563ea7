"""The port to the catalogue of documents."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.zotero_selection import ZoteroSelection


class ManifestStore(Protocol):
    """Entries by project and path. What `put` returned from survives a killed process."""

    @abstractmethod
    def get(self, project_id: str, path: str) -> ManifestEntry | None:
        """The entry of a path, if there is one."""
        ...

    @abstractmethod
    def put(self, *entries: ManifestEntry) -> None:
        """Store entries, each replacing the one of the same project and path; all or none."""
        ...

    @abstractmethod
    def remove(self, project_id: str, *paths: str) -> None:
        """Forget paths, all or none; one that is not there is no error."""
        ...

    @abstractmethod
    def entries(self, project_id: str) -> list[ManifestEntry]:
        """All entries of a project, by path."""
        ...

    @abstractmethod
    def selection(self, project_id: str) -> ZoteroSelection | None:
        """What of Zotero the project was last made from, if it ever was."""
        ...

    @abstractmethod
    def select(self, project_id: str, selection: ZoteroSelection) -> None:
        """Remember what of Zotero the project is made from."""
        ...

    @abstractmethod
    def close(self) -> None:
        """Let go of the store. May be called twice."""
        ...
