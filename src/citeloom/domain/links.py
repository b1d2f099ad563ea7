"""Links to a work in Zotero, and to the page of a file."""

from __future__ import annotations

import re
from pathlib import PurePath, PurePosixPath, PureWindowsPath

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


def select_link(library: str, key: str) -> str:
    """The link that shows an item or a note in Zotero; `library` is `library` or `groups/ID`."""
    return f"zotero://select/{library}/items/{key}"


def open_pdf_link(
    library: str, attachment: str, page: int | None = None, annotation: str | None = None
) -> str:
    """The link that opens a PDF in Zotero's reader at a physical page (from 1) or annotation."""
    asked = {"page": page, "annotation": annotation}
    query = "&".join(f"{name}={value}" for name, value in asked.items() if value)
    return f"zotero://open-pdf/{library}/items/{attachment}" + (f"?{query}" if query else "")


def open_link(library: str, attachment: str, annotation: str) -> str:
    """The link that opens an attachment of any format in Zotero 7's reader at an annotation."""
    return f"zotero://open/{library}/items/{attachment}?annotation={annotation}"


def file_link(base: str, path: str, page: int | None = None) -> str:
    """The link that opens a file, by a path of any system; relative ones start at `base`.

    A PDF opens at its physical `page` (from 1); other formats ignore it.
    """
    place = pure_path(base) / path if not _WINDOWS.match(path) else pure_path(path)
    return f"{place.as_uri()}#page={page}" if page and is_pdf(path) else place.as_uri()


def is_pdf(path: str) -> bool:
    """Whether a path names a PDF."""
    return path.lower().endswith(".pdf")


def pure_path(path: str) -> PurePath:
    """The path in the flavour of its system, Windows or POSIX."""
    return PureWindowsPath(path) if _WINDOWS.match(path) else PurePosixPath(path)
