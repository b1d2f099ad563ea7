"""`citeloom models`."""

from __future__ import annotations

from typing import Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import out, out_json, table
from citeloom.infrastructure.interfaces.cli.options import JsonOption
from citeloom.infrastructure.interfaces.cli.session import opened_library
from citeloom.infrastructure.serialisation.reports import models_json


def models(
    context: typer.Context,
    every: Annotated[
        bool, typer.Option("--all", help="Those that first need a download too.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List embedding models, what is usable here and what each needs; and what reads images.

    Example: citeloom models --all
    """
    with opened_library(context) as library:
        listed = [model for model in library.models() if every or model.usable]
        engines = library.ocr_engines()
    if as_json:
        out_json(models_json(listed, engines))
        return
    rows = [
        (
            model.kind.value,
            model.name,
            str(model.dimension or "-"),
            "yes" if model.usable else "no",
            model.needs,
        )
        for model in listed
    ]
    out(table(rows, ("kind", "model", "dimensions", "usable", "needs")))
    out("")
    readers = [
        (
            engine.version,
            "yes" if engine.chosen else "no",
            engine.needs,
            " ".join(engine.languages),
        )
        for engine in engines
    ]
    out(table(readers, ("reads images", "chosen", "needs", "languages")))
