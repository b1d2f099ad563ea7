"""`citeloom models`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import out, out_json, table
from citeloom.infrastructure.interfaces.cli.options import JsonOption
from citeloom.infrastructure.interfaces.cli.session import opened_library
from citeloom.infrastructure.serialisation.reports import models_json

if TYPE_CHECKING:
    from citeloom.application.available import AvailableEngine, AvailableModel


def models(
    context: typer.Context,
    every: Annotated[
        bool, typer.Option("--all", help="Those that first need a download too.")
    ] = False,
    fetch: Annotated[
        str | None, typer.Option("--fetch", metavar="MODEL", help="Download this one first.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List embedding models and rerankers, what is usable here, what each needs and which send text
    to a service; and what reads images.

    Example: citeloom models --all
    """
    with opened_library(context) as library:
        if fetch is not None:
            library.fetch_model(fetch)
        listed = [m for m in library.models() if every or m.usable or m.sends_text_to]
        engines = library.ocr_engines()
    if as_json:
        out_json(models_json(listed, engines))
        return
    out(table(_models(listed), ("kind", "model", "dimensions", "usable", "needs", "sends text to")))
    out("")
    out(table(_engines(engines), ("reads images", "chosen", "needs", "languages")))


def _models(listed: Sequence[AvailableModel]) -> list[tuple[str, ...]]:
    return [
        (
            model.kind.value,
            model.name,
            str(model.dimension or "-"),
            "yes" if model.usable else "no",
            model.needs,
            model.sends_text_to or "-",
        )
        for model in listed
    ]


def _engines(engines: Sequence[AvailableEngine]) -> list[tuple[str, ...]]:
    return [
        (
            engine.version,
            "yes" if engine.chosen else "no",
            engine.needs,
            " ".join(engine.languages),
        )
        for engine in engines
    ]
