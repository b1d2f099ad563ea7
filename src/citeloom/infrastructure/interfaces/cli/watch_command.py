"""`citeloom watch`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

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

if TYPE_CHECKING:
    from citeloom.application.reports import IngestReport
    from citeloom.domain.errors import CiteloomError


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
            events=_PrintedEvents(as_json=as_json),
            stop=stop.is_set,
            settle_seconds=settle,
            sweep_seconds=sweep,
            restore=restore,
            retry_failed=retry_failed,
            waiting=lambda owner: note(f"waiting for {owner}"),
        )
        note("stopped")


class _PrintedEvents:
    """Prints what a watch does: with `as_json` one line of JSON a run."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def ingested(self, report: IngestReport) -> None:
        from citeloom.infrastructure.interfaces.cli.ingest_report import summary

        if self._as_json:
            out_json_line(ingest_json(report))
        else:
            out(summary(report))

    def failed(self, error: CiteloomError) -> None:
        note(f"{error.code}: {error.message}; tried again at the next change or sweep")

    def withheld(self, sources: tuple[str, ...]) -> None:
        note(
            f"no files in {', '.join(sources)}; documents are not removed until there are some, in "
            "case a disk is not mounted (to remove them: citeloom ingest --prune)"
        )
