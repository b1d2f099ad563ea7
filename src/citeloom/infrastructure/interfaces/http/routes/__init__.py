"""The routes of the API, and what they take of the app and the request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial, wraps
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Path, Query
from pydantic import Field
from starlette.responses import Response

from citeloom.infrastructure.answers.model import Model
from citeloom.infrastructure.interfaces.http.answers import JsonAnswer
from citeloom.infrastructure.interfaces.http.service import (
    ServedLibrary,
    request_id_of,
    service_of,
)
from citeloom.infrastructure.interfaces.request_models import Arguments, OfProject, Project

PREFIX = "/api/v1"


Served = Annotated[ServedLibrary, Depends(service_of)]
RequestId = Annotated[str, Depends(request_id_of)]

ProjectParameter = Annotated[Project, Query(description="The id of the project.")]
Identifier = Annotated[str, Path(min_length=1, max_length=300)]
ModelT = TypeVar("ModelT", bound=Model)
T = TypeVar("T")


class Page(Arguments):
    """Which entries of a list are answered."""

    limit: int = Field(default=50, ge=1, le=500, description="Most entries.")
    offset: int = Field(default=0, ge=0, le=10_000_000, description="Entries to leave out.")

    def of(
        self,
        kind: type[ModelT],
        entries: Sequence[T],
        entry: Callable[[T], object] = lambda entry: entry,
        **further: object,
    ) -> ModelT:
        items = tuple(map(entry, entries[self.offset : self.offset + self.limit]))
        return kind(
            total=len(entries), offset=self.offset, count=len(items), items=items, **further
        )


class ProjectPage(Page, OfProject):
    """A project, and which entries of a list of it are answered."""


def in_thread(
    *,
    seconds: Callable[[ServedLibrary, Mapping[str, Any]], float] | None = None,
    scrubbed: bool = False,
) -> Callable[[Callable[..., object]], Callable[..., Awaitable[Response]]]:
    """Makes a route of a function that asks the library of its `service`: it runs in a thread of
    its own, as many `seconds` as those of the service and what is given allow. Its answer is the
    documented JSON; one that is `scrubbed` holds messages and paths, in which no place of this
    machine is left.
    """

    def decorate(function: Callable[..., object]) -> Callable[..., Awaitable[Response]]:
        @wraps(function)
        async def respond(*, service: ServedLibrary, **given: Any) -> Response:
            call = partial(function, service=service, **given)

            def answer() -> Response:
                value = call()
                if isinstance(value, Response):
                    return value
                return JsonAnswer(service.paths.value(value) if scrubbed else value, service.door)

            return await service.run(answer, seconds(service, given) if seconds else None)

        return respond

    return decorate
