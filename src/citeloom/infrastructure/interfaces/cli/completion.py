"""What a shell completes, read from the configuration and the manifest alone."""

from __future__ import annotations

from contextlib import suppress

import typer

from citeloom.domain.errors import CiteloomError


def project_ids(context: typer.Context, incomplete: str) -> list[str]:
    """The configured projects that begin so; none where the configuration cannot be read."""
    from citeloom.infrastructure.wiring.library import open_library

    with (
        suppress(CiteloomError, OSError),
        open_library(context.find_root().params.get("config")) as library,
    ):
        return [one for one in library.project_ids() if one.startswith(incomplete)]
    return []


def citekeys(context: typer.Context, incomplete: str) -> list[str]:
    """The citekeys of the project that begin so, with an `@` or without."""
    from citeloom.infrastructure.wiring.library import open_library

    at, begun = ("@", incomplete[1:]) if incomplete.startswith("@") else ("", incomplete)
    with (
        suppress(CiteloomError, OSError),
        open_library(context.find_root().params.get("config")) as library,
    ):
        known = library.citekeys(context.params.get("project"))
        return [f"{at}{one}" for one in known if one.startswith(begun)]
    return []
