from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeloom.application.ingest.embedding import TOGETHER, embed
from citeloom.domain.retrieval.passage import DenseVector, StoredChunk
from citeloom.testing.chunks import embedded
from tests.fakes.embedders import HashingDense


class CountingDense(HashingDense):
    """Remembers what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        self.asked += texts
        return super().embed_passages(texts)


def _chunk(number: int, text: str) -> StoredChunk:
    stored = embedded(f"c{number}", text=text).stored
    return replace(stored, chunk=replace(stored.chunk, id=f"c{number}"))


def test_a_text_that_occurs_twice_is_embedded_once() -> None:
    texts = [f"Field {number % (TOGETHER + 3)} was sown." for number in range(2 * TOGETHER + 5)]
    chunks = [_chunk(number, text) for number, text in enumerate(texts)]
    dense, done = CountingDense(), list[int]()

    found = embed(chunks, dense, None, done.append)

    assert len(dense.asked) == len(set(dense.asked)) == TOGETHER + 3
    assert [one.stored for one in found] == chunks
    asked_of = [stored.chunk.embedding_text for stored in chunks]
    assert [one.dense for one in found] == [dense.embed_query(text) for text in asked_of]
    assert sum(done) == len(chunks)
