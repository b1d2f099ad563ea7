"""`citeloom mcp --http`: on loopback, for those who have the token."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.e2e.command import SMALL, Desk
from tests.e2e.mcp_session import INITIALIZE, PATIENCE, SLOW_MACHINE, Mode, call
from tests.e2e.processes import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")

TOKEN = "a-token-that-nobody-guesses"
QUESTION = {"project": SMALL, "text": "Where is wheat grown?", "top_k": 3}
ACCEPT = {"accept": "application/json, text/event-stream"}


@contextmanager
def served(desk: Desk, *options: str) -> Iterator[str]:
    """The address of a server, which ends in order when it is told to."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = desk.folder / "token"
    token.write_text(TOKEN, encoding="utf-8")
    token.chmod(0o600)
    command = ("mcp", "--http", "--port", str(port), "--token-file", str(token), *options)
    with desk.start(*command, env=SLOW_MACHINE) as server:
        try:
            wait_until(lambda: _answers(port), server)
            yield f"http://127.0.0.1:{port}/mcp"
            server.send_signal(signal.SIGTERM)
            out, _ = server.communicate(timeout=60)
        finally:
            server.kill()
    assert server.returncode == 0
    assert not [*desk.data.rglob("holder")]
    assert out == ""
    assert "Traceback" not in desk.stderr_file.read_text(encoding="utf-8")


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _client() -> httpx2.AsyncClient:
    """A client with the token, which waits longer than the five seconds of its library: the first
    question to a server loads its models.
    """
    return httpx2.AsyncClient(headers={"authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE)


def _status(address: str, **headers: str) -> int:
    """How a session that is asked for with these headers is answered."""
    headers = {**ACCEPT, **headers}
    return httpx.post(address, json=INITIALIZE, headers=headers, timeout=PATIENCE).status_code


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_eight_at_a_time_over_http(small: Desk, mode: Mode) -> None:
    async def session(address: str) -> None:
        async with _client() as http:
            transport = streamable_http_client(address, http_client=http)
            async with Client(transport, mode=mode) as client:
                found = await asyncio.gather(
                    *(call(client, "query_hybrid", **QUESTION) for _ in range(8))
                )
                assert len({str(one["items"]) for one in found}) == 1
                assert found[0]["items"][0]["citation"]

    with served(small) as address:
        asyncio.run(asyncio.wait_for(session(address), PATIENCE))


def test_on_every_address_it_answers_by_its_names_and_with_the_token_alone(small: Desk) -> None:
    config = small.config.read_text(encoding="utf-8")
    small.config.write_text(f'{config}\n[server]\nhosts = ["citeloom"]\n', encoding="utf-8")

    async def session(address: str) -> None:
        async with (
            _client() as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert "query" in names
            assert not {"ingest_from_source", "cancel_ingest"} & names
            assert (await call(client, "query", **QUESTION))["items"][0]["citation"]

    with served(small, "--host", "0.0.0.0", "--read-only") as address:
        asyncio.run(asyncio.wait_for(session(address), PATIENCE))
        good = f"Bearer {TOKEN}"
        assert _status(address, authorization=good, host="citeloom:8765") == 200
        assert _status(address, authorization=good, host="192.0.2.1:8765") == 421
        assert _status(address, host="citeloom:8765") == 401


def test_those_without_the_token_or_from_elsewhere_are_refused(small: Desk) -> None:
    with served(small) as address:
        good = f"Bearer {TOKEN}"
        assert _status(address, authorization=good) == 200
        api = address.replace("/mcp", "/api/v1/projects")
        assert httpx.get(api, headers={"authorization": good}, timeout=PATIENCE).status_code == 404
        assert _status(address) == 401
        for wrong in ("", "Bearer", "Bearer x", f"Basic {TOKEN}", f"Bearer {TOKEN}x", TOKEN):
            assert _status(address, authorization=wrong) == 401
        assert _status(address, authorization=good, host="evil.example") == 421
        assert _status(address, authorization=good, origin="https://evil.example") == 403
        large = httpx.post(
            address,
            content=b"x" * (2 << 20),
            headers={**ACCEPT, "authorization": good, "content-type": "application/json"},
            timeout=PATIENCE,
        )
        assert large.status_code == 413
        assert _status(address, authorization=good) == 200


def test_a_client_that_vanishes_leaves_the_server_for_others(small: Desk) -> None:
    with served(small) as address:
        good = f"Bearer {TOKEN}"
        headers = {**ACCEPT, "authorization": good}
        with httpx.Client(headers=headers, timeout=PATIENCE) as client:
            request = client.build_request("POST", address, json=INITIALIZE)
            client.send(request, stream=True)  # and never read
        assert _status(address, authorization=good) == 200


def test_a_server_over_http_needs_a_token_nobody_else_can_read(small: Desk) -> None:
    refused = small.run("mcp", "--http")
    assert refused.code == 14
    assert "needs a token" in refused.err
    token = Path(small.folder / "token")
    token.write_text(TOKEN, encoding="utf-8")
    token.chmod(0o644)
    refused = small.run("mcp", "--http", "--token-file", token)
    assert refused.code == 14
    assert "others may read" in refused.err
    assert TOKEN not in refused.err


def test_the_port_being_taken_is_an_error(small: Desk) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused = subprocess.run(
            [sys.executable, "-m", "citeloom", "mcp", "--http", "--port", port],
            cwd=small.folder,
            env={**small.environment, "CITELOOM_TOKEN": TOKEN},
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )
    assert refused.returncode == 14
    assert f"port {port} cannot be used" in refused.stderr
