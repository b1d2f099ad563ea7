"""The command `citeloom` and its subcommands."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.interfaces.cli import (
    delete_command,
    evaluation,
    ingest_command,
    init_command,
    inspect_command,
    list_command,
    models_command,
    projects_command,
    query_command,
    repair_command,
    serve_command,
    show_command,
    sync_command,
    validate_command,
    zotero,
)
from citeloom.infrastructure.interfaces.cli.console import note, tell
from citeloom.infrastructure.interfaces.cli.exit_codes import INTERRUPTED, OK, exit_code
from citeloom.infrastructure.interfaces.cli.options import GlobalOptions

app = typer.Typer(
    name="citeloom",
    help="A research library that answers with passages one can cite to the page.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("init")(init_command.init)
app.command("ingest")(ingest_command.ingest)
app.command("sync")(sync_command.sync)
app.command("query")(query_command.query)
app.command("serve")(serve_command.serve)
app.command("show")(show_command.show)
app.command("list")(list_command.list_documents)
app.command("inspect")(inspect_command.inspect)
app.command("projects")(projects_command.projects)
app.command("validate")(validate_command.validate)
app.command("delete")(delete_command.delete)
app.command("repair")(repair_command.repair)
app.command("models")(models_command.models)
app.add_typer(evaluation.app)
app.add_typer(zotero.app)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        sys.stdout.write(f"citeloom {version('citeloom')}\n")
        raise typer.Exit


@app.callback()
def citeloom(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(
            envvar="CITELOOM_CONFIG",
            help="The citeloom.toml to use; else the one here or in a folder above.",
        ),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log more to stderr.")] = False,
    show_version: Annotated[  # noqa: ARG001 - its callback does the work
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """A research library that answers with passages one can cite to the page."""
    context.obj = GlobalOptions(config=config, verbose=verbose)


def main() -> None:
    """Run the command line; every error citeloom knows ends in its exit code and a hint."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        code = _run()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OK
    sys.exit(code)


def _run() -> str | int | None:
    try:
        app()
    except SystemExit as ending:
        # Typer turns a broken pipe into a failure.
        if isinstance(ending.__context__, BrokenPipeError):
            raise ending.__context__ from None
        return ending.code
    except CiteloomError as error:
        tell(error)
        return exit_code(error)
    except KeyboardInterrupt:
        note("interrupted")
        return INTERRUPTED
    return OK
