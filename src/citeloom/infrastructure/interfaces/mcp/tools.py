"""The tools: what each is called, takes, does and answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from citeloom.application.limits import CallLimits
from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.interfaces.mcp import answers, reading
from citeloom.infrastructure.interfaces.mcp import tool_call as arguments
from citeloom.infrastructure.interfaces.mcp.answers import Json, answer_schema, input_schema
from citeloom.infrastructure.interfaces.mcp.handlers import drafts, ingesting, passages, projects
from citeloom.infrastructure.interfaces.mcp.handlers import passages as answering
from citeloom.infrastructure.interfaces.mcp.handlers import projects as zotero
from citeloom.infrastructure.interfaces.mcp.tool_call import ToolCall


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool: `call` blocks for at most the limit of that name; `listed` are the fields of its
    answer that are cut where it is too large, and `text` says the same for reading. One that
    `follows` a job may report its progress; equal calls of one that is `heavy` run once, in a lane
    of their own. A tool of `jobs` is of use where jobs can be started alone.
    """

    name: str
    title: str
    description: str
    arguments: type[arguments.Arguments]
    answer: type[answers.Answer]
    call: Callable[[ToolCall[Any]], Json]
    text: reading.Reading
    limit: str
    listed: tuple[str, ...] = ("items",)
    changes: bool = False
    jobs: bool = False
    reaches_out: bool = False
    follows: bool = False
    heavy: bool = False

    def seconds(self, limits: CallLimits) -> float:
        """How long a call may take."""
        return float(getattr(limits, self.limit))

    @cached_property
    def input_schema(self) -> Json:
        """The JSON schema of its arguments."""
        return input_schema(self.arguments.model_json_schema())

    @cached_property
    def output_schema(self) -> Json:
        """The JSON schema of its answer."""
        return answer_schema(self.answer)


_TOOLS = (
    Tool(
        name="list_projects",
        title="List projects",
        description="Every other tool needs the id of one.",
        arguments=arguments.Arguments,
        answer=answers.ProjectsAnswer,
        call=projects.list_projects,
        text=reading.projects_text,
        limit="inspect_seconds",
        listed=("projects",),
    ),
    Tool(
        name="query",
        title="Find passages by meaning",
        description="Quick, best first; for any project.",
        arguments=arguments.QueryArguments,
        answer=answers.QueryAnswer,
        call=passages.query,
        text=reading.passages_text,
        limit="query_seconds",
        reaches_out=True,
    ),
    Tool(
        name="query_hybrid",
        title="Find passages",
        description="Passages by meaning and by words, best first; for hybrid projects, names and "
        "quotations.",
        arguments=arguments.QueryArguments,
        answer=answers.QueryAnswer,
        call=passages.query_hybrid,
        text=reading.passages_text,
        limit="hybrid_seconds",
        reaches_out=True,
    ),
    Tool(
        name="find",
        title="Find a word",
        description="Every place of a word, with its citation; counts by work and year.",
        arguments=arguments.FindArguments,
        answer=answers.FindAnswer,
        call=passages.find,
        text=reading.concordance_text,
        limit="hybrid_seconds",
    ),
    Tool(
        name="ask",
        title="Answer a question",
        description="Quotations, or a model's sentences with their quotes, or none; slow.",
        arguments=arguments.AskArguments,
        answer=answers.AskAnswer,
        call=answering.ask,
        text=reading.answer_text,
        limit="ask_seconds",
        listed=("citations",),
        reaches_out=True,
    ),
    Tool(
        name="get_passage",
        title="Read a passage",
        description="A passage with its neighbours.",
        arguments=arguments.PassageArguments,
        answer=answers.PassageAnswer,
        call=passages.get_passage,
        text=reading.passages_text,
        limit="inspect_seconds",
    ),
    Tool(
        name="list_documents",
        title="List documents",
        description="A project's documents by path: titles, authors, states.",
        arguments=arguments.DocumentArguments,
        answer=answers.DocumentsAnswer,
        call=projects.list_documents,
        text=reading.documents_text,
        limit="inspect_seconds",
    ),
    Tool(
        name="inspect_collection",
        title="Describe a project",
        description="A project's models and counts.",
        arguments=arguments.OfProject,
        answer=answers.CollectionAnswer,
        call=projects.inspect_collection,
        text=reading.collection_text,
        limit="inspect_seconds",
        listed=(),
    ),
    Tool(
        name="ingest_from_source",
        title="Add documents",
        description="Start a job; follow it with ingest_status.",
        arguments=arguments.IngestArguments,
        answer=answers.JobAnswer,
        call=ingesting.ingest_from_source,
        text=reading.job_text,
        limit="ingest_seconds",
        listed=("failed", "events"),
        changes=True,
        jobs=True,
        reaches_out=True,
        follows=True,
    ),
    Tool(
        name="ingest_status",
        title="Follow a job",
        description="How far a job is, and what failed.",
        arguments=arguments.StatusArguments,
        answer=answers.JobAnswer,
        call=ingesting.ingest_status,
        text=reading.job_text,
        limit="inspect_seconds",
        listed=("failed", "events"),
        jobs=True,
    ),
    Tool(
        name="list_jobs",
        title="List jobs",
        description="Newest first.",
        arguments=arguments.OfProject,
        answer=answers.JobsAnswer,
        call=ingesting.list_jobs,
        text=reading.jobs_text,
        limit="inspect_seconds",
        listed=("jobs",),
        jobs=True,
    ),
    Tool(
        name="cancel_ingest",
        title="Stop a job",
        description="It ends after its current documents; what is indexed stays.",
        arguments=arguments.JobArguments,
        answer=answers.JobAnswer,
        call=ingesting.cancel_ingest,
        text=reading.job_text,
        limit="inspect_seconds",
        listed=("failed", "events"),
        changes=True,
        jobs=True,
    ),
    Tool(
        name="validate",
        title="Check a project",
        description="Faults of index and references; changes nothing.",
        arguments=arguments.ValidateArguments,
        answer=answers.ValidationAnswer,
        call=projects.validate,
        text=reading.validation_text,
        limit="hybrid_seconds",
        listed=("findings",),
        heavy=True,
    ),
    Tool(
        name="cite",
        title="Format citations",
        description="Citations and references of works and passages.",
        arguments=arguments.CiteArguments,
        answer=answers.CitedAnswer,
        call=drafts.cite,
        text=reading.cited_text,
        limit="hybrid_seconds",
        listed=(),
    ),
    Tool(
        name="check_quotes",
        title="Check a draft",
        description="Each quotation and citation of a draft, against the cited works.",
        arguments=arguments.DraftArguments,
        answer=answers.ChecksAnswer,
        call=drafts.check_quotes,
        text=reading.checks_text,
        limit="ask_seconds",
        listed=("checks",),
    ),
    Tool(
        name="find_support",
        title="Find support",
        description="Passages for a draft's uncited claims, or every sentence; slow.",
        arguments=arguments.SupportArguments,
        answer=answers.SupportAnswer,
        call=drafts.find_support,
        text=reading.support_text,
        limit="ask_seconds",
        listed=("sentences",),
        reaches_out=True,
    ),
    Tool(
        name="zotero_search",
        title="Search Zotero",
        description="What Zotero has, within the project's selection.",
        arguments=arguments.ZoteroArguments,
        answer=answers.ZoteroAnswer,
        call=zotero.zotero_search,
        text=reading.zotero_text,
        limit="hybrid_seconds",
        reaches_out=True,
    ),
)

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _TOOLS}
"""The tools by name, in the order they are listed in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What clients are offered: some of the tools, and with `project` that one alone."""

    project: str | None = None
    tools: Mapping[str, Tool] = field(default_factory=lambda: TOOLS)

    @classmethod
    def of(
        cls, *, project: str | None = None, names: Collection[str] = (), read_only: bool = False
    ) -> Offer:
        """The tools of these names, or all; `read_only`, those alone that change nothing. Raises
        `ConfigError` for a name that no tool has, and where no tool is left.
        """
        if unknown := sorted({*names} - TOOLS.keys()):
            raise ConfigError(
                f"there is no tool {', '.join(unknown)}", f"The tools are {', '.join(TOOLS)}."
            )
        chosen = {
            name: tool
            for name, tool in TOOLS.items()
            if (not names or name in names) and not (read_only and tool.jobs)
        }
        if not chosen:
            raise ConfigError("no tool is left to serve", "Leave --read-only out, or name others.")
        return cls(project=project, tools=chosen)
