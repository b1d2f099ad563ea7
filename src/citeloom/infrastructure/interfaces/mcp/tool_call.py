"""One call of a tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from citeloom.application.cancellation import Cancellation
from citeloom.application.jobs import Jobs
from citeloom.application.library import Library
from citeloom.application.project_library import ProjectLibrary
from citeloom.domain.errors import InvalidProject
from citeloom.infrastructure.interfaces.mcp.arguments import Arguments, OfProject

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
        assert isinstance(self.arguments, OfProject)
        return served_project(self.library, self.arguments.project, self.only)


def served_project(library: Library, name: str, only: str | None) -> ProjectLibrary:
    """A project by its id. Raises `InvalidProject` for an unknown one, and any but `only`."""
    if only is not None and name != only:
        raise InvalidProject(f"no project '{name}' is served here", f"The project is {only}.")
    return library.project(name)
