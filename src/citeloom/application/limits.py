"""The limits of calls, of documents and of downloads, and the options of a server."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from annotated_types import Ge, Le

from citeloom.domain.errors import InvalidFilter
from citeloom.domain.fields import Count, Example, Seconds, Share, Text, Texts, WithinBounds, part

if TYPE_CHECKING:
    from citeloom.application.requests.passages import AskRequest, QueryRequest

# The limits of a call by another program.

QuestionT = TypeVar("QuestionT", bound="QueryRequest | AskRequest")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits(WithinBounds):
    """How long a call may take, how large it and its answer may be, and how many may run or wait
    at the same time.
    """

    query_seconds: Seconds = 8.0
    """Seconds a dense or sparse query may take."""
    hybrid_seconds: Seconds = 15.0
    """Seconds a hybrid query may take."""
    ask_seconds: Seconds = 120.0
    """Seconds an answer may take, whether or not a model writes it."""
    ingest_seconds: Seconds = 15.0
    """Seconds that accepting an ingest may take; it then runs as a job."""
    inspect_seconds: Seconds = 5.0
    """Seconds any other call may take."""
    top_k: Annotated[int, Ge(1), Le(20)] = 20
    """Maximum number of passages a query may request."""
    query_chars: Annotated[int, Ge(1), Le(4000)] = 4000
    """Longest question, in characters."""
    answer_tokens: Count = 10_000
    """Largest response, in estimated tokens; a larger one is cut and says so."""
    calls: Count = 8
    """Maximum number of calls that run at the same time."""
    waiting_calls: Count = 32
    """Maximum number of calls that wait for their turn; further calls are refused."""

    @property
    def longest_seconds(self) -> float:
        return max(
            self.query_seconds,
            self.hybrid_seconds,
            self.ingest_seconds,
            self.inspect_seconds,
            self.ask_seconds,
        )

    def passages(self, requested: int | None, usual: int) -> int:
        """How many passages a query returns: those asked for, else as usual, as far as it may."""
        return min(usual, self.top_k) if requested is None else requested

    def admitted(self, request: QuestionT, usual: int) -> QuestionT:
        """The request with its number of passages. Raises `InvalidFilter` for a question that is
        too long, or too many passages.
        """
        if len(request.text) > self.query_chars:
            raise InvalidFilter(
                f"the question has {len(request.text)} characters, the limit is {self.query_chars}",
                "Ask for one thing at a time, in a sentence or two.",
            )
        if request.top_k is not None and request.top_k > self.top_k:
            raise InvalidFilter(
                f"the number of passages must lie in 1..{self.top_k}, not {request.top_k}",
                "Ask another question rather than for more passages.",
            )
        return replace(request, top_k=self.passages(request.top_k, usual))


# Where the HTTP server listens, and whom it answers.


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions(WithinBounds):
    """Where a server listens, and which calls it takes."""

    limits: CallLimits = field(default_factory=CallLimits, metadata=part(CallLimits))
    host: Text = "127.0.0.1"
    """The address `citeloom serve` listens at. One that other machines can reach needs a token."""
    port: Annotated[int, Ge(0), Le(65535)] = 8484
    """The port it listens at; 0 takes a free one."""
    hosts: Annotated[Texts, Example(("citeloom.example.org",))] = ()
    """Further host names under which clients may call it."""
    origins: Annotated[Texts, Example(("https://notes.example.org",))] = ()
    """Origins of web pages whose scripts may call it (CORS)."""
    token_file: Annotated[Path | None, Example("token")] = None
    """A file with the token, readable by its owner alone. Unset, the token is `CITELOOM_TOKEN`."""
    read_only: bool = False
    """Whether the reading room shows the library and changes nothing."""
    uploads: Annotated[Path | None, Example("papers/added")] = None
    """A folder at or below a source, or one of `roots`, to which readers in the reading room may
    add files. Unset, they may not.
    """
    without_tools: Annotated[Texts, Example(("ask", "ingest_from_source"))] = ()
    """Tools that are left out of MCP, of `citeloom mcp` and of `citeloom serve`; those that
    `--tool` names are served.
    """


# The limits that documents are held to while they are read.


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLimits(WithinBounds):
    """How long the parts of a document may take, how large they may be, and what is reported."""

    document_timeout_seconds: Seconds = 120
    """Seconds of processor time for every 100 pages of a document, rounded up: a book of 950 pages
    may take ten times as long as an article. When a document exceeds the limit, or six times the
    limit in wall-clock time, its remaining pages are read as plain text; if that takes as long
    again, it is stopped and reported.
    """
    page_timeout_seconds: Seconds = 10
    """Seconds of processor time for a page. When a page exceeds the limit, or six times the limit
    in wall-clock time, it is read as plain text, and the report says so.
    """
    ocr_timeout_seconds: Seconds = 120
    """Seconds of processor time for the OCR of a page. A document with a page that exceeds it is
    stopped and reported.
    """
    ocr_min_confidence: Share = 0.8
    """Pages with a lower OCR confidence are listed in the report."""
    page_window: Count = 25
    """Number of pages converted at a time; fewer need less memory."""
    max_text_mb: Count = 16
    """Largest text, Markdown or HTML file in megabytes, and largest markup of a Word document,
    presentation or EPUB, images not counted. A larger one is not read, but reported.
    """
    max_table_cells: Annotated[int, Ge(1), Le(1_000_000)] = 50_000
    """Most table cells of a presentation or of a document without fixed pages. One with more is not
    read, but reported.
    """


DOCUMENT_LIMITS = DocumentLimits()


# The limits that drafts are held to while Pandoc reads them.


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftLimits(WithinBounds):
    """The limits of Pandoc, which reads drafts and formats citations."""

    timeout_seconds: Annotated[int, Ge(1), Le(3600)] = 20
    """Seconds of processor time for a draft, or six times as long in wall-clock time. A draft that
    exceeds the limit is refused by name, and the next one is read.
    """
    memory_mb: Annotated[int, Ge(64), Le(1_000_000)] = 512
    """Memory for a draft in megabytes: Pandoc's heap, 16 times what it prints, which is what that
    takes here, and what an OpenDocument text takes unpacked. A draft that exceeds the limit is
    refused by name, and the next one is read.
    """


DRAFT_LIMITS = DraftLimits()


# The limits of requests to Zotero.


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroLimits(WithinBounds):
    """How long an API of Zotero may take, and how large a file may be."""

    timeout: Seconds = 20
    """Seconds to wait for an API."""
    max_download_mb: Count = 500
    """Largest download of a file, in megabytes."""

    @property
    def most_bytes(self) -> int:
        return self.max_download_mb * 1_000_000


ZOTERO_LIMITS = ZoteroLimits()
