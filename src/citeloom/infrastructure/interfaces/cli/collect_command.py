"""`citeloom collect`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import note, out, out_json, out_json_rows
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.application.collect import Chapter, CollectedPassage


def collect(
    context: typer.Context,
    chunk_id: Annotated[
        str | None, typer.Argument(metavar="[CHUNK_ID]", help="A passage, by its id in query.")
    ] = None,
    chapter: Annotated[
        str | None, typer.Option("--chapter", "-c", help="The chapter, which names the file.")
    ] = None,
    project: ProjectOption = None,
    comment: Annotated[
        str, typer.Option("--comment", "-m", help="Plain text to stand below the passage.")
    ] = "",
    tag: Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be repeated.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Collect a passage, with a comment and tags, in the Markdown file of a chapter.

    Without a passage, print what is collected for the chapter, or else the chapters there are.

    Example: citeloom collect 4dab8776fd85606b --chapter "2 Methods" -m "Their best case"
    """
    if chunk_id is None and (comment or tag):
        raise typer.BadParameter("a comment and tags need a passage: citeloom collect CHUNK_ID …")
    if chunk_id is not None and chapter is None:
        raise typer.BadParameter('name the chapter: --chapter "2 Methods"')
    with opened(context, project) as library:
        if chunk_id is not None and chapter is not None:
            passage = library.collect(chunk_id, chapter=chapter, comment=comment, tags=tag or ())
            _print_passage(passage, as_json=as_json)
        elif chapter is None:
            _print_list(library.chapters(), as_json=as_json)
        else:
            _print_text(library.chapters(chapter)[0], as_json=as_json)


def _print_passage(passage: CollectedPassage, *, as_json: bool) -> None:
    from citeloom.infrastructure.serialisation.passages import collected_json
    from citeloom.infrastructure.serialisation.text import one_line

    if as_json:
        out_json(collected_json(passage))
    else:
        done = "added to" if passage.added else "is already in"
        out(one_line(f"{passage.citation or passage.chunk_id} {done} {passage.path}"))


def _print_list(chapters: Sequence[Chapter], *, as_json: bool) -> None:
    from citeloom.infrastructure.serialisation.passages import chapter_json
    from citeloom.infrastructure.serialisation.text import one_line

    if as_json:
        out_json_rows(map(chapter_json, chapters))
        return
    for one in chapters:
        out(one_line(f"{len(one.chunk_ids):>5}  {one.chapter}  {one.path}"))
    if not chapters:
        note('nothing is collected yet: citeloom collect CHUNK_ID --chapter "2 Methods"')


def _print_text(chapter: Chapter, *, as_json: bool) -> None:
    from citeloom.infrastructure.serialisation.passages import chapter_json

    if as_json:
        out_json({**chapter_json(chapter), "text": chapter.text})
    else:
        out(chapter.text.rstrip("\n"))
