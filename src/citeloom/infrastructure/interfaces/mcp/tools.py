"""The tools that are offered."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.interfaces.mcp.handlers import (
    drafts,
    ingesting,
    passages,
    projects,
    zotero,
)
from citeloom.infrastructure.interfaces.mcp.tool_call import Tool

TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for module in (projects, passages, ingesting, drafts, zotero)
    for tool in vars(module).values()
    if isinstance(tool, Tool)
}
"""The tools by name, in the order they are listed in: as they stand in their modules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What clients are offered: some of the tools, and with `project` that one alone."""

    project: str | None = None
    tools: Mapping[str, Tool] = field(default_factory=lambda: TOOLS)

    @classmethod
    def of(
        cls,
        *,
        project: str | None = None,
        names: Collection[str] = (),
        without: Collection[str] = (),
        read_only: bool = False,
    ) -> Offer:
        """The tools of these names, or all but those `without`; `read_only`, those alone that
        change nothing. Raises `ConfigError` for a name that no tool has, and where no tool is left.
        """
        if unknown := sorted({*names, *without} - TOOLS.keys()):
            raise ConfigError(
                f"there is no tool {', '.join(unknown)}", f"The tools are {', '.join(TOOLS)}."
            )
        chosen = {
            name: tool
            for name, tool in TOOLS.items()
            if (name in names if names else name not in without) and not (read_only and tool.jobs)
        }
        if not chosen:
            raise ConfigError(
                "no tool is left to serve",
                "Leave --read-only out, name others, or shorten `[server] without_tools`.",
            )
        return cls(project=project, tools=chosen)
