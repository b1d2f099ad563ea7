"""The ids that chunks have in a store."""

from __future__ import annotations

import uuid

_NAMESPACE = uuid.UUID("5b1f0f52-6d0e-5d8a-9c3e-0a7c1d5e4b21")
_UUID_LENGTH = 36


def point_id(chunk_id: str) -> str:
    """The UUID of a chunk's point, the same on every machine: its id where that is a UUID."""
    return chunk_id if _is_uuid(chunk_id) else str(uuid.uuid5(_NAMESPACE, chunk_id))


def _is_uuid(chunk_id: str) -> bool:
    if len(chunk_id) != _UUID_LENGTH:
        return False
    try:
        return str(uuid.UUID(chunk_id)) == chunk_id
    except ValueError:
        return False
