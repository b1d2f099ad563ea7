"""The HTTP server: its app, its warming, its connections, its thread, an orderly shutdown."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from citeloom.application.limits import ServerOptions
from citeloom.application.ports.vector_index import Serving
from citeloom.domain.errors import CiteloomError, ConfigError, IndexLocked
from citeloom.infrastructure.interfaces.http.gate import (
    VARIABLE,
    AccessPolicy,
    AccessToken,
    RequestMiddleware,
    is_loopback,
    read_token,
)
from citeloom.infrastructure.interfaces.http.problems import Refusal, problem_response
from citeloom.infrastructure.interfaces.http.served_library import VALIDATION_SECONDS, ServedLibrary
from citeloom.infrastructure.interfaces.mcp.mcp_app import MCP_PATH, McpApp
from citeloom.infrastructure.library.project import ProjectLibrary

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from citeloom.infrastructure.interfaces.mcp.mcp_server import Offer


# Gets a service ready: indexes opened for other processes, models loaded.

_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 60.0
_log = logging.getLogger(__name__)


def warm(
    service: ServedLibrary,
    report: Callable[[str], object],
    servings: list[Serving],
    *,
    first_pause: float = _FIRST_PAUSE,
) -> None:
    """Load the models of every project, and serve its index where no other process does, until all
    are loaded or the service ends. What cannot be loaded is reported once, and tried again.
    """
    reported: dict[str, str] = {}
    pause = first_pause
    while True:
        for name in service.readiness.missing:
            message = _warmed(service, name, servings)
            if message and reported.get(name) != message:
                report(f"project {name}: {message}")
            reported[name] = message
        if service.readiness.is_ready or service.ending.wait(pause):
            return
        pause = min(2 * pause, _LONGEST_PAUSE)


def _warmed(service: ServedLibrary, name: str, servings: list[Serving]) -> str:
    try:
        message = _load(service.project(name), servings)
    except CiteloomError as error:
        service.readiness.failed(name, error.code)
        return f"{error.message}; it is tried again"
    except Exception as error:  # noqa: BLE001 - one project must not end the warming of the others
        _log.warning("warming failed", exc_info=error, extra={"project": name})
        service.readiness.failed(name, "UNEXPECTED")
        return f"it could not be loaded ({type(error).__name__}); it is tried again"
    service.readiness.loaded(name)
    return message


def _load(project: ProjectLibrary, servings: list[Serving]) -> str:
    """Serve the index, or at least load the models, and make sure that the store answers."""
    message = ""
    try:
        servings.append(project.serve())
    except IndexLocked as error:
        message = f"{error.message}; it answers through that process"
    except ConfigError:
        pass  # an index that is not in the data folder needs no owner
    else:
        return ""
    project.load_models()
    return message


# The app: the HTTP API and MCP behind one access policy.

_SPARE_SECONDS = 30.0
"""For a request to arrive, beside the time of its call."""


def create_app(
    service: ServedLibrary, guard: AccessPolicy, *, mcp_alone: Offer | None = None
) -> ASGIApp:
    """The app that answers for a service whoever the guard lets in: the HTTP API, and over MCP the
    tools that the settings do not leave out; or `mcp_alone` what is offered, and nothing else.
    """

    def make_mcp() -> Server[Any]:
        from citeloom.infrastructure.interfaces.mcp.mcp_server import Offer, make_server

        only = service.projects[0] if len(service.projects) == 1 else None
        without = service.library.server.without_tools
        return make_server(service, mcp_alone or Offer.of(project=only, without=without))

    mcp = McpApp(make_mcp, service.ending)
    api: ASGIApp = _nothing_else
    room = api
    if mcp_alone is None:
        from citeloom.infrastructure.interfaces.http.api import create_api
        from citeloom.infrastructure.interfaces.web.room import create_room

        api, room = create_api(service, guard), create_room(service, guard)

    async def mounted(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        is_page = scope["type"] == "http" and not path.startswith("/api/")
        app = mcp if path == MCP_PATH else room if is_page else api
        await app(scope, receive, send)

    heavy = service.heavy.turn_seconds + VALIDATION_SECONDS
    seconds = max(service.limits.longest_seconds, heavy) + _SPARE_SECONDS
    return RequestMiddleware(mounted, guard=guard, metrics=service.metrics, seconds=seconds)


async def _nothing_else(scope: Scope, receive: Receive, send: Send) -> None:
    refusal = Refusal(
        status=404, code="NOT_FOUND", message="there is nothing here", hint=f"Ask at {MCP_PATH}."
    )
    await problem_response(refusal, scope["state"]["request_id"])(scope, receive, send)


# Connections, which do not stay open for those who send nothing.

WATCH_SECONDS = 15.0

Client = tuple[str, int]


class CountedRequests:
    """An app that counts the requests of each connection: those begun, and those that are open."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._counts: dict[Client, list[int]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        counts = self._counts.setdefault(scope["client"], [0, 0])
        counts[0] += 1
        counts[1] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            counts[1] -= 1

    def of(self, client: Client) -> tuple[int, int]:
        """The number of requests that a client has begun, and of those that are open."""
        begun, is_open = self._counts.get(client, (0, 0))
        return begun, is_open

    def forget(self, client: Client) -> None:
        self._counts.pop(client, None)


class Connection:
    """A connection of uvicorn's to an app of `CountedRequests`, whose answers are sent at once, and
    that is closed when no whole request has arrived in `WATCH_SECONDS` to twice that.
    """

    def __init__(self, **options: Any) -> None:
        self._inner = AutoHTTPProtocol(**options)
        self._requests: CountedRequests = options["config"].app

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to watch the connection. Without `TCP_NODELAY` the body of an answer waits 40 ms
        for the acknowledgement of its head.
        """
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        host, port, *_ = transport.get_extra_info("peername")
        self._client, self._transport, self._answered = (host, port), transport, 0
        self._inner.connection_made(transport)
        self._watch = asyncio.get_running_loop().call_later(WATCH_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Watch it no longer."""
        self._watch.cancel()
        self._inner.connection_lost(exc)
        self._requests.forget(self._client)

    def __getattr__(self, name: str) -> Any:
        """Everything else of a protocol is uvicorn's."""
        return getattr(self._inner, name)

    def _look(self) -> None:
        """Close the connection if all it had to answer was answered when last looked at."""
        begun, is_open = self._requests.of(self._client)
        if not is_open and begun == self._answered:
            self._transport.close()
            return
        self._answered = -1 if is_open else begun
        self._watch = asyncio.get_running_loop().call_later(WATCH_SECONDS, self._look)


# The HTTP server: its socket, its thread, and its end in good order.

_DRAIN_SECONDS = 10
_JOB_SECONDS = 60.0
_KEEP_ALIVE_SECONDS = 15
_BACKLOG = 128


class HttpServer:
    """A service at an address, from `start` to `close`; of `mcp_alone`, to those with a token.

    Raises `ConfigError` for an address that others can reach without a token, and one that cannot
    be listened at.
    """

    def __init__(
        self, service: ServedLibrary, options: ServerOptions, *, mcp_alone: Offer | None = None
    ) -> None:
        self._service = service
        token = _token_for(options)
        if mcp_alone is not None and token is None:
            raise ConfigError(
                "a server over HTTP needs a token",
                f"Name a file with --token-file, or set {VARIABLE}.",
            )
        self._needs_login = token is not None
        self._socket = _listening(options.host, options.port)
        guard = AccessPolicy.of(
            address=options.host, hosts=options.hosts, origins=options.origins, token=token
        )
        guard = replace(guard, with_room=mcp_alone is None)
        configuration = uvicorn.Config(
            CountedRequests(create_app(service, guard, mcp_alone=mcp_alone)),
            http=Connection,  # type: ignore[arg-type]
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_DRAIN_SECONDS,
        )
        self._server = uvicorn.Server(configuration)
        run = partial(self._server.run, sockets=[self._socket])
        self._thread = Thread(target=run, name="http", daemon=True)

    @property
    def url(self) -> str:
        host, port = self._socket.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    @property
    def room_url(self) -> str:
        """The address of the reading room for a browser on this machine."""
        return self.url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")

    @property
    def needs_login(self) -> bool:
        return self._needs_login

    @property
    def idle_seconds(self) -> float:
        """Seconds since the last request; 0 while one is open or a job runs."""
        is_working = any(not job.state.is_final for job in self._service.jobs.list())
        return 0.0 if is_working else self._service.metrics.idle_seconds

    def start(self) -> None:
        """Answer requests in a thread of its own."""
        limit_arenas()
        self._thread.start()
        service = self._service
        trimming = (service.ending, lambda: service.metrics.last_end)
        Thread(target=trim_at_rest, args=trimming, name="trimming", daemon=True).start()

    def close(self, report: Callable[[str], object]) -> None:
        """Answer the requests that are open, and let a job finish the documents in hand."""
        began = time.monotonic()
        self._service.ending.set()
        if not self._service.jobs.close(0):
            report("finishing the current documents")
        self._server.should_exit = True
        self._thread.join(_DRAIN_SECONDS + 1)
        if not self._service.jobs.close(_JOB_SECONDS - (time.monotonic() - began)):
            report("the job did not stop in time; the next ingest continues it")
        self._socket.close()


def _token_for(options: ServerOptions) -> AccessToken | None:
    token = read_token(options.token_file)
    if token is None and not is_loopback(options.host):
        raise ConfigError(
            f"other machines can reach {options.host}, and there is no token",
            "Put a long random text into CITELOOM_TOKEN or [server] token_file, "
            "or listen at 127.0.0.1.",
        )
    return token


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise ConfigError(
            f"port {port} cannot be used at {host}: {str(error.strerror).partition(' (while')[0]}",
            "Is another `citeloom serve` running? Name another with --port, or another address "
            "with --host.",
        ) from error


# Memory that is free, given back to the system.

_ARENA_MAX = -8  # M_ARENA_MAX of glibc
_MOST_ARENAS = 2


def limit_arenas() -> None:
    """Let the threads of this process share two arenas, where the C library is glibc: each thread
    that answers a call would else keep what the largest answer took.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(_ARENA_MAX, _MOST_ARENAS)


def trim() -> None:
    """Give free memory back to the system, where the C library is glibc."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def trim_at_rest(ending: Event, answered: Callable[[], object], seconds: float = 10.0) -> None:
    """Until the end, trim once after every so many seconds in which `answered` has changed."""
    seen = answered()
    while not ending.wait(seconds):
        if (now := answered()) != seen:
            seen = now
            trim()
