"""What `citeloom mcp` offers: the projects and the tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.options import ProjectOption

if TYPE_CHECKING:
    from citeloom.application.library import Library
    from citeloom.infrastructure.interfaces.mcp.tools import Offer


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenOffer:
    """The project and the tools that were named; all where none was."""

    project: str | None
    tools: tuple[str, ...]
    read_only: bool

    def offer(self, library: Library) -> Offer:
        """What is offered of a library. Raises `InvalidProject`, and `ConfigError` for a tool there
        is not.
        """
        from citeloom.infrastructure.interfaces.mcp.tools import Offer

        named = None if self.project is None else library.project(self.project).project.id
        return Offer.of(project=named, names=self.tools, read_only=self.read_only)

    def arguments(self) -> list[str]:
        """The options that ask for it."""
        project = ["--project", self.project] if self.project else []
        tools = [word for tool in self.tools for word in ("--tool", tool)]
        return [*project, *tools, *(["--read-only"] if self.read_only else [])]


def chosen_offer(
    project: ProjectOption = None,
    tool: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Serve only this tool; any of several."),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Serve no tool that starts or stops an ingest.")
    ] = False,
) -> ChosenOffer:
    """What was chosen."""
    return ChosenOffer(project=project, tools=tuple(tool or ()), read_only=read_only)
