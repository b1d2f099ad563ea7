"""What a run deletes: chunks with proof that they are outdated, and documents whose files are gone,
by a rule.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from citeloom.application.collection import Target, is_of_others, stored_documents
from citeloom.application.ingest.record import RunContext
from citeloom.application.ingest.write import ChunkWriter, Writer
from citeloom.application.ports.sources import SourceFolder
from citeloom.application.reports import OutcomeState
from citeloom.domain.documents.manifest import ManifestEntry, WithheldRemoval
from citeloom.domain.errors import IndexUnavailable

# Deletion of outdated chunks from the index.


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleanup:
    """Deletes chunks, each with proof that they are outdated."""

    writer: Writer
    target: Target

    @property
    def chunks(self) -> ChunkWriter:
        return self.writer.chunks

    @property
    def run(self) -> RunContext:
        return self.writer.run

    def prune(self, entries: list[ManifestEntry]) -> None:
        """Delete documents and their entries."""
        self.writer.drop(entries)
        if self.target.staged:  # in the collection to be replaced, too
            chunks = replace(self.chunks, name=self.target.collection)
            stored = self._replaced_documents() & {entry.doc_id for entry in entries}
            for doc_id in sorted(stored - self.run.manifest.doc_ids(without=entries)):
                chunks.delete(doc_id)
                chunks.flush()
        self.run.manifest.remove(entries)
        for entry in entries:
            self.run.record.set(entry.path, state=OutcomeState.PRUNED, citekey=entry.citekey)

    def delete_leftovers(self) -> None:
        """Delete chunks that a killed run stored and whose files have changed since.

        Its write intent proves that they are this project's own; a missing entry proves nothing.
        """
        intents = self.run.manifest.intents()
        if not intents:
            return
        here = [intent for intent in intents if intent.generation == self.target.generation]
        listed, indexed = self.run.manifest.doc_ids(), self.run.manifest.indexed_ids()
        stale = [intent for intent in here if intent.doc_id not in listed]
        for intent in stale:
            self.run.record.chunks_removed(self.chunks.delete(intent.doc_id, intent.path))
        if stale:
            self.chunks.flush()
        name = self.target.collection
        bound = (self.chunks.index.binding(name), self.chunks.index.staged(name))
        current = {collection.generation for collection in bound if collection is not None}
        void = {intent.generation for intent in intents} - current - {self.target.generation}
        self.run.manifest.remove_intents(
            *stale,
            *(intent for intent in here if intent.doc_id in indexed),
            *(intent for intent in intents if intent.generation in void),
        )

    def promote(self, deleted: AbstractSet[str]) -> None:
        """Swap the rebuilt collection in if nothing the old one holds would be lost; documents
        `deleted` after they were stored in it go first.
        """
        self.writer.delete(self._stored_in(self.target.name) & deleted)
        not_rebuilt, of_others = self._not_rebuilt()
        if not not_rebuilt:
            self.chunks.index.promote(self.target.collection)
        self.run.record.note(
            promoted=not not_rebuilt,
            left_behind=not_rebuilt,
            left_behind_of_other_machines=of_others,
        )

    def _not_rebuilt(self) -> tuple[tuple[str, ...], int]:
        """Paths of documents that the new collection lacks, and how many are other machines'."""
        entries, machine = self.run.manifest.entries, self.chunks.machine
        rebuilt = ("", self.target.generation)
        outdated = [entry.path for entry in entries.values() if entry.generation not in rebuilt]
        left_behind, of_others = dict.fromkeys(outdated), dict[str, None]()
        for doc_id in sorted(self._replaced_documents() - self._stored_in(self.target.name)):
            examined = self.chunks.index.examine(self.target.collection, self.chunks.of(doc_id))
            stored_chunks = (chunk.stored for chunk in examined if chunk.stored)
            paths = {stored.source_path: is_of_others(stored, machine) for stored in stored_chunks}
            for path, is_others in sorted(paths.items()):
                entry = entries.get(path)
                if is_others:
                    of_others[path] = None
                elif entry is None or entry.generation != self.target.generation:
                    left_behind[path] = None
        return tuple(left_behind | of_others), len(of_others)

    def _replaced_documents(self) -> AbstractSet[str]:
        """The documents of the collection to be replaced; none if it is unreadable."""
        try:
            return self._stored_in(self.target.collection)
        except IndexUnavailable:
            return frozenset()

    def _stored_in(self, name: str) -> AbstractSet[str]:
        return stored_documents(self.chunks.index, name, self.chunks.project_id).keys()


# The rule by which documents whose files are gone are removed.

FEW = 2
"""So many documents of a source are removed without a confirmation, unless they are all of it."""

SHARE = 0.25
"""The share of a source's documents that is removed without a confirmation."""


def is_many(removed: int, total: int) -> bool:
    """Whether removing so many of the `total` documents of a source needs a confirmation."""
    return removed >= total or (removed > FEW and removed > SHARE * total)


def divide_removals(
    run: RunContext, removals: Sequence[ManifestEntry]
) -> tuple[list[ManifestEntry], list[WithheldRemoval]]:
    """The entries of documents without a file to remove, and for each source whose documents stay
    the reason.

    A file counts as missing only if its source is there and can be read. A document that was named
    on its own, or whose source is no longer one, belongs to the folder of its file. Whether many
    documents are to be removed at once is asked of the request's `confirm`, unless `yes` says so.
    """
    removed: list[ManifestEntry] = []
    withheld: list[WithheldRemoval] = []
    place_of = _places(run)
    totals: dict[_Place, int] = defaultdict(int)
    groups: dict[_Place, list[ManifestEntry]] = defaultdict(list)
    for entry in run.manifest.entries.values():
        totals[place_of(entry)] += 1
    for entry in removals:
        groups[place_of(entry)].append(entry)
    yes = run.request.yes
    for place, entries in groups.items():
        reason = place.folder.fault
        if not reason and is_many(len(entries), totals[place]):
            without = "no longer selected" if place.in_zotero else "gone"
            reason = f"{len(entries)} of its {totals[place]} documents are {without} at once"
        doubt = WithheldRemoval(
            source=f"Zotero {place.folder.name}" if place.in_zotero else place.folder.name,
            reason=reason,
            documents=tuple(sorted(entry.path for entry in entries)),
            can_be_confirmed=not (place.is_source and place.folder.fault),
        )
        is_removed = not reason
        if reason and doubt.can_be_confirmed:
            confirm = None if run.request.dry_run else run.request.confirm
            is_removed = yes or (confirm is not None and confirm(doubt))
        if is_removed:
            removed += entries
        else:
            withheld.append(doubt)
    return removed, withheld


def _places(run: RunContext) -> Callable[[ManifestEntry], _Place]:
    """The function that says where an entry's document comes from."""
    sources = (*run.request.files, *run.project.settings.sources)
    named = {source: run.project.files.folder(source) for source in dict.fromkeys(sources)}
    entries = run.manifest.entries
    folders = [folder for folder in named.values() if folder.name not in entries]
    folders.sort(key=lambda folder: -len(PurePosixPath(folder.name).parts))
    roots = [
        (PurePosixPath(folder.name), _Place(folder=folder, is_source=True)) for folder in folders
    ]
    parents: dict[PurePosixPath, _Place] = {}

    def place(entry: ManifestEntry) -> _Place:
        if entry.origin is not None:
            return _Place(folder=SourceFolder(name=entry.origin.library), in_zotero=True)
        path = PurePosixPath(entry.path)
        for root, source in roots:
            if path.is_relative_to(root):
                return source
        if path.parent not in parents:
            parents[path.parent] = _Place(folder=run.project.files.folder(str(path.parent)))
        return parents[path.parent]

    return place


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A source folder, the folder of single files, or a library of Zotero's."""

    folder: SourceFolder
    is_source: bool = False
    in_zotero: bool = False
