"""Tools and their calls: arguments, limits, and JSON schemas in as few tokens as say it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property, partial
from inspect import Parameter, signature
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from pydantic import (
    Field,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from citeloom.application.jobs import Jobs
from citeloom.application.limits import CallLimits
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.fields import For, Request, RequestField, fields_of
from citeloom.domain.errors import InvalidFilter, InvalidProject
from citeloom.infrastructure.answers.model import Door, hints
from citeloom.infrastructure.interfaces.mcp.tool_answers import Part, ToolAnswer
from citeloom.infrastructure.interfaces.request_models import (
    Arguments,
    OfProject,
    model_of,
    request_of,
)
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.library.project import ProjectLibrary

# What tools are called with; checked before anything else happens.

_NAMED = 3
_SCOPE = "scope"

A = TypeVar("A", bound=Arguments)
Json = dict[str, Any]
Id = Annotated[str, Field(max_length=300)]
Offset = Annotated[int, Field(ge=0, le=10_000_000)]
Limit = Annotated[int, Field(ge=1, le=100)]


class _OfProject(OfProject):
    project: Id


class _Scope(Arguments):
    """Filters of a tool in one object; one value may stand for a list of it."""

    @field_validator("*", mode="before")
    @classmethod
    def _listed(cls, given: object, info: ValidationInfo) -> object:
        several = cls.model_fields[info.field_name or ""].get_default(call_default_factory=True)
        return [given] if isinstance(several, list) and isinstance(given, str) else given


def _scope_of(fields: Collection[RequestField]) -> Any:
    """The argument that has these fields; its schema has their names alone."""
    model = model_of("Scope", _Scope, fields)
    names = ", ".join(model.model_fields)
    shown: Any = Annotated[model, WithJsonSchema({"type": "object"})]
    return shown | None, Field(default=None, description=names)


@dataclass(frozen=True, slots=True)
class Only:
    """The fields of a request that a tool takes, where these are few."""

    names: Sequence[str]


def parsed(kind: type[A], given: dict[str, object]) -> A:
    """The arguments. Raises `InvalidFilter` that says which of them are wrong, and how."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False)
        wrong = [
            f"{'.'.join(str(part)[:50] for part in fault['loc']) or 'arguments'}: {fault['msg']}"
            for fault in faults
        ]
        more = f"; and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        takes = f"The tool takes: {', '.join(kind.model_fields) or 'none'}."
        if any(fault["loc"][:1] == (_SCOPE,) for fault in faults):
            takes = f"Its {_SCOPE} takes: {kind.model_fields[_SCOPE].description}."
        raise InvalidFilter(
            f"wrong arguments: {'; '.join(wrong[:_NAMED])}{more}"[:500], takes
        ) from None


# One call of a tool.


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool. `cancellation` is requested once nobody waits for its answer; `progress`
    says what is being done, from any thread. With `only` one project is served.
    """

    library: Library
    jobs: Jobs
    correlation_id: str
    only: str | None = None
    progress: Callable[[str], None] = lambda _: None
    cancellation: Cancellation = field(default_factory=Cancellation)


def served_project(library: Library, name: str, only: str | None) -> ProjectLibrary:
    """A project by its id. Raises `InvalidProject` for an unknown one, and any but `only`."""
    if only is not None and name != only:
        raise InvalidProject(f"no project '{name}' is served here", f"The project is {only}.")
    return library.project(name)


# The tools: what each is called, takes, does and answers.


@dataclass(frozen=True)
class Tool:
    """A tool: its name, arguments, description and answer are those of the function that it calls,
    which blocks for at most the limit of that name. What the function takes is the call, the
    project, a request, of which a tool has the options that every caller needs, and single
    arguments; the instructions of the server say how filters are written.

    One that `follows` a job may report its progress; equal calls of one that is `heavy` run once,
    in a lane of their own, and those of `drafts` and those that are `reading` many passages, two at
    a time, in others. A tool of `jobs` is of use where jobs can be started alone.
    """

    call: Callable[..., ToolAnswer]
    _: KW_ONLY
    title: str
    limit: str
    changes: bool = False
    jobs: bool = False
    reaches_out: bool = False
    follows: bool = False
    heavy: bool = False
    drafts: bool = False
    reading: bool = False

    @property
    def name(self) -> str:
        return self.call.__name__

    @property
    def description(self) -> str:
        """What it does, as clients read it."""
        return " ".join((self.call.__doc__ or "").split())

    @cached_property
    def _parameters(self) -> Mapping[str, tuple[Any, ...]]:
        """The types of what the function takes, each with what stands beside it."""
        hints = get_type_hints(self.call, include_extras=True)
        return {
            name: get_args(hint) if get_origin(hint) is Annotated else (hint,)
            for name, hint in hints.items()
            if name != "return"
        }

    @cached_property
    def answer(self) -> type[ToolAnswer]:
        kind: type[ToolAnswer] = get_type_hints(self.call)["return"]
        return kind

    @cached_property
    def arguments(self) -> type[Arguments]:
        base: type[Arguments] = Arguments
        fields, further = list[RequestField](), dict[str, Any]()
        for name, (kind, *markers) in self._parameters.items():
            if kind is ProjectLibrary:
                base = _OfProject
            elif kind is ToolCall:
                continue
            elif _is_request(kind):
                only = next((marker.names for marker in markers if isinstance(marker, Only)), None)
                every = fields_of(kind).values()
                fields += (
                    field
                    for field in every
                    if (field.name in only if only else {*For}.isdisjoint(field.markers))
                )
                scope = [field for field in every if For.SCOPE in field.markers]
                if scope and not only:
                    further[_SCOPE] = _scope_of(scope)
            else:
                default = signature(self.call).parameters[name].default
                default = ... if default is Parameter.empty else default
                further[name] = (Annotated[(kind, *markers)] if markers else kind, default)
        model: type[Arguments] = model_of(self.name, base, fields, brief=True, **further)
        return model

    def run(self, call: ToolCall, arguments: Arguments) -> ToolAnswer:
        given: dict[str, object] = {}
        for name, (kind, *_) in self._parameters.items():
            if kind is ToolCall:
                given[name] = call
            elif kind is ProjectLibrary:
                assert isinstance(arguments, OfProject)
                given[name] = served_project(call.library, arguments.project, call.only)
            elif _is_request(kind):
                scope = getattr(arguments, _SCOPE, None)
                given[name] = request_of(kind, *filter(None, (arguments, scope)))
            else:
                given[name] = getattr(arguments, name)
        return self.call(**given)

    @cached_property
    def listed(self) -> tuple[str, ...]:
        """The lists of its answer, which are cut where it is too large."""
        kinds = hints(self.answer)
        described = self.answer.DESCRIBED.split()
        return tuple(name for name in described if str(kinds[name]).startswith("tuple"))

    def seconds(self, limits: CallLimits) -> float:
        """How long a call may take."""
        return float(getattr(limits, self.limit))

    @cached_property
    def input_schema(self) -> Json:
        """Of its arguments; optional ones are left out, and not said to be null."""
        return _compacted(self.arguments.model_json_schema(), without_null=True)

    @cached_property
    def output_schema(self) -> Json:
        return _answer_schema(*self._parts)

    @cached_property
    def door(self) -> Door:
        return Door(include={part.kind: part.include for part in self._parts})

    @property
    def _parts(self) -> tuple[Part, ...]:
        return Part.of(self.answer, self.answer.DESCRIBED), *self.answer.PARTS


def _is_request(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Request)


def tool(**options: Any) -> Callable[[Callable[..., ToolAnswer]], Tool]:
    """Makes a tool of a function; the options are those of `Tool`."""
    return partial(Tool, **options)


# The JSON schemas of the tools, in as few tokens as say it.


def _answer_schema(answer: Part, *parts: Part) -> Json:
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
    """A schema without titles, patterns, docstrings, wide bounds, long lists of choices, which an
    error names, lists that may be given as one text, and defaults that mean `unset`; what it
    defines stands where it is used, unless that is twice.
    """
    text = json.dumps(full)
    definitions = {
        name: {k: v for k, v in node.items() if k != "enum" or len(v) <= _MOST_CHOICES}
        for name, node in cast("dict[str, Json]", full.get("$defs", {})).items()
    }
    once = {
        name: node
        for name, node in definitions.items()
        if text.count(f'/{name}"') == 1 or not {"enum", "properties"} & node.keys()
    }

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
        if without_null:
            choice = [kind for kind in choice if kind != {"type": "null"}]
            choice = [_TEXT] if _TEXT in choice else choice
        types = [kind.get("type") for kind in choice]
        if not all(isinstance(name, str) for name in types):
            return {"anyOf": choice, **compacted}
        bounds = {k: v for kind in choice for k, v in kind.items() if k != "type"}
        return {"type": types if len(types) > 1 else types[0], **bounds, **compacted}

    schema: Json = compact({**full, "$defs": definitions})
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


_MOST_CHOICES = 12
_TEXT = {"type": "string"}
_OF_DEFINITIONS = frozenset({"description", "required"})
_LEFT_OUT = frozenset({"title", "additionalProperties", "maxLength", "maxItems", "pattern"})
_SILENT: tuple[tuple[str, object], ...] = (
    ("default", None),
    ("default", ""),
    ("default", []),
    ("default", False),
    ("default", 0),
    ("minimum", 0),
    ("minimum", 1),
    ("minLength", 1),
    ("minItems", 1),
    ("maximum", 100),
    ("maximum", 9999),
    ("maximum", 10_000_000),
)
