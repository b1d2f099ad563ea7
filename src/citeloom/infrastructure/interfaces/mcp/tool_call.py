"""Tools and their calls: arguments, the server's state, hints in terms of tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from functools import cached_property
from threading import Lock, Thread
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args, get_type_hints

from pydantic import Field, ValidationError

from citeloom.application.jobs import Jobs
from citeloom.application.limits import CallLimits
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.documents import DocumentsRequest
from citeloom.application.requests.fields import For, Request
from citeloom.application.requests.passages import FindRequest
from citeloom.domain.errors import CiteloomError, InvalidFilter, InvalidProject
from citeloom.domain.manuscript.draft import Markup
from citeloom.domain.validation import CHECKS
from citeloom.infrastructure.answers.model import Door, hints
from citeloom.infrastructure.interfaces import request_models
from citeloom.infrastructure.interfaces.calls import Calls, SharedCalls, draft_calls
from citeloom.infrastructure.interfaces.mcp.answers import Part, ToolAnswer
from citeloom.infrastructure.interfaces.mcp.schemas import Json, answer_schema, input_schema
from citeloom.infrastructure.interfaces.request_models import (
    LONGEST_DRAFT,
    LONGEST_SEARCHED,
    Arguments,
    CitationForm,
    RequestModel,
    StyleName,
)
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.library.project import ProjectLibrary

# What each tool is called with; checked before anything else happens.

_NAMED = 3
_MOST_VALUES = 20

A = TypeVar("A", bound=Arguments)
R = TypeVar("R", bound=Request)
Name = Annotated[str, Field(max_length=300)]
Check = StrEnum("Check", [(name, name) for name in CHECKS])  # type: ignore[misc]
Checks = Annotated[list[Check], Field(max_length=len(CHECKS))]
Offset = Annotated[int, Field(ge=0, le=10_000_000)]
Limit = Annotated[int, Field(ge=1, le=100)]


class OfProject(request_models.OfProject):
    """The arguments of a tool that works on one project."""

    project: Name


class Asked(RequestModel[R], Generic[R]):
    """A request with the options that every caller needs; the instructions of the server say how
    filters are written.
    """

    hidden = frozenset(For)
    described = False

    project: Name


class FindArguments(Asked[FindRequest]):
    """Words to find; places from `offset` on."""

    offset: Offset = 0
    limit: Limit = 20


class PassageArguments(OfProject):
    """A passage, how much around it, and from which character on."""

    chunk_id: Name
    context: int = Field(default=1, ge=0, le=5, description="Neighbours on each side.")
    offset: Offset = Field(default=0, description="The next_offset of a trimmed passage.")
    cite: bool = Field(default=False, description="Fail unless it has a reference.")


class DocumentArguments(Asked[DocumentsRequest]):
    """Which documents are listed."""

    text: Name | None = Field(default=None, description="In title, author, citekey or path.")
    offset: Offset = 0
    limit: Limit = 50


class IngestArguments(OfProject):
    """What to ingest."""

    source: Annotated[str, Field(max_length=2000)] | None = Field(
        default=None,
        description="A path below the allowed roots, or zotero; else all sources.",
    )
    force: bool = Field(default=False, description="Unchanged documents, too.")
    retry_failed: bool = False


class JobArguments(OfProject):
    """A job of the project."""

    job_id: Name


class StatusArguments(JobArguments):
    """A job of the project, and which of its events are known already."""

    after: int | None = Field(default=None, ge=0, description="Events, too, after this one.")


class ValidateArguments(OfProject):
    """What is checked: everything but `skip`, or `check` alone."""

    check: Checks = Field(default=[])
    skip: Checks = Field(default=[])


class CiteArguments(OfProject):
    """What is cited, and how it is written. A style has a name: no file is read."""

    names: Annotated[list[Name], Field(min_length=1, max_length=_MOST_VALUES)] = Field(
        description="Citekeys, chunk_ids or citations: [@key, p. 45]"
    )
    format: CitationForm = "text"
    style: StyleName = "apa"


class DraftArguments(OfProject):
    """A draft as a text."""

    text: Annotated[str, Field(max_length=LONGEST_DRAFT)]
    format: Markup = "markdown"


class SupportArguments(DraftArguments):
    """A part of a draft, whose sentences are looked up one by one: those that claim something, or
    with `every` all.
    """

    text: Annotated[str, Field(max_length=LONGEST_SEARCHED)]
    every: bool = False
    top_k: Annotated[int, Field(ge=1, le=5)] = 3


class ZoteroArguments(OfProject):
    """What to look for in Zotero."""

    what: Literal["items", "collections", "tags", "annotations"] = "items"
    text: Name = ""
    collection: Name | None = Field(default=None, description="Its path or key.")
    item: Name | None = Field(default=None, description="The key of one.")
    offset: Offset = 0
    limit: Limit = 20


def parsed(kind: type[A], given: dict[str, object]) -> A:
    """The arguments. Raises `InvalidFilter` that says which of them are wrong, and how."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        wrong = [
            f"{_place(one['loc'])}: {one['msg']}"
            for one in error.errors(include_input=False, include_url=False)
        ]
        more = f"; and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        raise InvalidFilter(
            f"wrong arguments: {'; '.join(wrong[:_NAMED])}{more}"[:500],
            f"The tool takes: {', '.join(kind.model_fields) or 'none'}.",
        ) from None


def _place(parts: Sequence[int | str]) -> str:
    return ".".join(str(part)[:50] for part in parts) or "arguments"


# What all calls of a server share.

_CLOSING_SECONDS = 10.0


@dataclass(slots=True)
class ServerState:
    """The library, its jobs, and the calls that are running: those that answer questions, those
    that read drafts and those that read much apart, so that slow ones take no slot of others.
    """

    library: Library
    jobs: Jobs
    calls: Calls
    answers: Calls
    heavy: SharedCalls = field(default_factory=SharedCalls)
    drafts: Calls = field(default_factory=draft_calls)
    _warming: Thread | None = None
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, library: Library) -> ServerState:
        """The state of a server of this library; opens nothing."""
        limits = library.limits
        return cls(library, Jobs(library, clock=library.parts.clock), Calls(limits), Calls(limits))

    def warm(self, project: str | None = None) -> None:
        """Load the models in the background, once: those of a project, or of all."""
        with self._lock:
            if self._warming is None:
                names = self.library.project_ids() if project is None else (project,)
                self._warming = Thread(
                    target=self._load, args=(names,), name="warming", daemon=True
                )
                self._warming.start()

    def _load(self, names: Sequence[str]) -> None:
        for project_id in names:
            with suppress(CiteloomError):  # told to whoever asks something that needs it
                self.library.project(project_id).load_models()

    def close(self) -> None:
        """Stop the jobs in order, then close the library."""
        self.jobs.close(_CLOSING_SECONDS)
        self.library.close()


# Hints for those who call tools, where the library's own name commands and flags.

_IN_TOOLS = (
    (re.compile(r"`?--mode dense`?"), "the tool query"),
    (re.compile(r"`citeloom ingest`|citeloom ingest --project \S+ FOLDER"), "ingest_from_source"),
    (re.compile(r"`citeloom zotero collections`"), "zotero_search with what=collections"),
    (re.compile(r"`citeloom validate`"), "validate"),
    (re.compile(r"(?<!citeloom )(?<!\S)with --project:"), "as project, or see list_projects:"),
    (re.compile(r"\(--top-k\)"), "(top_k)"),
)
_COMMAND = re.compile(r"\bciteloom [a-z]|(?<![\w-])--[a-z]")
_TERMINAL = "(Commands and flags are for a terminal: ask the user.)"


def for_assistants(hint: str) -> str:
    """The hint with tools in the place of the commands that have one; of any other it says that it
    is for a terminal.
    """
    for pattern, tool in _IN_TOOLS:
        hint = pattern.sub(tool, hint)
    return f"{hint} {_TERMINAL}" if _COMMAND.search(hint) else hint


# One call of a tool.

ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall(Generic[ArgumentsT]):
    """One call of a tool, with checked arguments. `cancellation` is requested once nobody waits for
    its answer; `progress` says what is being done, from any thread. With `only` one project is
    served.
    """

    library: Library
    jobs: Jobs
    arguments: ArgumentsT
    correlation_id: str
    only: str | None = None
    progress: Callable[[str], None] = lambda _: None
    cancellation: Cancellation = field(default_factory=Cancellation)

    @property
    def project(self) -> ProjectLibrary:
        """The project of the arguments. Raises `InvalidProject` for one that is not served."""
        assert isinstance(self.arguments, request_models.OfProject)
        return served_project(self.library, self.arguments.project, self.only)


def served_project(library: Library, name: str, only: str | None) -> ProjectLibrary:
    """A project by its id. Raises `InvalidProject` for an unknown one, and any but `only`."""
    if only is not None and name != only:
        raise InvalidProject(f"no project '{name}' is served here", f"The project is {only}.")
    return library.project(name)


# The tools: what each is called, takes, does and answers.


@dataclass(frozen=True)
class Tool:
    """A tool: its name, arguments and description are those of the function that it calls, which
    blocks for at most the limit of that name; `text` says its answer for reading. One that
    `follows` a job may report its progress; equal calls of one that is `heavy` run once, in a lane
    of their own, and those of `drafts`, two at a time, in another. A tool of `jobs` is of use where
    jobs can be started alone.
    """

    call: Callable[[ToolCall[Any]], ToolAnswer]
    _: KW_ONLY
    title: str
    answer: Part
    parts: tuple[Part, ...] = ()
    text: Callable[[Any], str]
    limit: str
    changes: bool = False
    jobs: bool = False
    reaches_out: bool = False
    follows: bool = False
    heavy: bool = False
    drafts: bool = False

    @property
    def name(self) -> str:
        """What it is called."""
        return self.call.__name__

    @property
    def description(self) -> str:
        """What it does, as clients read it."""
        return " ".join((self.call.__doc__ or "").split())

    @cached_property
    def arguments(self) -> type[Arguments]:
        """What it takes."""
        kind: type[Arguments] = get_args(get_type_hints(self.call)["call"])[0]
        return kind

    @cached_property
    def listed(self) -> tuple[str, ...]:
        """The lists of its answer, which are cut where it is too large."""
        return tuple(
            name
            for name in self.answer.described
            if str(hints(self.answer.kind)[name]).startswith("tuple")
        )

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
        return answer_schema(self.answer, *self.parts)

    @cached_property
    def door(self) -> Door:
        """What is written of its answer."""
        return Door(include={part.kind: part.include for part in (self.answer, *self.parts)})
