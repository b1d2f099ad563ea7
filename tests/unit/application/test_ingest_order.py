"""Documents are taken up so that those done are a fair sample of all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citeloom.application.ingest.execute import mixed


@given(st.lists(st.integers()))
def test_nothing_is_lost_or_doubled_and_the_order_is_always_the_same(numbers: list[int]) -> None:
    assert sorted(mixed(numbers)) == sorted(numbers)
    assert mixed(numbers) == mixed(numbers)


@given(total=st.integers(min_value=40, max_value=2000), done=st.floats(0.1, 1.0))
def test_what_is_done_comes_from_everywhere_alike(total: int, done: float) -> None:
    count = max(1, round(total * done))
    taken = mixed(range(total))[:count]
    in_first_half = sum(place < total / 2 for place in taken)
    assert abs(in_first_half - count / 2) <= 2.5
