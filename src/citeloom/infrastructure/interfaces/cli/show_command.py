"""`citeloom show`."""

from __future__ import annotations

from typing import Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import out, out_json
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened


def show(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="CHUNK_ID|CITEKEY", help="What to show.")],
    project: ProjectOption = None,
    neighbours: Annotated[
        int, typer.Option("--context", min=0, help="Neighbour chunks on each side.")
    ] = 1,
    as_json: JsonOption = False,
) -> None:
    """Show a passage with what stands around it, or every passage of a work.

    Example: citeloom show rule2018 --project citeloom/clean-arch
    """
    from citeloom.infrastructure.serialisation.passages import (
        comments,
        headline,
        place,
        shown_json,
    )
    from citeloom.infrastructure.serialisation.text import one_line

    with opened(context, project) as library:
        shown = library.show(name, context=neighbours)
        if as_json:
            out_json(shown_json(shown, library.info.base_dir))
            return
    out(one_line(headline(shown.chunks[0])))
    work = shown.chunks[0].citation
    if work is not None:
        facts = (work.container, work.doi, work.url, ", ".join(work.tags))
        out("  " + one_line(" · ".join(fact for fact in facts if fact)))
    for stored in (*shown.before, *shown.chunks, *shown.after):
        here = "*" if len(shown.chunks) == 1 and stored in shown.chunks else " "
        where = f"{place(stored)}  {' > '.join(stored.chunk.section_path)}"
        out(f"\n{here} {stored.chunk.id}  {one_line(where)}")
        out(stored.chunk.text)
        for comment in comments(stored):
            out(f"Comment: {comment}")
