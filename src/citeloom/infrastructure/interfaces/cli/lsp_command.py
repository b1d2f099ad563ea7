"""`citeloom lsp`."""

from __future__ import annotations

import typer

from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened


def lsp(context: typer.Context, project: ProjectOption = None) -> None:
    """Serve an editor as a language server: check citations as you write.

    The editor starts it and speaks to it over stdin and stdout.

    Example: citeloom lsp --project me/thesis
    """
    from citeloom.infrastructure.interfaces.lsp.server import serve_editor

    with opened(context, project) as library:
        serve_editor(library)
