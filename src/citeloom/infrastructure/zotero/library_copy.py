"""A library on the web as it was last read, so that only what has changed is asked for."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from citeloom.domain.zotero import ZoteroLibraryRef
from citeloom.infrastructure.zotero.api_client import Changes, Json

_LAYOUT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryCopy:
    """A library's entries by key, as of a version; of the bin only what has changed since."""

    version: int = 0
    items: dict[str, Json] = field(default_factory=dict)
    collections: dict[str, Json] = field(default_factory=dict)

    def with_changes(self, changes: Changes) -> LibraryCopy:
        """The library as of the later version."""
        return LibraryCopy(
            version=changes.version,
            items=_changed(self.items, changes.items, changes.gone),
            collections=_changed(self.collections, changes.collections, changes.gone),
        )


@dataclass(frozen=True, slots=True)
class LibraryCopies:
    """Copies in a folder, a file a library and user; one that cannot be read counts as none."""

    folder: Path

    def load(self, user: str, library: ZoteroLibraryRef) -> LibraryCopy:
        """The copy there is, or an empty one."""
        try:
            stored = json.loads(self._file(user, library).read_text(encoding="utf-8"))
            if stored.pop("layout") == _LAYOUT:
                return LibraryCopy(**stored)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return LibraryCopy()
        return LibraryCopy()

    def save(self, user: str, library: ZoteroLibraryRef, copy: LibraryCopy) -> None:
        """Keep a copy in place of the one before; a reader sees either whole."""
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
