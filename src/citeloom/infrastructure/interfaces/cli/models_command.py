"""`citeloom models`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.application.available import ModelKind
from citeloom.infrastructure.interfaces.cli.console import out, out_json, table
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened_library
from citeloom.infrastructure.serialisation.reports import models_json

if TYPE_CHECKING:
    from citeloom.application.available import AvailableEngine, AvailableModel
    from citeloom.application.recommend_models import RecommendedModels


def models(
    context: typer.Context,
    every: Annotated[
        bool, typer.Option("--all", help="Those that first need a download too.")
    ] = False,
    fetch: Annotated[
        str | None, typer.Option("--fetch", metavar="MODEL", help="Download this one first.")
    ] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """List embedding models and rerankers, what is usable here, what each needs and which send text
    to a service; and what reads images. Of a project, also which suit the languages of its texts.

    Example: citeloom models --project lab/papers
    """
    with opened_library(context) as library:
        if fetch is not None:
            library.fetch_model(fetch)
        recommended = library.project(project).recommended_models() if project else None
        listed = [m for m in library.models() if every or m.usable or m.sends_text_to]
        engines = library.ocr_engines()
    if as_json:
        out_json(models_json(listed, engines, recommended))
        return
    out(table(_models(listed), ("kind", "model", "dimensions", "usable", "needs", "sends text to")))
    out("")
    out(table(_engines(engines), ("reads images", "chosen", "needs", "languages")))
    if recommended is not None:
        out("")
        for line in _recommended(recommended):
            out(line)


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


def _recommended(found: RecommendedModels) -> Iterator[str]:
    if not found.chunks:
        yield f"{found.project} has no passages yet, so no language speaks for a model"
        return
    told = ", ".join(f"{count} in {code}" for code, count in found.languages.items())
    yield f"{found.project}: of {found.chunks} passages {told or 'none clearly in a language'}"
    for one in found.models:
        key = "embedding_model" if one.kind is ModelKind.DENSE else "sparse_model"
        change = "" if one.rebuild else f'{key} = "{one.name}", then '
        yield f"recommended: {change}citeloom ingest --project {found.project} --rebuild"
        yield f"  {one.reason}"
    if not found.models:
        yield "nothing else is recommended for these languages"
