"""The port to a researcher's Zotero."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from citeloom.domain.zotero import ZoteroContent, ZoteroLibraryRef


class ZoteroLibrary(Protocol):
    """The libraries of a Zotero installation or account. Nothing of Zotero's is ever written.

    Every method raises `SourceUnavailable` when Zotero cannot be found or reached,
    `LibraryLocked` when its files cannot be read in one piece because they keep changing, and
    `SourceUnavailable` for a database of a version that is not known.
    """

    @property
    @abstractmethod
    def source(self) -> str:
        """What is read, for people: `local database ~/Zotero`, `web API, user 123`."""
        ...

    @property
    @abstractmethod
    def warnings(self) -> tuple[str, ...]:
        """What a user should know of the way this was reached, such as a fallback; may grow."""
        ...

    @abstractmethod
    def fingerprint(self) -> str:
        """Changes whenever anything of any library may have changed; cheap to ask."""
        ...

    @abstractmethod
    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        """The user's library first, then the groups by id. Feeds are left out."""
        ...

    @abstractmethod
    def read(self, library: ZoteroLibraryRef) -> ZoteroContent:
        """Everything in one library as of one moment."""
        ...
