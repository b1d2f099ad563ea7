"""The JSON of ingests, and of the jobs that run them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from citeloom.application.jobs import JobCounts, JobState
from citeloom.application.outcomes import ChunkingInForce, DocumentFailure, ImagesRead
from citeloom.application.ports.sources import SkippedFile
from citeloom.application.reports import (
    ChunkCounts,
    DroppedSection,
    MarkCounts,
    Unmatched,
    WithheldRemoval,
    ZoteroReading,
)


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
