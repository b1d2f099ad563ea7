"""The routes of the API, and what they take of the app and the request."""

from __future__ import annotations

from typing import Annotated, Generic, TypeVar, cast

from fastapi import Depends, Path, Query, Request

from citeloom.application.requests import fields
from citeloom.infrastructure.interfaces.http.service import ServedLibrary
from citeloom.infrastructure.interfaces.request_models import Project, RequestModel

PREFIX = "/api/v1"


def service_of(request: Request) -> ServedLibrary:
    """The service of the app that got the request."""
    return cast("ServedLibrary", request.app.state.service)


def request_id_of(request: Request) -> str:
    """The id of the request."""
    return str(request.scope.get("state", {}).get("request_id", ""))


Served = Annotated[ServedLibrary, Depends(service_of)]
RequestId = Annotated[str, Depends(request_id_of)]

R = TypeVar("R", bound=fields.Request)
ProjectParameter = Annotated[Project, Query(description="The id of the project.")]
Identifier = Annotated[str, Path(min_length=1, max_length=300)]
Limit = Annotated[int, Query(ge=1, le=500, description="Most entries.")]
Offset = Annotated[int, Query(ge=0, le=10_000_000, description="Entries to leave out.")]


class Body(RequestModel[R], Generic[R]):
    """A request with all its options."""
