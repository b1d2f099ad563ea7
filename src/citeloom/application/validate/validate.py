"""The use case `validate`: the quality gate of a project in CI."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise

from citeloom.application.collection import documents_of_others
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.embedders import DenseEmbedder, TokenCounter
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.ports.sources import ReferenceLibrary
from citeloom.application.ports.vector_index import IndexDescription
from citeloom.application.requests.passages import ValidateRequest
from citeloom.application.validate.chunk_checks import (
    CHUNK_CHECKS,
    CheckedDocument,
    ChunkLimits,
    CountedChunk,
    Finding,
    ValidationReport,
    faults_of,
)
from citeloom.domain.chunks.chunk import MARKS, ChunkKind
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import CiteloomError
from citeloom.domain.project import SCHEMA_VERSION, Collection, Project
from citeloom.domain.retrieval.passage import ExaminedChunk
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
    lossy = {page: n for page, n in entry.lost_words.items() if n > policy.max_lost_words}
    if lossy:
        pages = ", ".join(f"p. {page} ({count})" for page, count in sorted(lossy.items()))
        yield Finding(
            check="lost-words",
            subject=entry.path,
            message=f"{sum(lossy.values())} words of its pages are in no chunk: {pages}",
            count=len(lossy),
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


def check_sources(project: OpenProject) -> Iterator[Finding]:
    """Every configured source is there, and a folder can be listed."""
    for source in project.settings.sources:
        if fault := project.files.folder(source).fault:
            yield Finding(check="sources", subject=source, message=fault)


def check_documents(
    entries: Sequence[ManifestEntry], stored: Mapping[str, int]
) -> Iterator[Finding]:
    """The project has a document, in the manifest or from another machine: where there is none,
    every other check passes.
    """
    if not entries and not stored:
        yield Finding(check="documents", message="no document has been ingested")


# Checks across the chunks of a document, which are streamed and not kept.

EXAMPLES = 5
"""How many chunks a finding names."""
_TOGETHER = 256


class DocumentChecks:
    """Checks a document's chunks one by one; of each it keeps a few numbers."""

    def __init__(self, subject: str, entry: ManifestEntry | None, limits: ChunkLimits) -> None:
        self._subject = subject
        self._entry = entry
        self._limits = limits
        self._found: dict[str, Finding] = {}
        self._places: list[tuple[int, int]] = []
        self._headed = 0
        self._identified: bool | None = None
        self._retracted = ""
        self.texts: dict[int, str] = {}
        self.seen = 0

    def look(self, examined: ExaminedChunk, counts: tuple[int, int]) -> None:
        """Check a chunk; `counts` are the tokens of its text and of the whole model input."""
        self.seen += 1
        for check, message in faults_of(examined, self._limits):
            self._add(check, message, examined.id)
        if examined.stored is None:
            return
        chunk, citation = examined.stored.chunk, examined.stored.citation
        if chunk.mark is None and chunk.kind is not ChunkKind.HIDDEN:
            self._places.append((chunk.chunk_idx, chunk.page_span[0] if chunk.page_span else 0))
            self._headed += bool(chunk.section_path)
            if citation is not None:
                self._identified = bool(citation.doi or citation.url)
                self._retracted = citation.retracted or ""
            folded = " ".join(chunk.text.split()).encode()  # 64 bits stand for the text
            digest = int.from_bytes(hashlib.blake2b(folded, digest_size=8).digest(), "big")
            twin = self.texts.setdefault(digest, chunk.id)
            if twin != chunk.id:
                self._add("duplicates", f"has the text of chunk {twin}", chunk.id)
        counted = CountedChunk(
            stored=examined.stored,
            text_tokens=counts[0],
            read_tokens=counts[1],
            entry=self._entry,
            limits=self._limits,
        )
        for check, look in CHUNK_CHECKS.items():
            if message := look(counted):
                self._add(check, message, examined.id)

    def findings(self) -> list[Finding]:
        """What is wrong, once every chunk has been checked."""
        self._places.sort()
        indexes = [index for index, _ in self._places]
        if indexes and len(indexes) == self.seen and indexes != list(range(self.seen)):
            self._add("order", f"its {self.seen} chunks are not numbered 0..{self.seen - 1}")
        on_pages = [(index, page) for index, page in self._places if page]
        for (before, page), (after, next_page) in pairwise(on_pages):
            if next_page < page:
                message = f"chunk {before} begins on page {page}, chunk {after} on page {next_page}"
                self._add("page-order", message)
        if self._identified is False:
            self._add("identifier", "its reference has neither a DOI nor an address")
        if self._retracted:
            self._add("retracted", f"it has been retracted ({self._retracted})")
        least = self._limits.policy.min_headed_share
        if self._places and self._headed / len(self._places) < least:
            message = (
                f"{self._headed} of its {len(self._places)} chunks stand in a section, "
                f"fewer than {least:.0%}"
            )
            self._add("headings", message)
        return [*self._found.values()]

    def _add(self, check: str, message: str, *chunks: str) -> None:
        """A finding has the message of the first chunk that it concerns."""
        finding = Finding(check=check, subject=self._subject, message=message)
        finding = self._found.get(check, finding)
        named = (*finding.chunks, *chunks)[:EXAMPLES]
        self._found[check] = replace(finding, count=finding.count + len(chunks), chunks=named)


@dataclass(slots=True, kw_only=True)
class StoredChunks:
    """Checks each document's chunks, a bounded number at a time.

    `seen` counts them; `generated` has the documents cited under a citekey that no library has.
    """

    project: OpenProject
    counter: TokenCounter
    limits: ChunkLimits
    cancellation: Cancellation
    seen: int = 0
    generated: set[str] = field(default_factory=set)

    def findings(
        self, stored: Mapping[str, int], entries: Mapping[str, ManifestEntry]
    ) -> Iterator[Finding]:
        """The findings of each document, then those across documents.

        Raises `DeadlineExceeded` once it is cancelled.
        """
        overflowing, most = 0, self.limits.policy.max_documents_per_text
        first_of: dict[int, str] = {}  # the first document that has a text, by its hash
        shared: dict[int, tuple[str, str, int]] = {}  # the next one, its chunk, how many have it
        paths = {doc_id: entry.path for doc_id, entry in entries.items()}
        for doc_id in sorted(stored, key=lambda doc_id: (paths.get(doc_id, ""), doc_id)):
            subject = paths.get(doc_id, doc_id)
            checks = DocumentChecks(subject, entries.get(doc_id), self.limits)
            self._check(doc_id, checks)
            for digest, chunk in checks.texts.items():
                if first_of.setdefault(digest, subject) != subject:
                    following, example, documents = shared.get(digest, (subject, chunk, 1))
                    shared[digest] = following, example, documents + 1
            for finding in checks.findings():
                if finding.check == "window":
                    overflowing += finding.count
                    if overflowing <= self.limits.policy.max_window_overflow:
                        continue
                yield finding
        for digest, (following, example, documents) in shared.items():
            if documents > most:
                yield Finding(
                    check="shared-text",
                    subject=following,
                    message=f"has a text that {documents} documents share, first found in "
                    f"{first_of[digest]}",
                    count=1,
                    chunks=(example,),
                )

    def _check(self, doc_id: str, checks: DocumentChecks) -> None:
        selection = replace(self.project.everything, doc_id=doc_id)
        examined_chunks = self.project.index.examine(self.limits.bound.name, selection)
        while batch := list(islice(examined_chunks, _TOGETHER)):
            self.cancellation.check()
            texts = self.counter.count_all([examined.text for examined in batch])
            read = self.counter.count_all(
                [each.stored.chunk.embedding_text if each.stored else "" for each in batch]
            )
            for examined, text, model_input in zip(batch, texts, read):
                checks.look(examined, (text, model_input + self.counter.special_tokens))
                citation = examined.stored.citation if examined.stored else None
                if citation and citation.citekey_generated:
                    self.generated.add(doc_id)
        self.seen += checks.seen


# The use case.


@dataclass(frozen=True, slots=True, kw_only=True)
class Validate:
    """Checks a project, from its models to every chunk; changes nothing."""

    project: OpenProject
    policy: ValidationPolicy
    references: ReferenceLibrary
    counter: TokenCounter
    dense: DenseEmbedder

    def __call__(self, request: ValidateRequest) -> ValidationReport:
        """Run every check that is requested and not off. Without any references no document lacks
        one.

        Raises `InvalidProject` when nothing was ingested, `EmbeddingMismatch` when the
        collection is bound to other models, `DeadlineExceeded` once it is cancelled.
        """
        project = self.project
        bound, entries = project.bound_collection(), project.entries()
        checks = self._checks(entries, request)
        stored = project.facets("doc_id")
        others = documents_of_others(project, {entry.doc_id for entry in entries})
        chunks = StoredChunks(
            project=project,
            counter=self.counter,
            limits=self._limits(bound),
            cancellation=request.cancellation or Cancellation(),
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
            documents=sum(entry.copy_of is None for entry in entries),
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

    def _checks(
        self, entries: Sequence[ManifestEntry], request: ValidateRequest
    ) -> tuple[str, ...]:
        """The names of the checks to run, in the order of their description."""
        has_references = self.references.fingerprint or any(entry.citekey for entry in entries)
        skipped = {*request.skip}
        if not (has_references or self.policy.require_citekey):
            skipped.add("citekey")
        return tuple(
            check
            for check in CHECKS
            if (not request.only or check in request.only)
            and check not in skipped
            and self.policy.severity_of(check) is not Severity.OFF
        )

    def _limits(self, bound: Collection) -> ChunkLimits:
        settings, window = self.project.settings, self.counter.window
        chunking = settings.chunking
        return ChunkLimits(
            bound=bound,
            chunking=chunking if chunking.max_tokens else chunking.fitted(window),
            window=window,
            policy=self.policy,
            point_id=settings.point_id,
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
        yield from check_sources(project)
        yield from check_documents(entries, stored)
        for entry in entries:
            yield from check_entry(entry, stored, self.policy)
        bodies = project.facets("doc_id", replace(project.everything, without_kinds=MARKS))
        here = {doc_id: count for doc_id, count in bodies.items() if doc_id not in others}
        yield from check_orphans(entries, here)
        yield from chunks.findings(stored, {entry.doc_id: entry for entry in reversed(entries)})
