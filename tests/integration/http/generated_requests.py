"""Requests made by chance from the OpenAPI document, for the modules beside this one: well-formed
and malformed ones in files of their own, so that both run at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from citeloom.application.jobs import Jobs
from citeloom.application.reports import IngestReport
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.api import SPECIFICATION
from citeloom.infrastructure.interfaces.http.gate import AccessPolicy
from citeloom.infrastructure.interfaces.http.http_server import create_app
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.library.project import ProjectLibrary
from tests.integration.http.conftest import ONE, TWO

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = 6
"""Of each operation, well-formed and malformed ones each."""


@pytest.fixture
def service(library: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedLibrary]:
    """A service whose jobs end at once."""

    def ingest(project: ProjectLibrary, *_: object, **__: object) -> IngestReport:
        return IngestReport(project=project.project.id, collection="c", models={}, run_id="r")

    monkeypatch.setattr(ProjectLibrary, "ingest", ingest)
    served = ServedLibrary(
        library=library,
        jobs=Jobs(library.ingest_target, clock=SystemClock()),
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


def send_generated(operation: Any, mode: GenerationMode, send: Callable[[Any], None]) -> None:
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
