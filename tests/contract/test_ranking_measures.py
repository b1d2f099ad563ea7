"""What all measures of rankings promise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.application.evaluate.ranking import RankingMeasures
from citeloom.domain.evaluation.measures import Measure, Metric
from citeloom.infrastructure.evaluation.trec_measures import IrMeasures
from tests.fakes.ranking_measures import FormulaMeasures

ALL = [Measure(metric, cutoff) for metric in Metric for cutoff in (1, 5, 10)]
UNITS = st.sampled_from([f"unit {n}" for n in range(30)])
GRADES = st.dictionaries(UNITS, st.integers(1, 4), min_size=1, max_size=12)
RANKINGS = st.lists(UNITS, unique=True, max_size=25)


@pytest.fixture(params=[IrMeasures, FormulaMeasures])
def measures(request: pytest.FixtureRequest) -> RankingMeasures:
    made: RankingMeasures = request.param()
    return made


def test_a_known_ranking_has_its_known_values(measures: RankingMeasures) -> None:
    qrels, rankings = {"q": {"a": 1, "b": 3}}, {"q": ["x", "b", "y", "a"]}
    asked = [Measure(metric, 10) for metric in Metric]
    values = measures(qrels, rankings, asked)["q"]
    assert [values[one] for one in asked] == pytest.approx(
        [(3 / 1.5849625 + 1 / 2.3219281) / (3 + 1 / 1.5849625), 1.0, 0.5, 1.0], abs=1e-6
    )
    early = [Measure(metric, 1) for metric in Metric]
    assert set(measures(qrels, rankings, early)["q"].values()) == {0.0}


def test_the_order_counts_and_not_the_names(measures: RankingMeasures) -> None:
    first = Measure(Metric.HIT, 1)
    for ranking in (["z", "a"], ["a", "z"]):
        values = measures({"q": {ranking[0]: 1}}, {"q": ranking}, [first])
        assert values == {"q": {first: 1.0}}


def test_a_question_that_found_nothing_counts_as_zero(measures: RankingMeasures) -> None:
    values = measures({"q": {"a": 1}, "r": {"a": 1}}, {"q": [], "s": ["a"]}, ALL)
    assert set(values) == {"q", "r"}
    assert {value for one in values.values() for value in one.values()} == {0.0}


@given(GRADES, RANKINGS)
def test_the_library_computes_what_the_formulas_say(
    grades: dict[str, int], ranking: list[str]
) -> None:
    library = IrMeasures()({"q": grades}, {"q": ranking}, ALL)["q"]
    formulas = FormulaMeasures()({"q": grades}, {"q": ranking}, ALL)["q"]
    assert library == pytest.approx(formulas, abs=1e-6)
