"""The command `citeloom`, and its subcommands, each imported when it is called."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections import UserDict
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.util import find_spec
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from citeloom.infrastructure.interfaces.cli.context import GlobalOptions
from citeloom.infrastructure.interfaces.cli.ending import ended, note_interruptions, open_streams

# Commands whose modules are imported when they are called.

_SUMMARIES = (
    r'^def {}\(.*?\) -> None:\n    """(.*?)"""',
    r'^@{}\.callback\(.*?\) -> None:\n    """(.*?)"""',
    r'^{} = family\([^)]*?help="(.*?)"',
)
"""Where the source of a command, or of a group of commands, has its summary."""


def group_of(
    places: Mapping[str, str], *, first: Sequence[str] = (), synonyms: Mapping[str, str]
) -> type[TyperGroup]:
    """A group of the commands at `places`, each a `module:function` or the `module:app` of a group.

    The help lists the `first` ones apart; a command that does not exist suggests the one that
    `synonyms` has for it, or the one whose name is nearest.
    """

    class Group(TyperGroup):
        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands = _Commands(places)

        def format_commands(self, _ctx: Any, formatter: Any) -> None:
            others = [name for name in self.commands if name not in first]
            for title, names in (("Get started", first), ("Other commands", others)):
                limit = formatter.width - 6 - max(map(len, names), default=0)
                with formatter.section(title):
                    formatter.write_dl([(name, _summary(places[name], limit)) for name in names])

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            near = get_close_matches(args[0].lower(), [*self.commands, *synonyms], n=1)
            meant = synonyms.get(near[0]) if near else None
            if meant and args[0] not in self.commands:
                ctx.fail(f"No such command '{args[0]}'. Did you mean '{meant}'?")
            return super().resolve_command(ctx, args)

    return Group


class _Commands(UserDict[str, Any]):
    def __getitem__(self, name: str) -> Any:
        command = super().__getitem__(name)
        if isinstance(command, str):
            command = self[name] = _imported(name, command)
        return command


def _imported(name: str, place: str) -> Any:
    from citeloom.infrastructure.interfaces.cli.options import expand_options

    module, _, attribute = place.partition(":")
    target = getattr(import_module(module), attribute)
    if isinstance(target, typer.Typer):
        return get_command(expand_options(target))
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    alone.command(name)(target)
    return get_command(expand_options(alone))


def _summary(place: str, limit: int) -> str:
    """The summary of the command at `place`, read from its source: the help imports no command."""
    module, _, attribute = place.partition(":")
    spec = find_spec(module)
    loader = spec.loader if spec else None
    source = loader.get_source(module) if isinstance(loader, InspectLoader) else None
    for pattern in _SUMMARIES:
        if match := re.search(pattern.format(attribute), source or "", re.DOTALL | re.MULTILINE):
            return TyperCommand(None, help=cleandoc(match[1])).get_short_help_str(limit)
    command: TyperCommand = _imported(attribute, place)
    return command.get_short_help_str(limit)


# The command `citeloom` and its subcommands.

_HERE = "citeloom.infrastructure.interfaces.cli"
COMMANDS = {
    "init": f"{_HERE}.setup_commands:init",
    "ingest": f"{_HERE}.ingest_commands:ingest",
    "sync": f"{_HERE}.ingest_commands:sync",
    "watch": f"{_HERE}.ingest_commands:watch",
    "query": f"{_HERE}.query_commands:query",
    "find": f"{_HERE}.query_commands:find",
    "ask": f"{_HERE}.answer_commands:ask",
    "chat": f"{_HERE}.chat_commands:app",
    "calibrate": f"{_HERE}.answer_commands:calibrate",
    "serve": f"{_HERE}.server_commands:serve",
    "mcp": f"{_HERE}.server_commands:mcp_app",
    "show": f"{_HERE}.library_commands:show",
    "collect": f"{_HERE}.passage_commands:collect",
    "open": f"{_HERE}.passage_commands:open_passage",
    "cite": f"{_HERE}.manuscript_commands:cite",
    "bib": f"{_HERE}.manuscript_commands:bib",
    "links": f"{_HERE}.manuscript_commands:links",
    "check": f"{_HERE}.manuscript_commands:check",
    "support": f"{_HERE}.support_commands:support",
    "matrix": f"{_HERE}.support_commands:matrix",
    "lsp": f"{_HERE}.manuscript_commands:lsp",
    "bundle": f"{_HERE}.manuscript_commands:bundle_app",
    "match": f"{_HERE}.match_command:match",
    "list": f"{_HERE}.library_commands:list_documents",
    "inspect": f"{_HERE}.library_commands:inspect",
    "projects": f"{_HERE}.library_commands:projects",
    "validate": f"{_HERE}.maintenance_commands:validate",
    "delete": f"{_HERE}.maintenance_commands:delete",
    "repair": f"{_HERE}.maintenance_commands:repair",
    "store": f"{_HERE}.maintenance_commands:store_app",
    "models": f"{_HERE}.setup_commands:models",
    "eval": f"{_HERE}.eval_commands:app",
    "zotero": f"{_HERE}.zotero_commands:app",
}
"""Where each command is, in the order of the help."""
FIRST = ("init", "ingest", "query", "ask", "show")
SYNONYMS = {
    **dict.fromkeys(("search", "retrieve", "look"), "query"),
    **dict.fromkeys(("grep", "concordance", "word"), "find"),
    **dict.fromkeys(("add", "import", "index", "load", "update", "upload", "scan"), "ingest"),
    **dict.fromkeys(("answer", "question"), "ask"),
    **dict.fromkeys(("new", "create", "setup", "start", "config"), "init"),
    **dict.fromkeys(("view", "read", "cat", "get", "print"), "show"),
    **dict.fromkeys(("remove", "rm", "drop", "forget"), "delete"),
    **dict.fromkeys(("ls", "documents", "docs", "files"), "list"),
    **dict.fromkeys(("status", "info", "stats"), "inspect"),
    **dict.fromkeys(("test", "lint"), "validate"),
    **dict.fromkeys(("server", "http", "run"), "serve"),
    **dict.fromkeys(("fix", "recover", "rebuild"), "repair"),
    **dict.fromkeys(("proofread", "quotes", "verify"), "check"),
    **dict.fromkeys(("bibliography", "references"), "bib"),
    **dict.fromkeys(("evidence", "archive"), "bundle"),
    "project": "projects",
    "follow": "watch",
    "evaluate": "eval",
    "help": "--help",
}
"""Commands of other programs, and what they are called here."""

app = typer.Typer(
    name="citeloom",
    cls=group_of(COMMANDS, first=FIRST, synonyms=SYNONYMS),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(requested: bool) -> None:
    if requested:
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
            help="The configuration file; by default the citeloom.toml of this "
            "folder or the nearest above it.",
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Write debug messages to stderr.")
    ] = False,
    show_version: Annotated[  # noqa: ARG001 - its callback does the work
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """A research library that answers with passages you can cite to the page."""
    context.obj = GlobalOptions(config=config, verbose=verbose)


def main() -> None:
    """Run the command line; whatever goes wrong ends in its exit code and in plain words."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # finding them takes long
    open_streams()
    note_interruptions()
    code = ended(lambda: app(prog_name="citeloom", standalone_mode=False))
    gc.freeze()  # else a tenth of a short command would go into looking for garbage at its end
    sys.exit(code)
