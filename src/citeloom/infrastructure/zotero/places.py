"""Where the files of attachments are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from citeloom.domain.zotero import LinkMode

_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where Zotero keeps files: its data directory, and the base of relative links."""

    data_dir: Path
    base_dir: Path | None = None

    def path_of(self, key: str, mode: LinkMode, stored: str) -> Path | None:
        """Where a file should be, or None for a link to the web and a place unknown here."""
        if mode in (LinkMode.LINKED_URL, LinkMode.EMBEDDED_IMAGE) or not stored:
            return None
        if mode is not LinkMode.LINKED_FILE:
            return self.data_dir / "storage" / key / stored.removeprefix("storage:")
        if stored.startswith("attachments:"):
            relative = PurePosixPath(stored.removeprefix("attachments:"))
            return self.base_dir / relative if self.base_dir else None
        path = Path(stored)
        return path if path.is_absolute() else None

    def flaw_of(self, stored: str) -> str:
        """Why a linked file's place cannot be known."""
        if stored.startswith("attachments:") and self.base_dir is None:
            return "is linked relative to a base directory, and none is set"
        if _DRIVE.match(stored):
            return f"is linked to a path of another system: {stored}"
        return f"is linked to a path that says not where it begins: {stored}"
