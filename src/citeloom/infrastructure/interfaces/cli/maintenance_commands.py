"""`citeloom delete` and `citeloom repair`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.retrieval.filters import LEAVE_OUT, check_text
from citeloom.infrastructure.interfaces.cli.console import agreed, counted, out, out_json
from citeloom.infrastructure.interfaces.cli.ending import FINDINGS
from citeloom.infrastructure.interfaces.cli.ingest_command import DryRunOption
from citeloom.infrastructure.interfaces.cli.options import (
    JsonOption,
    ProjectOption,
    WaitOption,
    citekeys,
    waiting_if,
)
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.application.repair import RepairReport


# `citeloom delete`.


def delete(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: typer.Context,
    project: ProjectOption = None,
    doc: Annotated[str | None, typer.Option(help="Delete the document with this id.")] = None,
    citekey: Annotated[
        str | None,
        typer.Option(autocompletion=citekeys, help="Delete every document of this work."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Delete the whole project.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    wait: WaitOption = False,
    as_json: JsonOption = False,
) -> None:
    """Delete documents from a project; source files are not touched.

    Deleted documents stay out of the project until `citeloom ingest --restore` finds them again.

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
        out_json(report)
    else:
        documents = counted(len(report.documents), "document")
        out(f"{documents} and {counted(report.chunks, 'chunk')} deleted")


# `citeloom repair`.


def repair(
    context: typer.Context,
    project: ProjectOption = None,
    dry_run: DryRunOption = False,
    wait: WaitOption = False,
    as_json: JsonOption = False,
) -> None:
    """Rebuild a project's manifest from its index, and finish interrupted deletions.

    Use it when manifest.sqlite is lost or damaged. Discrepancies that cannot be repaired are
    listed, with exit code 4.

    Example: citeloom repair --project citeloom/clean-arch
    """
    with opened(context, project) as library:
        report = library.repair(dry_run=dry_run, waiting=waiting_if(wait))
    if as_json:
        out_json(report)
    else:
        out("\n".join(_text(report)))
    if report.findings:
        raise typer.Exit(FINDINGS)


def _text(report: RepairReport) -> Iterator[str]:
    would = "to be " if report.dry_run else ""
    yield (
        f"{report.project}: {counted(report.documents, 'document')} in the index, "
        f"{len(report.relisted)} {would}listed again, "
        f"{counted(len(report.finished), 'deletion')} {would}finished, "
        f"{counted(len(report.findings), 'finding')}"
    )
    if report.of_other_machines:
        documents = counted(report.of_other_machines, "document")
        yield f"  {documents} of other machines, which this repair leaves alone"
    if report.set_aside:
        yield f"  the damaged manifest is kept as {report.set_aside}"
        yield "  it held every project: run `citeloom repair --project NAME` for each other one"
    yield from (f"  listed again: {path}" for path in report.relisted)
    if report.relisted:
        yield "  their settings are unknown, so the next ingest processes them again"
    yield from (f"  deleted: {path}" for path in report.finished)
    for finding in report.findings:
        yield f"  {finding.discrepancy.value}: {finding.path}  {finding.message}"
        yield f"    {finding.hint}"
