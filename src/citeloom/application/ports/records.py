"""Stores of records: manifest, calibration, sessions, audit log, collected passages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from citeloom.domain.policies import MOST_TURNS

if TYPE_CHECKING:
    from citeloom.domain.answers.calibration import Calibration
    from citeloom.domain.answers.session import Conversation, Session, Turn
    from citeloom.domain.documents.manifest import ManifestEntry, Tombstone, WriteIntent
    from citeloom.domain.zotero.selection import ZoteroSelection


class ManifestStore(Protocol):
    """Entries by project and path. Every write is durable once it returns."""

    @abstractmethod
    def get(self, project_id: str, path: str) -> ManifestEntry | None:
        """The entry of a path; None where there is none."""

    @abstractmethod
    def put(self, *entries: ManifestEntry) -> None:
        """Store entries in one transaction, replacing those of the same project and path."""

    @abstractmethod
    def remove(self, project_id: str, *paths: str) -> None:
        """Delete entries in one transaction; an unknown path is no error."""

    @abstractmethod
    def entries(self, project_id: str) -> list[ManifestEntry]:
        """All entries of a project, sorted by path."""

    @abstractmethod
    def damage(self) -> str:
        """What is damaged in the store, of any project; empty where it is whole."""

    @abstractmethod
    def set_aside(self) -> str:
        """Keep a damaged store under another name, which is returned, and begin a new one with
        the tombstones, write intents and selections that can still be read.
        """

    @abstractmethod
    def tombstones(self, project_id: str) -> list[Tombstone]:
        """The tombstones of a project, sorted by document id."""

    @abstractmethod
    def put_tombstones(self, *tombstones: Tombstone) -> None:
        """Store tombstones in one transaction, replacing those of the same document."""

    @abstractmethod
    def remove_tombstones(self, project_id: str, *doc_ids: str) -> None:
        """Delete tombstones; an unknown document is no error."""

    @abstractmethod
    def intents(self, project_id: str) -> list[WriteIntent]:
        """The write intents of a project, sorted by path and document id."""

    @abstractmethod
    def put_intents(self, *intents: WriteIntent) -> None:
        """Store write intents in one transaction; existing ones stay."""

    @abstractmethod
    def remove_intents(self, *intents: WriteIntent) -> None:
        """Delete write intents in one transaction; an unknown one is no error."""

    @abstractmethod
    def selection(self, project_id: str) -> ZoteroSelection | None:
        """The Zotero selection of the project's last ingest from Zotero, if any."""

    @abstractmethod
    def select(self, project_id: str, selection: ZoteroSelection) -> None:
        """Store the Zotero selection of the project."""

    @abstractmethod
    def close(self) -> None:
        """Close the store. May be called twice."""


class CalibrationStore(Protocol):
    """The last calibration of each collection. A write is durable once it returns."""

    @abstractmethod
    def get(self, collection: str) -> Calibration | None:
        """The calibration of a collection; None where there is none that can be read."""

    @abstractmethod
    def put(self, calibration: Calibration) -> None:
        """Store a calibration, replacing that of the same collection."""


class SessionStore(Protocol):
    """The sessions of each project. Every write is durable once it returns.

    A session is found by its project alone: one project never sees another's. Turns appended by
    several processes at once are all kept, each whole, in the order in which they were appended.
    """

    @abstractmethod
    def check_writable(self) -> None:
        """Raise `IndexUnavailable` if it is known beforehand that nothing can be stored."""

    @abstractmethod
    def begin(self, conversation: Conversation) -> None:
        """Store a new session with its turns. Its id must not have been used before."""

    @abstractmethod
    def append(self, project_id: str, turn: Turn, *, keep: int = MOST_TURNS) -> None:
        """Store a turn behind the others of its session, of which the last `keep` stay.

        Raises `NotFound` if the project has no such session, or none any more.
        """

    @abstractmethod
    def get(
        self, project_id: str, session_id: str, *, last: int | None = None
    ) -> Conversation | None:
        """A session with its last turns, by default all; None where the project has none."""

    @abstractmethod
    def sessions(self, project_id: str) -> list[Session]:
        """The sessions of a project, the last used first."""

    @abstractmethod
    def delete(self, project_id: str, session_id: str) -> bool:
        """Delete a session with all its turns; whether there was one."""

    @abstractmethod
    def delete_unused(self, project_id: str, *, since: datetime) -> int:
        """Delete the sessions of a project that were last used before `since`; how many there were.
        A store that cannot be written deletes none.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the store. May be called twice."""


class AuditLog(Protocol):
    """An append-only log of the changes to each project."""

    @abstractmethod
    def append(self, project_id: str, record: Mapping[str, object]) -> None:
        """Add one JSON-ready record; it is durable once this returns."""


class DecisionFiles(Protocol):
    """The files in which decisions on drafts are kept, one beside each draft."""

    @abstractmethod
    def path(self, draft: Path) -> Path:
        """The path of the file of a draft: its name with `.citeloom.json` behind it."""

    @abstractmethod
    def read(self, draft: Path) -> str | None:
        """The text of a draft's file; None where there is none. Raises `ConfigError`."""

    @abstractmethod
    def change(self, draft: Path, change: Callable[[str | None], str]) -> None:
        """Replace the text of a draft's file by what `change` makes of it, while no other process
        changes it. What `change` raises leaves the file as it is; so does a crash.

        Raises `ConfigError` for a file that cannot be written, `DiskFull` where there is no room.
        """


class ChapterFiles(Protocol):
    """Markdown files by name. What stands in one is never changed, only added to."""

    @abstractmethod
    def path(self, name: str) -> Path:
        """The path of the file of that name."""

    @abstractmethod
    def names(self) -> list[str]:
        """The names of the files there are, sorted."""

    @abstractmethod
    def read(self, name: str) -> str | None:
        """The text of a file; None where there is none. Raises `ConfigError`."""

    @abstractmethod
    def append(self, name: str, addition: Callable[[str], str]) -> bool:
        """Append what `addition` makes of the text of a file, while no other process appends;
        whether that was anything. Nothing or all of it is written.

        Raises `ConfigError` for a file that cannot be written, `DiskFull` where there is no room.
        """
