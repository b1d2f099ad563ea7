"""`citeloom eval` and its subcommands: how good a project's passages are."""

from __future__ import annotations

import typer

from citeloom.infrastructure.interfaces.cli.evaluation import (
    answer_commands,
    pages_command,
    retrieval_commands,
)

app = typer.Typer(
    name="eval",
    help="Measure the quality of retrieval, answers and page citations.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("pages")(pages_command.pages)
app.command("run")(retrieval_commands.run)
app.command("answers")(answer_commands.answers)
app.command("claims")(answer_commands.claims)
app.command("ir")(retrieval_commands.ir)
app.command("compare")(retrieval_commands.compare)
app.command("sweep")(retrieval_commands.sweep)
