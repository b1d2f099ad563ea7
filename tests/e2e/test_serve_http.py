"""`citeloom serve` over HTTP, as a process of its own: started, asked, stopped."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.e2e.command import COMMAND, SMALL, Desk, project_table
from tests.e2e.mcp_session import INITIALIZE, PATIENCE, call
from tests.e2e.papers import PAPERS, write_papers
from tests.e2e.processes import processes_in, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")

TOKEN = "a-token-of-enough-characters"
QUESTION = {"project": SMALL, "text": "Where do swallows nest?"}


@dataclass(frozen=True)
class Server:
    """A server, its process and a client of it."""

    process: subprocess.Popen[str]
    client: httpx.Client
    url: str

    @property
    def port(self) -> str:
        return self.url.rpartition(":")[2]


@contextmanager
def served(
    desk: Desk, *options: str, env: Mapping[str, str] | None = None, host: str = "127.0.0.1"
) -> Iterator[Server]:
    """A server at any free port, which ends in good order when it is told to."""
    with desk.stderr_file.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(
            [*COMMAND, "serve", "--port", "0", *options],
            cwd=desk.folder,
            env={**desk.environment, **(env or {})},
            stdin=subprocess.DEVNULL,
            stderr=file,
            encoding="utf-8",
        )
    with process:
        wait_until(lambda: "/api/docs" in desk.stderr_file.read_text(encoding="utf-8"), process)
        said = desk.stderr_file.read_text(encoding="utf-8")
        found = re.search(r"http://\S+:(\d+)/api/docs", said)
        assert found, said
        url = f"http://{host}:{found[1]}"
        with httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
            yield Server(process, client, url)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=90)
    assert process.returncode == 0
    assert desk.stderr_file.read_text(encoding="utf-8").endswith("stopped\n")


def ready(server: Server) -> None:
    """Wait until the models are loaded."""
    wait_until(lambda: server.client.get("/api/v1/ready").status_code == 200, server.process)


def test_it_answers_over_http_and_other_commands_at_the_same_time(small: Desk) -> None:
    alone = small.must("query", QUESTION["text"], "--format", "json").json
    with served(small) as server:
        assert server.client.get("/api/v1/health").json()["status"] == "ok"
        first = server.client.post("/api/v1/query", json=QUESTION)
        ready(server)
        beside = small.must("query", QUESTION["text"], "--format", "json").json
        inside = small.run("serve", "--no-http")
        again = small.run("serve", "--port", server.port)
        second = server.client.post("/api/v1/query", json=QUESTION)
    for answer in (first.json(), second.json(), beside):
        assert [one["chunk_id"] for one in answer["items"]] == [
            one["chunk_id"] for one in alone["items"]
        ]
    assert (inside.code, again.code) == (11, 14)
    assert "another `citeloom serve`" in again.err


def test_an_address_that_others_reach_needs_a_token(small: Desk) -> None:
    refused = small.run("serve", "--port", "0", "--host", "0.0.0.0")
    assert refused.code == 14
    assert "there is no token" in refused.err
    with served(small, "--host", "0.0.0.0", env={"CITELOOM_TOKEN": TOKEN}) as server:
        assert server.client.get("/api/v1/projects").status_code == 401
        known = {"authorization": f"Bearer {TOKEN}"}
        assert server.client.get("/api/v1/projects", headers=known).status_code == 200
        elsewhere = {**known, "host": "evil.example"}
        assert server.client.get("/api/v1/projects", headers=elsewhere).status_code == 421
    assert TOKEN not in small.stderr_file.read_text(encoding="utf-8")


def test_a_token_file_that_others_may_read_is_refused(small: Desk) -> None:
    file = small.folder / "token"
    file.write_text(TOKEN, encoding="utf-8")
    file.chmod(0o644)
    env = {"CITELOOM_SERVER__TOKEN_FILE": "token"}
    assert small.run("serve", "--port", "0", env=env).code == 14
    file.chmod(0o600)
    with served(small, env=env) as server:
        assert server.client.get("/api/v1/projects").status_code == 401


def test_a_server_that_is_stopped_finishes_the_documents_in_hand(desk: Desk) -> None:
    write_papers(desk.library, *PAPERS)
    desk.configure(project_table(SMALL))
    with served(desk) as server:
        job = server.client.post("/api/v1/jobs", json={"project": SMALL}).json()
        events = f"/api/v1/jobs/{job['job_id']}/events"
        with server.client.stream("GET", events) as answer:
            assert any("event: stage" in line for line in answer.iter_lines())
    assert [line for line in processes_in(desk.folder) if "citeloom" in line] == []
    kept = {one["path"]: one for one in desk.must("list", "--json").json}
    assert {one["state"] for one in kept.values()} <= {"indexed", "processing", "pending"}
    report = desk.must("ingest", "--json").json
    assert len(report["indexed"]) + len(report["unchanged"]) == len(PAPERS)
    assert {name for name, one in kept.items() if one["state"] == "indexed"} == set(
        report["unchanged"]
    )
    assert desk.must("validate").code == 0


def test_an_idle_server_stops(small: Desk) -> None:
    ended = small.must("serve", "--port", "0", "--idle-timeout", "0.01")
    assert "idle for 0.01 minutes: stopped" in ended.err


def test_only_the_project_that_is_named_is_served(desk: Desk) -> None:
    desk.configure(project_table(SMALL), project_table("lab/other"))
    with served(desk, "--project", SMALL) as server:
        assert [one["id"] for one in server.client.get("/api/v1/projects").json()] == [SMALL]
        asked = server.client.post("/api/v1/query", json={**QUESTION, "project": "lab/other"})
    assert asked.json()["code"] == "INVALID_PROJECT"


def test_mcp_is_served_at_the_same_address_to_those_with_the_token(small: Desk) -> None:
    async def session(url: str) -> None:
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            answer = await call(client, "query", project=SMALL, text=QUESTION["text"])
            assert answer["items"][0]["citation"]

    with served(small, env={"CITELOOM_TOKEN": TOKEN}) as server:
        ready(server)
        asyncio.run(asyncio.wait_for(session(server.url), PATIENCE))
        refused = server.client.post("/mcp", json=INITIALIZE)
        assert (refused.status_code, refused.json()["code"]) == (401, "UNAUTHORIZED")
        token = {"authorization": f"Bearer {TOKEN}"}
        figures = server.client.get("/api/v1/metrics", headers=token).text
        assert 'route="/mcp",status="401"' in figures
