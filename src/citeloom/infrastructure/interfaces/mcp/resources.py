"""Passages and documents by address."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

import mcp_types as types

from citeloom.application.library import Library
from citeloom.application.project_library import ProjectLibrary
from citeloom.domain.errors import NotFound
from citeloom.domain.passage import StoredChunk
from citeloom.infrastructure.interfaces.mcp.answers import Json
from citeloom.infrastructure.interfaces.mcp.handlers.passages import whole_passages
from citeloom.infrastructure.interfaces.mcp.tool_call import served_project

_SCHEME = "citeloom://"
_PARTS, _PAGE = 3, 200
_OFFSET = re.compile(r"(?:offset=(\d{1,8}))?", re.ASCII)

TEMPLATES = (
    types.ResourceTemplate(
        name="passage",
        uri_template=f"{_SCHEME}passages/{{project}}/{{chunk_id}}",
        description="A passage with all of its text, by its chunk_id.",
        mime_type="application/json",
    ),
    types.ResourceTemplate(
        name="document",
        uri_template=f"{_SCHEME}documents/{{project}}/{{name}}{{?offset}}",
        description="The passages of a work in reading order, by its citekey or doc_id; from an "
        "offset on, for next_offset of the page before.",
        mime_type="application/json",
    ),
)


def read(library: Library, uri: str, only: str | None = None) -> Json:
    """The passages at an address, whose parts are percent-encoded; of a document, those from an
    offset on.

    Raises `NotFound` for an address that is none, or leads nowhere.
    """
    kind, project_id, name, offset = _parts(uri)
    project = served_project(library, project_id, only)
    base, page = library.info.base_dir, {"project": project_id}
    if kind == "passages":
        [*shown] = project.show(name, context=0).chunks
        if [stored.chunk.id for stored in shown] != [name]:
            raise _nothing_at(uri)
        return {**page, "items": whole_passages(shown, base)}
    chunks = _document(project, name)
    some = whole_passages(chunks[offset : offset + _PAGE], base)
    return {**page, "total": len(chunks), "offset": offset, "items": some}


def _document(project: ProjectLibrary, name: str) -> Sequence[StoredChunk]:
    """The chunks of a document by its id, or of a work by its citekey."""
    try:
        return project.document(name).chunks
    except NotFound:
        chunks = project.show(name, context=0).chunks
    if [stored.chunk.id for stored in chunks] == [name]:
        raise NotFound(f"'{name}' is a passage", "Its address is citeloom://passages/….")
    return chunks


def _parts(uri: str) -> tuple[str, str, str, int]:
    address, _, query = uri.partition("?")
    parts = tuple(map(unquote, address.removeprefix(_SCHEME).split("/")))
    if not address.startswith(_SCHEME) or len(parts) != _PARTS:
        raise _nothing_at(uri)
    kind, project, name = parts
    offset = _OFFSET.fullmatch(query)
    if kind not in {"passages", "documents"} or offset is None:
        raise _nothing_at(uri)
    return kind, project, name, int(offset[1] or 0)


def _nothing_at(uri: str) -> NotFound:
    return NotFound(
        f"there is nothing at {uri[:200]!a}",
        "Addresses are citeloom://passages/PROJECT/CHUNK_ID and "
        "citeloom://documents/PROJECT/CITEKEY?offset=N, the slash in PROJECT written %2F.",
    )
