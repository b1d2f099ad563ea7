"""The project and adapters an ingest works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from citeloom.application.ingest.prepare import Tools
from citeloom.application.limits import DOCUMENT_LIMITS
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.embedders import RemoteEmbedder
from citeloom.application.ports.records import AuditLog
from citeloom.application.ports.runtime import DiskSpace, Executor, WriteLease
from citeloom.domain.policies import OcrOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestParts:
    """The project and the adapters an ingest works with."""

    project: OpenProject
    tools: Tools
    """Those of this process, which plans and stores."""
    executor: Executor[Tools]
    """Prepares documents, with tools of its own."""
    audit: AuditLog
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
