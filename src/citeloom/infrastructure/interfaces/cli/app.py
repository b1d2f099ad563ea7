"""The command `citeloom` and its subcommands."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from citeloom.infrastructure.interfaces.cli.ending import ended, open_streams
from citeloom.infrastructure.interfaces.cli.imported_commands import group_of
from citeloom.infrastructure.interfaces.cli.options import GlobalOptions
from citeloom.infrastructure.interfaces.cli.signals import note_interruptions

_HERE = "citeloom.infrastructure.interfaces.cli"
COMMANDS = {
    "init": f"{_HERE}.init_command:init",
    "ingest": f"{_HERE}.ingest_command:ingest",
    "sync": f"{_HERE}.sync_command:sync",
    "watch": f"{_HERE}.watch_command:watch",
    "query": f"{_HERE}.query_command:query",
    "ask": f"{_HERE}.ask_command:ask",
    "chat": f"{_HERE}.chat:app",
    "calibrate": f"{_HERE}.calibrate_command:calibrate",
    "serve": f"{_HERE}.serve_command:serve",
    "mcp": f"{_HERE}.mcp:app",
    "show": f"{_HERE}.show_command:show",
    "collect": f"{_HERE}.collect_command:collect",
    "open": f"{_HERE}.open_command:open_passage",
    "match": f"{_HERE}.match_command:match",
    "list": f"{_HERE}.list_command:list_documents",
    "inspect": f"{_HERE}.inspect_command:inspect",
    "projects": f"{_HERE}.projects_command:projects",
    "validate": f"{_HERE}.validate_command:validate",
    "delete": f"{_HERE}.delete_command:delete",
    "repair": f"{_HERE}.repair_command:repair",
    "store": f"{_HERE}.store_command:app",
    "models": f"{_HERE}.models_command:models",
    "eval": f"{_HERE}.evaluation:app",
    "zotero": f"{_HERE}.zotero:app",
}
"""Where each command is, in the order of the help."""
FIRST = ("init", "ingest", "query", "ask", "show")
SYNONYMS = {
    **dict.fromkeys(("search", "find", "grep", "retrieve", "look"), "query"),
    **dict.fromkeys(("add", "import", "index", "load", "update", "upload", "scan"), "ingest"),
    **dict.fromkeys(("answer", "question"), "ask"),
    **dict.fromkeys(("new", "create", "setup", "start", "config"), "init"),
    **dict.fromkeys(("view", "read", "cat", "get", "print"), "show"),
    **dict.fromkeys(("remove", "rm", "drop", "forget"), "delete"),
    **dict.fromkeys(("ls", "documents", "docs", "files"), "list"),
    **dict.fromkeys(("status", "info", "stats"), "inspect"),
    **dict.fromkeys(("check", "test", "lint"), "validate"),
    **dict.fromkeys(("server", "http", "run"), "serve"),
    **dict.fromkeys(("fix", "recover", "rebuild"), "repair"),
    "project": "projects",
    "follow": "watch",
    "evaluate": "eval",
    "help": "--help",
}
"""Commands of other programs, and what they are called here."""

app = typer.Typer(
    name="citeloom",
    cls=group_of(COMMANDS, first=FIRST, synonyms=SYNONYMS),
    help="A research library that answers with passages one can cite to the page.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
    """Run the command line; whatever goes wrong ends in its exit code and in plain words."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # finding them takes long
    open_streams()
    note_interruptions()
    sys.exit(ended(lambda: app(prog_name="citeloom", standalone_mode=False)))
