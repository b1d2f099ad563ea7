"""Every error has a status, and becomes a problem document."""

from __future__ import annotations

import json
from http import HTTPStatus

import pytest

from citeloom.domain.errors import (
    CiteloomError,
    ConfigError,
    IncompleteReply,
    IndexLocked,
    InvalidQrels,
    InvalidReferences,
    InvalidReply,
)
from citeloom.infrastructure.interfaces.error_codes import STATUS
from citeloom.infrastructure.interfaces.http.problems import (
    MEDIA_TYPE,
    UNEXPECTED,
    Refusal,
    problem_response,
    refusal_for,
)
from citeloom.infrastructure.interfaces.private_paths import PrivatePaths


def test_every_code_has_the_status_of_an_error() -> None:
    assert [code for code, status in STATUS.items() if HTTPStatus(status) < 400] == []


@pytest.mark.parametrize("error", [ConfigError, InvalidReferences, InvalidQrels])
def test_what_the_configuration_is_to_blame_for_is_no_fault_of_the_server(
    error: type[CiteloomError],
) -> None:
    assert refusal_for(error("x", "Mend it."), PrivatePaths()).status == HTTPStatus.CONFLICT


@pytest.mark.parametrize("error", [IncompleteReply, InvalidReply])
def test_a_reply_that_cannot_be_used_is_the_services(error: type[CiteloomError]) -> None:
    assert refusal_for(error("x"), PrivatePaths()).status == HTTPStatus.BAD_GATEWAY


def test_an_error_becomes_a_problem() -> None:
    response = problem_response(
        refusal_for(IndexLocked("held", "Wait."), PrivatePaths()), "request-1"
    )
    assert (response.status_code, response.media_type) == (503, MEDIA_TYPE)
    assert response.headers["retry-after"] == "1"
    assert json.loads(bytes(response.body)) == {
        "type": "urn:citeloom:problem:index-locked",
        "title": "Service Unavailable",
        "status": 503,
        "detail": "held",
        "code": "INDEX_LOCKED",
        "hint": "Wait.",
        "correlation_id": "request-1",
    }


@pytest.mark.parametrize(
    ("refusal", "header"),
    [
        (Refusal(status=401, code="UNAUTHORIZED", message="who?"), "www-authenticate"),
        (Refusal(status=429, code="BUSY", message="later"), "retry-after"),
    ],
)
def test_a_refusal_says_how_to_go_on(refusal: Refusal, header: str) -> None:
    assert problem_response(refusal, "r").headers[header]


def test_a_fault_has_no_extra_headers() -> None:
    headers = problem_response(UNEXPECTED, "r").headers
    assert "retry-after" not in headers
    assert refusal_for(CiteloomError("x"), PrivatePaths()).status == 500
