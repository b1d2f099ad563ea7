"""The distribution and compression of a collection on a Qdrant server or cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Quantization = Literal["scalar", "binary"]

OVERSAMPLING: Mapping[str, float] = {"scalar": 2.0, "binary": 32.0}
"""How many times the hits are looked for among quantised vectors, to be put in order by the whole
ones: enough for 99 of 100 of the plain hits with 384 dimensions (`benchmarks.bench_quantization`).
"""

_LEAST_DIMENSIONS: Mapping[str, int] = {"binary": 256}
"""With fewer dimensions, fewer than 98 of 100 of the plain hits are found by `OVERSAMPLING`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """What a collection is created with; None leaves it to the server. `oversampling` is that of
    every search in quantised vectors, instead of the one in `OVERSAMPLING`.
    """

    shards: int | None = None
    replication_factor: int | None = None
    write_consistency_factor: int | None = None
    quantization: Quantization | None = None
    oversampling: float | None = None

    def loses_hits(self, dimension: int) -> bool:
        """Whether vectors of so few dimensions lose hits by the quantization."""
        return dimension < _LEAST_DIMENSIONS.get(self.quantization or "", 0)

    def __post_init__(self) -> None:
        for name in ("shards", "replication_factor", "write_consistency_factor"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1")
        replicas, writes = self.replication_factor or 1, self.write_consistency_factor or 1
        if writes > replicas:
            raise ValueError(
                f"write_consistency_factor ({writes}) cannot exceed replication_factor ({replicas})"
            )
