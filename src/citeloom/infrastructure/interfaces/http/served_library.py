"""The library that a server answers for."""

from __future__ import annotations

from asyncio import Semaphore
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from threading import Event
from typing import Self, TypeVar, cast

from starlette.requests import Request

from citeloom.application.limits import CallLimits
from citeloom.domain.errors import InvalidProject
from citeloom.infrastructure.answers.model import Door
from citeloom.infrastructure.interfaces.calls import Calls, LibraryService
from citeloom.infrastructure.interfaces.http.metrics import Metrics
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.library.project import ProjectLibrary

T = TypeVar("T")


def service_of(request: Request) -> ServedLibrary:
    return cast("ServedLibrary", request.app.state.service)


def request_id_of(request: Request) -> str:
    return str(request.scope.get("state", {}).get("request_id", ""))


VALIDATION_SECONDS = 60.0
_DRAWINGS, _WAITING_PICTURES = 2, 1_000
_VISITS, _WAITING_VISITS = 4, 250
VISIT_SECONDS = 60.0
"""How long a page of the reading room may take, most of it in the queue."""
LISTENERS = 64
"""How many clients may follow events at a time."""


class LoadedProjects:
    """Which projects are loaded, and the codes of the errors of those that could not be."""

    def __init__(self, projects: tuple[str, ...]) -> None:
        self._codes: dict[str, str | None] = dict.fromkeys(projects, "")

    @property
    def missing(self) -> tuple[str, ...]:
        """The projects that are not loaded, in their order."""
        return tuple(name for name, code in self._codes.items() if code is not None)

    @property
    def is_ready(self) -> bool:
        return not self.missing

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the errors, sorted."""
        return tuple(sorted({code for code in self._codes.values() if code}))

    @property
    def total(self) -> int:
        return len(self._codes)

    def loaded(self, project: str) -> None:
        self._codes[project] = None

    def failed(self, project: str, code: str) -> None:
        self._codes[project] = code


@dataclass(kw_only=True, eq=False)
class ServedLibrary(LibraryService):
    """A library as it is served: `projects` are those that clients may ask. Pages are drawn by few
    `drawings` of their own; the `visits` of the reading room wait in longer queues than programs.
    """

    drawings: Calls = field(
        default_factory=lambda: Calls(CallLimits(calls=_DRAWINGS, waiting_calls=_WAITING_PICTURES))
    )
    visits: Calls = field(
        default_factory=lambda: Calls(CallLimits(calls=_VISITS, waiting_calls=_WAITING_VISITS))
    )
    metrics: Metrics = field(default_factory=Metrics)
    listeners: Semaphore = field(default_factory=partial(Semaphore, LISTENERS))
    ending: Event = field(default_factory=Event)

    @classmethod
    def of(cls, library: Library, project: str | None = None) -> Self:
        """All projects of a library, or the one that is named or that there is."""
        if not library.project_ids():
            project = library.project(project).project.id
        return super().of(library, project)

    @cached_property
    def readiness(self) -> LoadedProjects:
        return LoadedProjects(self.projects)

    @cached_property
    def door(self) -> Door:
        return Door(public=self.paths.path)

    def project(self, project_id: str) -> ProjectLibrary:
        """A project that is served. Raises `InvalidProject` for any other."""
        if project_id not in self.projects:
            raise InvalidProject(
                f"no project '{project_id}' is served here",
                "GET /api/v1/projects lists those that are.",
            )
        return self.library.project(project_id)

    async def run(
        self, call: Callable[[], T], seconds: float | None = None, lane: Calls | None = None
    ) -> T:
        """What a call of the library returns, made in a thread of a lane, by default of questions.

        Raises `Busy` when too many calls are open, `DeadlineExceeded` when it takes too long.
        """
        return await (lane or self.calls).run(call, seconds or self.limits.inspect_seconds)
