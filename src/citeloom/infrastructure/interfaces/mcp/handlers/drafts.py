"""Drafts: citations formatted, quotations checked, support found."""

from __future__ import annotations

from functools import partial

from citeloom.infrastructure.answers.draft_support import SupportAnswer
from citeloom.infrastructure.answers.manuscript import DraftChecks
from citeloom.infrastructure.answers.model import filled
from citeloom.infrastructure.interfaces.mcp import reading
from citeloom.infrastructure.interfaces.mcp.answers import (
    CHECK,
    SENTENCE,
    SUPPORTING,
    CitedText,
    DraftSupport,
    DraftVerdicts,
    Part,
)
from citeloom.infrastructure.interfaces.mcp.bounding import bounded_text
from citeloom.infrastructure.interfaces.mcp.progress import SentenceProgress
from citeloom.infrastructure.interfaces.mcp.tool_call import (
    CiteArguments,
    DraftArguments,
    SupportArguments,
    Tool,
    ToolCall,
)


@partial(
    Tool,
    title="Format citations",
    answer=Part.of(CitedText, "text"),
    text=reading.cited_text,
    limit="hybrid_seconds",
    drafts=True,
)
def cite(call: ToolCall[CiteArguments]) -> CitedText:
    """Citations and references of works and passages."""
    arguments = call.arguments
    text = call.project.cite(
        *arguments.names,
        style=arguments.style,
        form=arguments.format,
        cancellation=call.cancellation,
    )
    shown, note = bounded_text(text, call.library.limits.answer_tokens // 2)
    return CitedText(project=arguments.project, format=arguments.format, text=shown, notes=(*note,))


@partial(
    Tool,
    title="Check a draft",
    answer=Part.of(DraftVerdicts, "passed checks"),
    parts=(CHECK,),
    text=reading.checks_text,
    limit="ask_seconds",
    drafts=True,
)
def check_quotes(call: ToolCall[DraftArguments]) -> DraftVerdicts:
    """Each quotation and citation of a draft, against the cited works."""
    arguments, project = call.arguments, call.project
    call.progress("reading the draft")
    draft = project.read_text(arguments.text, arguments.format, cancellation=call.cancellation)
    call.progress("checking quotations")
    reports = project.check_drafts(draft, cancellation=call.cancellation)
    documented = DraftChecks.of(reports)
    checks = sorted(documented.checks, key=lambda check: not check.fails)
    return filled(DraftVerdicts, documented, checks=tuple(checks), notes=documented.warnings)


@partial(
    Tool,
    title="Find support",
    answer=Part.of(DraftSupport, "sentences"),
    parts=(SENTENCE, SUPPORTING),
    text=reading.support_text,
    limit="ask_seconds",
    reaches_out=True,
    drafts=True,
)
def find_support(call: ToolCall[SupportArguments]) -> DraftSupport:
    """Passages for a draft's uncited claims, or every sentence; slow."""
    arguments, project = call.arguments, call.project
    call.progress("reading the draft")
    draft = project.read_text(arguments.text, arguments.format, cancellation=call.cancellation)
    reports = project.support_drafts(
        draft,
        every=arguments.every,
        top_k=arguments.top_k,
        progress=SentenceProgress(call.progress),
        cancellation=call.cancellation,
    )
    documented = SupportAnswer.of(reports)
    return filled(DraftSupport, documented, notes=documented.warnings)
