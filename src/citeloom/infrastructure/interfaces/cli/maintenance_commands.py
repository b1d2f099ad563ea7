"""`citeloom delete`, `repair`, `store …` and `validate`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.application.requests.passages import ValidateRequest
from citeloom.application.validate import Finding, ValidationReport
from citeloom.domain.validation import CHECKS, Severity
from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.junit import document, element, suite
from citeloom.infrastructure.answers.library import StoreAnswer, Validation
from citeloom.infrastructure.answers.text import counted, one_line, some
from citeloom.infrastructure.interfaces.cli.console import (
    agreed,
    by_severity,
    note,
    out,
    out_json,
    severity_mark,
    table,
    verdict,
)
from citeloom.infrastructure.interfaces.cli.context import opened, opened_library
from citeloom.infrastructure.interfaces.cli.options import (
    Given,
    JsonOption,
    OutputFormat,
    ProjectOption,
    WaitOption,
    citekeys,
    family,
    waiting_if,
)
from citeloom.infrastructure.interfaces.error_codes import EXIT_CODES, FINDINGS

if TYPE_CHECKING:
    from citeloom.application.ports.vector_index import CollectionState, StoreAddress, StoreState
    from citeloom.application.repair import RepairReport
    from citeloom.infrastructure.library.library import Library
    from citeloom.infrastructure.library.project import ProjectLibrary


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
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Change nothing; report what would be done.")
    ] = False,
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
        out("\n".join(_repair_lines(report)))
    if report.findings:
        raise typer.Exit(FINDINGS)


def _repair_lines(report: RepairReport) -> Iterator[str]:
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


# `citeloom store`, and the line on the store with which long commands begin.

store_app = family("store", help="Check the vector store.")


@store_app.callback()
def store() -> None:
    """Check the vector store."""


@store_app.command("check")
def check(
    context: typer.Context, project: ProjectOption = None, as_json: JsonOption = False
) -> None:
    """Contact every address of the store; show versions, rights, latency and collections.

    Nothing is stored or changed. Exit code 13 if the store does not answer or may not be read, 4 if
    something else is wrong, such as a node that is down.

    Example: citeloom store check --json
    """
    with opened_library(context) as library:
        state = library.check_store(project)
    if as_json:
        out_json(StoreAnswer.of(state))
    else:
        out("\n".join(_state_lines(state)))
    if not state.is_available:
        raise typer.Exit(EXIT_CODES["INDEX_UNAVAILABLE"])
    if state.problems:
        raise typer.Exit(FINDINGS)


def note_store(opened: Library | ProjectLibrary) -> None:
    """Say in a line on stderr how a store on a server is, before a command works with it."""
    if not opened.info.has_remote_store:
        return
    state = opened.check_store()
    if not state.remote:
        return
    if state.problems:
        note(f"store: {state.problems[0]}")
        return
    first = state.addresses[0]
    collections = "; ".join(
        f"{collection.name}: {_collection(collection)}" for collection in state.collections
    )
    parts = (f"{state.kind} {_address(first)}", _rights(state), collections, *state.notes)
    note(f"store: {'; '.join(part for part in parts if part)}")


def _state_lines(state: StoreState) -> Iterator[str]:
    yield f"store       {state.kind}"
    for address in state.addresses:
        yield f"address     {_address(address)}"
    yield f"rights      {_rights(state)}"
    for collection in state.collections:
        yield f"collection  {collection.name}: {_collection(collection)}"
    if state.peers:
        yield f"nodes       {', '.join(state.peers)}"
    yield from (f"note        {note}" for note in state.notes)
    yield from (f"problem     {problem}" for problem in state.problems)
    yield "no problems" if state.is_available and not state.problems else "there are problems"


def _address(store: StoreAddress) -> str:
    if store.error:
        return f"{store.address}  no answer"
    latency = f", {store.milliseconds:g} ms" if store.milliseconds else ""
    return f"{store.version} at {store.address}{latency}".strip()


def _rights(state: StoreState) -> str:
    if not state.may_read:
        return "it may not be read" if state.may_read is False else "unknown"
    written = {None: "", True: " and written", False: ", not written"}
    return f"it may be read{written[state.may_write]}"


def _collection(state: CollectionState) -> str:
    if not state.exists:
        return "nothing ingested yet"
    parts = (
        state.status or "",
        counted(state.points, "chunk") if state.points else "",
        counted(state.shards, "shard") if state.shards else "",
        f"{state.copies} of {state.copies_configured} copies active"
        if state.copies_configured
        else "",
    )
    return ", ".join(filter(None, parts)) or "there"


# `citeloom validate`.

_LISTED, _NAMED, _ROWS = 10, 3, 10


def render(report: ValidationReport, form: str) -> str:
    if form == "json":
        return json_text(Validation.of(report))
    if form == "junit":
        return _junit(report)
    sent = [f"text is sent to {report.sends_text_to}"] if report.sends_text_to else []
    if report.of_other_machines:
        sent.append(f"{counted(report.of_other_machines, 'document')} of other machines")
    counts = Counter(finding.severity for finding in report.findings)
    sentence = (
        f"{report.project}: {verdict(report.passed)}; {counted(len(report.checks), 'check')} over "
        f"{counted(report.documents, 'document')} and {counted(report.chunks, 'chunk')}, "
        f"{by_severity(counts)}"
    )
    return "\n".join([*_text(report), *_by_document(report), *sent, sentence])


def _text(report: ValidationReport) -> Iterator[str]:
    """The findings of each check, those that say the same together, each with its hint once."""
    alike: dict[tuple[Severity, str, str], list[Finding]] = {}
    for finding in report.findings:
        alike.setdefault((finding.severity, finding.check, finding.hint), []).append(finding)
    for (severity, check, hint), findings in alike.items():
        mark = f"{severity_mark(severity)}  {check}"
        yield from (f"{mark}: {one_line(line)}" for line in _sentences(findings))
        if hint:
            yield f"    {hint}"


def _sentences(findings: list[Finding]) -> Iterator[str]:
    """A line for each of a few findings, else one for those that say the same, or the first."""
    if len(findings) <= _LISTED:
        yield from map(_sentence, findings)
        return
    alike: dict[str, list[Finding]] = {}
    for finding in findings:
        alike.setdefault(finding.message, []).append(finding)
    groups = sorted(alike.items(), key=lambda group: len(group[1]), reverse=True)
    for message, group in groups[:_LISTED]:
        named = some([finding.subject for finding in group], _NAMED)
        several = f"{counted(len(group), 'time')}: {message} ({named})"
        yield several if len(group) > 1 else _sentence(group[0])
    if rest := sum(len(group) for _, group in groups[_LISTED:]):
        yield f"… and {rest} more; --json has all"


def _by_document(report: ValidationReport) -> Iterator[str]:
    """The documents with findings, the worst first."""
    listed = [d for d in report.by_document if d.errors or d.warnings or d.infos]
    if len(listed) > _ROWS:
        listed.sort(key=lambda d: (-d.errors, -d.warnings, -d.infos))
    rows = [
        (
            *(str(number) for number in (d.errors, d.warnings, d.infos, d.chunks, d.pages)),
            f"{d.path}  @{d.citekey} (generated)" if d.citekey_generated else d.path,
        )
        for d in listed[:_ROWS]
    ]
    if rows:
        yield ""
        yield table(rows, ("errors", "warnings", "infos", "chunks", "pages", "document"))
        if len(listed) > _ROWS:
            yield f"… and {counted(len(listed) - _ROWS, 'document')} more; --json has all"
        yield ""


def _junit(report: ValidationReport) -> str:
    """One test case a check; it fails when what the check found fails the gate."""
    cases = []
    for check in report.checks:
        findings = [finding for finding in report.findings if finding.check == check]
        failing = [finding for finding in findings if report.fails(finding)]
        passing = [finding for finding in findings if not report.fails(finding)]
        message = f"{counted(len(failing), 'finding')}: not so that {CHECKS[check].promise}"
        parts = (
            element("failure", text=_listed(failing), message=message, type=check)
            if failing
            else None,
            element("system-out", text=_listed(passing)) if passing else None,
        )
        cases.append(element("testcase", *parts, classname=report.project, name=check))
    return document(suite(f"citeloom validate {report.project}", cases))


def _listed(findings: list[Finding]) -> str:
    hints = dict.fromkeys(finding.hint for finding in findings if finding.hint)
    return "\n".join([*map(_sentence, findings), *hints])


def _sentence(finding: Finding) -> str:
    where = f"{finding.subject}: " if finding.subject else ""
    if not finding.chunks:
        return f"{where}{finding.message}"
    more = f" and {finding.count - 1} more" if finding.count > 1 else ""
    return f"{where}chunk {finding.chunks[0]}{more}: {finding.message}"


class FindingFormat(OutputFormat):
    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


def validate(
    context: typer.Context,
    project: ProjectOption = None,
    strict: Annotated[
        bool | None, typer.Option(help="Whether warnings fail validation, too.")
    ] = None,
    min_body_share: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Minimum share of the text that must be in chunks."),
    ] = None,
    require_citekey: Annotated[
        bool | None, typer.Option(help="Whether every document must have a reference.")
    ] = None,
    *,
    options: Given[ValidateRequest],
    output: FindingFormat,
) -> None:
    """Check models, store, references and every chunk; exit 4 on findings.

    Example: citeloom validate --project citeloom/clean-arch --format junit > citeloom.xml
    """
    limits = {"min_body_share": min_body_share, "require_citekey": require_citekey}
    overrides = {"validate": {**limits, "strict": strict}}
    with opened(context, project, overrides=overrides) as library:
        report = library.validate(**options)
    out(render(report, output.value))
    if not report.passed:
        raise typer.Exit(FINDINGS)
