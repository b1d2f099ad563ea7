"""The rule by which documents whose files are gone are removed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from citeloom.application.ingest.catalogue import Catalogue
from citeloom.application.ingest.parts import IngestRequest
from citeloom.application.ports.source_files import SourceFiles, SourceFolder
from citeloom.application.reports import WithheldRemoval
from citeloom.domain.manifest import ManifestEntry

FEW = 2
"""So many documents of a source are removed without a confirmation, unless they are all of it."""

SHARE = 0.25
"""The share of a source's documents that is removed without a confirmation."""


def is_many(gone: int, total: int) -> bool:
    """Whether the removal of `gone` out of `total` documents of a source needs a confirmation."""
    return gone >= total or (gone > FEW and gone > SHARE * total)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalRule:
    """Divides documents without a file into those that may be removed and those that stay.

    A missing file is proof only if its source is there and can be read. A document that was named
    on its own, or whose source is no longer one, belongs to the folder of its file.
    """

    catalogue: Catalogue
    files: SourceFiles
    sources: tuple[str, ...]

    def divide(
        self, gone: Sequence[ManifestEntry], request: IngestRequest
    ) -> tuple[list[ManifestEntry], list[WithheldRemoval]]:
        """The entries to remove, and for each source whose documents stay the reason.

        Whether many documents are to be removed at once is asked of `request.confirm`, unless
        `request.yes` says so.
        """
        removed: list[ManifestEntry] = []
        withheld: list[WithheldRemoval] = []
        place_of = self._places()
        totals: dict[_Place, int] = defaultdict(int)
        groups: dict[_Place, list[ManifestEntry]] = defaultdict(list)
        for entry in self.catalogue.entries.values():
            totals[place_of(entry)] += 1
        for entry in gone:
            groups[place_of(entry)].append(entry)
        for place, entries in groups.items():
            doubt = _doubt(place, entries, totals[place])
            if doubt is None or (doubt.can_be_confirmed and _is_confirmed(doubt, request)):
                removed += entries
            else:
                withheld.append(doubt)
        return removed, withheld

    def _places(self) -> Callable[[ManifestEntry], _Place]:
        """The function that says where an entry's document comes from."""
        named = {source: self.files.folder(source) for source in self.sources}
        entries = self.catalogue.entries
        folders = [one for one in named.values() if one.name not in entries]
        folders.sort(key=lambda one: -len(PurePosixPath(one.name).parts))
        roots = [(PurePosixPath(one.name), _Place(folder=one, is_source=True)) for one in folders]
        parents: dict[PurePosixPath, _Place] = {}

        def place(entry: ManifestEntry) -> _Place:
            if entry.origin is not None:
                return _Place(folder=SourceFolder(name=entry.origin.library), in_zotero=True)
            path = PurePosixPath(entry.path)
            for root, source in roots:
                if path.is_relative_to(root):
                    return source
            if path.parent not in parents:
                parents[path.parent] = _Place(folder=self.files.folder(str(path.parent)))
            return parents[path.parent]

        return place


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A source folder, the folder of single files, or a library of Zotero's."""

    folder: SourceFolder
    is_source: bool = False
    in_zotero: bool = False


def _doubt(place: _Place, gone: Sequence[ManifestEntry], total: int) -> WithheldRemoval | None:
    """Why the documents of a place are not removed without being asked about; None if they are."""
    reason = ""
    if place.folder.fault:
        reason = place.folder.fault
    elif is_many(len(gone), total):
        without = "no longer selected" if place.in_zotero else "gone"
        reason = f"{len(gone)} of its {total} documents are {without} at once"
    if not reason:
        return None
    return WithheldRemoval(
        source=f"Zotero {place.folder.name}" if place.in_zotero else place.folder.name,
        reason=reason,
        documents=tuple(sorted(entry.path for entry in gone)),
        can_be_confirmed=not (place.is_source and place.folder.fault),
    )


def _is_confirmed(doubt: WithheldRemoval, request: IngestRequest) -> bool:
    if request.yes or request.dry_run:
        return request.yes
    return request.confirm is not None and request.confirm(doubt)
