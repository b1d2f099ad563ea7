"""Sources as an ingest makes them: named by the hash of their bytes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from citeloom.application.ports.conversion import SourceFile


def source_of(path: Path) -> SourceFile:
    """The source for the file as it is now; a missing file hashes as an empty one."""
    content = path.read_bytes() if path.is_file() else b""
    digest = hashlib.sha256(content).hexdigest()
    return SourceFile(path=path, doc_id=digest[:16], content_hash=digest)


def write_source(path: Path, text: str) -> SourceFile:
    """Write a text file and name it as a source."""
    path.write_text(text, encoding="utf-8")
    return source_of(path)
