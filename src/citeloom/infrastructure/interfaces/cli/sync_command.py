"""`citeloom sync`."""

from __future__ import annotations

from typing import Annotated

import typer

from citeloom.infrastructure.interfaces.cli.ingest_command import interruptible, tell_report
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.interfaces.cli.zotero.options import AnnotationsOption, NotesOption


def sync(
    context: typer.Context,
    project: ProjectOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what there is to do.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Process so many documents at most.")
    ] = None,
    annotations: AnnotationsOption = None,
    notes: NotesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring a project to what its selection of Zotero's is now.

    The selection is the project's table [project."NS/NAME".zotero], or else that of the last
    `citeloom ingest --zotero`. What was added or changed is ingested, changed metadata is
    rewritten without reading documents again, and what has left the selection is dropped;
    documents of files and folders stay.

    Example: citeloom sync --project citeloom/clean-arch
    """
    from citeloom.application.ingest import IngestRequest
    from citeloom.infrastructure.interfaces.cli.progress import progress_for

    with (
        opened(context, project, progress=progress_for(), logs=True) as app,
        interruptible() as stop,
    ):
        request = IngestRequest(dry_run=dry_run, limit=limit, stop=stop)
        report = app.ingest_zotero(None).sync(request, annotations=annotations, notes=notes)
    tell_report(report, as_json=as_json)
