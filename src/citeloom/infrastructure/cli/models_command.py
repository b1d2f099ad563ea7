"""`citeloom models`."""

from __future__ import annotations

from typing import Annotated

import typer

from citeloom.infrastructure.cli.console import out, out_json, table
from citeloom.infrastructure.cli.options import JsonOption
from citeloom.infrastructure.cli.session import settings_of


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
    from citeloom.infrastructure.bootstrap import list_models, ocr_summary

    listed = [model for model in list_models(settings_of(context)) if every or model.usable]
    if as_json:
        out_json(listed)
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
    ocr = ocr_summary(settings_of(context))
    read = f"{ocr.engine} in {', '.join(ocr.languages)}" if ocr.engine else "nothing"
    out(f"images of pages are read by: {read}")
