"""`citeloom serve`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import note
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.session import note_defaults, opened, opened_library
from citeloom.infrastructure.interfaces.cli.signals import stop_on_signal
from citeloom.infrastructure.interfaces.cli.store_command import note_store

if TYPE_CHECKING:
    from citeloom.application.limits import ServerOptions
    from citeloom.application.ports.runtime import Cancellation
    from citeloom.application.ports.vector_index import Serving
    from citeloom.infrastructure.library.library import Library

_SECONDS_A_MINUTE = 60.0
_POLL_SECONDS = 0.5
_MINUTES_WITHOUT_HTTP = 15.0


def serve(
    context: typer.Context,
    project: ProjectOption = None,
    host: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Address to listen at; by default 127.0.0.1."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="Port to listen at; by default 8484; 0 takes a free one."
        ),
    ] = None,
    http: Annotated[
        bool, typer.Option("--http/--no-http", help="Whether to serve the HTTP API.")
    ] = True,
    idle_timeout: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="MINUTES",
            help="Stop after this many minutes without a call; 0 is never. By "
            "default never, or 15 with --no-http.",
        ),
    ] = None,
) -> None:
    """Serve the HTTP API, and keep indexes open and models loaded for other commands.

    Serves all projects, or the named one. With --no-http only other commands of this
    user are answered.

    Example: citeloom serve --port 8484
    """
    if http:
        _serve_http(context, project, host, port, idle_timeout or 0.0)
    else:
        minutes = _MINUTES_WITHOUT_HTTP if idle_timeout is None else idle_timeout
        with opened(context, project, logs=True) as library, stop_on_signal() as stop:
            serving = library.serve()
            note(f"serving project {library.project.id} to this user's processes{_until(minutes)}")
            note(_wait(stop, minutes, lambda: serving.idle_seconds))


def _serve_http(
    context: typer.Context,
    project: str | None,
    host: str | None,
    port: int | None,
    minutes: float,
) -> None:
    """Serve projects over HTTP, too."""
    from citeloom.infrastructure.interfaces.http.server import HttpServer, warm
    from citeloom.infrastructure.interfaces.http.service import ServedLibrary

    with opened_library(context, logs=True) as library, stop_on_signal() as stop:
        service = ServedLibrary.of(library, project)
        note_defaults(library, service.projects[0])
        server = HttpServer(service, _options(library, host, port))
        servings: list[Serving] = []

        def prepare() -> None:
            note_store(library.project(service.projects[0]) if project else library)
            warm(service, note, servings)

        server.start()
        note(f"serving {_named(service.projects)} at {server.url}/api/docs{_until(minutes)}")
        warming = Thread(target=prepare, daemon=True)
        warming.start()
        ended = _wait(
            stop,
            minutes,
            lambda: min([server.idle_seconds, *(s.idle_seconds for s in [*servings])]),
        )
        server.close(note)
        warming.join()
        note(ended)


def _options(library: Library, host: str | None, port: int | None) -> ServerOptions:
    configured = library.server
    return replace(
        configured,
        host=configured.host if host is None else host,
        port=configured.port if port is None else port,
    )


def _named(projects: tuple[str, ...]) -> str:
    return f"project{'s' if len(projects) > 1 else ''} {', '.join(projects)}"


def _until(minutes: float) -> str:
    return f"; stops after {minutes:g} minutes without a call" if minutes else ""


def _wait(stop: Cancellation, minutes: float, idle_seconds: Callable[[], float]) -> str:
    """Wait for a signal, or for so many minutes without a call, and say what it was."""
    longest = minutes * _SECONDS_A_MINUTE or float("inf")
    while not stop.wait(_POLL_SECONDS) and idle_seconds() < longest:
        pass
    return "stopped" if stop.requested else f"idle for {minutes:g} minutes: stopped"
