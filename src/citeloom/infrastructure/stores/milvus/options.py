"""How a Milvus collection is indexed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

IndexType = Literal["FLAT", "IVF_FLAT", "HNSW"]
Metric = Literal["COSINE", "IP"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MilvusOptions:
    """The index over dense vectors and its parameters.

    `FLAT` compares with every vector and is exact; `IVF_FLAT` divides them into `nlist` groups
    and looks into `nprobe` of them; `HNSW` follows `m` links a vector, built from
    `ef_construction` and searched with `ef` candidates. Dense vectors have unit length, so that
    `IP` and `COSINE` give the same scores.
    """

    index: IndexType = "FLAT"
    metric: Metric = "COSINE"
    nlist: int = 1024
    nprobe: int = 16
    m: int = 16
    ef_construction: int = 200
    ef: int = 128

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
