"""Answers whose every sentence is tied to words of a passage."""

from __future__ import annotations

from typing import cast

from citeloom.infrastructure.interfaces.mcp.answers import CITATION_FIELDS, Json
from citeloom.infrastructure.interfaces.mcp.arguments import AskArguments
from citeloom.infrastructure.interfaces.mcp.progress import AnswerProgress
from citeloom.infrastructure.interfaces.mcp.tool_call import ToolCall
from citeloom.infrastructure.serialisation.answers import answer_json
from citeloom.infrastructure.serialisation.bounds import bounded
from citeloom.infrastructure.serialisation.json import UNTRUSTED

_SAME = ("project", "status", "verdict", "method", "sent_to")
"""What is as in the documented JSON."""


def ask(call: ToolCall[AskArguments]) -> Json:
    """The answer, as far as a language model needs it."""
    asked, limits = call.arguments, call.library.limits
    limits.check_query(asked.text, asked.top_k)
    project = call.project
    top_k = limits.passages(asked.top_k, project.project.retrieval.top_k)
    call.progress("searching")
    answer = project.ask(
        asked.text,
        events=AnswerProgress(call.progress),
        cancellation=call.cancellation,
        **asked.options(top_k),
    )
    made = answer_json(answer, call.library.info.base_dir)
    citations = cast("list[Json]", made["citations"])
    relevance = cast("Json", made["relevance"])
    reply = bounded([{"text": made["reply"]}], limits.answer_tokens // 2)
    return {
        **{key: made[key] for key in _SAME},
        **UNTRUSTED,
        "reply": reply.items[0]["text"] if reply.items else "",
        "written_by": made["written_by"],
        "judged_by": next((one.judged_by for one in answer.sentences if one.judged_by), None),
        "notes": [*answer.notes, *filter(None, (reply.note,))],
        "missing": relevance["missing"],
        "citations": [
            {key: one[key] for key in one if key in CITATION_FIELDS} for one in citations
        ],
        "nearest": made["nearest"],
        "duration_ms": made["duration_ms"],
    }
