"""Passages that score alike are ranked alike, in whatever order they were written."""

from __future__ import annotations

from pathlib import Path

from citeloom.application.retrieval.search import Search, TermStatisticsCache
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import EmbeddedChunk, IndexQuery, SparseVector
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex
from citeloom.testing.chunks import EVERYTHING, collection, embedded

CHUNKS = [
    embedded(
        f"c{n:03d}",
        dense=(1.0, float(n % 4), 0.5, float(n % 3), *[0.0] * 4),
        sparse=SparseVector(indices=(1, 2 + n % 3), values=(0.5 + 0.1 * (n % 2), 0.4)),
    )
    for n in range(60)
]
QUERY = IndexQuery(
    selection=EVERYTHING,
    mode=Mode.HYBRID,
    limit=20,
    dense=[1.0, 1.0, 0.5, 1.0, *[0.0] * 4],
    sparse=SparseVector(indices=(1, 3), values=(1.0, 1.0)),
    candidates=20,
)


def ranked(folder: Path, chunks: list[EmbeddedChunk]) -> list[str]:
    index, made = QdrantEdgeIndex(folder), collection("c")
    index.create(made)
    index.upsert("c", chunks)
    index.flush("c")
    search = Search(reader=index, collection=made, statistics=TermStatisticsCache())
    found = [hit.stored.chunk.id for hit in search(QUERY)]
    index.close()
    return found


def test_two_fresh_ingests_rank_alike(tmp_path: Path) -> None:
    one = ranked(tmp_path / "one", CHUNKS)
    assert len(one) == 20
    assert ranked(tmp_path / "two", CHUNKS[::-1]) == one
    assert ranked(tmp_path / "three", [*CHUNKS[1::2], *CHUNKS[::2]]) == one
