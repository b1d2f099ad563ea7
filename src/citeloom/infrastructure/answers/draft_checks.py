"""Checks of drafts in words, as they are answered, and as JUnit XML and SARIF."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Self
from xml.etree.ElementTree import Element

from citeloom.domain.documents.conversion import Doubt, doubts_in_words
from citeloom.domain.manuscript.coverage import ReadingCoverage
from citeloom.domain.manuscript.draft import DraftLocation
from citeloom.domain.manuscript.verdicts import (
    CitationCheck,
    CitationVerdict,
    DraftReport,
    FoundText,
    QuotationCheck,
    Reason,
)
from citeloom.domain.text.near import AlignedWords, Remark, WordChange
from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.junit import document, element, suite
from citeloom.infrastructure.answers.model import (
    HERE,
    UNTRUSTED,
    Door,
    Model,
    SourcePath,
    Untrusted,
    filled,
)
from citeloom.infrastructure.answers.text import counted, one_line, printable

# In words.

_SHORT = 90
_REASONS = {
    Reason.UNKNOWN_CITEKEY: "no reference has this citekey",
    Reason.UNKNOWN_WORK: "no reference is this work",
    Reason.NOT_IN_LIBRARY: "the work is in the bibliography, but no document of it is in the index",
    Reason.NO_TEXT: "the work has no text that could be searched",
    Reason.FORMULA: "there is a formula in the quotation",
    Reason.TOO_SHORT: "the quotation is too short to be called absent, and is not in the work",
    Reason.TRANSLATION: "the draft calls it a translation of its own",
    Reason.NO_SUCH_PAGE: "the work has no such page",
    Reason.NO_PAGES: "the work has no pages",
    Reason.CITED_BEFORE: "its sentence has no citation, and the work cited before does not have it",
    Reason.NO_PAGE_CITED: "no page is cited",
    Reason.UNREAD_LOCATOR: "“{unread}” in the citation could not be read as pages",
}
PROMISES = {
    CitationVerdict.EXACT: "the quotation stands in the work, on the cited page",
    CitationVerdict.NEAR: "words of the quotation differ from the work's",
    CitationVerdict.WRONG_PAGE: "the quotation, or the page, is not where the citation says",
    CitationVerdict.OTHER_WORK: "the quotation stands in another work",
    CitationVerdict.ABSENT: "the quotation stands in no work of the library",
    CitationVerdict.UNVERIFIABLE: "the quotation or the citation cannot be verified",
}


def explained(check: CitationCheck) -> str:
    """What a check says, in one sentence."""
    said = f"{_explained(check)}{_doubted(check.found)}"
    is_counted = check.fails or not check.is_term or check.verdict in _SURE
    return said if is_counted else f"{said}; so few words may be a term: no fault"


def _doubted(text: FoundText | None) -> str:
    """What speaks against the words of the work that a quotation was compared with."""
    if text is None:
        return ""
    # the sentence gives the advice
    doubts = doubts_in_words(text.doubts, text.doubtful_words, advise=False)
    return f"; compare it with the page ({doubts})" if doubts else ""


_SURE = {CitationVerdict.EXACT, CitationVerdict.UNVERIFIABLE}


def _explained(check: CitationCheck) -> str:
    if check.retracted:
        return f"the work has been retracted ({check.retracted})"
    if check.reason is not None:
        return _reasoned(check, check.reason)
    match check.verdict:
        case CitationVerdict.NEAR:
            changes = (
                "; ".join(map(change_in_words, check.difference)) or "case or punctuation differs"
            )
            elsewhere = "" if check.on_page else "which is not the cited page"
            return f"{changes} ({', '.join(filter(None, (_place(check.found), elsewhere)))})"
        case CitationVerdict.WRONG_PAGE:
            return f"it is on {_place(check.found)}"
        case CitationVerdict.OTHER_WORK:
            key = check.found.citekey if check.found else None
            return f"it is in @{key}, {_place(check.found)}" if key else "it is in another document"
        case _:
            return "; ".join((PROMISES[check.verdict], *map(change_in_words, check.difference)))


def _reasoned(check: CitationCheck, reason: Reason) -> str:
    """The reason, behind where an exact quotation stands, and before the nearest citekeys."""
    unread = check.citation.unread_locator if check.citation else ""
    words = _REASONS[reason].format(unread=unread)
    if check.verdict is CitationVerdict.EXACT:
        page = str(check.found.locator) if check.found and check.found.pages else ""
        words = "; ".join((words, *map(change_in_words, check.difference)))
        return f"the quotation stands in the work{f', on {page}' if page else ''}; {words}"
    near = " or ".join(check.near_citekeys)
    return f"{words}; did you mean {near}?" if near else words


_ARTICLE = {Remark.OPPOSITE: "an"}


def change_in_words(change: WordChange | ChangedWords) -> str:
    """Words that differ, in words."""
    remarks = "".join(f", {_ARTICLE.get(remark, 'a')} {remark.value}" for remark in change.remarks)
    if not change.work:
        return f"“{change.quote}” is not in the work{remarks}"
    if not change.quote:
        return f"the work has “{change.work}” here, too{remarks}"
    return f"“{change.quote}” where the work has “{change.work}”{remarks}"


def _place(text: FoundText | None) -> str:
    return str(text.locator) or "a place without pages" if text else ""


def cited(check: CitationCheck) -> str:
    """The citation that a check is of, as Pandoc writes it."""
    key = check.citekey if check.reason is Reason.UNKNOWN_WORK else f"@{check.citekey}"
    return f"[{key}, p. {check.page}]" if check.page else f"[{key}]"


def line_of(draft: str, check: CitationCheck) -> str:
    """A check as compilers print what they find: `file:line:column: verdict: …`."""
    text = check.quote or ""
    if len(text) > _SHORT:
        text = f"{text[: _SHORT // 2].rstrip()} … {text[-30:].lstrip()}"
    quote = f"“{text}” " if check.quote is not None else ""
    verdict = check.verdict.value.replace("_", " ")
    where = f"{draft}:{check.place.line}:{check.place.column}"
    return f"{where}: {verdict}: {quote}{cited(check)}: {explained(check)}"


def unread_places(
    coverage: ReadingCoverage, *, everything: bool = False
) -> list[tuple[DraftLocation, str]]:
    """What of a draft its check has not seen, in its order: with `everything`, quotations without a
    citation and citations of no work, too.
    """
    found = [
        *((one.place, f"@{one.citekey} was not read as a citation") for one in coverage.unread),
        *((place, "this paragraph could not be read") for place in coverage.unreadable),
        *(
            (one.place, f"the included file {one.name} was not read")
            for one in coverage.unread_files
        ),
        *((place, "this quotation mark never closes") for place in coverage.unclosed),
    ]
    if everything:
        found += [(place, "this quotation has no citation") for place in coverage.uncited]
        found += [
            (one.place, f"{one.citekey} is no work in the library") for one in coverage.unmatched
        ]
    return sorted(found)


def unread_lines(report: DraftReport, *, everything: bool = False) -> Iterator[str]:
    """The same as compilers print it."""
    for place, text in unread_places(report.coverage, everything=everything):
        yield f"{report.draft}:{place.line}:{place.column}: not checked: {text}"


def coverage_line(reports: Sequence[DraftReport]) -> str:
    """How much of drafts was read, in one sentence."""
    every = [report.coverage for report in reports if report.error is None]
    read, written = sum(one.read for one in every), sum(one.written for one in every)
    parts = [
        (sum(len(one.unclosed) for one in every), "quotation mark", "that never closes"),
        (sum(len(one.uncited) for one in every), "quotation", "without a citation"),
        (sum(len(one.unmatched) for one in every), "citation", "of no work in the library"),
        (sum(len(one.unreadable) for one in every), "paragraph", "that could not be read"),
        (sum(len(one.unread_files) for one in every), "included file", "that was not read"),
        (sum(report.ignored for report in reports), "quotation", "left out as none"),
    ]
    said = "".join(f"; {counted(number, noun)} {what}" for number, noun, what in parts if number)
    return f"coverage: {read} of {counted(written, 'citation')} in the text read{said}"


# As it is answered.


class FoundQuotation(Model):
    """Where a quotation stands."""

    citekey: str | None
    """That of the work."""
    doc_id: str
    """The document."""
    chunk_id: str
    """The chunk."""
    page_span: tuple[int | None, ...] | None
    """First and last physical page; null without pages."""
    page_labels: tuple[str, ...]
    """What is printed on these pages."""
    locator: str
    """The place in words."""
    source_path: SourcePath
    """The file."""
    text: str
    """The text there."""
    doubts: tuple[Doubt, ...]
    """Why that text should be compared with the page, as of a passage; `formula` only where a sign
    of mathematics is in it.
    """
    doubtful_words: tuple[str, ...]
    """Words of it that the doubts `scan` and `ocr` are about."""

    @classmethod
    def of(cls, text: FoundText) -> Self:
        return filled(cls, text, text.locator, locator=str(text.locator))


class ChangedWords(Model):
    """Words that differ."""

    quote: str
    """In the quotation; may be empty."""
    work: str
    """In the work; may be empty."""
    remarks: tuple[Remark, ...]
    """What the change does to the meaning."""


class DraftCheck(Model):
    """A quotation, or a citation without one, and its verdict."""

    content: Untrusted = UNTRUSTED
    """The words of the object are the draft's and the works'."""
    file: str
    """The draft."""
    line: int
    """Where the quotation, or else the citation, begins."""
    column: int
    """Likewise."""
    start: int
    """Its span in characters of the file (of a Word or OpenDocument file, of its paragraphs, one a
    line).
    """
    end: int
    """Likewise."""
    citekey: str
    """What is cited."""
    quote: str | None
    """The quotation, without its quotation marks; null for a citation without one."""
    verdict: CitationVerdict
    """[What they mean](../check-a-thesis.md#verdicts)."""
    fails: bool
    """Whether something has to be changed."""
    is_term: bool
    """Whether a quotation of fewer than six words may be a term, which is no fault if the work does
    not have it.
    """
    page: str | None
    """The pages as the draft has them; null without."""
    found: FoundQuotation | None
    """Null where it was not found."""
    difference: tuple[ChangedWords, ...]
    """Of a `near` quotation; of an `exact` one a number or name that it hides or adds."""
    share: float | None
    """How much of the quotation is there, 0 to 1; null where it was not found."""
    reason: Reason | None
    """Why it is `unverifiable`, `no_such_page`, or why an `exact` quotation is not said to be on
    the cited page: `no_page_cited`, `no_pages` (the work has none) or `unread_locator`.
    """
    near_citekeys: tuple[str, ...]
    """The citekeys most like an unknown one."""
    retracted: str | None
    """What is known of the retraction of the work."""
    message: str
    """What has to be changed, in words."""

    @classmethod
    def of(cls, draft: str, check: CitationCheck) -> Self:
        return filled(
            cls,
            check,
            check.place,
            file=draft,
            found=FoundQuotation.of_optional(check.found),
            difference=tuple(map(ChangedWords.of, check.difference)),
            message=explained(check),
        )


class WordsBeside(Model, of=AlignedWords):
    """Words of a quotation beside those of the work."""


class QuotationAnswer(Model):
    """The verdict on words that are quoted from a document."""

    content: Untrusted = UNTRUSTED
    """The words of the object are the quotation's and the works'."""
    quote: str
    """What is quoted."""
    verdict: CitationVerdict
    """[What they mean](../check-a-thesis.md#verdicts)."""
    found: FoundQuotation | None
    """Null where it was not found."""
    difference: tuple[ChangedWords, ...]
    """As in the check of a draft."""
    beside: tuple[WordsBeside, ...]
    """The quotation beside the words of the work, from the first to the last."""
    share: float | None
    """How much of the quotation is there, 0 to 1; null where it was not found."""
    reason: Reason | None
    """Why it is `unverifiable`."""

    @classmethod
    def of(cls, check: QuotationCheck) -> Self:
        return filled(
            cls,
            check,
            found=FoundQuotation.of_optional(check.found),
            difference=tuple(map(ChangedWords.of, check.difference)),
            beside=tuple(map(WordsBeside.of, check.beside)),
        )


class PlaceInDraft(Model):
    """A place in a draft."""

    line: int
    """From 1."""
    column: int
    """Likewise."""


class UnreadCitation(PlaceInDraft):
    """A citation in the text of a draft that was not read as one."""

    citekey: str
    """Its citekey."""


class UnreadFile(PlaceInDraft):
    """A file that a draft includes."""

    name: str
    """As the draft names it."""


class UnmatchedCitation(PlaceInDraft):
    """A citation by author and year."""

    citekey: str
    """The author and the year."""


class DraftCoverage(Model):
    """How much of a draft was read."""

    file: str
    """The draft."""
    written: int
    """How many citations a scan of its text finds, apart from its reader."""
    read: int
    """How many of these were read."""
    share: float
    """The share of these, or of its paragraphs if that is smaller, 0 to 1."""
    unread: tuple[UnreadCitation, ...]
    """Those that were not read: quotations with them were not checked."""
    unreadable: tuple[PlaceInDraft, ...]
    """Paragraphs that could not be read."""
    unread_files: tuple[UnreadFile, ...]
    """Files that it includes and that were not read with it."""
    unclosed: tuple[PlaceInDraft, ...]
    """Quotation marks that never close: what they open was not checked."""
    uncited: tuple[PlaceInDraft, ...]
    """Quotations without a citation, which are not checked."""
    unmatched: tuple[UnmatchedCitation, ...]
    """Citations by author and year that are of no work in the library."""

    @classmethod
    def of(cls, draft: str, coverage: ReadingCoverage) -> Self:
        return filled(
            cls,
            coverage,
            file=draft,
            unread=tuple(
                UnreadCitation.of(one.place, citekey=one.citekey) for one in coverage.unread
            ),
            unreadable=tuple(map(PlaceInDraft.of, coverage.unreadable)),
            unread_files=tuple(
                UnreadFile.of(one.place, name=one.name) for one in coverage.unread_files
            ),
            unclosed=tuple(map(PlaceInDraft.of, coverage.unclosed)),
            uncited=tuple(map(PlaceInDraft.of, coverage.uncited)),
            unmatched=tuple(
                UnmatchedCitation.of(one.place, citekey=one.citekey) for one in coverage.unmatched
            ),
        )


class DraftRefusal(Model):
    """A draft that was not read."""

    file: str
    """The draft."""
    code: str
    """The code of the error."""
    message: str
    """What went wrong."""
    hint: str
    """The next step."""


class DraftChecks(Model):
    """The checks of drafts: that of `check --format json`."""

    checks: tuple[DraftCheck, ...]
    """In the order of the drafts."""
    refused: tuple[DraftRefusal, ...]
    """Drafts that could not be read, or not within the limits of `[drafts]`."""
    counts: Mapping[str, int]
    """How many there are of each verdict."""
    citations: int
    """How many citations the drafts have."""
    ignored: int
    """How many quotations are called none by a comment, or by `not_quotations` in the settings."""
    coverage: tuple[DraftCoverage, ...]
    """How much was read of each draft that is not refused."""
    passed: bool
    """Whether nothing has to be changed, enough was read, and no draft was refused."""
    warnings: tuple[str, ...]
    """What was odd about a file."""

    @classmethod
    def of(cls, reports: Sequence[DraftReport]) -> Self:
        counts: Counter[str] = Counter()
        for report in reports:
            counts.update(report.counts)
        return cls(
            checks=tuple(
                DraftCheck.of(report.draft, check) for report in reports for check in report.checks
            ),
            refused=tuple(
                DraftRefusal.of(report.error, file=report.draft)
                for report in reports
                if report.error is not None
            ),
            counts={verdict.value: counts[verdict.value] for verdict in CitationVerdict},
            citations=sum(report.citations for report in reports),
            ignored=sum(report.ignored for report in reports),
            coverage=tuple(
                DraftCoverage.of(report.draft, report.coverage)
                for report in reports
                if report.error is None
            ),
            passed=all(report.passed for report in reports),
            warnings=tuple(warning for report in reports for warning in report.warnings),
        )


class CitedAnswer(Model):
    """Citations of works and passages: that of `POST cite`, and of the tool `cite`."""

    content: Untrusted = UNTRUSTED
    """Titles and names are words of the references."""
    project: str
    """The project."""
    format: str
    """How they are written."""
    text: str
    """The citations, and in a style behind them the entries of the bibliography."""


# As JUnit XML: a test case each, for CI.


def checks_junit(reports: Sequence[DraftReport]) -> str:
    """A test suite for each draft, a test case for each check and one for what was read; a refused
    draft is an error.
    """

    def case(draft: str, check: CitationCheck) -> Element:
        message, part = line_of(draft, check), None
        if check.fails:
            kind = check.verdict.value
            part = element("failure", text=check.quote or "", message=message, type=kind)
        elif check.verdict is CitationVerdict.UNVERIFIABLE:
            part = element("skipped", message=message)
        name = f"line {check.place.line}, column {check.place.column}: {cited(check)}"
        return element("testcase", part, classname=draft, name=name)

    def reading(report: DraftReport) -> Element:
        part = None
        if report.error is not None:
            part = element("error", message=report.error.message, type=report.error.code)
            return element("testcase", part, classname=report.draft, name="the draft")
        if not report.is_covered:
            text = "\n".join(unread_lines(report))
            part = element("failure", text=text, message=coverage_line([report]), type="coverage")
        return element("testcase", part, classname=report.draft, name="coverage")

    suites = [
        suite(report.draft, [*(case(report.draft, one) for one in report.checks), reading(report)])
        for report in reports
    ]
    return document(element("testsuites", *suites, name="citeloom check"))


# As SARIF, which code hosts show at the line.

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def checks_sarif(reports: Sequence[DraftReport]) -> dict[str, object]:
    """The checks that are no praise, and what was not read, as a SARIF log; refused drafts are its
    notifications.
    """
    rules = [
        {"id": verdict.value, "shortDescription": {"text": PROMISES[verdict]}}
        for verdict in CitationVerdict
        if verdict is not CitationVerdict.EXACT
    ]
    rules.append({"id": "coverage", "shortDescription": {"text": "all of a draft is read"}})

    def result(
        report: DraftReport, rule: str, place: DraftLocation, text: str, fails: bool
    ) -> object:
        region = {"startLine": place.line, "startColumn": place.column}
        return {
            "ruleId": rule,
            "level": "error" if fails else "note",
            "message": {"text": text},
            "locations": _locations(report.draft, region=region),
        }

    results = [
        result(
            report,
            check.verdict.value,
            check.place,
            f"{cited(check)}: {explained(check)}",
            check.fails,
        )
        for report in reports
        for check in report.checks
        if check.is_finding
    ]
    results += [
        result(report, "coverage", place, text, not report.is_covered)
        for report in reports
        for place, text in unread_places(report.coverage)
    ]
    notifications = [
        {
            "level": "error",
            "descriptor": {"id": report.error.code},
            "message": {"text": report.error.message},
            "locations": _locations(report.draft),
        }
        for report in reports
        if report.error is not None
    ]
    driver = {"name": "citeloom check", "version": version("citeloom"), "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {"executionSuccessful": not notifications, "toolExecutionNotifications": notifications}
        ],
        "results": results,
    }
    return {"$schema": _SARIF, "version": "2.1.0", "runs": [run]}


def _locations(draft: str, **region: object) -> list[object]:
    place = {"artifactLocation": {"uri": Path(draft).as_posix()}, **region}
    return [{"physicalLocation": place}]


# As text.


def checks_text(reports: Sequence[DraftReport], *, everything: bool = False) -> Iterator[str]:
    """A line for each check that fails or cannot be verified, or for every one, and for what was
    not read.
    """
    for report in reports:
        for check in report.checks:
            if everything or check.is_finding:
                yield line_of(report.draft, check)
                if check.found is not None and check.verdict is not CitationVerdict.EXACT:
                    yield f"    the work: “{check.found.text}”"
        yield from unread_lines(report, everything=everything)


# In each of the forms that `check` prints.


def written_checks(
    reports: Sequence[DraftReport], form: str, door: Door = HERE, *, everything: bool = False
) -> str:
    """The checks as `text`, `json`, `junit` or `sarif`; the text ends with how much was read."""
    match form:
        case "json":
            return json_text(DraftChecks.of(reports), door)
        case "junit":
            return checks_junit(reports)
        case "sarif":
            return json_text(checks_sarif(reports), door)
        case _:
            lines = (*checks_text(reports, everything=everything), coverage_line(reports))
            return "\n".join(one_line(printable(line)) for line in lines)
