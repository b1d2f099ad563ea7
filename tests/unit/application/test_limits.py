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
    with pytest.raises(ValueError, match="calls must be positive"):
        CallLimits(calls=0)
