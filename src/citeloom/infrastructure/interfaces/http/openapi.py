"""The OpenAPI 3.1 document of the API, generated from its routes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter
from starlette.routing import compile_path

from citeloom.infrastructure.interfaces.http.guard import OPEN_TO_ALL
from citeloom.infrastructure.interfaces.http.problems import MEDIA_TYPE, Problem

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
        return next((found for pattern, found in self._paths if pattern.match(path)), {})


def _parameters(path: dict[str, Any]) -> dict[str, frozenset[str]]:
    found = {
        method.upper(): frozenset(
            one["name"] for one in path[method].get("parameters", ()) if one["in"] == "query"
        )
        for method in _METHODS & path.keys()
    }
    return found | ({"HEAD": found["GET"]} if "GET" in found else {})
