from __future__ import annotations

import pytest

from citeloom.application.limits import CallLimits
from citeloom.domain.errors import InvalidFilter


def test_a_question_within_the_limits_passes() -> None:
    CallLimits(query_chars=5).check_query("12345", 20)
    CallLimits().check_query("a", None)


@pytest.mark.parametrize(("text", "top_k"), [("123456", 1), ("a", 0), ("a", -1), ("a", 21)])
def test_a_question_beyond_the_limits_is_refused(text: str, top_k: int) -> None:
    with pytest.raises(InvalidFilter, match=r"limit is 5|lie in 1\.\.20"):
        CallLimits(query_chars=5).check_query(text, top_k)


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
