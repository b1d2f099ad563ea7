"""Where the HTTP server listens, and whom it answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """An address and a port to listen at. `hosts` are further names by which clients may call the
    server, `origins` the web pages elsewhere whose scripts may; `token_file` holds the token.
    """

    host: str = "127.0.0.1"
    port: int = 8484
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    token_file: Path | None = None
