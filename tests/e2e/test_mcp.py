"""`citeloom mcp` over stdio: with several callers, beside an ingest, and with bad clients."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
import tomli
from mcp.client.client import Client

from citeloom.infrastructure.interfaces.mcp.mcp_server import TOOLS
from tests.e2e.command import SMALL, Desk
from tests.e2e.mcp_session import (
    DISCOVER,
    INITIALIZE,
    INITIALIZED,
    Mode,
    call,
    client_process,
    is_alive,
    raw_server,
    receive,
    send,
    talk,
    tool_call,
)
from tests.e2e.processes import processes_in, wait_until
from tests.integration.mcp.fuzzing import Fuzz

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and /proc")

QUESTION = {"project": SMALL, "text": "Where is wheat grown?", "top_k": 3}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_eight_at_a_time_get_what_one_gets(small: Desk, mode: Mode) -> None:
    alone = small.must("query", "Where is wheat grown?", "-k", "3", "--format", "json").json

    async def session(client: Client) -> None:
        assert len((await client.list_tools()).tools) == len(TOOLS)
        found = await asyncio.gather(*(call(client, "query_hybrid", **QUESTION) for _ in range(8)))
        for one in found:
            assert [item["chunk_id"] for item in one["items"]] == [
                item["chunk_id"] for item in alone["items"]
            ]
            assert one["items"][0]["citation"] == alone["items"][0]["citation"]

    talk(small, session, mode)


def test_a_start_takes_no_lock_and_opens_no_shard(small: Desk) -> None:
    before = sorted(path for path in small.data.rglob("*"))
    with raw_server(small) as probe:
        send(probe, DISCOVER)
        assert "supportedVersions" in receive(probe)["result"]
        assert sorted(path for path in small.data.rglob("*")) == before
        probe.kill()  # as clients do with the sibling they probe
        with raw_server(small) as server:
            send(server, INITIALIZE)
            assert receive(server)["result"]["serverInfo"]["name"] == "citeloom"
            send(server, INITIALIZED, tool_call(2, "query", **QUESTION))
            assert receive(server)["result"]["isError"] is False


def test_two_servers_share_a_project(small: Desk) -> None:
    with raw_server(small) as one, raw_server(small) as two:
        for server in (one, two):
            send(server, INITIALIZE, INITIALIZED, tool_call(2, "query", **QUESTION))
        answers = [[receive(server), receive(server)][1] for server in (one, two)]
        items = [answer["result"]["structuredContent"]["items"] for answer in answers]
        assert items[0] == items[1]
        one.kill()
        one.wait()
        send(two, tool_call(3, "query", **QUESTION))
        assert receive(two)["result"]["structuredContent"]["items"] == items[0]


def test_malformed_and_oversized_input_is_refused_and_the_server_goes_on(small: Desk) -> None:
    bad = (
        b"not json",
        b"{}",
        b"[]",
        b"\xff\xfe\x00",
        b'{"jsonrpc": "2.0", "id": 7, "method": "no/such"}',
        b"[" * 5000,
        json.dumps(tool_call(8, "query", project=SMALL, text="x" * 5_000_000)).encode(),
        json.dumps(tool_call(9, "query", project="x" * 1_000_000, text="x")).encode(),
        b'{"jsonrpc": "2.0", "id": 10, "method": "tools/call", "params": {"name": 5}}',
        b'{"jsonrpc": "2.0", "id": 11, "method": "tools/call", "params": []}',
    )
    with raw_server(small) as server:
        send(server, INITIALIZE, INITIALIZED, *bad, tool_call(99, "list_projects"))
        answers: dict[object, dict[str, Any]] = {}
        while not {8, 9, 10, 11, 99} <= answers.keys():
            answer = receive(server)
            answers[answer.get("id")] = answer
    assert answers[99]["result"]["structuredContent"]["projects"][0]["id"] == SMALL
    assert answers[11]["error"]["code"] == -32602
    for number, code in ((8, "INVALID_FILTER"), (9, "INVALID_FILTER")):
        assert answers[number]["result"]["structuredContent"]["code"] == code


def test_a_client_that_vanishes_ends_the_server(small: Desk) -> None:
    client = client_process(small, INITIALIZE, INITIALIZED, tool_call(2, "query", **QUESTION))
    assert client.stdout is not None
    server = int(client.stdout.readline())
    assert '"id":2' in [client.stdout.readline() for _ in range(2)][1].replace(" ", "")
    client.send_signal(signal.SIGKILL)
    client.communicate()
    wait_until(lambda: not is_alive(server))
    assert "Traceback" not in small.stderr_file.read_text(encoding="utf-8")
    assert [line for line in processes_in(small.folder) if "citeloom" in line] == []
    assert small.must("query", "Where is wheat grown?").out


def test_a_client_that_vanishes_during_an_ingest_loses_nothing(small: Desk) -> None:
    ingest = tool_call(2, "ingest_from_source", project=SMALL, force=True)
    client = client_process(small, INITIALIZE, INITIALIZED, ingest)
    assert client.stdout is not None
    server = int(client.stdout.readline())
    assert '"running"' in [client.stdout.readline() for _ in range(2)][1]
    client.send_signal(signal.SIGKILL)
    client.communicate()
    wait_until(lambda: not is_alive(server))
    small.must("ingest")
    assert len(small.chunks()) == 12
    assert small.run("validate").code == 0


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_order(small: Desk, kind: signal.Signals) -> None:
    with raw_server(small) as server:
        send(server, INITIALIZE, INITIALIZED, tool_call(2, "query", **QUESTION))
        receive(server), receive(server)
        server.send_signal(kind)
        assert server.wait(60) == 0
    assert not [*small.data.rglob("holder")]
    assert "Traceback" not in small.stderr_file.read_text(encoding="utf-8")


NOISE = """
import os, sys

def make(words):
    print(words, flush=True)
    os.write(1, words.encode() + b"\\n")

class Talkative:
    def find_spec(self, name, path=None, target=None):
        if name in {"mcp", "structlog", "sqlite3"}:
            make(f"words of {name}")

sys.meta_path.insert(0, Talkative())
if "workers.worker" in "".join(sys.orig_argv):
    make("words of a worker")
"""
"""What libraries print when they are loaded, and workers when they start."""


class NoisyDesk(Desk):
    """A desk whose processes print what nobody asked for."""

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, "PYTHONPATH": ":".join([str(self.folder), *sys.path])}


def test_stdout_carries_the_protocol_alone(small: Desk) -> None:
    """What workers and libraries print goes to stderr."""
    (small.folder / "sitecustomize.py").write_text(NOISE, encoding="utf-8")
    noisy = NoisyDesk(small.folder, small.models)
    with raw_server(noisy) as server:
        ingest = tool_call(2, "ingest_from_source", project=SMALL, force=True)
        send(server, INITIALIZE, INITIALIZED, ingest)
        receive(server)
        job = receive(server)["result"]["structuredContent"]["job_id"]
        for number in range(3, 200):
            send(server, tool_call(number, "ingest_status", project=SMALL, job_id=job))
            if receive(server)["result"]["structuredContent"]["state"] == "done":
                break
            time.sleep(0.2)
        else:
            pytest.fail("the job did not end")
    stderr = small.stderr_file.read_text(encoding="utf-8")
    for name in ("mcp", "structlog", "sqlite3"):
        assert stderr.count(f"words of {name}") >= 2
    assert "words of a worker" in stderr


@pytest.mark.slow
def test_calls_by_chance_beside_a_running_ingest(small: Desk) -> None:
    """What a query finds while documents are written again is of its project, and no fault."""
    fuzzes = [Fuzz(Random(n), {SMALL: ()}, ("library", "")) for n in range(8)]

    async def session(client: Client) -> None:
        ingest = small.start("ingest", "--force")

        async def calling(fuzz: Fuzz) -> None:
            for _ in range(25):
                await fuzz.call(client)

        await asyncio.gather(*map(calling, fuzzes))
        assert await asyncio.to_thread(ingest.wait, 120) == 0
        found = await call(client, "query_hybrid", **QUESTION)
        assert found["items"]

    talk(small, session)
    assert len(small.chunks()) == 12


def test_a_job_tells_its_progress_and_can_be_cancelled(small: Desk) -> None:
    steps: list[float] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        assert message
        steps.append(progress)

    async def session(client: Client) -> None:
        asked = {"project": SMALL, "force": True}
        result = await client.call_tool("ingest_from_source", asked, progress_callback=progress)
        job = result.structured_content
        while job["state"] == "running":
            await asyncio.sleep(0.2)
            job = await call(client, "ingest_status", project=SMALL, job_id=job["job_id"])
        assert (job["state"], job["counts"]["indexed"]) == ("done", 6)
        assert steps == sorted(steps)
        assert steps
        second = await call(client, "ingest_from_source", **asked)
        await call(client, "cancel_ingest", project=SMALL, job_id=second["job_id"])
        state = second["state"]
        while state in {"queued", "running"}:
            await asyncio.sleep(0.2)
            status = await call(client, "ingest_status", project=SMALL, job_id=second["job_id"])
            state = status["state"]
        assert state in {"cancelled", "done"}

    talk(small, session)


@pytest.mark.parametrize(
    ("client", "path"),
    [
        ("claude", ("mcpServers", "citeloom")),
        ("cursor", ("mcpServers", "citeloom")),
        ("vscode", ("servers", "citeloom")),
        ("zed", ("context_servers", "citeloom")),
        ("codex", ("mcp_servers", "citeloom")),
    ],
)
def test_the_block_for_each_client_starts_this_library(
    small: Desk, client: str, path: tuple[str, str]
) -> None:
    printed = small.must("mcp", "config", "--client", client).out
    block = tomli.loads(printed) if client == "codex" else json.loads(printed)
    server = block[path[0]][path[1]]
    assert Path(server["command"]).is_absolute()
    assert server["args"][-3:] == ["--config", str(small.config), "mcp"]
    assert server.get("type") == ("stdio" if client == "vscode" else None)
