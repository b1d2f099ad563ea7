"""Requests as HTTP and MCP read them: pydantic models made from their dataclasses."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from annotated_types import Ge, Gt, MinLen
from pydantic import BaseModel, ConfigDict, Field, create_model

from citeloom.application.requests.fields import (
    Brief,
    Choices,
    For,
    Parser,
    Request,
    RequestField,
    Served,
    fields_of,
)

M = TypeVar("M", bound="Arguments")
R = TypeVar("R", bound=Request)

_LONGEST_NAME, _MOST_VALUES = 300, 20
_SOME_TEXT = r"^[^\x00]*\S[^\x00]*$"
Name = Annotated[str, Field(min_length=1, max_length=_LONGEST_NAME, pattern=_SOME_TEXT)]
Year = Annotated[int, Field(ge=0, le=9999)]
Project = Annotated[
    str,
    Field(min_length=1, max_length=300, examples=["citeloom/clean-arch"], description="Its id."),
]


class Arguments(BaseModel):
    """What a program asks; an unknown field is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class OfProject(Arguments):
    """What is asked of one project."""

    project: Project


class RequestModel(Arguments, Generic[R]):
    """A request as other programs give it: `RequestModel[QueryRequest]` has the fields of a
    `QueryRequest` with their bounds, defaults and descriptions.
    """

    request: ClassVar[type[Request]] = Request

    def __class_getitem__(cls, request: Any) -> Any:
        if isinstance(request, type) and issubclass(request, Request):
            kind: Any = request
            return _request_model(cls, kind)
        return super().__class_getitem__(request)

    def asked(self, **options: Any) -> R:
        """The request, with `options` that only callers in this process can give."""
        made: R = request_of(self.request, self, **options)
        return made


class RequestBody(OfProject, RequestModel[R], Generic[R]):
    """A request to a project, with all its options."""


@cache
def _request_model(door: Any, request: Any) -> Any:
    fields = [
        field
        for field in fields_of(request).values()
        if not {For.CALLERS, For.PEOPLE} & {*field.markers}
    ]
    kind = door.__name__.removeprefix("Request")
    title = f"{request.__name__.removesuffix('Request')}{kind}"
    model = model_of(title, door, fields, __doc__=request.__doc__)
    model.request = request
    return model


def model_of(
    title: str,
    base: type[M],
    fields: Collection[RequestField],
    *,
    brief: bool = False,
    **further: Any,
) -> Any:
    """A model of these fields of requests, and of `further` ones; a `brief` one says of its fields
    what language models are told.
    """
    definitions = {
        key: definition
        for field in fields
        for key, definition in _definitions(field, brief=brief).items()
    }
    return create_model(title, __base__=base, **definitions, **further)


def request_of(request: Any, *given: BaseModel, **options: Any) -> Any:
    """The request that has the values of models, those apart that are None."""
    shown = {key: model for model in given for key in type(model).model_fields}
    for name, field in fields_of(request).items():
        if name in options or not shown.keys() >= {*field.keys}:
            continue
        values = tuple(getattr(shown[key], key) for key in field.keys)
        if len(values) > 1 or values[0] is not None:
            options[name] = values if len(values) > 1 else values[0]
    return request(**options)


def _definitions(field: RequestField, *, brief: bool) -> dict[str, Any]:
    """The fields of a model for a field of a request."""
    reads, in_brief = field.get(Parser), field.get(Brief)
    if reads and reads.parts:
        return {
            part: (Year | None, Field(default=None, description=None if brief else text))
            for part, text in reads.parts
        }
    text = (in_brief.text if in_brief else None) if brief else field.help
    default = ... if field.is_required else [] if field.many else field.default
    return {field.keys[0]: (_type(field), Field(default=default, description=text))}


def _type(field: RequestField) -> Any:
    """The type of a field, with its bounds, and those that hold for other programs alone."""
    kind: Any = field.kind
    if field.many:
        bounds = (marker for marker in field.item_markers if not isinstance(marker, Choices))
        item: Any = Name if kind is str else Annotated[kind, Field(), *bounds]
        least, parser = field.get(MinLen), field.get(Parser)
        shortest, longest = least.min_length if least else None, int(field.most or _MOST_VALUES)
        values: Any = Annotated[list[item], Field(min_length=shortest, max_length=longest)]
        return item | values | None if parser and parser.text else values
    if kind is str:
        longest, served = int(field.most or _LONGEST_NAME), field.get(Served)
        pattern = (served.pattern if served else None) or _SOME_TEXT
        kind = Annotated[str, Field(min_length=1, max_length=longest, pattern=pattern)]
        if field.default == "":
            kind = Annotated[str, Field(max_length=longest)]
    elif kind is float:
        kind = Annotated[float, Field(allow_inf_nan=False)]
    elif kind is int:
        below = [marker for marker in field.markers if isinstance(marker, Ge | Gt)]
        kind = Annotated[int, *below, Field(le=field.most)]
    return kind | None if field.optional else kind
