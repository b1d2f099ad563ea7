"""A session over a pair of pipes, as stdin and stdout are."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

import pytest

from citeloom.infrastructure.interfaces.calls import LibraryService
from citeloom.infrastructure.interfaces.mcp.mcp_server import make_server
from citeloom.infrastructure.interfaces.mcp.stdio import converse
from tests.e2e.mcp_session import INITIALIZE, INITIALIZED, tool_call
from tests.fakes.two_projects import LEFT
from tests.integration.mcp.sessions import PATIENCE

INVALID = (
    (rb'{"text": "\ud83d"}', -32700),
    (b"[]", -32602),
    (b'{"a": ' * 900 + b"1" + b"}" * 900, -32700),
)


class Pipes:
    """The client's ends of two pipes, and the server's."""

    def __init__(self) -> None:
        self.source, to_server = os.pipe()
        from_server, self.target = os.pipe()
        self.to_server: IO[bytes] = os.fdopen(to_server, "wb")
        self.from_server: IO[bytes] = os.fdopen(from_server, "rb")

    def send(self, *messages: object) -> None:
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.to_server.write(line + b"\n")
        self.to_server.flush()

    def close(self) -> None:
        for stream in (self.to_server, self.from_server):
            with suppress(OSError):
                stream.close()
        for descriptor in (self.source, self.target):
            os.close(descriptor)


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    pipes = Pipes()
    yield pipes
    pipes.close()


def test_every_line_that_is_no_message_is_answered_and_the_server_goes_on(
    state: LibraryService, pipes: Pipes
) -> None:
    calls = [
        b'{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": %s}' % (n, params)
        for n, (params, _) in enumerate(INVALID, start=10)
    ]

    def client() -> dict[object, dict[str, Any]]:
        pipes.send(INITIALIZE, INITIALIZED, *calls, tool_call(99, "list_projects"))
        answers = [json.loads(pipes.from_server.readline()) for _ in range(2 + len(calls))]
        pipes.to_server.close()
        return {answer["id"]: answer for answer in answers}

    answers = _held(state, pipes, client)
    assert answers[99]["result"]["structuredContent"]["projects"][0]["id"] == LEFT
    codes = [answers[n]["error"]["code"] for n in range(10, 10 + len(INVALID))]
    assert codes == [code for _, code in INVALID]


def test_a_client_that_reads_no_more_ends_the_server(state: LibraryService, pipes: Pipes) -> None:
    def client() -> dict[str, Any]:
        pipes.send(INITIALIZE)
        answer: dict[str, Any] = json.loads(pipes.from_server.readline())
        pipes.from_server.close()
        pipes.send(INITIALIZED, tool_call(2, "list_projects"))
        return answer

    answer = _held(state, pipes, client)
    assert answer["result"]["serverInfo"]["name"] == "citeloom"
    with pytest.raises(BrokenPipeError):  # nobody reads behind the pipe: the server let go of it
        os.write(pipes.target, b"{}\n")


def _held(state: LibraryService, pipes: Pipes, client: Any) -> Any:
    """What the client returns; the server must have ended in time."""

    async def session() -> Any:
        served = converse(make_server(state), pipes.source, pipes.target)
        reply, _ = await asyncio.gather(asyncio.to_thread(client), served)
        return reply

    return asyncio.run(asyncio.wait_for(session(), PATIENCE))
