"""What is remembered of deleted documents and of writes that are under way."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """A document the user deleted: its content is not indexed again until it is restored.

    Until it is `finished` it also proves that what the index still holds of it has to go.
    """

    project_id: str
    doc_id: str
    path: str
    citekey: str | None = None
    created_at: datetime | None = None
    finished: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteIntent:
    """New content of a path that is about to be stored, or was when a run was killed.

    It proves that chunks of the document that come from the path are of one's own making.
    `generation` is that of the collection they were to go into.
    """

    project_id: str
    path: str
    doc_id: str
    generation: str
