"""`citeloom init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.interfaces.cli.console import note, out
from citeloom.infrastructure.interfaces.cli.session import settings_of


def init(
    context: typer.Context,
    project: Annotated[
        str, typer.Option("--project", "-p", metavar="NS/NAME", help="The first project.")
    ] = "citeloom/library",
    references: Annotated[
        Path | None, typer.Option(help="CSL-JSON (Better BibTeX export), BibTeX or RIS.")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option(help="A file or folder to ingest; may be repeated.")
    ] = None,
    zotero: Annotated[
        bool, typer.Option("--zotero", help="Look for Zotero, and write down where it is.")
    ] = False,
) -> None:
    """Write a commented citeloom.toml into this folder; never overwrites one.

    Example: citeloom init --project citeloom/clean-arch --references refs.json --source papers/
    """
    from citeloom.domain.project import Project
    from citeloom.infrastructure.settings.template import default_toml

    checked = Project(id=project)
    target = Path("citeloom.toml")
    text = default_toml(
        checked.id,
        references.as_posix() if references else None,
        tuple(source or ()),
        {"zotero": _zotero(context)} if zotero else None,
    )
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ConfigError(
            "there is a citeloom.toml here already; it was left as it is",
            f'Add a table [project."{checked.id}"] to it by hand.',
        ) from None
    out(target.as_posix())
    sources = " ".join(source) if source else "FOLDER"
    note(f"Next: citeloom ingest {sources} --project {checked.id}")


def _zotero(context: typer.Context) -> dict[str, object]:
    """Where this machine's Zotero keeps its files."""
    from citeloom.infrastructure.zotero_reader import zotero_places

    places = zotero_places(settings_of(context))
    note(f"found Zotero in {places.data_dir}")
    found = {"data_dir": places.data_dir, "base_dir": places.base_dir}
    return {key: path.as_posix() for key, path in found.items() if path}
