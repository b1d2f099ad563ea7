"""Checks of drafts in words, and as JSON, JUnit XML and SARIF."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from citeloom.domain.manuscript.verdicts import Reason, Verdict
from citeloom.infrastructure.serialisation.json import UNTRUSTED

if TYPE_CHECKING:
    from citeloom.domain.manuscript.difference import Change
    from citeloom.domain.manuscript.verdicts import Check, DraftReport, FoundText
    from citeloom.infrastructure.serialisation.schemas.manuscript import (
        CitedAnswer,
        DraftCheck,
        DraftChecks,
        FoundQuotation,
    )

# In words.

_SHORT = 90
_REASONS = {
    Reason.UNKNOWN_CITEKEY: "no reference has this citekey",
    Reason.NOT_IN_LIBRARY: "the work is in the bibliography, but no document of it is in the index",
    Reason.NO_TEXT: "the work has no text that could be searched",
    Reason.FORMULA: "there is a formula in the quotation",
    Reason.TOO_SHORT: "the quotation is too short to be called absent, and is not in the work",
    Reason.TRANSLATION: "the draft calls it a translation of its own",
    Reason.NO_SUCH_PAGE: "the work has no such page",
}
PROMISES = {
    Verdict.EXACT: "the quotation stands in the work, on the cited page",
    Verdict.NEAR: "words of the quotation differ from the work's",
    Verdict.WRONG_PAGE: "the quotation, or the page, is not where the citation says",
    Verdict.OTHER_WORK: "the quotation stands in another work",
    Verdict.ABSENT: "the quotation stands in no work of the library",
    Verdict.UNVERIFIABLE: "the quotation or the citation cannot be verified",
}


def explained(check: Check) -> str:
    """What a check says, in one sentence."""
    if check.retracted:
        return f"the work has been retracted ({check.retracted})"
    if check.reason is not None:
        near = " or ".join(check.near_citekeys)
        hint = f"; did you mean {near}?" if near else ""
        return f"{_REASONS[check.reason]}{hint}"
    match check.verdict:
        case Verdict.NEAR:
            changes = "; ".join(map(_change, check.difference)) or "case or punctuation differs"
            elsewhere = "" if check.on_page else "which is not the cited page"
            return f"{changes} ({', '.join(filter(None, (_place(check.found), elsewhere)))})"
        case Verdict.WRONG_PAGE:
            return f"it is on {_place(check.found)}"
        case Verdict.OTHER_WORK:
            key = check.found.citekey if check.found else None
            return f"it is in @{key}, {_place(check.found)}" if key else "it is in another document"
        case _:
            return PROMISES[check.verdict]


def _change(change: Change) -> str:
    remarks = "".join(f", a {remark.value}" for remark in change.remarks)
    if not change.work:
        return f"“{change.quote}” is not in the work{remarks}"
    if not change.quote:
        return f"the work has “{change.work}” here, too{remarks}"
    return f"“{change.quote}” where the work has “{change.work}”{remarks}"


def _place(text: FoundText | None) -> str:
    return str(text.locator) or "a place without pages" if text else ""


def cited(check: Check) -> str:
    """The citation that a check is of, as Pandoc writes it."""
    return f"[@{check.citekey}, p. {check.page}]" if check.page else f"[@{check.citekey}]"


def line_of(draft: str, check: Check) -> str:
    """A check as compilers print what they find: `file:line:column: verdict: …`."""
    quote = f"“{_shortened(check.quote)}” " if check.quote is not None else ""
    verdict = check.verdict.value.replace("_", " ")
    where = f"{draft}:{check.place.line}:{check.place.column}"
    return f"{where}: {verdict}: {quote}{cited(check)}: {explained(check)}"


def _shortened(text: str) -> str:
    return (
        text if len(text) <= _SHORT else f"{text[: _SHORT // 2].rstrip()} … {text[-30:].lstrip()}"
    )


# As JSON.


def checks_json(reports: Sequence[DraftReport]) -> DraftChecks:
    """The documented JSON of the checks of drafts."""
    counts: Counter[str] = Counter()
    for report in reports:
        counts.update(report.counts)
    return {
        "checks": [
            check_json(report.draft, check) for report in reports for check in report.checks
        ],
        "counts": {verdict.value: counts[verdict.value] for verdict in Verdict},
        "citations": sum(report.citations for report in reports),
        "passed": all(report.passed for report in reports),
        "warnings": [warning for report in reports for warning in report.warnings],
    }


def check_json(draft: str, check: Check) -> DraftCheck:
    """One check; what the draft and the work say is untrusted."""
    return {
        **UNTRUSTED,
        "file": draft,
        "line": check.place.line,
        "column": check.place.column,
        "start": check.place.start,
        "end": check.place.end,
        "citekey": check.citekey,
        "quote": check.quote,
        "verdict": check.verdict,
        "fails": check.fails,
        "page": check.page,
        "found": _found_json(check.found) if check.found else None,
        "difference": [
            {
                "quote": change.quote,
                "work": change.work,
                "remarks": list(change.remarks),
            }
            for change in check.difference
        ],
        "share": check.share,
        "reason": check.reason,
        "near_citekeys": list(check.near_citekeys),
        "retracted": check.retracted,
        "message": explained(check),
    }


def _found_json(text: FoundText) -> FoundQuotation:
    locator = text.locator
    pages = None if locator.page_start is None else [locator.page_start, locator.page_end]
    return {
        "citekey": text.citekey,
        "doc_id": text.doc_id,
        "chunk_id": text.chunk_id,
        "page_span": pages,
        "page_labels": list(locator.page_labels),
        "locator": str(locator),
        "source_path": text.source_path,
        "text": text.text,
    }


def cited_json(project: str, form: str, text: str) -> CitedAnswer:
    """The documented JSON of formatted citations."""
    return {**UNTRUSTED, "project": project, "format": form, "text": text}


# As JUnit XML: a test case each, for CI.

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def checks_junit(reports: Sequence[DraftReport]) -> str:
    """A test suite for each draft, a test case for each check."""
    suites = ElementTree.Element("testsuites", name="citeloom check")
    for report in reports:
        failing = [check for check in report.checks if check.fails]
        suite = ElementTree.SubElement(
            suites,
            "testsuite",
            name=report.draft,
            tests=str(len(report.checks)),
            failures=str(len(failing)),
        )
        for check in report.checks:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=report.draft,
                name=_xml(f"line {check.place.line}, column {check.place.column}: {cited(check)}"),
            )
            text = _xml(line_of(report.draft, check))
            if check.fails:
                kind = check.verdict.value
                failure = ElementTree.SubElement(case, "failure", message=text, type=kind)
                failure.text = _xml(check.quote or "")
            elif check.verdict is Verdict.UNVERIFIABLE:
                ElementTree.SubElement(case, "skipped", message=text)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True)


def _xml(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)


# As SARIF, which code hosts show at the line.

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def checks_sarif(reports: Sequence[DraftReport]) -> dict[str, object]:
    """The checks that are no praise, as a SARIF log."""
    rules = [
        {"id": verdict.value, "shortDescription": {"text": PROMISES[verdict]}}
        for verdict in Verdict
        if verdict is not Verdict.EXACT
    ]
    driver = {"name": "citeloom check", "version": version("citeloom"), "rules": rules}
    results = [
        result
        for report in reports
        for check in report.checks
        if (result := _result(report, check))
    ]
    return {
        "$schema": _SARIF,
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
    }


def _result(report: DraftReport, check: Check) -> dict[str, object] | None:
    if check.verdict is Verdict.EXACT and not check.fails:
        return None
    region = {"startLine": check.place.line, "startColumn": check.place.column}
    place = {
        "artifactLocation": {"uri": Path(report.draft).as_posix()},
        "region": region,
    }
    return {
        "ruleId": check.verdict.value,
        "level": "error" if check.fails else "note",
        "message": {"text": f"{cited(check)}: {explained(check)}"},
        "locations": [{"physicalLocation": place}],
    }


# As text.


def checks_text(reports: Sequence[DraftReport], *, everything: bool = False) -> Iterator[str]:
    """A line for each check that fails or cannot be verified, or for every one."""
    for report in reports:
        for check in report.checks:
            if everything or check.fails or check.verdict is Verdict.UNVERIFIABLE:
                yield line_of(report.draft, check)
                if check.found is not None and check.verdict is not Verdict.EXACT:
                    yield f"    the work: “{check.found.text}”"
