"""What a reranker gained and cost, as tables."""

from __future__ import annotations

from collections.abc import Iterator

from citeloom.domain.comparison import gain
from citeloom.domain.evaluation import EvaluationRun, RerankingCost
from citeloom.infrastructure.interfaces.cli.evaluation.comparison_table import LEGEND, differences
from citeloom.infrastructure.serialisation.text import one_line


def reranked_text(run: EvaluationRun) -> Iterator[str]:
    """What the reranker of a run did, a table a mode and what it cost; nothing without one."""
    reranked = run.reranked
    if reranked is None:
        return
    went = f"sent to {reranked.sent_to}" if reranked.sent_to else "nothing was sent"
    yield one_line(
        f"reranked by {reranked.model}: the first {reranked.candidates} passages; {went}"
    )
    for mode in gain(run):
        yield differences(mode, ("without", "with"))
    yield "\n".join(map(_cost, reranked.costs))
    yield LEGEND


def _cost(cost: RerankingCost) -> str:
    return (
        f"{cost.mode.value}: {cost.median_ms:.0f} ms a question (median; 95th percentile "
        f"{cost.p95_ms:.0f} ms), {cost.passages:,} passages for {cost.questions} questions, "
        f"of which {cost.unchanged} kept their order because it failed"
    )
