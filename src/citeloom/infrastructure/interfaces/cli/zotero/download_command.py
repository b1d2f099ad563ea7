"""`citeloom zotero download`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import typer

from citeloom.domain.zotero_selection import ZoteroSelection
from citeloom.infrastructure.interfaces.cli.console import note, out, out_json
from citeloom.infrastructure.interfaces.cli.counting import counted
from citeloom.infrastructure.interfaces.cli.exit_codes import SOME_FAILED
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened_library
from citeloom.infrastructure.interfaces.cli.zotero.options import (
    selection_of,
)
from citeloom.infrastructure.serialisation.text import one_line
from citeloom.infrastructure.serialisation.zotero import download_json

if TYPE_CHECKING:
    from citeloom.application.zotero.download import DownloadReport


@with_options(selection=selection_of)
def download(
    context: typer.Context,
    project: ProjectOption = None,
    *,
    selection: ZoteroSelection,
    as_json: JsonOption = False,
) -> None:
    """Download the files of Zotero items from zotero.org; the API key is in ZOTERO_API_KEY.

    The items are those the options select, else the project's own selection, else all of your
    library. Unchanged files are not downloaded again. Ingest them with access = "web".

    Example: citeloom zotero download --collection Papers/Tides --subcollections
    """
    from citeloom.infrastructure.interfaces.cli.progress import progress_for

    with opened_library(context) as opened:
        if selection == ZoteroSelection() and project is not None:
            selection = opened.last_zotero_selection(project) or selection
        run = opened.zotero_download(progress_for())
        note(f"reading Zotero: {run.zotero.source}")
        report = run(selection)
    if as_json:
        out_json(download_json(report))
    else:
        _tell(report)
    if report.unfetched:
        raise typer.Exit(SOME_FAILED)


def _tell(report: DownloadReport) -> None:
    """Print the counts and the missing files."""
    counts = Counter(file.outcome.value for file in report.files)
    listed = ", ".join(f"{number} {outcome}" for outcome, number in sorted(counts.items()))
    out(
        f"{counted(len(report.files), 'file')}: {listed}" if listed else "no files are stored there"
    )
    for file in report.unfetched:
        name = file.attachment.stored_path.removeprefix("storage:")
        out(one_line(f"  {file.outcome.value}: {name}  ({file.attachment.key})"))
