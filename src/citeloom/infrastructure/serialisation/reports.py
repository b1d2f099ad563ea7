"""The documented JSON of reports: what was done, what a project holds, and how good it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, cast

from citeloom.application.documents import ListedDocument
from citeloom.application.jobs import Job, JobEvent
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.errors import CiteloomError
from citeloom.domain.evaluation.page_truth import PageVerdict
from citeloom.infrastructure.serialisation.json import UNTRUSTED, json_of
from citeloom.infrastructure.serialisation.schemas.library import (
    InspectAnswer,
    StoreAnswer,
    Validation,
)

if TYPE_CHECKING:
    from citeloom.application.documents import Inspection
    from citeloom.application.evaluate.pages import CheckedChunk, PageReport
    from citeloom.application.jobs import JobCounts
    from citeloom.application.library_info import LibraryInfo
    from citeloom.application.models import AvailableEngine, AvailableModel, RecommendedModels
    from citeloom.application.ports.vector_index import StoreState
    from citeloom.application.reports import IngestReport
    from citeloom.application.validate import ValidationReport
    from citeloom.infrastructure.serialisation.schemas.evaluation import (
        CheckedPassage,
        LineCounts,
        PagesAnswer,
        VerdictCounts,
    )
    from citeloom.infrastructure.serialisation.schemas.ingest import (
        ErrorEntry,
        IngestAnswer,
        JobEntry,
        JobEventEntry,
    )
    from citeloom.infrastructure.serialisation.schemas.library import ManifestAnswer, ModelsAnswer


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


def inspection_json(inspection: Inspection, info: LibraryInfo) -> InspectAnswer:
    """The documented JSON of `inspect`, with the model that writes answers, the one that judges
    them, and the project's reranker.
    """
    return InspectAnswer(
        **{each.name: getattr(inspection, each.name) for each in fields(inspection)},
        answer_model=info.answer_model,
        reranker=info.reranker if inspection.project.retrieval.rerank else None,
        entailment=info.entailment,
        **UNTRUSTED,
    )


def store_json(state: StoreState) -> StoreAnswer:
    """The documented JSON of `store check`."""
    return StoreAnswer(
        **{each.name: getattr(state, each.name) for each in fields(state)},
        available=state.is_available,
    )


def validation_json(report: ValidationReport) -> Validation:
    """The documented JSON of `validate`."""
    return json_of(Validation, report)


def models_json(
    models: Sequence[AvailableModel],
    engines: Sequence[AvailableEngine],
    recommended: RecommendedModels | None,
) -> ModelsAnswer:
    """The documented JSON of `models`."""
    return {
        "models": list(models),
        "ocr_engines": list(engines),
        "recommended": recommended,
    }


def pages_json(report: PageReport) -> PagesAnswer:
    """The documented JSON of `eval pages`."""
    return {
        "project": report.project,
        "share": report.share,
        "totals": _counts_json(report.totals),
        "lines": cast("LineCounts", asdict(report.lines)),
        "documents": [
            {
                "path": document.path,
                "citekey": document.citekey,
                "citekey_generated": document.citekey_generated,
                **_counts_json(document.verdicts),
                "examples": [_example_json(example) for example in document.examples],
                "lines": cast("LineCounts", asdict(document.lines)),
                "doubtful_pages": [
                    {
                        "page": page,
                        **UNTRUSTED,
                        "moved": list(order.moved),
                        "torn": list(order.torn),
                    }
                    for page, order in document.orders.items()
                    if order.is_doubtful
                ],
                "glued": list(document.words.glued),
                "broken": list(document.words.broken),
            }
            for document in report.documents
        ],
        "skipped": list(report.skipped),
    }


def _counts_json(verdicts: Mapping[PageVerdict, int]) -> VerdictCounts:
    return cast("VerdictCounts", {one.value: verdicts[one] for one in PageVerdict})


def _example_json(one: CheckedChunk) -> CheckedPassage:
    chunk, check = one.chunk, one.check
    return {
        "chunk_id": chunk.id,
        "verdict": check.verdict,
        "page_span": list(chunk.page_span or ()),
        "stands_on": list(check.stands_on),
        "share": round(check.share, 4),
        "missing": list(check.missing),
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
    indexed = [document for document in documents if document.state is DocumentState.INDEXED]
    moments = [document.updated_at for document in documents if document.updated_at]
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
