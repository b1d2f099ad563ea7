"""The HTTP API under load: queries a second, latencies, memory.

python -m benchmarks.bench_http [--library FOLDER] [--seconds 10] [--requests 5000]

Against the bare calls (embed the question, search) and the library's query in the same run, all by
the same questions. Without a folder the sample library is made and ingested. The clients run in a
process of their own, but on the same processors.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from threading import Thread

from scripts.make_sample_library import make_library

from citeloom import open_library
from citeloom.application.open_project import OpenProject
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import IndexQuery, Selection
from citeloom.domain.retrieval.sparse import in_document_context_field
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.settings import load_settings

QUESTIONS = (
    "How long do turbidity loggers stay reliable before fouling?",
    "Wie viel Wasser braucht ein Stadtbaum?",
    "How is a fair queue scheduled?",
    "At which temperature are vaccines kept?",
    "drift of the electronics",
    "What does a copper collar do?",
    "barnacles",
    "How were the instruments calibrated before each campaign?",
)
CLIENTS = (1, 8, 32)
WARM_UP = 20
TOP_K = 6
STEPS = 5
MIXED_CLIENTS = 8


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--library", type=Path)
    options.add_argument("--seconds", type=float, default=10.0)
    options.add_argument("--requests", type=int, default=5_000)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.library or sample(Path(temporary))
        project, here = in_process(folder, asked.seconds)
        with served(folder) as address:
            for clients in CLIENTS:
                median = over_http(address, project, clients, asked.seconds)
                print(f"  {median / here:.2f} times the call in process")
            memory(address, project, asked.requests)


def sample(folder: Path) -> str:
    make_library(folder)
    with open_library(folder) as library:
        library.project().ingest()
    return str(folder)


# --- in this process -----------------------------------------------------------------------------


def in_process(folder: str | Path, seconds: float) -> tuple[str, float]:
    """Time the bare calls and the whole query; the project's id, and the median of the latter."""
    library = Library(load_settings(cwd=Path(folder)))
    project = library.project(library.project_ids()[0])
    timed("embed + search, in process", seconds, lambda text: bare(project.opened, text))
    median = timed(
        "library.query, in process", seconds, lambda text: project.query(text, top_k=TOP_K)
    )
    library.close()
    return project.project.id, median


def bare(opened: OpenProject, text: str) -> object:
    """One hybrid search by the question's vectors, without anything around it."""
    assert opened.sparse is not None
    wanted = IndexQuery(
        selection=Selection(project_id=opened.settings.id),
        mode=Mode.HYBRID,
        limit=TOP_K,
        dense=opened.dense.embed_query(text),
        sparse=in_document_context_field(opened.sparse.embed_query(text)),
    )
    return opened.index.search(opened.settings.collection, wanted)


def timed(what: str, seconds: float, call: Callable[[str], object]) -> float:
    questions = cycle(QUESTIONS)
    for _ in range(WARM_UP):
        call(next(questions))
    times, end, before = [], time.perf_counter() + seconds, time.process_time()
    while (start := time.perf_counter()) < end:
        call(next(questions))
        times.append(time.perf_counter() - start)
    return report(what, times, seconds, time.process_time() - before)


def report(what: str, times: list[float], seconds: float, processor: float) -> float:
    """Print the figures; the median in milliseconds."""
    cuts = statistics.quantiles((1000 * one for one in times), n=100)
    print(
        f"{what:<28}{len(times) / seconds:8.1f} q/s{cuts[49]:9.1f} p50{cuts[94]:9.1f} p95"
        f"{cuts[98]:9.1f} p99 ms{1000 * processor / len(times):8.1f} ms of processor each, "
        f"{len(times)} queries",
        flush=True,
    )
    return cuts[49]


# --- over HTTP -----------------------------------------------------------------------------------


@contextmanager
def served(folder: str | Path) -> Iterator[str]:
    """The address of a server that is ready."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "citeloom", "serve", "--port", "0"],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stderr is not None
    try:
        found = None
        while found is None:
            found = re.search(r"http://([\d.:]+)/", process.stderr.readline())
        asked_until(found[1], "/api/v1/health")
        up = time.perf_counter() - began
        asked_until(found[1], "/api/v1/ready")
        print(f"up after {up:.1f} s, ready after {time.perf_counter() - began:.1f} s", flush=True)
        yield found[1]
    finally:
        process.terminate()
        process.communicate(timeout=60)


def asked_until(address: str, path: str) -> None:
    while True:
        connection = http.client.HTTPConnection(address)
        connection.request("GET", path)
        if connection.getresponse().status == 200:
            return
        time.sleep(0.05)


def over_http(address: str, project: str, clients: int, seconds: float) -> float:
    """So many clients that each ask again as soon as they are answered; their median."""
    before = figure(address, "process_cpu_seconds_total")
    command = [sys.executable, __file__, "--clients", address, project, str(clients), str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    answers = json.loads(done.stdout)
    spent = figure(address, "process_cpu_seconds_total") - before
    if answers["refused"]:
        print(f"  refused: {answers['refused']}")
    return report(f"HTTP, {clients} clients", answers["times"], seconds, spent)


def load(address: str, project: str, clients: int, seconds: float) -> None:
    """What the clients' process does."""
    times: list[float] = []
    refused: list[int] = []

    def ask(first: int) -> None:
        connection = http.client.HTTPConnection(address)
        end, number = time.perf_counter() + seconds, first
        while (start := time.perf_counter()) < end:
            status = post(connection, project, QUESTIONS[number % len(QUESTIONS)])
            if status == 200:
                times.append(time.perf_counter() - start)
            else:
                refused.append(status)
            number += 1

    threads = [Thread(target=ask, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({"times": times, "refused": len(refused)}))


def post(connection: http.client.HTTPConnection, project: str, question: str) -> int:
    body = json.dumps({"project": project, "text": question, "top_k": TOP_K})
    connection.request("POST", "/api/v1/query", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    return answer.status


def memory(address: str, project: str, requests: int) -> None:
    """The server's memory while many requests of every cheap kind are answered."""
    told = [f"{resident(address):.0f} MB at first"]
    for step in range(1, STEPS + 1):
        command = [sys.executable, __file__, "--mixed", address, project, str(requests // STEPS)]
        subprocess.run(command, check=True, env=os.environ)
        told.append(f"{resident(address):.0f} after {step * (requests // STEPS)}")
    print("memory: " + ", ".join(told))


def mixed(address: str, project: str, requests: int) -> None:
    """What eight clients do: questions, documents, figures and mistakes in turn."""
    listed = f"/api/v1/documents?project={project}&limit=5"
    paths = (listed, "/api/v1/projects", "/api/v1/health", f"/api/v1/jobs?project={project}")
    wrong = f"/api/v1/passages/none?project={project}"

    def ask(first: int) -> None:
        connection = http.client.HTTPConnection(address)
        for number in range(first, requests, MIXED_CLIENTS):
            turn = number // MIXED_CLIENTS
            if turn % 4 == 0:
                assert post(connection, project, QUESTIONS[turn % len(QUESTIONS)]) == 200
                continue
            connection.request("GET", wrong if turn % 4 == 1 else paths[turn % len(paths)])
            connection.getresponse().read()

    with ThreadPoolExecutor(MIXED_CLIENTS) as pool:
        list(pool.map(ask, range(MIXED_CLIENTS)))


def resident(address: str) -> float:
    return figure(address, "process_resident_memory_bytes") / 1e6


def figure(address: str, name: str) -> float:
    """One of the server's own figures."""
    connection = http.client.HTTPConnection(address)
    connection.request("GET", "/api/v1/metrics")
    text = connection.getresponse().read().decode()
    found = re.search(rf"^{name} (\S+)", text, re.MULTILINE)
    assert found
    return float(found[1])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--clients"]:
        load(sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
    elif sys.argv[1:2] == ["--mixed"]:
        mixed(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        main()
