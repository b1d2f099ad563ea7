"""Opens the library of a command, and the shapes that results may take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from citeloom.infrastructure.interfaces.cli.console import note

if TYPE_CHECKING:
    from citeloom.application.library_info import ConfiguredModel
    from citeloom.infrastructure.answers.json import Shape
    from citeloom.infrastructure.library.library import Library
    from citeloom.infrastructure.library.project import ProjectLibrary


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    config: Path | None = None
    verbose: bool = False


def global_options(context: typer.Context) -> GlobalOptions:
    options = context.find_root().obj
    return options if isinstance(options, GlobalOptions) else GlobalOptions()


# Opens the library of a command.

Overrides = Mapping[str, Mapping[str, object]]


@contextmanager
def opened_library(
    context: typer.Context, overrides: Overrides | None = None, *, logs: bool = False
) -> Iterator[Library]:
    """The configured library, which is closed at the end.

    Logging is set up only with `logs` or --verbose, since it is slow to import.
    """
    from citeloom.infrastructure.library.library import open_library

    options = global_options(context)
    with open_library(options.config, overrides=overrides) as library:
        for warning in library.info.warnings:
            note(f"warning: {warning}")
        if logs or options.verbose:
            from citeloom.infrastructure.answers.text import printable
            from citeloom.infrastructure.logging import configure_logging

            level = "debug" if options.verbose else library.info.log_level
            configure_logging(level=level, clean=printable)
        yield library


@contextmanager
def opened(
    context: typer.Context,
    project: str | None,
    *,
    overrides: Overrides | None = None,
    logs: bool = False,
) -> Iterator[ProjectLibrary]:
    """One project of the configured library."""
    with opened_library(context, overrides, logs=logs) as library:
        chosen = library.project(project)
        note_defaults(library, chosen.project.id)
        yield chosen


def note_defaults(library: Library, project_id: str) -> None:
    """Say that there is no citeloom.toml, where that is so."""
    if library.info.config_file is None:
        note(
            f"no citeloom.toml here: using project {project_id} with default settings, "
            f"in {library.info.data_dir}"
        )


def note_destination(texts: str, model: ConfiguredModel | None) -> None:
    """Say where a model sends texts, if it sends them anywhere."""
    if model and model.sends_to:
        note(f"{texts} are sent to {model.sends_to} ({model.name})")


def shape_of(library: ProjectLibrary, name: str | None) -> Shape | None:
    """The project's shape of that name, None for no name. Raises `ConfigError` if it has none."""
    from citeloom.infrastructure.answers.json import shape_named

    shapes = library.info.shapes.get(library.project.id, {})
    return None if name is None else shape_named(name, shapes)
