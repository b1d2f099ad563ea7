"""Where documents and references come from: files and folders, Zotero, the bibliography."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from citeloom.domain.documents.conversion import EmbeddedMetadata
    from citeloom.domain.references.citation import CitationMeta, ZoteroOrigin
    from citeloom.domain.references.reference_matcher import (
        NearReference,
        ReferenceMatch,
    )
    from citeloom.domain.zotero.items import (
        ContentScope,
        ZoteroAttachment,
        ZoteroContent,
        ZoteroLibraryRef,
    )

# The Zotero libraries of a user, as a port.


class ZoteroLibrary(Protocol):
    """The libraries of a Zotero installation or account, read-only.

    Every method raises `SourceUnavailable` if Zotero cannot be reached or its database has an
    unknown version, and `LibraryLocked` if the database keeps changing while it is read.
    `read` raises `LibraryRefused` for a library to which there is no access.
    """

    @property
    @abstractmethod
    def source(self) -> str:
        """The source as shown to users: `local database ~/Zotero`, `web API, user 123`."""

    @property
    @abstractmethod
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the access to Zotero, such as a fallback; may grow."""

    @property
    @abstractmethod
    def has_stamps(self) -> bool:
        """Whether `fingerprint` is made of the stamps of files, so that it may be asked for twice a
        second.
        """

    @abstractmethod
    def fingerprint(self) -> str:
        """Changes whenever any library may have changed; cheap to compute."""

    @abstractmethod
    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        """The user's library first, then the groups by id, without feeds."""

    @abstractmethod
    def read(self, library: ZoteroLibraryRef, scope: ContentScope = ...) -> ZoteroContent:
        """A consistent snapshot of one library, of which only what the scope needs has to be there;
        by default everything.
        """


# Downloads of Zotero attachments, as a port.


class FileOutcome(StrEnum):
    """The result of a download."""

    FETCHED = "fetched"
    KEPT = "kept"
    ABSENT = "absent"
    DAMAGED = "damaged"
    TOO_LARGE = "too large"


class ZoteroFiles(Protocol):
    """Downloads attachments to the paths that the Zotero library has for them."""

    @abstractmethod
    def fetch(self, attachment: ZoteroAttachment) -> FileOutcome:
        """Download the file unless an unchanged copy exists.

        The file is absent if Zotero does not store it, too large if it exceeds the size limit, and
        damaged if its checksum repeatedly does not match; an existing copy is then kept. Raises
        `SourceUnavailable` if Zotero cannot be reached or denies access.
        """


# The source files of a project, as a port.


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
class SkippedFile:
    """A file or folder that is not read, and why; `name` as for `FoundFile`."""

    name: str
    """The file."""
    reason: str
    """Why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFolder:
    """A folder that documents come from, and the `fault` for which it cannot be listed; `name` as
    for `FoundFile`.
    """

    name: str
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceListing:
    """The `files` in the sources by name, the sources that are `missing`, and the number of files
    `ignored` for their suffix, by suffix in `other_kinds`.

    `skipped` are never read: pipes, devices, links out of a source. `unreadable` are files and
    folders without permission; it is unknown what they contain.

    Files from Zotero come first, in its order; `absent` then has library path and attachment key of
    each selected attachment without a file, and `refused` the paths of libraries that could not be
    looked into.
    """

    files: tuple[FoundFile, ...]
    missing: tuple[str, ...] = ()
    ignored: int = 0
    other_kinds: Mapping[str, int] = field(default_factory=dict)
    skipped: tuple[SkippedFile, ...] = ()
    unreadable: tuple[SkippedFile, ...] = ()
    absent: frozenset[tuple[str, str]] | None = None
    refused: frozenset[str] = frozenset()


class SourceFiles(Protocol):
    """Files and folders, read-only. Hidden files and folders are skipped.

    Only regular files are ever opened. Links within a source folder are followed; links out of it
    only if the adapter is configured to.
    """

    @abstractmethod
    def find(self, sources: Sequence[str], suffixes: frozenset[str]) -> SourceListing:
        """Every file named in `sources`, and those below named folders with one of `suffixes`,
        once each. Relative sources belong to the project's folder. Unreadable files are
        listed and raise nothing.
        """

    @abstractmethod
    def folder(self, source: str) -> SourceFolder:
        """The folder at a source's path, or of the file there. One that is not there, or may not
        be listed, has a fault.
        """

    @abstractmethod
    def content_hash(self, path: Path) -> str:
        """SHA-256 of the file's bytes in hex. Raises `UnreadableDocument` if it cannot be read."""


# Changes in folders, as a port.


class FolderChanges(Protocol):
    """Notices that something below the watched folders has changed.

    It may miss a change, e.g. on a network drive, so whoever waits looks now and then anyway.
    """

    @abstractmethod
    def wait(self, seconds: float) -> bool:
        """Return True once something has changed, False when `seconds` have passed. A change
        since the last call returns at once.
        """

    @abstractmethod
    def are_intact(self) -> bool:
        """Whether every watched folder is there and on the same disk as at the first look, so
        that a file missing from it has been deleted.
        """

    @abstractmethod
    def close(self) -> None:
        """Stop watching. May be called twice."""


# The reference library, the bibliography that a project cites from.


class ReferenceLibrary(Protocol):
    """References of a project.

    Guarantees: the same document and library always give the same match; two equally good
    references give no match, with both as candidates. Each candidate has the reason why it was
    not taken.
    """

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Changes whenever a match can change; empty without references."""

    @abstractmethod
    def match(self, path: str, embedded: EmbeddedMetadata) -> ReferenceMatch:
        """The reference of the document at `path` with the metadata `embedded`."""

    @abstractmethod
    def nearest(self, path: str, embedded: EmbeddedMetadata) -> tuple[NearReference, ...]:
        """The three references nearest to the document, best first, whether or not one matches."""

    @abstractmethod
    def references(self) -> tuple[CitationMeta, ...]:
        """All references, in the order of the file."""

    @abstractmethod
    def diagnostics(self, citekeys: Collection[str] | None = None) -> tuple[str, ...]:
        """One sentence for each error or gap in the library, or only for those in the references
        of `citekeys` and in the library as a whole.
        """
