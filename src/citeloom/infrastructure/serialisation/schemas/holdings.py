"""The JSON of projects, documents, validation, jobs and Zotero."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from citeloom.application.documents import DocumentPage, Inspection, ListedDocument, OutlineEntry
from citeloom.application.jobs import JobCounts, JobState
from citeloom.application.library_info import AnswerModelInfo, EntailmentInfo, RerankerInfo
from citeloom.application.models import AvailableEngine, AvailableModel, RecommendedModels
from citeloom.application.outcomes import ChunkingInForce, DocumentFailure, ImagesRead
from citeloom.application.ports.sources import FileOutcome, SkippedFile
from citeloom.application.ports.vector_index import StoreState
from citeloom.application.reports import (
    ChunkCounts,
    DroppedSection,
    MarkCounts,
    Unmatched,
    WithheldRemoval,
    ZoteroReading,
)
from citeloom.application.validate.chunk_checks import CheckedDocument, Finding
from citeloom.domain.chunks.validation import Severity
from citeloom.infrastructure.serialisation.schemas.passages import ShownPassage

# The JSON of projects, documents, validation and Zotero.


@dataclass(frozen=True, kw_only=True)
class InspectAnswer(Inspection):
    """What a project's index holds: that of `inspect --json`, with the models that write and judge
    answers, and the project's reranker.
    """

    answer_model: AnswerModelInfo | None
    reranker: RerankerInfo | None
    entailment: EntailmentInfo | None
    content: Literal["untrusted"]


class ModelsAnswer(TypedDict):
    """Models and what reads images of pages: that of `models --json`."""

    models: list[AvailableModel]
    ocr_engines: list[AvailableEngine]
    recommended: RecommendedModels | None


@dataclass(frozen=True, kw_only=True)
class StoreAnswer(StoreState):
    """How the vector store is: that of `store check --json`."""

    available: bool


class Health(TypedDict):
    """That the server is up."""

    status: str
    version: str


class Readiness(TypedDict):
    """Whether the models are loaded, so that queries are answered at once."""

    ready: bool


class DocumentPageAnswer(TypedDict):
    """Some of a project's documents: `count` of `total`, from `offset` on."""

    project: str
    content: Literal["untrusted"]
    total: int
    offset: int
    count: int
    items: list[ListedDocument]


class ManifestEntry(TypedDict):
    """An indexed file."""

    content_hash: str
    last_ingested_at: str | None
    chunk_count: int


class ManifestAnswer(TypedDict):
    """The indexed files by path: that of `list --manifest`."""

    files: dict[str, ManifestEntry]
    last_run: str | None


class ChunkPage(TypedDict):
    """Some of a document's chunks in reading order: `count` of `total`, from `offset` on."""

    total: int
    offset: int
    count: int
    items: list[ShownPassage]


class DocumentAnswer(TypedDict):
    """A document with its headings, its pages and some of its chunks."""

    project: str
    content: Literal["untrusted"]
    document: ListedDocument
    outline: list[OutlineEntry]
    pages: list[DocumentPage]
    chunks: ChunkPage


class Validation(TypedDict):
    """What validation found: that of `validate --format json`."""

    project: str
    passed: bool
    strict: bool
    checks: list[str]
    documents: int
    chunks: int
    findings: list[Finding]
    by_document: list[CheckedDocument]
    sends_text_to: str | None
    of_other_machines: int


class ValidationAnswer(Validation):
    """Likewise over HTTP."""

    content: Literal["untrusted"]


class CollectionEntry(TypedDict):
    """A collection of Zotero."""

    library: str
    key: str
    parent: str | None
    path: list[str]
    items: int
    items_below: int


class CreatorEntry(TypedDict):
    """A creator of an item."""

    role: str
    name: str


class ItemTag(TypedDict):
    """A tag of an item."""

    name: str
    automatic: bool


class AttachmentEntry(TypedDict):
    """An attachment; of its path there is only what does not tell of the server's machine."""

    key: str
    link_mode: str
    content_type: str
    title: str
    path: str | None
    exists: bool
    url: str | None


class ItemEntry(TypedDict):
    """An item of Zotero with its attachments."""

    library: str
    key: str
    item_type: str
    citekey: str | None
    citekey_source: str | None
    title: str
    year: int | None
    creators: list[CreatorEntry]
    doi: str | None
    tags: list[ItemTag]
    collections: list[str]
    added: datetime | None
    modified: datetime | None
    attachments: list[AttachmentEntry]


class TagEntry(TypedDict):
    """A tag in Zotero."""

    library: str
    name: str
    items: int
    automatic: int


class CollectionList(TypedDict):
    """Some of Zotero's collections: `count` of `total`, from `offset` on."""

    content: Literal["untrusted"]
    total: int
    offset: int
    count: int
    items: list[CollectionEntry]


class ItemList(TypedDict):
    """Some of Zotero's items: `count` of `total`, from `offset` on."""

    content: Literal["untrusted"]
    total: int
    offset: int
    count: int
    items: list[ItemEntry]


class TagList(TypedDict):
    """Some of Zotero's tags: `count` of `total`, from `offset` on."""

    content: Literal["untrusted"]
    total: int
    offset: int
    count: int
    items: list[TagEntry]


class DiagnosisFinding(TypedDict):
    """A fault in Zotero, or in what a project has indexed from it."""

    check: str
    severity: Severity
    message: str
    hint: str
    library: str
    item_key: str | None
    attachment_key: str | None
    citekey: str | None
    title: str
    path: str | None


class DiagnosisAnswer(TypedDict):
    """What is missing or out of date: that of `zotero doctor --json`."""

    source: str
    project: str | None
    libraries: list[str]
    items: int
    documents: int
    passed: bool
    strict: bool
    sends_text_to: str | None
    counts: dict[str, int]
    findings: list[DiagnosisFinding]


class DownloadEntry(TypedDict):
    """A file that is stored on the web, and the outcome of its download."""

    library: str
    attachment_key: str
    item_key: str | None
    path: str | None
    outcome: FileOutcome


class DownloadAnswer(TypedDict):
    """The files of a selection: that of `zotero download --json`."""

    source: str
    files: list[DownloadEntry]


# The JSON of jobs.


class IngestAnswer(TypedDict):
    """What an ingest did: that of `ingest --json`. Documents `not_indexed` failed, in this run or
    before.
    """

    project: str
    collection: str
    models: dict[str, str | None]
    run_id: str
    dry_run: bool
    found: int
    ignored: int
    other_kinds: dict[str, int]
    pages: int
    indexed: list[str]
    unchanged: list[str]
    duplicates: dict[str, str]
    pending: list[str]
    failed: list[DocumentFailure]
    failed_before: list[DocumentFailure]
    pruned: list[str]
    gone: list[str]
    left: list[str]
    withheld: list[WithheldRemoval]
    deleted: list[str]
    missing: list[str]
    moved: list[str]
    updated: list[str]
    references_lost: dict[str, str]
    matched: dict[str, int]
    unmatched: list[Unmatched]
    without_references: bool
    page_failures: dict[str, list[str]]
    notes: dict[str, list[str]]
    images_read: dict[str, ImagesRead]
    reference_diagnostics: list[str]
    other_reference_diagnostics: int
    chunks: ChunkCounts
    dropped_sections: list[DroppedSection]
    chunking: ChunkingInForce | None
    seconds: dict[str, float]
    zotero: ZoteroReading | None
    marks: dict[str, MarkCounts]
    interrupted: bool
    not_optimized: str | None
    promoted: bool
    left_behind: list[str]
    left_behind_of_other_machines: int
    passed_over: list[SkippedFile]
    unreadable: list[SkippedFile]
    sends_text_to: str | None
    embed_api_calls: int
    embed_tokens: int
    embed_seconds: float
    embed_reused: int
    not_indexed: list[DocumentFailure]


class ErrorEntry(TypedDict):
    """What went wrong, and the next step: the same on every door."""

    code: str
    message: str
    hint: str
    correlation_id: str


class JobEntry(TypedDict):
    """A job as it is now."""

    job_id: str
    project: str
    state: JobState
    cancelling: bool
    sources: list[str]
    correlation_id: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    counts: JobCounts
    last_event: int
    report: IngestAnswer | None
    error: ErrorEntry | None


class JobAnswer(JobEntry):
    """Likewise over HTTP."""

    content: Literal["untrusted"]


class JobEventEntry(TypedDict):
    """An event of a job."""

    number: int
    kind: str
    detail: str
    document: str | None
    at: datetime


class JobList(TypedDict):
    """The jobs of a project, the newest first."""

    project: str
    count: int
    items: list[JobAnswer]
