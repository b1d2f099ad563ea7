"""`citeloom open`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.errors import NotFound
from citeloom.infrastructure.interfaces.cli.console import note, out
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.domain.passage import StoredChunk


def open_passage(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="CHUNK_ID|CITEKEY", help="The passage, or the work.")
    ],
    project: ProjectOption = None,
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the link instead of opening it.")
    ] = False,
) -> None:
    """Open a passage's page in the system's reader: in Zotero what is Zotero's, else the file.

    Example: citeloom open rule2018 --project citeloom/clean-arch
    """
    from citeloom.infrastructure.interfaces.cli.opener import open_link

    with opened(context, project) as library:
        stored = library.show(name, context=0).chunks[0]
        link = reading_link(stored, library.info.base_dir, must_exist=not only_print)
    if only_print:
        out(link)
        return
    open_link(link)
    note(f"opened {link}")


def reading_link(stored: StoredChunk, base_dir: Path, *, must_exist: bool) -> str:
    """Where the passage is read. Raises `NotFound` where there is nothing to open."""
    from citeloom.infrastructure.serialisation.links import (
        link_to_file,
        link_to_reader,
        link_to_zotero,
    )

    if reader := link_to_reader(stored):
        return reader
    file = link_to_file(stored, base_dir)
    if file is None:
        if stored.chunk.mark and (item := link_to_zotero(stored)):
            return item
        raise NotFound(
            f"the document of {stored.chunk.id} has no file to open",
            "`citeloom show` prints the passage.",
        )
    if must_exist and not (base_dir / stored.source_path).exists():
        raise NotFound(
            f"the file {stored.source_path} is not there any more",
            "`citeloom show` prints the passage as it was ingested.",
        )
    return file
