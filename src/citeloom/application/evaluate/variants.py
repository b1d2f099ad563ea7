"""What a sweep tries: one thing at a time changed against the present policies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from citeloom.domain.fusion import Fusion, FusionMethod
from citeloom.domain.policies import ChunkingPolicy, RetrievalPolicy

DEEPEST = 200
_RRF_CONSTANTS = (5, 10, 20, 40, 60, 100)
_WEIGHTS = ((1.0, 1.0), (2.0, 1.0), (1.0, 2.0))
_DEPTHS = (20, 50, 100, DEEPEST)
_HEADINGS = (0, 1, 2, 4)
_SHARES = (4, 3, 2)
"""Chunks of so many quarters of the present size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A way to cut and to fuse; without a `fusion` it is the query's own."""

    name: str
    chunking: ChunkingPolicy
    fusion: Fusion | None = None
    candidates: int = 0


def fusion_variants(chunking: ChunkingPolicy, retrieval: RetrievalPolicy) -> Iterator[Variant]:
    """Other fusions at the present depth, then the present one at other depths."""
    present = Fusion(k=retrieval.rrf_k)
    for fusion in _fusions(present):
        yield Variant(
            name=str(fusion), chunking=chunking, fusion=fusion, candidates=retrieval.candidates
        )
    for depth in _DEPTHS:
        if depth != retrieval.candidates:
            name = f"{present}, {depth} candidates"
            yield Variant(name=name, chunking=chunking, fusion=present, candidates=depth)


def chunking_variants(chunking: ChunkingPolicy) -> Iterator[Variant]:
    """Other heading contexts and other sizes, asked as the query asks."""
    for headings in _HEADINGS:
        if headings != chunking.heading_context:
            changed = replace(chunking, heading_context=headings)
            yield Variant(
                name=f"title and {headings} headings" if headings else "no headings",
                chunking=changed,
            )
    for quarters in _SHARES:
        size = chunking.size * quarters // 4
        if size != chunking.size and size > chunking.overlap_tokens:
            least = min(chunking.min_chunk_tokens, size)
            changed = replace(chunking, max_tokens=size, min_chunk_tokens=least)
            yield Variant(name=f"chunks of {size} tokens", chunking=changed)


def _fusions(present: Fusion) -> Iterator[Fusion]:
    for k in _RRF_CONSTANTS:
        if k != present.k:
            yield Fusion(k=k)
    for method in FusionMethod:
        for dense, sparse in _WEIGHTS:
            fusion = replace(present, method=method, dense_weight=dense, sparse_weight=sparse)
            if fusion != present:
                yield fusion
