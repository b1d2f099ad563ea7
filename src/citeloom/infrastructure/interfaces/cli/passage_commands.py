"""`citeloom open` and `citeloom collect`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote, urlencode

import typer

from citeloom.application.requests.manuscript import CollectRequest
from citeloom.domain.documents.manifest import path_of_name
from citeloom.domain.errors import CiteloomError, NotFound
from citeloom.infrastructure.interfaces.cli.console import note, out, out_json, out_json_rows
from citeloom.infrastructure.interfaces.cli.context import opened, opened_library
from citeloom.infrastructure.interfaces.cli.options import Given, JsonOption, ProjectOption

if TYPE_CHECKING:
    from citeloom.domain.retrieval.passage import StoredChunk
    from citeloom.infrastructure.library.library import Library
    from citeloom.infrastructure.library.project import ProjectLibrary


# The program with which a system opens links.

_OPENERS = {
    "darwin": ("open",),
    "win32": ("rundll32", "url.dll,FileProtocolHandler"),
}
_ANYWHERE_ELSE = ("xdg-open",)
_SECONDS_TO_FAIL = 3.0


def opener(link: str, platform: str) -> tuple[str, ...]:
    """The command that opens a link; no shell ever sees it."""
    return (*_OPENERS.get(platform, _ANYWHERE_ELSE), link)


def open_link(link: str) -> None:
    """Open a link and leave the reader running. Raises `CiteloomError` when that fails at once."""
    command = opener(link, sys.platform)
    try:
        started = subprocess.Popen(  # noqa: S603 - the program is fixed, the link encoded
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        code = started.wait(_SECONDS_TO_FAIL)
    except subprocess.TimeoutExpired:
        return
    except OSError as error:
        raise CiteloomError(
            f"{command[0]}, which opens links here, cannot be started: {error.strerror}",
            f"Open {link} yourself.",
        ) from error
    if code:
        raise CiteloomError(
            f"{command[0]} found nothing to open the link with (exit {code})",
            f"Open {link} yourself.",
        )


# `citeloom open`.


def open_passage(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="CHUNK_ID|CITEKEY",
            help="The passage or work to open; with --web also a question.",
        ),
    ] = None,
    project: ProjectOption = None,
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the link instead of opening it.")
    ] = False,
    in_room: Annotated[
        bool, typer.Option("--web", help="Open the reading room of `citeloom serve`, there.")
    ] = False,
) -> None:
    """Open a passage's page: in Zotero if its document is there, else in the system's reader.

    Example: citeloom open rule2018 --project citeloom/clean-arch

    Example: citeloom open --web "Why are deletions proved first?"
    """
    if in_room:
        with opened_library(context) as every:
            link = room_link(every, name, project)
    elif name is None:
        raise typer.BadParameter("name a passage or a work, or open the reading room with --web")
    else:
        with opened(context, project) as library:
            stored = library.show(name, context=0).chunks[0]
            link = reading_link(stored, library.info.base_dir, must_exist=not only_print)
    if only_print:
        out(link)
        return
    open_link(link)
    note(f"opened {link}")


def room_link(library: Library, name: str | None, project: str | None) -> str:
    """The address of the reading room: of a passage or the first of a work where that is its name,
    else of the search for it as a question. Raises `NotFound` where no server runs.
    """
    served = library.server_address.read()
    if served is None:
        raise NotFound(
            "no `citeloom serve` of this library is running",
            "Start one that opens the reading room: citeloom serve --open",
        )
    named = {"project": library.project(project).project.id} if name or project else {}
    path = "/"
    if name:
        chunk_id = _chunk_id(library.project(project), name)
        path = "/search" if chunk_id is None else f"/passages/{quote(chunk_id, safe='')}"
        named = {**({"text": name} if chunk_id is None else {}), **named}
    return f"{served}{path}{'?' if named else ''}{urlencode(named)}"


def _chunk_id(project: ProjectLibrary, name: str) -> str | None:
    if any(letter.isspace() for letter in name):
        return None
    try:
        return project.show(name, context=0).chunks[0].chunk.id
    except NotFound:
        return None


def reading_link(stored: StoredChunk, base_dir: Path, *, must_exist: bool) -> str:
    """Where the passage is read. Raises `NotFound` where there is nothing to open."""
    from citeloom.infrastructure.answers.text import (
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
    places = (stored.source_path, path_of_name(stored.source_path))
    if must_exist and not any((base_dir / place).exists() for place in places):
        raise NotFound(
            f"the file {stored.source_path} no longer exists",
            "`citeloom show` prints the passage as it was ingested.",
        )
    return file


# `citeloom collect`.


def collect(
    context: typer.Context,
    chunk_id: Annotated[
        str | None,
        typer.Argument(metavar="[CHUNK_ID]", help="The passage, by its id in a query's results."),
    ] = None,
    chapter: Annotated[
        str | None, typer.Option("--chapter", "-c", help="The chapter; the file is named after it.")
    ] = None,
    project: ProjectOption = None,
    *,
    options: Given[CollectRequest],
    as_json: JsonOption = False,
) -> None:
    """Collect a passage, with a comment and tags, in the Markdown file of a chapter.

    Without a passage, print what is collected for the chapter; without a chapter, list the
    chapters.

    Example: citeloom collect 4dab8776fd85606b --chapter "2 Methods" -m "Their best case"
    """
    if chunk_id is None and options:
        raise typer.BadParameter("a comment and tags need a passage: citeloom collect CHUNK_ID …")
    if chunk_id is not None and chapter is None:
        raise typer.BadParameter('name the chapter: --chapter "2 Methods"')
    from citeloom.infrastructure.answers.passages import (
        ChapterText,
        CollectedAnswer,
        CollectedChapter,
    )
    from citeloom.infrastructure.answers.text import one_line

    with opened(context, project) as library:
        if chunk_id is not None and chapter is not None:
            passage = library.collect(chunk_id, chapter=chapter, **options)
            if as_json:
                out_json(CollectedAnswer.of(passage))
            else:
                done = "added to" if passage.added else "is already in"
                out(one_line(f"{passage.citation or passage.chunk_id} {done} {passage.path}"))
            return
        chapters = library.chapters(chapter)
    if chapter is not None and as_json:
        out_json(ChapterText.of(chapters[0]))
    elif chapter is not None:
        out(chapters[0].text.rstrip("\n"))
    elif as_json:
        out_json_rows(map(CollectedChapter.of, chapters))
    else:
        for each in chapters:
            out(one_line(f"{len(each.chunk_ids):>5}  {each.chapter}  {each.path}"))
        if not chapters:
            note('nothing is collected yet: citeloom collect CHUNK_ID --chapter "2 Methods"')
