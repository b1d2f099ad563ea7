"""`citeloom ingest` and `citeloom sync`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.interfaces.cli.console import agreed, counted, note, out, out_json
from citeloom.infrastructure.interfaces.cli.ending import INTERRUPTED, SOME_FAILED
from citeloom.infrastructure.interfaces.cli.options import (
    AsOption,
    JsonOption,
    ProjectOption,
    WaitOption,
    waiting_if,
    with_options,
)
from citeloom.infrastructure.interfaces.cli.session import opened, shape_of
from citeloom.infrastructure.interfaces.cli.signals import stop_on_signal
from citeloom.infrastructure.interfaces.cli.store_command import note_store
from citeloom.infrastructure.interfaces.cli.zotero.options import (
    AnnotationsOption,
    NotesOption,
    selection_of,
)
from citeloom.infrastructure.serialisation.reports import ingest_json
from citeloom.infrastructure.serialisation.shapes import Shape, shaped

if TYPE_CHECKING:
    from citeloom.application.options import IngestOptions
    from citeloom.application.ports.runtime import Cancellation
    from citeloom.application.reports import IngestReport, WithheldRemoval


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
ReferencesOption = Annotated[
    Path | None,
    typer.Option(
        "--references",
        metavar="PATH",
        parser=given_path,
        help="References for this run: CSL-JSON, BibTeX or RIS.",
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Process unchanged documents, too.")]
FollowLinksOption = Annotated[
    bool | None,
    typer.Option("--follow-links", help="Follow symbolic links that lead out of a source folder."),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Change nothing; report what would be done.")
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, help="Process at most this many documents.")
]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", min=1, help="Number of documents processed at once.")
]
PageWindowOption = Annotated[
    int | None, typer.Option("--page-window", min=1, help="Number of pages converted at a time.")
]
OcrOption = Annotated[
    bool | None, typer.Option("--ocr/--no-ocr", help="Read pages that are images with OCR.")
]
OcrLanguageOption = Annotated[
    list[str] | None,
    typer.Option(
        "--ocr-lang",
        metavar="CODE",
        help="OCR language if the reference has none; repeatable.",
    ),
]
RebuildOption = Annotated[
    bool,
    typer.Option(
        "--rebuild",
        help="Build a new collection, e.g. for another model, and replace the old one with it.",
    ),
]
PruneOption = Annotated[
    bool,
    typer.Option(
        "--prune",
        help="Remove documents whose file no longer exists or, with --zotero, is no "
        "longer selected.",
    ),
]
YesOption = Annotated[
    bool,
    typer.Option(
        "--yes",
        "-y",
        help="Remove documents without asking for confirmation, even if there are many.",
    ),
]
RestoreOption = Annotated[
    bool,
    typer.Option("--restore", help="Index deleted documents again if their files are found."),
]
RetryFailedOption = Annotated[
    bool,
    typer.Option("--retry-failed", help="Try failed documents again although they are unchanged."),
]
StrictOption = Annotated[
    bool,
    typer.Option("--strict", help="Exit with 3 also for documents that failed in earlier runs."),
]
ZoteroOption = Annotated[
    bool,
    typer.Option(
        "--zotero", help="Ingest the selected Zotero items, each document cited as its item."
    ),
]


def confirm_removal(removal: WithheldRemoval) -> bool:
    """Whether the user agrees to a removal; False where there is nobody to ask."""
    if not sys.stdin.isatty():
        return False
    return agreed(
        f"{removal.source}: {removal.reason}. "
        f"Remove {counted(len(removal.documents), 'document')} from the project?"
    )


def ingest_options(  # noqa: PLR0913, PLR0917 - one parameter an option
    force: ForceOption = False,
    dry_run: DryRunOption = False,
    limit: LimitOption = None,
    rebuild: RebuildOption = False,
    prune: PruneOption = False,
    yes: YesOption = False,
    restore: RestoreOption = False,
    retry_failed: RetryFailedOption = False,
    wait: WaitOption = False,
) -> IngestOptions:
    """What a run does with the documents it finds."""
    return {
        "force": force,
        "dry_run": dry_run,
        "limit": limit,
        "rebuild": rebuild,
        "prune": prune,
        "yes": yes,
        "confirm": confirm_removal,
        "restore": restore,
        "retry_failed": retry_failed,
        "waiting": waiting_if(wait),
    }


def conversion_options(
    workers: WorkersOption = None,
    page_window: PageWindowOption = None,
    ocr: OcrOption = None,
    ocr_lang: OcrLanguageOption = None,
    follow_links: FollowLinksOption = None,
) -> dict[str, object]:
    """Values of the table [conversion] for this run; None where the table stands."""
    return {
        "workers": workers,
        "page_window": page_window,
        "ocr": ocr,
        "ocr_languages": ocr_lang or None,
        "follow_links": follow_links,
    }


# `citeloom ingest`.


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
    from citeloom.infrastructure.interfaces.cli.progress import progress_for

    if selection.with_marks(annotations, notes) != ZoteroSelection() and not zotero:
        raise typer.BadParameter("options that select Zotero items need --zotero")
    overrides = {"conversion": conversion}
    with opened(context, project, overrides=overrides, logs=True) as one, interruptible() as stop:
        chosen_shape = shape_of(one, shape)
        note_store(one)
        chosen = selection if selection != ZoteroSelection() else one.project.zotero or selection
        report = one.ingest(
            *(sources or ()),
            references=references,
            zotero=chosen.with_marks(annotations, notes) if zotero else None,
            progress=progress_for(),
            stop=stop,
            **options,
        )
    print_report(report, as_json=as_json, strict=strict, shape=chosen_shape)


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


def interruptible() -> AbstractContextManager[Cancellation]:
    """A cancellation that Ctrl-C requests; a second Ctrl-C interrupts at once."""
    message = "\nfinishing the current documents; press Ctrl-C again to stop at once"
    return stop_on_signal(signal.SIGINT, message=message)


# `citeloom sync`.


def sync(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: typer.Context,
    project: ProjectOption = None,
    dry_run: DryRunOption = False,
    limit: LimitOption = None,
    annotations: AnnotationsOption = None,
    notes: NotesOption = None,
    yes: YesOption = False,
    restore: RestoreOption = False,
    retry_failed: RetryFailedOption = False,
    strict: StrictOption = False,
    wait: WaitOption = False,
    as_json: JsonOption = False,
) -> None:
    """Synchronise a project with its Zotero selection.

    The selection is the project's table [project."NS/NAME".zotero], or else that of the last
    `citeloom ingest --zotero`. Added and changed documents are ingested, changed metadata is
    rewritten without reading documents again, and documents that are no longer selected are
    removed; documents from files and folders stay.

    Example: citeloom sync --project citeloom/clean-arch
    """
    from citeloom.infrastructure.interfaces.cli.progress import progress_for

    with (
        opened(context, project, logs=True) as library,
        interruptible() as stop,
    ):
        report = library.sync(
            annotations=annotations,
            notes=notes,
            dry_run=dry_run,
            limit=limit,
            yes=yes,
            confirm=confirm_removal,
            restore=restore,
            retry_failed=retry_failed,
            waiting=waiting_if(wait),
            progress=progress_for(),
            stop=stop,
        )
    print_report(report, as_json=as_json, strict=strict)
