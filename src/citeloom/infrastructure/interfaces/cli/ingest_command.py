"""`citeloom ingest`."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import typer

from citeloom.domain.zotero_selection import ZoteroSelection
from citeloom.infrastructure.interfaces.cli.console import note, out, out_json
from citeloom.infrastructure.interfaces.cli.exit_codes import INTERRUPTED, SOME_FAILED
from citeloom.infrastructure.interfaces.cli.ingest_options import (
    ReferencesOption,
    SourcesArgument,
    StrictOption,
    ZoteroOption,
    conversion_options,
    ingest_options,
)
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import AsOption, JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.interfaces.cli.shapes import shape_of
from citeloom.infrastructure.interfaces.cli.store_command import note_store
from citeloom.infrastructure.interfaces.cli.zotero.options import (
    AnnotationsOption,
    NotesOption,
    selection_of,
)
from citeloom.infrastructure.serialisation.reports import ingest_json
from citeloom.infrastructure.serialisation.shapes import Shape, shaped

if TYPE_CHECKING:
    from citeloom.application.ingest_options import IngestOptions
    from citeloom.application.ports.progress import Progress
    from citeloom.application.reports import IngestReport


@with_options(options=ingest_options, conversion=conversion_options, selection=selection_of)
def ingest(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    sources: SourcesArgument = None,
    project: ProjectOption = None,
    references: ReferencesOption = None,
    *,
    options: IngestOptions,
    strict: StrictOption = False,
    conversion: Mapping[str, object],
    zotero: ZoteroOption = False,
    selection: ZoteroSelection,
    annotations: AnnotationsOption = None,
    notes: NotesOption = None,
    as_json: JsonOption = False,
    shape: AsOption = None,
) -> None:
    """Convert, match, chunk, embed and store documents.

    Example: citeloom ingest papers/ --project citeloom/clean-arch

    Example: citeloom ingest --zotero --collection Papers/Tides --project citeloom/clean-arch
    """
    _check_zotero(selection.with_marks(annotations, notes), wanted=zotero)
    overrides = {"conversion": conversion}
    with opened(context, project, overrides=overrides, logs=True) as one, interruptible() as stop:
        wanted = shape_of(one, shape)
        note_store(one)
        chosen = selection if selection != ZoteroSelection() else one.project.zotero or selection
        report = one.ingest(
            *(sources or ()),
            references=references,
            zotero=chosen.with_marks(annotations, notes) if zotero else None,
            progress=_progress(),
            stop=stop,
            **options,
        )
    print_report(report, as_json=as_json, strict=strict, shape=wanted)


def _progress() -> Progress:
    from citeloom.infrastructure.interfaces.cli.progress import progress_for

    return progress_for()


def _check_zotero(selection: ZoteroSelection, *, wanted: bool) -> None:
    if selection != ZoteroSelection() and not wanted:
        raise typer.BadParameter("options that select Zotero items need --zotero")


def print_report(
    report: IngestReport, *, as_json: bool, strict: bool = False, shape: Shape | None = None
) -> None:
    """Print the report of a run, as JSON in a `shape`, and exit with its exit code; `strict` counts
    documents that failed before, too.
    """
    from citeloom.infrastructure.interfaces.cli.ingest_report import summary

    if shape is not None or as_json:
        full = ingest_json(report)
        out_json(full if shape is None else shaped(shape, full))
    else:
        out(summary(report))
    if report.interrupted:
        note("Interrupted: indexed documents are stored. Run the same command to continue.")
        raise typer.Exit(INTERRUPTED)
    if report.failed or report.withheld or report.left_behind or (strict and report.failed_before):
        raise typer.Exit(SOME_FAILED)


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """A function that says whether Ctrl-C was pressed; a second Ctrl-C interrupts at once."""
    pressed: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)
        note("\nfinishing the current documents; press Ctrl-C again to stop at once")

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)
