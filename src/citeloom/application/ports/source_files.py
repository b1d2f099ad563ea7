"""The source files of a project, as a port."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    """A file or folder that is not read, and why; `name` as for `FoundFile`."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFolder:
    """A folder that documents come from, and the `fault` for which it cannot be listed; `name` as
    for `FoundFile`.
    """

    name: str
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The `files` in the sources by name, the sources that are `missing`, and the number of files
    `ignored` for their suffix, by suffix in `other_kinds`.

    `passed_over` are never read: pipes, devices, links out of a source. `unreadable` are files and
    folders without permission; it is unknown what they contain.

    Files from Zotero come first, in its order; `absent` then has library path and attachment key of
    each selected attachment without a file.
    """

    files: tuple[FoundFile, ...]
    missing: tuple[str, ...] = ()
    ignored: int = 0
    other_kinds: Mapping[str, int] = field(default_factory=dict)
    passed_over: tuple[PassedOver, ...] = ()
    unreadable: tuple[PassedOver, ...] = ()
    absent: frozenset[tuple[str, str]] | None = None


class SourceFiles(Protocol):
    """Files and folders, read-only. Hidden files and folders are skipped.

    Only regular files are ever opened. Links within a source folder are followed; links out of it
    only if the adapter is configured to.
    """

    @abstractmethod
    def find(self, sources: Sequence[str], suffixes: frozenset[str]) -> Listing:
        """Every file named in `sources`, and those below named folders with one of `suffixes`,
        once each. Relative sources belong to the project's folder. Unreadable files are
        listed and raise nothing.
        """
        ...

    @abstractmethod
    def folder(self, source: str) -> SourceFolder:
        """The folder at a source's path, or of the file there. One that is not there, or may not
        be listed, has a fault.
        """
        ...

    @abstractmethod
    def content_hash(self, path: Path) -> str:
        """SHA-256 of the file's bytes in hex. Raises `UnreadableDocument` if it cannot be read."""
        ...
