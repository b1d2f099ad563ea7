"""The MCP server: its list of tools, its start, and what a call costs beside the library itself.

python benchmarks/bench_mcp.py LIBRARY [--calls 200] [--fuzz 2000]

LIBRARY is a folder with a citeloom.toml whose projects are ingested. Latencies over each
transport and in process are measured in turn, call by call, in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from tests.integration.mcp.fuzzing import Fuzz

from citeloom.infrastructure.interfaces.calls import LibraryService
from citeloom.infrastructure.interfaces.mcp.mcp_server import TOOLS, make_server
from citeloom.infrastructure.interfaces.mcp.tool_answers import estimated_tokens
from citeloom.infrastructure.library.library import Library, open_library

TOKEN = "a-token-for-a-benchmark"
QUESTIONS = ("What is measured?", "how long does it last", "methods of sampling", "limits")
AT_ONCE = 8
Ask = Callable[[str], Awaitable[object]]


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("library", type=Path)
    options.add_argument("--calls", type=int, default=200)
    options.add_argument("--fuzz", type=int, default=2000)
    asked = options.parse_args()
    asyncio.run(measure(asked.library.resolve(), asked.calls, asked.fuzz))


async def measure(folder: Path, calls: int, fuzzed: int) -> None:
    for mode in ("legacy", "auto"):
        print(f"start, {mode}:", *[await start(folder, mode) for _ in range(5)])
    async with AsyncExitStack() as stack:
        library = stack.enter_context(open_library(folder))
        project = library.project_ids()[0]
        state = LibraryService.of(library)
        memory = await stack.enter_async_context(Client(make_server(state)))
        stdio = await stack.enter_async_context(over_stdio(folder))
        http = await stack.enter_async_context(over_http(folder))
        sent = (await stdio.list_tools()).model_dump_json(by_alias=True, exclude_none=True)
        print(f"tools: {len(TOOLS)}, {len(sent)} characters, {estimated_tokens(sent)} tokens")

        async def in_process(question: str) -> object:
            return library.project(project).query(question, mode=None, top_k=6)

        doors: dict[str, Ask] = {"in process": in_process}
        for name, client in (("memory", memory), ("stdio", stdio), ("http", http)):
            doors[name] = asking(client, project)
        await latencies(doors, calls)
        await crowd(doors, calls)
        await fuzz(stdio, marks_of(library), folder, fuzzed)


def asking(client: Client, project: str) -> Ask:
    async def ask(question: str) -> object:
        asked = {"project": project, "text": question, "top_k": 6}
        result = await client.call_tool("query_hybrid", asked)
        assert not result.is_error, result.content
        return result

    return ask


async def start(folder: Path, mode: str) -> str:
    """Seconds from the start of the process to the first answer, and to that of a query."""
    began = time.monotonic()
    async with over_stdio(folder, mode) as client:
        ready = time.monotonic() - began
        project = (await client.call_tool("list_projects", {})).structured_content["projects"][0]
        await asking(client, project["id"])(QUESTIONS[0])
        return f"{ready:.2f}/{time.monotonic() - began:.2f}"


@asynccontextmanager
async def over_stdio(folder: Path, mode: str = "legacy") -> AsyncIterator[Client]:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "citeloom", "mcp"], cwd=folder, env={**os.environ}
    )
    async with Client(stdio_client(server), mode=mode) as client:
        yield client


@asynccontextmanager
async def over_http(folder: Path) -> AsyncIterator[Client]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "citeloom", "mcp", "--http", "--port", str(port)]
    environment = {**os.environ, "CITELOOM_TOKEN": TOKEN}
    with subprocess.Popen(command, cwd=folder, env=environment) as server:
        try:
            while socket.socket().connect_ex(("127.0.0.1", port)):
                await asyncio.sleep(0.1)
            async with httpx2.AsyncClient(headers={"authorization": f"Bearer {TOKEN}"}) as http:
                transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
                async with Client(transport) as client:
                    yield client
        finally:
            server.terminate()


async def latencies(doors: dict[str, Ask], calls: int) -> None:
    """One call after another, the doors in turn; the first of each is not counted."""
    times: dict[str, list[float]] = {name: [] for name in doors}
    for number in range(calls + 1):
        for name, ask in doors.items():
            began = time.perf_counter()
            await ask(QUESTIONS[number % len(QUESTIONS)])
            times[name] += [time.perf_counter() - began] if number else []
    print("one at a time, ms:")
    here = statistics.median(times["in process"])
    for name, taken in times.items():
        ratio = statistics.median(taken) / here
        print(f"  {name:<11}", figures(taken), f" {ratio:.2f} times the call in process")


async def crowd(doors: dict[str, Ask], calls: int) -> None:
    print(f"{AT_ONCE} at a time, ms:")
    for name, ask in doors.items():
        if name == "in process":
            continue
        taken: list[float] = []

        async def caller(ask: Ask = ask, taken: list[float] = taken) -> None:
            for number in range(calls // AT_ONCE):
                began = time.perf_counter()
                await ask(QUESTIONS[number % len(QUESTIONS)])
                taken.append(time.perf_counter() - began)

        began = time.perf_counter()
        await asyncio.gather(*(caller() for _ in range(AT_ONCE)))
        rate = len(taken) / (time.perf_counter() - began)
        print(f"  {name:<11}", figures(taken), f"{rate:.0f} calls/s")


def figures(taken: list[float]) -> str:
    cuts = statistics.quantiles([one * 1000 for one in taken], n=100)
    return f"p50 {cuts[49]:6.1f}  p95 {cuts[94]:6.1f}  p99 {cuts[98]:6.1f}"


def marks_of(library: Library) -> dict[str, tuple[str, ...]]:
    """The files of each project, which no answer about another one names."""
    ids = library.project_ids()
    return {one: tuple(d.path for d in library.project(one).documents()) for one in ids}


async def fuzz(client: Client, marks: dict[str, tuple[str, ...]], folder: Path, calls: int) -> None:
    """Calls by chance over all projects beside `citeloom ingest --force` of the first."""
    fuzzes = [Fuzz(random.Random(n), marks, ("",)) for n in range(AT_ONCE)]
    project = next(iter(marks))
    command = [sys.executable, "-m", "citeloom", "ingest", "--force", "--project", project]

    async def caller(fuzz: Fuzz) -> None:
        for _ in range(calls // AT_ONCE):
            await fuzz.call(client)

    began, ingests = time.monotonic(), 0
    calling = asyncio.gather(*map(caller, fuzzes))
    while not calling.done():
        done = await asyncio.to_thread(
            subprocess.run, command, cwd=folder, capture_output=True, check=False
        )
        ingests += done.returncode == 0
    await calling
    outcomes: Counter[str] = Counter()
    for one in fuzzes:
        outcomes.update(one.outcomes)
    seconds = time.monotonic() - began
    print(f"fuzz: {outcomes.total()} calls beside {ingests} ingests in {seconds:.0f} s: ", end="")
    print(", ".join(f"{name} {n}" for name, n in outcomes.most_common()))


if __name__ == "__main__":
    main()
