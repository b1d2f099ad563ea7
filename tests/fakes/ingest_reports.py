"""Reports of ingests, made without one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citeloom.application.reports import (
    DocumentFailure,
    DocumentOutcome,
    IngestReport,
    OutcomeState,
)


def reported(outcomes: Mapping[str, DocumentOutcome] | None = None, **fields: Any) -> IngestReport:
    """A report on documents with these outcomes."""
    own = {"project": "lab/wheat", "collection": "wheat", "models": {}, "run_id": "1"}
    return IngestReport(outcomes=outcomes or {}, **{**own, **fields})


def indexed(*names: str, **fields: Any) -> dict[str, DocumentOutcome]:
    """The outcomes of documents that were indexed alike."""
    return dict.fromkeys(names, DocumentOutcome(state=OutcomeState.INDEXED, **fields))


def failed(
    failures: list[DocumentFailure], state: OutcomeState = OutcomeState.FAILED
) -> dict[str, DocumentOutcome]:
    """The outcomes of documents that failed."""
    return {one.path: DocumentOutcome(state=state, failure=one) for one in failures}
