"""Adapters by name: citeloom's own, and those that other distributions add by entry points."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar, cast

from citeloom.domain.errors import ConfigError

STORES = "citeloom.stores"
CHUNKERS = "citeloom.chunkers"
CONVERTERS = "citeloom.converters"
EMBEDDERS = "citeloom.embedders"
MANIFESTS = "citeloom.manifests"

BESIDE_RECIPES = {
    "milvus-documents": ("citeloom-milvus-documents", "markdown-notes"),
    "postgresql+langchain": ("citeloom-langchain-tables", "pdf-in-portuguese"),
}
"""The distribution that adds a name, and the recipe whose folder it is in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """An entry point: its name, `module:attribute`, and the distribution that it comes from."""

    name: str
    place: str
    distribution: str
    version: str

    @property
    def full_version(self) -> str:
        """Changes with the distribution and its version."""
        return f"{self.distribution} {self.version}"

    def load(self) -> Any:
        """What the entry point names. Raises `ConfigError` if it cannot be imported."""
        module, _, attribute = self.place.partition(":")
        try:
            return getattr(import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise ConfigError(
                f"'{self.name}' of {self.full_version} cannot be loaded: {error}",
                f"Install {self.distribution} again, or remove it.",
            ) from error


def not_installed(name: str, needed_by: str) -> ConfigError:
    """The error where what needs an extension of a recipe's is used without it."""
    distribution, recipe = BESIDE_RECIPES[name]
    return ConfigError(
        f"{needed_by} needs {distribution}, which is not installed",
        f"In the checkout: pip install ./recipes/{recipe}/extension",
    )


@cache
def extensions(group: str) -> Mapping[str, Extension]:
    """The entry points of a group by name. Raises `ConfigError` where two have the same name."""
    by_name: dict[str, Extension] = {}
    for point in entry_points(group=group):
        extension = Extension(
            name=point.name,
            place=point.value,
            distribution=point.dist.name if point.dist else "",
            version=point.dist.version if point.dist else "",
        )
        other = by_name.setdefault(point.name, extension)
        if other.distribution != extension.distribution:
            raise ConfigError(
                f"{other.distribution} and {extension.distribution} both add '{point.name}' to "
                f"{group}",
                "Uninstall one of them.",
            )
    return by_name


# Registries: a new adapter is a module and one line, or an entry point.

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
        if self.group and name in BESIDE_RECIPES:
            raise not_installed(name, f"the {self.kind} '{name}'")
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
