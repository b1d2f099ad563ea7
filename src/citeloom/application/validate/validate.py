"""The use case `validate`: the quality gate of a project in CI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection as AnyOf
from collections.abc import Container, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from citeloom.application.binding import bound_collection
from citeloom.application.cancellation import Cancellation
from citeloom.application.ingest.indexed_state import documents_of_others
from citeloom.application.ports.embedders import DenseEmbedder, TokenCounter
from citeloom.application.ports.manifest_store import ManifestStore
from citeloom.application.ports.reference_library import ReferenceLibrary
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.validate.chunk_checks import ChunkLimits
from citeloom.application.validate.findings import CheckedDocument, Finding, ValidationReport
from citeloom.application.validate.store_checks import (
    check_entry,
    check_models,
    check_orphans,
    check_references,
    check_store,
)
from citeloom.application.validate.stored_chunks import StoredChunks
from citeloom.domain.chunk import MARKS
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.passage import Selection
from citeloom.domain.project import Collection, Project
from citeloom.domain.validation import CHECKS, Severity, ValidationPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Validate:
    """Checks a project, from its models to every chunk; changes nothing. `machine` is the id of
    this one in a store that several share, else None.
    """

    project: Project
    policy: ValidationPolicy
    index: VectorIndex
    manifest: ManifestStore
    references: ReferenceLibrary
    counter: TokenCounter
    dense: DenseEmbedder
    machine: str | None = None

    def __call__(
        self,
        *,
        only: AnyOf[str] = (),
        skip: AnyOf[str] = (),
        cancellation: Cancellation | None = None,
    ) -> ValidationReport:
        """Run every check that is not off; `only` and `skip` narrow them by name.

        Raises `InvalidProject` when nothing was ingested, `EmbeddingMismatch` when the
        collection is bound to other models, `DeadlineExceeded` once it is cancelled.
        """
        checks = tuple(
            check
            for check in CHECKS
            if (not only or check in only)
            and check not in skip
            and self.policy.severity_of(check) is not Severity.OFF
        )
        bound = bound_collection(self.index, self.project)
        entries = self.manifest.entries(self.project.id)
        stored = self.index.facets(bound.name, "doc_id", Selection(project_id=self.project.id))
        listed = {entry.doc_id for entry in entries}
        others = documents_of_others(self.index, bound.name, self.project.id, self.machine, listed)
        chunks = self._stored_chunks(bound, cancellation or Cancellation())
        findings = [
            self._graded(finding)
            for finding in self._findings(bound, entries, stored, chunks, others.keys())
            if finding.check in checks
        ]
        return ValidationReport(
            project=self.project.id,
            checks=checks,
            findings=tuple(sorted(findings, key=lambda finding: checks.index(finding.check))),
            documents=len(entries),
            chunks=chunks.seen,
            by_document=tuple(_by_document(entries, stored, findings, chunks.made_up)),
            strict=self.policy.strict,
            sends_text_to=self.project.sends_text_to,
            of_other_machines=len(others),
        )

    def _findings(
        self,
        bound: Collection,
        entries: list[ManifestEntry],
        stored: dict[str, int],
        chunks: StoredChunks,
        others: AbstractSet[str],
    ) -> Iterator[Finding]:
        yield from check_models(self.project, self.counter, self.dense, bound)
        yield from check_store(self.index.describe(bound.name), stored)
        yield from check_references(self.references)
        for entry in entries:
            yield from check_entry(entry, stored, self.policy)
        documents = Selection(project_id=self.project.id, without_kinds=MARKS)
        bodies = self.index.facets(bound.name, "doc_id", documents)
        own = {doc_id: count for doc_id, count in bodies.items() if doc_id not in others}
        yield from check_orphans(entries, own)
        yield from chunks.findings(stored, {entry.doc_id: entry for entry in reversed(entries)})

    def _stored_chunks(self, bound: Collection, cancellation: Cancellation) -> StoredChunks:
        chunking = self.project.chunking
        limits = ChunkLimits(
            bound=bound,
            chunking=chunking if chunking.max_tokens else chunking.fitted(self.counter.window),
            window=self.counter.window,
            policy=self.policy,
            point_id=self.project.point_id,
        )
        return StoredChunks(
            project=self.project,
            index=self.index,
            counter=self.counter,
            limits=limits,
            cancellation=cancellation,
        )

    def _graded(self, finding: Finding) -> Finding:
        return replace(
            finding,
            severity=self.policy.severity_of(finding.check),
            hint=finding.hint or CHECKS[finding.check].hint,
        )


def _by_document(
    entries: Iterable[ManifestEntry],
    stored: dict[str, int],
    findings: Iterable[Finding],
    made_up: Container[str],
) -> Iterator[CheckedDocument]:
    found = Counter((finding.subject, finding.severity) for finding in findings)
    for entry in entries:
        yield CheckedDocument(
            path=entry.path,
            doc_id=entry.doc_id,
            citekey=entry.citekey,
            pages=entry.pages,
            chunks=stored.get(entry.doc_id, 0),
            errors=found[entry.path, Severity.ERROR],
            warnings=found[entry.path, Severity.WARNING],
            infos=found[entry.path, Severity.INFO],
            citekey_made_up=entry.doc_id in made_up,
        )
