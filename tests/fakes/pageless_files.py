"""Files whose pages cannot be read, each with the error that says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from citeloom.domain.errors import (
    CiteloomError,
    EncryptedDocument,
    UnreadableDocument,
    UnsupportedFormat,
)

PAGELESS: Mapping[str, CiteloomError] = {
    "locked.pdf": EncryptedDocument("locked"),
    "broken.pdf": UnreadableDocument("broken"),
    "note.md": UnsupportedFormat("no pages"),
}
REFUSED = [(name, type(error)) for name, error in PAGELESS.items()] + [
    ("missing.pdf", UnreadableDocument)
]
"""Each name with its error, and that of a file which is not there."""


def write_pageless(folder: Path, draw: Callable[[Canvas], None]) -> None:
    """Write the files; `draw` draws the pages of the one that is locked."""
    canvas = Canvas(str(folder / "locked.pdf"), encrypt=StandardEncryption("key"))
    draw(canvas)
    canvas.save()
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and no more")
    (folder / "note.md").write_text("# No pages", encoding="utf-8")
