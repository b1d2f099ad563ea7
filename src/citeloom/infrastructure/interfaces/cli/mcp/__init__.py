"""`citeloom mcp` and `citeloom mcp config`."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

import typer

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.interfaces.cli.console import note
from citeloom.infrastructure.interfaces.cli.mcp import config_command
from citeloom.infrastructure.interfaces.cli.session import opened_library
from citeloom.infrastructure.interfaces.mcp.standard_streams import StandardStreams

app = typer.Typer(
    name="mcp",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("config")(config_command.config)


@app.callback()
def mcp(
    context: typer.Context,
    http: Annotated[
        bool,
        typer.Option("--http", help="Serve over streamable HTTP on 127.0.0.1, not over stdio."),
    ] = False,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port, with --http.")] = 8765,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="A file that only you can read (chmod 600) with the bearer token for --http; "
            "unset, it is in CITELOOM_TOKEN."
        ),
    ] = None,
) -> None:
    """Serve the library to editors and assistants over the Model Context Protocol.

    Example: citeloom mcp

    Example: citeloom mcp --http --token-file ~/.config/citeloom-token
    """
    if context.invoked_subcommand is not None:
        return
    if http:
        _serve_http(context, port, token_file)
        return
    streams = StandardStreams()  # from now on, so that no import prints into the protocol
    gc.disable()  # a client is waiting, and what is imported is not garbage
    from citeloom.infrastructure.interfaces.mcp.stdio import serve_stdio

    with opened_library(context, logs=True) as library:
        gc.freeze()
        gc.enable()
        serve_stdio(library, streams)


def _serve_http(context: typer.Context, port: int, token_file: Path | None) -> None:
    from citeloom.infrastructure.interfaces.access_token import VARIABLE, read_token

    token = read_token(token_file)
    if token is None:
        raise ConfigError(
            "a server over HTTP needs a token",
            f"Name a file with --token-file, or set {VARIABLE}.",
        )
    from citeloom.infrastructure.interfaces.mcp.http import HOST, listening, serve_http

    with listening(port) as at, opened_library(context, logs=True) as library:
        note(f"serving MCP at http://{HOST}:{port}/mcp")
        serve_http(library, token, at)
