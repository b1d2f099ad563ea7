"""The distribution of a collection over a Qdrant cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Quantization = Literal["scalar", "binary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """What a collection is created with; None leaves it to the server."""

    shards: int | None = None
    replication_factor: int | None = None
    write_consistency_factor: int | None = None
    quantization: Quantization | None = None

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
