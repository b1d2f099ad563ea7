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
    """Factories of one kind of adapter by name, each as `module:function`, imported on demand.

    The arguments of a factory depend on the kind; the settings are among them.
    """

    kind: str
    entries: Mapping[str, str]

    def __getitem__(self, name: str) -> Callable[..., Built]:
        """The factory of `name`. Raises `ConfigError` with the nearest known name."""
        if name not in self.entries:
            near = difflib.get_close_matches(name, self.entries, n=1)
            raise ConfigError(
                f"there is no {self.kind} '{name}'",
                f"Did you mean {near[0]}?" if near else f"Known names: {', '.join(self.entries)}.",
            )
        module, _, function = self.entries[name].partition(":")
        return cast("Callable[..., Built]", getattr(import_module(module), function))

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def __iter__(self) -> Iterator[str]:
        """The names in the order of definition."""
        return iter(self.entries)
