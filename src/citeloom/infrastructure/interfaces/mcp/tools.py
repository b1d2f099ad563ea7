"""The tools: what each is called, takes, does and answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from citeloom.application.limits import CallLimits
from citeloom.infrastructure.interfaces.mcp import answers, arguments
from citeloom.infrastructure.interfaces.mcp.answers import Json, answer_schema, compact_schema
from citeloom.infrastructure.interfaces.mcp.handlers import (
    answering,
    ingesting,
    passages,
    projects,
    zotero,
)
from citeloom.infrastructure.interfaces.mcp.tool_call import ToolCall


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool: `call` blocks for at most the limit of that name; `listed` are the fields of its
    answer that are cut where it is too large. One that `follows` a job may report its progress;
    equal calls of one that is `heavy` run once, in a lane of their own.
    """

    name: str
    description: str
    arguments: type[arguments.Arguments]
    answer: type[answers.Answer]
    call: Callable[[ToolCall[Any]], Json]
    limit: str
    listed: tuple[str, ...] = ("items",)
    changes: bool = False
    follows: bool = False
    heavy: bool = False

    def seconds(self, limits: CallLimits) -> float:
        """How long a call may take."""
        return float(getattr(limits, self.limit))

    @cached_property
    def input_schema(self) -> Json:
        """The JSON schema of its arguments."""
        return compact_schema(self.arguments.model_json_schema())

    @cached_property
    def output_schema(self) -> Json:
        """The JSON schema of its answer."""
        return answer_schema(self.answer)


_TOOLS = (
    Tool(
        name="list_projects",
        description="The projects there are. Every other tool needs the id of one.",
        arguments=arguments.Arguments,
        answer=answers.ProjectsAnswer,
        call=projects.list_projects,
        limit="inspect_seconds",
        listed=("projects",),
    ),
    Tool(
        name="query",
        description="Passages by meaning alone, best first: quick, for any project.",
        arguments=arguments.QueryArguments,
        answer=answers.QueryAnswer,
        call=passages.query,
        limit="query_seconds",
    ),
    Tool(
        name="query_hybrid",
        description="Passages by meaning and by words, best first; use it where the project is "
        "hybrid, and for names and quotations.",
        arguments=arguments.QueryArguments,
        answer=answers.QueryAnswer,
        call=passages.query_hybrid,
        limit="hybrid_seconds",
    ),
    Tool(
        name="ask",
        description="Quotations that answer, or a model's words with their quotes. "
        "Slower than a query.",
        arguments=arguments.QueryArguments,
        answer=answers.AskAnswer,
        call=answering.ask,
        limit="ask_seconds",
        listed=("citations",),
    ),
    Tool(
        name="get_passage",
        description="A passage with its neighbours, in reading order.",
        arguments=arguments.PassageArguments,
        answer=answers.PassageAnswer,
        call=passages.get_passage,
        limit="inspect_seconds",
    ),
    Tool(
        name="inspect_collection",
        description="What a project holds: models, counts, documents.",
        arguments=arguments.OfProject,
        answer=answers.CollectionAnswer,
        call=projects.inspect_collection,
        limit="inspect_seconds",
        listed=("documents",),
    ),
    Tool(
        name="ingest_from_source",
        description="Start adding documents to a project; follow the job with ingest_status.",
        arguments=arguments.IngestArguments,
        answer=answers.JobAnswer,
        call=ingesting.ingest_from_source,
        limit="ingest_seconds",
        listed=("failed", "events"),
        changes=True,
        follows=True,
    ),
    Tool(
        name="ingest_status",
        description="How far a job is.",
        arguments=arguments.StatusArguments,
        answer=answers.JobAnswer,
        call=ingesting.ingest_status,
        limit="inspect_seconds",
        listed=("failed", "events"),
    ),
    Tool(
        name="cancel_ingest",
        description="Stop a job after the documents in hand; what is indexed stays.",
        arguments=arguments.JobArguments,
        answer=answers.JobAnswer,
        call=ingesting.cancel_ingest,
        limit="inspect_seconds",
        listed=("failed", "events"),
        changes=True,
    ),
    Tool(
        name="validate",
        description="Check a project's index and references for faults; changes nothing.",
        arguments=arguments.OfProject,
        answer=answers.ValidationAnswer,
        call=projects.validate,
        limit="hybrid_seconds",
        listed=("findings",),
        heavy=True,
    ),
    Tool(
        name="zotero_search",
        description="Items, collections or tags of Zotero, within the project's selection; "
        "reads only.",
        arguments=arguments.ZoteroArguments,
        answer=answers.ZoteroAnswer,
        call=zotero.zotero_search,
        limit="hybrid_seconds",
    ),
)

TOOLS = {tool.name: tool for tool in _TOOLS}
"""The tools by name, in the order they are listed in."""
