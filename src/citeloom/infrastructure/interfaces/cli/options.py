"""Options that several commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.interfaces.cli.console import note

# What a shell completes, read from the configuration and the manifest alone.


def project_ids(context: typer.Context, incomplete: str) -> list[str]:
    """The configured projects that begin so; none where the configuration cannot be read."""
    from citeloom.infrastructure.library.library import open_library

    with (
        suppress(CiteloomError, OSError),
        open_library(context.find_root().params.get("config")) as library,
    ):
        return [one for one in library.project_ids() if one.startswith(incomplete)]
    return []


def citekeys(context: typer.Context, incomplete: str) -> list[str]:
    """The citekeys of the project that begin so, with an `@` or without."""
    from citeloom.infrastructure.library.library import open_library

    at, begun = ("@", incomplete[1:]) if incomplete.startswith("@") else ("", incomplete)
    with (
        suppress(CiteloomError, OSError),
        open_library(context.find_root().params.get("config")) as library,
    ):
        known = library.citekeys(context.params.get("project"))
        return [f"{at}{one}" for one in known if one.startswith(begun)]
    return []


# Groups of options that commands share.

Group = Callable[..., object]


def with_options(**groups: Group) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Give a command the options of each group in place of the parameter of its name; the command
    receives there what the group makes of them.
    """

    def decorated(command: Callable[..., object]) -> Callable[..., object]:
        @wraps(command)
        def ungrouped(**given: object) -> object:
            made = {
                name: group(**{one: given.pop(one) for one in _parameters(group)})
                for name, group in groups.items()
            }
            return command(**given, **made)

        own = {name: [parameter] for name, parameter in _parameters(command, *groups).items()}
        grouped = {name: [*_parameters(group).values()] for name, group in groups.items()}
        options = [
            parameter.replace(kind=Parameter.KEYWORD_ONLY)
            for parameters in (own | grouped).values()
            for parameter in parameters
        ]
        ungrouped.__annotations__ = {one.name: one.annotation for one in options}
        vars(ungrouped)["__signature__"] = Signature(options)
        return ungrouped

    return decorated


def _parameters(function: Callable[..., object], *groups: str) -> dict[str, Parameter]:
    """The parameters with their types, which those of groups, imported by type checkers alone, do
    not need.
    """
    parameters = inspect.signature(function).parameters
    names = getattr(function, "__globals__", {})
    return {
        name: parameter.replace(annotation=eval(parameter.annotation, names))  # noqa: S307 - a name
        if isinstance(parameter.annotation, str) and name not in groups
        else parameter
        for name, parameter in parameters.items()
    }


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
    typer.Option("--as", metavar="SHAPE", help="Print JSON in this shape of the configuration."),
]
WaitOption = Annotated[
    bool,
    typer.Option(
        "--wait", help="If another process is changing the project, wait until it has finished."
    ),
]


def format_of(named: Formats, *, as_json: bool) -> Formats:
    """The format that `--format` names, or JSON, which may also be asked for as `--json`."""
    if as_json and named.value not in {"text", "json"}:
        raise typer.BadParameter(f"--json and --format {named.value} are two formats")
    return type(named)("json") if as_json else named


def format_options(formats: type[Formats]) -> Callable[..., Formats]:
    """The options `--format`, text where it is not given, and `--json`, for `with_options`."""

    def chosen(form: Formats, *, as_json: bool) -> Formats:
        return format_of(form, as_json=as_json)

    named = typer.Option("--format", help="Output format.")
    kind = Parameter.KEYWORD_ONLY
    options = (
        Parameter("form", kind, default=formats("text"), annotation=Annotated[formats, named]),
        Parameter("as_json", kind, default=False, annotation=JsonOption),
    )
    vars(chosen)["__signature__"] = Signature(options)
    return chosen


def waiting_if(wait: bool) -> Callable[[str], None] | None:
    """Says on stderr who is waited for, where that is wanted."""
    return (lambda who: note(f"waiting for {who}")) if wait else None


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """The options before the command."""

    config: Path | None = None
    verbose: bool = False


def global_options(context: typer.Context) -> GlobalOptions:
    """The options before the command."""
    options = context.find_root().obj
    return options if isinstance(options, GlobalOptions) else GlobalOptions()
