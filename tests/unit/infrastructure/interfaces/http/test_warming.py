"""Projects are loaded one after another, and again where they could not be."""

from __future__ import annotations

import threading
import time
from typing import NoReturn, cast

import pytest

from citeloom.application.jobs import Jobs
from citeloom.application.limits import CallLimits
from citeloom.application.ports.vector_index import Serving
from citeloom.domain.errors import (
    ConfigError,
    IndexLocked,
    IndexUnavailable,
    ModelUnavailable,
)
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.http_server import warm
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import Library

PATIENCE = 10.0


class Served(Serving):
    idle_seconds = 0.0


class Loadable:
    """A project that raises these errors, one each time it is served or loaded."""

    def __init__(self, serve: list[Exception], load: list[Exception]) -> None:
        self._errors = {"serve": serve, "load": load}
        self.loads = 0

    def serve(self) -> Serving:
        self._next("serve")
        return Served()

    def load_models(self) -> None:
        self.loads += 1
        self._next("load")

    def _next(self, what: str) -> None:
        if errors := self._errors[what]:
            raise errors.pop(0)


class LoadableLibrary:
    def __init__(self, **projects: Loadable) -> None:
        self.projects = projects

    def project(self, name: str) -> Loadable:
        return self.projects[name]

    def ingest_target(self, name: str) -> NoReturn:
        raise AssertionError(f"no job ingests into {name} here")


def service_of(**projects: Loadable) -> ServedLibrary:
    library = cast("Library", LoadableLibrary(**projects))
    return ServedLibrary(
        library=library,
        jobs=Jobs(library.ingest_target, clock=SystemClock()),
        projects=tuple(projects),
        calls=Calls(CallLimits()),
    )


def warmed(service: ServedLibrary) -> tuple[list[str], list[Serving]]:
    """What is reported, and what is served, once all are loaded."""
    said: list[str] = []
    servings: list[Serving] = []
    warm(service, said.append, servings, first_pause=0.01)
    return said, servings


@pytest.mark.parametrize(
    "error",
    [
        IndexUnavailable("no answer from Qdrant"),
        ModelUnavailable("the model is not there"),
        ConnectionError("a raw error of a client library"),
    ],
)
def test_a_project_that_fails_holds_up_no_other_and_is_tried_again(error: Exception) -> None:
    service = service_of(first=Loadable([error, error, error], []), other=Loadable([], []))
    said, servings = warmed(service)
    assert service.readiness.is_ready
    assert len(servings) == 2
    assert len(said) == 1, "the same reason is reported once"
    assert said[0].startswith("project first: ")


def test_what_is_not_loaded_is_not_ready() -> None:
    service = service_of(first=Loadable([ModelUnavailable("none")] * 1000, []))
    thread = threading.Thread(target=warmed, args=(service,))
    thread.start()
    while not service.readiness.codes:
        time.sleep(0.01)
    assert not service.readiness.is_ready
    assert service.readiness.codes == ("MODEL_UNAVAILABLE",)
    service.ending.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_an_index_on_a_server_needs_its_models_and_its_store() -> None:
    project = Loadable(
        [ConfigError("the index is on a server")] * 2, [IndexUnavailable("no answer")]
    )
    service = service_of(first=project)
    said, servings = warmed(service)
    assert (project.loads, servings) == (2, [])
    assert said == ["project first: no answer; it is tried again"]


def test_an_index_that_another_process_serves_is_ready() -> None:
    service = service_of(first=Loadable([IndexLocked("process 7 serves it")], []))
    said, servings = warmed(service)
    assert service.readiness.is_ready
    assert servings == []
    assert said == ["project first: process 7 serves it; it answers through that process"]
