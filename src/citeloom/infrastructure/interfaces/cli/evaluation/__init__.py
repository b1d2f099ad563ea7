"""`citeloom eval` and its subcommands: how good a project's passages are."""

from __future__ import annotations

import typer

from citeloom.infrastructure.interfaces.cli.evaluation import answer_commands as answers_command
from citeloom.infrastructure.interfaces.cli.evaluation import answer_commands as claims_command
from citeloom.infrastructure.interfaces.cli.evaluation import pages_command
from citeloom.infrastructure.interfaces.cli.evaluation import retrieval_commands as compare_command
from citeloom.infrastructure.interfaces.cli.evaluation import retrieval_commands as run_command
from citeloom.infrastructure.interfaces.cli.evaluation import retrieval_commands as sweep_command

app = typer.Typer(
    name="eval",
    help="Measure the quality of retrieval, answers and page citations.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("pages")(pages_command.pages)
app.command("run")(run_command.run)
app.command("answers")(answers_command.answers)
app.command("claims")(claims_command.claims)
app.command("ir")(run_command.ir)
app.command("compare")(compare_command.compare)
app.command("sweep")(sweep_command.sweep)
