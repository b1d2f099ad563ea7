"""The keys of `[server]`."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from citeloom.application.limits import CallLimits, ServerOptions
from citeloom.infrastructure.settings.values import Count, CountOrZero, Seconds, Table, Text, Texts

_LIMITS = CallLimits()
_OPTIONS = ServerOptions()


class ServerTable(Table):
    """The HTTP server, and the limits of what other programs may ask over MCP and HTTP."""

    roots: Texts = Field(
        default=(),
        examples=[["library/"]],
        description="Folders below which a client may name files and folders to ingest. Unset, the "
        "project's own `sources`. Links in them are followed only where `follow_links` says so.",
    )
    query_seconds: Seconds = Field(
        default=_LIMITS.query_seconds, description="Seconds a query by meaning or by words has."
    )
    hybrid_seconds: Seconds = Field(
        default=_LIMITS.hybrid_seconds, description="Seconds a hybrid query has."
    )
    ask_seconds: Seconds = Field(
        default=_LIMITS.ask_seconds,
        description="Seconds a question has to be answered, by a configured model, too.",
    )
    ingest_seconds: Seconds = Field(
        default=_LIMITS.ingest_seconds,
        description="Seconds within which an ingest is accepted; it then runs as a job.",
    )
    inspect_seconds: Seconds = Field(
        default=_LIMITS.inspect_seconds, description="Seconds any other call has."
    )
    top_k: Count = Field(
        default=_LIMITS.top_k, le=_LIMITS.top_k, description="Most passages a query may ask for."
    )
    query_chars: Count = Field(
        default=_LIMITS.query_chars,
        le=_LIMITS.query_chars,
        description="Longest question, in characters.",
    )
    answer_tokens: Count = Field(
        default=_LIMITS.answer_tokens,
        description="Largest answer, in estimated tokens; a larger one is cut and says so.",
    )
    calls: Count = Field(default=_LIMITS.calls, description="Calls that run at the same time.")
    waiting_calls: Count = Field(
        default=_LIMITS.waiting_calls,
        description="Calls that wait for their turn; any more are refused.",
    )
    open_projects: CountOrZero = Field(
        default=8,
        description="Indexes in the data folder that a process keeps open, those used last. Any "
        "other is opened by its next call; 0 is no limit.",
    )
    idle_minutes: float = Field(
        default=10,
        ge=0,
        allow_inf_nan=False,
        description="Minutes without a call after which such an index is closed until the next; "
        "0 never.",
    )

    host: Text = Field(
        default=_OPTIONS.host,
        description="The address that `citeloom serve` listens at. Any but this machine's own "
        "needs a token.",
    )
    port: int = Field(default=_OPTIONS.port, ge=0, le=65535, description="Its port; 0 is any.")
    hosts: Texts = Field(
        default=(),
        examples=[["citeloom.example.org"]],
        description="Further names by which clients may call it.",
    )
    origins: Texts = Field(
        default=(),
        examples=[["https://notes.example.org"]],
        description="Web pages elsewhere whose scripts may use it (CORS).",
    )
    token_file: Path | None = Field(
        default=None,
        examples=["token"],
        description="A file with the token, readable by nobody else. Unset, `CITELOOM_TOKEN`.",
    )

    def limits(self) -> CallLimits:
        """The limits as the application knows them."""
        return self.made_into(CallLimits)

    def options(self, base_dir: Path) -> ServerOptions:
        """The rest as the application knows it; a relative `token_file` starts at `base_dir`."""
        file = base_dir / self.token_file.expanduser() if self.token_file else None
        return self.made_into(ServerOptions, token_file=file)
