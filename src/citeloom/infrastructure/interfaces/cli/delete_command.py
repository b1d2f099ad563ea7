"""`citeloom delete`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import note, out, out_json
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.application.delete import Delete, DeleteReport


def delete(
    context: typer.Context,
    project: ProjectOption = None,
    doc: Annotated[str | None, typer.Option(help="The document with this id.")] = None,
    citekey: Annotated[str | None, typer.Option(help="Every document of this work.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="The whole project.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Take documents out of a project; source files stay where they are.

    Example: citeloom delete --project citeloom/clean-arch --citekey rule2018
    """
    if sum((doc is not None, citekey is not None, everything)) != 1:
        raise typer.BadParameter("name one of --doc, --citekey and --all")
    what = "everything" if everything else f"document {doc}" if doc else f"work {citekey}"
    with opened(context, project) as app:
        if not yes and not _agreed(f"Delete {what} from {app.project.id}?"):
            raise typer.Abort
        report = _delete(app.delete, doc, citekey)
    if as_json:
        out_json(report)
    else:
        out(f"{len(report.documents)} documents and {report.chunks} chunks deleted")
    if not report.documents and not report.chunks:
        note(f"there was no {what}")


def _agreed(question: str) -> bool:
    sys.stderr.write(f"{question} [y/N]: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _delete(use_case: Delete, doc: str | None, citekey: str | None) -> DeleteReport:
    if doc is not None:
        return use_case.document(doc)
    if citekey is not None:
        return use_case.work(citekey.removeprefix("@"))
    return use_case.everything()
