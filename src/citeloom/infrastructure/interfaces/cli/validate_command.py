"""`citeloom validate`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated

import typer

from citeloom.application.requests.passages import ValidateRequest
from citeloom.application.validate import Finding, ValidationReport
from citeloom.domain.validation import CHECKS, Severity
from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.junit import document, element, suite
from citeloom.infrastructure.answers.library import Validation
from citeloom.infrastructure.answers.text import counted, one_line, some
from citeloom.infrastructure.interfaces.cli.console import (
    by_severity,
    out,
    severity_mark,
    table,
    verdict,
)
from citeloom.infrastructure.interfaces.cli.context import opened
from citeloom.infrastructure.interfaces.cli.options import (
    Given,
    OutputFormat,
    ProjectOption,
)
from citeloom.infrastructure.interfaces.error_codes import FINDINGS

# Findings of a validation as text, JSON or JUnit XML.

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
