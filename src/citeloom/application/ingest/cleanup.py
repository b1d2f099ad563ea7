"""Deletion of outdated chunks from the index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from citeloom.application.ingest.catalogue import Catalogue
from citeloom.application.ingest.events import Pruned, Removed
from citeloom.application.ingest.indexed_state import is_of_others, machines_of, stored_documents
from citeloom.application.ingest.journal import Journal
from citeloom.application.ingest.target import Target
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.ports.vector_writer import MetadataUpdate
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.passage import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleanup:
    """Deletes chunks, each with proof that they are outdated.

    A document that other machines ingested, too, stays, and is no longer of this `machine`, which
    is None where the store is its own.
    """

    project_id: str
    index: VectorIndex
    target: Target
    catalogue: Catalogue
    journal: Journal
    machine: str | None = None

    def drop(
        self, entries: Sequence[ManifestEntry], *, keep: AbstractSet[str] = frozenset()
    ) -> None:
        """Delete the entries' chunks, except those of documents in `keep` or with another entry."""
        stale = {entry.doc_id for entry in entries} - keep
        if stale:
            self._delete(stale - self.catalogue.doc_ids(without=entries))

    def prune(self, entries: list[ManifestEntry]) -> None:
        """Delete documents and their entries."""
        self.drop(entries)
        if self.target.staged:
            self._drop_replaced(entries)
        self.catalogue.remove(entries)
        self.journal.add(Pruned(documents=tuple(entry.path for entry in entries)))

    def delete_leftovers(self) -> None:
        """Delete chunks that a killed run stored and whose files have changed since.

        Its write intent proves that they are this project's own; a missing entry proves nothing.
        """
        intents = self.catalogue.intents()
        if not intents:
            return
        here = [one for one in intents if one.generation == self.target.generation]
        known, indexed = self.catalogue.doc_ids(), self.catalogue.indexed_ids()
        stale = [one for one in here if one.doc_id not in known]
        for one in stale:
            if not self._leave_to_others(self.target.name, one.doc_id):
                self._delete_chunks(one.doc_id, source_path=one.path)
        if stale:
            self.index.flush(self.target.name)
        void = {one.generation for one in intents} - self._generations()
        self.catalogue.remove_intents(
            *stale,
            *(one for one in here if one.doc_id in indexed),
            *(one for one in intents if one.generation in void),
        )

    def _generations(self) -> set[str]:
        """The generations of the target, the project's collection and its successor."""
        name = self.target.collection
        bound = (self.index.binding(name), self.index.staged(name))
        return {self.target.generation, *(one.generation for one in bound if one is not None)}

    def delete_documents(self, doc_ids: AbstractSet[str]) -> None:
        """Delete documents whose deletion came after they were stored in the staged target."""
        stored = stored_documents(self.index, self.target.name, self.project_id)
        self._delete(stored.keys() & doc_ids)

    def left_behind(self) -> tuple[tuple[str, ...], int]:
        """The paths of documents that the old collection has and its successor lacks, except for
        earlier versions of files; and how many of them are documents of other machines.
        """
        entries = self.catalogue.entries
        generation = self.target.generation
        known = [e.path for e in entries.values() if e.generation not in ("", generation)]
        own: list[str] = []
        of_others: list[str] = []
        for path, is_others in self._unlisted(set(known)):
            (of_others if is_others else own).append(path)
        return tuple(dict.fromkeys((*known, *own, *of_others))), len(set(of_others))

    def _unlisted(self, known: AbstractSet[str]) -> Iterator[tuple[str, bool]]:
        """The paths of documents that the manifest lacks, and whether other machines have them."""
        old = self._replaced_documents()
        new = stored_documents(self.index, self.target.name, self.project_id)
        for doc_id in sorted(old.keys() - new.keys()):
            for path, is_others in self._paths_of(doc_id).items():
                entry = self.catalogue.entries.get(path)
                replaced = entry is not None and entry.generation == self.target.generation
                if is_others or (path not in known and not replaced):
                    yield path, is_others

    def _paths_of(self, doc_id: str) -> dict[str, bool]:
        """Each path of a document, and whether it is of other machines alone."""
        document = Selection(project_id=self.project_id, doc_id=doc_id)
        chunks = self.index.examine(self.target.collection, document)
        found = (chunk.stored for chunk in chunks if chunk.stored)
        paths = {stored.source_path: is_of_others(stored, self.machine) for stored in found}
        return dict(sorted(paths.items()))

    def _replaced_documents(self) -> dict[str, int]:
        """The documents of the collection to be replaced; none if it is unreadable."""
        try:
            return stored_documents(self.index, self.target.collection, self.project_id)
        except IndexUnavailable:
            return {}

    def _drop_replaced(self, entries: Sequence[ManifestEntry]) -> None:
        """Delete the entries' chunks in the collection to be replaced, too."""
        name, gone = self.target.collection, {entry.doc_id for entry in entries}
        stored = self._replaced_documents().keys() & gone
        for doc_id in sorted(stored - self.catalogue.doc_ids(without=entries)):
            if not self._leave_to_others(name, doc_id):
                self.index.delete(name, Selection(project_id=self.project_id, doc_id=doc_id))
            self.index.flush(name)

    def delete(self, selection: Selection, *, keep: frozenset[str] = frozenset()) -> None:
        """Delete the selected chunks except those in `keep`."""
        removed = self.index.delete(self.target.name, selection, keep=keep)
        self.journal.add(Removed(chunks=removed))

    def _delete(self, doc_ids: AbstractSet[str]) -> None:
        for doc_id in sorted(doc_ids):
            if not self._leave_to_others(self.target.name, doc_id):
                self._delete_chunks(doc_id)
        if doc_ids:
            self.index.flush(self.target.name)

    def _leave_to_others(self, name: str, doc_id: str) -> bool:
        """Whether other machines ingested the document, which then is theirs alone."""
        if self.machine is None:
            return False
        machines = machines_of(self.index, name, self.project_id, doc_id)
        others = tuple(one for one in machines if one != self.machine)
        if others and others != machines:
            selection = Selection(project_id=self.project_id, doc_id=doc_id)
            self.index.update_metadata(name, selection, MetadataUpdate(machines=others))
        return bool(others)

    def _delete_chunks(self, doc_id: str, *, source_path: str | None = None) -> None:
        selection = Selection(project_id=self.project_id, doc_id=doc_id, source_path=source_path)
        self.delete(selection)
