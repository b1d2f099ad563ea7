"""Where the files of attachments are."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from citeloom.domain.zotero import LinkMode

_OUTSIDE = re.compile(r"^[\\/]|^[A-Za-z]:[\\/]|(^|[\\/])\.\.([\\/]|$)")
_ELSEWHERE = re.compile(r"[A-Za-z]:[\\/]|\\\\|/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where Zotero keeps files: its data directory, and the base of relative links."""

    data_dir: Path
    base_dir: Path | None = None

    def path_of(self, key: str, mode: LinkMode, stored: str) -> Path | None:
        """Where a file should be, or None for a link to the web and a place unknown here."""
        if not has_file(mode) or not stored:
            return None
        if mode is not LinkMode.LINKED_FILE:
            name = stored.removeprefix("storage:")
            leads_out = _OUTSIDE.search(name)
            return None if leads_out else _as_spelled(self.data_dir.joinpath("storage", key, name))
        if stored.startswith("attachments:"):
            relative = PurePosixPath(stored.removeprefix("attachments:"))
            return _as_spelled(self.base_dir / relative) if self.base_dir else None
        path = Path(stored)
        return _as_spelled(path) if path.is_absolute() else None

    def flaw_of(self, stored: str) -> str:
        """Why a file's place cannot be known."""
        if not stored:
            return "names no file"
        if stored.startswith("storage:"):
            return f"names a file outside its folder: {stored}"
        if stored.startswith("attachments:") and self.base_dir is None:
            return "is linked below a base directory that is not known: set base_dir in [zotero]"
        if _ELSEWHERE.match(stored):
            return f"is linked to a path of another system: {stored}"
        return f"is linked to a path that says not where it begins: {stored}"


def has_file(mode: LinkMode) -> bool:
    """Whether an attachment of this mode is a file that can be read by itself."""
    return mode not in (LinkMode.LINKED_URL, LinkMode.EMBEDDED_IMAGE)


def is_there(path: Path | None) -> bool:
    """Whether there is such a file; one that may not be looked at counts as missing."""
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
