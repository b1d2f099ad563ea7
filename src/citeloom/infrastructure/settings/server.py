"""The keys of `[server]`."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from citeloom.application.limits import CallLimits, ServerOptions
from citeloom.infrastructure.settings.values import Count, CountOrZero, Seconds, Table, Text, Texts

_LIMITS = CallLimits()
_OPTIONS = ServerOptions()


class ServerTable(Table):
    """The HTTP server, and the limits of calls over MCP and HTTP."""

    roots: Texts = Field(
        default=(),
        examples=[["library/"]],
        description="Folders in which a client may name files and folders to ingest. Unset,"
        " the project's `sources`. Symbolic links in them are followed only if "
        "`follow_links` is set.",
    )
    query_seconds: Seconds = Field(
        default=_LIMITS.query_seconds, description="Seconds a dense or sparse query may take."
    )
    hybrid_seconds: Seconds = Field(
        default=_LIMITS.hybrid_seconds, description="Seconds a hybrid query may take."
    )
    ask_seconds: Seconds = Field(
        default=_LIMITS.ask_seconds,
        description="Seconds an answer may take, whether or not a model writes it.",
    )
    ingest_seconds: Seconds = Field(
        default=_LIMITS.ingest_seconds,
        description="Seconds that accepting an ingest may take; it then runs as a job.",
    )
    inspect_seconds: Seconds = Field(
        default=_LIMITS.inspect_seconds, description="Seconds any other call may take."
    )
    top_k: Count = Field(
        default=_LIMITS.top_k,
        le=_LIMITS.top_k,
        description="Maximum number of passages a query may request.",
    )
    query_chars: Count = Field(
        default=_LIMITS.query_chars,
        le=_LIMITS.query_chars,
        description="Longest question, in characters.",
    )
    answer_tokens: Count = Field(
        default=_LIMITS.answer_tokens,
        description="Largest response, in estimated tokens; a larger one is cut and says so.",
    )
    calls: Count = Field(
        default=_LIMITS.calls, description="Maximum number of calls that run at the same time."
    )
    waiting_calls: Count = Field(
        default=_LIMITS.waiting_calls,
        description="Maximum number of calls that wait for their turn; further calls are refused.",
    )
    open_projects: CountOrZero = Field(
        default=8,
        description="Number of indexes in the data folder that a process keeps open, the "
        "most recently used ones. Any other is opened by its next call; 0 is no"
        " limit.",
    )
    idle_minutes: float = Field(
        default=10,
        ge=0,
        allow_inf_nan=False,
        description="Minutes without a call after which such an index is closed until its "
        "next call; 0 is never.",
    )

    host: Text = Field(
        default=_OPTIONS.host,
        description="The address `citeloom serve` listens at. One that other machines can "
        "reach needs a token.",
    )
    port: int = Field(
        default=_OPTIONS.port,
        ge=0,
        le=65535,
        description="The port it listens at; 0 takes a free one.",
    )
    hosts: Texts = Field(
        default=(),
        examples=[["citeloom.example.org"]],
        description="Further host names under which clients may call it.",
    )
    origins: Texts = Field(
        default=(),
        examples=[["https://notes.example.org"]],
        description="Origins of web pages whose scripts may call it (CORS).",
    )
    token_file: Path | None = Field(
        default=None,
        examples=["token"],
        description="A file with the token, readable by its owner alone. Unset, the token "
        "is `CITELOOM_TOKEN`.",
    )

    def limits(self) -> CallLimits:
        """The limits as the application knows them."""
        return self.made_into(CallLimits)

    def options(self, base_dir: Path) -> ServerOptions:
        """The rest as the application knows it; a relative `token_file` starts at `base_dir`."""
        file = base_dir / self.token_file.expanduser() if self.token_file else None
        return self.made_into(ServerOptions, token_file=file)
