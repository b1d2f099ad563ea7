"""The store of the manifest: each project's documents, tombstones and write intents."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.tombstone import Tombstone, WriteIntent
from citeloom.domain.zotero_selection import ZoteroSelection


class ManifestStore(Protocol):
    """Entries by project and path. Every write is durable once it returns."""

    @abstractmethod
    def get(self, project_id: str, path: str) -> ManifestEntry | None:
        """The entry of a path; None where there is none."""
        ...

    @abstractmethod
    def put(self, *entries: ManifestEntry) -> None:
        """Store entries in one transaction, replacing those of the same project and path."""
        ...

    @abstractmethod
    def remove(self, project_id: str, *paths: str) -> None:
        """Delete entries in one transaction; an unknown path is no error."""
        ...

    @abstractmethod
    def entries(self, project_id: str) -> list[ManifestEntry]:
        """All entries of a project, sorted by path."""
        ...

    @abstractmethod
    def damage(self) -> str:
        """What is damaged in the store, of any project; empty where it is whole."""
        ...

    @abstractmethod
    def set_aside(self) -> str:
        """Keep a damaged store under another name, which is returned, and begin a new one with
        the tombstones, write intents and selections that can still be read.
        """
        ...

    @abstractmethod
    def tombstones(self, project_id: str) -> list[Tombstone]:
        """The tombstones of a project, sorted by document id."""
        ...

    @abstractmethod
    def put_tombstones(self, *tombstones: Tombstone) -> None:
        """Store tombstones in one transaction, replacing those of the same document."""
        ...

    @abstractmethod
    def remove_tombstones(self, project_id: str, *doc_ids: str) -> None:
        """Delete tombstones; an unknown document is no error."""
        ...

    @abstractmethod
    def intents(self, project_id: str) -> list[WriteIntent]:
        """The write intents of a project, sorted by path and document id."""
        ...

    @abstractmethod
    def put_intents(self, *intents: WriteIntent) -> None:
        """Store write intents in one transaction; existing ones stay."""
        ...

    @abstractmethod
    def remove_intents(self, *intents: WriteIntent) -> None:
        """Delete write intents in one transaction; an unknown one is no error."""
        ...

    @abstractmethod
    def selection(self, project_id: str) -> ZoteroSelection | None:
        """The Zotero selection of the project's last ingest from Zotero, if any."""
        ...

    @abstractmethod
    def select(self, project_id: str, selection: ZoteroSelection) -> None:
        """Store the Zotero selection of the project."""
        ...

    @abstractmethod
    def close(self) -> None:
        """Close the store. May be called twice."""
        ...
