"""`citeloom mcp` and `citeloom mcp config`."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.interfaces.cli.console import note
from citeloom.infrastructure.interfaces.cli.mcp import config_command
from citeloom.infrastructure.interfaces.cli.mcp.offer_options import ChosenOffer, chosen_offer
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.session import opened_library
from citeloom.infrastructure.interfaces.mcp.standard_streams import StandardStreams

app = typer.Typer(
    name="mcp",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("config")(config_command.config)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpOptions:
    """Where the server listens over HTTP, if it does, and the file with its token."""

    http: bool
    host: str
    port: int
    token_file: Path | None


def http_options(
    http: Annotated[
        bool, typer.Option("--http", help="Serve over streamable HTTP, not over stdio.")
    ] = False,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address, with --http.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port, with --http.")] = 8765,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="A file that only you can read (chmod 600) with the bearer token for --http; "
            "unset, it is in CITELOOM_TOKEN."
        ),
    ] = None,
) -> HttpOptions:
    """Whether, and where, to serve over HTTP."""
    return HttpOptions(http=http, host=host, port=port, token_file=token_file)


@app.callback()
@with_options(chosen=chosen_offer, over=http_options)
def mcp(context: typer.Context, *, chosen: ChosenOffer, over: HttpOptions) -> None:
    """Serve the library to editors and assistants over the Model Context Protocol.

    All projects are served, or the one that is named; all tools, or those that are named.

    Example: citeloom mcp

    Example: citeloom mcp --project citeloom/clean-arch --read-only

    Example: citeloom mcp --http --token-file ~/.config/citeloom-token
    """
    if context.invoked_subcommand is not None:
        return
    if over.http:
        _serve_http(context, chosen, over)
        return
    streams = StandardStreams()  # from now on, so that no import prints into the protocol
    gc.disable()  # a client is waiting, and what is imported is not garbage
    from citeloom.infrastructure.interfaces.mcp.stdio import serve_stdio

    with opened_library(context, logs=True) as library:
        offer = chosen.offer(library)
        gc.freeze()
        gc.enable()
        serve_stdio(library, offer, streams)


def _serve_http(context: typer.Context, chosen: ChosenOffer, over: HttpOptions) -> None:
    from citeloom.infrastructure.interfaces.access_token import VARIABLE, read_token

    token = read_token(over.token_file)
    if token is None:
        raise ConfigError(
            "a server over HTTP needs a token",
            f"Name a file with --token-file, or set {VARIABLE}.",
        )
    from citeloom.infrastructure.interfaces.mcp.http import listening, serve_http

    with listening(over.host, over.port) as at, opened_library(context, logs=True) as library:
        offer = chosen.offer(library)
        host = f"[{over.host}]" if ":" in over.host else over.host
        note(f"serving MCP at http://{host}:{over.port}/mcp")
        serve_http(library, offer, token, at)
