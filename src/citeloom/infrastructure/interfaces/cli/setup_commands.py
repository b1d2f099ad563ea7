"""`citeloom init` and `citeloom models`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.documents.language import name_of_guessed
from citeloom.domain.policies import MULTILINGUAL_MODEL
from citeloom.infrastructure.answers.library import (
    ModelsAnswer,
    languages_found,
    recommended_steps,
)
from citeloom.infrastructure.interfaces.cli.console import note, out, out_json, table
from citeloom.infrastructure.interfaces.cli.context import global_options, opened_library
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption

if TYPE_CHECKING:
    from citeloom.application.models import RecommendedModels


# `citeloom init`.


def init(
    context: typer.Context,
    project: Annotated[
        str,
        typer.Option(
            "--project",
            "-p",
            metavar="[NS/]NAME",
            help="The first project, as name or namespace/name.",
        ),
    ] = "citeloom/library",
    references: Annotated[
        Path | None, typer.Option(help="CSL-JSON (Better BibTeX export), BibTeX or RIS.")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option(help="A file or folder to ingest; repeatable.")
    ] = None,
    zotero: Annotated[
        bool, typer.Option("--zotero", help="Find Zotero and write its data folder into the file.")
    ] = False,
) -> None:
    """Create a citeloom.toml in this folder; an existing one is never overwritten.

    Example: citeloom init --project citeloom/clean-arch --references refs.json --source papers/
    """
    from citeloom.domain.project import Project
    from citeloom.infrastructure.wiring.conversion import languages_of
    from citeloom.infrastructure.wiring.models import asks_for_many_languages, model_for_languages
    from citeloom.infrastructure.wiring.zotero import found_zotero, write_configuration

    checked = Project(id=project)
    for path in (*(source or ()), *([str(references)] if references else ())):
        _check(path)
    folders = found_zotero(global_options(context).config) if zotero else None
    if folders:
        note(f"found Zotero in {folders['data_dir']}")
    languages = languages_of(map(Path, source or ()))
    installed = model_for_languages(languages, global_options(context).config)
    target = write_configuration(
        Path(),
        checked,
        references=references.as_posix() if references else None,
        sources=source or (),
        zotero=folders,
        embedding_model=installed,
    )
    out(target.as_posix())
    if asks_for_many_languages(languages):
        note(_on_languages(languages, installed))
    sources = "" if source else " --zotero" if zotero else " FOLDER"
    note(f"Next: citeloom ingest{sources}")


def _on_languages(languages: Counter[str], installed: str | None) -> str:
    """Which model the languages of the documents ask for, and whether it was taken."""
    counts = ", ".join(f"{n} in {name_of_guessed(code)}" for code, n in languages.most_common())
    seen = f"of {languages.total()} documents looked at {counts}"
    if installed is not None:
        return f'{seen}: embedding_model = "{installed}", which is installed, is in the file'
    return (
        f"{seen}; the default model was trained on English. "
        f'embedding_model = "{MULTILINGUAL_MODEL}" reads them too: '
        f"citeloom models --fetch {MULTILINGUAL_MODEL} downloads it"
    )


def _check(path: str) -> None:
    """Refuse a path that is empty, or that a file in UTF-8 cannot hold."""
    if not path.strip():
        raise typer.BadParameter("the path is empty; is a variable not set?")
    if not path.isprintable() and path != path.encode(errors="replace").decode():
        raise typer.BadParameter(f"the path {path!a} is not UTF-8 text")


# `citeloom models`.


def models(
    context: typer.Context,
    every: Annotated[
        bool, typer.Option("--all", help="List models that need a download first, too.")
    ] = False,
    fetch: Annotated[
        str | None, typer.Option("--fetch", metavar="MODEL", help="Download this model first.")
    ] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """List embedding models, rerankers and OCR engines: which are usable here, what each needs, and
    which send text to a service. With a project, also which suit the languages of its texts.

    Example: citeloom models --project lab/papers
    """
    with opened_library(context) as library:
        if fetch is not None:
            library.fetch_model(fetch)
        recommended = library.project(project).recommended_models() if project else None
        listed = [m for m in library.models() if every or m.usable or m.sends_text_to]
        engines = library.ocr_engines()
    if as_json:
        out_json(
            ModelsAnswer(models=tuple(listed), ocr_engines=tuple(engines), recommended=recommended)
        )
        return
    yes = {True: "yes", False: "no"}
    model_rows = [
        (
            *(model.kind.value, model.name, str(model.dimension or "-"), yes[model.usable]),
            *(model.needs, model.sends_text_to or "-"),
        )
        for model in listed
    ]
    engine_rows = [
        (engine.version, yes[engine.chosen], engine.needs, " ".join(engine.languages))
        for engine in engines
    ]
    out(table(model_rows, ("kind", "model", "dimensions", "usable", "needs", "sends text to")))
    out(f"\n{table(engine_rows, ('reads images', 'chosen', 'needs', 'languages'))}")
    if recommended is not None:
        out("\n".join(["", *_recommended(recommended)]))


def _recommended(models: RecommendedModels) -> Iterator[str]:
    if not models.chunks:
        yield f"{models.project} has no passages yet, so no model can be recommended by language"
        return
    yield f"{models.project}: {languages_found(models)}"
    for step, reason in recommended_steps(models):
        yield f"recommended: {step}"
        yield f"  {reason}"
    if not models.models:
        yield "nothing else is recommended for these languages"
