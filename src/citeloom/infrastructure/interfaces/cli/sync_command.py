"""`citeloom sync`."""

from __future__ import annotations

import typer

from citeloom.infrastructure.interfaces.cli.ingest_command import interruptible, print_report
from citeloom.infrastructure.interfaces.cli.ingest_options import (
    DryRunOption,
    LimitOption,
    RestoreOption,
    RetryFailedOption,
    StrictOption,
    YesOption,
    confirm_removal,
)
from citeloom.infrastructure.interfaces.cli.options import (
    JsonOption,
    ProjectOption,
    WaitOption,
    waiting_if,
)
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.interfaces.cli.zotero.options import AnnotationsOption, NotesOption


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
    """Bring a project to what its selection of Zotero's is now.

    The selection is the project's table [project."NS/NAME".zotero], or else that of the last
    `citeloom ingest --zotero`. What was added or changed is ingested, changed metadata is
    rewritten without reading documents again, and what has left the selection is dropped;
    documents of files and folders stay.

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
