"""Cached copies of libraries on the web, so that only changes are requested."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from citeloom.domain.zotero import ZoteroLibraryRef
from citeloom.infrastructure.zotero.api_client import Changes, Json

_LAYOUT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryCopy:
    """A library's entries by key at a version; of the trash only later changes."""

    version: int = 0
    items: dict[str, Json] = field(default_factory=dict)
    collections: dict[str, Json] = field(default_factory=dict)

    def with_changes(self, changes: Changes) -> LibraryCopy:
        """The library at the later version."""
        return LibraryCopy(
            version=changes.version,
            items=_changed(self.items, changes.items, changes.gone),
            collections=_changed(self.collections, changes.collections, changes.gone),
        )


@dataclass(frozen=True, slots=True)
class LibraryCopies:
    """Copies in a folder, one file per user and library; an unreadable one counts as missing."""

    folder: Path

    def load(self, user: str, library: ZoteroLibraryRef) -> LibraryCopy:
        """The stored copy, or an empty one."""
        try:
            stored = json.loads(self._file(user, library).read_text(encoding="utf-8"))
            if stored.pop("layout") == _LAYOUT:
                return LibraryCopy(**stored)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return LibraryCopy()
        return LibraryCopy()

    def save(self, user: str, library: ZoteroLibraryRef, copy: LibraryCopy) -> None:
        """Replace the stored copy atomically."""
        file = self._file(user, library)
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(".part")
        partial.write_text(json.dumps({"layout": _LAYOUT, **asdict(copy)}), encoding="utf-8")
        partial.replace(file)

    def _file(self, user: str, library: ZoteroLibraryRef) -> Path:
        name = f"group-{library.group_id}" if library.group_id else "library"
        return self.folder / f"user-{user}" / f"{name}.json"


def _changed(
    before: dict[str, Json], changed: tuple[Json, ...], gone: frozenset[str]
) -> dict[str, Json]:
    after = {**before, **{entry["key"]: entry for entry in changed}}
    return {key: entry for key, entry in after.items() if key not in gone}
