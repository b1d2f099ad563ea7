"""Where a passage can be opened, as addresses that are safe to follow and to print."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

from citeloom.domain.chunk import ChunkKind
from citeloom.domain.links import file_link, is_pdf, open_link, open_pdf_link, select_link
from citeloom.domain.passage import StoredChunk

_OWN_LIBRARY = "library"
_FOLLOWED = re.compile(r"(?:https?|file|zotero)://", re.IGNORECASE)
_KEPT = "%:/?#@!$&'*+,;=~-._"


def safe_target(address: str | None) -> str | None:
    """The address percent-encoded; None for one that is not of the web, a file or Zotero."""
    if not address or not _FOLLOWED.match(address):
        return None
    return quote(address, safe=_KEPT, errors="replace")


def links_of(stored: StoredChunk, base_dir: Path) -> dict[str, str | None]:
    """The documented links: to the file, and into Zotero; None where there is nothing to open."""
    file = link_to_file(stored, base_dir)
    return {
        "pdf": file if is_pdf(stored.source_path) else None,
        "file": file,
        "zotero": link_to_zotero(stored),
        "zotero_pdf": link_to_reader(stored) if _in_pdf(stored) else None,
        "zotero_reader": link_to_reader(stored),
    }


def link_to_file(stored: StoredChunk, base_dir: Path) -> str | None:
    """Opens the file, a PDF on the passage's first page."""
    if not stored.source_path:
        return None
    path = _encodable(stored.source_path)
    return safe_target(file_link(str(base_dir), path, _first_page(stored)))


def link_to_zotero(stored: StoredChunk) -> str | None:
    """Shows the item in Zotero, and a note itself."""
    mark, work = stored.chunk.mark, stored.citation
    if mark is not None and stored.chunk.kind is ChunkKind.NOTE:
        key: str | None = mark.key
    else:
        key = (work.item_key if work else None) or stored.attachment_key
    return safe_target(select_link(stored.zotero_library or _OWN_LIBRARY, key)) if key else None


def link_to_reader(stored: StoredChunk) -> str | None:
    """Opens a PDF of Zotero's in its reader, on the passage's first page, at the annotation; an
    EPUB or a web page only at an annotation.
    """
    library, attachment, mark = stored.zotero_library, stored.attachment_key, stored.chunk.mark
    if attachment is None or library is None:
        return None
    is_note = stored.chunk.kind is ChunkKind.NOTE
    annotation = (mark.annotation if is_note else mark.key) if mark else None
    if _in_pdf(stored):
        return safe_target(open_pdf_link(library, attachment, _first_page(stored), annotation))
    return safe_target(open_link(library, attachment, annotation)) if annotation else None


def _in_pdf(stored: StoredChunk) -> bool:
    """Whether a chunk is of a PDF; a mark in a file that is not here is, if it has a page."""
    unseen = not stored.source_path and stored.chunk.page_span is not None
    return unseen or is_pdf(stored.source_path)


def _encodable(path: str) -> str:
    """The path with a mark for each half of a character, which no system has in a name."""
    return path.encode("utf-8", "replace").decode()


def _first_page(stored: StoredChunk) -> int | None:
    return stored.chunk.page_span[0] if stored.chunk.page_span else None
