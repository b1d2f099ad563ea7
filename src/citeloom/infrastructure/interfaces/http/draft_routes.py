"""Drafts: citations formatted, quotations checked, support found; and a literature matrix."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.manuscript import (
    CheckTextRequest,
    CiteRequest,
    MatrixRequest,
    SupportTextRequest,
)
from citeloom.infrastructure.answers.draft_checks import CitedAnswer, DraftChecks
from citeloom.infrastructure.answers.draft_support import SupportAnswer
from citeloom.infrastructure.answers.literature_matrix import MatrixAnswer
from citeloom.infrastructure.interfaces.http.responses import PREFIX, AnswerInProgress, Served
from citeloom.infrastructure.interfaces.request_models import RequestBody

router = APIRouter(prefix=PREFIX, tags=["drafts"])


@router.post("/cite", response_model=CitedAnswer, operation_id="cite")
async def cite(body: RequestBody[CiteRequest], request: Request, service: Served) -> Response:
    """Format citations of works and passages, in a style or as a program reads them."""
    project = service.project(body.project)

    def make(_: object, cancellation: Cancellation) -> CitedAnswer:
        asked = body.asked(cancellation=cancellation)
        return CitedAnswer(project=body.project, format=asked.form, text=project.cite(asked))

    seconds = service.limits.hybrid_seconds
    return await AnswerInProgress(service, request, service.drafts, seconds).answered(make)


@router.post("/check", response_model=DraftChecks, operation_id="check_draft")
async def check(body: RequestBody[CheckTextRequest], request: Request, service: Served) -> Response:
    """Check every quotation and citation of a draft against the cited works."""
    project = service.project(body.project)

    def make(_: object, cancellation: Cancellation) -> DraftChecks:
        asked = body.asked(cancellation=cancellation)
        draft = project.read_text(asked.text, asked.markup, cancellation=cancellation)
        return DraftChecks.of(project.check_drafts(replace(asked, drafts=draft)))

    return await AnswerInProgress(service, request, service.drafts).answered(make)


@router.post("/support", response_model=SupportAnswer, operation_id="support_draft")
async def support(
    body: RequestBody[SupportTextRequest], request: Request, service: Served
) -> Response:
    """Find the passages that support a draft's sentences without a citation; `top_k` for each."""
    project = service.project(body.project)

    def make(_: object, cancellation: Cancellation) -> SupportAnswer:
        asked = body.asked(cancellation=cancellation)
        draft = project.read_text(asked.text, asked.markup, cancellation=cancellation)
        return SupportAnswer.of(project.support_drafts(replace(asked, drafts=draft)))

    return await AnswerInProgress(service, request, service.drafts).answered(make)


@router.post("/matrix", response_model=MatrixAnswer, operation_id="literature_matrix")
async def matrix(body: RequestBody[MatrixRequest], request: Request, service: Served) -> Response:
    """Ask each work each question: the best passage of it, or nothing where none is near enough."""
    project = service.project(body.project)

    def make(_: object, cancellation: Cancellation) -> MatrixAnswer:
        return MatrixAnswer.of(project.matrix(body.asked(cancellation=cancellation)))

    return await AnswerInProgress(service, request).answered(make)
