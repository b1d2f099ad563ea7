"""An address of every view, of a library of the HTTP API's papers."""

from __future__ import annotations

from collections.abc import Callable

from citeloom.infrastructure.library.library import Library
from tests.integration.http.conftest import ONE

Address = Callable[[Library], str]


def _chunk(library: Library) -> str:
    """The first passage on page 1 of the paper on swallows."""
    found = library.project(ONE).query("rough concrete beams carried four nests", top_k=1)
    return found.passages[0].stored.chunk.id


VIEWS: dict[str, Address] = {
    "home": lambda _: "/",
    "search": lambda _: "/search?text=nests+under+bridges",
    "search-nothing": lambda _: "/search?text=xylophone",
    "passage": lambda library: f"/passages/{_chunk(library)}",
}
"""By the name of its snapshot."""
