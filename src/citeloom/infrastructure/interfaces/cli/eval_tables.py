"""Results of evaluations as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from citeloom.domain.evaluation.comparison import (
    ModeComparison,
    RunComparison,
    gain,
)
from citeloom.domain.evaluation.measures import EvaluationRun
from citeloom.infrastructure.answers.text import one_line
from citeloom.infrastructure.interfaces.cli.console import table

if TYPE_CHECKING:
    from citeloom.domain.evaluation.measures import ModeResult
    from citeloom.domain.evaluation.significance import Rate


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return table(rows, heads, figures=True)


def rate(measured: Rate) -> str:
    """`2 of 128, 1.6 % [0.4, 5.5]`, with the 95 % interval."""
    if measured.share is None:
        return "none asked"
    bounds = measured.interval
    between = f"[{bounds.low:.1%}, {bounds.high:.1%}]"
    return f"{measured.count} of {measured.of}, {measured.share:.1%} {between}"


def run_text(run: EvaluationRun) -> str:
    """The run: each measure by mode with the interval of its mean, then each kind of question."""
    provenance, first = run.provenance, run.modes[0].overall
    overall = [
        [
            name,
            *(
                f"{mode.overall.means[name]:.3f} [{mode.overall.intervals[name].low:.2f}, "
                f"{mode.overall.intervals[name].high:.2f}]"
                for mode in run.modes
            ),
        ]
        for name in first.means
    ]
    parts = [
        f"{run.name}: {first.questions} answerable questions, {provenance.chunks} chunks of "
        f"{provenance.collection}",
        grid(["", *(mode.mode.value for mode in run.modes)], overall),
        *(_kinds(mode) for mode in run.modes if mode.by_kind),
    ]
    unanswerable = [mode for mode in run.modes if mode.answerability]
    if unanswerable:
        parts.append(_answerability(unanswerable))
    return "\n\n".join(parts)


def _kinds(mode: ModeResult) -> str:
    shown = [name for name in mode.overall.means if "hit" not in name or name.endswith("@5")]
    rows = [
        [
            kind,
            str(summary.questions),
            *(f"{summary.means[n]:.3f}" if n in summary.means else "-" for n in shown),
        ]
        for kind, summary in mode.by_kind.items()
    ]
    return grid([mode.mode.value, "n", *shown], rows)


def _answerability(modes: Sequence[ModeResult]) -> str:
    rows = [
        [
            *(mode.mode.value, str(scores.unanswerable)),
            f"{scores.mean_score_unanswerable:.4f}",
            f"{scores.mean_score_answerable:.4f}",
            *(f"{scores.auroc:.3f}", _share(scores.auroc_fit)),
            ", ".join(f"{kind} {_share(v)}" for kind, v in scores.auroc_fit_by_kind.items()),
        ]
        for mode in modes
        if (scores := mode.answerability) is not None
    ]
    heads = ["unanswerable", "n", "their top score", "the others'", "AUROC", "of the fit"]
    return grid([*heads, "by kind"], rows)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


# A comparison of two runs as tables.

_HEADS = ("difference", "95 % within", "won", "lost", "p", "corrected")
LEGEND = (
    "p: paired randomisation test; corrected: by Holm for all measures of the mode; * below 0.05."
)


def comparison_text(comparison: RunComparison, measure: str, examples: int) -> str:
    """The conditions that differ, a table a mode, and questions that changed in one measure."""
    parts = []
    if comparison.conditions:
        pairs = comparison.conditions.items()
        parts.append("\n".join(f"{name}: {one} -> {other}" for name, (one, other) in pairs))
    if comparison.unpaired:
        parts.append(f"only in one of the runs: {', '.join(comparison.unpaired)}")
    for mode in comparison.modes:
        parts.append(differences(mode, ("before", "after")))
        for difference in mode.differences:
            if difference.measure == measure and difference.changes and examples:
                changes = difference.changes
                gains = [change for change in changes if change.after > change.before]
                losses = [change for change in reversed(changes) if change.after < change.before]
                lines = (
                    one_line(f"  {each.before:.3f} -> {each.after:.3f}  {each.id}: {each.question}")
                    for each in (*gains[:examples], *losses[:examples])
                )
                parts.append("\n".join([f"changed most in {measure}:", *lines]))
    parts.append(LEGEND)
    return "\n\n".join(parts)


def differences(mode: ModeComparison, sides: tuple[str, str]) -> str:
    """The differences in a mode as a table, with the heads of its two sides."""
    rows = [
        [
            *(each.measure, f"{each.before:.3f}", f"{each.after:.3f}", f"{each.difference:+.3f}"),
            f"[{each.interval.low:+.3f}, {each.interval.high:+.3f}]",
            *(str(each.wins), str(each.losses), f"{each.p:.4f}", f"{each.corrected_p:.4f}"),
            "*" if each.significant else "",
        ]
        for each in mode.differences
    ]
    return grid([mode.mode.value, *sides, *_HEADS, ""], rows)


# What a reranker gained and cost, as tables.


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
    yield "\n".join(
        f"{cost.mode.value}: {cost.median_ms:.0f} ms a question (median; 95th percentile "
        f"{cost.p95_ms:.0f} ms), {cost.passages:,} passages for {cost.questions} questions, "
        f"of which {cost.unchanged} kept their order because it failed"
        for cost in reranked.costs
    )
    yield LEGEND
