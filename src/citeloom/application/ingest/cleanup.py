"""Taking out of the index what does not belong there any more."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from citeloom.application.ingest.catalogue import Catalogue
from citeloom.application.ingest.target import Target
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.reports import IngestReport
from citeloom.domain.chunk import MARKS
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.passage import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleanup:
    """Deletes chunks that no entry of the catalogue stands for."""

    index: VectorIndex
    target: Target
    catalogue: Catalogue
    report: IngestReport

    def drop(
        self, entries: Sequence[ManifestEntry], *, keep: AbstractSet[str] = frozenset()
    ) -> None:
        """Delete the entries' chunks, save those of documents to `keep` and of content that
        another path stands for.
        """
        stale = {entry.doc_id for entry in entries} - keep
        if stale:
            self._delete(stale - self.catalogue.doc_ids(without=entries))

    def prune(self, entries: list[ManifestEntry]) -> None:
        """Drop documents and forget them."""
        self.drop(entries)
        self.catalogue.remove(entries)
        self.report.pruned += [entry.path for entry in entries]

    def delete_orphans(self) -> None:
        """Delete chunks of documents no entry knows, as a run killed at a bad moment leaves."""
        documents = Selection(project_id=self.report.project, without_kinds=MARKS)
        stored = self.index.facets(self.target.name, "doc_id", documents)
        self._delete(stored.keys() - self.catalogue.doc_ids())

    def _delete(self, doc_ids: AbstractSet[str]) -> None:
        for doc_id in sorted(doc_ids):
            selection = Selection(project_id=self.report.project, doc_id=doc_id)
            self.report.chunks.removed += self.index.delete(self.target.name, selection)
        if doc_ids:
            self.index.flush(self.target.name)
