"""Passages and documents by address."""

from __future__ import annotations

from urllib.parse import unquote

import mcp_types as types

from citeloom.application.library import Library
from citeloom.domain.errors import NotFound
from citeloom.infrastructure.interfaces.mcp.answers import Json
from citeloom.infrastructure.interfaces.mcp.handlers.passages import whole_passages

_SCHEME = "citeloom://"
_PARTS = 3

TEMPLATES = (
    types.ResourceTemplate(
        name="passage",
        uri_template=f"{_SCHEME}passages/{{project}}/{{chunk_id}}",
        description="A passage with all of its text, by its chunk_id.",
        mime_type="application/json",
    ),
    types.ResourceTemplate(
        name="document",
        uri_template=f"{_SCHEME}documents/{{project}}/{{citekey}}",
        description="The passages of a work in reading order, by its citekey.",
        mime_type="application/json",
    ),
)


def read(library: Library, uri: str) -> Json:
    """The passages at an address, whose parts are percent-encoded.

    Raises `NotFound` for an address that is none, or leads nowhere.
    """
    kind, project, name = _parts(uri)
    shown = library.project(project).show(name, context=0)
    is_passage = len(shown.chunks) == 1 and shown.chunks[0].chunk.id == name
    if is_passage is not (kind == "passages"):
        raise _nothing_at(uri)
    return {"project": project, "items": whole_passages(shown.chunks, library.info.base_dir)}


def _parts(uri: str) -> tuple[str, str, str]:
    parts = tuple(map(unquote, uri.removeprefix(_SCHEME).split("/")))
    if not uri.startswith(_SCHEME) or len(parts) != _PARTS:
        raise _nothing_at(uri)
    kind, project, name = parts
    if kind not in {"passages", "documents"}:
        raise _nothing_at(uri)
    return kind, project, name


def _nothing_at(uri: str) -> NotFound:
    return NotFound(
        f"there is nothing at {uri[:200]!a}",
        "Addresses are citeloom://passages/PROJECT/CHUNK_ID and "
        "citeloom://documents/PROJECT/CITEKEY, the slash in PROJECT written %2F.",
    )
