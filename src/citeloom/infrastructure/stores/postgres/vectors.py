"""Vectors as pgvector writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from citeloom.domain.errors import EmbeddingMismatch

SPARSE_DIMENSIONS = 1_000_000_000
"""What pgvector allows; terms are numbered from 1, so that those of 32 bits fit as well."""
MOST_TERMS = 16_000
"""The most non-zero values a `sparsevec` can hold."""
MOST_INDEXED_DIMENSIONS = 2_000
"""The most dimensions of a `vector` that an HNSW index takes."""

_PAIRS = {
    "terms": np.dtype([("key", ">i4"), ("value", ">u4")]),
    "weights": np.dtype([("key", ">u4"), ("value", ">f4")]),
}


def dense_text(vector: Sequence[float]) -> str:
    """A dense vector as pgvector reads it."""
    return "[" + ",".join(repr(float(value)) for value in vector) + "]"


def sparse_text(values: Mapping[int, float]) -> str:
    """A sparse vector, by number of the term, as pgvector reads it.

    Raises `EmbeddingMismatch` when it has more terms than pgvector can hold.
    """
    if len(values) > MOST_TERMS:
        raise EmbeddingMismatch(
            f"A sparse vector has {len(values)} terms; pgvector holds {MOST_TERMS}",
            "Make the chunks smaller: [chunking] max_tokens.",
        )
    pairs = ",".join(f"{number}:{float(value)!r}" for number, value in sorted(values.items()))
    return f"{{{pairs}}}/{SPARSE_DIMENSIONS}"


def sent_dense(sent: bytes) -> list[float]:
    """The values of a dense vector that was sent in binary."""
    values: list[float] = np.frombuffer(sent, ">f4", offset=4).tolist()
    return values


def sent_sparse(sent: bytes) -> dict[int, float]:
    """The values of a sparse vector that was sent in binary, by number of the term."""
    count = int.from_bytes(sent[4:8], "big")
    places = np.frombuffer(sent, ">i4", count, 12) + 1
    values = np.frombuffer(sent, ">f4", count, 12 + 4 * count)
    return dict(zip(places.tolist(), values.tolist()))


def sent_pairs(sent: bytes | None, kind: Literal["terms", "weights"]) -> dict[int, float]:
    """Terms by their numbers, or weights by their terms, as the statement of searches has them."""
    pairs = np.frombuffer(sent or b"", _PAIRS[kind])
    return dict(zip(pairs["key"].tolist(), pairs["value"].tolist()))


def read_dense(text: str) -> list[float]:
    """The values of a dense vector."""
    return [float(value) for value in json.loads(text)]


def read_sparse(text: str) -> dict[int, float]:
    """The values of a sparse vector by number of the term."""
    pairs = text[1 : text.index("}")]
    return {
        int(number): float(value)
        for number, _, value in (pair.partition(":") for pair in pairs.split(",") if pair)
    }
