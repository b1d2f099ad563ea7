"""From the options of a command to a project that is ready to use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from citeloom.domain.errors import InvalidProject
from citeloom.infrastructure.interfaces.cli.console import note
from citeloom.infrastructure.interfaces.cli.options import GlobalOptions, global_options

if TYPE_CHECKING:
    from citeloom.application.ports.progress import Progress
    from citeloom.infrastructure.bootstrap import App
    from citeloom.infrastructure.settings import Settings

Overrides = Mapping[str, Mapping[str, object]]


def settings_of(
    context: typer.Context, overrides: Overrides | None = None, *, logs: bool = False
) -> Settings:
    """The settings a command runs under.

    Logging is set up for a command that `logs`, and for any under --verbose: it takes as long to
    load as a question to answer.
    """
    from citeloom.infrastructure.settings import load_settings

    options: GlobalOptions = global_options(context)
    settings = load_settings(config=options.config, overrides=overrides)
    if logs or options.verbose:
        _set_up_logging(settings, verbose=options.verbose)
    return settings


@contextmanager
def opened(
    context: typer.Context,
    project: str | None,
    *,
    overrides: Overrides | None = None,
    progress: Progress | None = None,
    logs: bool = False,
) -> Iterator[App]:
    """The project's use cases; whatever they opened is closed at the end."""
    from citeloom.infrastructure.bootstrap import build

    settings = settings_of(context, overrides, logs=logs)
    project_id = project or _only_project(settings)
    if settings.defaults:
        note(
            f"no citeloom.toml here: using project {project_id} with default settings, "
            f"in {settings.data_dir}"
        )
    app = build(settings, project_id, progress=progress)
    try:
        yield app
    finally:
        app.close()


def _only_project(settings: Settings) -> str:
    known = [project.id for project in settings.projects()]
    if len(known) == 1:
        return known[0]
    raise InvalidProject(
        "which project?",
        f"Name one with --project: {', '.join(known)}"
        if known
        else "Name one with --project, e.g. --project citeloom/clean-arch.",
    )


def _set_up_logging(settings: Settings, *, verbose: bool) -> None:
    from citeloom.infrastructure.logging import configure_logging

    configure_logging(level="debug" if verbose else settings.logging.level)
