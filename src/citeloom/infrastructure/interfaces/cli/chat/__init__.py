"""`citeloom chat` and `citeloom chat list`, `export` and `delete`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.application.query_options import AskOptions
from citeloom.infrastructure.interfaces.cli.answer_text import (
    AnswerFormat,
    QuoteFirstOption,
    answer_format,
)
from citeloom.infrastructure.interfaces.cli.chat import sessions_commands
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import AsOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.query_options import filter_options
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.interfaces.cli.shapes import shape_of

if TYPE_CHECKING:
    from citeloom.application.query_options import FilterOptions

app = typer.Typer(
    name="chat",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("list")(sessions_commands.list_sessions)
app.command("export")(sessions_commands.export)
app.command("delete")(sessions_commands.delete)


@app.callback()
@with_options(filters=filter_options, output=answer_format)
def chat(
    context: typer.Context,
    project: ProjectOption = None,
    resume: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on with this session.")
    ] = None,
    *,
    filters: FilterOptions,
    output: AnswerFormat,
    shape: AsOption = None,
    quote_first: QuoteFirstOption = False,
) -> None:
    """Ask one question after another: on a terminal at a prompt, else one a line from stdin.

    Example: citeloom chat --project citeloom/clean-arch
    """
    if context.invoked_subcommand is not None:
        return
    from citeloom.infrastructure.interfaces.cli.chat.dialogue import Dialogue
    from citeloom.infrastructure.interfaces.cli.chat.questions import hold

    with opened(context, project) as library:
        wanted = shape_of(library, shape)
        options = AskOptions(**filters, quote_first=quote_first)
        hold(Dialogue(library, output, options, shape=wanted, session=resume))
