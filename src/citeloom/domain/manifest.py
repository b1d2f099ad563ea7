"""The catalogue of a project's documents and what became of each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum


class Status(str, Enum):
    """A document's life: `pending → processing → indexed | failed`."""

    PENDING = "pending"
    PROCESSING = "processing"
    INDEXED = "indexed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestEntry:
    """One source file of one project.

    A document counts as unchanged while its content hash, the fingerprint of every policy and
    model it went through, and the collection's generation are what they were. `references` is
    the fingerprint of the reference library it was last matched against, `citation` that of the
    reference it got. `body_share` is the share of its body text that its chunks hold. `error`
    holds a code and a message for a failed document.
    """

    project_id: str
    path: str
    status: Status
    content_hash: str = ""
    doc_id: str = ""
    size: int = 0
    modified_ns: int = 0
    fingerprint: str = ""
    generation: str = ""
    references: str = ""
    citekey: str | None = None
    citation: str = ""
    chunks: int = 0
    pages: int = 0
    body_share: float = 1.0
    error_code: str | None = None
    error: str | None = None
    updated_at: datetime | None = None
