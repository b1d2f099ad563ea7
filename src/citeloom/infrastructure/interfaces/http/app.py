"""The HTTP API as an ASGI app, with its OpenAPI document, its documentation and its metrics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from importlib.metadata import version
from importlib.resources import files
from typing import Any, cast

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.telemetry import TelemetryConfig
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, Response
from starlette.routing import compile_path
from starlette.types import ASGIApp

from citeloom.application.jobs import JobState
from citeloom.domain.errors import CiteloomError, InvalidFilter, NotFound
from citeloom.infrastructure.interfaces.http.gate import (
    MAX_BODY_BYTES,
    OPEN_TO_ALL,
    TOO_LARGE,
    AccessPolicy,
    ConditionalAnswers,
)
from citeloom.infrastructure.interfaces.http.problems import (
    MEDIA_TYPE,
    UNEXPECTED,
    Problem,
    Refusal,
    problem_response,
    refusal_for,
)
from citeloom.infrastructure.interfaces.http.routes import (
    ask,
    documents,
    drafts,
    health,
    jobs,
    query,
    request_id_of,
    service_of,
    zotero,
)
from citeloom.infrastructure.interfaces.http.service import ServedLibrary

# Figures of what a service holds.


class LibraryCollector(Collector):
    """The jobs and the indexes of a service, looked up when the figures are asked for."""

    def __init__(self, service: ServedLibrary) -> None:
        self._service = service

    def describe(self) -> list[GaugeMetricFamily]:
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield self._jobs()
        yield from self._indexes()
        calls = GaugeMetricFamily("citeloom_calls_running", "Calls of the library that run.")
        of = self._service
        lanes = (of.calls, of.drawings, of.answers, of.heavy.calls)
        calls.add_metric([], sum(lane.running for lane in lanes))
        yield calls

    def _jobs(self) -> GaugeMetricFamily:
        family = GaugeMetricFamily("citeloom_jobs", "Jobs.", labels=["project", "state"])
        jobs = Counter((job.project, job.state) for job in self._service.jobs.list())
        for project in self._service.projects:
            for state in JobState:
                family.add_metric([project, state.value], jobs[project, state])
        return family

    def _indexes(self) -> list[GaugeMetricFamily]:
        labels = ["project"]
        chunks = GaugeMetricFamily("citeloom_index_chunks", "Chunks.", labels=labels)
        size = GaugeMetricFamily("citeloom_index_bytes", "Disk space of the index.", labels=labels)
        documents = GaugeMetricFamily(
            "citeloom_documents", "Documents in the manifest.", labels=["project", "status"]
        )
        for project in self._service.projects:
            try:
                known = self._service.library.project(project).inspect()
            except CiteloomError:
                continue  # nothing is ingested yet, or its index cannot be reached
            chunks.add_metric([project], known.description.points)
            if known.description.disk_bytes:  # else the store does not say
                size.add_metric([project], known.description.disk_bytes)
            for status, count in known.by_status.items():
                documents.add_metric([project, status], count)
        return [chunks, size, documents]


# The OpenAPI 3.1 document of the API, generated from its routes.

_METHODS = frozenset({"get", "post", "put", "patch", "delete"})
_GENERATED = ("HTTPValidationError", "ValidationError")
_PROBLEM = {
    "description": "A problem",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_RETRY = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}
_REFUSALS: dict[str, dict[str, Any]] = {
    "401": {**_PROBLEM, "description": "The token is missing or wrong"},
    "429": {**_PROBLEM, "description": "Too many calls are open", "headers": _RETRY},
    "503": {
        **_PROBLEM,
        "description": "An index, a model or a source cannot be used now",
        "headers": _RETRY,
    },
}


def described(app: FastAPI) -> dict[str, Any]:
    """The document; every error is a problem document, and a token may be needed."""
    if app.openapi_schema is None:
        document = app.openapi()
        schemas = document["components"]["schemas"]
        for name in _GENERATED:
            schemas.pop(name, None)
        schemas["Problem"] = TypeAdapter(Problem).json_schema()
        for schema in schemas.values():
            if "properties" in schema:
                schema.setdefault("additionalProperties", False)
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}, {}]
        for name, path in document["paths"].items():
            for operation in (path[method] for method in _METHODS & path.keys()):
                operation["responses"].pop("422", None)
                operation["responses"] |= _refusals(name) | {"default": _PROBLEM}
        app.openapi_schema = document
    return app.openapi_schema


def _refusals(path: str) -> dict[str, dict[str, Any]]:
    """The refusals that an operation is described with, beside the problem that each may answer."""
    return {key: one for key, one in _REFUSALS.items() if key == "503" or path not in OPEN_TO_ALL}


@dataclass(frozen=True, slots=True)
class Operations:
    """The methods and query parameters of each path, as the document describes them."""

    _paths: tuple[tuple[re.Pattern[str], dict[str, frozenset[str]]], ...]

    @classmethod
    def of(cls, app: FastAPI) -> Operations:
        """The operations of the app."""
        return cls(
            tuple(
                (compile_path(template)[0], _parameters(path))
                for template, path in described(app)["paths"].items()
            )
        )

    def methods(self, path: str) -> tuple[str, ...]:
        """The methods of a path, sorted; none where nothing is there."""
        return tuple(sorted(self._of(path)))

    def parameters(self, path: str, method: str) -> frozenset[str] | None:
        """The query parameters of an operation; None where there is none."""
        return self._of(path).get(method)

    def _of(self, path: str) -> dict[str, frozenset[str]]:
        return next((parameters for pattern, parameters in self._paths if pattern.match(path)), {})


def _parameters(path: dict[str, Any]) -> dict[str, frozenset[str]]:
    parameters = {
        method.upper(): frozenset(
            one["name"] for one in path[method].get("parameters", ()) if one["in"] == "query"
        )
        for method in _METHODS & path.keys()
    }
    return parameters | ({"HEAD": parameters["GET"]} if "GET" in parameters else {})


# The documentation of the API, as a page that loads nothing from elsewhere.

PAGE = "/api/docs"
SPECIFICATION = "/api/openapi.json"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_ASSETS = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css"}
_HTML = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>citeloom HTTP API</title>
<link rel="stylesheet" href="{PAGE}/swagger-ui.css">
<div id="page"></div>
<script src="{PAGE}/swagger-ui-bundle.js"></script>
<script src="{PAGE}/start.js"></script>
</html>
"""
_START = f"""SwaggerUIBundle({{
  url: "{SPECIFICATION}",
  dom_id: "#page",
  deepLinking: true,
  validatorUrl: null,
}});
"""

documentation_router = APIRouter(include_in_schema=False)


@documentation_router.get(PAGE)
def page() -> Response:
    """The page."""
    return HTMLResponse(_HTML, headers={"Content-Security-Policy": POLICY})


@documentation_router.get(f"{PAGE}/start.js")
def start() -> Response:
    """What starts the page; a file of its own, since no script may stand within the page."""
    return Response(_START, media_type="text/javascript")


@documentation_router.get(f"{PAGE}/{{name}}")
def asset(name: str) -> Response:
    """A file of Swagger UI, as its package brings it."""
    if name not in _ASSETS:
        raise NotFound(f"there is no '{name}' here", f"The documentation begins at {PAGE}.")
    content = (files("fastapi_offline") / "static" / name).read_bytes()
    return Response(content, media_type=_ASSETS[name], headers={"Cache-Control": "max-age=86400"})


# The HTTP API as an ASGI app.

_NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
_LEAST_COMPRESSED, _LEVEL = 1000, 5
_LONGEST_NAMES = 200


def create_api(service: ServedLibrary, guard: AccessPolicy) -> ASGIApp:
    """The app that answers for a service, once the guard has let a request in."""
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
    service.metrics.include(LibraryCollector(service))
    parts = (query, ask, drafts, documents, jobs, zotero, health)
    for router in (*(part.router for part in parts), ask.chat_router):
        app.include_router(router, dependencies=[Depends(_check_parameters)])
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
    return app


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
    if unknown := sorted(set(request.query_params) - known):
        raise InvalidFilter(
            f"there is no parameter {', '.join(unknown)[:_LONGEST_NAMES]}",
            f"There are: {', '.join(sorted(known)) or 'none'}.",
        )


def _pages(app: FastAPI) -> APIRouter:
    """The documentation and what it is made of."""
    router = APIRouter(include_in_schema=False)
    router.include_router(documentation_router)

    @router.get(SPECIFICATION)
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
        refusal = Refusal(status=422, code="INVALID_FILTER", message=message, hint=f"See {PAGE}.")
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
