"""How many of the plain ten a quantised dense search finds, in the engine that a server runs, too.

python -m benchmarks.bench_quantization FOLDER PROJECT QUESTIONS [COUNT [DIMENSIONS]]

FOLDER holds a citeloom.toml and a library in the embedded store, QUESTIONS a file of JSON lines
with `question`. The vectors of the library are put into shards of the engine, one of each kind; of
each the first DIMENSIONS alone, at unit length. The memory is that of the vectors searched first.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import qdrant_edge as edge

from citeloom.domain.retrieval.passage import Selection
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.settings import load_settings
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex

TOP, BATCH = 10, 256
PLAIN = "none"
KINDS = {
    PLAIN: None,
    "scalar": edge.ScalarQuantizationConfig(
        type=edge.ScalarType.Int8, quantile=0.99, always_ram=True
    ),
    "binary": edge.BinaryQuantizationConfig(always_ram=True),
}
Vectors = Sequence[Sequence[float]]


def main(folder: Path, project: str, questions: list[str], dimensions: int | None) -> None:
    dense = Library(load_settings(cwd=folder)).project(project).embedders.dense
    asked = [cut(dense.embed_query(one), dimensions) for one in questions]
    source = QdrantEdgeIndex(folder / ".citeloom" / "projects")
    chunks = source.examine("proj-" + project.replace("/", "-"), Selection(project_id=project))
    vectors = [cut(one.dense, dimensions) for one in chunks if one.dense]
    source.close()
    print(f"{len(vectors)} vectors of {len(vectors[0])} dimensions, {len(asked)} questions")
    print(f"{'kind':<10}{'oversampling':>13}{'of the ten':>12}{'first':>8}{'p50 ms':>9}{'kB':>7}")
    plain: list[list[int]] = []
    for kind, config in KINDS.items():
        with tempfile.TemporaryDirectory() as place:
            shard = filled(Path(place), vectors, config)
            size = compressed_bytes(Path(place)) or 4 * len(vectors) * len(vectors[0])
            for oversampling in (
                (None, 1.0, 2.0, 4.0, 8.0, 16.0, 24.0, 32.0, 48.0) if config else (None,)
            ):
                found, taken = searched(shard, asked, oversampling)
                plain = plain or found
                print_row(kind, oversampling, found, plain, taken, size)
            shard.close()


def cut(vector: Sequence[float], dimensions: int | None) -> list[float]:
    """The first dimensions of a vector, at unit length."""
    values = list(map(float, vector[:dimensions]))
    length = math.hypot(*values)
    return [value / length for value in values]


def compressed_bytes(place: Path) -> int:
    """What the compressed vectors of a shard take; 0 where there are none."""
    files = (path for path in place.rglob("*") if path.name == "quantized.data")
    return sum(path.stat().st_size for path in files)


def filled(
    place: Path,
    vectors: Vectors,
    config: edge.ScalarQuantizationConfig | edge.BinaryQuantizationConfig | None,
) -> edge.EdgeShard:
    """A shard with the vectors, optimised."""
    shard = edge.EdgeShard.create(
        str(place),
        edge.EdgeConfig(
            vectors={
                "dense": edge.EdgeVectorParams(
                    size=len(vectors[0]),
                    distance=edge.Distance.Cosine,
                    quantization_config=config,
                )
            },
            hnsw_config=edge.HnswIndexConfig(m=16, ef_construct=100, full_scan_threshold=100_000),
            optimizers=edge.EdgeOptimizersConfig(indexing_threshold=1_000),
        ),
    )
    for start in range(0, len(vectors), BATCH):
        points = [
            edge.Point(id=number, vector={"dense": list(vector)}, payload={})
            for number, vector in enumerate(vectors[start : start + BATCH], start)
        ]
        shard.update(edge.UpdateOperation.upsert_points(points))
    shard.optimize()
    return shard


def searched(
    shard: edge.EdgeShard, asked: Vectors, oversampling: float | None
) -> tuple[list[list[int]], list[float]]:
    """The ids of the ten nearest of each question, and the milliseconds each took."""
    quantization = (
        edge.QuantizationSearchParams(rescore=False)
        if oversampling is None
        else edge.QuantizationSearchParams(rescore=True, oversampling=oversampling)
    )
    params = edge.SearchParams(quantization=quantization)
    found, taken = [], []
    for vector in asked:
        query = edge.Query.Nearest(list(vector), using="dense")
        began = time.perf_counter()
        hits = shard.query(edge.QueryRequest(limit=TOP, query=query, params=params))
        taken.append((time.perf_counter() - began) * 1000)
        found.append([int(str(hit.id)) for hit in hits])
    return found, taken


def print_row(
    kind: str,
    oversampling: float | None,
    found: list[list[int]],
    plain: list[list[int]],
    taken: list[float],
    size: int,
) -> None:
    same = sum(len(set(one) & set(other)) for one, other in zip(found, plain))
    first = sum(one[0] == other[0] for one, other in zip(found, plain))
    share = same / sum(map(len, plain))
    by = "not rescored" if oversampling is None and kind != PLAIN else oversampling or ""
    print(
        f"{kind:<10}{by!s:>13}{share:12.1%}{first:8d}{statistics.median(taken):9.2f}"
        f"{size / 1000:7.0f}",
        flush=True,
    )


if __name__ == "__main__":
    lines = Path(sys.argv[3]).read_text(encoding="utf-8").splitlines()
    asked_for = [str(json.loads(line)["question"]) for line in lines]
    count, dimensions = int((sys.argv[4:] or ["60"])[0]), int((sys.argv[5:] or ["0"])[0])
    main(
        Path(sys.argv[1]).resolve(),
        sys.argv[2],
        asked_for[:count],
        dimensions or None,
    )
