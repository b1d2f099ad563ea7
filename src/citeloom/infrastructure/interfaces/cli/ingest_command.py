"""`citeloom ingest`."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.zotero_selection import ZoteroSelection
from citeloom.infrastructure.interfaces.cli.console import note, out, out_json
from citeloom.infrastructure.interfaces.cli.exit_codes import INTERRUPTED, SOME_FAILED
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.interfaces.cli.zotero.options import (
    AnnotationsOption,
    CollectionOption,
    ExcludeTagOption,
    LibraryOption,
    NotesOption,
    SubcollectionsOption,
    TagOption,
    selection_of,
)

if TYPE_CHECKING:
    from citeloom.application.reports import IngestReport


def ingest(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: typer.Context,
    sources: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SOURCE]...", help="Files and folders; else the project's own sources."
        ),
    ] = None,
    project: ProjectOption = None,
    references: Annotated[
        Path | None, typer.Option(help="References for this run: CSL-JSON, BibTeX or RIS.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Process unchanged documents too.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what there is to do.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Process so many documents at most.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Documents converted at once.")] = None,
    page_window: Annotated[
        int | None, typer.Option(min=1, help="Pages converted at a time.")
    ] = None,
    ocr: Annotated[
        bool | None, typer.Option("--ocr/--no-ocr", help="Read pages that are images.")
    ] = None,
    ocr_lang: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE", help="Language of images whose reference names none; repeatable."
        ),
    ] = None,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild", help="Build the collection anew, for another model, then swap it in."
        ),
    ] = False,
    prune: Annotated[
        bool,
        typer.Option(
            "--prune",
            help="Drop documents whose file is gone or, with --zotero, left the selection.",
        ),
    ] = False,
    zotero: Annotated[
        bool,
        typer.Option("--zotero", help="Ingest what of Zotero is selected, each cited as its item."),
    ] = False,
    library: LibraryOption = None,
    collection: CollectionOption = None,
    subcollections: SubcollectionsOption = False,
    tag: TagOption = None,
    exclude_tag: ExcludeTagOption = None,
    annotations: AnnotationsOption = None,
    notes: NotesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Convert, match, cut, embed and store documents.

    Example: citeloom ingest papers/ --project citeloom/clean-arch

    Example: citeloom ingest --zotero --collection Papers/Tides --project citeloom/clean-arch
    """
    from citeloom.application.ingest import IngestRequest
    from citeloom.infrastructure.interfaces.cli.progress import progress_for

    selection = selection_of(library, collection, subcollections, tag, exclude_tag)
    if selection.with_marks(annotations, notes) != ZoteroSelection() and not zotero:
        raise typer.BadParameter("what to select of Zotero needs --zotero")
    overrides = {
        "conversion": {
            "workers": workers,
            "page_window": page_window,
            "ocr": ocr,
            "ocr_languages": ocr_lang or None,
        }
    }
    named = tuple(str(path.absolute()) for path in sources or ())
    with (
        opened(context, project, overrides=overrides, progress=progress_for(), logs=True) as app,
        interruptible() as stop,
    ):
        request = IngestRequest(
            sources=named,
            force=force,
            dry_run=dry_run,
            rebuild=rebuild,
            prune=prune,
            limit=limit,
            stop=stop,
        )
        if zotero:
            chosen = selection if selection != ZoteroSelection() else app.project.zotero
            wanted = (chosen or selection).with_marks(annotations, notes)
            report = app.ingest_zotero(references)(request, wanted)
        else:
            report = app.ingest(references)(request)
    tell_report(report, as_json=as_json)


def tell_report(report: IngestReport, *, as_json: bool) -> None:
    """Print what a run did, and end with the exit code that says how it went."""
    from citeloom.infrastructure.interfaces.cli.ingest_report import summary

    if as_json:
        out_json(report)
    else:
        out(summary(report))
    if report.interrupted:
        note("Interrupted: what is listed as indexed is safe. Run the same command to go on.")
        raise typer.Exit(INTERRUPTED)
    if report.failed or report.left_behind:
        raise typer.Exit(SOME_FAILED)


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed; a second time it interrupts at once."""
    pressed: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)
        note("\nfinishing the documents in hand; press Ctrl-C again to stop at once")

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)
