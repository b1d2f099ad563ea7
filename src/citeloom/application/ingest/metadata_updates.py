"""Updates of metadata: paths and references of documents whose text and vectors stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citeloom.application.ingest.catalogue import Catalogue
from citeloom.application.ingest.cleanup import Cleanup
from citeloom.application.ingest.events import Confirmed, Moved, Updated
from citeloom.application.ingest.fingerprints import citation_fingerprint
from citeloom.application.ingest.journal import Journal
from citeloom.application.ingest.plan import PlannedDocument
from citeloom.application.ingest.target import Target
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.ports.vector_writer import (
    CitationUpdate,
    LocationUpdate,
    MetadataUpdate,
)
from citeloom.domain.citation import CitationMeta
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.passage import Selection

BATCH = 256
"""Documents are given other references so many at a time: one flush may cost more than all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataUpdates:
    """Updates the index first and the manifest after it, so that the next run completes a killed
    one.
    """

    project_id: str
    index: VectorIndex
    target: Target
    catalogue: Catalogue
    cleanup: Cleanup
    journal: Journal

    def update_locations(self, moves: Sequence[tuple[PlannedDocument, ManifestEntry]]) -> None:
        """Let chunks say where their document is now, and which attachment of Zotero's it is."""
        if not moves:
            return
        for document, _ in moves:
            place = LocationUpdate(source_path=document.file.name, origin=document.origin)
            self._update(document, MetadataUpdate(location=place))
        self.cleanup.drop(
            [d.previous for d, _ in moves if d.previous is not None],
            keep={document.doc_id for document, _ in moves},
        )
        self.index.flush(self.target.name)
        self.catalogue.update_locations(moves)
        moved = tuple(d.file.name for d, held in moves if held.path != d.file.name)
        self.journal.add(Moved(documents=moved))

    def update_citations(self, documents: Sequence[PlannedDocument], references: str) -> None:
        """Give documents the references that come with their files."""
        for document in documents:
            cited = CitationUpdate(citation=document.file.citation)
            self._update(document, MetadataUpdate(citation=cited))
        self.index.flush(self.target.name)
        updated = [self._updated(d.file.name, d.file.citation) for d in documents]
        self.catalogue.cited({d.file.name: d.file.citation for d in documents}, references)
        self.journal.add(*updated)

    def rematched(
        self,
        document: PlannedDocument,
        citation: CitationMeta | None,
        labels: Mapping[int, str],
        references: str,
    ) -> None:
        """Give a document the reference it was found to have, and the labels of its pages."""
        name = document.file.name
        event: Updated | Confirmed = Confirmed(document=name)
        if citation_fingerprint(citation) != self.catalogue.entries[name].citation:
            event = self._updated(name, citation)
            cited = CitationUpdate(citation=citation)
            self._update(document, MetadataUpdate(citation=cited, page_labels=labels))
            self.index.flush(self.target.name)
        self.catalogue.cited({name: citation}, references)
        self.journal.add(event)

    def _updated(self, name: str, citation: CitationMeta | None) -> Updated:
        """What is told of another reference, before it is recorded."""
        return Updated(
            document=name,
            citekey=citation.citekey if citation else None,
            cited_as=self.catalogue.entries[name].citekey,
        )

    def _update(self, document: PlannedDocument, update: MetadataUpdate) -> None:
        chunks = Selection(project_id=self.project_id, doc_id=document.doc_id)
        self.index.update_metadata(self.target.name, chunks, update)
