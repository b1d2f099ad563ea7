"""Adapters by name: a new one is a module and one line in its registry, or an entry point."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Generic, TypeVar, cast

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.extensions import Extension, extensions

Built = TypeVar("Built")


@dataclass(frozen=True, slots=True)
class Registry(Generic[Built]):
    """Factories of one kind of adapter by name, each as `module:function`, imported on demand.

    The arguments of a factory depend on the kind; the settings are among them. Other distributions
    add factories under names of their own by entry points of the `group`.
    """

    kind: str
    entries: Mapping[str, str]
    group: str = ""

    def __getitem__(self, name: str) -> Callable[..., Built]:
        """The factory of `name`. Raises `ConfigError` with the nearest known name."""
        if name in self.entries:
            module, _, function = self.entries[name].partition(":")
            return cast("Callable[..., Built]", getattr(import_module(module), function))
        if name in self._added:
            return cast("Callable[..., Built]", self._added[name].load())
        known = [*self.entries, *self._added]
        near = difflib.get_close_matches(name, known, n=1)
        raise ConfigError(
            f"there is no {self.kind} '{name}'",
            f"Did you mean {near[0]}?" if near else f"Known names: {', '.join(known)}.",
        )

    def __contains__(self, name: str) -> bool:
        return name in self.entries or name in self._added

    @property
    def _added(self) -> Mapping[str, Extension]:
        return extensions(self.group) if self.group else {}

    def __iter__(self) -> Iterator[str]:
        """The names of those that come with citeloom, in the order of definition."""
        return iter(self.entries)
