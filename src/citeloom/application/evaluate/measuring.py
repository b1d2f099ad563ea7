"""From what was found for questions to the figures of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citeloom.application.ports.ranking_measures import RankingMeasures
from citeloom.domain.evaluation import Measure, Metric, Question, View, qrels_of, run_of
from citeloom.domain.passage import StoredChunk

NDCG_CUTOFF = 10


def figures(
    measures: RankingMeasures,
    questions: Sequence[Question],
    found: Mapping[str, Sequence[StoredChunk]],
    k: int,
) -> dict[str, dict[str, float]]:
    """By question that has evidence, its figures by their name.

    nDCG, recall, MRR and page hits are of the evidence: the page where it is known, else the
    work. Plain hits are of the work, text hits of the evidence's own words where they are given.
    """
    answerable = [question for question in questions if question.answerable]
    result: dict[str, dict[str, float]] = {question.id: {} for question in answerable}
    for view, prefix, wanted in _views(answerable, k):
        units = {q.id: qrels_of(q, view) for q in answerable if _applies(q, view, prefix)}
        rankings = {q.id: run_of(q, found.get(q.id, ()), view) for q in answerable if q.id in units}
        for name, values in measures(units, rankings, wanted).items():
            result[name] |= {f"{prefix}{measure}": value for measure, value in values.items()}
    return result


def _views(questions: Sequence[Question], k: int) -> list[tuple[View, str, list[Measure]]]:
    hits = [Measure(Metric.HIT, cutoff) for cutoff in sorted({1, 5, k})]
    graded = [Measure(Metric.NDCG, NDCG_CUTOFF), Measure(Metric.RECALL, k), Measure(Metric.MRR, k)]
    views = [(View.EVIDENCE, "", graded), (View.WORK, "", hits)]
    if any(_applies(question, View.EVIDENCE, "page ") for question in questions):
        views.append((View.EVIDENCE, "page ", hits))
    if any(question.quotations for question in questions):
        views.append((View.TEXT, "text ", hits))
    return views


def _applies(question: Question, view: View, prefix: str) -> bool:
    if view is View.TEXT:
        return bool(question.quotations)
    return not prefix or any(evidence.page is not None for evidence in question.evidence)
