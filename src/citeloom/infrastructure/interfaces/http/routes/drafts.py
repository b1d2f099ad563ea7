"""Drafts: citations formatted, quotations checked, support found; and a literature matrix."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.manuscript import MatrixRequest, SupportRequest
from citeloom.domain.manuscript.draft import Markup
from citeloom.infrastructure.answers.draft_support import SupportAnswer
from citeloom.infrastructure.answers.literature_matrix import MatrixAnswer
from citeloom.infrastructure.answers.manuscript import CitedAnswer, DraftChecks
from citeloom.infrastructure.interfaces.http.answers import (
    AnswerInProgress,
)
from citeloom.infrastructure.interfaces.http.routes import PREFIX, Body, Served
from citeloom.infrastructure.interfaces.http.service import ServedLibrary
from citeloom.infrastructure.interfaces.request_models import (
    LONGEST_DRAFT,
    LONGEST_SEARCHED,
    SOME_TEXT,
    CitationForm,
    LanguageName,
    Name,
    OfProject,
    StyleName,
)

router = APIRouter(prefix=PREFIX, tags=["drafts"])


class CiteBody(OfProject):
    """What is cited, by citekeys, ids of passages or citations such as `[@key, p. 45]`, and how."""

    names: list[Name] = Field(min_length=1, max_length=20)
    format: CitationForm = "text"
    style: StyleName = Field(
        default="apa", description="A style of the Citation Style Language by its name."
    )
    locale: LanguageName | None = Field(
        default=None, description="The language of the style, such as `de-DE`."
    )


class CheckBody(OfProject):
    """A draft as a text, and what it is written in."""

    text: str = Field(max_length=LONGEST_DRAFT, pattern=SOME_TEXT)
    format: Markup = "markdown"


class SupportBody(Body[SupportRequest]):
    """A part of a draft, whose sentences without a citation are looked up one by one."""

    text: str = Field(max_length=LONGEST_SEARCHED, pattern=SOME_TEXT)
    format: Markup = "markdown"


@router.post("/cite", response_model=CitedAnswer, operation_id="cite")
async def cite(body: CiteBody, request: Request, service: Served) -> Response:
    """Format citations of works and passages, in a style or as a program reads them."""
    project = service.project(body.project)

    def make(cancellation: Cancellation) -> object:
        text = project.cite(
            *body.names,
            style=body.style,
            form=body.format,
            locale=body.locale,
            cancellation=cancellation,
        )
        return CitedAnswer(project=body.project, format=body.format, text=text)

    return await _made(make, request, service, service.limits.hybrid_seconds)


@router.post("/check", response_model=DraftChecks, operation_id="check_draft")
async def check(body: CheckBody, request: Request, service: Served) -> Response:
    """Check every quotation and citation of a draft against the cited works."""
    project = service.project(body.project)

    def make(cancellation: Cancellation) -> object:
        draft = project.read_text(body.text, body.format, cancellation=cancellation)
        return DraftChecks.of(project.check_drafts(draft, cancellation=cancellation))

    return await _made(make, request, service)


@router.post("/support", response_model=SupportAnswer, operation_id="support_draft")
async def support(body: SupportBody, request: Request, service: Served) -> Response:
    """Find the passages that support a draft's sentences without a citation; `top_k` for each."""
    project = service.project(body.project)

    def make(cancellation: Cancellation) -> object:
        draft = project.read_text(body.text, body.format, cancellation=cancellation)
        reports = project.support_drafts(body.asked(drafts=draft, cancellation=cancellation))
        return SupportAnswer.of(reports)

    return await _made(make, request, service)


@router.post("/matrix", response_model=MatrixAnswer, operation_id="literature_matrix")
async def matrix(body: Body[MatrixRequest], request: Request, service: Served) -> Response:
    """Ask each work each question: the best passage of it, or nothing where none is near enough."""
    project = service.project(body.project)

    def make(cancellation: Cancellation) -> object:
        return MatrixAnswer.of(project.matrix(body.asked(cancellation=cancellation)))

    progress = AnswerInProgress(service, request)
    return await progress.answered(lambda _, cancellation: make(cancellation), stream=False)


async def _made(
    make: Callable[[Cancellation], object],
    request: Request,
    service: ServedLibrary,
    seconds: float | None = None,
) -> Response:
    """What is made in the lane of drafts; it ends when its client is gone or its time is up."""
    progress = AnswerInProgress(service, request, service.drafts, seconds)
    return await progress.answered(lambda _, cancellation: make(cancellation), stream=False)
