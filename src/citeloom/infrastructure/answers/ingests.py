"""Ingests, the jobs that run them, and errors, as they are answered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Self

from citeloom.application.jobs import Job, JobCounts, JobEvent, JobState
from citeloom.application.outcomes import ChunkingInForce, DocumentFailure, ImagesRead
from citeloom.application.ports.sources import SkippedFile
from citeloom.application.reports import (
    ChunkCounts,
    DroppedSection,
    IngestReport,
    MarkCounts,
    Unmatched,
    WithheldRemoval,
    ZoteroReading,
)
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.answers.model import UNTRUSTED, Model, Untrusted, filled


class IngestAnswer(Model):
    """What an ingest did: that of `ingest --json`. Documents `not_indexed` failed, in this run or
    before.
    """

    project: str
    """The project."""
    collection: str
    """Its collection."""
    models: Mapping[str, str | None]
    """The models the collection is bound to."""
    run_id: str
    """A name for this run, as in the log."""
    dry_run: bool
    """Whether nothing was changed."""
    found: int
    """How many files there are."""
    ignored: int
    """How many files are of other kinds."""
    other_kinds: Mapping[str, int]
    """How many, by suffix."""
    pages: int
    """How many were converted."""
    indexed: tuple[str, ...]
    """Documents that were indexed."""
    unchanged: tuple[str, ...]
    """Documents that needed nothing."""
    duplicates: Mapping[str, str]
    """By path the file with the same content."""
    pending: tuple[str, ...]
    """In a dry run, what would be indexed."""
    failed: tuple[DocumentFailure, ...]
    """Documents that failed in this run."""
    failed_before: tuple[DocumentFailure, ...]
    """Documents that failed before, and were not tried again."""
    pruned: tuple[str, ...]
    """Documents deleted since their file is gone."""
    gone: tuple[str, ...]
    """Documents whose file is gone, and that were kept."""
    left: tuple[str, ...]
    """Documents that are no longer in the Zotero selection."""
    withheld: tuple[WithheldRemoval, ...]
    """Removals that were not done, and why."""
    deleted: tuple[str, ...]
    """Documents left out since they were deleted before."""
    missing: tuple[str, ...]
    """Documents that were in the index no more."""
    moved: tuple[str, ...]
    """Documents whose file was moved."""
    updated: tuple[str, ...]
    """Documents whose reference or place was updated."""
    references_lost: Mapping[str, str]
    """By document that has no reference any more, the citekey it had."""
    matched: Mapping[str, int]
    """How many references were matched, by way."""
    unmatched: tuple[Unmatched, ...]
    """Documents without a reference, with the nearest."""
    without_references: bool
    """Whether the project has no references."""
    page_failures: Mapping[str, tuple[str, ...]]
    """By document, pages that could not be read as they should."""
    notes: Mapping[str, tuple[str, ...]]
    """By document, what else is to be known."""
    images_read: Mapping[str, ImagesRead]
    """By document with pages that are images."""
    reference_diagnostics: tuple[str, ...]
    """Remarks on the references of this run's documents, and on the file as a whole."""
    other_reference_diagnostics: int
    """The number of remarks on other references, which `validate` names."""
    chunks: ChunkCounts
    """How many chunks."""
    dropped_sections: tuple[DroppedSection, ...]
    """Sections filtered as noise."""
    chunking: ChunkingInForce | None
    """Null until a document was chunked."""
    seconds: Mapping[str, float]
    """By stage."""
    zotero: ZoteroReading | None
    """Null unless Zotero was read."""
    marks: Mapping[str, MarkCounts]
    """By `annotation` and `note`."""
    interrupted: bool
    """Whether the run was stopped."""
    not_optimized: str | None
    """Why the index in which everything is stored could not be optimised."""
    promoted: bool
    """Whether a rebuilt collection took the place of the old one."""
    left_behind: tuple[str, ...]
    """Documents that a rebuilt collection lacks."""
    left_behind_of_other_machines: int
    """How many of them are other machines'."""
    passed_over: tuple[SkippedFile, ...]
    """Pipes, devices, and links out of a source."""
    unreadable: tuple[SkippedFile, ...]
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
    not_indexed: tuple[DocumentFailure, ...]
    """`failed` and `failed_before`."""

    @classmethod
    def of(cls, report: IngestReport) -> Self:
        """The report of an ingest."""
        return filled(cls, report, not_indexed=(*report.failed, *report.failed_before))


class ErrorEntry(Model):
    """What went wrong, and the next step: the same on every door."""

    code: str
    """What it means stands in [errors.md](errors.md)."""
    message: str
    """What went wrong."""
    hint: str
    """The next step; may be empty."""
    correlation_id: str
    """The same as in the log."""

    @classmethod
    def of(cls, error: BaseException, correlation_id: str) -> Self:
        """An error; of one that is none of citeloom's, only that it happened."""
        shown = error if isinstance(error, CiteloomError) else _FAULT
        return filled(cls, shown, correlation_id=correlation_id)


_FAULT = CiteloomError(
    "a fault in citeloom ended the call", "The log has the details under the correlation id."
)


_COMMAND = re.compile(r"\bciteloom [a-z]+")
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_PARAMETERS = frozenset(
    {"force", "limit", "mode", "project", "prune", "restore", "retry-failed", "section", "top-k"}
    | {"where", "zotero"}
)
_FOR_THE_HOST = "The command is for whoever runs the server."


def hint_for_clients(hint: str) -> str:
    """A hint for those who have no command line: options become parameters, and a command is said
    to be for whoever runs the server.
    """
    command = _COMMAND.search(hint)
    before = hint[: command.start()] if command else hint
    renamed = _OPTION.sub(_parameter, before) + hint[len(before) :]
    if command is None and not _OPTION.search(renamed):
        return renamed
    return f"{renamed.rstrip()}{'' if renamed.rstrip().endswith('.') else '.'} {_FOR_THE_HOST}"


def _parameter(option: re.Match[str]) -> str:
    return option[1].replace("-", "_") if option[1] in _PARAMETERS else option[0]


class JobEntry(Model):
    """A job as it is now."""

    job_id: str
    """The job."""
    project: str
    """The project."""
    state: JobState
    """`interrupted` where its process ended."""
    cancelling: bool
    """Whether it stops after the current documents."""
    sources: tuple[str, ...]
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

    @classmethod
    def of(cls, job: Job) -> Self:
        """A job."""
        return filled(
            cls,
            job,
            job_id=job.id,
            report=IngestAnswer.of(job.report) if job.report else None,
            error=ErrorEntry.of(job.error, job.correlation_id) if job.error else None,
        )


class JobAnswer(JobEntry):
    """Likewise over HTTP."""

    content: Untrusted = UNTRUSTED
    """Names of files are a document's."""


class JobEventEntry(Model):
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

    @classmethod
    def of(cls, event: JobEvent) -> Self:
        """An event."""
        return filled(cls, event)


class JobList(Model):
    """The jobs of a project, the newest first."""

    project: str
    """The project."""
    count: int
    """How many."""
    items: tuple[JobAnswer, ...]
    """The jobs."""
