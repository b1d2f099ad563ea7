"""The HTTP API as an ASGI app."""

from __future__ import annotations

from http import HTTPStatus
from importlib.metadata import version
from typing import Any, cast

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp

from citeloom.domain.errors import CiteloomError, InvalidFilter
from citeloom.infrastructure.interfaces.http import documentation
from citeloom.infrastructure.interfaces.http.gate import ConditionalAnswers, Gate
from citeloom.infrastructure.interfaces.http.guard import MAX_BODY_BYTES, TOO_LARGE, Guard
from citeloom.infrastructure.interfaces.http.holdings import Holdings
from citeloom.infrastructure.interfaces.http.openapi import Operations, described
from citeloom.infrastructure.interfaces.http.problems import (
    UNEXPECTED,
    Refusal,
    problem_response,
    refusal_for,
)
from citeloom.infrastructure.interfaces.http.routes import (
    ask,
    chat,
    documents,
    health,
    jobs,
    query,
    zotero,
)
from citeloom.infrastructure.interfaces.http.routes.documents import VALIDATION_SECONDS
from citeloom.infrastructure.interfaces.http.schemas.requests import FORMER_NAMES
from citeloom.infrastructure.interfaces.http.service import Service, request_id_of, service_of

_NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
_SPARE_SECONDS = 30.0
"""For a request to arrive, beside the time of its call."""
_LEAST_COMPRESSED, _LEVEL = 1000, 5
_LONGEST_NAMES = 200


def create_app(service: Service, guard: Guard) -> ASGIApp:
    """The app that answers for a service whoever the guard lets in."""
    app = FastAPI(
        title="citeloom",
        version=version("citeloom"),
        description="Passages that can be cited to the page, from a research library.",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        max_body_size=MAX_BODY_BYTES,
        telemetry=_NO_TELEMETRY,
    )
    app.state.service = service
    service.metrics.include(Holdings(service))
    for part in (query, ask, chat, documents, jobs, zotero, health):
        app.include_router(part.router, dependencies=[Depends(_check_parameters)])
    app.include_router(_pages(app))
    _answer_errors(app)
    if guard.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=sorted(guard.origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Last-Event-ID", "X-Request-ID"],
            expose_headers=["X-Request-ID", "Retry-After"],
        )
    app.add_middleware(ConditionalAnswers)
    app.add_middleware(GZipMiddleware, minimum_size=_LEAST_COMPRESSED, compresslevel=_LEVEL)
    seconds = max(service.limits.longest_seconds, VALIDATION_SECONDS) + _SPARE_SECONDS
    return Gate(app, guard=guard, metrics=service.metrics, seconds=seconds)


def _operations(request: Request) -> Operations:
    """The operations of the app that got the request."""
    state = request.app.state
    if not hasattr(state, "operations"):
        state.operations = Operations.of(request.app)
    return cast("Operations", state.operations)


def _check_parameters(request: Request) -> None:
    """Raise `InvalidFilter` for a query parameter that the operation does not have."""
    path, method = request.scope["path"], request.scope["method"]
    known = _operations(request).parameters(path, method)
    if known is None:
        return
    former = FORMER_NAMES if "text" in known else ()
    if unknown := sorted(set(request.query_params) - known - {*former}):
        raise InvalidFilter(
            f"there is no parameter {', '.join(unknown)[:_LONGEST_NAMES]}",
            f"There are: {', '.join(sorted(known)) or 'none'}.",
        )


def _pages(app: FastAPI) -> APIRouter:
    """The documentation and what it is made of."""
    router = APIRouter(include_in_schema=False)
    router.include_router(documentation.router)

    @router.get(documentation.SPECIFICATION)
    async def specification() -> dict[str, Any]:
        return described(app)

    return router


def _answer_errors(app: FastAPI) -> None:
    """Every error is answered by a problem document."""

    async def of_library(request: Request, error: Exception) -> Response:
        refusal = refusal_for(error, service_of(request).paths)
        return problem_response(refusal, request_id_of(request))

    async def of_arguments(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        message = "; ".join(map(_complaint, error.errors()[:5]))
        refusal = Refusal(
            status=422, code="INVALID_FILTER", message=message, hint=f"See {documentation.PAGE}."
        )
        return problem_response(refusal, request_id_of(request))

    async def of_protocol(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == TOO_LARGE.status:
            return problem_response(TOO_LARGE, request_id_of(request))
        code = _PROTOCOL_CODES.get(error.status_code, "BAD_REQUEST")
        refusal = Refusal(status=error.status_code, code=code, message=str(error.detail))
        response = problem_response(refusal, request_id_of(request))
        response.headers.update(error.headers or {})
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and (
            methods := _operations(request).methods(request.scope["path"])
        ):
            response.headers["Allow"] = ", ".join(methods)
        return response

    async def of_fault(request: Request, _: Exception) -> Response:
        return problem_response(UNEXPECTED, request_id_of(request))

    app.add_exception_handler(CiteloomError, of_library)
    app.add_exception_handler(RequestValidationError, of_arguments)
    app.add_exception_handler(HTTPException, of_protocol)
    app.add_exception_handler(Exception, of_fault)


_PROTOCOL_CODES = {
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    415: "UNSUPPORTED_MEDIA_TYPE",
}


def _complaint(error: dict[str, Any]) -> str:
    """What is wrong with an argument, without the argument itself."""
    place = ".".join(str(part) for part in error["loc"])
    return f"{place}: {error['msg']}"
