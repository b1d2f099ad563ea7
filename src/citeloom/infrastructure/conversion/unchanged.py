"""Whether a file still has the bytes it is named by."""

from __future__ import annotations

import hashlib

from citeloom.application.ports.document_converter import Source
from citeloom.domain.errors import SourceChanged, UnreadableDocument

_BLOCK = 1 << 20


def check_unchanged(source: Source) -> None:
    """Raise `SourceChanged` when the file has other bytes than the source says, and
    `UnreadableDocument` when it cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with source.path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise UnreadableDocument(
            f"the file cannot be read: {error.strerror}", "Check its permissions."
        ) from error
    if digest.hexdigest() != source.content_hash:
        raise SourceChanged(
            f"{source.path.name} changed while it was read",
            "Run the command again once nothing writes to the file.",
        )
