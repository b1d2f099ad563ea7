"""What a shell completes, read from the configuration alone."""

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
