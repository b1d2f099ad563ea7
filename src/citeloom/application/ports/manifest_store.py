"""The port to the catalogue of documents."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.tombstone import Tombstone, WriteIntent
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
    def tombstones(self, project_id: str) -> list[Tombstone]:
        """What was deleted from a project, by document."""
        ...

    @abstractmethod
    def put_tombstones(self, *tombstones: Tombstone) -> None:
        """Store tombstones, each replacing the one of its project and document; all or none."""
        ...

    @abstractmethod
    def remove_tombstones(self, project_id: str, *doc_ids: str) -> None:
        """Forget that documents were deleted; one that was not is no error."""
        ...

    @abstractmethod
    def intents(self, project_id: str) -> list[WriteIntent]:
        """The writes that no entry stands for yet, by path and document."""
        ...

    @abstractmethod
    def put_intents(self, *intents: WriteIntent) -> None:
        """Store what is about to be written, all or none; one that is there stays."""
        ...

    @abstractmethod
    def remove_intents(self, *intents: WriteIntent) -> None:
        """Forget intents, all or none; one that is not there is no error."""
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
