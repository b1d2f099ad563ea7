"""`citeloom watch`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from citeloom.application.events import RunEvent, RunFailed, RunReported, SourcesAbsent
from citeloom.infrastructure.interfaces.cli.console import note, out, out_json_line
from citeloom.infrastructure.interfaces.cli.ingest_command import (
    RestoreOption,
    RetryFailedOption,
    SourcesArgument,
)
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.interfaces.cli.signals import stop_on_signal
from citeloom.infrastructure.serialisation.reports import ingest_json


def watch(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: typer.Context,
    sources: SourcesArgument = None,
    project: ProjectOption = None,
    settle: Annotated[
        float,
        typer.Option(
            min=0.0, metavar="SECONDS", help="Read a file once it has not changed for this long."
        ),
    ] = 2.0,
    sweep: Annotated[
        float,
        typer.Option(min=1.0, metavar="SECONDS", help="Check every source at least this often."),
    ] = 300.0,
    restore: RestoreOption = False,
    retry_failed: RetryFailedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Watch folders: new, changed, renamed and deleted files reach the index within seconds.

    Ctrl-C or SIGTERM ends it once the current documents are finished.

    Example: citeloom watch papers/ --project citeloom/clean-arch
    """
    with opened(context, project, logs=True) as one, stop_on_signal() as stop:
        names = ", ".join(str(s) for s in sources or one.project.sources)
        if names:
            note(f"watching {names} for project {one.project.id}; Ctrl-C ends it")
        one.watch(
            *(sources or ()),
            events=partial(_print, as_json=as_json),
            stop=stop,
            settle_seconds=settle,
            sweep_seconds=sweep,
            restore=restore,
            retry_failed=retry_failed,
            waiting=lambda owner: note(f"waiting for {owner}"),
        )
        note("stopped")


def _print(event: RunEvent, *, as_json: bool) -> None:
    """Print what a watch does: a report as text or as a line of JSON."""
    from citeloom.infrastructure.interfaces.cli.ingest_report import summary

    match event:
        case RunReported(report=report) if as_json:
            out_json_line(ingest_json(report))
        case RunReported(report=report):
            out(summary(report))
        case RunFailed(error=error):
            note(f"{error.code}: {error.message}; tried again at the next change or sweep")
        case SourcesAbsent(sources=sources):
            note(
                f"no files in {', '.join(sources)}; documents are not removed until there are "
                "some, in case a disk is not mounted (to remove them: citeloom ingest --prune)"
            )
        case _:
            pass
