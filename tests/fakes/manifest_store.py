"""An in-memory `ManifestStore`."""

from __future__ import annotations

from dataclasses import astuple

from citeloom.application.ports.records import ManifestStore
from citeloom.domain.documents.manifest import ManifestEntry, Tombstone, WriteIntent
from citeloom.domain.zotero.selection import ZoteroSelection


class InMemoryManifest(ManifestStore):
    """Keeps entries in a dictionary; `puts` has every entry ever put, in order."""

    def __init__(self, *entries: ManifestEntry) -> None:
        self._entries: dict[tuple[str, str], ManifestEntry] = {}
        self._tombstones: dict[tuple[str, str], Tombstone] = {}
        self._intents: set[tuple[str, str, str, str]] = set()
        self._selections: dict[str, ZoteroSelection] = {}
        self.puts: list[ManifestEntry] = []
        self.damaged = ""
        for entry in entries:
            self._entries[entry.project_id, entry.path] = entry

    def get(self, project_id: str, path: str) -> ManifestEntry | None:
        return self._entries.get((project_id, path))

    def put(self, *entries: ManifestEntry) -> None:
        self._entries |= {(entry.project_id, entry.path): entry for entry in entries}
        self.puts += entries

    def remove(self, project_id: str, *paths: str) -> None:
        for path in paths:
            self._entries.pop((project_id, path), None)

    def entries(self, project_id: str) -> list[ManifestEntry]:
        mine = [entry for entry in self._entries.values() if entry.project_id == project_id]
        return sorted(mine, key=lambda entry: entry.path)

    def damage(self) -> str:
        return self.damaged

    def set_aside(self) -> str:
        self._entries.clear()
        self.damaged = ""
        return "manifest.damaged-1"

    def tombstones(self, project_id: str) -> list[Tombstone]:
        mine = [one for one in self._tombstones.values() if one.project_id == project_id]
        return sorted(mine, key=lambda one: one.doc_id)

    def put_tombstones(self, *tombstones: Tombstone) -> None:
        self._tombstones |= {(one.project_id, one.doc_id): one for one in tombstones}

    def remove_tombstones(self, project_id: str, *doc_ids: str) -> None:
        for doc_id in doc_ids:
            self._tombstones.pop((project_id, doc_id), None)

    def intents(self, project_id: str) -> list[WriteIntent]:
        return [
            WriteIntent(project_id=project, path=path, doc_id=doc_id, generation=generation)
            for project, path, doc_id, generation in sorted(self._intents)
            if project == project_id
        ]

    def put_intents(self, *intents: WriteIntent) -> None:
        self._intents |= {astuple(one) for one in intents}

    def remove_intents(self, *intents: WriteIntent) -> None:
        self._intents -= {astuple(one) for one in intents}

    def selection(self, project_id: str) -> ZoteroSelection | None:
        return self._selections.get(project_id)

    def select(self, project_id: str, selection: ZoteroSelection) -> None:
        self._selections[project_id] = selection

    def close(self) -> None:
        """Nothing is open: the entries stay."""
