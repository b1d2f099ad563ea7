"""Commands whose modules are imported when they are asked for."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command


def group_of(places: Mapping[str, str]) -> type[TyperGroup]:
    """A group of the commands at `places`, each a `module:function` or a `module:app`."""

    class Group(TyperGroup):
        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands = _Commands(places)

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
