"""What an ingest is asked for, and what it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from citeloom.application.ingest.tools import Tools
from citeloom.application.ports.audit_log import AuditLog
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.disk_space import DiskSpace
from citeloom.application.ports.executor import Executor
from citeloom.application.ports.manifest_store import ManifestStore
from citeloom.application.ports.remote_embedder import RemoteEmbedder
from citeloom.application.ports.source_files import SourceFiles
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.ports.write_lease import Waiting, WriteLease
from citeloom.application.reports import WithheldRemoval, ZoteroReading
from citeloom.domain.policies import OcrOptions
from citeloom.domain.project import Project


def never() -> bool:
    """The answer of a run that nothing stops."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRequest:
    """What to ingest: files and folders, or the project's configured sources when none is named.

    `zotero` says what was read of Zotero where its documents are among the files; `drop_left`
    drops those that are no longer in the selection, `prune` these and those without a file.
    Many at once are dropped with `yes` alone, or where `confirm` agrees.
    `restore` takes back what was deleted; `retry_failed` tries documents again that failed before
    and are unchanged. While another process changes the project the run is
    refused; with `waiting` that is told who, and waited for. `stop` is asked between documents;
    once it answers yes the run ends in good order.
    """

    sources: tuple[str, ...] = ()
    force: bool = False
    dry_run: bool = False
    rebuild: bool = False
    prune: bool = False
    yes: bool = False
    confirm: Callable[[WithheldRemoval], bool] | None = None
    restore: bool = False
    retry_failed: bool = False
    waiting: Waiting | None = None
    drop_left: bool = False
    zotero: ZoteroReading | None = None
    limit: int | None = None
    stop: Callable[[], bool] = never


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestParts:
    """The project and the adapters an ingest works with.

    Documents are prepared by the `executor`, with tools of its own; `tools` are those of this
    process, which plans and stores.
    Images are read in the language of their reference, else in `ocr_languages`, or English and
    German where these are empty; None leaves them unread. `reading` names what would read them,
    and changes when anything else would; `limits` changes with the bounds that documents are held
    to. Pages read with less than `ocr_min_confidence` are
    reported. `remote` is the service that embeds, where one does. `machine` gives the id that
    documents are stored with, and makes it once; None where the store is this machine's own.
    """

    project: Project
    files: SourceFiles
    tools: Tools
    executor: Executor[Tools]
    index: VectorIndex
    manifest: ManifestStore
    audit: AuditLog
    clock: Clock
    lease: WriteLease
    space: DiskSpace
    reading: Callable[[OcrOptions | None], str]
    ocr_languages: tuple[str, ...] | None = None
    ocr_min_confidence: float = 0.8
    limits: str = ""
    remote: RemoteEmbedder | None = None
    machine: Callable[[], str] | None = None
