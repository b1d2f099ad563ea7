"""The keys of the configuration with their values, and where each value comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any, get_args, get_type_hints

from pydantic import SecretStr

from citeloom.application.library_info import ListedSetting
from citeloom.domain.fields import Variable
from citeloom.infrastructure.settings.error_messages import dotted
from citeloom.infrastructure.settings.layers import KeyPath, Layer, Tree, merged
from citeloom.infrastructure.settings.tables import ProjectTable, all_tables
from citeloom.infrastructure.settings.toml_file import toml_value
from citeloom.infrastructure.settings.values import secret_keys, table_keys

NOT_SHOWN = "(set, and not shown)"
_LOGIN = re.compile(r"//[^/@\s\"]*@")


def list_settings(layers: Sequence[Layer], project_id: str) -> tuple[ListedSetting, ...]:
    """Every key of a project and of the tables for all projects, with the value of the last layer
    that has it, or its default. What is secret is never shown.
    """
    tables: list[tuple[KeyPath, type]] = [(("project", project_id), ProjectTable)]
    tables += [((name,), table) for name, table in all_tables().items()]
    tree = merged(layers)
    return tuple(each for place, kind in tables for each in _listed(place, kind, tree, layers))


def _listed(
    place: KeyPath, kind: type, tree: Tree, layers: Sequence[Layer]
) -> Iterator[ListedSetting]:
    written: Any = tree
    for part in place:
        written = written.get(part, {})
    defaults, secret = _defaults(kind), _secret_keys(kind)
    for name in (*defaults, *(key for key in written if key not in defaults)):
        path = (*place, name)
        layer = next((one for one in reversed(layers) if one.holds(path)), None)
        shown = _shown(written[name] if layer else defaults[name])
        yield ListedSetting(
            table=dotted(place),
            key=name,
            value=NOT_SHOWN if layer and name in secret else shown,
            source=(layer.variable(path) or layer.place) if layer else "",
        )


def _defaults(kind: Any) -> dict[str, object]:
    """The default of each key; None where it depends on the machine, or there is none."""
    if not is_dataclass(kind):
        known = kind.model_fields.items()
        made = {name for name, field in known if field.is_required() or field.default_factory}
        return {name: None if name in made else field.default for name, field in known}
    return {name: _default(kind, path) for name, path in table_keys(kind).items()}


def _default(kind: Any, path: tuple[str, ...]) -> object:
    *parts, name = path
    for part in parts:
        kind = next(field.metadata["part"] for field in fields(kind) if field.name == part)
    default = next(field.default for field in fields(kind) if field.name == name)
    return None if default is MISSING else default


def _secret_keys(kind: Any) -> set[str]:
    if not is_dataclass(kind):
        return {*secret_keys(kind)}
    hints = get_type_hints(kind)
    return {name for name in table_keys(kind) if SecretStr in get_args(hints.get(name))}


def _shown(value: object) -> str:
    """A value as citeloom.toml writes it, without a login in an address; empty for none."""
    if value is None or value in ((), {}, ""):
        return ""
    if isinstance(value, Variable):
        return _LOGIN.sub("//…@", value)
    plain = value.value if isinstance(value, Enum) else value
    if isinstance(plain, Mapping):
        plain = {str(name): item for name, item in plain.items()}
    return _LOGIN.sub("//…@", toml_value(plain))
