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
    """Null without one."""
    reranker: RerankerInfo | None
    """The project's reranker; null without one."""
    entailment: EntailmentInfo | None
    """Null without one."""
    content: Literal["untrusted"]
    """The sample's words are a document's."""


class ModelsAnswer(TypedDict):
    """Models and what reads images of pages: that of `models --json`."""

    models: list[AvailableModel]
    """Models and rerankers."""
    ocr_engines: list[AvailableEngine]
    """What may read images of pages."""
    recommended: RecommendedModels | None
    """Null without `--project`."""


@dataclass(frozen=True, kw_only=True)
class StoreAnswer(StoreState):
    """How the vector store is: that of `store check --json`."""

    available: bool
    """Whether it answers and may be read."""


class Health(TypedDict):
    """That the server is up."""

    status: str
    """`ok`."""
    version: str
    """That of citeloom."""


class Readiness(TypedDict):
    """Whether the models are loaded, so that queries are answered at once."""

    ready: bool
    """Whether they are."""


class DocumentPageAnswer(TypedDict):
    """Some of a project's documents: `count` of `total`, from `offset` on."""

    project: str
    """The project."""
    content: Literal["untrusted"]
    """Titles and metadata are a document's."""
    total: int
    """How many there are."""
    offset: int
    """How many come before."""
    count: int
    """How many are here."""
    items: list[ListedDocument]
    """The documents, by path."""


class IndexedFile(TypedDict):
    """An indexed file."""

    content_hash: str
    """SHA-256."""
    last_ingested_at: str | None
    """When its state was last reached."""
    chunk_count: int
    """How many chunks."""


class ManifestAnswer(TypedDict):
    """The indexed files by path: that of `list --manifest`."""

    files: dict[str, IndexedFile]
    """By path."""
    last_run: str | None
    """When anything last changed."""


class ChunkPage(TypedDict):
    """Some of a document's chunks in reading order: `count` of `total`, from `offset` on."""

    total: int
    """How many there are."""
    offset: int
    """How many come before."""
    count: int
    """How many are here."""
    items: list[ShownPassage]
    """The chunks."""


class DocumentAnswer(TypedDict):
    """A document with its headings, its pages and some of its chunks."""

    project: str
    """The project."""
    content: Literal["untrusted"]
    """The words of the object are a document's."""
    document: ListedDocument
    """As in `list --json`."""
    outline: list[OutlineEntry]
    """Its headings."""
    pages: list[DocumentPage]
    """Its pages."""
    chunks: ChunkPage
    """Its chunks."""


class Validation(TypedDict):
    """What validation found: that of `validate --format json`."""

    project: str
    """The project."""
    passed: bool
    """Whether no finding fails validation."""
    strict: bool
    """Whether warnings fail it, too."""
    checks: list[str]
    """Those that ran ([what they mean](../ci.md))."""
    documents: int
    """How many."""
    chunks: int
    """How many."""
    findings: list[Finding]
    """What is wrong."""
    by_document: list[CheckedDocument]
    """Each document with its number of findings."""
    sends_text_to: str | None
    """The address of a remote model."""
    of_other_machines: int
    """How many documents other machines ingested."""


class ValidationAnswer(Validation):
    """Likewise over HTTP."""

    content: Literal["untrusted"]
    """Paths are a document's."""


class CollectionEntry(TypedDict):
    """A collection of Zotero."""

    library: str
    """`library` for your own, `groups/ID` for a group's; keys are unique within one."""
    key: str
    """Zotero's key of it."""
    parent: str | None
    """The key of the collection it is in."""
    path: list[str]
    """Names from the top down."""
    items: int
    """How many are in it."""
    items_below: int
    """With those of all collections below, each once."""


class CreatorEntry(TypedDict):
    """A creator of an item."""

    role: str
    """As `author`."""
    name: str
    """The name."""


class ItemTag(TypedDict):
    """A tag of an item."""

    name: str
    """The tag."""
    automatic: bool
    """Whether it came with the import."""


class AttachmentEntry(TypedDict):
    """An attachment; of its path there is only what does not tell of the server's machine."""

    key: str
    """Zotero's key of it."""
    link_mode: str
    """`imported_file`, `imported_url`, `linked_file` or `linked_url`."""
    content_type: str
    """As `application/pdf`."""
    title: str
    """What Zotero calls it."""
    path: str | None
    """Where the file should be; null where that is unknown."""
    exists: bool
    """Whether it is there."""
    url: str | None
    """Where it is from."""


class ItemEntry(TypedDict):
    """An item of Zotero with its attachments."""

    library: str
    """As of a collection."""
    key: str
    """Zotero's key of it."""
    item_type: str
    """Zotero's name."""
    citekey: str | None
    """Null without one."""
    citekey_source: str | None
    """`field`, `better-bibtex`, `better-bibtex-rpc` or `extra`."""
    title: str
    """The title."""
    year: int | None
    """The year of issue."""
    creators: list[CreatorEntry]
    """In order."""
    doi: str | None
    """The DOI."""
    tags: list[ItemTag]
    """Its tags."""
    collections: list[str]
    """The paths of its collections."""
    added: datetime | None
    """In UTC."""
    modified: datetime | None
    """In UTC."""
    attachments: list[AttachmentEntry]
    """Its files and links."""


class TagEntry(TypedDict):
    """A tag in Zotero."""

    library: str
    """As of a collection."""
    name: str
    """The tag."""
    items: int
    """How many items have it."""
    automatic: int
    """On how many of them it came with the import."""


class CollectionList(TypedDict):
    """Some of Zotero's collections: `count` of `total`, from `offset` on."""

    content: Literal["untrusted"]
    """Names are a document's."""
    total: int
    """How many there are."""
    offset: int
    """How many come before."""
    count: int
    """How many are here."""
    items: list[CollectionEntry]
    """The collections."""


class ItemList(TypedDict):
    """Some of Zotero's items: `count` of `total`, from `offset` on."""

    content: Literal["untrusted"]
    """Titles are a document's."""
    total: int
    """How many there are."""
    offset: int
    """How many come before."""
    count: int
    """How many are here."""
    items: list[ItemEntry]
    """The items."""


class TagList(TypedDict):
    """Some of Zotero's tags: `count` of `total`, from `offset` on."""

    content: Literal["untrusted"]
    """Names are a document's."""
    total: int
    """How many there are."""
    offset: int
    """How many come before."""
    count: int
    """How many are here."""
    items: list[TagEntry]
    """The tags."""


class DiagnosisFinding(TypedDict):
    """A fault in Zotero, or in what a project has indexed from it."""

    check: str
    """The check ([what they mean](../zotero.md#what-is-missing-or-out-of-date))."""
    severity: Severity
    """How bad it is."""
    message: str
    """What is wrong."""
    hint: str
    """The next step."""
    library: str
    """As of a collection."""
    item_key: str | None
    """The item, if one is concerned."""
    attachment_key: str | None
    """The attachment, if one is concerned."""
    citekey: str | None
    """That of the item."""
    title: str
    """That of the item."""
    path: str | None
    """The file."""


class DiagnosisAnswer(TypedDict):
    """What is missing or out of date: that of `zotero doctor --json`."""

    source: str
    """What was read."""
    project: str | None
    """Null without one."""
    libraries: list[str]
    """Paths."""
    items: int
    """How many were looked at."""
    documents: int
    """How many were looked at."""
    passed: bool
    """Whether no finding fails the diagnosis."""
    strict: bool
    """Whether warnings fail it, too."""
    sends_text_to: str | None
    """The address of the project's remote model."""
    counts: dict[str, int]
    """How much each check found, for every check that ran."""
    findings: list[DiagnosisFinding]
    """What is wrong."""


class DownloadEntry(TypedDict):
    """A file that is stored on the web, and the outcome of its download."""

    library: str
    """As of a collection."""
    attachment_key: str
    """The attachment."""
    item_key: str | None
    """Null for a file that stands alone."""
    path: str | None
    """Where it is or would be."""
    outcome: FileOutcome
    """`kept`: here and unchanged; `absent`: not stored on the web; `damaged`: it differs from its
    checksum; `too large`: more than `max_download_mb`.
    """


class DownloadAnswer(TypedDict):
    """The files of a selection: that of `zotero download --json`."""

    source: str
    """What was read."""
    files: list[DownloadEntry]
    """Each file."""


# The JSON of jobs.


class IngestAnswer(TypedDict):
    """What an ingest did: that of `ingest --json`. Documents `not_indexed` failed, in this run or
    before.
    """

    project: str
    """The project."""
    collection: str
    """Its collection."""
    models: dict[str, str | None]
    """The models the collection is bound to."""
    run_id: str
    """A name for this run, as in the log."""
    dry_run: bool
    """Whether nothing was changed."""
    found: int
    """How many files there are."""
    ignored: int
    """How many files are of other kinds."""
    other_kinds: dict[str, int]
    """How many, by suffix."""
    pages: int
    """How many were converted."""
    indexed: list[str]
    """Documents that were indexed."""
    unchanged: list[str]
    """Documents that needed nothing."""
    duplicates: dict[str, str]
    """By path the file with the same content."""
    pending: list[str]
    """In a dry run, what would be indexed."""
    failed: list[DocumentFailure]
    """Documents that failed in this run."""
    failed_before: list[DocumentFailure]
    """Documents that failed before, and were not tried again."""
    pruned: list[str]
    """Documents deleted since their file is gone."""
    gone: list[str]
    """Documents whose file is gone, and that were kept."""
    left: list[str]
    """Documents that are no longer in the Zotero selection."""
    withheld: list[WithheldRemoval]
    """Removals that were not done, and why."""
    deleted: list[str]
    """Documents left out since they were deleted before."""
    missing: list[str]
    """Documents that were in the index no more."""
    moved: list[str]
    """Documents whose file was moved."""
    updated: list[str]
    """Documents whose reference or place was updated."""
    references_lost: dict[str, str]
    """By document that has no reference any more, the citekey it had."""
    matched: dict[str, int]
    """How many references were matched, by way."""
    unmatched: list[Unmatched]
    """Documents without a reference, with the nearest."""
    without_references: bool
    """Whether the project has no references."""
    page_failures: dict[str, list[str]]
    """By document, pages that could not be read as they should."""
    notes: dict[str, list[str]]
    """By document, what else is to be known."""
    images_read: dict[str, ImagesRead]
    """By document with pages that are images."""
    reference_diagnostics: list[str]
    """Remarks on the references of this run's documents, and on the file as a whole."""
    other_reference_diagnostics: int
    """The number of remarks on other references, which `validate` names."""
    chunks: ChunkCounts
    """How many chunks."""
    dropped_sections: list[DroppedSection]
    """Sections filtered as noise."""
    chunking: ChunkingInForce | None
    """Null until a document was chunked."""
    seconds: dict[str, float]
    """By stage."""
    zotero: ZoteroReading | None
    """Null unless Zotero was read."""
    marks: dict[str, MarkCounts]
    """By `annotation` and `note`."""
    interrupted: bool
    """Whether the run was stopped."""
    not_optimized: str | None
    """Why the index in which everything is stored could not be optimised."""
    promoted: bool
    """Whether a rebuilt collection took the place of the old one."""
    left_behind: list[str]
    """Documents that a rebuilt collection lacks."""
    left_behind_of_other_machines: int
    """How many of them are other machines'."""
    passed_over: list[SkippedFile]
    """Pipes, devices, and links out of a source."""
    unreadable: list[SkippedFile]
    """What below a source is unreadable."""
    sends_text_to: str | None
    """The address of a remote model."""
    embed_api_calls: int
    """Calls of a remote model; in a dry run those that would be made, as below."""
    embed_tokens: int
    """As the service counts them, else by estimate."""
    embed_seconds: float
    """In calls, those at once each counted."""
    embed_reused: int
    """Vectors received by an earlier run."""
    not_indexed: list[DocumentFailure]
    """`failed` and `failed_before`."""


class ErrorEntry(TypedDict):
    """What went wrong, and the next step: the same on every door."""

    code: str
    """What it means stands in [errors.md](errors.md)."""
    message: str
    """What went wrong."""
    hint: str
    """The next step; may be empty."""
    correlation_id: str
    """The same as in the log."""


class JobEntry(TypedDict):
    """A job as it is now."""

    job_id: str
    """The job."""
    project: str
    """The project."""
    state: JobState
    """`interrupted` where its process ended."""
    cancelling: bool
    """Whether it stops after the current documents."""
    sources: list[str]
    """Absolute paths; empty for the project's own."""
    correlation_id: str
    """That of the request that started it."""
    created_at: datetime
    """In UTC."""
    started_at: datetime | None
    """In UTC."""
    finished_at: datetime | None
    """In UTC."""
    counts: JobCounts
    """How far it is."""
    last_event: int
    """The number of its last event."""
    report: IngestAnswer | None
    """Null until the job has ended."""
    error: ErrorEntry | None
    """Null unless it failed."""


class JobAnswer(JobEntry):
    """Likewise over HTTP."""

    content: Literal["untrusted"]
    """Names of files are a document's."""


class JobEventEntry(TypedDict):
    """An event of a job."""

    number: int
    """From 1, without gaps."""
    kind: str
    """`state`, `start`, `stage`, `count` or `outcome`."""
    detail: str
    """The new state; the number of documents; `convert`, `chunk`, `embed` or `store`; as `3 pages`;
    as `indexed: 12 chunks, @rule2018`, `failed: TIMEOUT` or `unchanged`.
    """
    document: str | None
    """Null where it is about none."""
    at: datetime
    """In UTC."""


class JobList(TypedDict):
    """The jobs of a project, the newest first."""

    project: str
    """The project."""
    count: int
    """How many."""
    items: list[JobAnswer]
    """The jobs."""
