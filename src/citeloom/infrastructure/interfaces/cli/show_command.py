"""`citeloom show`."""

from __future__ import annotations

from typing import Annotated

import typer

from citeloom.infrastructure.interfaces.cli.completion import citekeys
from citeloom.infrastructure.interfaces.cli.console import out, out_json
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened


def show(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar="CHUNK_ID|CITEKEY|DOC_ID|PATH", autocompletion=citekeys, help="What to show."
        ),
    ],
    project: ProjectOption = None,
    neighbours: Annotated[
        int, typer.Option("--context", min=0, help="Neighbour chunks on each side.")
    ] = 1,
    as_json: JsonOption = False,
) -> None:
    """Show a passage with what stands around it, or every passage of a work or document.

    Example: citeloom show rule2018 --project citeloom/clean-arch
    """
    from citeloom.infrastructure.interfaces.cli.passages import shown_text
    from citeloom.infrastructure.serialisation.passages import shown_json

    with opened(context, project) as library:
        shown = library.show(name, context=neighbours)
        if as_json:
            out_json(shown_json(shown, library.info.base_dir))
        else:
            out(shown_text(shown))
