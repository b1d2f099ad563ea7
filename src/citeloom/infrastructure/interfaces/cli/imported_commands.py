"""Commands whose modules are imported when they are asked for."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command


def group_of(
    places: Mapping[str, str], *, first: Sequence[str] = (), synonyms: Mapping[str, str]
) -> type[TyperGroup]:
    """A group of the commands at `places`, each a `module:function` or a `module:app`.

    The help lists the `first` ones apart; a command that does not exist suggests the one that
    `synonyms` has for it, or the one whose name is nearest.
    """

    class Group(TyperGroup):
        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands = _Commands(places)

        def format_commands(self, _ctx: Any, formatter: Any) -> None:
            others = [name for name in self.commands if name not in first]
            for title, names in (("To begin with", first), ("All other commands", others)):
                limit = formatter.width - 6 - max(map(len, names), default=0)
                with formatter.section(title):
                    formatter.write_dl(
                        [(name, self.commands[name].get_short_help_str(limit)) for name in names]
                    )

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            near = get_close_matches(args[0].lower(), [*self.commands, *synonyms], n=1)
            meant = synonyms.get(near[0]) if near else None
            if meant and args[0] not in self.commands:
                ctx.fail(f"No such command '{args[0]}'. Did you mean '{meant}'?")
            return super().resolve_command(ctx, args)

    return Group


class _Commands(UserDict[str, Any]):
    def __getitem__(self, name: str) -> Any:
        found = super().__getitem__(name)
        if isinstance(found, str):
            found = self[name] = _imported(name, found)
        return found


def _imported(name: str, place: str) -> object:
    module, _, attribute = place.partition(":")
    found = getattr(import_module(module), attribute)
    if isinstance(found, typer.Typer):
        return get_command(found)
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    alone.command(name)(found)
    return get_command(alone)
