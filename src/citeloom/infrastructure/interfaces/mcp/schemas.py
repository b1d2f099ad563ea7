"""The JSON schemas of the tools, in as few tokens as say it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import TypeAdapter

from citeloom.infrastructure.interfaces.mcp.answers import Part

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
            return [described(one, None) for one in node]
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
    once = {name: one for name, one in definitions.items() if text.count(f'/{name}"') == 1}
    compact = _Compacting(once, without_null=without_null).compact(dict(full))
    assert isinstance(compact, dict)
    others = {name: one for name, one in compact.pop("$defs", {}).items() if name not in once}
    compact |= {"$defs": others} if others else {}
    for schema in _objects(compact):
        schema.pop("description", None)
    return compact


def _objects(schema: Json) -> Iterator[Json]:
    """The schema, and those that it defines."""
    yield schema
    definitions = schema.get("$defs")
    yield from definitions.values() if isinstance(definitions, dict) else ()


@dataclass(frozen=True, slots=True)
class _Compacting:
    once: Mapping[str, Json]
    without_null: bool

    def compact(self, node: object) -> Any:
        if isinstance(node, list):
            return [self.compact(one) for one in node]
        if not isinstance(node, dict):
            return node
        name = str(node.get("$ref", "")).rpartition("/")[2]
        if name in self.once:
            inlined = {k: v for k, v in self.once[name].items() if k not in _OF_DEFINITIONS}
            return self.compact(inlined | {k: v for k, v in node.items() if k != "$ref"})
        compacted = {
            key: self._properties(value) if key == "properties" else self.compact(value)
            for key, value in node.items()
            if key not in _LEFT_OUT and (key, value) not in _SILENT
        }
        return self._without_choice(compacted)

    def _properties(self, properties: Mapping[str, object]) -> Json:
        return {name: self.compact(one) for name, one in properties.items()}

    def _without_choice(self, node: Json) -> Json:
        """`anyOf` a type or null, in its shorter form."""
        choice = node.pop("anyOf", None)
        if not isinstance(choice, list):
            return node
        if self.without_null:
            choice = [one for one in choice if one != {"type": "null"}]
        types = [one.get("type") for one in choice]
        rest = {k: v for one in choice for k, v in one.items() if k != "type"}
        if all(isinstance(one, str) for one in types):
            return {"type": types if len(types) > 1 else types[0], **rest, **node}
        return {"anyOf": choice, **node}


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
