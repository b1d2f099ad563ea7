"""Adapters by name: a new one is a module and one line in its registry."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Generic, TypeVar, cast

from citeloom.domain.errors import ConfigError

Built = TypeVar("Built")


@dataclass(frozen=True, slots=True)
class Registry(Generic[Built]):
    """What there is of a kind, by name, each as `module:function`, imported when it is asked for.

    The function is given what the registry's kind is built from, the settings among it.
    """

    kind: str
    entries: Mapping[str, str]

    def __getitem__(self, name: str) -> Callable[..., Built]:
        """The function that builds `name`. Raises `ConfigError` naming the nearest there is."""
        if name not in self.entries:
            near = difflib.get_close_matches(name, self.entries, n=1)
            raise ConfigError(
                f"there is no {self.kind} '{name}'",
                f"Did you mean {near[0]}?" if near else f"There are {', '.join(self.entries)}.",
            )
        module, _, function = self.entries[name].partition(":")
        return cast("Callable[..., Built]", getattr(import_module(module), function))

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def __iter__(self) -> Iterator[str]:
        """The names, in their order."""
        return iter(self.entries)
