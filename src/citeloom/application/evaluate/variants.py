"""What a sweep tries: one thing at a time changed against the present policies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from citeloom.domain.fusion import Fusion, FusionMethod
from citeloom.domain.policies import ChunkingPolicy, RetrievalPolicy

_RRF_CONSTANTS = (5, 10, 20, 40, 60, 100)
_WEIGHTS = ((1.0, 1.0), (2.0, 1.0), (1.0, 2.0))
_DEPTHS = (20, 50, 100, 200)
_FEEDBACK = (0, 1, 3, 5)
_HEADINGS = (0, 1, 2, 4)
_QUARTERS = (4, 3, 2)
"""Chunks of so many quarters of the present size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A way to chunk and to search; without a `fusion` the query's own is used."""

    name: str
    chunking: ChunkingPolicy
    retrieval: RetrievalPolicy
    fusion: Fusion | None = None


def fusion_variants(present: Variant) -> Iterator[Variant]:
    """Other constants, depths, weights and methods of fusion, and other ways to follow it up."""
    policy = present.retrieval
    for name, changed in _policies(policy):
        if changed != policy:
            yield replace(present, name=name, retrieval=changed)
    for method in FusionMethod:
        for dense, sparse in _WEIGHTS:
            fusion = Fusion(method=method, k=policy.rrf_k, dense_weight=dense, sparse_weight=sparse)
            if fusion != Fusion(k=policy.rrf_k):
                yield replace(present, name=str(fusion), fusion=fusion)


def _policies(policy: RetrievalPolicy) -> Iterator[tuple[str, RetrievalPolicy]]:
    """The policy with one thing set to each value that is tried, also to its own."""
    for k in _RRF_CONSTANTS:
        yield f"rrf k={k}", replace(policy, rrf_k=k)
    for depth in _DEPTHS:
        yield f"{depth} candidates", replace(policy, candidates=depth)
    for feedback in _FEEDBACK:
        yield f"feedback of {feedback}", replace(policy, feedback=feedback)
    name = "pages as they come" if policy.diversify_by_page else "pages in turn"
    yield name, replace(policy, diversify_by_page=not policy.diversify_by_page)


def chunking_variants(present: Variant) -> Iterator[Variant]:
    """Other heading contexts and other sizes."""
    policy = present.chunking
    for headings in _HEADINGS:
        if headings != policy.heading_context:
            name = f"title and {headings} headings" if headings else "no headings"
            changed = replace(policy, heading_context=headings)
            yield replace(present, name=name, chunking=changed)
    for quarters in _QUARTERS:
        size = policy.size * quarters // 4
        if size != policy.size and size > policy.overlap_tokens:
            least = min(policy.min_chunk_tokens, size)
            changed = replace(
                policy,
                max_tokens=size,
                min_chunk_tokens=least,
                sections=policy.sections.within(least, size),
            )
            yield replace(present, name=f"chunks of {size} tokens", chunking=changed)
