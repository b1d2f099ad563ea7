"""What the database and the API have in common: where the files of attachments are, positions
within them, and how times and relations are written.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TypedDict

from citeloom.domain.zotero.items import (
    FILELESS,
    LinkMode,
    ZoteroLibraryRef,
    ZoteroTag,
)

# Where the files of attachments are.

_OUTSIDE = re.compile(r"^[\\/]|^[A-Za-z]:|(^|[\\/])\.\.([\\/]|$)")
_KEY = re.compile(r"[A-Za-z0-9]{1,32}")
_ELSEWHERE = re.compile(r"[A-Za-z]:[\\/]|\\\\|/")
_RELATED = re.compile(r"/items/([A-Z0-9]{8})$")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLocations:
    """Where Zotero keeps files: its data directory, and the base of relative links."""

    data_dir: Path
    base_dir: Path | None = None

    def path_of(self, key: str, mode: LinkMode, stored: str) -> Path | None:
        """Where a file should be, or None for a link to the web and a place unknown here."""
        if mode in FILELESS or not stored:
            return None
        path: Path | None = None
        if mode is not LinkMode.LINKED_FILE:
            name = stored.removeprefix("storage:")
            if is_key(key) and not is_outside(name):
                path = self.data_dir.joinpath("storage", key, name)
        elif stored.startswith("attachments:"):
            relative = stored.removeprefix("attachments:")
            if self.base_dir is not None and not is_outside(relative):
                path = self.base_dir / relative
        elif Path(stored).is_absolute():
            path = Path(stored)
        if path is None or path.name.isascii() or is_there(path):
            return path
        # accents may be composed on the disk, or decomposed as on macOS
        forms = (path.with_name(unicodedata.normalize(form, path.name)) for form in ("NFC", "NFD"))
        return next(filter(is_there, forms), path)

    def flaw_of(self, stored: str) -> str:
        """Why a file's place cannot be known."""
        if not stored:
            return "names no file"
        kind, _, name = stored.partition(":")
        if kind == "storage" or (kind == "attachments" and is_outside(name)):
            return f"names a file outside its folder: {stored}"
        if stored.startswith("attachments:") and self.base_dir is None:
            return "is linked below a base directory that is not known: set base_dir in [zotero]"
        if _ELSEWHERE.match(stored):
            return f"is linked to a path of another system: {stored}"
        return f"is linked to a path that says not where it begins: {stored}"


def is_outside(name: str) -> bool:
    """Whether a name would lead out of its folder, on this system or another."""
    return "\0" in name or _OUTSIDE.search(name) is not None


def is_key(key: str) -> bool:
    """Whether Zotero could have given the key, so that it may name a folder."""
    return _KEY.fullmatch(key) is not None


def is_there(path: Path | None) -> bool:
    """Whether the file exists; one that may not be accessed counts as missing."""
    try:
        return path is not None and path.is_file()
    except OSError:
        return False


# How positions of annotations, times and relations are written.

Rects = tuple[tuple[float, float, float, float], ...]


def position_of(place: str) -> tuple[int | None, Rects]:
    """The page (from 0) and the rectangles of an annotation; EPUBs and web pages have neither."""
    try:
        position = json.loads(place)
    except ValueError:
        return None, ()
    if not isinstance(position, dict) or not isinstance(position.get("pageIndex"), int):
        return None, ()
    rects = position.get("rects", ())
    whole = (rect for rect in rects if isinstance(rect, list) and len(rect) == 4)
    return position["pageIndex"], tuple((left, low, right, top) for left, low, right, top in whole)


@lru_cache(4096)
def moment(stamp: str | None) -> datetime | None:
    """A time as Zotero writes it, in UTC; None if it is not one. What is imported together, or was
    never changed, has the same time again.
    """
    try:
        return datetime.fromisoformat(f"{(stamp or '')[:19]}+00:00")
    except ValueError:
        return None


def related_keys(uris: Iterable[str]) -> tuple[str, ...]:
    """The keys of the items that relations lead to."""
    return tuple(match[1] for uri in uris if (match := _RELATED.search(uri)))


class EntryFields(TypedDict):
    """The fields of a `ZoteroObject`."""

    library: ZoteroLibraryRef
    key: str
    tags: tuple[ZoteroTag, ...]
    collections: tuple[str, ...]
    added: datetime | None
    modified: datetime | None
    version: int
