"""The API does what its OpenAPI document says of well-formed requests."""

from __future__ import annotations

from itertools import count
from typing import Any

from schemathesis import GenerationMode

from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.integration.http.conftest import ONE
from tests.integration.http.generated_requests import (
    CHECKS,
    operations,
    send_generated,
    service,
)

__all__ = ["service"]


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
    """All requests are about a project that there is, and half about things in it."""
    known = known_names(service)
    number = count()

    def send(case: Any) -> None:
        for part in (case.query, case.body):
            if isinstance(part, dict) and "project" in part:
                part["project"] = ONE
        if next(number) % 2:
            for name in known.keys() & (case.path_parameters or {}).keys():
                case.path_parameters[name] = known[name]
        case.call_and_validate(checks=CHECKS)

    asked = operations(service)
    assert len(asked) >= 23
    for operation in asked:
        send_generated(operation, GenerationMode.POSITIVE, send)
