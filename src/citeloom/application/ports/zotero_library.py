"""The Zotero libraries of a user, as a port."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from citeloom.domain.zotero import ZoteroContent, ZoteroLibraryRef


class ZoteroLibrary(Protocol):
    """The libraries of a Zotero installation or account, read-only.

    Every method raises `SourceUnavailable` if Zotero cannot be reached or its database has an
    unknown version, and `LibraryLocked` if the database keeps changing while it is read.
    """

    @property
    @abstractmethod
    def source(self) -> str:
        """The source as shown to users: `local database ~/Zotero`, `web API, user 123`."""
        ...

    @property
    @abstractmethod
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the access to Zotero, such as a fallback; may grow."""
        ...

    @abstractmethod
    def fingerprint(self) -> str:
        """Changes whenever any library may have changed; cheap to compute."""
        ...

    @abstractmethod
    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        """The user's library first, then the groups by id, without feeds."""
        ...

    @abstractmethod
    def read(self, library: ZoteroLibraryRef) -> ZoteroContent:
        """A consistent snapshot of one library."""
        ...
