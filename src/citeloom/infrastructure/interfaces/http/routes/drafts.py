"""Drafts: citations formatted, quotations checked, support found; and a literature matrix."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request
from starlette.responses import Response

from citeloom.application.options import FilterOptions
from citeloom.application.ports.runtime import Cancellation
from citeloom.infrastructure.interfaces.http.answers import (
    AnswerInProgress,
    Json,
    JsonAnswer,
    public_passage,
)
from citeloom.infrastructure.interfaces.http.requests import (
    CheckBody,
    CiteBody,
    MatrixBody,
    SupportBody,
)
from citeloom.infrastructure.interfaces.http.routes import PREFIX, Served
from citeloom.infrastructure.interfaces.http.service import ServedLibrary
from citeloom.infrastructure.library.project import ProjectLibrary
from citeloom.infrastructure.serialisation.draft_support import support_json
from citeloom.infrastructure.serialisation.literature_matrix import matrix_json
from citeloom.infrastructure.serialisation.manuscript import checks_json, cited_json
from citeloom.infrastructure.serialisation.schemas.manuscript import (
    CitedAnswer,
    DraftCheck,
    DraftChecks,
)
from citeloom.infrastructure.serialisation.schemas.review import (
    MatrixAnswer,
    MatrixCell,
    MatrixWork,
    SupportAnswer,
    SupportedSentence,
)

_SENTENCE_PASSAGES = 3

router = APIRouter(prefix=PREFIX, tags=["drafts"])


@router.post("/cite", response_model=CitedAnswer, operation_id="cite")
async def cite(body: CiteBody, service: Served) -> Response:
    """Format citations of works and passages, in a style or as a program reads them."""
    project = service.project(body.project)
    text = await service.run(
        lambda: project.cite(*body.names, style=body.style, form=body.format, locale=body.locale),
        service.limits.hybrid_seconds,
    )
    return JsonAnswer(cited_json(body.project, body.format, text))


@router.post("/check", response_model=DraftChecks, operation_id="check_draft")
async def check(body: CheckBody, request: Request, service: Served) -> Response:
    """Check every quotation and citation of a draft against the cited works."""
    project = service.project(body.project)

    def make(cancellation: Cancellation) -> Json:
        draft = project.read_text(body.text, body.format)
        made = checks_json(project.check_drafts(draft, cancellation=cancellation))
        return {**made, "checks": [_public_check(one, service) for one in made["checks"]]}

    return await _made(make, project, request, service)


@router.post("/support", response_model=SupportAnswer, operation_id="support_draft")
async def support(body: SupportBody, request: Request, service: Served) -> Response:
    """Find the passages that support a draft's sentences without a citation; `top_k` for each."""
    project = service.project(body.project)
    filters = body.options(FilterOptions, top_k=body.top_k or _SENTENCE_PASSAGES)

    def make(cancellation: Cancellation) -> Json:
        draft = project.read_text(body.text, body.format)
        reports = project.support_drafts(
            draft, lines=body.lines, every=body.every, cancellation=cancellation, **filters
        )
        made = support_json(reports, project.info.base_dir)
        return {**made, "sentences": [_public_sentence(one, service) for one in made["sentences"]]}

    return await _made(make, project, request, service)


@router.post("/matrix", response_model=MatrixAnswer, operation_id="literature_matrix")
async def matrix(body: MatrixBody, request: Request, service: Served) -> Response:
    """Ask each work each question: the best passage of it, or nothing where none is near enough."""
    project = service.project(body.project)
    filters = body.options(FilterOptions, top_k=1)

    def make(cancellation: Cancellation) -> Json:
        matrix = project.matrix(
            *body.questions,
            works=body.works,
            strict=body.strict,
            cancellation=cancellation,
            **filters,
        )
        made = matrix_json(matrix, project.info.base_dir)
        return {**made, "works": [_public_work(one, service) for one in made["works"]]}

    return await _made(make, project, request, service)


def _public_check(check: DraftCheck, service: ServedLibrary) -> Json:
    quotation = check["found"]
    if quotation is None:
        return {**check}
    return {
        **check,
        "found": {**quotation, "source_path": service.paths.path(quotation["source_path"])},
    }


def _public_sentence(sentence: SupportedSentence, service: ServedLibrary) -> Json:
    passages = [public_passage(one, service.paths) for one in sentence["passages"]]
    return {**sentence, "passages": passages}


def _public_work(work: MatrixWork, service: ServedLibrary) -> Json:
    return {**work, "cells": [_public_cell(cell, service) for cell in work["cells"]]}


def _public_cell(cell: MatrixCell, service: ServedLibrary) -> Json:
    passage = cell["passage"]
    return {**cell, "passage": public_passage(passage, service.paths) if passage else None}


async def _made(
    make: Callable[[Cancellation], Json],
    project: ProjectLibrary,
    request: Request,
    service: ServedLibrary,
) -> Response:
    """What is made in the lane of answers; it ends when its client is gone or its time is up."""
    progress = AnswerInProgress(service, project, request)
    return await progress.answered(lambda _, cancellation: make(cancellation), stream=False)
