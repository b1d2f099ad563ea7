"""Extensions: entry points that have a name in citeloom.toml, of citeloom's own distribution or of
others.

Each registry below is an extension point: its entry points are called as its protocol says.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, cast

from citeloom.domain.errors import ConfigError, extra_missing

if TYPE_CHECKING:
    from pathlib import Path

    from citeloom.application.ports.conversion import FileConverter
    from citeloom.application.ports.embedders import Embedders, Reranker
    from citeloom.application.ports.records import ManifestStore
    from citeloom.application.ports.vector_index import VectorIndex
    from citeloom.domain.chunks.pre_chunks import ChunkingStrategy
    from citeloom.domain.project import Project
    from citeloom.infrastructure.settings import Settings
    from citeloom.infrastructure.settings.values import AddedTable

LOADED_VARIABLE = "CITELOOM_EXTENSIONS"
"""`none` leaves the extensions of other distributions alone."""
TRACE_VARIABLE = "CITELOOM_TRACE_EXTENSIONS"
"""If set, every extension that is found or loaded is a line on stderr."""
_DISTRIBUTION = "citeloom"
_RECIPES = {
    "milvus-documents": ("citeloom-milvus-documents", "markdown-notes"),
    "postgresql+langchain": ("citeloom-langchain-tables", "pdf-in-portuguese"),
}
"""The distribution that adds a name, and the recipe whose folder it is in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """An entry point. The `version` of citeloom's own is empty: reading it would delay each start.
    `extra` names the packages that it needs.
    """

    group: str
    name: str
    module: str
    attribute: str
    distribution: str
    version: str = ""
    extra: str = ""

    @classmethod
    def found(cls, point: EntryPoint, *, distribution: str, version: str = "") -> Extension:
        """The extension of an entry point, which is traced."""
        extension = cls(
            group=point.group,
            name=point.name,
            module=point.module,
            attribute=point.attr,
            distribution=distribution,
            version=version,
            extra=next(iter(point.extras), ""),
        )
        extension.trace("found", str(point.dist.locate_file("")) if point.dist else "")
        return extension

    @property
    def is_own(self) -> bool:
        return self.distribution == _DISTRIBUTION

    @property
    def full_version(self) -> str:
        """Changes with the distribution and its version."""
        return f"{self.distribution} {self.version}".rstrip()

    def load(self) -> object:
        """What the entry point names. Raises `ConfigError` if it cannot be imported."""
        try:
            module = import_module(self.module)
            loaded: object = getattr(module, self.attribute)
        except (ImportError, AttributeError) as error:
            if self.extra and isinstance(error, ImportError):
                raise extra_missing(
                    f"'{self.name}' needs a package that cannot be loaded: {error}", self.extra
                ) from error
            raise ConfigError(
                f"'{self.name}' of {self.full_version} cannot be loaded: {error}",
                f"Install {self.distribution} again, or remove it.",
            ) from error
        self.trace("loaded", module.__file__ or "")
        return loaded

    def trace(self, event: str, place: str) -> None:
        """Say what happened to the extension, and where it is, if that is asked for."""
        if os.environ.get(TRACE_VARIABLE):
            print(  # noqa: T201 - before logging is configured
                f"extension {event}: {self.group} {self.name} = {self.module}:{self.attribute} "
                f"({self.full_version}, {place})",
                file=sys.stderr,
            )


@cache
def own_extensions(group: str) -> Mapping[str, Extension]:
    """The extensions of citeloom itself, by name. Raises `ConfigError` where the installation is
    older than the code.
    """
    points = _own_entry_points()
    needed = {STORES.group, group} & {STORES.group, CONVERTERS.group}
    if not needed <= {point.group for point in points}:
        raise ConfigError(
            "citeloom was installed from older code than it runs: its extensions are not listed",
            "Install it again; in a checkout: pip install --no-deps --editable .",
        )
    return {
        point.name: Extension.found(point, distribution=_DISTRIBUTION)
        for point in points
        if point.group == group
    }


@cache
def _own_entry_points() -> tuple[EntryPoint, ...]:
    try:
        return tuple(distribution(_DISTRIBUTION).entry_points)
    except PackageNotFoundError:
        return ()


@cache
def added_extensions(group: str) -> Mapping[str, Extension]:
    """The extensions of other distributions, by name, except those that are called as citeloom's
    own. Raises `ConfigError` where two have the same name.
    """
    choice = os.environ.get(LOADED_VARIABLE, "")
    if choice == "none":
        return {}
    if choice:
        raise ConfigError(
            f"{LOADED_VARIABLE} is '{choice}', which is not understood",
            "Set it to none, or unset it to use every extension that is installed.",
        )
    by_name: dict[str, Extension] = {}
    for point in entry_points(group=group):
        if point.name in own_extensions(group):
            continue
        extension = Extension.found(
            point,
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


def forget_extensions() -> None:
    """Look for extensions anew, after a distribution was installed."""
    for each in (own_extensions, added_extensions, _own_entry_points):
        each.cache_clear()


Called = TypeVar("Called")


@dataclass(frozen=True, slots=True)
class Registry(Generic[Called]):
    """The extensions of one group, each imported when it is first used. Those of others are looked
    for only where none of citeloom's own has the name.
    """

    kind: str
    group: str

    def __getitem__(self, name: str) -> Called:
        """What is called by that name. Raises `ConfigError` with the nearest known name."""
        return cast("Called", self.extension(name).load())

    def extension(self, name: str) -> Extension:
        """The extension of that name. Raises `ConfigError` with the nearest known name."""
        extension = own_extensions(self.group).get(name) or added_extensions(self.group).get(name)
        if extension is not None:
            return extension
        if name in _RECIPES:
            needed, recipe = _RECIPES[name]
            raise ConfigError(
                f"the {self.kind} '{name}' needs {needed}, which is not installed",
                f"In the checkout: pip install ./recipes/{recipe}/extension",
            )
        near = difflib.get_close_matches(name, list(self), n=1)
        raise ConfigError(
            f"there is no {self.kind} '{name}'",
            f"Did you mean {near[0]}?" if near else f"Known names: {', '.join(self)}.",
        )

    def __contains__(self, name: str) -> bool:
        return name in own_extensions(self.group) or name in added_extensions(self.group)

    def __iter__(self) -> Iterator[str]:
        """The names, citeloom's own first."""
        yield from own_extensions(self.group)
        yield from added_extensions(self.group)

    def is_known(self, name: str) -> bool:
        """Whether there is such an extension, or a recipe of the checkout brings it."""
        return name in self or name in _RECIPES


class OpenStore(Protocol):
    """Opens a store, named by the scheme of its address."""

    def __call__(self, settings: Settings, /) -> VectorIndex: ...


class ConvertText(Protocol):
    """Reads a file as Markdown, named by the suffix of its files. A converter may also be a class
    of `FileConverter`, as citeloom's own are.
    """

    def __call__(self, path: Path, /) -> str: ...


class OpenEmbedders(Protocol):
    """Opens the models of a project, named by the first part of its `embedding_model`."""

    def __call__(self, settings: Settings, project: Project, /) -> Embedders: ...


class OpenReranker(Protocol):
    """Opens a reranker, named by the first part of `[rerank] model`."""

    def __call__(self, settings: Settings, project: Project, name: str, /) -> Reranker: ...


class OpenManifest(Protocol):
    """Opens what repeats the manifest of a library elsewhere, named by a table of settings."""

    def __call__(
        self, settings: Settings, index: Callable[[], VectorIndex], manifest: ManifestStore, /
    ) -> ManifestStore: ...


STORES: Registry[OpenStore] = Registry("vector store", "citeloom.stores")
CHUNKERS: Registry[ChunkingStrategy] = Registry("chunker", "citeloom.chunkers")
CONVERTERS: Registry[ConvertText | type[FileConverter]] = Registry(
    "converter", "citeloom.converters"
)
EMBEDDERS: Registry[OpenEmbedders] = Registry("family of models", "citeloom.embedders")
RERANKERS: Registry[OpenReranker] = Registry("family of rerankers", "citeloom.rerankers")
MANIFESTS: Registry[OpenManifest] = Registry("manifest", "citeloom.manifests")
TABLES: Registry[type[AddedTable]] = Registry("table of settings", "citeloom.settings")

EXTENSION_POINTS = (STORES, CHUNKERS, CONVERTERS, EMBEDDERS, RERANKERS, MANIFESTS, TABLES)
