"""The routes of the API, and what they take of the app and the request."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Request

from citeloom.infrastructure.interfaces.http.service import ServedLibrary

PREFIX = "/api/v1"


def service_of(request: Request) -> ServedLibrary:
    """The service of the app that got the request."""
    return cast("ServedLibrary", request.app.state.service)


def request_id_of(request: Request) -> str:
    """The id of the request."""
    return str(request.scope.get("state", {}).get("request_id", ""))


Served = Annotated[ServedLibrary, Depends(service_of)]
RequestId = Annotated[str, Depends(request_id_of)]
