"""The documented JSON of reports: what was done, what a project holds, and how good it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from citeloom.application.documents import ListedDocument
from citeloom.application.jobs import Job, JobEvent
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.serialisation.json import UNTRUSTED

if TYPE_CHECKING:
    from citeloom.application.delete import DeleteReport
    from citeloom.application.documents import Inspection
    from citeloom.application.evaluate.pages import CheckedChunk, PageReport
    from citeloom.application.evaluate.sweep import SweepReport
    from citeloom.application.jobs import JobCounts
    from citeloom.application.library_info import LibraryInfo
    from citeloom.application.models import RecommendedModels
    from citeloom.application.reports import IngestReport
    from citeloom.application.validate import ValidationReport
    from citeloom.domain.evaluation.comparison import Comparison
    from citeloom.infrastructure.serialisation.schemas.holdings import (
        ErrorEntry,
        IngestAnswer,
        JobEntry,
        JobEventEntry,
        ManifestAnswer,
    )


# The documented JSON of an error, the same on every door.


def error_json(error: BaseException, correlation_id: str) -> ErrorEntry:
    """Code, message, hint and correlation id; of an error that is none of citeloom's, only that it
    happened.
    """
    known = error if isinstance(error, CiteloomError) else _FAULT
    return {
        "code": known.code,
        "message": known.message,
        "hint": known.hint,
        "correlation_id": correlation_id,
    }


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


def ingest_json(report: IngestReport) -> Json:
    """The documented JSON of `ingest` and `sync`; `not_indexed` are all documents that failed, in
    this run or before.
    """
    failures = (*report.failed, *report.failed_before)
    return {**report.as_dict(), "not_indexed": [asdict(failure) for failure in failures]}


def deletion_json(report: DeleteReport) -> Json:
    """The documented JSON of `delete`."""
    return asdict(report)


def inspection_json(inspection: Inspection, info: LibraryInfo) -> Json:
    """The documented JSON of `inspect`, with the model that writes answers, the one that judges
    them, and the project's reranker.
    """
    writer, entailment = info.answer_model, info.entailment
    reranker = info.reranker if inspection.project.retrieval.rerank else None
    return {
        **asdict(inspection),
        "answer_model": asdict(writer) if writer else None,
        "reranker": asdict(reranker) if reranker else None,
        "entailment": asdict(entailment) if entailment else None,
        **UNTRUSTED,
    }


def validation_json(report: ValidationReport) -> Json:
    """The documented JSON of `validate`."""
    return {**asdict(report), "passed": report.passed}


def models_json(
    models: Sequence[object], engines: Sequence[object], recommended: RecommendedModels | None
) -> Json:
    """The documented JSON of `models`."""
    return {
        "models": list(models),
        "ocr_engines": list(engines),
        "recommended": recommended and asdict(recommended),
    }


def projects_json(summaries: Sequence[object]) -> list[object]:
    """The documented JSON of `projects`."""
    return list(summaries)


def comparison_json(comparison: Comparison) -> Json:
    """The documented JSON of `eval compare`."""
    return asdict(comparison)


def sweep_json(report: SweepReport) -> Json:
    """The documented JSON of `eval sweep`."""
    return asdict(report)


def pages_json(report: PageReport) -> Json:
    """The documented JSON of `eval pages`."""
    return {
        "project": report.project,
        "share": report.share,
        "totals": {verdict.value: n for verdict, n in report.totals.items()},
        "documents": [
            {
                "path": document.path,
                "citekey": document.citekey,
                "citekey_made_up": document.citekey_made_up,
                **{verdict.value: n for verdict, n in document.verdicts.items()},
                "examples": [_example_json(one) for one in document.examples],
            }
            for document in report.documents
        ],
        "skipped": [
            {"path": s.path, "code": s.code, "message": s.message, "hint": s.hint}
            for s in report.skipped
        ],
    }


def _example_json(one: CheckedChunk) -> Json:
    chunk, check = one.chunk, one.check
    return {
        "chunk_id": chunk.id,
        "verdict": check.verdict.value,
        "page_span": list(chunk.page_span or ()),
        "stands_on": list(check.stands_on),
        "share": round(check.share, 4),
        "missing": check.missing,
        **UNTRUSTED,
        "text": chunk.text,
    }


# The documented JSON of jobs and their events.

Json = dict[str, object]


def job_json(job: Job) -> JobEntry:
    """The documented JSON of a job."""
    return {
        "job_id": job.id,
        "project": job.project,
        "state": job.state,
        "cancelling": job.cancelling,
        "sources": list(job.sources),
        "correlation_id": job.correlation_id,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
        "counts": cast("JobCounts", asdict(job.counts)),
        "last_event": job.last_event,
        "report": cast("IngestAnswer", ingest_json(job.report)) if job.report else None,
        "error": error_json(job.error, job.correlation_id) if job.error else None,
    }


def event_json(event: JobEvent) -> JobEventEntry:
    """The documented JSON of an event of a job."""
    return {
        "number": event.number,
        "kind": event.kind,
        "detail": event.detail,
        "document": event.document,
        "at": event.at,
    }


# The documented JSON of a project's documents.


def manifest_json(documents: Sequence[ListedDocument]) -> ManifestAnswer:
    """The manifest of the indexed files: hash, time of the last ingest and number of chunks."""
    indexed = [one for one in documents if one.state is DocumentState.INDEXED]
    moments = [one.updated_at for one in documents if one.updated_at]
    return {
        "files": {
            one.path: {
                "content_hash": one.content_hash,
                "last_ingested_at": one.updated_at.isoformat() if one.updated_at else None,
                "chunk_count": one.chunks,
            }
            for one in indexed
        },
        "last_run": max(moments).isoformat() if moments else None,
    }
