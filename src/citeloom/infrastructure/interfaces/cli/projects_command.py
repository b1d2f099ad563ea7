"""`citeloom projects`."""

from __future__ import annotations

import typer

from citeloom.infrastructure.interfaces.cli.console import note, out, out_json, table
from citeloom.infrastructure.interfaces.cli.options import JsonOption
from citeloom.infrastructure.interfaces.cli.session import opened_library
from citeloom.infrastructure.serialisation.reports import projects_json


def projects(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the configured projects.

    Example: citeloom projects
    """
    with opened_library(context) as library:
        summaries = library.projects()
    if as_json:
        out_json(projects_json(summaries))
        return
    if not summaries:
        note("no projects are configured; `citeloom init` writes a citeloom.toml")
        return
    rows = [
        (
            summary.id,
            str(summary.documents),
            summary.collection,
            summary.embedding_model,
            summary.references or "-",
        )
        for summary in summaries
    ]
    out(table(rows, ("project", "documents", "collection", "model", "references")))
