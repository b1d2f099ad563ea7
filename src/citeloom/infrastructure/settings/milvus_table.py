"""The [milvus] table: how collections in Milvus are indexed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from citeloom.infrastructure.settings.values import Count, Table, Text


class MilvusTable(Table):
    """The index over dense vectors of a new collection, where `[store] url` is Milvus."""

    documents: Text | None = Field(
        default=None,
        examples=["document_metadata"],
        description="A collection to repeat the manifest in, with the front matter of each "
        "document, for other programs to read. Unset, there is none.",
    )
    index: Literal["FLAT", "IVF_FLAT", "HNSW"] = Field(
        default="FLAT",
        description="`FLAT` compares with every vector and misses nothing; the other two are "
        "quicker on large collections and may miss some.",
    )
    metric: Literal["COSINE", "IP"] = Field(
        default="COSINE",
        description="The measure of similarity. Vectors have unit length: both give the same.",
    )
    nlist: Count = Field(default=1024, description="Groups of an `IVF_FLAT` index.")
    nprobe: Count = Field(default=16, description="Groups that a query looks into.")
    m: Count = Field(default=16, description="Links a vector of an `HNSW` index.")
    ef_construction: Count = Field(default=200, description="Candidates while it is built.")
    ef: Count = Field(default=128, description="Candidates while it is searched.")
