"""`citeloom init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import note, out
from citeloom.infrastructure.interfaces.cli.options import global_options


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
        list[str] | None, typer.Option(help="A file or folder to ingest; may be repeated.")
    ] = None,
    zotero: Annotated[
        bool, typer.Option("--zotero", help="Look for Zotero, and write down where it is.")
    ] = False,
) -> None:
    """Write a citeloom.toml into this folder; never overwrites one.

    Example: citeloom init --project citeloom/clean-arch --references refs.json --source papers/
    """
    from citeloom.domain.project import Project
    from citeloom.infrastructure.wiring.new_library import found_zotero, write_configuration

    checked = Project(id=project)
    for one in (*(source or ()), *([str(references)] if references else ())):
        _check(one)
    found = found_zotero(global_options(context).config) if zotero else None
    if found:
        note(f"found Zotero in {found['data_dir']}")
    target = write_configuration(
        Path(),
        checked,
        references=references.as_posix() if references else None,
        sources=source or (),
        zotero=found,
    )
    out(target.as_posix())
    note(f"Next: citeloom ingest{_behind(source, zotero=zotero)}")


def _behind(source: list[str] | None, *, zotero: bool) -> str:
    """What an ingest has to be told, that is not in the file."""
    if source:
        return ""
    return " --zotero" if zotero else " FOLDER"


def _check(path: str) -> None:
    """Refuse a path that is empty, or that a file in UTF-8 cannot hold."""
    if not path.strip():
        raise typer.BadParameter("the path is empty; is a variable not set?")
    if not path.isprintable() and path != path.encode(errors="replace").decode():
        raise typer.BadParameter(f"the path {path!a} is not UTF-8 text")
