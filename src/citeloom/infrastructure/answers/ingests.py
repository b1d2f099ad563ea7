"""Ingests, the jobs that run them, and errors, as they are answered."""

from __future__ import annotations

import re
from typing import Self

from citeloom.application.jobs import Job, JobEvent
from citeloom.application.reports import RECORDED, IngestReport
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.answers.model import UNTRUSTED, Model, Untrusted, filled


class IngestAnswer(Model, of=IngestReport, keys=RECORDED):
    """What an ingest did: that of `ingest --json`. Documents `not_indexed` failed, in this run or
    before.
    """


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


class JobEntry(
    Model, of=Job, keys=("job_id", *(name for name in Job.__dataclass_fields__ if name != "id"))
):
    """A job as it is now."""

    job_id: str
    """The job."""
    report: IngestAnswer | None
    """Null until the job has ended."""
    error: ErrorEntry | None
    """Null unless it failed."""

    @classmethod
    def of(cls, job: Job) -> Self:
        return filled(
            cls,
            job,
            job_id=job.id,
            report=IngestAnswer.of_optional(job.report),
            error=ErrorEntry.of(job.error, job.correlation_id) if job.error else None,
        )


class JobAnswer(JobEntry):
    """Likewise over HTTP."""

    content: Untrusted = UNTRUSTED
    """Names of files are a document's."""


class JobEventEntry(Model, of=JobEvent):
    """An event of a job."""


class JobList(Model):
    """The jobs of a project, the newest first."""

    project: str
    """The project."""
    count: int
    """How many."""
    items: tuple[JobAnswer, ...]
    """The jobs."""
