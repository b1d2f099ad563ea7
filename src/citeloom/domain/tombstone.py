"""Tombstones of deleted documents, and intents of unfinished writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """A deleted document: its content is not indexed again until it is restored.

    Until it is `finished`, remaining chunks of the document must be deleted.
    """

    project_id: str
    doc_id: str
    path: str
    citekey: str | None = None
    created_at: datetime | None = None
    finished: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteIntent:
    """A write of new content that is about to start, or was running when a run was killed.

    It proves that chunks of this document and path were written by this project's own run.
    `generation` is that of the target collection.
    """

    project_id: str
    path: str
    doc_id: str
    generation: str
