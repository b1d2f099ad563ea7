"""`citeloom ingest`, `sync` and `watch`."""

from __future__ import annotations

import signal
import sys
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.application.events import RunEvent, RunFailed, RunReported, SourcesAbsent
from citeloom.application.requests.fields import fields_of
from citeloom.application.requests.ingest import (
    FollowRequest,
    IngestRequest,
    MarksRequest,
    PaceRequest,
    SelectionRequest,
    SyncRequest,
    WatchRequest,
)
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.answers.ingests import IngestAnswer
from citeloom.infrastructure.answers.json import Shape, shaped
from citeloom.infrastructure.answers.text import counted
from citeloom.infrastructure.interfaces.cli.console import (
    agreed,
    as_line,
    note,
    out,
    out_json,
    out_json_line,
    painter,
)
from citeloom.infrastructure.interfaces.cli.context import opened, shape_of
from citeloom.infrastructure.interfaces.cli.ending import stop_on_signal
from citeloom.infrastructure.interfaces.cli.maintenance_commands import note_store
from citeloom.infrastructure.interfaces.cli.options import (
    AsOption,
    Given,
    JsonOption,
    ProjectOption,
    WaitOption,
    waiting_if,
)
from citeloom.infrastructure.interfaces.error_codes import INTERRUPTED, SOME_FAILED

if TYPE_CHECKING:
    from citeloom.application.ports.runtime import Cancellation
    from citeloom.application.reports import IngestReport
    from citeloom.domain.documents.manifest import WithheldRemoval


# Options of the commands that ingest.


def given_path(text: str) -> Path:
    """The path, which is not empty: a variable that is not set does not mean this folder."""
    if not text.strip():
        raise typer.BadParameter("the path is empty; is a variable not set?")
    return Path(text)


SourcesArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[SOURCE]...",
        parser=given_path,
        help="Files and folders; by default the sources of the project.",
    ),
]
StrictOption = Annotated[
    bool,
    typer.Option("--strict", help="Exit with 3 also for documents that failed in earlier runs."),
]


@dataclass(frozen=True, slots=True)
class ConversionFlags:
    """The options that stand in for keys of the table [conversion] in this run."""

    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Number of documents processed at once.")
    ] = None
    page_window: Annotated[
        int | None,
        typer.Option("--page-window", min=1, help="Number of pages converted at a time."),
    ] = None
    ocr: Annotated[
        bool | None, typer.Option("--ocr/--no-ocr", help="Read pages that are images with OCR.")
    ] = None
    ocr_languages: Annotated[
        list[str] | None,
        typer.Option(
            "--ocr-lang",
            metavar="CODE",
            help="OCR language if the reference has none; repeatable.",
        ),
    ] = None
    follow_links: Annotated[
        bool | None,
        typer.Option(
            "--follow-links", help="Follow symbolic links that lead out of a source folder."
        ),
    ] = None

    @property
    def given(self) -> dict[str, object]:
        return {key: value for key, value in asdict(self).items() if value is not None}


def confirm_removal(removal: WithheldRemoval) -> bool:
    """Whether the user agrees to a removal; False where there is nobody to ask."""
    if not sys.stdin.isatty():
        return False
    return agreed(
        f"{removal.source}: {removal.reason}. "
        f"Remove {counted(len(removal.documents), 'document')} from the project?"
    )


# `citeloom ingest`.


def ingest(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    sources: SourcesArgument = None,
    project: ProjectOption = None,
    references: Annotated[
        Path | None,
        typer.Option(
            "--references",
            metavar="PATH",
            parser=given_path,
            help="References for this run: CSL-JSON, BibTeX or RIS.",
        ),
    ] = None,
    *,
    options: Given[IngestRequest],
    strict: StrictOption = False,
    wait: WaitOption = False,
    conversion: ConversionFlags,
    zotero: Annotated[
        bool,
        typer.Option(
            "--zotero", help="Ingest the selected Zotero items, each document cited as its item."
        ),
    ] = False,
    items: Given[SelectionRequest],
    marks: Given[MarksRequest],
    as_json: JsonOption = False,
    shape: AsOption = None,
) -> None:
    """Convert, match, chunk, embed and store documents.

    Example: citeloom ingest papers/ --project citeloom/clean-arch

    Example: citeloom ingest --zotero --collection Papers/Tides --project citeloom/clean-arch
    """
    from citeloom.infrastructure.interfaces.cli.progress_display import progress_for

    if not zotero and (items or marks):
        raise typer.BadParameter("options that select Zotero items need --zotero")
    overrides = {"conversion": conversion.given}
    with opened(context, project, overrides=overrides, logs=True) as one, interruptible() as stop:
        chosen_shape = shape_of(one, shape)
        note_store(one)
        selection = SelectionRequest(**items).selection or one.project.zotero or ZoteroSelection()
        report = one.ingest(
            sources or (),
            references=references,
            zotero=selection.with_marks(**marks) if zotero else None,
            progress=progress_for(),
            stop=stop,
            confirm=confirm_removal,
            waiting=waiting_if(wait),
            **options,
        )
    print_report(report, as_json=as_json, strict=strict, shape=chosen_shape)


def print_report(
    report: IngestReport,
    *,
    as_json: bool,
    strict: bool = False,
    shape: Shape | None = None,
    naming: bool = False,
) -> None:
    """Print the report of a run, as JSON in a `shape`, and exit with its exit code; `strict` counts
    documents that failed before, too, and with `naming` those that changed are named.
    """
    if shape is not None or as_json:
        full = IngestAnswer.of(report)
        out_json(full if shape is None else shaped(shape, full))
    else:
        out(summary(report, naming=naming))
    if report.interrupted:
        note("Interrupted: indexed documents are stored. Run the same command to continue.")
        raise typer.Exit(INTERRUPTED)
    if report.failed or report.withheld or report.left_behind or (strict and report.failed_before):
        raise typer.Exit(SOME_FAILED)


def summary(report: IngestReport, *, naming: bool = False) -> str:
    """The report as it is printed; with `naming` those documents that changed are named."""
    from citeloom.infrastructure.answers.ingest_text import report_lines

    lines = report_lines(report, naming=naming, paint=painter(sys.stdout))
    return "\n".join(map(as_line, lines))


def interruptible() -> AbstractContextManager[Cancellation]:
    """A cancellation that Ctrl-C requests; a second Ctrl-C interrupts at once."""
    message = "\nfinishing the current documents; press Ctrl-C again to stop at once"
    return stop_on_signal(signal.SIGINT, message=message)


# `citeloom sync`.


def sync(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    project: ProjectOption = None,
    *,
    options: Given[SyncRequest],
    strict: StrictOption = False,
    wait: WaitOption = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Synchronise again whenever Zotero has changed, until Ctrl-C or SIGTERM.",
        ),
    ] = False,
    pace: Given[PaceRequest],
    as_json: JsonOption = False,
) -> None:
    """Synchronise a project with its Zotero selection.

    The selection is the project's table [project."NS/NAME".zotero], or else that of the last
    `citeloom ingest --zotero`. Added and changed documents are ingested, changed metadata is
    rewritten without reading documents again, and documents that are no longer selected are
    removed; documents from files and folders stay.

    Example: citeloom sync --project citeloom/clean-arch

    Example: citeloom sync --watch --project citeloom/clean-arch
    """
    from citeloom.infrastructure.interfaces.cli.progress_display import progress_for

    once = sorted(options.keys() - fields_of(FollowRequest).keys()) + ["strict"] * strict
    if watch and once:
        raise typer.BadParameter(f"--{once[0].replace('_', '-')} has no meaning with --watch")
    if pace and not watch:
        raise typer.BadParameter("--settle and --sweep need --watch")
    if watch:
        with opened(context, project, logs=True) as one, stop_on_signal() as stop:
            note(f"following Zotero for project {one.project.id}; Ctrl-C ends it")
            one.watch_zotero(**_watching(stop, as_json=as_json), **pace, **options)
            note("stopped")
        return
    with (
        opened(context, project, logs=True) as library,
        interruptible() as stop,
    ):
        report = library.sync(
            confirm=confirm_removal,
            waiting=waiting_if(wait),
            progress=progress_for(),
            stop=stop,
            **options,
        )
    print_report(report, as_json=as_json, strict=strict, naming=True)


# `citeloom watch`.


def watch(
    context: typer.Context,
    sources: SourcesArgument = None,
    project: ProjectOption = None,
    *,
    options: Given[WatchRequest],
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
        one.watch(sources or (), **_watching(stop, as_json=as_json), **options)
        note("stopped")


def _watching(stop: Cancellation, *, as_json: bool) -> dict[str, Any]:
    """How a watch of the command line ends, and says what it does."""
    return {
        "events": partial(_print_event, as_json=as_json),
        "stop": stop,
        "waiting": lambda owner: note(f"waiting for {owner}"),
    }


def _print_event(event: RunEvent, *, as_json: bool) -> None:
    """Print what a watch does: a report as text or as a line of JSON."""
    match event:
        case RunReported(report=report) if as_json:
            out_json_line(IngestAnswer.of(report))
        case RunReported(report=report):
            out(summary(report, naming=True))
            sys.stdout.flush()
        case RunFailed(error=error):
            note(f"{error.code}: {error.message}; tried again at the next change or sweep")
        case SourcesAbsent(sources=sources):
            note(
                f"no files in {', '.join(sources)}; documents are not removed until there are "
                "some, in case a disk is not mounted (to remove them: citeloom ingest --prune)"
            )
        case _:
            pass
