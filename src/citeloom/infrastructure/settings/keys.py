"""The keys of the tables, for generated texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from citeloom.infrastructure.settings.values import Table


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
    return [_key(name, field) for name, field in table.model_fields.items()]


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


def _key(name: str, field: FieldInfo) -> Key:
    is_table = _is_table(field)
    has_own_default = not (
        is_table or field.is_required() or field.default_factory or field.default == ()
    )
    return Key(
        name=name,
        description=field.description or "",
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
