"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from citeloom.infrastructure.interfaces.cli.completion import project_ids
from citeloom.infrastructure.interfaces.cli.console import note

ProjectOption = Annotated[
    str | None,
    typer.Option(
        "--project",
        "-p",
        metavar="[NS/]NAME",
        envvar="CITELOOM_PROJECT",
        autocompletion=project_ids,
        help="The project; optional if citeloom.toml has only one.",
    ),
]
Formats = TypeVar("Formats", bound=StrEnum)
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
AsOption = Annotated[
    str | None,
    typer.Option("--as", metavar="SHAPE", help="Print JSON in a shape of the configuration."),
]
WaitOption = Annotated[
    bool,
    typer.Option("--wait", help="Wait while another process changes the project."),
]


def format_of(named: Formats, *, as_json: bool) -> Formats:
    """The format that `--format` names, or JSON, which may also be asked for as `--json`."""
    if as_json and named.value not in {"text", "json"}:
        raise typer.BadParameter(f"--json and --format {named.value} are two formats")
    return type(named)("json") if as_json else named


def waiting_if(wanted: bool) -> Callable[[str], None] | None:
    """Says on stderr who is waited for, where that is wanted."""
    return (lambda who: note(f"waiting for {who}")) if wanted else None


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """The options before the command."""

    config: Path | None = None
    verbose: bool = False


def global_options(context: typer.Context) -> GlobalOptions:
    """The options before the command."""
    options = context.find_root().obj
    return options if isinstance(options, GlobalOptions) else GlobalOptions()
