"""The documented JSON of reports: what was done, what a project holds, and how good it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from citeloom.infrastructure.serialisation.json import UNTRUSTED

if TYPE_CHECKING:
    from citeloom.application.delete import DeleteReport
    from citeloom.application.evaluate.pages import CheckedChunk, PageReport
    from citeloom.application.evaluate.sweep import SweepReport
    from citeloom.application.inspect import Inspection
    from citeloom.application.library_parts import LibraryInfo
    from citeloom.application.recommend_models import RecommendedModels
    from citeloom.application.reports import IngestReport
    from citeloom.application.validate import ValidationReport
    from citeloom.domain.comparison import Comparison

Json = dict[str, object]


def ingest_json(report: IngestReport) -> Json:
    """The documented JSON of `ingest` and `sync`; `not_indexed` are all documents that failed, in
    this run or before.
    """
    full = asdict(report)
    return {**full, "not_indexed": [*full["failed"], *full["failed_before"]]}


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
