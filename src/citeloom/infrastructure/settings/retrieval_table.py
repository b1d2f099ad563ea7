"""The [retrieval] table: how queries are answered."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from citeloom.domain.policies import RetrievalPolicy
from citeloom.infrastructure.settings.values import Count, CountOrZero, Table

_RETRIEVAL = RetrievalPolicy()


class RetrievalTable(Table):
    """How a query is answered."""

    top_k: Count = Field(default=_RETRIEVAL.top_k, description="Passages a query returns.")
    fusion: Literal["rrf"] = Field(
        default="rrf",
        description="How dense and sparse results are fused: reciprocal rank fusion.",
    )
    rrf_k: Count = Field(
        default=_RETRIEVAL.rrf_k,
        description="The constant k of the fusion, 1 / (k + rank); a smaller one favours the first "
        "ranks.",
    )
    candidates: Count = Field(
        default=_RETRIEVAL.candidates,
        description="Results of each side of a hybrid query, before fusion.",
    )
    feedback: CountOrZero = Field(
        default=_RETRIEVAL.feedback,
        description="Best passages by which a hybrid query is expanded; 0 turns expansion off.",
    )
    diversify_by_page: bool = Field(
        default=_RETRIEVAL.diversify_by_page,
        description="Whether the best passage of each page comes before the second best of any.",
    )
    fold_duplicates: bool = Field(
        default=_RETRIEVAL.fold_duplicates,
        description="Whether nearly the same text of several documents is returned once, under "
        "the best.",
    )
    min_score: Annotated[float, Field(allow_inf_nan=False)] | None = Field(
        default=None,
        examples=[0.02],
        description="Passages that score less are not returned. Hybrid scores lie below "
        "2 / (rrf_k + 1), which is 0.033 by default; dense ones are cosines, up to 1; sparse ones "
        "have no bound.",
    )
    floor: bool = Field(
        default=_RETRIEVAL.floor,
        description="Whether a query returns nothing for a question that the library is not about: "
        "below the floor of `citeloom calibrate`.",
    )
    rerank: bool = Field(
        default=_RETRIEVAL.rerank,
        description="Whether the reranker of [rerank], where there is one, puts the best passages "
        "in order.",
    )
    max_chars_per_chunk: Count = Field(
        default=_RETRIEVAL.max_chars_per_chunk,
        description="A passage's text is trimmed to this many characters, between words.",
    )

    def policy(self) -> RetrievalPolicy:
        """The domain's policy."""
        return self.made_into(RetrievalPolicy)
