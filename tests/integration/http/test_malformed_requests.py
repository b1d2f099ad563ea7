"""The API refuses what its OpenAPI document does not allow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection

from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.described import violations
from tests.integration.http.conftest import document
from tests.integration.http.generated_requests import (
    CHECKS,
    operations,
    send_generated,
    service,
)

__all__ = ["service"]

TOO_LARGE = 413
"""The status that refuses a request for its length, whatever else is wrong with it."""


def test_every_operation_refuses_what_is_malformed(service: ServedLibrary) -> None:
    """Some operations have nothing that could be malformed."""
    for operation in operations(service):
        try:
            send_generated(operation, GenerationMode.NEGATIVE, send)
        except Unsatisfiable:
            assert not operation.body
            assert not operation.query


def send(case: Any) -> None:
    response = case.call()
    checks = list(CHECKS)
    if response.status_code != TOO_LARGE and not is_well_formed_as_text(case, response):
        checks.append(negative_data_rejection)
    case.validate_response(response, checks=checks)


def is_well_formed_as_text(case: Any, response: Any) -> bool:
    """Whether the URL says nothing that is malformed: there every value is text, and the last one
    counts of a parameter that is given twice.
    """
    if case.operation.body or not case.query:
        return False
    operation = document()["paths"][case.operation.path][case.method.lower()]
    schemas = {one["name"]: one["schema"] for one in operation["parameters"]}
    sent: dict[str, list[str]] = {}
    for name, value in parse_qsl(urlsplit(response.request.url).query, keep_blank_values=True):
        sent.setdefault(name, []).append(value)
    components = document()["components"]
    return sent.keys() <= schemas.keys() and all(
        any(
            not violations(reading, {**schemas[name], "components": components})
            for reading in readings(values)
        )
        for name, values in sent.items()
    )


def readings(values: list[str]) -> Iterator[object]:
    """What the values of a parameter in a URL may be: all of them, the last, or what that says."""
    yield values
    yield values[-1]
    with suppress(ValueError):
        yield json.loads(values[-1])
