"""What a question takes of a store on this machine and of one 20 ms away: exchanges, kilobytes, ms,
processor ms of the thread that asks, and how many times what one bare hybrid search takes there,
which brings ten chunks without vectors.

python -m benchmarks.bench_round_trips FOLDER PROJECT QUESTIONS [COUNT]

FOLDER holds a citeloom.toml and a library in the embedded store; QUESTIONS is a file of JSON lines
with `question`. Its chunks are copied to a stand-in for a Qdrant server, which is the local mode of
Qdrant's client behind the server's JSON, and to a PostgreSQL of its own. The stand-in compares
every vector in Python: its own time says nothing of a server, its exchanges and bytes do.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import psycopg
from benchmarks.late_proxy import AWAY, Carried, late_database, late_server
from tests.fakes.postgres import database
from tests.fakes.qdrant_server import LocalQdrant, serving

import citeloom
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import EmbeddedChunk, IndexQuery, Selection
from citeloom.domain.retrieval.sparse import in_document_context_field
from citeloom.infrastructure.library.project import ProjectLibrary
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex
from citeloom_postgres.connections import Database
from citeloom_postgres.index import PostgresIndex
from citeloom_qdrant.index import QdrantServerIndex

WARM = 5


@dataclass(frozen=True, slots=True)
class Counters:
    """How many exchanges there were so far, how many bytes came back, and a bare search."""

    exchanges: Callable[[], int]
    carried: Carried
    bare: Callable[[IndexQuery], object]


def main(folder: Path, project: str, questions: list[str]) -> None:
    print(f"{len(questions)} questions of {project}")
    print(
        f"{'store':<24}{'exchanges':>10}{'most':>6}{'kB':>8}{'p50 ms':>9}{'p95 ms':>9}"
        f"{'cpu ms':>9}{'bare ms':>9}{'ratio':>7}"
    )
    os.chdir(folder)
    print_row("embedded", project, questions, None)
    for name, opened in (("Qdrant stand-in", qdrant), ("PostgreSQL", postgres)):
        for delay in (0.0, AWAY):
            with opened(folder, project, delay) as (variable, address, counters):
                os.environ[variable] = address
                place = f"{name}, {delay * 1000:.0f} ms" if delay else name
                print_row(place, project, questions, counters)
                del os.environ[variable]


@contextmanager
def qdrant(folder: Path, project: str, delay: float) -> Iterator[tuple[str, str, Counters]]:
    server = LocalQdrant()
    with ExitStack() as stack:
        address = stack.enter_context(serving(server))
        copy(folder, QdrantServerIndex.connect(address), project)
        there, carried = stack.enter_context(late_server(address, delay))
        index = QdrantServerIndex.connect(there)
        stack.callback(index.close)
        counters = Counters(lambda: len(server.requests), carried, bare_on(index, project))
        yield "CITELOOM_QDRANT__URL", there, counters


@contextmanager
def postgres(folder: Path, project: str, delay: float) -> Iterator[tuple[str, str, Counters]]:
    made, execute = [0], psycopg.Connection.execute

    def counted(*arguments: object, **named: object) -> object:
        made[0] += 1
        return execute(*arguments, **named)  # type: ignore[call-overload]

    with ExitStack() as stack:
        url = stack.enter_context(database())
        copy(folder, PostgresIndex(Database(url)), project)
        address, carried = stack.enter_context(late_database(url, delay))
        psycopg.Connection.execute = counted  # type: ignore[assignment,method-assign]
        stack.callback(setattr, psycopg.Connection, "execute", execute)
        index = PostgresIndex(Database(address))
        stack.callback(index.close)
        bare = bare_on(index, project)
        yield "CITELOOM_STORE__URL", address, Counters(lambda: made[0], carried, bare)


def measured(call: Callable[[IndexQuery], object], query: IndexQuery) -> float:
    """The milliseconds that a call takes."""
    began = time.perf_counter()
    call(query)
    return (time.perf_counter() - began) * 1000


def bare_query(opened: ProjectLibrary, project: str, question: str) -> IndexQuery:
    """The question as one hybrid search."""
    models = opened.opened
    assert models.sparse is not None
    return IndexQuery(
        selection=Selection(project_id=project),
        mode=Mode.HYBRID,
        limit=10,
        dense=models.dense.embed_query(question),
        sparse=in_document_context_field(models.sparse.embed_query(question)),
    )


def bare_on(index: VectorIndex, project: str) -> Callable[[IndexQuery], object]:
    """A search of the project's collection, which is opened here."""
    name = collection_name(project)
    index.count(name, Selection(project_id=project))
    return lambda query: index.search(name, query)


def collection_name(project: str) -> str:
    return "proj-" + project.replace("/", "-")


def copy(folder: Path, index: VectorIndex, project: str) -> None:
    """Copy the chunks of the embedded store."""
    name = collection_name(project)
    source = QdrantEdgeIndex(folder / ".citeloom" / "projects")
    bound = source.binding(name)
    assert bound is not None
    index.create(bound)
    chunks = source.examine(name, Selection(project_id=project))
    while batch := list(islice(chunks, 256)):
        index.upsert(
            name,
            [
                EmbeddedChunk(stored=one.stored, dense=one.dense, sparse=one.sparse)
                for one in batch
                if one.stored and one.dense
            ],
        )
    source.close()
    index.close()


def print_row(place: str, project: str, questions: list[str], counters: Counters | None) -> None:
    with citeloom.open_library() as library:
        opened = library.project(project)
        taken, worked, exchanges, kilobytes = [], [], [], []
        bare: list[float] = []
        queries = [bare_query(opened, project, one) for one in questions] if counters else []
        for question in [*questions[:WARM], *questions]:
            before = (counters.exchanges(), counters.carried.received) if counters else (0, 0)
            began, work_began = time.perf_counter(), time.thread_time()
            opened.query(question)
            taken.append((time.perf_counter() - began) * 1000)
            worked.append((time.thread_time() - work_began) * 1000)
            after = (counters.exchanges(), counters.carried.received) if counters else (0, 0)
            exchanges.append(after[0] - before[0])
            kilobytes.append((after[1] - before[1]) / 1000)
    taken, exchanges, kilobytes = taken[WARM:], exchanges[WARM:], kilobytes[WARM:]
    if counters:
        bare = [measured(counters.bare, one) for one in [*queries[:WARM], *queries]]
    alone = statistics.median(bare[WARM:]) if bare else 0.0
    ratio = f"{statistics.median(taken) / alone:7.1f}" if alone else ""
    print(
        f"{place:<24}{statistics.median(exchanges):10.0f}{max(exchanges):6d}"
        f"{statistics.median(kilobytes):8.0f}{statistics.median(taken):9.0f}"
        f"{statistics.quantiles(taken, n=20)[-1]:9.0f}{statistics.median(worked[WARM:]):9.1f}"
        f"{alone:9.0f}{ratio}",
        flush=True,
    )


if __name__ == "__main__":
    lines = Path(sys.argv[3]).read_text(encoding="utf-8").splitlines()
    asked = [str(json.loads(line)["question"]) for line in lines]
    main(Path(sys.argv[1]).resolve(), sys.argv[2], asked[: int((sys.argv[4:] or ["60"])[0])])
