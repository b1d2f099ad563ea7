"""How long the embedded index takes, and what the adapter adds to the bare engine.

python benchmarks/bench_index.py [POINTS]
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import qdrant_edge as edge

from citeloom.domain.chunk import Chunk
from citeloom.domain.citation import CitationMeta
from citeloom.domain.passage import EmbeddedChunk, IndexQuery, Selection, SparseVector, StoredChunk
from citeloom.domain.policies import Mode
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.qdrant.edge_index import QdrantEdgeIndex

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
    chunks = [embedded(number) for number in range(points)]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        fill(root, chunks)
        index = QdrantEdgeIndex(root)
        with timed("open, first count"):
            index.count(NAME, Selection(project_id=PROJECT))
        queries = [hybrid() for _ in range(QUERIES)]
        shard = index.points(NAME)._shard  # the same shard, past the adapter
        bare_requests = [bare(query) for query in queries]
        adapter, engine = alternately(
            [lambda query=query: index.search(NAME, query) for query in queries],
            [lambda request=request: shard.query(request) for request in bare_requests],
        )
        report("hybrid query, adapter", adapter)
        report("hybrid query, engine", engine)
        ratio = statistics.median(adapter) / statistics.median(engine)
        print(f"{'adapter / engine, p50':<28}{ratio:8.2f}")
        index.close()


def fill(root: Path, chunks: list[EmbeddedChunk]) -> None:
    index = QdrantEdgeIndex(root)
    with timed("create"):
        index.create(COLLECTION)
    with timed(f"upsert {len(chunks)}"):
        for start in range(0, len(chunks), BATCH):
            index.upsert(NAME, chunks[start : start + BATCH])
    with timed("flush"):
        index.flush(NAME)
    with timed("optimize"):
        index.optimize(NAME)
    with timed("close"):
        index.close()


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
        query=edge.Fusion.Rrf(k=11),
        with_payload=True,
    )


def alternately(
    first: list[Callable[[], object]], second: list[Callable[[], object]]
) -> tuple[list[float], list[float]]:
    """Milliseconds a call of each, taken in turn so that neither has the quieter machine."""
    times: tuple[list[float], list[float]] = ([], [])
    for calls in zip(first, second):
        for call, kept in zip(calls, times):
            start = time.perf_counter()
            call()
            kept.append((time.perf_counter() - start) * 1000)
    return times


def report(what: str, times: list[float]) -> None:
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    print(f"{what:<28}{p50:8.2f} ms p50{p95:8.2f} ms p95")


@contextmanager
def timed(what: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"{what:<28}{time.perf_counter() - start:8.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
