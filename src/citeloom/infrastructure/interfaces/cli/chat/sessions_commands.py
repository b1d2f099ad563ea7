"""`citeloom chat list`, `export` and `delete`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import note, out, out_json, out_table
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened

SessionArgument = Annotated[str, typer.Argument(metavar="ID", help="The session.")]


class ExportFormat(StrEnum):
    """What a session is exported as."""

    MARKDOWN = "markdown"
    JSON = "json"


def list_sessions(
    context: typer.Context, project: ProjectOption = None, as_json: JsonOption = False
) -> None:
    """List the sessions of a project, the last used first.

    Example: citeloom chat list --project citeloom/clean-arch
    """
    from citeloom.infrastructure.serialisation.conversations import session_json

    with opened(context, project) as library:
        sessions = library.sessions.listed()
    if as_json:
        out_json([session_json(session) for session in sessions])
    elif sessions:
        rows = ((s.id, str(s.asked), f"{s.updated_at:%Y-%m-%d %H:%M}", s.title) for s in sessions)
        out_table(rows, ("session", "asked", "last used", "begun with"))
    else:
        note("there are no sessions yet; `citeloom chat` begins one")


def export(
    context: typer.Context,
    session: SessionArgument,
    project: ProjectOption = None,
    output: Annotated[
        ExportFormat, typer.Option("--format", help="How to print.")
    ] = ExportFormat.MARKDOWN,
    as_json: JsonOption = False,
) -> None:
    """Print a session as Markdown with citations for Pandoc and its sources, or as JSON.

    Example: citeloom chat export 3f2a9c4b1d07 --project citeloom/clean-arch
    """
    from citeloom.infrastructure.serialisation.conversations import (
        conversation_json,
        conversation_markdown,
    )

    with opened(context, project) as library:
        conversation = library.sessions.conversation(session)
        if as_json or output is ExportFormat.JSON:
            out_json(conversation_json(conversation, library.info.base_dir))
        else:
            out(conversation_markdown(conversation).rstrip("\n"))


def delete(context: typer.Context, session: SessionArgument, project: ProjectOption = None) -> None:
    """Delete a session with all its questions and answers.

    Example: citeloom chat delete 3f2a9c4b1d07 --project citeloom/clean-arch
    """
    with opened(context, project) as library:
        library.sessions.delete(session)
    out(f"session {session} deleted")
