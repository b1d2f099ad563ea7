"""`citeloom chat` and `citeloom chat list`, `export` and `delete`."""

from __future__ import annotations

from typing import Annotated

import typer

from citeloom.infrastructure.interfaces.cli.answer_text import AnswerFormat, AnswerFormatOption
from citeloom.infrastructure.interfaces.cli.chat import sessions_commands
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.query_options import (
    CitekeyOption,
    DocOption,
    KindOption,
    SectionOption,
    TagOption,
    TopKOption,
    WhereOption,
    YearOption,
)
from citeloom.infrastructure.interfaces.cli.session import opened

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
def chat(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: typer.Context,
    project: ProjectOption = None,
    resume: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on with this session.")
    ] = None,
    top_k: TopKOption = None,
    tag: TagOption = None,
    year: YearOption = None,
    citekey: CitekeyOption = None,
    section: SectionOption = None,
    where: WhereOption = None,
    doc: DocOption = None,
    kind: KindOption = None,
    output: AnswerFormatOption = AnswerFormat.TEXT,
) -> None:
    """Ask one question after another: on a terminal at a prompt, else one a line from stdin.

    Example: citeloom chat --project citeloom/clean-arch
    """
    if context.invoked_subcommand is not None:
        return
    from citeloom.application.query_options import FilterOptions
    from citeloom.domain.filters import parse_section, parse_years
    from citeloom.infrastructure.interfaces.cli.chat.dialogue import Dialogue
    from citeloom.infrastructure.interfaces.cli.chat.questions import hold

    options = FilterOptions(
        citekey=citekey,
        doc_id=doc,
        tags=tag or (),
        years=(None, None) if year is None else parse_years(year),
        kinds=kind or (),
        section=() if section is None else parse_section(section),
        where=where or (),
        top_k=top_k,
    )
    with opened(context, project) as library:
        hold(Dialogue(library, output, options, session=resume))
