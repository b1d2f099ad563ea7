"""The options of queries and questions, as callers from Python name them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from citeloom.application.retrieval.query import QueryRequest
from citeloom.domain.filters import Filters
from citeloom.domain.where import Where, conditions

if TYPE_CHECKING:
    from citeloom.domain.chunk import ChunkKind
    from citeloom.domain.policies import Mode


class FilterOptions(TypedDict, total=False):
    """What passages may be of, and how many there are; all of them by default.

    `where` are conditions on front matter, `hardware_tier<=2`, or a mapping of fields to values;
    `years` is a first and a last year, either may be None; `section` is a prefix of section titles.
    """

    citekey: str | None
    doc_id: str | None
    tags: Sequence[str]
    years: tuple[int | None, int | None]
    kinds: Sequence[ChunkKind]
    section: Sequence[str]
    where: Sequence[str | Where] | Mapping[str, object]
    top_k: int | None


class QueryOptions(FilterOptions, total=False):
    """The filters and options of a query; the project's settings apply to those left out.

    `context` is the number of neighbouring chunks on each side; with `floor` nothing is returned
    where the project is not about the question.
    """

    mode: Mode | None
    min_score: float | None
    by_document: bool
    context: int
    explain: bool
    full_text: bool
    floor: bool | None


def filters_of(options: FilterOptions) -> Filters:
    """The filters among the options."""
    year_from, year_to = options.get("years", (None, None))
    return Filters(
        doc_id=options.get("doc_id"),
        citekey=options.get("citekey"),
        tags=tuple(options.get("tags", ())),
        year_from=year_from,
        year_to=year_to,
        kinds=tuple(options.get("kinds", ())),
        section=tuple(options.get("section", ())),
        where=conditions(options.get("where", ())),
    )


def query_request(text: str, options: QueryOptions) -> QueryRequest:
    """The request of a question with its options."""
    return QueryRequest(
        text=text,
        filters=filters_of(options),
        mode=options.get("mode"),
        top_k=options.get("top_k"),
        min_score=options.get("min_score"),
        by_document=options.get("by_document", False),
        context=options.get("context", 0),
        explain=options.get("explain", False),
        full_text=options.get("full_text", False),
    )
