"""Where the files of attachments are, and positions within them."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from citeloom.domain.zotero.items import LinkMode

# Where the files of attachments are.

_OUTSIDE = re.compile(r"^[\\/]|^[A-Za-z]:|(^|[\\/])\.\.([\\/]|$)")
_KEY = re.compile(r"[A-Za-z0-9]{1,32}")
_ELSEWHERE = re.compile(r"[A-Za-z]:[\\/]|\\\\|/")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLocations:
    """Where Zotero keeps files: its data directory, and the base of relative links."""

    data_dir: Path
    base_dir: Path | None = None

    def path_of(self, key: str, mode: LinkMode, stored: str) -> Path | None:
        """Where a file should be, or None for a link to the web and a place unknown here."""
        if not has_file(mode) or not stored:
            return None
        linked = mode is LinkMode.LINKED_FILE
        path = self._linked(stored) if linked else self._in_storage(key, stored)
        return None if path is None else _as_spelled(path)

    def _in_storage(self, key: str, stored: str) -> Path | None:
        name = stored.removeprefix("storage:")
        if is_outside(name) or not is_key(key):
            return None
        return self.data_dir.joinpath("storage", key, name)

    def _linked(self, stored: str) -> Path | None:
        if stored.startswith("attachments:"):
            relative = stored.removeprefix("attachments:")
            known = self.base_dir is not None and not is_outside(relative)
            return self.base_dir / relative if self.base_dir and known else None
        path = Path(stored)
        return path if path.is_absolute() else None

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


def has_file(mode: LinkMode) -> bool:
    """Whether an attachment of this mode is a file that can be read by itself."""
    return mode not in (LinkMode.LINKED_URL, LinkMode.EMBEDDED_IMAGE)


def is_there(path: Path | None) -> bool:
    """Whether the file exists; one that may not be accessed counts as missing."""
    try:
        return path is not None and path.is_file()
    except OSError:
        return False


def _as_spelled(path: Path) -> Path:
    """The path as the disk has it: accents may be composed there, or decomposed as on macOS."""
    if path.name.isascii() or is_there(path):
        return path
    forms = (path.with_name(unicodedata.normalize(form, path.name)) for form in ("NFC", "NFD"))
    return next(filter(is_there, forms), path)


# Positions of annotations.

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
