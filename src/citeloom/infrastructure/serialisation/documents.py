"""The documented JSON of a project's documents."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.application.listing import ListedDocument
from citeloom.domain.manifest import DocumentState


def manifest_json(documents: Sequence[ListedDocument]) -> dict[str, object]:
    """The manifest of the indexed files: hash, time of the last ingest and number of chunks."""
    indexed = [one for one in documents if one.state is DocumentState.INDEXED]
    moments = [one.updated_at for one in documents if one.updated_at]
    return {
        "files": {
            one.path: {
                "content_hash": one.content_hash,
                "last_ingested_at": one.updated_at and one.updated_at.isoformat(),
                "chunk_count": one.chunks,
            }
            for one in indexed
        },
        "last_run": max(moments).isoformat() if moments else None,
    }
