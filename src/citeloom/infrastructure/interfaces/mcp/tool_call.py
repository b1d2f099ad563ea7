"""One call of a tool."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from citeloom.application.cancellation import Cancellation
from citeloom.application.jobs import Jobs
from citeloom.application.library import Library

ArgumentsT = TypeVar("ArgumentsT")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall(Generic[ArgumentsT]):
    """One call of a tool, with checked arguments. `cancellation` is requested once nobody waits for
    its answer.
    """

    library: Library
    jobs: Jobs
    arguments: ArgumentsT
    correlation_id: str
    cancellation: Cancellation = field(default_factory=Cancellation)
