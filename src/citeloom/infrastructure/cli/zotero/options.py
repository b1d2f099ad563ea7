"""Options that the commands of `citeloom zotero` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.console import note
from citeloom.infrastructure.cli.session import settings_of

if TYPE_CHECKING:
    from citeloom.application.zotero.browse import Browse

LibraryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--library",
        metavar="NAME",
        help="`library` (your own, the default), a group's name, `groups/ID`, or `all`.",
    ),
]


def browsing(context: typer.Context) -> Browse:
    """A look into the Zotero that is configured; what it is is said on stderr."""
    from citeloom.application.zotero.browse import Browse
    from citeloom.infrastructure.bootstrap import zotero

    library = zotero(settings_of(context))
    note(f"reading Zotero: {library.source}")
    for warning in library.warnings:
        note(f"warning: {warning}")
    return Browse(library)
