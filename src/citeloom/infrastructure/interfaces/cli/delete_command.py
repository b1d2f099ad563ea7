"""`citeloom delete`."""

from __future__ import annotations

from typing import Annotated

import typer

from citeloom.domain.filters import LEAVE_OUT, check_text
from citeloom.infrastructure.interfaces.cli.completion import citekeys
from citeloom.infrastructure.interfaces.cli.console import agreed, out, out_json
from citeloom.infrastructure.interfaces.cli.counting import counted
from citeloom.infrastructure.interfaces.cli.options import (
    JsonOption,
    ProjectOption,
    WaitOption,
    waiting_if,
)
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.serialisation.reports import deletion_json


def delete(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: typer.Context,
    project: ProjectOption = None,
    doc: Annotated[str | None, typer.Option(help="The document with this id.")] = None,
    citekey: Annotated[
        str | None, typer.Option(autocompletion=citekeys, help="Every document of this work.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="The whole project.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    wait: WaitOption = False,
    as_json: JsonOption = False,
) -> None:
    """Take documents out of a project; source files stay where they are.

    What is deleted stays out until `citeloom ingest --restore` finds it again.

    Example: citeloom delete --project citeloom/clean-arch --citekey rule2018
    """
    if sum((doc is not None, citekey is not None, everything)) != 1:
        raise typer.BadParameter("name one of --doc, --citekey and --all")
    for named, value in (("document id", doc), ("citekey", citekey)):
        if value is not None:
            check_text(named, value, LEAVE_OUT)
    what = (
        "everything" if everything else f"document {doc}" if doc is not None else f"work {citekey}"
    )
    with opened(context, project) as library:
        if not everything:
            library.check_deletion(doc_id=doc, citekey=citekey)
        if not yes and not agreed(f"Delete {what} from {library.project.id}?"):
            raise typer.Abort
        report = library.delete(
            doc_id=doc, citekey=citekey, everything=everything, waiting=waiting_if(wait)
        )
    if as_json:
        out_json(deletion_json(report))
    else:
        documents = counted(len(report.documents), "document")
        out(f"{documents} and {counted(report.chunks, 'chunk')} deleted")
