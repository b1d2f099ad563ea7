"""Measures by ir-measures, which computes them with NIST's trec_eval."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

import ir_measures

from citeloom.application.evaluate.ranking import RankingMeasures
from citeloom.domain.evaluation.measures import Measure, Metric

_MEASURES = {
    Metric.NDCG: ir_measures.nDCG,
    Metric.RECALL: ir_measures.R,
    Metric.MRR: ir_measures.RR,
    Metric.HIT: ir_measures.Success,
}


class IrMeasures(RankingMeasures):
    """Passes rankings to ir-measures with decreasing scores, which preserve their order."""

    def __call__(
        self,
        qrels: Mapping[str, Mapping[str, int]],
        rankings: Mapping[str, Sequence[str]],
        measures: Sequence[Measure],
    ) -> dict[str, dict[Measure, float]]:
        by_measure = {_MEASURES[measure.metric] @ measure.cutoff: measure for measure in measures}
        scored = {
            question: {unit: -float(rank) for rank, unit in enumerate(ranking)}
            for question, ranking in rankings.items()
        }
        values: dict[str, dict[Measure, float]] = {
            question: dict.fromkeys(measures, 0.0) for question in qrels
        }
        graded = {question: dict(units) for question, units in qrels.items()}
        for metric in ir_measures.iter_calc(list(by_measure), graded, scored):
            values[metric.query_id][by_measure[metric.measure]] = float(metric.value)
        return values


# The versions of the packages that may change results.

_PACKAGES = (
    "citeloom docling-parse docling-slim fastembed ir-measures onnxruntime pytrec-eval-terrier "
    "qdrant-client qdrant-edge-py tokenizers"
).split()


def installed_versions() -> dict[str, str]:
    """The versions of Python and of each installed package that matters."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions
