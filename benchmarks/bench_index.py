"""How long the embedded index takes, and what the adapter adds to the bare engine.

python benchmarks/bench_index.py [POINTS]
"""

from __future__ import annotations

import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import cast

import qdrant_edge as edge

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
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex

DIMENSION, TERMS, VOCABULARY = 384, 60, 20_000
NAME, PROJECT = "bench", "bench/random"
BATCH, QUERIES, LIMIT = 256, 300, 10
COLLECTION = Collection(
    name=NAME,
    project_id=PROJECT,
    generation="bench",
    dense_model="dense",
    dimension=DIMENSION,
    sparse_model="sparse",
)


def main(points: int) -> None:
    random.seed(0)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        fill(root, points)
        peak()
        index = QdrantEdgeIndex(root)
        with timed("open, first count"):
            index.count(NAME, Selection(project_id=PROJECT))
        queries = [hybrid() for _ in range(QUERIES)]
        shard = index.points(NAME)._shard  # the same shard, past the adapter
        assert shard is not None
        bare_requests = [bare(query) for query in queries]
        times = alternately(
            [partial(index.search, NAME, query) for query in queries],
            [partial(shard.query, request) for request in bare_requests],
            [partial(_read, shard, request) for request in bare_requests],
        )
        for what, kept in zip(("adapter", "engine", "engine, payload read"), times):
            report(f"hybrid query, {what}", kept)
        adapter, *engine = map(statistics.median, times)
        for what, median in zip(("engine", "engine, payload read"), engine):
            print(f"{f'adapter / {what}, p50':<36}{adapter / median:8.2f}")
        index.close()


def fill(root: Path, points: int) -> None:
    """Store as an ingest does: a group at a time, each of them flushed."""
    index = QdrantEdgeIndex(root)
    index.create(COLLECTION)
    storing = 0.0
    for start in range(0, points, BATCH):
        group = [embedded(number) for number in range(start, min(start + BATCH, points))]
        began = time.perf_counter()
        index.upsert(NAME, group)
        index.flush(NAME)
        storing += time.perf_counter() - began
    print(f"{f'upsert and flush {points}':<28}{storing:8.2f} s")
    with timed("optimize"):
        index.optimize(NAME)
    with timed("close"):
        index.close()


def peak() -> None:
    here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    optimiser = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    print(f"{'peak memory':<28}{here:8} MB here{optimiser:8} MB in the optimiser")


def embedded(number: int) -> EmbeddedChunk:
    chunk = Chunk(
        id=f"{number:016x}",
        doc_id=f"doc-{number // 100}",
        text=" ".join(f"word{random.randrange(VOCABULARY)}" for _ in range(150)),
        page_span=(1, 2),
        section_path=("2 Methods", "2.1 Sampling"),
        chunk_idx=number % 100,
        token_count=250,
        signal_to_noise=0.9,
    )
    citation = CitationMeta(
        citekey=f"key{number // 100}", title="A title", authors=("A, B",), year=2000, tags=("t",)
    )
    stored = StoredChunk(
        project_id=PROJECT,
        chunk=chunk,
        source_path=f"{chunk.doc_id}.pdf",
        citation=citation,
        embed_model="dense",
        sparse_model="sparse",
    )
    return EmbeddedChunk(stored=stored, dense=dense(), sparse=sparse(TERMS))


def dense() -> list[float]:
    return [random.gauss(0.0, 1.0) for _ in range(DIMENSION)]


def sparse(terms: int) -> SparseVector:
    indices = tuple(sorted(random.sample(range(VOCABULARY), terms)))
    return SparseVector(indices=indices, values=tuple(random.uniform(0.5, 2.0) for _ in indices))


def hybrid() -> IndexQuery:
    return IndexQuery(
        selection=Selection(project_id=PROJECT),
        mode=Mode.HYBRID,
        limit=LIMIT,
        dense=dense(),
        sparse=sparse(8),
    )


def bare(query: IndexQuery) -> edge.QueryRequest:
    assert query.dense is not None
    assert query.sparse is not None
    match = edge.MatchValue(value=PROJECT)
    where = edge.Filter(must=[edge.FieldCondition(key="project_id", match=match)])
    words = edge.SparseVector(list(query.sparse.indices), list(query.sparse.values))
    sides = [
        edge.Query.Nearest(list(query.dense), using="dense"),
        edge.Query.Nearest(words, using="sparse"),
    ]
    return edge.QueryRequest(
        limit=LIMIT,
        prefetches=[edge.Prefetch(limit=50, query=side, filter=where) for side in sides],
        query=cast("edge.Fusion", edge.Fusion.Rrf(k=11)),
        with_payload=True,
    )


def _read(shard: edge.EdgeShard, request: edge.QueryRequest) -> None:
    """The engine makes a payload only when it is looked at."""
    for point in shard.query(request):
        assert point.payload


def alternately(*kinds: list[Callable[[], object]]) -> list[list[float]]:
    """Milliseconds a call of each, taken in turn so that none has the quieter machine.

    Each is the first for a third of the queries: whoever is first brings what a query reads into
    the processor's caches, which on a small index is worth a third of the time.
    """
    times: list[list[float]] = [[] for _ in kinds]
    for number, calls in enumerate(zip(*kinds)):
        turn = number % len(kinds)
        pairs = list(zip(calls, times))
        for call, kept in pairs[turn:] + pairs[:turn]:
            start = time.perf_counter()
            call()
            kept.append((time.perf_counter() - start) * 1000)
    return times


def report(what: str, times: list[float]) -> None:
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    print(f"{what:<36}{p50:8.2f} ms p50{p95:8.2f} ms p95")


@contextmanager
def timed(what: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"{what:<28}{time.perf_counter() - start:8.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
