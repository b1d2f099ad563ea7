"""The reference page and the template of the configuration, generated from its tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import getdoc
from pathlib import Path
from types import UnionType
from typing import get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from citeloom.domain.project import Project
from citeloom.infrastructure.settings.derived import TableOf, descriptions
from citeloom.infrastructure.settings.layers import secret_variables, variable_for
from citeloom.infrastructure.settings.models import EXAMPLE, RemoteModelTable
from citeloom.infrastructure.settings.project_tables import (
    FrontMatterFieldTable,
    ProjectTable,
    ZoteroSelectionTable,
)
from citeloom.infrastructure.settings.tables import all_tables
from citeloom.infrastructure.settings.values import Table

# The keys of the tables, for generated texts.


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key of a table; without a `default` of its own it has an `example`."""

    name: str
    description: str
    default: object = None
    example: object = None
    is_table: bool = False
    is_secret: bool = False
    is_required: bool = False


def keys_of(table: type[Table]) -> list[Key]:
    """The keys of a table, in the order of its definition."""
    said = descriptions(table.kind) if issubclass(table, TableOf) else {}
    return [
        _key(name, field, field.description or said.get(name, ""))
        for name, field in table.model_fields.items()
    ]


def toml_value(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str | Path):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        pairs = (f"{toml_value(key)} = {toml_value(one)}" for key, one in value.items())
        return f"{{ {', '.join(pairs)} }}"
    raise TypeError(f"a setting cannot be a {type(value).__name__}")


def _key(name: str, field: FieldInfo, description: str) -> Key:
    is_table = _is_table(field)
    has_own_default = not (
        is_table or field.is_required() or field.default_factory or field.default == ()
    )
    return Key(
        name=name,
        description=description,
        default=field.default if has_own_default else None,
        example=field.examples[0] if field.examples else None,
        is_table=is_table,
        is_secret=SecretStr in get_args(field.annotation),
        is_required=field.is_required(),
    )


def _is_table(field: FieldInfo) -> bool:
    kind = get_origin(field.annotation) or field.annotation
    kinds = get_args(field.annotation) if kind is UnionType else (kind,)
    return any(isinstance(one, type) and issubclass(one, Table | dict) for one in kinds)


# The reference page of the configuration, generated from the tables.

_HEAD = """\
# Configuration

citeloom reads the `citeloom.toml` of the current folder or of the nearest one above it, or the
file that `--config` names. Relative paths in it start at its folder. Values come from, in order of
precedence: the command line, `CITELOOM_*` in the environment, `.env` beside the file, the file, the
defaults. In a variable, write a list as entries separated by commas, or as JSON: `["a", "b, c"]`.
An unknown key or an invalid value is an error (exit code 14).
"""


def settings_reference() -> str:
    """Every key with its default, its name in the environment and what it does, as Markdown."""
    parts = [_HEAD, _section("project", '[project."namespace/name"]', ProjectTable)]
    parts += [_section("", '[project."namespace/name".zotero]', ZoteroSelectionTable)]
    field = '[project."namespace/name".front_matter.FIELD]'
    parts += [_section("", field, FrontMatterFieldTable)]
    parts += [_section(name, f"[{name}]", table) for name, table in all_tables().items()]
    parts += [_section("", f'[models."{EXAMPLE}"]', RemoteModelTable)]
    return "\n".join(parts)


def _section(name: str, title: str, table: type[Table]) -> str:
    in_environment = name not in ("", "project")
    heads = ["key", "default", *(["environment"] if in_environment else []), "what it does"]
    rows = [heads, ["---"] * len(heads)]
    for key in keys_of(table):
        variables = [_variables(name, key)] if in_environment else []
        rows.append([f"`{key.name}`", _default(key), *variables, key.description])
    listed = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"## `{title}`\n\n{getdoc(table)}\n\n{listed}\n"


def _default(key: Key) -> str:
    if key.default is None:
        example = f"; e.g. `{toml_value(key.example)}`" if key.example is not None else ""
        return ("required" if key.is_required else "unset") + example
    return f"`{toml_value(key.default)}`"


def _variables(section: str, key: Key) -> str:
    names = [*secret_variables((section, key.name)), variable_for(section, key.name)]
    return " or ".join(f"`{name}`" for name in names)


# The citeloom.toml that `citeloom init` writes.

_TEMPLATE_HEAD = """\
# The configuration of citeloom for this folder and those below it. Keys that are not set
# have their defaults: docs/reference/configuration.md lists every key. CITELOOM_SECTION__KEY in the
# environment, or in .env beside this file, overrides the file.

"""
_EXAMPLES = (
    ("references", "references.json", "CSL-JSON (a Better BibTeX export), BibTeX or RIS"),
    ("sources", ("papers/",), "what `citeloom ingest` reads when no files or folders are named"),
)


def default_toml(
    project_id: str,
    references: str | None,
    sources: Sequence[str],
    given: Mapping[str, Mapping[str, object]] | None = None,
) -> str:
    """The text of a configuration with one project and the tables `given`; everything else is left
    to its default.

    Raises `InvalidProject` for an invalid id.
    """
    project = Project(id=project_id, references=references, sources=tuple(sources))
    values = {"references": project.references, "sources": project.sources or None}
    lines = [f"[project.{toml_value(project.id)}]"]
    for name, example, said in _EXAMPLES:
        value = values[name]
        line = f"{name} = {toml_value(value or example)}"
        lines.append(line if value else f"#{line}  # {said}")
    for table, keys in (given or {}).items():
        lines += ["", f"[{table}]", *(f"{key} = {toml_value(one)}" for key, one in keys.items())]
    return _TEMPLATE_HEAD + "\n".join(lines) + "\n"
