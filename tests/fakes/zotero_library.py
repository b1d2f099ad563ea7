"""A Zotero in memory."""

from __future__ import annotations

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.domain.errors import LibraryRefused
from citeloom.domain.zotero.items import ZoteroContent, ZoteroLibraryRef


class MemoryZotero(ZoteroLibrary):
    """Libraries that a test hands over, and may exchange to play a change."""

    def __init__(self, *contents: ZoteroContent) -> None:
        self.contents = contents
        self.reads = 0
        self.stamped = True
        self.refused: frozenset[ZoteroLibraryRef] = frozenset()

    @property
    def source(self) -> str:
        return "memory"

    @property
    def warnings(self) -> tuple[str, ...]:
        return ()

    @property
    def has_stamps(self) -> bool:
        return self.stamped

    def fingerprint(self) -> str:
        return str(hash(repr(self.contents)))

    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        return tuple(content.library for content in self.contents)

    def read(self, library: ZoteroLibraryRef) -> ZoteroContent:
        self.reads += 1
        if library in self.refused:
            raise LibraryRefused(f"Zotero refuses access to {library.path}", "Ask for access.")
        return next(content for content in self.contents if content.library == library)
