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
    from citeloom.infrastructure.interfaces.cli.passages import (
        comments,
        headline,
        place,
        stored_json,
    )

    with opened(context, project) as library:
        shown = library.show(name, context=neighbours)
        every = [*shown.before, *shown.chunks, *shown.after]
        if as_json:
            out_json(
                [
                    {
                        "chunk_id": stored.chunk.id,
                        "text": stored.chunk.text,
                        **stored_json(stored, library.info.base_dir),
                    }
                    for stored in every
                ]
            )
            return
    out(headline(shown.chunks[0]))
    work = shown.chunks[0].citation
    if work is not None:
        facts = (work.container, work.doi, work.url, ", ".join(work.tags))
        out("  " + " · ".join(fact for fact in facts if fact))
    for stored in every:
        here = "*" if len(shown.chunks) == 1 and stored in shown.chunks else " "
        out(f"\n{here} {stored.chunk.id}  {place(stored)}  {' > '.join(stored.chunk.section_path)}")
        out(stored.chunk.text)
        for comment in comments(stored):
            out(f"Comment: {comment}")
