"""The use case `ingest --zotero`, and `sync`, which repeats it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from citeloom.application.events import ReadEvent, no_reader
from citeloom.application.ingest.ingest_run import ingest, optimize_stored
from citeloom.application.ingest.plan import IngestParts
from citeloom.application.ports.embedders import usage_of
from citeloom.application.ports.sources import (
    FoundFile,
    SourceFiles,
    SourceFolder,
    SourceListing,
    ZoteroLibrary,
)
from citeloom.application.reports import IngestReport, MarkCounts
from citeloom.application.requests.ingest import IngestRequest
from citeloom.application.zotero.browse import hints_below
from citeloom.application.zotero.index_annotations import IndexMarks
from citeloom.application.zotero.snapshot import ZoteroDocument, ZoteroSnapshot, take_snapshot
from citeloom.domain.errors import ConfigError, SourceUnavailable
from citeloom.domain.references.citation import ZoteroOrigin
from citeloom.domain.zotero.selection import (
    NamedInZotero,
    ZoteroReading,
    ZoteroSelection,
    kept_by_key,
    renamed_collections,
    renamed_searches,
)

# The documents of a Zotero selection as source files.


class ItemFiles(SourceFiles):
    """Lists every document of a snapshot first, then the files of the named sources."""

    def __init__(self, snapshot: ZoteroSnapshot, disk: SourceFiles) -> None:
        self._snapshot = snapshot
        self._disk = disk
        self._paths: dict[str, Path] = {}

    def find(self, sources: Sequence[str], suffixes: frozenset[str]) -> SourceListing:
        documents = self._snapshot.documents.items()
        convertible = {
            path: document for path, document in documents if path.suffix.lower() in suffixes
        }
        items: dict[Path, FoundFile] = {}
        found = {
            file.path: file for file in self._disk.find([*map(str, convertible)], frozenset()).files
        }
        for path, document in convertible.items():
            attachment, item = document.attachment, document.item
            origin = ZoteroOrigin(
                library=attachment.library.path,
                attachment_key=attachment.key,
                item_key=item.key if item else None,
            )
            file = found.get(path) or next(
                iter(self._disk.find([str(path)], frozenset()).files), None
            )
            if file is not None:
                items[path] = replace(file, origin=origin, citation=document.citation)
        others_of_items = Counter(
            path.suffix.lower() for path, _ in documents if path not in convertible
        )
        vanished = {path: document for path, document in convertible.items() if path not in items}
        others = self._disk.find(sources, suffixes)
        self._paths = {file.name: path for path, file in items.items()}
        return SourceListing(
            files=(
                *items.values(),
                *(file for file in others.files if file.name not in self._paths),
            ),
            missing=(*map(str, vanished), *others.missing),
            skipped=others.skipped,
            unreadable=others.unreadable,
            ignored=others.ignored + others_of_items.total(),
            other_kinds=others_of_items + Counter(others.other_kinds),
            absent=frozenset(
                (document.attachment.library.path, document.attachment.key)
                for document in (*self._snapshot.missing, *vanished.values())
            ),
            refused=self._snapshot.refused,
        )

    def with_copies(self, duplicates: Mapping[str, str]) -> ZoteroSnapshot:
        """The snapshot with the `duplicates` of a run, by name, shared with what is indexed."""
        known = self._paths
        return self._snapshot.with_copies(
            {
                known[n]: known[first]
                for n, first in duplicates.items()
                if {n, first} <= known.keys()
            }
        )

    def folder(self, source: str) -> SourceFolder:
        return self._disk.folder(source)

    def content_hash(self, path: Path) -> str:
        return self._disk.content_hash(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestZotero:
    """Ingests the documents of a Zotero selection, each cited as its item."""

    parts: IngestParts
    reach: Callable[[], ZoteroLibrary]

    def __call__(
        self,
        request: IngestRequest,
        selection: ZoteroSelection,
        send: ReadEvent = no_reader,
    ) -> IngestReport:
        """Run the ingest, and store the selection.

        Raises what `Ingest` and `ZoteroLibrary` raise, `NotFound` for an unknown library or
        collection, and `SourceUnavailable` when the selection is empty although documents from
        Zotero are indexed; the index is then unchanged.
        """
        if request.dry_run:
            return self._run(request, selection, send)
        with self.parts.lease.hold(self.parts.project.id, waiting=request.waiting):
            return self._run(request, selection, send)

    def sync(
        self,
        request: IngestRequest,
        send: ReadEvent = no_reader,
        *,
        annotations: bool | None = None,
        notes: bool | None = None,
    ) -> IngestReport:
        """Synchronise the index with the project's Zotero selection, and delete documents that left
        it.

        The selection is the configured one, or else that of the last ingest from Zotero, with or
        without annotations and notes where these are given. Raises `ConfigError` without a
        selection.
        """
        project = self.parts.project
        selection = project.settings.zotero or project.manifest.selection(project.id)
        if selection is None:
            raise ConfigError(
                f"project '{project.id}' has no selection of Zotero items to follow",
                f'Add a table [project."{project.id}".zotero], or begin with: '
                f"citeloom ingest --project {project.id} --zotero",
            )
        followed = selection.with_marks(annotations, notes)
        return self(replace(request, drop_left=True), followed, send)

    def _run(
        self, request: IngestRequest, selection: ZoteroSelection, send: ReadEvent
    ) -> IngestReport:
        project = self.parts.project
        manifest = project.manifest
        selection = selection.recalling(manifest.selection(project.id))
        snapshot = take_snapshot(self.reach(), selection)
        indexed = 0
        if not snapshot.documents and not snapshot.missing:
            indexed = sum(entry.origin is not None for entry in project.entries())
        if indexed:
            raise SourceUnavailable(
                f"Zotero ({snapshot.source}) has no document of the selection, but {indexed} "
                "of its documents are indexed; nothing was changed",
                "Look at `citeloom zotero collections`. If the documents are to go, take them out "
                "with `citeloom delete`.",
            )
        if not request.dry_run:
            manifest.select(project.id, kept_by_key(selection, snapshot.contents))
        files = ItemFiles(snapshot, project.files)
        reading = _reading(snapshot, selection)
        parts = replace(self.parts, project=replace(project, files=files))
        report = ingest(parts, replace(request, reading=reading), send)
        used = usage_of(self.parts.remote)
        if report.withheld:  # what was not removed keeps its annotations and notes
            request = replace(request, drop_left=False, prune=False)
        copied = files.with_copies(report.duplicates)
        counts = IndexMarks(self.parts)(copied, selection, request)
        marks = {kind: value for kind, value in counts.items() if value != MarkCounts()}
        if marks and not request.dry_run:
            figures = {kind: asdict(value) for kind, value in marks.items()}
            self.parts.audit.append(project.id, {"event": "marks", **figures})
        usage = report.usage + usage_of(self.parts.remote).since(used)
        report = replace(report, marks=marks, usage=usage)
        if any(counts.indexed for counts in marks.values()):
            reason = optimize_stored(project.index, project.collection)
            return replace(report, not_optimized=reason)
        return report


def _reading(snapshot: ZoteroSnapshot, selection: ZoteroSelection) -> ZoteroReading:
    sharing = (document for others in snapshot.sharing.values() for document in others)
    renamed = {
        "collection": renamed_collections(selection, snapshot.contents),
        "saved search": renamed_searches(selection, snapshot.contents),
    }
    renamings = (
        f"The {kind} '{name}' is called '{now}' now; it is selected as before."
        for kind, renamings in renamed.items()
        for name, now in renamings
    )
    return ZoteroReading(
        source=snapshot.source,
        selection=selection,
        documents=len(snapshot.documents),
        warnings=(*snapshot.warnings, *renamings, *hints_below(selection, snapshot.contents)),
        missing=_named(snapshot.missing),
        without_file=tuple(
            NamedInZotero(
                library=item.library.path,
                title=item.title,
                citekey=item.citekey or None,
                item_key=item.key,
            )
            for item in snapshot.without_file
        ),
        sharing=_named(sharing),
        generated_citekeys=len(
            {
                document.citation.citekey
                for document in snapshot.documents.values()
                if document.citation and document.citation.citekey_generated
            }
        ),
        flaws=snapshot.flaws,
    )


def _named(documents: Iterable[ZoteroDocument]) -> tuple[NamedInZotero, ...]:
    return tuple(
        NamedInZotero(
            library=document.attachment.library.path,
            title=document.item.title if document.item else document.attachment.title,
            citekey=(
                document.citation.citekey
                if document.citation and not document.citation.citekey_generated
                else None
            ),
            item_key=document.item.key if document.item else None,
            attachment_key=document.attachment.key,
            path=str(document.attachment.path or document.attachment.stored_path),
        )
        for document in documents
    )
