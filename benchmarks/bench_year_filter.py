"""What a filter on years costs, by the index of the year and by where the filter stands, in the
engine that a Qdrant server runs, too.

python -m benchmarks.bench_year_filter [CHUNKS]

Made vectors of 128 dimensions and 40 terms a chunk, 20 years, of which the filter lets two through.
Medians of 300 hybrid questions, in changing order. A graph is built from a tenth of the size
on that citeloom builds one from.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import cast
from uuid import UUID

import numpy as np
import qdrant_edge as edge

DIMENSION, TERMS, VOCABULARY, YEARS, FIRST = 128, 40, 30_000, 20, 2000
BATCH, QUESTIONS, LIMIT, CANDIDATES, GRAPH_FROM_KB = 1000, 300, 10, 50, 10_000

INDEXES = {
    "lookup and range": edge.IntegerIndexParams(enable_hnsw=False),
    "range alone": edge.IntegerIndexParams(lookup=False, range=True, enable_hnsw=False),
    "principal": edge.IntegerIndexParams(
        lookup=False, range=True, is_principal=True, enable_hnsw=False
    ),
}
PROJECT = edge.FieldCondition(key="project_id", match=edge.MatchValue("bench"))
RANGE = edge.FieldCondition(key="year", range=edge.RangeFloat(gte=FIRST, lte=FIRST + 1))


WAYS = {
    "no filter": (edge.Filter(must=[PROJECT]), False),
    "on each side": (edge.Filter(must=[PROJECT, RANGE]), False),
    "once": (edge.Filter(must=[PROJECT, RANGE]), True),
}


def main(chunks: int) -> None:
    print(f"{chunks} chunks, {DIMENSION} dimensions; processor ms a question, p50")
    print(f"{'index of the year':<20}" + "".join(f"{way:>14}" for way in WAYS))
    with ExitStack() as stack:
        shards = {}
        for name, params in INDEXES.items():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            shards[name] = filled(folder, chunks, params)
            stack.callback(shards[name].close)
        taken: dict[tuple[str, str], list[float]] = defaultdict(list)
        for question in range(QUESTIONS):
            asked = [(name, way) for name in INDEXES for way in WAYS]
            random.Random(question).shuffle(asked)  # the second of two alike finds memory warm
            for name, way in asked:
                where, once = WAYS[way]
                taken[name, way].append(milliseconds(shards[name], question, where, once=once))
    for name in INDEXES:
        medians = [statistics.median(taken[name, way]) for way in WAYS]
        print(f"{name:<20}" + "".join(f"{median:14.2f}" for median in medians))


def filled(folder: Path, chunks: int, params: edge.IntegerIndexParams) -> edge.EdgeShard:
    """An optimised shard."""
    shard = edge.EdgeShard.create(
        str(folder),
        edge.EdgeConfig(
            vectors={"dense": edge.EdgeVectorParams(size=DIMENSION, distance=edge.Distance.Cosine)},
            sparse_vectors={"sparse": edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
            hnsw_config=edge.HnswIndexConfig(
                m=16, ef_construct=100, full_scan_threshold=GRAPH_FROM_KB
            ),
            optimizers=edge.EdgeOptimizersConfig(indexing_threshold=1_000),
        ),
    )
    indexes: dict[str, edge.IntegerIndexParams | edge.KeywordIndexParams] = {
        "project_id": edge.KeywordIndexParams(enable_hnsw=False),
        "year": params,
    }
    for key, index in indexes.items():
        shard.update(edge.UpdateOperation.create_field_index(key, index))
    for start in range(0, chunks, BATCH):
        points = [*made_points(start, min(BATCH, chunks - start))]
        shard.update(edge.UpdateOperation.upsert_points(points))
    shard.optimize()
    return shard


def made_points(start: int, count: int) -> Iterator[edge.Point]:
    chance = np.random.default_rng(start)
    vectors = chance.normal(size=(count, DIMENSION)).tolist()
    for number, vector in enumerate(vectors, start):
        yield edge.Point(
            id=str(UUID(int=number)),
            vector={"dense": vector, "sparse": words(random.Random(number), TERMS)},
            payload={
                "project_id": "bench",
                "year": FIRST + number // 50 % YEARS,
                "text": "x" * 900,
            },
        )


def words(chance: random.Random, count: int) -> edge.SparseVector:
    """Terms as texts have them: a few in most chunks, most in a few."""
    terms = sorted({int(VOCABULARY * chance.random() ** 3) for _ in range(count)})
    return edge.SparseVector(indices=terms, values=[chance.uniform(0.5, 2.0) for _ in terms])


def milliseconds(shard: edge.EdgeShard, question: int, where: edge.Filter, *, once: bool) -> float:
    """The processor time of a hybrid question, with the filter `once` or on each side."""
    dense = np.random.default_rng(question).normal(size=DIMENSION).tolist()
    sides = {"dense": dense, "sparse": words(random.Random(question), 8)}
    request = edge.QueryRequest(
        limit=LIMIT,
        filter=where if once else None,
        prefetches=[
            edge.Prefetch(
                limit=CANDIDATES,
                query=edge.Query.Nearest(side, using=using),
                filter=None if once else where,
            )
            for using, side in sides.items()
        ],
        query=cast("edge.Fusion", edge.Fusion.Rrf(k=11)),
        with_payload=True,
    )
    began = time.process_time()
    shard.query(request)
    return (time.process_time() - began) * 1000


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
