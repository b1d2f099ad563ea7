"""The HTTP API as an ASGI app, with its OpenAPI document, its documentation and its metrics."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.params import Header, Path
from fastapi.staticfiles import StaticFiles
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
from citeloom.domain.errors import CiteloomError, InvalidFilter
from citeloom.infrastructure.interfaces.http import (
    answer_routes,
    job_routes,
    library_routes,
    passage_routes,
)
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
from citeloom.infrastructure.interfaces.http.served_library import (
    ServedLibrary,
    request_id_of,
    service_of,
)

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
                is_open = name in OPEN_TO_ALL
                refusals = {"503": _REFUSALS["503"]} if is_open else _REFUSALS
                operation["responses"] |= {**refusals, "default": _PROBLEM}
        app.openapi_schema = document
    return app.openapi_schema


# Figures of the library, beside those of the requests.


class LibraryCollector(Collector):
    """The jobs and the indexes of a service, looked up when the figures are asked for."""

    def __init__(self, service: ServedLibrary) -> None:
        self._service = service

    def describe(self) -> list[GaugeMetricFamily]:
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        service, per_project = self._service, ["project"]
        jobs = GaugeMetricFamily("citeloom_jobs", "Jobs.", labels=["project", "state"])
        chunks = GaugeMetricFamily("citeloom_index_chunks", "Chunks.", labels=per_project)
        size = GaugeMetricFamily(
            "citeloom_index_bytes", "Disk space of the index.", labels=per_project
        )
        documents = GaugeMetricFamily(
            "citeloom_documents", "Documents in the manifest.", labels=["project", "status"]
        )
        states = Counter((job.project, job.state) for job in service.jobs.list())
        for project in service.projects:
            for state in JobState:
                jobs.add_metric([project, state.value], states[project, state])
            try:
                inspection = service.library.project(project).inspect()
            except CiteloomError:
                continue  # nothing is ingested yet, or its index cannot be reached
            chunks.add_metric([project], inspection.description.points)
            if inspection.description.disk_bytes:  # else the store does not say
                size.add_metric([project], inspection.description.disk_bytes)
            for status, count in inspection.by_status.items():
                documents.add_metric([project, status], count)
            if inspection.copies:
                documents.add_metric([project, "copy"], inspection.copies)
        calls = GaugeMetricFamily("citeloom_calls_running", "Calls of the library that run.")
        lanes = (service.calls, service.drawings, service.answers, service.heavy.calls)
        calls.add_metric([], sum(lane.running for lane in lanes))
        yield from (jobs, chunks, size, documents, calls)


# The documentation: Swagger UI as fastapi-offline brings it, which nothing is loaded for elsewhere.

PAGE, SPECIFICATION = "/api/docs", "/api/openapi.json"
_SCRIPT = re.compile("<script>(.*?)</script>", re.DOTALL)


def _documentation(app: FastAPI) -> None:
    """Add the page, which may run its one script, and the document that it shows."""
    page = get_swagger_ui_html(
        openapi_url=SPECIFICATION,
        title="citeloom HTTP API",
        swagger_js_url=f"{PAGE}/swagger-ui-bundle.js",
        swagger_css_url=f"{PAGE}/swagger-ui.css",
        swagger_favicon_url=f"{PAGE}/favicon.png",
        swagger_ui_parameters={"validatorUrl": None},
    )
    scripts = _SCRIPT.findall(bytes(page.body).decode())
    hashes = (b64encode(sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{value}'" for value in hashes)
    policy = (
        f"default-src 'none'; script-src 'self' {allowed}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    headers = {"Content-Security-Policy": policy}
    app.add_api_route(
        PAGE, lambda: HTMLResponse(bytes(page.body), headers=headers), include_in_schema=False
    )
    app.add_api_route(SPECIFICATION, lambda: described(app), include_in_schema=False)
    app.mount(PAGE, StaticFiles(packages=[("fastapi_offline", "static")]))


# The HTTP API as an ASGI app.

ROUTERS = (
    *(
        passage_routes.router,
        answer_routes.router,
        answer_routes.draft_router,
        library_routes.router,
    ),
    *(job_routes.router, library_routes.zotero_router, library_routes.server_router),
    answer_routes.chat_router,
)

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
    for router in ROUTERS:
        app.include_router(router, dependencies=[Depends(_check_parameters)])
    _documentation(app)
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


def _check_parameters(request: Request) -> None:
    """Raise `InvalidFilter` for a query parameter that the operation does not have."""
    fields = get_flat_params(request.scope["route"].dependant)
    parameters = {
        field.alias for field in fields if not isinstance(field.field_info, Path | Header)
    }
    if unknown := sorted({*request.query_params} - parameters):
        raise InvalidFilter(
            f"there is no parameter {', '.join(unknown)[:_LONGEST_NAMES]}",
            f"There are: {', '.join(sorted(parameters)) or 'none'}.",
        )


def _answer_errors(app: FastAPI) -> None:

    async def of_library(request: Request, error: Exception) -> Response:
        refusal = refusal_for(error, service_of(request).paths)
        return problem_response(refusal, request_id_of(request))

    async def of_arguments(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        # without the argument itself
        faults = [(".".join(map(str, one["loc"])), one["msg"]) for one in error.errors()[:5]]
        message = "; ".join(f"{place}: {complaint}" for place, complaint in faults)
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
            methods := _methods(app, request.scope["path"])
        ):
            response.headers["Allow"] = ", ".join(methods)
        return response

    async def of_fault(request: Request, _: Exception) -> Response:
        return problem_response(UNEXPECTED, request_id_of(request))

    app.add_exception_handler(CiteloomError, of_library)
    app.add_exception_handler(RequestValidationError, of_arguments)
    app.add_exception_handler(HTTPException, of_protocol)
    app.add_exception_handler(Exception, of_fault)


def _methods(app: FastAPI, path: str) -> list[str]:
    """The methods that a path is answered to."""
    methods = {
        method.upper()
        for template, operations in described(app)["paths"].items()
        for method in _METHODS & operations.keys()
        if compile_path(template)[0].match(path)
    }
    return sorted(methods | ({"HEAD"} if "GET" in methods else set()))


_PROTOCOL_CODES = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 415: "UNSUPPORTED_MEDIA_TYPE"}
