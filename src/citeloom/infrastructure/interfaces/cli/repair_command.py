"""`citeloom repair`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from citeloom.infrastructure.interfaces.cli.console import out, out_json
from citeloom.infrastructure.interfaces.cli.counting import counted
from citeloom.infrastructure.interfaces.cli.exit_codes import FINDINGS
from citeloom.infrastructure.interfaces.cli.ingest_options import DryRunOption
from citeloom.infrastructure.interfaces.cli.options import (
    JsonOption,
    ProjectOption,
    WaitOption,
    waiting_if,
)
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.application.repair import RepairReport


def repair(
    context: typer.Context,
    project: ProjectOption = None,
    dry_run: DryRunOption = False,
    wait: WaitOption = False,
    as_json: JsonOption = False,
) -> None:
    """Rebuild a project's manifest from its index, and finish killed deletions.

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
