"""Reading a table of the file as the value that it describes, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from types import GenericAlias
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from citeloom.domain.fields import keys_of

Place = tuple[str, ...]


def table_keys(kind: Any) -> dict[str, tuple[str, ...]]:
    """The keys of a table, each with where its value stands in what the table becomes."""
    return keys_of(kind) if is_dataclass(kind) else {name: (name,) for name in kind.model_fields}


def fault(kind: str, place: Place, written: object, reason: str = "") -> ErrorDetails:
    """An error as pydantic describes it."""
    detail = ErrorDetails(type=kind, loc=place, msg=reason, input=written)
    return {**detail, "ctx": {"error": reason}} if reason else detail


def read_table(
    kind: Any, written: object, place: Place, faults: list[ErrorDetails], **given: object
) -> Any:
    """The value of a table, with fields `given` that are no keys. What is wrong with it is added to
    the `faults`, and there is None.
    """
    if not isinstance(written, Mapping):
        faults.append(fault("dict_type", place, written))
        return None
    keys, values = table_keys(kind), dict[str, Any](given)
    for key in written.keys() & keys.keys():
        *parts, name = keys[key]
        node = values
        for part in parts:
            node = node.setdefault(part, {})
        node[name] = written[key]
    before, value = len(faults), None
    try:
        (value,) = _adapter(kind).validate_python((values,))
    except ValidationError as error:
        at = {path: key for key, path in keys.items()}
        for detail in error.errors(include_url=False):
            _, *loc = detail["loc"]
            depth = next((n for n in (1, 2) if tuple(loc[:n]) in at), 0)
            named = [at[tuple(map(str, loc[:depth]))]] if depth else []
            faults.append({**detail, "loc": (*place, *named, *loc[depth:])})
    faults += [
        fault("extra_forbidden", (*place, key), written[key]) for key in written if key not in keys
    ]
    return value if len(faults) == before else None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """The validator of a table, built for the first file that has it: building all would take
    longer than a question. A dataclass has no configuration of its own, so that of the tuple holds.
    """
    tuple_of: Any = GenericAlias(tuple, (kind,))
    return TypeAdapter(tuple_of, config=ConfigDict(allow_inf_nan=False))
