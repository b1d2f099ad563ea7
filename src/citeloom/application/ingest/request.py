"""What an ingest is asked for, and the project and adapters it works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from citeloom.application.ingest.prepare import Tools
from citeloom.application.limits import DOCUMENT_LIMITS
from citeloom.application.ports.embedders import RemoteEmbedder
from citeloom.application.ports.records import AuditLog, ManifestStore
from citeloom.application.ports.runtime import (
    Cancellation,
    Clock,
    DiskSpace,
    Executor,
    Waiting,
    WriteLease,
)
from citeloom.application.ports.sources import SourceFiles
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.reports import WithheldRemoval, ZoteroReading
from citeloom.domain.policies import OcrOptions
from citeloom.domain.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRequest:
    """What to ingest, and how."""

    sources: tuple[str, ...] = ()
    """Files and folders; the project's configured sources when none is named."""
    force: bool = False
    """Process unchanged documents, too, and convert them anew."""
    dry_run: bool = False
    rebuild: bool = False
    """Fill a new collection and put it in the place of the old one."""
    prune: bool = False
    """Delete documents without a file, and those that are no longer in the Zotero selection."""
    drop_left: bool = False
    """Delete documents that are no longer in the Zotero selection."""
    yes: bool = False
    """Delete many at once without a confirmation."""
    confirm: Callable[[WithheldRemoval], bool] | None = None
    """Asked whether many may be deleted at once."""
    restore: bool = False
    """Index deleted documents again."""
    retry_failed: bool = False
    """Try unchanged documents again that failed before."""
    waiting: Waiting | None = None
    """Called with the owner while another process changes the project, and the run waits; without
    it the run is refused.
    """
    zotero: ZoteroReading | None = None
    """The Zotero snapshot that documents among the files come from."""
    limit: int | None = None
    """Process at most so many documents."""
    cancellation: Cancellation = field(default_factory=Cancellation)
    """Once it is requested the run ends in good order, between documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestParts:
    """The project and the adapters an ingest works with."""

    project: Project
    files: SourceFiles
    tools: Tools
    """Those of this process, which plans and stores."""
    executor: Executor[Tools]
    """Prepares documents, with tools of its own."""
    index: VectorIndex
    manifest: ManifestStore
    audit: AuditLog
    clock: Clock
    lease: WriteLease
    space: DiskSpace
    ocr_fingerprint: Callable[[OcrOptions | None], str]
    """The fingerprint of OCR with such options."""
    ocr_languages: tuple[str, ...] | None = None
    """For images of documents whose reference names no language; English and German where empty,
    and None leaves images unread.
    """
    ocr_min_confidence: float = DOCUMENT_LIMITS.ocr_min_confidence
    """Pages read with less are reported."""
    limits: str = ""
    """The fingerprint of the limits on documents."""
    remote: RemoteEmbedder | None = None
    """The service that embeds, where one does."""
    machine: Callable[[], str] | None = None
    """This machine's id, made at the first call; None where the store is not shared."""
