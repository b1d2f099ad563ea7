"""The JSON schemas of the tools, in as few tokens as say it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import TypeAdapter

from citeloom.infrastructure.interfaces.mcp.tool_answers import Part

Json = dict[str, Any]


def input_schema(full: Mapping[str, object]) -> Json:
    """The JSON schema of arguments; optional ones are left out, and not said to be null."""
    return _compacted(full, without_null=True)


def answer_schema(answer: Part, *parts: Part) -> Json:
    """The JSON schema of an answer: of each part the fields that are described. Every field is
    always there, and is not said to be; what words there may be is left to the answer.
    """
    full = TypeAdapter(answer.kind).json_schema(mode="serialization")
    definitions: Json = full.pop("$defs", {})
    shown = {part.kind.__name__: part for part in parts}
    used: Json = {}

    def described(node: Any, part: Part | None) -> Any:
        if isinstance(node, list):
            return [described(part, None) for part in node]
        if not isinstance(node, dict):
            return node
        name = str(node.get("$ref", "")).rpartition("/")[2]
        if name in definitions:
            if "enum" in definitions[name]:
                return {"type": "string"}
            if name not in used:
                used[name] = {}
                used[name] = described(definitions[name], shown.get(name))
            return node
        if "properties" in node and part:
            properties = {key: node["properties"][key] for key in part.described}
            node = {**node, "properties": properties} if properties else {"type": "object"}
        kept = {key: value for key, value in node.items() if key not in {"enum", "const"}}
        return {key: described(value, None) for key, value in kept.items()}

    compact = _compacted({**described(full, answer), "$defs": used}, without_null=False)
    for schema in _objects(compact):
        schema.pop("required", None)
    return compact


def _compacted(full: Mapping[str, object], *, without_null: bool) -> Json:
    """A schema without titles, patterns, docstrings, wide bounds, and defaults that mean `unset`;
    what it defines stands where it is used, unless that is twice.
    """
    text = json.dumps(full)
    definitions = cast("dict[str, Json]", full.get("$defs", {}))
    once = {name: node for name, node in definitions.items() if text.count(f'/{name}"') == 1}

    def compact(node: Any) -> Any:
        if isinstance(node, list):
            return [compact(part) for part in node]
        if not isinstance(node, dict):
            return node
        name = str(node.get("$ref", "")).rpartition("/")[2]
        if name in once:
            inlined = {k: v for k, v in once[name].items() if k not in _OF_DEFINITIONS}
            return compact(inlined | {k: v for k, v in node.items() if k != "$ref"})
        compacted = {
            key: {name: compact(schema) for name, schema in value.items()}
            if key == "properties"
            else compact(value)
            for key, value in node.items()
            if key not in _LEFT_OUT and (key, value) not in _SILENT
        }
        choice = compacted.pop("anyOf", None)
        if not isinstance(choice, list):
            return compacted
        choice = [kind for kind in choice if not without_null or kind != {"type": "null"}]
        types = [kind.get("type") for kind in choice]
        if not all(isinstance(name, str) for name in types):
            return {"anyOf": choice, **compacted}
        bounds = {k: v for kind in choice for k, v in kind.items() if k != "type"}
        return {"type": types if len(types) > 1 else types[0], **bounds, **compacted}

    schema: Json = compact(dict(full))
    shared = {name: node for name, node in schema.pop("$defs", {}).items() if name not in once}
    schema |= {"$defs": shared} if shared else {}
    for part in _objects(schema):
        part.pop("description", None)
    return schema


def _objects(schema: Json) -> Iterator[Json]:
    """The schema, and those that it defines."""
    yield schema
    definitions = schema.get("$defs")
    yield from definitions.values() if isinstance(definitions, dict) else ()


_OF_DEFINITIONS = frozenset({"description", "required"})
_LEFT_OUT = frozenset({"title", "additionalProperties", "maxLength", "maxItems", "pattern"})
_SILENT: tuple[tuple[str, object], ...] = (
    ("default", None),
    ("default", ""),
    ("default", []),
    ("default", False),
    ("default", 0),
    ("minimum", 0),
    ("minLength", 1),
    ("maximum", 9999),
    ("maximum", 10_000_000),
)
