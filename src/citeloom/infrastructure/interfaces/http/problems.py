"""Errors as problem documents (RFC 9457), by the one taxonomy."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from starlette.responses import Response
from typing_extensions import TypedDict

from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.answers.ingests import hint_for_clients
from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.interfaces.error_codes import STATUS
from citeloom.infrastructure.interfaces.private_paths import PrivatePaths

MEDIA_TYPE = "application/problem+json"
_RETRY_SECONDS = 1


class Problem(TypedDict):
    """What went wrong, and the next step. `code` is stable; the codes are those of the command
    line, and `correlation_id` is the request's id.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    hint: str
    correlation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A reason to refuse a request before it reaches the library."""

    status: int
    code: str
    message: str
    hint: str = ""


UNEXPECTED = Refusal(
    status=500,
    code="UNEXPECTED",
    message="a fault in citeloom",
    hint="The server's log has more under the request's id.",
)


def refusal_for(error: Exception, paths: PrivatePaths) -> Refusal:
    """An error as a refusal that does not say where files lie; a fault says nothing."""
    if not isinstance(error, CiteloomError):
        return UNEXPECTED
    message, hint = paths.text(error.message), hint_for_clients(paths.text(error.hint))
    return Refusal(status=STATUS[error.code], code=error.code, message=message, hint=hint)


def problem_of(refusal: Refusal, request_id: str) -> Problem:
    return {
        "type": f"urn:citeloom:problem:{refusal.code.lower().replace('_', '-')}",
        "title": HTTPStatus(refusal.status).phrase,
        "status": refusal.status,
        "detail": refusal.message,
        "code": refusal.code,
        "hint": refusal.hint,
        "correlation_id": request_id,
    }


def problem_response(refusal: Refusal, request_id: str) -> Response:
    """A refusal as it is answered."""
    headers = {"WWW-Authenticate": "Bearer"} if refusal.status == 401 else {}
    if refusal.status in {429, 503}:
        headers = {"Retry-After": str(_RETRY_SECONDS)}
    text = json_text(problem_of(refusal, request_id))
    return Response(text, refusal.status, headers, MEDIA_TYPE)
