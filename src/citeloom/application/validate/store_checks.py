"""Checks of a project's models, store, manifest and references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from citeloom.application.ports.embedders import DenseEmbedder, TokenCounter
from citeloom.application.ports.reference_library import ReferenceLibrary
from citeloom.application.ports.vector_reader import IndexDescription
from citeloom.application.validate.findings import Finding
from citeloom.domain.errors import CiteloomError
from citeloom.domain.manifest import ManifestEntry, Status
from citeloom.domain.project import SCHEMA_VERSION, Collection, Project
from citeloom.domain.validation import ValidationPolicy

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
