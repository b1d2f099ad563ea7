"""Drafts: citations formatted, quotations checked, support found."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import cast

from citeloom.infrastructure.interfaces.mcp import reading
from citeloom.infrastructure.interfaces.mcp.answers import (
    CHECK_FIELDS,
    SENTENCE_FIELDS,
    ChecksAnswer,
    CitedAnswer,
    Json,
    SupportAnswer,
)
from citeloom.infrastructure.interfaces.mcp.progress import SentenceProgress
from citeloom.infrastructure.interfaces.mcp.tool_call import (
    CiteArguments,
    DraftArguments,
    SupportArguments,
    Tool,
    ToolCall,
)
from citeloom.infrastructure.serialisation.draft_support import support_json
from citeloom.infrastructure.serialisation.json import bounded
from citeloom.infrastructure.serialisation.manuscript import checks_json, cited_json


@partial(
    Tool,
    title="Format citations",
    answer=CitedAnswer,
    text=reading.cited_text,
    limit="hybrid_seconds",
)
def cite(call: ToolCall[CiteArguments]) -> Json:
    """Citations and references of works and passages."""
    arguments = call.arguments
    text = call.project.cite(*arguments.names, style=arguments.style, form=arguments.format)
    shown = bounded([{"text": text}], call.library.limits.answer_tokens // 2)
    whole = shown.items[0]["text"] if shown.items else ""
    answer = cited_json(arguments.project, arguments.format, whole)
    return {**answer, "notes": [*filter(None, (shown.note,))]}


@partial(
    Tool, title="Check a draft", answer=ChecksAnswer, text=reading.checks_text, limit="ask_seconds"
)
def check_quotes(call: ToolCall[DraftArguments]) -> Json:
    """Each quotation and citation of a draft, against the cited works."""
    arguments, project = call.arguments, call.project
    call.progress("reading the draft")
    draft = project.read_text(arguments.text, arguments.format)
    call.progress("checking quotations")
    reports = project.check_drafts(draft, cancellation=call.cancellation)
    made: Mapping[str, object] = checks_json(reports)
    checks = sorted(cast("list[Json]", made["checks"]), key=lambda check: not check["fails"])
    return {
        "passed": made["passed"],
        "citations": made["citations"],
        "counts": made["counts"],
        "checks": [_of(check, CHECK_FIELDS) for check in checks],
        "notes": made["warnings"],
    }


@partial(
    Tool,
    title="Find support",
    answer=SupportAnswer,
    text=reading.support_text,
    limit="ask_seconds",
    reaches_out=True,
)
def find_support(call: ToolCall[SupportArguments]) -> Json:
    """Passages for a draft's uncited claims, or every sentence; slow."""
    arguments, project = call.arguments, call.project
    call.progress("reading the draft")
    draft = project.read_text(arguments.text, arguments.format)
    reports = project.support_drafts(
        draft,
        every=arguments.every,
        top_k=arguments.top_k,
        progress=SentenceProgress(call.progress),
        cancellation=call.cancellation,
    )
    made: Mapping[str, object] = support_json(reports, call.library.info.base_dir)
    sentences = cast("list[Json]", made["sentences"])
    return {
        "counts": made["counts"],
        "sentences": [
            {
                **_of(sentence, SENTENCE_FIELDS),
                "passages": [_passage(one) for one in cast("list[Json]", sentence["passages"])],
            }
            for sentence in sentences
        ],
        "notes": made["warnings"],
    }


def _passage(passage: Json) -> Json:
    """A passage without its links, which only open on this machine."""
    return {key: value for key, value in passage.items() if key != "links"}


def _of(whole: Json, fields: frozenset[str]) -> Json:
    return {key: value for key, value in whole.items() if key in fields}
