"""The API does what its OpenAPI document says, whatever it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from citeloom.application.jobs import Jobs
from citeloom.application.reports import IngestReport
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.app import SPECIFICATION
from citeloom.infrastructure.interfaces.http.gate import AccessPolicy
from citeloom.infrastructure.interfaces.http.server import create_app
from citeloom.infrastructure.interfaces.http.service import ServedLibrary
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.library.project import ProjectLibrary
from tests.integration.http.conftest import ONE, TWO

TOO_LARGE = 413
"""The status that refuses a request for its length, whatever else is wrong with it."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = 10
"""Of each operation, well-formed and malformed ones each."""


@pytest.fixture
def service(library: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedLibrary]:
    """A service whose jobs end at once."""

    def ingest(project: ProjectLibrary, *_: object, **__: object) -> IngestReport:
        return IngestReport(project=project.project.id, collection="c", models={}, run_id="r")

    monkeypatch.setattr(ProjectLibrary, "ingest", ingest)
    served = ServedLibrary(
        library=library,
        jobs=Jobs(library, clock=SystemClock()),
        projects=(ONE, TWO),
        calls=Calls(library.limits),
    )
    for project in served.projects:
        served.readiness.loaded(project)
    yield served
    assert served.jobs.close(10)


def operations(service: ServedLibrary) -> list[Any]:
    guard = AccessPolicy.of(address="testserver", hosts=(), origins=(), token=None)
    schema = schemathesis.openapi.from_asgi(SPECIFICATION, create_app(service, guard))
    results: list[Any] = [*schema.get_all_operations()]
    return [result.ok() for result in results]


def known_names(service: ServedLibrary) -> dict[str, str]:
    """Identifiers of things that there are."""
    (first, *_) = service.project(ONE).query("nests").passages
    job = service.jobs.start(ONE)
    return {
        "chunk_id": first.stored.chunk.id,
        "doc_id": first.stored.chunk.doc_id,
        "job_id": job.id,
    }


def test_every_operation_keeps_to_the_document(service: ServedLibrary) -> None:
    known = known_names(service)
    asked = operations(service)
    assert len(asked) >= 23
    for operation in asked:
        send_well_formed(operation, known)
        send_malformed(operation)


def send_well_formed(operation: Any, known: dict[str, str]) -> None:
    """Well-formed requests, all about a project that there is, and half about things in it."""
    number = count()

    def send(case: Any) -> None:
        for part in (case.query, case.body):
            if isinstance(part, dict) and "project" in part:
                part["project"] = ONE
        if next(number) % 2:
            for name in known.keys() & (case.path_parameters or {}).keys():
                case.path_parameters[name] = known[name]
        case.call_and_validate(checks=CHECKS)

    _generated(operation, GenerationMode.POSITIVE, send)


def send_malformed(operation: Any) -> None:
    """Malformed requests, each of which must be refused; some operations have none."""

    def send(case: Any) -> None:
        response = case.call()
        refused = [] if response.status_code == TOO_LARGE else [negative_data_rejection]
        case.validate_response(response, checks=[*CHECKS, *refused])

    try:
        _generated(operation, GenerationMode.NEGATIVE, send)
    except Unsatisfiable:
        assert not operation.body
        assert not operation.query


def _generated(operation: Any, mode: GenerationMode, send: Callable[[Any], None]) -> None:
    """Send generated requests to an operation."""
    wanted = settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    wanted(given(case=operation.as_strategy(generation_mode=mode))(send))()
