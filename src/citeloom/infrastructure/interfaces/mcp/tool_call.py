"""One call of a tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from citeloom.application.jobs import Jobs
from citeloom.application.library import Library

ArgumentsT = TypeVar("ArgumentsT")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall(Generic[ArgumentsT]):
    """One call of a tool, with checked arguments."""

    library: Library
    jobs: Jobs
    arguments: ArgumentsT
    correlation_id: str
