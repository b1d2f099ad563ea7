"""`citeloom mcp config`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import note, out
from citeloom.infrastructure.interfaces.cli.mcp.offer_options import ChosenOffer, chosen_offer
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.session import opened_library
from citeloom.infrastructure.interfaces.mcp.client_config import PLACES, Client, config_block


@with_options(chosen=chosen_offer)
def config(
    context: typer.Context,
    client: Annotated[Client, typer.Option(help="The program to start the server from.")],
    *,
    chosen: ChosenOffer,
) -> None:
    """Print the block for an editor's settings that starts the server for this library.

    Example: citeloom mcp config --client cursor

    Example: citeloom mcp config --client claude --project citeloom/clean-arch --read-only
    """
    with opened_library(context) as library:
        file = library.info.config_file
        chosen.offer(library)
    settings = ("--config", str(file)) if file else ()
    command = [*_this_command(), *settings, "mcp", *chosen.arguments()]
    note(f"for {PLACES[client]}:")
    if file is None:
        note("no citeloom.toml here: the server will look for one where the editor starts it")
    out(config_block(client, command))


def _this_command() -> list[str]:
    """The absolute command that this process was started as."""
    script = Path(sys.argv[0]).absolute()
    if script.suffix == ".py" or not script.is_file():
        return [sys.executable, "-m", "citeloom"]
    return [str(script)]
