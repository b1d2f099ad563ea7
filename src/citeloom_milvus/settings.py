"""The table `[milvus]`: how dense vectors are indexed, and where documents are repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from citeloom.domain.fields import Count, Text
from citeloom.infrastructure.settings.values import AddedTable

if TYPE_CHECKING:
    from citeloom.infrastructure.settings import Settings


class MilvusTable(AddedTable):
    """The index over dense vectors of a new collection, where `[store] url` is Milvus."""

    index: Literal["FLAT", "IVF_FLAT", "HNSW"] = Field(
        default="FLAT",
        description="`FLAT` compares with every vector and is exact; the other two are faster on "
        "large collections, but approximate.",
    )
    metric: Literal["COSINE", "IP"] = Field(
        default="COSINE",
        description="The similarity measure. Vectors have unit length, so both give the same "
        "ranking.",
    )
    nlist: Count = Field(default=1024, description="Number of clusters of an `IVF_FLAT` index.")
    nprobe: Count = Field(default=16, description="Number of clusters that a query searches.")
    m: Count = Field(default=16, description="Links per vector of an `HNSW` index.")
    ef_construction: Count = Field(
        default=200, description="Candidates considered while an `HNSW` index is built."
    )
    ef: Count = Field(
        default=128, description="Candidates considered while an `HNSW` index is searched."
    )
    documents: Text | None = Field(
        default=None,
        examples=["document_metadata"],
        description="A collection that mirrors the manifest, with the front matter of each "
        "document, for other programs to read; it needs `pip install "
        "./recipes/markdown-notes/extension` in the checkout. Unset, there is none.",
    )

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

    def manifest(self, settings: Settings) -> str | None:
        is_used = (settings.store.url or "").startswith("milvus")
        return "milvus-documents" if self.documents and is_used else None
