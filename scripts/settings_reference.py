"""The reference page of the configuration, made from its tables."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any, get_type_hints

from citeloom.domain.documents.metadata import MetadataField
from citeloom.domain.fields import Example
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.settings.layers import secret_variables, variable_for
from citeloom.infrastructure.settings.service_tables import EXAMPLE, RemoteModelTable
from citeloom.infrastructure.settings.tables import ProjectTable, all_tables
from citeloom.infrastructure.settings.toml_file import toml_value
from citeloom.infrastructure.settings.values import table_keys

_HEAD = """\
# Configuration

citeloom reads the `citeloom.toml` of the current folder or of the nearest one above it, or the
file that `--config` names. Relative paths in it start at its folder. Values come from, in order of
precedence: the command line, `CITELOOM_*` in the environment, `.env` beside the file, the file, the
defaults. In a variable, write a list as entries separated by commas, or as JSON: `["a", "b, c"]`.
An unknown key or an invalid value is an error (exit code 14).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key of a table; without a `default` of its own it has an `example`."""

    name: str
    description: str
    default: object = None
    example: object = None
    is_required: bool = False


def settings_reference() -> str:
    """Every key with its default, its name in the environment and what it does, as Markdown."""
    parts = [_HEAD, _section("project", '[project."namespace/name"]', ProjectTable)]
    parts += [_section("", '[project."namespace/name".zotero]', ZoteroSelection)]
    field = '[project."namespace/name".front_matter.FIELD]'
    parts += [_section("", field, MetadataField)]
    parts += [_section(name, f"[{name}]", table) for name, table in all_tables().items()]
    parts += [_section("", f'[models."{EXAMPLE}"]', RemoteModelTable)]
    return "\n".join(parts)


def keys_of(kind: Any) -> list[Key]:
    """The keys of a table, in the order of its definition."""
    if is_dataclass(kind):
        return [_key(name, path, kind) for name, path in table_keys(kind).items()]
    return [
        Key(
            name=name,
            description=field.description or "",
            default=None if field.is_required() or field.default_factory else field.default,
            example=field.examples[0] if field.examples else None,
            is_required=field.is_required(),
        )
        for name, field in kind.model_fields.items()
    ]


def _key(key: str, path: tuple[str, ...], kind: Any) -> Key:
    *parts, name = path
    for part in parts:
        kind = next(field.metadata["part"] for field in fields(kind) if field.name == part)
    field = next(field for field in fields(kind) if field.name == name)
    marks = getattr(get_type_hints(kind, include_extras=True)[name], "__metadata__", ())
    is_unset = field.default in (MISSING, ()) or (name == "collection" and not field.default)
    return Key(
        name=key,
        description=next(
            text for base in kind.__mro__ for text in [dict(_texts(base)).get(name)] if text
        ),
        default=None if is_unset else field.default,
        example=next((mark.value for mark in marks if isinstance(mark, Example)), None),
        is_required=field.default is MISSING and field.default_factory is MISSING,
    )


def _texts(kind: type) -> Iterator[tuple[str, str]]:
    """The texts below the fields of a class, in its source."""
    if not is_dataclass(kind):
        return
    (defined,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(defined, ast.ClassDef)
    for statement, following in zip(defined.body, defined.body[1:]):
        if isinstance(statement, ast.AnnAssign) and isinstance(following, ast.Expr):
            text = ast.literal_eval(following.value)
            yield ast.unparse(statement.target), " ".join(text.split())


def _section(name: str, title: str, table: type) -> str:
    in_environment = name not in ("", "project")
    heads = ["key", "default", *(["environment"] if in_environment else []), "what it does"]
    rows = [heads, ["---"] * len(heads)]
    for key in keys_of(table):
        variables = [_variables(name, key)] if in_environment else []
        rows.append([f"`{key.name}`", _default(key), *variables, key.description])
    meaning, *_ = (inspect.getdoc(table) or "").split("\n\n")
    listed = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"## `{title}`\n\n{meaning}\n\n{listed}\n"


def _default(key: Key) -> str:
    if key.default is None:
        example = f"; e.g. `{toml_value(key.example)}`" if key.example is not None else ""
        return ("required" if key.is_required else "unset") + example
    return f"`{toml_value(key.default)}`"


def _variables(section: str, key: Key) -> str:
    names = [*secret_variables((section, key.name)), variable_for(section, key.name)]
    return " or ".join(f"`{name}`" for name in names)
