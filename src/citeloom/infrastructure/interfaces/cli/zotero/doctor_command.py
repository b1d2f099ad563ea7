"""`citeloom zotero doctor`."""

from __future__ import annotations

from typing import Annotated

import typer

from citeloom.domain.zotero_selection import ZoteroSelection
from citeloom.infrastructure.interfaces.cli.console import out_json
from citeloom.infrastructure.interfaces.cli.exit_codes import FINDINGS
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import JsonOption
from citeloom.infrastructure.interfaces.cli.zotero.options import (
    browsing,
    selection_of,
)


@with_options(selection=selection_of)
def doctor(
    context: typer.Context,
    project: Annotated[
        str | None,
        typer.Option(
            "--project",
            "-p",
            metavar="[NS/]NAME",
            envvar="CITELOOM_PROJECT",
            help="Compare with the index of this project; without it, check Zotero alone.",
        ),
    ] = None,
    *,
    selection: ZoteroSelection,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings as well.")] = False,
    limit: Annotated[
        int, typer.Option(min=1, help="Show at most this many findings per check.")
    ] = 20,
    as_json: JsonOption = False,
) -> None:
    """Report what is missing, unreadable or out of date, and how to fix it; exit 4 on errors.

    Without a selection, the project's own selection is checked.

    Example: citeloom zotero doctor --project citeloom/clean-arch
    """
    from citeloom.infrastructure.interfaces.cli.zotero.diagnosis import show_diagnosis
    from citeloom.infrastructure.serialisation.zotero import diagnosis_json

    named = None if selection == ZoteroSelection() else selection
    with browsing(context) as opened:
        diagnosis = opened.diagnose_zotero(named, project_id=project, strict=strict)
    if as_json:
        out_json(diagnosis_json(diagnosis))
    else:
        show_diagnosis(diagnosis, limit)
    if not diagnosis.passed:
        raise typer.Exit(FINDINGS)
