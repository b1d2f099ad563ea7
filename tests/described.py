"""Whether JSON has the keys and types of its description, and no other key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
from pydantic import TypeAdapter

from citeloom.infrastructure.answers.model import Door, plain


def assert_described(value: object, description: Any) -> None:
    """Fail for a key that the description lacks, and for a value of another type."""
    faults = violations(value, closed_schema(description))
    assert not faults, faults


def violations(value: object, schema: Mapping[str, Any]) -> list[str]:
    """What a JSON schema does not allow of a value, each with its place."""
    faults = jsonschema_rs.iter_errors(dict(schema), value)
    return [f"{'.'.join(map(str, one.instance_path))}: {one.message[:500]}" for one in faults]


@cache
def closed_schema(description: Any) -> dict[str, Any]:
    """The JSON schema of a type, in which an object with named keys has no others."""
    schema = TypeAdapter(description).json_schema(mode="serialization")
    for one in (schema, *schema.get("$defs", {}).values()):
        if "properties" in one:
            one.setdefault("additionalProperties", False)
    return schema


def assert_subset(value: object, description: Any, *own: str) -> None:
    """Fail for a key that neither the description has nor `own` names, and for a value of another
    type; keys may be missing.
    """
    whole = closed_schema(description)
    reference = whole.get("$ref", "").rpartition("/")[2]
    root = whole["$defs"][reference] if reference else whole
    some = {name: one for name, one in root.items() if name != "required"}
    properties = {**root["properties"], **{name: {} for name in own}}
    schema = {**some, "properties": properties, "$defs": whole.get("$defs", {})}
    assert not (faults := violations(value, schema)), faults


def as_json(answer: object, base_dir: Path | None = None) -> Any:
    """What a program is given of an answer, where relative files lie in a folder."""
    return plain(answer, Door(base_dir=base_dir))
