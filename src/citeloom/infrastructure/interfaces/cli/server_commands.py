"""`citeloom serve` and `mcp`: citeloom for other programs."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.interfaces.cli.console import note, out
from citeloom.infrastructure.interfaces.cli.context import note_defaults, opened, opened_library
from citeloom.infrastructure.interfaces.cli.ending import stop_on_signal
from citeloom.infrastructure.interfaces.cli.maintenance_commands import note_store
from citeloom.infrastructure.interfaces.cli.options import ProjectOption, family
from citeloom.infrastructure.interfaces.cli.passage_commands import open_link

if TYPE_CHECKING:
    from citeloom.application.ports.runtime import Cancellation
    from citeloom.application.ports.vector_index import Serving
    from citeloom.infrastructure.interfaces.http.http_server import HttpServer
    from citeloom.infrastructure.interfaces.mcp.mcp_server import Offer
    from citeloom.infrastructure.library.library import Library


_SECONDS_A_MINUTE = 60.0
_POLL_SECONDS = 0.5
_MINUTES_WITHOUT_HTTP = 15.0


# `citeloom serve`.


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
    in_browser: Annotated[
        bool, typer.Option("--open", help="Open the reading room in the browser.")
    ] = False,
) -> None:
    """Serve the reading room and the HTTP API, and keep indexes open and models loaded.

    Serves all projects, or the named one. With --no-http only other commands of this
    user are answered.

    Example: citeloom serve --port 8484

    Example: citeloom serve --open
    """
    if in_browser and not http:
        raise typer.BadParameter("without HTTP there is no reading room: leave out --no-http")
    if http:
        where = ServedAt(host, port, in_browser=in_browser)
        _serve_api(context, project, where, idle_timeout or 0.0)
    else:
        minutes = _MINUTES_WITHOUT_HTTP if idle_timeout is None else idle_timeout
        with opened(context, project, logs=True) as library, stop_on_signal() as stop:
            serving = library.serve()
            note(f"serving project {library.project.id} to this user's processes{_until(minutes)}")
            note(_wait(stop, minutes, lambda: serving.idle_seconds))


@dataclass(frozen=True, slots=True)
class ServedAt:
    """Where to listen, by default as the settings say, and whether to open it in the browser."""

    host: str | None
    port: int | None
    in_browser: bool


def _serve_api(
    context: typer.Context, project: str | None, where: ServedAt, minutes: float
) -> None:
    from citeloom.infrastructure.interfaces.http.http_server import HttpServer, warm
    from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary

    given = {"server": {"host": where.host, "port": where.port}}
    with opened_library(context, given, logs=True) as library, stop_on_signal() as stop:
        service = ServedLibrary.of(library, project)
        note_defaults(library, service.projects[0])
        server = HttpServer(service, library.server)
        servings: list[Serving] = []

        def prepare() -> None:
            note_store(library.project(service.projects[0]) if project else library)
            warm(service, note, servings)

        server.start()
        projects = f"project{'s'[: len(service.projects) > 1]} {', '.join(service.projects)}"
        note(
            f"serving {projects} at {server.url}/, to programs at {server.url}/api/docs"
            f"{_until(minutes)}"
        )
        warming = Thread(target=prepare, daemon=True)
        warming.start()
        with library.server_address.written(server.room_url):
            if where.in_browser:
                _open_room(server)
            ended = _wait(
                stop,
                minutes,
                lambda: min([server.idle_seconds, *(s.idle_seconds for s in [*servings])]),
            )
        server.close(note)
        warming.join()
        note(ended)


def _open_room(server: HttpServer) -> None:
    """Open the reading room, which answers already, in the browser; a failure ends no server."""
    try:
        open_link(f"{server.room_url}/")
    except CiteloomError as error:
        note(f"{error.message}. {error.hint}")
    if server.needs_login:
        note("the browser asks once for the token: that of CITELOOM_TOKEN or [server] token_file")


def _until(minutes: float) -> str:
    return f"; stops after {minutes:g} minutes without a call" if minutes else ""


def _wait(stop: Cancellation, minutes: float, idle_seconds: Callable[[], float]) -> str:
    """Wait for a signal, or for so many minutes without a call, and say what it was."""
    longest = minutes * _SECONDS_A_MINUTE or float("inf")
    while not stop.wait(_POLL_SECONDS) and idle_seconds() < longest:
        pass
    return "stopped" if stop.requested else f"idle for {minutes:g} minutes: stopped"


# What `citeloom mcp` offers: the projects and the tools.


@dataclass(frozen=True, slots=True)
class OfferFlags:
    """The project and the tools that are named; all where none is."""

    project: ProjectOption = None
    tool: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Serve only this tool; repeatable.")
    ] = None
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Serve no tool that starts or stops an ingest.")
    ] = False

    def offer(self, library: Library) -> Offer:
        """What is offered of a library. Raises `InvalidProject`, and `ConfigError` for a tool there
        is not.
        """
        from citeloom.infrastructure.interfaces.mcp.mcp_server import Offer

        named = None if self.project is None else library.project(self.project).project.id
        return Offer.of(
            project=named,
            names=self.tool or (),
            without=library.server.without_tools,
            read_only=self.read_only,
        )

    def arguments(self) -> list[str]:
        project = ["--project", self.project] if self.project else []
        tools = [word for tool in self.tool or () for word in ("--tool", tool)]
        return [*project, *tools, *(["--read-only"] if self.read_only else [])]


# The block that makes an editor start the server.

_NAME = "citeloom"


class Client(StrEnum):
    CLAUDE = "claude"
    CURSOR = "cursor"
    VSCODE = "vscode"
    ZED = "zed"
    CODEX = "codex"


_PLACES = {
    Client.CLAUDE: ".mcp.json of a folder (Claude Code), or claude_desktop_config.json",
    Client.CURSOR: "~/.cursor/mcp.json, or .cursor/mcp.json of a folder",
    Client.VSCODE: ".vscode/mcp.json of a folder",
    Client.ZED: "settings.json",
    Client.CODEX: "~/.codex/config.toml",
}
"""Where the block of each belongs."""


def config_block(client: Client, command: Sequence[str]) -> str:
    """The block to paste into the client's settings, with this command."""
    program, *arguments = command
    if client is Client.CODEX:
        quoted = [json.dumps(w, ensure_ascii=False).replace("\x7f", "\\u007f") for w in command]
        settings = f"command = {quoted[0]}\nargs = [{', '.join(quoted[1:])}]"
        return f"[mcp_servers.{_NAME}]\n{settings}"
    key, more = _KEYS[client]
    server = {**more, "command": program, "args": arguments}
    return json.dumps({key: {_NAME: server}}, indent=2, ensure_ascii=False)


_KEYS: dict[Client, tuple[str, dict[str, object]]] = {
    Client.CLAUDE: ("mcpServers", {}),
    Client.CURSOR: ("mcpServers", {}),
    Client.VSCODE: ("servers", {"type": "stdio"}),
    Client.ZED: ("context_servers", {"env": {}}),
}
"""Where the settings of each in JSON have servers, and what else they say of one."""


# `citeloom mcp config`.


def config(
    context: typer.Context,
    client: Annotated[Client, typer.Option(help="The program that starts the server.")],
    *,
    chosen: OfferFlags,
) -> None:
    """Print the settings by which an editor starts the server for this library.

    Example: citeloom mcp config --client cursor

    Example: citeloom mcp config --client claude --project citeloom/clean-arch --read-only
    """
    with opened_library(context) as library:
        file = library.info.config_file
        chosen.offer(library)
    settings = ("--config", str(file)) if file else ()
    command = [*_this_command(), *settings, "mcp", *chosen.arguments()]
    note(f"for {_PLACES[client]}:")
    if file is None:
        note("no citeloom.toml here: the server will look for one where the editor starts it")
    out(config_block(client, command))


def _this_command() -> list[str]:
    """The absolute command that this process was started as."""
    script = Path(sys.argv[0]).absolute()
    if script.suffix == ".py" or not script.is_file():
        return [sys.executable, "-m", "citeloom"]
    return [str(script)]


mcp_app = family("mcp")
mcp_app.command("config")(config)


@dataclass(frozen=True, slots=True)
class HttpFlags:
    """Whether the server listens over HTTP, where, and the file with its token."""

    http: Annotated[
        bool, typer.Option("--http", help="Serve over streamable HTTP, not over stdio.")
    ] = False
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen at, with --http.")
    ] = "127.0.0.1"
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen at, with --http.")] = (
        8765
    )
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="The file with the bearer token for --http, readable by you alone "
            "(chmod 600); by default the token is taken from CITELOOM_TOKEN."
        ),
    ] = None


@mcp_app.callback()
def mcp(context: typer.Context, *, chosen: OfferFlags, over: HttpFlags) -> None:
    """Serve the library to editors and assistants over the Model Context Protocol.

    Serves all projects, or the named one; all tools, or the named ones.

    Example: citeloom mcp

    Example: citeloom mcp --project citeloom/clean-arch --read-only

    Example: citeloom mcp --http --token-file ~/.config/citeloom-token
    """
    if context.invoked_subcommand is not None:
        return
    if over.http:
        _serve_mcp_over_http(context, chosen, over)
        return
    source, target = _reserved_streams()  # so that no import prints into the protocol
    gc.disable()  # a client is waiting, and what is imported is not garbage
    from citeloom.infrastructure.interfaces.mcp.stdio import serve_stdio

    with opened_library(context, logs=True) as library:
        offer = chosen.offer(library)
        gc.freeze()
        gc.enable()
        serve_stdio(library, offer, source, target)


def _reserved_streams() -> tuple[int, int]:
    """The descriptors that the protocol is read from and written to: from now on, descriptor 0 of
    this process and its children leads nowhere, and what they print on descriptor 1 goes to stderr.
    """
    source, target = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    return source, target


def _serve_mcp_over_http(context: typer.Context, chosen: OfferFlags, over: HttpFlags) -> None:
    from citeloom.infrastructure.interfaces.http.http_server import HttpServer
    from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
    from citeloom.infrastructure.interfaces.mcp.mcp_app import MCP_PATH

    with opened_library(context, logs=True) as library, stop_on_signal() as stop:
        offer = chosen.offer(library)
        service = ServedLibrary.of(library, offer.project)
        options = replace(
            library.server, host=over.host, port=over.port, token_file=over.token_file
        )
        server = HttpServer(service, options, mcp_alone=offer)
        server.start()
        note(f"serving MCP at {server.url}{MCP_PATH}")
        while not stop.wait(_POLL_SECONDS):
            pass
        server.close(note)
