"""The measures of information retrieval by their formulas."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from citeloom.application.evaluate.ranking import RankingMeasures
from citeloom.domain.evaluation.measures import Measure, Metric


class FormulaMeasures(RankingMeasures):
    """Works every measure out by hand."""

    def __call__(
        self,
        qrels: Mapping[str, Mapping[str, int]],
        rankings: Mapping[str, Sequence[str]],
        measures: Sequence[Measure],
    ) -> dict[str, dict[Measure, float]]:
        return {
            question: {
                measure: _value(measure, grades, rankings.get(question, ())) for measure in measures
            }
            for question, grades in qrels.items()
        }


def _value(measure: Measure, grades: Mapping[str, int], ranking: Sequence[str]) -> float:
    gains = [grades.get(unit, 0) for unit in ranking[: measure.cutoff]]
    first = next((rank for rank, gain in enumerate(gains, start=1) if gain), None)
    if measure.metric is Metric.NDCG:
        best = sorted(grades.values(), reverse=True)[: measure.cutoff]
        return _dcg(gains) / _dcg(best)
    if measure.metric is Metric.RECALL:
        return sum(gain > 0 for gain in gains) / len(grades)
    if measure.metric is Metric.MRR:
        return 1 / first if first else 0.0
    return float(first is not None)


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
