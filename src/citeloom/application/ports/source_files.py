"""The port to the files a project is made from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from citeloom.domain.citation import CitationMeta
from citeloom.domain.zotero import ZoteroOrigin


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file on disk. `name` is its path as the manifest knows it: relative to the project's
    folder where it lies below it, else absolute, always with forward slashes. `origin` says which
    attachment of Zotero's it is, `citation` is that of the attachment's item.
    """

    path: Path
    name: str
    size: int
    modified_ns: int
    origin: ZoteroOrigin | None = None
    citation: CitationMeta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOver:
    """A file or folder that is not read, by its name as that of a `FoundFile`, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The files below the sources, by name; sources that do not exist; how many files of other
    kinds were passed over in folders.

    `passed_over` are those that are never read: pipes, devices, links that leave a source.
    `unreadable` are files and folders that may not be looked at, a source by the name it was given:
    whether there is anything is not known.

    Where Zotero was asked, its files come first, in its order, and `absent` has the path of the
    library and the key of each attachment that belongs here though its file is not there.
    """

    files: tuple[FoundFile, ...]
    missing: tuple[str, ...] = ()
    ignored: int = 0
    passed_over: tuple[PassedOver, ...] = ()
    unreadable: tuple[PassedOver, ...] = ()
    absent: frozenset[tuple[str, str]] | None = None


class SourceFiles(Protocol):
    """Files and folders, read-only. Hidden files and folders are passed over.

    Only regular files are ever opened. A link below a folder is followed within that folder; one
    that leaves it is passed over, unless the adapter was asked to follow it.
    """

    @abstractmethod
    def find(self, sources: Sequence[str], suffixes: frozenset[str]) -> Listing:
        """Every file named in `sources`, whatever its kind, and every file below a named folder
        whose suffix is one of `suffixes`, each once. A relative source is one of the project's
        folder. What cannot be read is in the listing, and stops nothing.
        """
        ...

    @abstractmethod
    def content_hash(self, path: Path) -> str:
        """SHA-256 of the file's bytes in hex. Raises `UnreadableDocument` if it cannot be read."""
        ...
