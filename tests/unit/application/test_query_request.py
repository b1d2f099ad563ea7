"""Requests that cannot be meant are refused before anything is searched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import pytest

from citeloom.application.requests.passages import PassageFilters, QueryRequest
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.policies import MAX_TOP_K
from citeloom.domain.retrieval.filters import Filters

IMPOSSIBLE: dict[str, tuple[Callable[[], object], str]] = {
    "no question": (lambda: QueryRequest(text=" \n"), "the question is empty"),
    "bytes": (lambda: QueryRequest(text="rye \udcff"), "not text"),
    "a long question": (
        lambda: QueryRequest(text="rye " * 1_001),
        "the question has 4,004 characters, more than 4,000",
    ),
    "a zero byte": (lambda: QueryRequest(text="rye\0"), "not text"),
    "no passages": (lambda: QueryRequest(text="x", top_k=0), "passages must lie in 1..1000"),
    "all passages": (lambda: QueryRequest(text="x", top_k=2**64), "not 18446744073709551616"),
    "neighbours": (lambda: QueryRequest(text="x", context=2**63), "neighbours must lie in 0..100"),
    "before": (lambda: QueryRequest(text="x", context=-1), "not -1"),
    "no number": (lambda: QueryRequest(text="x", min_score=float("nan")), "not nan"),
    "no end": (lambda: QueryRequest(text="x", min_score=float("-inf")), "not -inf"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_be_meant_is_refused(name: str) -> None:
    make, message = IMPOSSIBLE[name]
    with pytest.raises(InvalidFilter, match=message) as caught:
        make()
    assert caught.value.code == "INVALID_FILTER"


def test_the_bounds_themselves_are_allowed() -> None:
    request = QueryRequest(text="x", top_k=MAX_TOP_K, context=100, min_score=-1e9)
    assert (request.top_k, request.context) == (1000, 100)


def test_a_section_is_a_path_or_its_titles() -> None:
    for section in ("Methods > Sampling", ["Methods", "Sampling"], ["Methods > Sampling"]):
        assert QueryRequest("x", section=section).filters.section == ("Methods", "Sampling")
    assert QueryRequest("x").filters.section == ()


def test_every_condition_of_the_filters_can_be_requested() -> None:
    """The filters take the fields of a request by name; years are one field of it."""
    conditions = {each.name for each in fields(Filters)} - {"year_from", "year_to"}
    assert conditions <= {each.name for each in fields(PassageFilters)}
