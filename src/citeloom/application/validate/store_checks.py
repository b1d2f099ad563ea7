"""Checks of a project's models, store, catalogue and references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from citeloom.application.ports.embedders import DenseEmbedder, TokenCounter
from citeloom.application.ports.reference_library import ReferenceLibrary
from citeloom.application.ports.vector_index import IndexDescription
from citeloom.application.validate.findings import Finding, Severity
from citeloom.domain.errors import CiteloomError
from citeloom.domain.manifest import ManifestEntry, Status
from citeloom.domain.policies import ValidationPolicy
from citeloom.domain.project import SCHEMA_VERSION, Collection, Project

_REQUIRED_INDEXES = ("project_id", "doc_id", "citekey", "tags", "year", "kind")


def check_models(
    project: Project, counter: TokenCounter, dense: DenseEmbedder, bound: Collection
) -> Iterator[Finding]:
    """The tokenizer is the model's, chunks fit its window, vectors have the store's dimension."""
    wanted = project.chunking.tokenizer_id or project.embedding_model
    if counter.tokenizer_id != wanted:
        yield Finding(
            check="models",
            message=f"chunks are counted with the tokenizer of {counter.tokenizer_id}, "
            f"but embedded with {project.embedding_model}",
            hint="Leave chunking.tokenizer_id out to follow the model.",
        )
    try:
        project.chunking.fitted(counter.window)
    except CiteloomError as error:
        yield Finding(check="models", message=error.message, hint=error.hint)
    if dense.dimension != bound.dimension:
        yield Finding(
            check="models",
            message=f"the model gives {dense.dimension} dimensions, "
            f"the collection has {bound.dimension}",
            hint=_rebuild(project),
        )


def check_store(project: Project, description: IndexDescription) -> Iterator[Finding]:
    """The collection has the current payload schema and the indexes its filters need."""
    version = description.collection.schema_version
    if version != SCHEMA_VERSION:
        yield Finding(
            check="store",
            message=f"payloads have schema version {version}, not {SCHEMA_VERSION}",
            hint=_rebuild(project),
        )
    missing = [f for f in _REQUIRED_INDEXES if f not in description.indexed_fields]
    if missing:
        yield Finding(
            check="store",
            message=f"no payload index on {', '.join(missing)}: filters there are slow",
            hint=_rebuild(project),
        )


def check_catalogue(
    entries: Iterable[ManifestEntry], stored: Mapping[str, int], policy: ValidationPolicy
) -> Iterator[Finding]:
    """The store holds what the catalogue says, no less and no more, and every document is in."""
    known: set[str] = set()
    for entry in entries:
        known.add(entry.doc_id)
        if entry.status is not Status.INDEXED:
            yield Finding(
                check="catalogue",
                subject=entry.path,
                message=f"is {entry.status.value}" + (f": {entry.error}" if entry.error else ""),
                hint="Mend or remove the file, then run ingest again.",
            )
            continue
        chunks = stored.get(entry.doc_id, 0)
        if chunks != entry.chunks:
            yield Finding(
                check="catalogue",
                subject=entry.path,
                message=f"has {chunks} chunks in the store, but {entry.chunks} were stored",
                hint="Run ingest --force on the file.",
            )
        if chunks < policy.min_chunks_per_document:
            yield Finding(
                check="catalogue",
                subject=entry.path,
                message=f"has {chunks} chunks, fewer than {policy.min_chunks_per_document}",
            )
        if entry.body_share < policy.min_body_share:
            yield Finding(
                check="body share",
                subject=entry.path,
                message=f"only {entry.body_share:.0%} of its text is in chunks, "
                f"less than {policy.min_body_share:.0%}",
                hint="Lower chunking.min_signal_to_noise or min_chunk_tokens.",
            )
    for doc_id in sorted(stored.keys() - known):
        yield Finding(
            check="catalogue",
            subject=doc_id,
            message=f"{stored[doc_id]} chunks belong to no document of the catalogue",
            hint=f"citeloom delete --doc {doc_id}",
        )


def check_references(
    entries: Iterable[ManifestEntry], library: ReferenceLibrary, policy: ValidationPolicy
) -> Iterator[Finding]:
    """The references can be read, and every document has one."""
    try:
        diagnostics = library.diagnostics()
    except CiteloomError as error:
        yield Finding(check="references", message=error.message, hint=error.hint)
        return
    for diagnostic in diagnostics:
        yield Finding(check="references", message=diagnostic, severity=Severity.WARNING)
    severity = Severity.ERROR if policy.require_citekey else Severity.WARNING
    for entry in entries:
        if entry.status is Status.INDEXED and entry.citekey is None:
            yield Finding(
                check="references",
                subject=entry.path,
                message="has no reference, so its passages have no citekey",
                severity=severity,
                hint="Add it to the references, or name it under [project.….files].",
            )


def _rebuild(project: Project) -> str:
    return f"citeloom ingest --project {project.id} --rebuild"
