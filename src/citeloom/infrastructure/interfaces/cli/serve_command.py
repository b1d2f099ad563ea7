"""`citeloom serve`."""

from __future__ import annotations

from typing import Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import note
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.interfaces.cli.signals import stop_on_signal

_SECONDS_A_MINUTE = 60.0
_POLL_SECONDS = 1.0


def serve(
    context: typer.Context,
    project: ProjectOption = None,
    idle_timeout: Annotated[
        float,
        typer.Option(
            min=0.0, metavar="MINUTES", help="Stop after so many minutes without a call; 0 never."
        ),
    ] = 15.0,
) -> None:
    """Keep a project's index open and its models loaded, so that other commands answer at once.

    Example: citeloom serve --project citeloom/clean-arch --idle-timeout 60
    """
    with opened(context, project, logs=True) as library, stop_on_signal() as stop:
        serving = library.serve()
        ends = f"; stops after {idle_timeout:g} minutes without a call" if idle_timeout else ""
        note(f"serving project {library.project.id} to this user's processes{ends}")
        longest = idle_timeout * _SECONDS_A_MINUTE or float("inf")
        while not stop.wait(_POLL_SECONDS) and serving.idle_seconds < longest:
            pass
        note("stopped" if stop.is_set() else f"idle for {idle_timeout:g} minutes: stopped")
