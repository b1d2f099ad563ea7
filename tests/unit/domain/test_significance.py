"""Chance and more than chance."""

from __future__ import annotations

from itertools import product
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.evaluation.significance import (
    bootstrap_interval,
    holm,
    percentile_95,
    randomisation_p,
    separation,
)

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def exact(differences: list[float]) -> float:
    """The share of all ways to choose signs that add up to as much."""
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, differences)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(one >= abs(sum(differences)) - 1e-9 for one in sums) / len(sums)


@pytest.mark.parametrize(
    "differences",
    [
        [0.5] * 6,
        [0.3, 0.1, -0.2, 0.4, 0.25, -0.05, 0.6, 0.1, 0.2, -0.3],
        [0.1, -0.1, 0.2, -0.2],
    ],
)
def test_drawn_signs_come_near_to_all_signs(differences: list[float]) -> None:
    assert randomisation_p(differences) == pytest.approx(exact(differences), abs=0.02)


def test_no_difference_is_no_evidence() -> None:
    assert randomisation_p([]) == randomisation_p([0.0] * 40) == 1.0


def test_a_clear_difference_is_no_chance() -> None:
    assert randomisation_p([0.2] * 60) == pytest.approx(1 / 10_001)


def test_the_same_seed_gives_the_same_answer() -> None:
    values = [0.4, -0.1, 0.3, 0.2, -0.2, 0.5, 0.1]
    assert randomisation_p(values, seed=1) == randomisation_p(values, seed=1)
    assert bootstrap_interval(values, seed=1) == bootstrap_interval(values, seed=1)


def test_which_of_the_two_is_first_does_not_matter() -> None:
    values = [0.4, -0.1, 0.3, 0.2, -0.2, 0.5, 0.1]
    assert randomisation_p(values) == pytest.approx(randomisation_p([-v for v in values]))


def test_the_interval_holds_the_mean_and_narrows_with_more_questions() -> None:
    few = [0.0, 1.0, 1.0, 0.0, 1.0, 1.0]
    narrow, wide = bootstrap_interval(few * 20), bootstrap_interval(few)
    assert wide.low < narrow.low < fmean(few) < narrow.high < wide.high


def test_holm_corrects_step_by_step() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(P_VALUES)
def test_a_corrected_value_is_never_smaller_and_keeps_the_order(p_values: list[float]) -> None:
    corrected = holm(p_values)
    assert all(p <= c <= 1 for p, c in zip(p_values, corrected))
    in_order = [c for _, c in sorted(zip(p_values, corrected))]
    assert in_order == sorted(in_order)


def test_separation_is_the_share_of_pairs_in_the_right_order() -> None:
    assert separation([3, 2], [1, 0]) == 1.0
    assert separation([1, 1], [1]) == 0.5
    assert separation([0, 3], [1, 2]) == 0.5


@pytest.mark.parametrize(
    ("values", "expected"),
    [([3], 3), ([9, 1], 9), ([2, 3, 1], 3), (list(range(1, 101)), 95), ([], 0)],
)
def test_the_95th_percentile_is_no_less_than_the_median(
    values: list[float], expected: float
) -> None:
    assert percentile_95(values) == expected
