"""The OpenAPI 3.1 document of the API, generated from its routes."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from citeloom.infrastructure.interfaces.http.problems import MEDIA_TYPE, Problem

_METHODS = frozenset({"get", "post", "put", "patch", "delete"})
_GENERATED = ("HTTPValidationError", "ValidationError")
_PROBLEM = {
    "description": "A problem",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
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
        for path in document["paths"].values():
            for operation in (path[method] for method in _METHODS & path.keys()):
                operation["responses"].pop("422", None)
                operation["responses"]["default"] = _PROBLEM
        app.openapi_schema = document
    return app.openapi_schema
