"""The use case `validate`: the quality gate of a project in CI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection as AnyOf
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from citeloom.application.collection import documents_of_others
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.embedders import DenseEmbedder, TokenCounter
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.ports.sources import ReferenceLibrary
from citeloom.application.ports.vector_index import IndexDescription
from citeloom.application.validate.chunk_checks import (
    CheckedDocument,
    ChunkLimits,
    Finding,
    ValidationReport,
)
from citeloom.application.validate.document_checks import StoredChunks
from citeloom.domain.chunks.chunk import MARKS
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import CiteloomError
from citeloom.domain.project import SCHEMA_VERSION, Collection, Project
from citeloom.domain.validation import CHECKS, Severity, ValidationPolicy

# Checks of a project's models, store, manifest and references.

_REQUIRED_INDEXES = ("project_id", "doc_id", "citekey", "tags", "year", "kind")


def check_models(
    project: Project, counter: TokenCounter, dense: DenseEmbedder, bound: Collection
) -> Iterator[Finding]:
    """Chunks fit the model's window, vectors have the store's dimension; no service is asked."""
    try:
        project.chunking.fitted(counter.window)
    except CiteloomError as error:
        yield Finding(check="models", message=error.message, hint=error.hint)
    if project.remote is None and dense.dimension != bound.dimension:
        yield Finding(
            check="models",
            message=f"the model gives {dense.dimension} dimensions, "
            f"the collection has {bound.dimension}",
            hint=f"citeloom ingest --project {project.id} --rebuild",
        )


def check_store(description: IndexDescription, stored: Mapping[str, int]) -> Iterator[Finding]:
    """The collection has the current payload schema, the indexes its filters need, and no chunk
    without a document.
    """
    version = description.collection.schema_version
    if version != SCHEMA_VERSION:
        message = f"payloads have schema version {version}, not {SCHEMA_VERSION}"
        yield Finding(check="store", message=message)
    missing = [f for f in _REQUIRED_INDEXES if f not in description.indexed_fields]
    if missing:
        message = f"no payload index on {', '.join(missing)}: filters there are slow"
        yield Finding(check="store", message=message)
    for problem in description.problems:
        yield Finding(check="copies", message=problem)
    stray = description.points - sum(stored.values())
    if stray:
        yield Finding(
            check="payload",
            message=f"{stray} of {description.points} chunks name no document of this project",
            hint=f"citeloom ingest --project {description.collection.project_id} --rebuild",
            count=stray,
        )


def check_entry(
    entry: ManifestEntry, stored: Mapping[str, int], policy: ValidationPolicy
) -> Iterator[Finding]:
    """The document is indexed, its chunks are all in the store, and they hold enough of it."""
    if entry.status is not Status.INDEXED:
        reason = f": {entry.error}" if entry.error else ""
        message = f"is {entry.status.value}{reason}"
        yield Finding(check="status", subject=entry.path, message=message)
        return
    chunks = stored.get(entry.doc_id, 0)
    if chunks != entry.chunks:
        message = f"has {chunks} chunks in the store, but {entry.chunks} were stored"
        yield Finding(check="missing-chunks", subject=entry.path, message=message)
    if chunks < policy.min_chunks_per_document:
        message = f"has {chunks} chunks, fewer than {policy.min_chunks_per_document}"
        yield Finding(check="min-chunks", subject=entry.path, message=message)
    if entry.body_share < policy.min_body_share:
        yield Finding(
            check="body-share",
            subject=entry.path,
            message=f"only {entry.body_share:.0%} of its text is in chunks, "
            f"less than {policy.min_body_share:.0%}",
        )
    if entry.citekey is None:
        message = "has no reference, so its passages have no citekey"
        yield Finding(check="citekey", subject=entry.path, message=message)


def check_orphans(entries: Iterable[ManifestEntry], stored: Mapping[str, int]) -> Iterator[Finding]:
    """Every stored chunk belongs to a document of the manifest."""
    for doc_id in sorted(stored.keys() - {entry.doc_id for entry in entries}):
        yield Finding(
            check="orphans",
            subject=doc_id,
            message=f"{stored[doc_id]} chunks belong to no document of the manifest",
            hint=f"citeloom delete --doc {doc_id}",
            count=stored[doc_id],
        )


def check_references(library: ReferenceLibrary) -> Iterator[Finding]:
    """The references can be read, and the reader has nothing to report about them."""
    try:
        diagnostics = library.diagnostics()
    except CiteloomError as error:
        yield Finding(check="references", message=error.message, hint=error.hint)
        return
    for diagnostic in diagnostics:
        yield Finding(check="reference-notes", message=diagnostic)


@dataclass(frozen=True, slots=True, kw_only=True)
class Validate:
    """Checks a project, from its models to every chunk; changes nothing."""

    project: OpenProject
    policy: ValidationPolicy
    references: ReferenceLibrary
    counter: TokenCounter
    dense: DenseEmbedder

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
        project, counter = self.project, self.counter
        bound, entries = project.bound_collection(), project.entries()
        stored = project.facets("doc_id")
        others = documents_of_others(project, {entry.doc_id for entry in entries})
        chunking = project.settings.chunking
        limits = ChunkLimits(
            bound=bound,
            chunking=chunking if chunking.max_tokens else chunking.fitted(counter.window),
            window=counter.window,
            policy=self.policy,
            point_id=project.settings.point_id,
        )
        chunks = StoredChunks(
            project=project,
            counter=counter,
            limits=limits,
            cancellation=cancellation or Cancellation(),
        )
        findings = [
            replace(
                finding,
                severity=self.policy.severity_of(finding.check),
                hint=finding.hint or CHECKS[finding.check].hint,
            )
            for finding in self._findings(bound, entries, stored, chunks, others.keys())
            if finding.check in checks
        ]
        counts = Counter((finding.subject, finding.severity) for finding in findings)
        return ValidationReport(
            project=project.id,
            checks=checks,
            findings=tuple(sorted(findings, key=lambda finding: checks.index(finding.check))),
            documents=len(entries),
            chunks=chunks.seen,
            by_document=tuple(
                CheckedDocument(
                    path=entry.path,
                    doc_id=entry.doc_id,
                    citekey=entry.citekey,
                    pages=entry.pages,
                    chunks=stored.get(entry.doc_id, 0),
                    errors=counts[entry.path, Severity.ERROR],
                    warnings=counts[entry.path, Severity.WARNING],
                    infos=counts[entry.path, Severity.INFO],
                    citekey_generated=entry.doc_id in chunks.generated,
                )
                for entry in entries
            ),
            strict=self.policy.strict,
            sends_text_to=project.settings.sends_text_to,
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
        project = self.project
        yield from check_models(project.settings, self.counter, self.dense, bound)
        yield from check_store(project.index.describe(bound.name), stored)
        yield from check_references(self.references)
        for entry in entries:
            yield from check_entry(entry, stored, self.policy)
        bodies = project.facets("doc_id", replace(project.everything, without_kinds=MARKS))
        here = {doc_id: count for doc_id, count in bodies.items() if doc_id not in others}
        yield from check_orphans(entries, here)
        yield from chunks.findings(stored, {entry.doc_id: entry for entry in reversed(entries)})
