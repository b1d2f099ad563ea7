"""The use case `validate`: the gate a project passes in CI."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from citeloom.application.binding import bound_collection
from citeloom.application.ports.embedders import DenseEmbedder, TokenCounter
from citeloom.application.ports.manifest_store import ManifestStore
from citeloom.application.ports.reference_library import ReferenceLibrary
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.validate.chunk_checks import ChunkChecks
from citeloom.application.validate.findings import Finding, ValidationReport
from citeloom.application.validate.store_checks import (
    check_catalogue,
    check_models,
    check_references,
    check_store,
)
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.passage import Selection
from citeloom.domain.policies import ValidationPolicy
from citeloom.domain.project import Project

CHECKS = (
    "models",
    "store",
    "catalogue",
    "body share",
    "references",
    "signal",
    "pages",
    "id",
    "duplicates",
    "encoding",
    "length",
    "window",
    "order",
    "headings",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Validate:
    """Checks a project from its models to its last chunk; changes nothing."""

    project: Project
    policy: ValidationPolicy
    index: VectorIndex
    manifest: ManifestStore
    references: ReferenceLibrary
    counter: TokenCounter
    dense: DenseEmbedder

    def __call__(self) -> ValidationReport:
        """Run every check.

        Raises `InvalidProject` when nothing was ingested, `EmbeddingMismatch` when the
        collection has other models: there is then nothing to check.
        """
        entries = self.manifest.entries(self.project.id)
        chunks = ChunkChecks(
            project=self.project, policy=self.policy, counter=self.counter, entries=entries
        )
        findings = tuple(self._findings(entries, chunks))
        return ValidationReport(
            project=self.project.id,
            checks=CHECKS,
            findings=findings,
            documents=len(entries),
            chunks=chunks.seen,
        )

    def _findings(self, entries: list[ManifestEntry], chunks: ChunkChecks) -> Iterator[Finding]:
        bound = bound_collection(self.index, self.project)
        name, everything = bound.name, Selection(project_id=self.project.id)
        yield from check_models(self.project, self.counter, self.dense, bound)
        yield from check_store(self.project, self.index.describe(name))
        stored = self.index.facets(name, "doc_id", everything)
        yield from check_catalogue(entries, stored, self.policy)
        yield from check_references(entries, self.references, self.policy)
        yield from chunks.look(self.index.scroll(name, everything))
