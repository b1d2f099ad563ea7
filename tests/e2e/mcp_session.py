"""The MCP server as an editor starts it: a process of its own, talked to by the SDK's client."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.e2e.command import COMMAND, Desk

PATIENCE = 240.0
SLOW_MACHINE = {
    f"CITELOOM_SERVER__{name}_SECONDS": "120" for name in ("QUERY", "HYBRID", "INSPECT", "INGEST")
}
"""Limits that the start of a model keeps on any machine; the limits have tests of their own."""
Mode = Literal["legacy", "auto"]


def talk(desk: Desk, session: Callable[[Client], Awaitable[None]], mode: Mode = "legacy") -> str:
    """Hold a session over stdio, which ends in time; what the server wrote to stderr."""
    parameters = StdioServerParameters(
        command=COMMAND[0],
        args=[*COMMAND[1:], "mcp"],
        cwd=desk.folder,
        env={**desk.environment, **SLOW_MACHINE},
    )

    async def main() -> None:
        with desk.stderr_file.open("w", encoding="utf-8") as file:
            async with Client(stdio_client(parameters, errlog=file), mode=mode) as client:
                await asyncio.wait_for(session(client), PATIENCE)

    asyncio.run(main())
    return desk.stderr_file.read_text(encoding="utf-8")


async def call(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    """What a tool answers, or its error."""
    result = await client.call_tool(tool, arguments)
    answer: dict[str, Any] = result.structured_content
    return answer


@contextmanager
def raw_server(desk: Desk) -> Iterator[subprocess.Popen[bytes]]:
    """The server with its bare pipes; killed in the end if it is still there."""
    with desk.stderr_file.open("wb") as file:
        server = subprocess.Popen(
            [*COMMAND, "mcp"],
            cwd=desk.folder,
            env={**desk.environment, **SLOW_MACHINE},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=file,
        )
    try:
        yield server
    finally:
        server.kill()
        server.communicate()


def send(server: subprocess.Popen[bytes], *messages: object) -> None:
    """Send messages, or bytes as they are, a line each."""
    assert server.stdin is not None
    for message in messages:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        server.stdin.write(line + b"\n")
    server.stdin.flush()


def receive(server: subprocess.Popen[bytes]) -> dict[str, Any]:
    """The next message."""
    assert server.stdout is not None
    message: dict[str, Any] = json.loads(server.stdout.readline())
    return message


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
DISCOVER = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "server/discover",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}


def tool_call(number: int, tool: str, **arguments: object) -> dict[str, object]:
    """A request to call a tool."""
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


CLIENT = f"""
import subprocess, sys
server = subprocess.Popen({[*COMMAND, "mcp"]!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in sys.argv[1:]:
    server.stdin.write(line.encode() + b"\\n")
server.stdin.flush()
print(server.pid, flush=True)
while True:
    print(server.stdout.readline().decode(), end="", flush=True)
"""
"""A client that starts a server, sends it its arguments, and prints what comes back."""


def client_process(desk: Desk, *messages: object) -> subprocess.Popen[str]:
    """Such a client, to be killed."""
    with desk.stderr_file.open("w", encoding="utf-8") as file:
        return subprocess.Popen(
            [sys.executable, "-c", CLIENT, *map(json.dumps, messages)],
            cwd=desk.folder,
            env={**desk.environment, **SLOW_MACHINE},
            stdout=subprocess.PIPE,
            stderr=file,
            encoding="utf-8",
        )


def is_alive(pid: int) -> bool:
    """Whether a process runs, and is no zombie."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:  # noqa: PTH123
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
