"""`citeloom zotero doctor` and `citeloom zotero download`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.application.zotero.doctor import Diagnosis, Symptom
from citeloom.domain.references.bibliography import plain
from citeloom.domain.validation import ZOTERO_CHECKS, Severity
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.interfaces.cli.console import (
    by_severity,
    counted,
    note,
    out,
    out_json,
    painter,
)
from citeloom.infrastructure.interfaces.cli.ending import FINDINGS, SOME_FAILED
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption, with_options
from citeloom.infrastructure.interfaces.cli.session import opened_library
from citeloom.infrastructure.interfaces.cli.zotero.options import browsing, selection_of
from citeloom.infrastructure.serialisation.text import one_line
from citeloom.infrastructure.serialisation.zotero import download_json

if TYPE_CHECKING:
    from citeloom.application.zotero.snapshot import DownloadReport


# What the doctor found, for people.

_STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "dim"}


def show_diagnosis(diagnosis: Diagnosis, limit: int) -> None:
    """Print the findings check by check, at most `limit` of each, with what mends them."""
    paint = painter(sys.stdout)
    for check, found in groupby(diagnosis.symptoms, key=lambda symptom: symptom.check):
        symptoms = [*found]
        severity = ZOTERO_CHECKS[check].severity
        mark = paint(severity.value, _STYLES[severity])
        promise = ZOTERO_CHECKS[check].promise
        out(f"{mark}  {check}: {len(symptoms)} found; expected that {promise}")
        out("\n".join(_lines(symptoms, limit)))
        if hint := diagnosis.hint(check):
            out(f"    {hint}")
    if diagnosis.sends_text_to:
        out(f"text is sent to {diagnosis.sends_text_to}")
    out(_verdict(diagnosis))


def _lines(symptoms: list[Symptom], limit: int) -> Iterator[str]:
    for symptom in symptoms[:limit]:
        key = symptom.item_key or symptom.attachment_key or ""
        name = symptom.citekey or plain(symptom.title)
        line = "  ".join(filter(None, ("   ", key, name))) + f": {plain(symptom.message)}"
        yield one_line(line)
    if len(symptoms) > limit:
        yield f"     and {len(symptoms) - limit} more (--limit {len(symptoms)} shows them)"


def _verdict(diagnosis: Diagnosis) -> str:
    paint = painter(sys.stdout)
    found = Counter(symptom.severity for symptom in diagnosis.symptoms)
    verdict = paint("passed", "green") if diagnosis.passed else paint("failed", "red")
    return (
        f"{diagnosis.project or 'Zotero'}: {verdict}; {counted(diagnosis.items, 'item')} with "
        f"{counted(diagnosis.documents, 'document')}, {by_severity(found)}"
    )


# `citeloom zotero doctor`.


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


# `citeloom zotero download`.


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
