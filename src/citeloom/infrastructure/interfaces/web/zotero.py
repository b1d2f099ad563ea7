"""The view of Zotero: its collections and saved searches, and what of them is indexed."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from citeloom.application.zotero.coverage import ZoteroCoverage
from citeloom.infrastructure.answers.zotero import DiagnosisAnswer
from citeloom.infrastructure.interfaces.web.views import PageOutcome, Visiting, streamed

router = APIRouter()
_FINDINGS = 5
"""How many findings of a check are named."""


@router.get("/zotero")
async def zotero(visit: Visiting, library: Annotated[str, Query(max_length=300)] = "") -> Response:
    """The collections and saved searches of Zotero as they are read, then what is wrong there."""

    def cover() -> ZoteroCoverage:
        return visit.project.zotero_coverage(*filter(None, [library]))

    def diagnose() -> DiagnosisAnswer:
        chosen = visit.project.project.id
        return DiagnosisAnswer.of(visit.service.library.diagnose_zotero(project_id=chosen))

    seconds = visit.service.limits.hybrid_seconds

    async def covered() -> PageOutcome:
        return await visit.outcome(visit.run(cover, seconds))

    async def diagnosed() -> PageOutcome:
        outcome = await visit.outcome(visit.run(diagnose, seconds, visit.service.reading))
        found: list[object] = []
        if outcome.answer is not None:
            by_check = groupby(outcome.answer.findings, key=lambda finding: finding.check)
            for _, findings in by_check:
                alike = [*findings]
                found.append((alike[0], len(alike), alike[:_FINDINGS]))
        return PageOutcome(answer=found, refusal=outcome.refusal)

    values = {"covered": covered, "diagnosed": diagnosed, "words": visit.service.paths.text}
    return streamed("zotero.html", visit, values)
