"""Options shared by the commands of `citeloom eval`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.options import JsonOption, format_of
from citeloom.infrastructure.interfaces.cli.session import opened_library

if TYPE_CHECKING:
    from citeloom.application.ports.progress import Progress

_DEFAULT_PROJECT = "eval/defaults"


class Format(StrEnum):
    """How results are printed."""

    TEXT = "text"
    JSON = "json"


QuestionsOption = Annotated[
    Path, typer.Option("--questions", "-q", exists=True, dir_okay=False, help="JSON lines.")
]


def result_format(
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.TEXT,
    as_json: JsonOption = False,
) -> Format:
    """How results are to be printed."""
    return format_of(form, as_json=as_json)


def progress_bar() -> Progress:
    """A progress bar on a terminal, nothing elsewhere."""
    from citeloom.application.ports.progress import NoProgress
    from citeloom.infrastructure.interfaces.cli.progress import BarProgress

    return BarProgress() if sys.stderr.isatty() else NoProgress()


def any_project(context: typer.Context, project: str | None) -> str | None:
    """The named project; without a citeloom.toml, one with all defaults."""
    if project is not None:
        return project
    with opened_library(context) as library:
        return _DEFAULT_PROJECT if library.info.config_file is None else None
