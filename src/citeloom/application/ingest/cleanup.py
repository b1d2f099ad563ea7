"""Deletion of outdated chunks from the index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from citeloom.application.ingest.catalogue import Catalogue
from citeloom.application.ingest.events import Pruned, Removed
from citeloom.application.ingest.indexed_state import stored_documents
from citeloom.application.ingest.journal import Journal
from citeloom.application.ingest.target import Target
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.passage import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleanup:
    """Deletes chunks, each with proof that they are outdated."""

    project_id: str
    index: VectorIndex
    target: Target
    catalogue: Catalogue
    journal: Journal

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

    def left_behind(self) -> list[str]:
        """The paths of documents that the old collection has and its successor lacks, except for
        earlier versions of files.
        """
        entries = self.catalogue.entries
        generation = self.target.generation
        known = [e.path for e in entries.values() if e.generation not in ("", generation)]
        return list(dict.fromkeys((*known, *self._unlisted(set(known)))))

    def _unlisted(self, known: AbstractSet[str]) -> Iterator[str]:
        old = self._replaced_documents()
        new = stored_documents(self.index, self.target.name, self.project_id)
        for doc_id in sorted(old.keys() - new.keys()):
            for path in self._paths_of(doc_id):
                entry = self.catalogue.entries.get(path)
                replaced = entry is not None and entry.generation == self.target.generation
                if path not in known and not replaced:
                    yield path

    def _paths_of(self, doc_id: str) -> list[str]:
        document = Selection(project_id=self.project_id, doc_id=doc_id)
        chunks = self.index.examine(self.target.collection, document)
        return sorted({chunk.stored.source_path for chunk in chunks if chunk.stored})

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
            self.index.delete(name, Selection(project_id=self.project_id, doc_id=doc_id))
            self.index.flush(name)

    def delete(self, selection: Selection, *, keep: frozenset[str] = frozenset()) -> None:
        """Delete the selected chunks except those in `keep`."""
        removed = self.index.delete(self.target.name, selection, keep=keep)
        self.journal.add(Removed(chunks=removed))

    def _delete(self, doc_ids: AbstractSet[str]) -> None:
        for doc_id in sorted(doc_ids):
            self._delete_chunks(doc_id)
        if doc_ids:
            self.index.flush(self.target.name)

    def _delete_chunks(self, doc_id: str, *, source_path: str | None = None) -> None:
        selection = Selection(project_id=self.project_id, doc_id=doc_id, source_path=source_path)
        self.delete(selection)
