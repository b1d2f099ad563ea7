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
    "search-places": lambda _: "/search?text=nests&every=true",
    "search-filtered": lambda _: "/search?text=nests&tags=birds&explain=true",
    "passage": lambda library: f"/passages/{_chunk(library)}",
    "passage-similar": lambda library: f"/passages/{_chunk(library)}/similar",
    "quotation": lambda library: (
        f"/passages/{_chunk(library)}?quote=smooth+iron+girders+carried+no+nests+at+all"
    ),
}
"""By the name of its snapshot."""
