"""The reading room as an ASGI app: its views, its files, its errors."""

from __future__ import annotations

from http import HTTPStatus
from importlib.metadata import version
from typing import Annotated

from fastapi import Depends, FastAPI, Form, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.interfaces.http.gate import (
    ROOM_BYTES,
    AccessPolicy,
    ConditionalAnswers,
)
from citeloom.infrastructure.interfaces.http.problems import UNEXPECTED, Refusal, refusal_for
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary, service_of
from citeloom.infrastructure.interfaces.web import (
    answers,
    charts,
    documents,
    drafts,
    jobs,
    matrix,
    reading,
    search,
)
from citeloom.infrastructure.interfaces.web.access import (
    RoomGate,
    WebSessions,
    checked_form,
    log_in,
)
from citeloom.infrastructure.interfaces.web.checked_drafts import CheckedDrafts
from citeloom.infrastructure.interfaces.web.views import (
    FOLDER,
    LatestValues,
    Visit,
    Visiting,
    rendered,
)

ROUTERS = (
    search.router,
    reading.router,
    answers.router,
    drafts.router,
    documents.router,
    jobs.router,
    matrix.router,
    charts.router,
)


def create_room(service: ServedLibrary, guard: AccessPolicy) -> ASGIApp:
    """The app that shows a service's library to those who have a session."""
    app = FastAPI(
        title="citeloom",
        version=version("citeloom"),
        openapi_url=None,
        redirect_slashes=False,
        max_body_size=ROOM_BYTES,
    )
    app.state.service = service
    app.state.sessions = sessions = WebSessions(guard.token)
    app.state.questions = LatestValues[str](answers.MOST_WAITING)
    app.state.drafts = CheckedDrafts()
    app.state.matrices = LatestValues[object](matrix.MOST_MATRICES)
    for router in ROUTERS:
        app.include_router(router, dependencies=[Depends(checked_form)])
    app.add_api_route("/login", _login_page, methods=["GET"])
    app.add_api_route("/login", _login, methods=["POST"])
    app.mount("/static", StaticFiles(directory=FOLDER / "static"))
    _answer_errors(app)
    app.add_middleware(ConditionalAnswers)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    return RoomGate(app, sessions=sessions, service=service, guard=guard)


async def _login_page(visit: Visiting, to: str = "/") -> Response:
    if not visit.request.app.state.sessions.needs_login:
        return RedirectResponse("/", status_code=303)
    return await rendered("login.html", visit, {"to": to, "is_wrong": False})


async def _login(
    visit: Visiting, token: Annotated[str, Form(max_length=1000)] = "", to: str = "/"
) -> Response:
    response = await log_in(visit.request, token, to)
    if response is not None:
        return response
    values = {"to": to, "is_wrong": True}
    return await rendered("login.html", visit, values, HTTPStatus.UNAUTHORIZED)


def _answer_errors(app: FastAPI) -> None:

    async def page(request: Request, refusal: Refusal) -> Response:
        visit = Visit(request, service_of(request))
        return await rendered("error.html", visit, {"refusal": refusal}, refusal.status)

    async def of_library(request: Request, error: Exception) -> Response:
        return await page(request, refusal_for(error, service_of(request).paths))

    async def of_arguments(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        faults = [(str(one["loc"][-1]), one["msg"]) for one in error.errors()[:5]]
        message = "; ".join(f"{place}: {complaint}" for place, complaint in faults)
        return await page(request, Refusal(status=422, code="INVALID_FILTER", message=message))

    async def of_protocol(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        message = str(error.detail)
        return await page(request, Refusal(status=error.status_code, code="", message=message))

    async def of_fault(request: Request, _: Exception) -> Response:
        return await page(request, UNEXPECTED)

    app.add_exception_handler(CiteloomError, of_library)
    app.add_exception_handler(RequestValidationError, of_arguments)
    app.add_exception_handler(HTTPException, of_protocol)
    app.add_exception_handler(Exception, of_fault)
