"""The keys of `[server]`."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from citeloom.application.limits import CallLimits
from citeloom.infrastructure.settings.values import Count, Seconds, Table, Text, one_or_many

_LIMITS = CallLimits()


class ServerTable(Table):
    """The limits of what other programs may ask over MCP and HTTP."""

    roots: Annotated[tuple[Text, ...], BeforeValidator(one_or_many)] = Field(
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
        default=_LIMITS.query_chars, description="Longest question, in characters."
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

    def limits(self) -> CallLimits:
        """The limits as the application knows them."""
        return CallLimits(**self.model_dump(exclude={"roots"}))
