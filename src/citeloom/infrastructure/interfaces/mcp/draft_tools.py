"""Drafts: citations formatted, quotations checked, support found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated

from citeloom.application.requests.manuscript import (
    CheckTextRequest,
    CiteRequest,
    SupportTextRequest,
)
from citeloom.infrastructure.answers.draft_checks import (
    CitedAnswer,
    DraftCheck,
    DraftChecks,
    DraftCoverage,
)
from citeloom.infrastructure.answers.draft_support import (
    SupportAnswer,
    SupportCounts,
    SupportedSentence,
    SupportingPassageAnswer,
    differences_in_words,
)
from citeloom.infrastructure.answers.model import filled
from citeloom.infrastructure.answers.text import counted, one_line
from citeloom.infrastructure.interfaces.mcp.call_progress import SentenceProgress
from citeloom.infrastructure.interfaces.mcp.tool_answers import (
    WARNING,
    Part,
    ToolAnswer,
    bounded_text,
    pairs,
)
from citeloom.infrastructure.interfaces.mcp.tool_call import Only, ToolCall, tool
from citeloom.infrastructure.library.project import ProjectLibrary

# What the tools answer.


class CitedText(ToolAnswer, CitedAnswer):
    """Of `cite`."""

    DESCRIBED = "text"

    def lines(self) -> Iterator[str]:
        yield from (WARNING, "", self.text)


CHECK = Part.of(
    DraftCheck,
    "line quote verdict message",
    "content fails column citekey page found difference near_citekeys retracted",
)


class DraftVerdicts(ToolAnswer):
    """Of `check_quotes`: those that fail first, with the counts of all."""

    DESCRIBED = "passed checks"
    PARTS = (CHECK,)

    passed: bool
    citations: int
    counts: Mapping[str, int]
    coverage: DraftCoverage
    checks: tuple[DraftCheck, ...]

    def lines(self) -> Iterator[str]:
        verdict = "passed" if self.passed else "failed"
        yield f"{verdict}; {self.citations} citations: {pairs(self.counts)}"
        yield (
            f"read {self.coverage.read} of {self.coverage.written} citations in the text; "
            f"{len(self.coverage.unclosed)} quotation marks never close"
        )
        for file in self.coverage.unread_files:
            yield f"line {file.line}: the included file {file.name} was not read"
        yield WARNING
        for check in self.checks:
            page = f", p. {check.page}" if check.page else ""
            quote = f' "{check.quote}"' if check.quote else ""
            what = f"{check.verdict.value}:{quote} [@{check.citekey}{page}]: {check.message}"
            yield f"- line {check.line}: {one_line(what)}"
            if check.found and check.fails:
                place, text = one_line(check.found.locator), one_line(check.found.text)
                yield f'  the work, {place}: "{text}"'


SENTENCE = Part.of(SupportedSentence, "line text support passages", "content column claims")
SUPPORTING = Part.of(
    SupportingPassageAnswer,
    "",
    " ".join(name for name in SupportingPassageAnswer.FIELDS if name != "links"),
)


class DraftSupport(ToolAnswer):
    """Of `find_support`: those that claim something first, with the counts of all."""

    DESCRIBED = "sentences"
    PARTS = (SENTENCE, SUPPORTING)

    counts: SupportCounts
    sentences: tuple[SupportedSentence, ...]

    def lines(self) -> Iterator[str]:
        yield f"{counted(len(self.sentences), 'sentence')}: {pairs(self.counts)}"
        yield WARNING
        for sentence in self.sentences:
            yield f"- line {sentence.line}: {sentence.support}: {one_line(sentence.text)}"
            for passage in sentence.passages:
                says = "says" if passage.supports else "near"
                quote, citation = one_line(passage.quote), one_line(passage.citation)
                yield f'  {citation} {says}: "{quote}" (chunk_id {passage.chunk_id})'
                if compare := differences_in_words(passage.difference):
                    yield one_line(f"  {compare.removeprefix('; ')}")


# The tools.


@tool(title="Format citations", limit="hybrid_seconds", drafts=True)
def cite(call: ToolCall, project: ProjectLibrary, request: CiteRequest) -> CitedText:
    """Citations and references of works and passages."""
    text = project.cite(replace(request, cancellation=call.cancellation))
    shown, note = bounded_text(text, call.library.limits.answer_tokens // 2)
    return CitedText(project=project.project.id, format=request.form, text=shown, notes=note)


@tool(title="Check a draft", limit="ask_seconds", drafts=True)
def check_quotes(
    call: ToolCall, project: ProjectLibrary, request: CheckTextRequest
) -> DraftVerdicts:
    """Each quotation and citation of a draft, against the cited works."""
    call.progress("reading the draft")
    draft = project.read_text(request.text, request.markup, cancellation=call.cancellation)
    call.progress("checking quotations")
    reports = project.check_drafts(replace(request, drafts=draft, cancellation=call.cancellation))
    documented = DraftChecks.of(reports)
    [coverage] = documented.coverage
    checks = sorted(documented.checks, key=lambda check: not check.fails)
    return filled(
        DraftVerdicts,
        documented,
        checks=tuple(checks),
        coverage=coverage,
        notes=documented.warnings,
    )


@tool(title="Find support", limit="ask_seconds", reaches_out=True, drafts=True)
def find_support(
    call: ToolCall,
    project: ProjectLibrary,
    request: Annotated[SupportTextRequest, Only(("text", "markup", "every", "top_k"))],
) -> DraftSupport:
    """Passages for a draft's uncited claims, or every sentence; slow."""
    call.progress("reading the draft")
    draft = project.read_text(request.text, request.markup, cancellation=call.cancellation)
    progress = SentenceProgress(call.progress)
    reports = project.support_drafts(
        replace(request, drafts=draft, progress=progress, cancellation=call.cancellation)
    )
    documented = SupportAnswer.of(reports)
    return filled(DraftSupport, documented, notes=documented.warnings)
