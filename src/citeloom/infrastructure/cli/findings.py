"""Findings of a validation as text, JSON or JUnit XML."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from xml.etree import ElementTree

from citeloom.application.validate import Finding, Severity, ValidationReport
from citeloom.infrastructure.cli.console import painter


def render(report: ValidationReport, form: str) -> str:
    """The report in the asked form."""
    if form == "json":
        return json.dumps({**asdict(report), "passed": report.passed}, indent=2, default=str)
    if form == "junit":
        return _junit(report)
    return _text(report)


def _text(report: ValidationReport) -> str:
    paint = painter(sys.stdout)
    styles = {Severity.ERROR: "red", Severity.WARNING: "yellow"}
    lines = []
    for finding in report.findings:
        mark = paint(finding.severity.value, styles[finding.severity])
        lines.append(f"{mark}  {finding.check}: {_sentence(finding)}")
        if finding.hint:
            lines.append(f"    {finding.hint}")
    verdict = paint("passed", "green") if report.passed else paint("failed", "red")
    errors = sum(f.severity is Severity.ERROR for f in report.findings)
    lines.append(
        f"{report.project}: {verdict}; {len(report.checks)} checks over {report.documents} "
        f"documents and {report.chunks} chunks, {errors} errors, "
        f"{len(report.findings) - errors} warnings"
    )
    return "\n".join(lines)


def _junit(report: ValidationReport) -> str:
    """One test case a check; it fails when the check found errors."""
    suite = ElementTree.Element(
        "testsuite", name=f"citeloom validate {report.project}", tests=str(len(report.checks))
    )
    failures = 0
    for check in report.checks:
        case = ElementTree.SubElement(suite, "testcase", classname=report.project, name=check)
        found = [f for f in report.findings if f.check == check]
        errors = [f for f in found if f.severity is Severity.ERROR]
        if errors:
            failures += 1
            failure = ElementTree.SubElement(case, "failure", message=f"{len(errors)} findings")
            failure.text = "\n".join(_sentence(f) for f in errors)
        warnings = [_sentence(f) for f in found if f.severity is Severity.WARNING]
        if warnings:
            ElementTree.SubElement(case, "system-out").text = "\n".join(warnings)
    suite.set("failures", str(failures))
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


def _sentence(finding: Finding) -> str:
    return f"{finding.subject}: {finding.message}" if finding.subject else finding.message
