"""Requests as HTTP and MCP read them: pydantic models made from their dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar, cast

from annotated_types import Ge, Gt, MinLen
from pydantic import BaseModel, ConfigDict, Field, create_model

from citeloom.application.requests.fields import (
    For,
    Reads,
    Request,
    RequestField,
    fields_of,
)

R = TypeVar("R", bound=Request)

_LONGEST_NAME, _MOST_VALUES = 300, 20
SOME_TEXT = r"^[^\x00]*\S[^\x00]*$"
Name = Annotated[str, Field(min_length=1, max_length=_LONGEST_NAME, pattern=SOME_TEXT)]
Year = Annotated[int, Field(ge=0, le=9999)]
Project = Annotated[
    str,
    Field(min_length=1, max_length=300, examples=["citeloom/clean-arch"], description="Its id."),
]
LONGEST_DRAFT = 50_000
"""Characters of a draft whose citations are checked."""
LONGEST_SEARCHED = 20_000
"""Characters of a draft whose sentences are searched for, a query each."""
CitationForm = Literal[
    "text", "html", "markdown", "pandoc", "latex", "typst", "bibtex", "biblatex", "csl-json", "ris"
]
StyleName = Annotated[str, Field(max_length=100, pattern="^[a-z0-9][a-z0-9-]*$")]
LanguageName = Annotated[str, Field(max_length=20, pattern="^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]


class Arguments(BaseModel):
    """What a program asks; an unknown field is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class OfProject(Arguments):
    """What is asked of one project."""

    project: Project


class RequestModel(OfProject, Generic[R]):
    """A request, and the project that it is asked of: `RequestModel[QueryRequest]` has the fields
    of a `QueryRequest` with their bounds, defaults and descriptions.
    """

    request: ClassVar[type[Request]] = Request
    shown: ClassVar[Mapping[str, RequestField]] = {}
    hidden: ClassVar[frozenset[For]] = frozenset({For.CALLERS, For.PEOPLE})
    described: ClassVar[bool] = True

    def __class_getitem__(cls, request: Any) -> Any:
        door: Any = cls
        if isinstance(request, type) and issubclass(request, Request):
            return _model(door, cast("Any", request))
        return super().__class_getitem__(request)

    def asked(self, **options: Any) -> R:
        """The request, with `options` that only callers in this process can give."""
        given: dict[str, object] = {}
        for name, field in self.shown.items():
            reads = field.get(Reads)
            pair = tuple(getattr(self, part) for part, _ in reads.parts) if reads else ()
            given[name] = pair or getattr(self, name)
        given = {name: value for name, value in given.items() if value is not None}
        request: Any = self.request
        made: R = request(**(given | options))
        return made


@cache
def _model(door: Any, request: Any) -> Any:
    made: dict[str, Any] = {}
    shown = {
        name: field
        for name, field in fields_of(request).items()
        if door.hidden.isdisjoint(field.markers)
    }
    for name, field in shown.items():
        described: dict[str, Any] = {"description": field.help if door.described else None}
        reads = field.get(Reads)
        if reads and reads.parts:
            for part, text in reads.parts:
                described = {"description": text if door.described else None}
                made[part] = (Year | None, Field(default=None, **described))
        elif field.is_required:
            made[name] = (_type(field), Field(**described))
        else:
            made[name] = (
                _type(field),
                Field(default=[] if field.many else field.default, **described),
            )
    title = f"{request.__name__.removesuffix('Request')}{door.__name__}"
    model = create_model(title, __base__=door, __doc__=request.__doc__, **made)
    model.request, model.shown = request, shown
    return model


def _type(field: RequestField) -> Any:
    """The type of a field, with its bounds, and those that hold for other programs alone."""
    kind: Any = field.kind
    if field.many:
        return _list(field, Name if kind is str else Annotated[kind, Field(), *field.item_markers])
    if kind is str:
        kind = _text(field)
    elif kind is float:
        kind = Annotated[float, Field(allow_inf_nan=False)]
    elif kind is int:
        below = [marker for marker in field.markers if isinstance(marker, Ge | Gt)]
        kind = Annotated[int, *below, Field(le=field.most)]
    return kind | None if field.optional else kind


def _text(field: RequestField) -> Any:
    return Annotated[
        str, Field(min_length=1, max_length=int(field.most or _LONGEST_NAME), pattern=SOME_TEXT)
    ]


def _list(field: RequestField, item: Any) -> Any:
    least, reads = field.get(MinLen), field.get(Reads)
    sizes = Field(
        min_length=least.min_length if least else None,
        max_length=int(field.most or _MOST_VALUES),
    )
    values: Any = Annotated[list[item], sizes]
    return item | values | None if reads and reads.text else values
