"""Answers of the library as JSON, without the places of files on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from starlette.responses import Response

from citeloom.infrastructure.interfaces.http.private_paths import PrivatePaths
from citeloom.infrastructure.serialisation.json import json_text

Json = dict[str, object]
Responses = dict[int | str, dict[str, Any]]
"""What a route answers by status, for its documentation."""
T = TypeVar("T")
_TO_FILES = ("pdf", "file")


class JsonAnswer(Response):
    """The documented JSON, escaped as everywhere."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        """The JSON as bytes."""
        return json_text(content, indent=None).encode()


def public_passage(passage: Json, paths: PrivatePaths) -> Json:
    """A passage without links to files, and with a source path that tells nothing else."""
    links = cast("Json", passage["links"])
    duplicates = cast("list[Json]", passage.get("duplicates", []))
    changed: Json = {
        "source_path": paths.path(str(passage["source_path"])),
        "links": {**links, **dict.fromkeys(_TO_FILES)},
    }
    if duplicates:
        changed["duplicates"] = [public_passage(one, paths) for one in duplicates]
    return {**passage, **changed}


def public_citation(citation: Json, paths: PrivatePaths) -> Json:
    """Likewise a citation, which names its source twice."""
    public = public_passage(citation, paths)
    return {**public, "source": public["source_path"]}


def listed(entries: Sequence[T], as_json: Callable[[T], Json], *, offset: int, limit: int) -> Json:
    """The documented JSON of some entries of a list."""
    some = [as_json(entry) for entry in entries[offset : offset + limit]]
    return {"total": len(entries), "offset": offset, "count": len(some), "items": some}
