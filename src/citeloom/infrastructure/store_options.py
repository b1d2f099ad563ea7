"""What stores can be told about a new collection; each option is a key of citeloom.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from citeloom.domain.constraints import (
    Count,
    Example,
    Factor,
    Seconds,
    SecondsOrZero,
    check_bounds,
)
from citeloom.domain.project import VectorStorage

STORE_SECONDS: float = 10
"""How long a store other than Qdrant is waited for."""

# The distribution and compression of a collection on a Qdrant server or cluster.

Quantization = Literal["scalar", "binary"]

OVERSAMPLING: Mapping[str, float] = {"scalar": 2.0, "binary": 32.0}
"""How many times the hits are looked for among quantised vectors, to be put in order by the whole
ones: enough for 99 of 100 of the plain hits with 384 dimensions (`benchmarks.bench_quantization`).
"""

_LEAST_DIMENSIONS: Mapping[str, int] = {"binary": 256}
"""With fewer dimensions, fewer than 98 of 100 of the plain hits are found by `OVERSAMPLING`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """What a collection is created with; None leaves it to the server."""

    shards: Annotated[Count | None, Example(2)] = None
    """Number of shards of a new collection. Unset, the server decides."""
    replication: Annotated[Count | None, Example(2)] = None
    """Number of copies of each shard. Unset, the server decides."""
    write_consistency: Annotated[Count | None, Example(1)] = None
    """Number of copies that must confirm a write. Unset, the server decides."""
    quantization: Annotated[Quantization | None, Example("scalar")] = None
    """Compress vectors in memory: scalar to a quarter, binary to 1/32."""
    oversampling: Annotated[Factor | None, Example(32)] = None
    """How many times as many hits are fetched by compressed vectors, then rescored by the full
    ones. Unset, 2 for scalar and 32 for binary.
    """

    def loses_hits(self, dimension: int) -> bool:
        """Whether vectors of so few dimensions lose hits by the quantization."""
        return dimension < _LEAST_DIMENSIONS.get(self.quantization or "", 0)

    def __post_init__(self) -> None:
        check_bounds(self)
        if (self.write_consistency or 1) > (self.replication or 1):
            raise ValueError("write_consistency must not be more than replication")


@dataclass(frozen=True, slots=True, kw_only=True)
class QdrantOptions:
    """How a Qdrant server is called, and how its collections are made."""

    timeout: Seconds = 10
    """Seconds to wait for the server."""
    retry_for: SecondsOrZero = 60
    """Seconds to keep retrying while no server answers; a question at most 5."""
    cluster: ClusterOptions = field(default_factory=ClusterOptions)
    storage: VectorStorage = field(default_factory=VectorStorage)

    def __post_init__(self) -> None:
        check_bounds(self)


# Milvus.


@dataclass(frozen=True, slots=True, kw_only=True)
class MilvusOptions:
    """The index over dense vectors of a new collection, where `[store] url` is Milvus."""

    index: Literal["FLAT", "IVF_FLAT", "HNSW"] = "FLAT"
    """`FLAT` compares with every vector and is exact; the other two are faster on large
    collections, but approximate.
    """
    metric: Literal["COSINE", "IP"] = "COSINE"
    """The similarity measure. Vectors have unit length, so both give the same ranking."""
    nlist: Count = 1024
    """Number of clusters of an `IVF_FLAT` index."""
    nprobe: Count = 16
    """Number of clusters that a query searches."""
    m: Count = 16
    """Links per vector of an `HNSW` index."""
    ef_construction: Count = 200
    """Candidates considered while an `HNSW` index is built."""
    ef: Count = 128
    """Candidates considered while an `HNSW` index is searched."""

    def __post_init__(self) -> None:
        check_bounds(self)

    @property
    def build_parameters(self) -> dict[str, int]:
        """The parameters the index is built with."""
        return {
            "FLAT": {},
            "IVF_FLAT": {"nlist": self.nlist},
            "HNSW": {"M": self.m, "efConstruction": self.ef_construction},
        }[self.index]

    def search_parameters(self, limit: int) -> dict[str, object]:
        """What a search for `limit` vectors looks into."""
        parameters = {
            "FLAT": {},
            "IVF_FLAT": {"nprobe": self.nprobe},
            "HNSW": {"ef": max(self.ef, limit)},
        }[self.index]
        return {"params": parameters}
