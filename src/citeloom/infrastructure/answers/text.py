"""Text and links that may be shown: nothing in them is invisible, or acts on a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from urllib.parse import quote

from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.documents.manifest import path_of_name
from citeloom.domain.retrieval.passage import StoredChunk

# Text that may be shown: what a reader cannot see, or a terminal would obey, is not in it.

JOINERS = "\u200c\u200d"
SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Joiners and variation selectors: part of words and emoji, and of nothing else."""
INVISIBLE = (
    "\u00ad\u034f\u061c\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff0-\ufffb\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
"""Format characters that show nothing, marks and overrides of direction, tag characters."""
CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff"
"""Control characters save tab and line ends, and halves of characters."""
SEPARATORS = "\r\u2028\u2029"
"""Ends of lines and paragraphs that terminals and readers do not agree on."""

_SEQUENCE = re.compile(
    # A string (title, link, device control) with its end, a control sequence, any other escape.
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]"
)
_UNSEEN = re.compile(f"[{INVISIBLE}]")
_CONTROL = re.compile(f"[{CONTROLS}]")
_SEPARATOR = re.compile(f"\r\n|[{SEPARATORS}\x0b\x0c\x85]")
_ATTACHED = re.compile(f"[{JOINERS}{SELECTORS}]+")
SUSPECT = re.compile(f"[{CONTROLS}{INVISIBLE}{SEPARATORS}{JOINERS}{SELECTORS}]")
_REPLACEMENT = "\ufffd"


def printable(text: str) -> str:
    """The text without anything that a terminal obeys or a reader cannot see.

    Escape sequences, marks of direction and invisible characters are left out, other control
    characters leave a replacement character. Tabs and line ends stay, and so do joiners within
    words and emoji.
    """
    if not SUSPECT.search(text):
        return text
    text = _SEQUENCE.sub("", text)
    text = _SEPARATOR.sub(lambda end: "\n" if end[0] == "\r\n" else " ", text)
    text = _CONTROL.sub(_REPLACEMENT, _UNSEEN.sub("", text))
    return _ATTACHED.sub(_attached, text)


def counted(number: int, noun: str) -> str:
    """The number and the noun, in the plural unless it is one: `1 page`, `0 pages`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def tally(counts: Mapping[str, int]) -> str:
    """Each name with its number, but for those that there are none of: `3 near, 1 wrong page`."""
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items() if count)


def some(texts: Sequence[str], most: int, between: str = ", ") -> str:
    """The first texts, and a mark where there are more."""
    return between.join((*texts[:most], "…") if len(texts) > most else texts)


def one_line(text: str) -> str:
    """The printable text on one line, so that no title or name passes for a line of its own."""
    return printable(text).replace("\n", " ").replace("\t", " ")


def _attached(run: re.Match[str]) -> str:
    """Of such characters in a row the joiners between two that they can join, and the selectors
    behind one that they select.
    """
    text, shown = run.string, ""
    before = text[run.start() - 1] if run.start() else ""
    for at, char in enumerate(run[0], run.start() + 1):
        joins = char in JOINERS and _joins(before) and _joins(text[at : at + 1])
        if joins or (char not in JOINERS and _is_selectable(char, before)):
            shown += char
            before = char
    return shown


def _joins(char: str) -> bool:
    """Whether a joiner may stand beside: letters, marks, emoji and their skin tones."""
    return bool(char) and unicodedata.category(char) in _JOINED and char not in JOINERS


def _is_selectable(selector: str, before: str) -> bool:
    """Whether the selector says how the character before is drawn: emoji, or Chinese characters."""
    if not before or _ATTACHED.match(before):
        return False
    if selector > "\uffff":
        return unicodedata.name(before, "").startswith("CJK")
    return before in "#*0123456789" or unicodedata.category(before)[0] in "LMS"


_JOINED = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "So", "Sk"})


# Links to a work in Zotero, and to the page of a file.

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


def select_link(library: str, key: str) -> str:
    """The link that shows an item or a note in Zotero; `library` is `library` or `groups/ID`."""
    return f"zotero://select/{library}/items/{key}"


def open_pdf_link(
    library: str, attachment: str, page: int | None = None, annotation: str | None = None
) -> str:
    """The link that opens a PDF in Zotero's reader at a physical page (from 1) or annotation."""
    parameters = {"page": page, "annotation": annotation}
    query = "&".join(f"{name}={value}" for name, value in parameters.items() if value)
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
    return path.lower().endswith(".pdf")


def pure_path(path: str) -> PurePath:
    """The path in the flavour of its system, Windows or POSIX."""
    return PureWindowsPath(path) if _WINDOWS.match(path) else PurePosixPath(path)


# Where a passage can be opened, as addresses that are safe to follow and to print.

_OWN_LIBRARY = "library"
_FOLLOWED = re.compile(r"(?:https?|file|zotero)://", re.IGNORECASE)
_KEPT = "%:/?#@!$&'*+,;=~-._"


def safe_target(address: str | None) -> str | None:
    """The address percent-encoded; None for one that is not of the web, a file or Zotero."""
    if not address or not _FOLLOWED.match(address):
        return None
    return quote(address, safe=_KEPT, errors="replace")


def link_to_file(stored: StoredChunk, base_dir: Path, page: int | None = None) -> str | None:
    """Opens the file, a PDF on this page, or else on the passage's first."""
    if not stored.source_path:
        return None
    return link_to_place(stored.source_path, page or first_page(stored), base_dir)


def link_to_place(path: str, page: int | None, base_dir: Path) -> str | None:
    """Opens a file, a PDF on this page. Half a character, which no name has, is left as a mark."""
    encodable = path.encode("utf-8", "replace").decode()
    return safe_target(file_link(str(base_dir), path_of_name(encodable), page))


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
    if in_pdf(stored):
        return safe_target(open_pdf_link(library, attachment, first_page(stored), annotation))
    return safe_target(open_link(library, attachment, annotation)) if annotation else None


def in_pdf(stored: StoredChunk) -> bool:
    """Whether a chunk is of a PDF; a mark in a file that is not here is, if it has a page."""
    unseen = not stored.source_path and stored.chunk.page_span is not None
    return unseen or is_pdf(stored.source_path)


def first_page(stored: StoredChunk) -> int | None:
    return stored.chunk.page_span[0] if stored.chunk.page_span else None
