from __future__ import annotations

import pytest

from citeloom.application.limits import CallLimits
from citeloom.application.requests.passages import QueryRequest
from citeloom.domain.errors import InvalidFilter


def test_a_question_within_the_limits_passes() -> None:
    request = CallLimits(query_chars=5).admitted(QueryRequest("12345", top_k=20), usual=3)
    assert request == QueryRequest("12345", top_k=20)


@pytest.mark.parametrize(("usual", "passages"), [(3, 3), (30, 20)])
def test_a_question_that_names_no_number_has_the_usual_one_as_far_as_it_may(
    usual: int, passages: int
) -> None:
    assert CallLimits().admitted(QueryRequest("a"), usual).top_k == passages


@pytest.mark.parametrize(("text", "top_k"), [("123456", 1), ("a", 21)])
def test_a_question_beyond_the_limits_is_refused(text: str, top_k: int) -> None:
    with pytest.raises(InvalidFilter, match=r"limit is 5|lie in 1\.\.20"):
        CallLimits(query_chars=5).admitted(QueryRequest(text, top_k=top_k), usual=3)


def test_limits_are_positive() -> None:
    with pytest.raises(ValueError, match="calls must be at least 1"):
        CallLimits(calls=0)


def test_passages_are_those_asked_for_or_as_usual_within_the_limit() -> None:
    limits = CallLimits(top_k=10)
    assert limits.passages(3, usual=6) == 3
    assert limits.passages(None, usual=6) == 6
    assert limits.passages(None, usual=50) == 10


def test_the_longest_call_is_known() -> None:
    assert CallLimits(ingest_seconds=999).longest_seconds == 999
