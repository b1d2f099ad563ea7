"""Two rankings made one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.retrieval.ordering import (
    Fusion,
    FusionMethod,
    Scored,
    distribution_based,
    min_max,
)

DENSE: list[Scored] = [("a", 0.9), ("b", 0.5), ("c", 0.1)]
SPARSE: list[Scored] = [("c", 12.0), ("d", 6.0)]
SIDES = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=2), st.floats(-5, 50, width=32), max_size=12
).map(lambda found: sorted(found.items(), key=lambda scored: (-scored[1], scored[0])))
FUSIONS = st.builds(Fusion, method=st.sampled_from(FusionMethod), k=st.integers(1, 100))


def test_reciprocal_ranks_add_up() -> None:
    fused = dict(Fusion(k=10).merge(DENSE, SPARSE))
    assert fused == pytest.approx({"a": 1 / 11, "b": 1 / 12, "c": 1 / 13 + 1 / 11, "d": 1 / 12})
    assert [name for name, _ in Fusion(k=10).merge(DENSE, SPARSE)] == ["c", "a", "b", "d"]


def test_min_max_stretches_each_side() -> None:
    fusion = Fusion(method=FusionMethod.MIN_MAX, dense_weight=2.0)
    expected = {"a": 2.0, "b": 1.0, "c": 1.0, "d": 0.0}
    assert dict(fusion.merge(DENSE, SPARSE)) == pytest.approx(expected)


def test_distributions_are_laid_over_one_another() -> None:
    placed = distribution_based([("a", 3.0), ("b", 2.0), ("c", 1.0)])
    assert placed == pytest.approx({"a": 0.5 + 1 / 6, "b": 0.5, "c": 0.5 - 1 / 6})


def test_an_outlier_counts_for_no_more_than_three_deviations() -> None:
    side: list[Scored] = [("far", 1000.0), *((f"n{i:02}", 1.0) for i in range(50))]
    assert distribution_based(side)["far"] == 1.0


@pytest.mark.parametrize(("normalised", "same"), [(min_max, 1.0), (distribution_based, 0.5)])
def test_equal_scores_say_nothing_of_order(normalised: object, same: float) -> None:
    assert callable(normalised)
    assert normalised([]) == {}
    assert normalised([("a", 7.0), ("b", 7.0)]) == {"a": same, "b": same}


@given(FUSIONS, SIDES, SIDES)
def test_everything_found_is_ranked_once_and_best_first(
    fusion: Fusion, dense: Sequence[Scored], sparse: Sequence[Scored]
) -> None:
    fused = fusion.merge(dense, sparse)
    assert sorted(name for name, _ in fused) == sorted({name for name, _ in (*dense, *sparse)})
    assert fused == sorted(fused, key=lambda scored: (-scored[1], scored[0]))


@given(FUSIONS, SIDES)
def test_one_side_alone_keeps_its_order(fusion: Fusion, side: Sequence[Scored]) -> None:
    scores = [score for _, score in fusion.merge(side, [])]
    parts = dict(fusion.merge(side, []))
    assert [parts[name] for name, _ in side] == pytest.approx(scores)


@given(SIDES, SIDES, st.floats(0.5, 8))
def test_what_is_normalised_does_not_know_its_scale(
    dense: Sequence[Scored], sparse: Sequence[Scored], factor: float
) -> None:
    fusion = Fusion(method=FusionMethod.RRF)
    scaled = [(name, score * factor) for name, score in sparse]
    assert fusion.merge(dense, scaled) == fusion.merge(dense, sparse)


def test_a_fusion_says_what_it_is() -> None:
    assert str(Fusion()) == "rrf k=60"
    assert str(Fusion(method=FusionMethod.DBSF)) == "dbsf"
    weighted = Fusion(method=FusionMethod.MIN_MAX, dense_weight=2, sparse_weight=1)
    assert str(weighted) == "minmax dense 2 : sparse 1"
