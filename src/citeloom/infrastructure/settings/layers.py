"""The sources of values: the file, .env beside it, the environment, the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import tomli

from citeloom.domain.errors import ConfigError
from citeloom.domain.fields import Variable
from citeloom.infrastructure.extensions import TABLES
from citeloom.infrastructure.settings.tables import CORE_TABLES
from citeloom.infrastructure.settings.values import secret_keys

FILE_NAME = "citeloom.toml"
PREFIX = "CITELOOM_"
KEY_VARIABLES = {
    "ZOTERO_API_KEY": ("zotero", "api_key"),
    "ZOTERO_WEBDAV_PASSWORD": ("zotero", "webdav_password"),
    "PGPASSWORD": ("store", "password"),
    "CITELOOM_STORE_PASSWORD": ("store", "password"),
}
"""Further variables, besides `CITELOOM_SECTION__KEY`, that hold a key; of an extension's table,
`CITELOOM_SECTION_KEY` holds one, too.
"""

KeyPath = tuple[str, ...]
Tree = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Values from one source, with the names of their variables if it is an environment."""

    place: str
    tree: Tree
    names: Mapping[KeyPath, str] = field(default_factory=dict)

    def holds(self, path: KeyPath) -> bool:
        """Whether the layer has a value at or under `path`."""
        node: object = self.tree
        for part in path:
            if not isinstance(node, dict) or part not in node:
                return False
            node = node[part]
        return True

    def variable(self, path: KeyPath) -> str | None:
        """The environment variable of a value at or under `path`, if there is one."""
        return next((name for at, name in self.names.items() if at[: len(path)] == path), None)


def variable_for(section: str, key: str) -> str:
    """The environment variable of a key: `CITELOOM_RETRIEVAL__TOP_K`."""
    return f"{PREFIX}{section}__{key}".upper()


def find_file(folder: Path) -> Path | None:
    """The citeloom.toml of a folder or of the nearest one above it, be it a file or not."""
    for place in (folder, *folder.parents):
        if os.path.lexists(place / FILE_NAME):
            return place / FILE_NAME
    return None


def read_file(path: Path) -> Layer:
    """The values of a citeloom.toml. Raises `ConfigError` when it cannot be read as TOML."""
    if path.exists() and not path.is_file():
        raise ConfigError(
            f"{path} is not a file", "Move it away, then `citeloom init` creates one."
        )
    try:
        return Layer(place=str(path), tree=tomli.loads(path.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}",
            "Name an existing file, or create one with `citeloom init`.",
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text", "Save it as UTF-8.") from error
    except tomli.TOMLDecodeError as error:
        raise ConfigError(
            f"{path} is not valid TOML: {error}",
            'Put text in quotes, and a project\'s id as well: [project."namespace/name"].',
        ) from error


def dotenv_variables(path: Path) -> dict[str, str]:
    """The variables of a .env file; none when there is no such file."""
    try:
        if not path.is_file():
            return {}
        from dotenv import dotenv_values  # noqa: PLC0415 - few folders have such a file

        values = dotenv_values(path, interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", "Save it as UTF-8 text.") from error
    return {name: value or "" for name, value in values.items()}


def read_variables(place: str, variables: Mapping[str, str]) -> Layer:
    """The values of environment variables; empty ones are ignored.

    Unknown names that look like a setting are kept, so that they can be refused; any other
    `CITELOOM_…` is ignored.
    """
    tree: dict[str, dict[str, object]] = {}
    names: dict[KeyPath, str] = {}
    for name, value in variables.items():
        path = _key_path(name) if value else None
        if path is not None:
            names[path] = name
            section, key = path
            tree.setdefault(section, {})[key] = Variable(value)
    return Layer(place=place, tree=dict(tree), names=names)


def _key_path(name: str) -> KeyPath | None:
    """The key a variable is meant for; of a wrong form, too, so that it can be refused."""
    if name in KEY_VARIABLES:
        return KEY_VARIABLES[name]
    if not name.startswith(PREFIX):
        return None
    section, separator, key = name[len(PREFIX) :].lower().partition("__")
    if separator:
        return section, key
    for table in chain(CORE_TABLES, TABLES) if "_" in section else ():
        if section.startswith(f"{table}_"):
            key = section.removeprefix(f"{table}_")
            return table, key if key in _secrets(table) else section
    return None


def secret_variables(path: KeyPath) -> list[str]:
    """The variables besides `CITELOOM_SECTION__KEY` of a key from the environment only."""
    names = [name for name, at in KEY_VARIABLES.items() if at == path]
    if len(path) == 2 and path[1] in _secrets(path[0]):
        names.append("_".join((PREFIX.rstrip("_"), *path)).upper())
    return names


def _secrets(name: str) -> list[str]:
    """The secret keys of an extension's table; none of what is no such table."""
    is_added = name not in CORE_TABLES and name in TABLES
    return secret_keys(TABLES[name]) if is_added else []


def merged(layers: Sequence[Layer]) -> Tree:
    """One tree, in which later layers override earlier ones."""
    result: Tree = {}
    for layer in layers:
        for section, table in layer.tree.items():
            below = result.get(section)
            if isinstance(table, Mapping) and isinstance(below, Mapping):
                result[section] = {**below, **table}
            else:
                result[section] = table
    return result


def flags(overrides: Mapping[str, Mapping[str, object]]) -> Layer:
    """The values of the command line; None is a flag that was not given."""
    tree: Tree = {
        section: {key: value for key, value in table.items() if value is not None}
        for section, table in overrides.items()
    }
    return Layer(place="the command line", tree=tree)
